"""Which memory does a piece of host code touch, of that which may have a place on a device?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast, c_generator

from species.loops.walk import Names
from species.source.syntax.tree import walk
from species.symbols.effect_table import Effect, Touched
from species.symbols.effects import arguments_of, touched_arguments
from species.symbols.static_types import type_of
from species.symbols.symbols import FRESH, Symbol
from species.symbols.types import BIT_FIELD, CType

# Effects of calls that come back, and touch nothing but what their arguments point to.
LOOKING = ("pure", "errno", "reading", "output")
_QUIET = (
    *("rand", "srand", "random", "srandom", "drand48", "lrand48", "mrand48", "srand48", "lgamma", "gamma"),
    *("clock", "gettimeofday", "clock_gettime", "omp_get_thread_num", "omp_get_num_threads"),
)  # of those with a state of their own, the ones that do the same
# What their arguments point to leads on to other memory.
_LEADING_ON = ("strtok_r", "strsep", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "vdprintf", "vsyslog")
# Threads and processes that may share memory hear of it at once.
_TELLING = (
    *("write", "pwrite", "writev", "send", "sendto", "sendmsg"),
    *("dprintf", "vdprintf", "perror", "psignal", "psiginfo"),
)
MOVING = ("++", "--", "p++", "p--")
_HARMLESS = (
    *(c_ast.Constant, c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.EmptyStatement),
    *(c_ast.IdentifierType, c_ast.Struct, c_ast.Union, c_ast.Enum, c_ast.StaticAssert),
)
_RECURSIVE = (
    *(
        c_ast.Compound,
        c_ast.If,
        c_ast.For,
        c_ast.While,
        c_ast.DoWhile,
        c_ast.Switch,
        c_ast.Case,
        c_ast.Default,
    ),
    *(c_ast.Label, c_ast.Return, c_ast.DeclList, c_ast.ExprList, c_ast.InitList, c_ast.BinaryOp, c_ast.Cast),
    c_ast.CompoundLiteral,
)
_PLAIN = (c_ast.ID, c_ast.Constant, c_ast.ArrayRef, c_ast.StructRef)
_COMPUTING = ("+", "-", "*")


@dataclass(frozen=True)
class Touch:
    """Memory that host code reads, or also writes: that of a variable; what a pointer points to that alone
    leads there (`through`); without a symbol, any.

    `ends`: what the pointer points to is freed.  `place`, if it is known, is the element that is touched, and
    `names` are the variables in its text.
    """

    symbol: Symbol | None
    writes: bool
    through: bool = False
    ends: bool = False
    place: str = ""
    names: frozenset[Symbol] = frozenset()

    @property
    def coarse(self) -> Touch:
        """The touch without its place."""
        return replace(self, place="", names=frozenset()) if self.place else self


# Stands for all pointers that are elements or members, among the variables that a place depends on.
POINTERS = Symbol("*", CType("pointer", "*"), "global")
ANYTHING = Touch(None, True)
ANY_READ = Touch(None, False)


class Touches:
    """Finds touches in the code of one file.

    `owns` tells the pointers that alone lead to their memory, `is_open` the functions of the file that look
    after themselves, and `shares` the types of scalars that pointers of kernels may reach.  `is_heard`: other
    threads may wait for what the file prints.
    """

    def __init__(
        self,
        names: Names,
        owns: Callable[[Symbol], bool],
        is_open: Callable[[str], bool],
        shares: Callable[[CType], bool],
        *,
        is_heard: bool,
    ) -> None:
        self._names, self._generator = names, c_generator.CGenerator()
        self._symbols, self._types, self._effects = names.resolution.symbols, names.types, names.effects
        self._constants = names.types.constants
        self._owns, self._is_open, self._shares, self._is_heard = owns, is_open, shares, is_heard

    def of(self, node: Any, writes: bool = False) -> Iterator[Touch]:
        """The touches of an expression or a statement; of an lvalue that is written with `writes`."""
        match node:
            case None:
                return
            case c_ast.ID():
                yield from self._name(node, writes)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                yield from self._access(node, writes)
            case c_ast.UnaryOp(op="sizeof") | c_ast.Typename() | c_ast.Typedef():
                yield from self._lengths(node)
            case c_ast.UnaryOp(op="&"):
                yield from self._operands(node.expr)
            case c_ast.UnaryOp():
                yield from self.of(node.expr, node.op in MOVING)
            case c_ast.Assignment():
                yield from self.of(node.lvalue, writes=True)
                yield from self.of(node.rvalue)
            case c_ast.FuncCall():
                yield from self._call(node)
            case c_ast.Decl():
                yield from self._declaration(node)
            case c_ast.NamedInitializer():
                yield from self.of(node.expr)
            case c_ast.BinaryOp(op="&&" | "||"):
                yield from self.of(node.left)
                yield from self._perhaps(node.right)
            case c_ast.TernaryOp():
                yield from self.of(node.cond)
                yield from self._perhaps(node.iftrue)
                yield from self._perhaps(node.iffalse)
            case _ if isinstance(node, _RECURSIVE):
                for child in node:
                    yield from self.of(child)
            case _ if not isinstance(node, _HARMLESS):
                yield ANYTHING

    def _perhaps(self, node: Any) -> Iterator[Touch]:
        """Of what may not be evaluated: places there may have no meaning, `p && p[k]`."""
        return (touch.coarse for touch in self.of(node))

    def _declaration(self, node: c_ast.Decl) -> Iterator[Touch]:
        if self._symbols.get(id(node)) is not None and self._is_strange(self._symbols[id(node)]):
            yield ANYTHING
        yield from self._lengths(node.type)
        yield from self.of(node.init)

    def _lengths(self, node: Any) -> Iterator[Touch]:
        """Of the lengths of arrays in types."""
        for part in walk(node):
            if isinstance(part, c_ast.ArrayDecl):
                yield from self.of(part.dim)

    def _is_strange(self, symbol: Symbol) -> bool:
        ctype = symbol.ctype
        return bool(symbol.peculiar) or ctype.volatile or ctype.element.volatile or ctype.kind == "unknown"

    def _name(self, node: c_ast.ID, writes: bool) -> Iterator[Touch]:
        symbol = self._symbols.get(id(node))
        if symbol is None:
            if node.name not in self._constants:
                yield ANYTHING
        elif symbol.ctype.kind == "function" or symbol.storage == "function" or has_no_address(symbol):
            return
        elif self._is_strange(symbol):
            yield ANYTHING
        elif symbol.is_scalar:
            known = symbol.storage != "global" and not symbol.address_taken
            if not known and self._shares(symbol.ctype):
                yield Touch(symbol, writes)
        elif symbol.ctype.kind != "array":
            yield Touch(symbol, writes)  # a whole structure

    def _operands(self, node: Any) -> Iterator[Touch]:
        """What is touched to find out where an lvalue is."""
        match node:
            case c_ast.ID():
                return
            case c_ast.ArrayRef():
                yield from self.of(node.subscript)
                yield from self._place(node.name)
            case c_ast.StructRef(type="."):
                yield from self._operands(node.name)
            case c_ast.StructRef():
                yield from self.of(node.name)
            case c_ast.UnaryOp(op="*"):
                yield from self.of(node.expr)
            case _:
                yield from self.of(node)

    def _place(self, base: Any) -> Iterator[Touch]:
        """What is touched to find an array or a pointer; an array is found without a look at it."""
        inside = isinstance(base, c_ast.ArrayRef | c_ast.StructRef) and self._type(base).kind == "array"
        yield from self._operands(base) if inside else self.of(base)

    def _access(self, node: Any, writes: bool) -> Iterator[Touch]:
        operands = list(self._operands(node))
        yield from operands
        if self._type(node).kind == "array" and not writes:
            return  # the address of a row, and no value
        if self._type(node).volatile:
            yield ANYTHING
            return
        if not writes and self._is_kept(node):
            return
        base = base_of(self._names, node)
        if base is None or not has_no_address(base) or base.ctype.kind not in ("struct", "union", "array"):
            touch = self.through(base, writes)
            yield touch if operands else self._at(touch, node)

    def _is_kept(self, node: Any) -> bool:
        """Is it a pointer, which no kernel changes?"""
        if self._type(node).kind != "pointer" or self._shares(self._type(node)):
            return False
        wholes = (self._type(part.name) for part in walk(node) if isinstance(part, c_ast.StructRef))
        return not any("union" in (whole.kind, whole.target and whole.target.kind) for whole in wholes)

    def _at(self, touch: Touch, node: Any) -> Touch:
        """The touch with its place, if that can be told before the statement: nothing is read to find it."""
        if self._type(node).text == BIT_FIELD:
            return touch  # it has no address
        if not all(map(_is_plain, walk(node))) or self._type(node).kind not in ("int", "float", "pointer"):
            return touch
        members = {id(part.field) for part in walk(node) if isinstance(part, c_ast.StructRef)}
        listed = [part for part in walk(node) if isinstance(part, c_ast.ID) and id(part) not in members]
        names = {self._symbols.get(id(part)) for part in listed}
        if any(symbol is None or self._is_strange(symbol) for symbol in names):
            return touch
        found = frozenset(s for s in names if s is not None)
        if any(self._is_loaded(part) for part in walk(node)):
            found |= {POINTERS}
        return replace(touch, place=self._generator.visit(node), names=found)

    def _is_loaded(self, node: Any) -> bool:
        """Is it reached by a pointer that is an element or a member itself?"""
        inner = None
        if isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.StructRef) and node.type == "->"):
            inner = node.name
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            inner = node.expr
        return inner is not None and not isinstance(inner, c_ast.ID) and self._type(inner).kind == "pointer"

    def through(self, symbol: Symbol | None, writes: bool) -> Touch:
        """The touch of what a variable is, or points to."""
        if symbol is None:
            return Touch(None, writes)
        if self._is_strange(symbol):
            return ANYTHING
        if symbol.ctype.kind in ("struct", "union") or is_array(symbol):
            return Touch(symbol, writes)
        return Touch(symbol, writes, through=True) if self._owns(symbol) else Touch(None, writes)

    def _type(self, node: Any) -> CType:
        return type_of(node, self._symbols, self._types)

    # Calls

    def _call(self, node: c_ast.FuncCall) -> Iterator[Touch]:
        arguments = arguments_of(node)
        inner = self._effects.summaries.called(node)
        if inner is not None and self._is_open(inner):
            for argument in arguments:
                yield from self.of(argument)
            return
        name, effect = getattr(node.name, "name", ""), self._effects.of(node)
        if effect.kind == "allocation" and name in (*FRESH, "free"):
            yield from self._frees(arguments[0]) if name == "free" and arguments else self._values(arguments)
        elif not self._is_known(name, effect):
            yield ANYTHING
        else:
            if effect.kind == "reading":
                yield ANY_READ
            for k, argument in enumerate(arguments):
                yield from self._argument(argument, _is_written(effect, k, len(arguments)))

    def _is_known(self, name: str, effect: Effect) -> bool:
        """Does a call touch nothing but what its arguments point to?"""
        kind = effect.kind in LOOKING or name in _QUIET
        if self._is_heard and effect.kind == "output":
            return False
        return kind and effect.calls is None and name not in (*_LEADING_ON, *_TELLING)

    def _values(self, arguments: list[Any]) -> Iterator[Touch]:
        for argument in arguments:
            yield from self.of(argument)

    def _frees(self, argument: Any) -> Iterator[Touch]:
        yield from self.of(argument)
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        symbol = self._symbols.get(id(argument))
        known = isinstance(argument, c_ast.ID) and symbol is not None and self._owns(symbol)
        yield Touch(symbol, True, through=True, ends=True) if known else ANYTHING

    def _argument(self, node: Any, writes: bool) -> Iterator[Touch]:
        """What an argument is made of, and what it points to."""
        yield from self.of(node)
        points = False
        while isinstance(node, c_ast.Cast):
            points |= self._types.resolve(node.to_type).kind == "pointer"
            node = node.expr
        if isinstance(node, c_ast.Constant) or (self._is_value(node) and not points):
            return
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            symbol = base_of(self._names, node.expr)
            whole = isinstance(node.expr, c_ast.ID) and symbol is not None
            yield Touch(symbol, writes) if whole else self.through(symbol, writes)
        elif isinstance(node, c_ast.ID) or self._type(node).kind == "array":
            yield self.through(base_of(self._names, node), writes)
        else:
            yield Touch(None, writes)

    def _is_value(self, node: Any) -> bool:
        """Is it surely no pointer?"""
        match node:
            case c_ast.BinaryOp() if node.op not in ("+", "-"):
                return True
            case c_ast.BinaryOp():
                return self._is_value(node.left) and self._is_value(node.right)
            case c_ast.UnaryOp(op="sizeof" | "!" | "~" | "-" | "+"):
                return True
            case c_ast.Constant():
                return bool(node.type != "string")
            case c_ast.TernaryOp():
                return self._is_value(node.iftrue) and self._is_value(node.iffalse)
            case c_ast.FuncCall():
                return gives_number(self._names, node)
        return self._type(node).kind in ("int", "float")


def _is_plain(node: Any) -> bool:
    """Is it a part of an expression that can be computed at any time?"""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("/", "%"):
        return isinstance(node.right, c_ast.Constant) and node.right.value.strip("0") != ""
    return isinstance(node, _PLAIN) or getattr(node, "op", None) in _COMPUTING


def has_no_address(symbol: Symbol) -> bool:
    return "register" in (getattr(symbol.node, "storage", None) or ())


def is_array(symbol: Symbol | None) -> bool:
    return symbol is not None and symbol.ctype.kind == "array" and symbol.storage != "parameter"


def _is_written(effect: Effect, position: int, count: int) -> bool:
    def meant(touched: Touched) -> bool:
        return position in touched_arguments(touched, count)

    return any(map(meant, effect.writes))


def base_of(names: Names, node: Any) -> Symbol | None:
    """The variable that an lvalue is a part of, or the pointer that leads to it, if that is a variable."""
    symbols = names.resolution.symbols
    match node:
        case c_ast.ID():
            return symbols.get(id(node))
        case c_ast.StructRef(type="."):
            return base_of(names, node.name)
        case c_ast.ArrayRef() | c_ast.StructRef():
            inner = node.name
        case c_ast.UnaryOp(op="*"):
            inner = node.expr
        case _:
            return None
    within = isinstance(inner, c_ast.ID) or type_of(inner, symbols, names.types).kind == "array"
    return base_of(names, inner) if within else None


def gives_number(names: Names, call: c_ast.FuncCall) -> bool:
    """Is the result surely no pointer?"""
    symbol = names.resolution.symbols.get(id(call.name))
    declared = getattr(getattr(symbol, "node", None), "type", None)
    return isinstance(declared, c_ast.FuncDecl) and names.types.resolve(declared.type).kind in (
        "int",
        "float",
    )
