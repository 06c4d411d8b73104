"""What the iteration before wrote, in a variable: `b[i] = b[i-1] + a[i]` becomes `s = s + a[i]; b[i] = s`.

Skeletons for scans know variables that are combined, not elements of arrays.  What was written is analysed
like any other text, and kept where the loop has become a scan (Callahan, Carr and Kennedy 1990: scalar
replacement; Blelloch 1990: scans).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from cuvier.pipeline.base.stage import Again, Nest, Renewed, renewed
from cuvier.pipeline.header import Header, code_in, count, is_short, step_of
from skeletons.catalogue.passes import CARRY, SCAN
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.tree import only_statement, subscripted, variables, walk
from species.source.text.edits import Edit, apply_edits
from species.source.text.for_headers import header_texts
from species.symbols.symbols import Symbol
from species.symbols.types import CType
from species.symbols.update_idioms import same
from transfers.fuse.headers import form
from transfers.fuse.names import elements_in, fresh, on_one_line

_PLAIN = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp)
_VALUES = (
    *(*_PLAIN, c_ast.UnaryOp, c_ast.ArrayRef, c_ast.StructRef, c_ast.TernaryOp, c_ast.FuncCall),
    *(c_ast.ExprList, c_ast.Cast, c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType),
)
_CHANGING = ("++", "--", "p++", "p--", "&")
_COMMUTING = ("+=", "*=", "&=", "|=", "^=")
_NUMBERS = ("int", "float")


def with_carried(
    unit: TranslationUnit, facts: UnitFacts, again: Again, names: Callable[[], Names], *, strict_fp: bool
) -> Renewed | None:
    """The file with such variables wherever that makes a scan of a loop; None: nowhere.

    `again` reads the file as if it read like a text, and analyses it.  With `strict_fp`, nothing is done to
    floating-point numbers, of which there would be no scan.
    """
    if not any(_may_be_one(loop, facts) for loop in facts.loops):
        return None
    finder = _Finder(unit, facts, names(), ("int",) if strict_fp else _NUMBERS)
    return renewed(CARRY, unit, facts, again, finder.nests, _is_scan)


def _may_be_one(loop: LoopFacts, facts: UnitFacts) -> bool:
    """Is it a scan that no variable tells of, with nothing but that against it, and in no parallel loop?"""
    if SCAN not in loop.tags or loop.scheme is not None or loop.users or loop.spans is None:
        return False
    by_id = {other.id: other for other in facts.loops}
    around = loop.parent
    while around is not None:
        if by_id[around].kernel is not None:
            return False
        around = by_id[around].parent
    return loop.position.file == facts.file and {reason.code for reason in loop.reasons} == {"CV203"}


def _is_scan(loop: LoopFacts) -> bool:
    return loop.scheme is not None and loop.scheme.pattern is not None and loop.scheme.pattern.kind == SCAN


@dataclass(frozen=True)
class _Finder:
    """Looks for loops to write in another way."""

    unit: TranslationUnit
    facts: UnitFacts
    names: Names
    kinds: tuple[str, ...]

    def nests(self, refused: Collection[Span]) -> Iterator[Nest]:
        """The loops, each with what is to stand in its place."""
        spans = ((node, self.unit.loop_spans(node)) for node in self.unit.all_of(c_ast.For))
        nodes = {where.whole: node for node, where in spans if where is not None}
        for loop in self.facts.loops:
            if loop.spans is None or loop.spans.whole in refused or not _may_be_one(loop, self.facts):
                continue
            node = nodes.get(loop.spans.whole)
            found = self._nest(loop, node) if node is not None else None
            if found is not None:
                yield found

    def _symbol(self, node: Any) -> Symbol | None:
        return self.names.resolution.symbols.get(id(node))

    def _nest(self, loop: LoopFacts, node: c_ast.For) -> Nest | None:
        assert loop.spans is not None
        whole, start, body = loop.spans.whole, loop.spans.header, loop.spans.body
        text = self.unit.source.text
        header, statement = self._header(node, start.of(text)), only_statement(node.stmt)
        if (
            header is None
            or is_short(node)
            or "#" in whole.of(text)
            or not isinstance(statement, c_ast.Assignment)
        ):
            return None
        before = self._before(statement, node, header)
        array = self._symbol(_root(statement.lvalue))
        if before is None or array is None:
            return None
        element = self._element(array, statement.lvalue)
        spans = self._places(array, statement, node.stmt, body)
        variable = fresh(array.name, self.unit)
        if element is None or spans is None:
            return None
        places = spans[id(statement.lvalue)], spans[id(before)]
        code = _written(body.of(text), statement.op, *places, variable)
        read = places[1].of(body.of(text))
        if code is None or not header.is_plain(before, read):
            return None
        declared = f"{element.text} {variable} = {header.first(read)};"
        kept = text[whole.start : body.start]
        left = "" if header.is_declared else f" else {header.iterator.name} = {header.lower};"
        block = f"{{ {declared} {kept}{code} }}"
        if not loop.nonempty:
            block = f"{{ if ({header.first(header.condition, compared=True)}) {block}{left} }}"
        return Nest(loop, {variable: on_one_line(read)}, Edit(whole, block))

    def _header(self, node: c_ast.For, text: str) -> Header | None:
        """The header, if its start and its condition may be evaluated once more before the loop."""
        match node.init:
            case c_ast.DeclList(decls=[c_ast.Decl(name=name, init=start) as target]) if start is not None:
                declared = True
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name) as target, rvalue=start):
                declared = False
            case _:
                return None
        parts, iterator = header_texts(text), self._symbol(target)
        if parts is None or iterator is None or not iterator.ctype.is_integer or not self._is_own(iterator):
            return None
        lower, condition = map(on_one_line, parts[:2])
        header = Header(iterator, declared, lower, condition)
        if not header.is_plain(node.cond, condition) or count(start, name):
            return None
        named = [n for part in (start, node.cond) for n in walk(part)]
        known = [self._symbol(n) for n in named if isinstance(n, c_ast.ID)]
        if not all(isinstance(n, _PLAIN) for n in named) or any(s is None or s.ctype.volatile for s in known):
            return None
        return header

    def _is_own(self, symbol: Symbol | None) -> bool:
        """Is it a variable that no assignment to an element of an array can change?"""
        if symbol is None or symbol.ctype.volatile or symbol.peculiar or symbol.address_taken:
            return False
        return not symbol.outlives_function or symbol.ctype.is_readonly

    def _before(self, statement: c_ast.Assignment, loop: c_ast.For, header: Header) -> c_ast.ArrayRef | None:
        """What the statement reads that the iteration before has assigned, if nothing else is done in it."""
        step, name = step_of(loop.next, header.iterator.name), header.iterator.name
        place = statement.lvalue
        root = _root(place)
        if step is None or not all(isinstance(n, _VALUES) for n in walk(statement.rvalue)):
            return None
        if any(isinstance(n, c_ast.FuncCall) and self._is_ours(n) for n in walk(statement.rvalue)):
            return None
        if any(isinstance(n, c_ast.UnaryOp) and n.op in _CHANGING for n in walk(statement.rvalue)):
            return None
        subscripts = [n for part in subscripted(place) for n in walk(part.subscript)]
        steady = [self._symbol(n) for n in subscripts if isinstance(n, c_ast.ID)]
        if not all(isinstance(n, _PLAIN) for n in subscripts) or not all(map(self._is_own, steady)):
            return None
        others = [n for n in _elements(statement.rvalue, root.name) if not same(n, place)]
        wanted = [form(part.subscript, {}).shifted({name: -step}) for part in subscripted(place)]
        if len(others) != 1 or None in wanted:
            return None
        found = [form(part.subscript, {}) for part in subscripted(others[0])]
        return others[0] if found == wanted and _is_carried(statement, others[0]) else None

    def _is_ours(self, call: c_ast.FuncCall) -> bool:
        name = getattr(call.name, "name", None)
        return not isinstance(name, str) or name in self.names.resolution.functions

    def _element(self, array: Symbol, place: Any) -> CType | None:
        """The type of what is assigned, if it is a number that a variable can hold in the same way."""
        ctype: CType | None = array.ctype
        if array.peculiar or array.ctype.volatile:
            return None
        for _ in subscripted(place):
            ctype = ctype.target if ctype is not None else None
        if ctype is None or ctype.kind not in self.kinds or ctype.volatile or ctype.unclear:
            return None
        return ctype

    def _places(
        self, array: Symbol, statement: c_ast.Assignment, body: Any, place: Span
    ) -> dict[int, Span] | None:
        """Where in the body's text elements of the array stand, by node; None where macros hide some."""
        source = self.unit.source
        spans = elements_in(place.of(source.text), array.name)
        there = [source.position(place.start + span.start) for span in spans]
        nodes = [*_elements(statement.lvalue, array.name), *_elements(statement.rvalue, array.name)]
        named = [n for n in variables(body) if n.name == array.name]
        at = [self.unit.position(_root(n).coord) for n in nodes]
        if at != there or len(named) != len(nodes):
            return None
        return {id(node): span for node, span in zip(nodes, spans, strict=True)}


