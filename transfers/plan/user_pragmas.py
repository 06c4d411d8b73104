"""Copies that a person asks for by pragmas, in the language of the seed (003, section 4.3).

    #pragma species copyin A[0:N-1]|1   begins to copy these cells to the device, those that are not there
    #pragma species copyout A[0:N-1]|2  begins to copy to the host what kernels have changed of these cells
    #pragma species sync 2              waits for the copies with this number

They decide when copies begin and end, and nothing else: host code and kernels go on to ask for what they
touch, so that no plan can lose data.  One that copies what is not there yet, or never is done, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from species.core.positions import Diagnostic, Position, Span
from species.grammar.errors import SpeciesSyntaxError
from species.grammar.parser import parse_pragma
from species.grammar.pragmas import Copy, CopyPragma, SyncPragma
from species.source import SourceError
from species.source.syntax.tree import walk
from species.source.text.edits import Edit
from species.source.text.tokens import tokenize
from species.symbols.enumerations import constant_value
from species.symbols.symbols import Symbol
from species.symbols.types import CType
from transfers.plan.accesses import MOVING, is_array
from transfers.plan.functions import Function
from transfers.plan.program import HostProgram

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEEPEST = 20  # macros within macros
_LONGEST = 1000  # characters that they grow to


@dataclass(frozen=True)
class Written:
    """A pragma, and its place in the text."""

    pragma: CopyPragma | SyncPragma
    position: Position
    span: Span


@dataclass(frozen=True)
class _Block:
    """The statements of a block, with their places, in order."""

    items: tuple[tuple[Span, Any], ...]

    def between(self, start: int, end: int) -> Iterator[Any]:
        return (item for span, item in self.items if start < span.start < end)


class ByHand:
    """The pragmas of one function, of all that are `written` in the file, and what stands in their place;
    `prefix` begins the functions' names.

    Raises SourceError (CV008) where a pragma makes no sense.
    """

    def __init__(
        self, program: HostProgram, prefix: str, function: Function, written: Iterable[Written]
    ) -> None:
        self._program, self._prefix, self._function = program, prefix, function
        self._unit = program.unit
        body = program.span(function.node.body)
        self._written = tuple(w for w in written if body is not None and body.holds(w.span))

    def edits(self) -> Iterator[Edit]:
        """The calls that begin copies, and wait for them."""
        for written in self._written:
            if isinstance(written.pragma, SyncPragma):
                calls = [self._sync(written)]
            else:
                calls = [self._copy(written, copy) for copy in written.pragma.arrays]
            yield Edit(written.span, " ".join(calls))

    @property
    def brings(self) -> bool:
        """May there be data on the device before any kernel has run?"""
        return any(isinstance(w.pragma, CopyPragma) and w.pragma.direction == "in" for w in self._written)

    def _sync(self, written: Written) -> str:
        number = written.pragma.deadline  # type: ignore[union-attr]
        if not any(copy.deadline == number for w in self._written for copy in _copies(w.pragma)):
            raise refused(f"no copy in this function is to be done by `sync {number}`", written.position)
        return f"{self._prefix}sync();"

    def _copy(self, written: Written, copy: Copy) -> str:
        assert isinstance(written.pragma, CopyPragma)
        symbol = self._symbol(copy.name, written)
        self._check_domain(copy, symbol, written)
        self._check_order(copy, symbol, written)
        if written.pragma.direction == "in":
            self._check_kept(copy, symbol, written)
        low = "".join(f"[{bound.low}]" for bound in copy.domain)
        high = "".join(f"[{bound.high}]" for bound in copy.domain)
        bytes_ = f"(char *)(&{copy.name}{high} + 1) - (char *)&{copy.name}{low}"
        name = f'"{copy.name}", ' if written.pragma.direction == "in" else ""
        return f"{self._prefix}copy{written.pragma.direction}({name}&{copy.name}{low}, {bytes_});"

    # Names and bounds

    def _symbol(self, path: str, written: Written) -> Symbol:
        """The array that a pragma names; one of which no other variable of the function has the name."""
        name = _WORD.findall(path)[0]
        symbols = self._program.names.resolution.symbols
        at_file = [n for n in self._unit.ast.ext if isinstance(n, c_ast.Decl)]
        meant = ({symbols.get(id(n)) for n in nodes} for nodes in (walk(self._function.node), at_file))
        inside, outside = ({s for s in one if s is not None and s.name == name} for one in meant)
        found = inside or outside
        if len(found) != 1:
            message = f"several variables are called '{name}' here" if found else f"there is no '{name}' here"
            raise refused(message, written.position)
        return next(iter(found))

    def _check_domain(self, copy: Copy, symbol: Symbol, written: Written) -> None:
        if not copy.name.isidentifier():
            return  # a member: its type is the compiler's to check
        extents = list(_extents(symbol.ctype))
        if len(extents) != len(copy.domain):
            message = f"'{copy.name}' has {len(extents)} dimensions, not {len(copy.domain)}"
            raise refused(message if extents else f"'{copy.name}' is no array", written.position)
        constants = self._program.names.types.certain_constants()
        for bound, extent in zip(copy.domain, extents, strict=True):
            low, high = (self._value(text, written) for text in (bound.low, bound.high))
            size = constant_value(extent, constants) if extent is not None else None
            below = low is not None and low < 0
            above = high is not None and size is not None and high >= size
            if below or above or (low is not None and high is not None and low > high):
                cells = f"{bound.low}:{bound.high}"
                raise refused(f"'{copy.name}' has no cells {cells}", written.position)

    def _check_kept(self, copy: Copy, symbol: Symbol, written: Written) -> None:
        """Host code tells of memory that kernels of the function use, until it ends, and of no other."""
        loops = self._function.kernels.values()
        kernels = [k for loop in loops for k in (loop.kernel, loop.scheme) if k is not None]
        arrays = {array.name for kernel in kernels for array in kernel.arrays}
        if copy.name not in arrays:
            raise refused(f"no kernel in this function uses '{copy.name}'", written.position)
        if not is_array(symbol) and self._settings(symbol) > (symbol.storage == "local"):
            message = f"the pointer '{copy.name}' is set more than once, and may lead elsewhere in the end"
            raise refused(message, written.position)

    def _settings(self, symbol: Symbol) -> int:
        """How often a pointer is set, at most; where that is not known, too often."""
        if symbol.storage not in ("local", "parameter") or symbol.address_taken:
            return 2
        symbols = self._program.names.resolution.symbols
        nodes = list(walk(self._function.node.body))
        targets = [n.lvalue for n in nodes if isinstance(n, c_ast.Assignment)]
        targets += [n.expr for n in nodes if isinstance(n, c_ast.UnaryOp) and n.op in MOVING]
        begun = (n for n in nodes if isinstance(n, c_ast.Decl) and n.init is not None)
        return sum(symbols.get(id(node)) is symbol for node in (*targets, *begun))

    def _value(self, text: str, written: Written) -> int | None:
        """What an expression comes to, if it is made of numbers and macros for numbers."""
        line = written.position.line

        def replaced(match: re.Match[str]) -> str:
            macro = self._unit.macros.definition(match[0], line)
            return match[0] if macro is None or macro.params is not None else f"({macro.body})"

        for _ in range(_DEEPEST):
            text = _WORD.sub(replaced, text)
            if len(text) > _LONGEST:
                return None
        try:
            tree = CParser().parse(f"int x = {text};")
        except ParseError:
            return None
        value = constant_value(tree.ext[0].init, {})
        return int(value) if value is not None else None

    # The order of things

    def _check_order(self, copy: Copy, symbol: Symbol, written: Written) -> None:
        """What happens between the copy and the barrier that it is to be done by."""
        block = self._block(written.span)
        if any(span.holds(written.span) for span, _ in block.items):
            raise refused("it stands inside of a statement; put it between two, in braces", written.position)
        barriers = self._barriers(copy.deadline, written)
        barrier = next((w for w in barriers if self._block(w.span) == block), None)
        if barrier is None:
            message = f"no `sync {copy.deadline}` follows in the same block"
            raise refused(message, written.position)
        assert isinstance(written.pragma, CopyPragma)
        is_in = written.pragma.direction == "in"
        for item in block.between(written.span.start, barrier.span.start):
            if self._disturbs(item, symbol, is_in):
                line = self._unit.position(item.coord).line
                does = "writes" if is_in else "touches"
                message = f"line {line} {does} '{copy.name}' before `sync {copy.deadline}`"
                raise refused(message, written.position)

    def _barriers(self, number: int, behind: Written) -> Iterator[Written]:
        for written in self._written:
            is_barrier = isinstance(written.pragma, SyncPragma) and written.pragma.deadline == number
            if is_barrier and written.span.start > behind.span.start:
                yield written

    def _disturbs(self, item: Any, symbol: Symbol, is_in: bool) -> bool:
        """Does the host write what is copied in, or touch what is copied out, or a kernel write that?"""
        loops = [self._function.kernels.get(id(node)) for node in walk(item)]
        kernels = [loop.kernel for loop in loops if loop is not None and loop.kernel is not None]
        arrays = [array for kernel in kernels for array in kernel.arrays if array.name == symbol.name]
        if not is_in and any(array.writes is not None for array in arrays):
            return True
        if kernels:
            return False  # the host's part of it asks for itself
        touched = (t for t in self._program.touches.of(item) if t.symbol is symbol)
        return any(t.writes or not is_in for t in touched)

    def _block(self, span: Span) -> _Block:
        """The innermost block around a place."""
        blocks = (n for n in walk(self._function.node.body) if isinstance(n, c_ast.Compound))
        placed = ((self._program.span(n), n) for n in blocks)
        around = [(found, n) for found, n in placed if found is not None and found.holds(span)]
        _, node = min(around, key=lambda pair: pair[0].end - pair[0].start)
        spans = ((self._program.span(item), item) for item in node.block_items or [])
        return _Block(tuple((found, item) for found, item in spans if found is not None))


def written_in(program: HostProgram) -> tuple[Written, ...]:
    """The pragmas for copies in a file."""
    if not any(words.split()[:1] == ["species"] for _, words in program.unit.pragmas):
        return ()
    text = program.unit.source.text
    places = {token.start: token for token in tokenize(text) if token.kind == "directive"}
    found = []
    for position, words in program.unit.pragmas:
        if words.split()[:2] not in (["species", "copyin"], ["species", "copyout"], ["species", "sync"]):
            continue
        try:
            pragma = parse_pragma(f"#pragma {words}")
        except SpeciesSyntaxError as error:
            raise refused(str(error), position) from None
        token = places.get(program.unit.source.offset(position.line, position.column))
        assert isinstance(pragma, CopyPragma | SyncPragma)
        if token is not None:
            found.append(Written(pragma, position, Span(token.start, token.end)))
    return tuple(found)


def refused(message: str, position: Position) -> SourceError:
    """The error for a pragma that makes no sense."""
    way_out = "correct it, or take it out: the program copies what it needs without it"
    return SourceError(Diagnostic("error", "CV008", f"copies by hand: {message}; {way_out}", position))


def _copies(pragma: CopyPragma | SyncPragma) -> tuple[Copy, ...]:
    return pragma.arrays if isinstance(pragma, CopyPragma) else ()


def _extents(ctype: CType) -> Iterator[Any]:
    """The lengths of an array's dimensions, outermost first; None for what a pointer leads to."""
    row: CType | None = ctype
    while row is not None and row.kind in ("array", "pointer"):
        yield row.extent if row.kind == "array" else None
        row = row.target