def _written(body: str, operator: str, place: Span, before: Span, variable: str) -> str | None:
    """The body `place = ... before ...;`, which computes the value of `variable` first, then assigns it."""
    tokens = [token for token in code_in(body) if token.text not in ("{", "}")]
    at = next((k for k, token in enumerate(tokens) if token.start >= place.end), None)
    if tokens[0].start != place.start or at is None or tokens[at].text != operator:
        return None
    if tokens[-1].text != ";" or [token.text for token in tokens].count(";") != 1:
        return None
    start = tokens[at].end
    edit = Edit(Span(before.start - start, before.end - start), variable)
    value = apply_edits(body[start : tokens[-2].end], [edit]).strip()  # without a comment before the `;`
    element = place.of(body)
    more = f" {operator[:-1]} {element}" if operator != "=" else ""  # then, `value` is the variable
    return f"{{ {variable} = {value}{more}; {element} = {variable}; }}"


def _is_carried(statement: c_ast.Assignment, before: Any) -> bool:
    """Can the value be said as `s = ...` of the one before, `b[i] += e` too?"""
    return statement.op == "=" or (statement.op in _COMMUTING and statement.rvalue is before)


def _root(node: Any) -> Any:
    """The name of the array of which it is an element; something else if it is none."""
    for part in subscripted(node):
        node = part.name
    return node


def _elements(node: Any, name: str) -> list[c_ast.ArrayRef]:
    """The elements of an array that an expression names, in the order of the text."""
    found: list[c_ast.ArrayRef] = []
    inside: set[int] = set()
    for part in walk(node):
        if isinstance(part, c_ast.ArrayRef) and id(part) not in inside:
            inside |= {id(n) for n in subscripted(part)}
            if getattr(_root(part), "name", None) == name:
                found.append(part)
    return found
