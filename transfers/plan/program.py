"""The functions of a file as their data sees them: which of them launch kernels, and who may leave data on
the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.facts.loops import UnitFacts
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import CType
from transfers.plan.accesses import Touches, has_no_address
from transfers.plan.commuted import put_right
from transfers.plan.functions import LOOPS, Function, all_statements, statements
from transfers.plan.obstacles import Obstacles
from transfers.plan.owners import Owners
from transfers.plan.pragmas import Pragmas

_LABELS = (c_ast.Label, c_ast.Case, c_ast.Default)
_STATEMENTS = (*LOOPS, *_LABELS, c_ast.If, c_ast.Switch, c_ast.Compound, c_ast.Return)
_READING = (c_ast.ArrayRef, c_ast.StructRef, c_ast.UnaryOp, c_ast.FuncCall)
_STARTING = frozenset(("pthread_create", "thrd_create", "vfork", "clone"))


class HostProgram:
    """What a plan must know of a file.

    A function that `leaves` data on the device gives it back only where its callers touch it; all other
    functions give back what they have on the device before they return.
    """

    def __init__(
        self, unit: TranslationUnit, facts: UnitFacts, names: Names, *, strict_aliasing: bool, watched: bool
    ) -> None:
        put_right(names, unit.ast)
        self.unit, self.names, self.watched = unit, names, watched
        self.macros = unit.macros.names
        self.pragmas = Pragmas(unit.source.text, self.macros)
        self._pointed = _pointed_types(facts, strict_aliasing)
        nodes = [n for n in unit.ast.ext if isinstance(n, c_ast.FuncDef)]
        self.functions = {n.decl.name: self._function(n) for n in nodes if self._is_own(n)}
        self._note_kernels(facts)
        self.taken = _named_elsewhere(unit, names)
        for function in self.functions.values():
            static = "static" in (function.node.decl.storage or [])
            called = not (static or self.is_whole) or function.name == "main"
            function.is_entry = called or function.name in self.taken
        entries = frozenset(name for name in names.resolution.functions if self._is_entry(name))
        self.owners = Owners(names, unit.ast, entries)
        heard = bool(_STARTING & _used(unit))
        owns = self.owners.__contains__
        self.touches = Touches(names, owns, self._is_open, self.shares, is_heard=heard)
        self._releasing: set[str] = set()
        self._active: frozenset[str] = frozenset()
        self._settle()
        self.visited = self._visited()

    def symbol(self, node: Any) -> Symbol | None:
        """What a declaration declares, or a name means."""
        return self.names.resolution.symbols.get(id(node))

    def span(self, node: Any) -> Span | None:
        """Where a statement stands in the file, if text can be put in front of it."""
        if node.coord is None or self.unit.position(node.coord).file != self.unit.source.path:
            return None
        if isinstance(node, c_ast.Decl) and any(map(_defines_type, walk(node.type))):
            return None
        found = self.unit.statement_span(node)
        inside = () if isinstance(node, _STATEMENTS) else walk(node)
        blocks = (self.unit.statement_span(part) for part in inside if isinstance(part, c_ast.Compound))
        if found is not None and not all(block is None or found.holds(block) for block in blocks):
            return None  # it begins with a block, and its place is one in there
        if found is not None and isinstance(node, LOOPS) and self.unit.is_hinted(node):
            place = self.pragmas.place(found.start)
            return found if place.is_certain and place.start < found.start else None
        return found

    def _is_open(self, name: str) -> bool:
        """Does the function itself ask for what it touches?"""
        return name in self.functions and not self.functions[name].is_closed

    def _is_entry(self, name: str) -> bool:
        return name not in self.functions or self.functions[name].is_entry

    def _is_own(self, node: c_ast.FuncDef) -> bool:
        """Can text be put into the function, and does every call execute it?"""
        inline = "inline" in (node.decl.funcspec or []) and "static" not in (node.decl.storage or [])
        if inline:
            return False  # a call may execute the definition of another file (C11 6.7.4p7)
        if any(isinstance(n, _READING) for n in walk(node.decl) if not isinstance(n, c_ast.Decl)):
            return False  # a length of a parameter's type may read memory before the body begins
        in_file = self.unit.position(node.decl.coord).file == self.unit.source.path
        body = self.span(node.body) if in_file else None
        text = body.of(self.unit.source.text) if body is not None else ""
        return text.startswith("{") and text.endswith("}")  # and no macro makes them

    def _function(self, node: c_ast.FuncDef) -> Function:
        function = Function(node.decl.name, node)
        calls = (part for part in walk(node.body) if isinstance(part, c_ast.FuncCall))
        function.calls += (call for call in calls if self.called(call) is not None)
        for part in all_statements(node.body):
            function.statements.add(id(part))
            items = statements(part)
            spans = [self.span(i) if isinstance(i, c_ast.Decl) else None for i in items]
            for item, span in zip(items, spans, strict=True):
                if span is None or spans.count(span) == 1:  # a declaration of its own
                    function.simple.update(self._only_call(item))
        return function

    def _only_call(self, item: Any) -> Iterator[int]:
        """The id of the call that is a statement, or whose result goes into a variable of the host alone."""
        match item:
            case c_ast.FuncCall():
                yield id(item)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.FuncCall()):
                target, call = item.lvalue, item.rvalue
            case c_ast.Decl(init=c_ast.FuncCall()):
                target, call = item, item.init
            case _:
                return
        if not isinstance(item, c_ast.FuncCall):
            symbol = self.symbol(target)
            if (
                symbol is not None
                and symbol.is_scalar
                and not symbol.address_taken
                and symbol.storage != "global"
            ):
                yield id(call)

    def called(self, node: c_ast.FuncCall) -> str | None:
        return self.names.effects.summaries.called(node)

    def _note_kernels(self, facts: UnitFacts) -> None:
        by_place = {loop.position: loop for loop in facts.loops if loop.kernel or loop.scheme}
        for function in self.functions.values():
            for node in walk(function.node.body):
                found = by_place.get(self.unit.loop_position(node)) if isinstance(node, LOOPS) else None
                if found is not None:
                    function.kernels[id(node)] = found

    @cached_property
    def reachable(self) -> frozenset[Symbol]:
        """The scalars that pointers may lead to."""
        symbols = {s for s in self.names.resolution.symbols.values() if s.is_scalar}
        return frozenset(s for s in symbols if s.address_taken or s.storage == "global")

    @cached_property
    def exposed(self) -> frozenset[str]:
        """The names of scalars that pointers of kernels may reach."""
        return frozenset(s.name for s in self.reachable if self.shares(s.ctype))

    @cached_property
    def has_flexible(self) -> bool:
        """Is there a structure whose last member has no length?  (`sizeof` leaves it out.)"""
        structs = (n for n in self.unit.all_of(c_ast.Struct) if n.decls)
        members = (s.decls[-1] for s in structs if self.unit.is_user_file(self.unit.position(s.coord).file))
        return any(isinstance(m.type, c_ast.ArrayDecl) and m.type.dim is None for m in members)

    @cached_property
    def incomplete(self) -> frozenset[str]:
        """The names of arrays that are declared without a length somewhere."""
        decls = (n for n in self.unit.all_of(c_ast.Decl) if n.init is None)
        return frozenset(d.name for d in decls if isinstance(d.type, c_ast.ArrayDecl) and d.type.dim is None)

    def shares(self, ctype: CType) -> bool:
        """May a pointer of a kernel lead to a scalar of this type?"""
        return bool(self._pointed) and ("?" in self._pointed or _kind(ctype) in (*self._pointed, "?"))

    # Who leaves what behind

    def leaves(self, name: str | None) -> bool:
        """May data of kernels stay on the device when the function returns?"""
        return name in self._active and not self._gives_back(str(name))

    def _gives_back(self, name: str) -> bool:
        return self.functions[name].is_entry or name in self._releasing

    def _find_active(self) -> frozenset[str]:
        """The functions in which there may be data on the device, of their own kernels or of functions that
        they call.
        """
        found = {f.name for f in self.functions.values() if f.kernels and not f.is_closed}
        before = 0
        while before != len(found):
            before = len(found)
            leaving = {name for name in found if not self._gives_back(name)}
            callers = (f for f in self.functions.values() if not f.is_closed)
            found |= {f.name for f in callers if any(self.called(call) in leaving for call in f.calls)}
        return frozenset(found)

    def has_launch(self, node: Any) -> bool:
        """May code leave data on the device?"""
        return any(self._is_launch(part) for part in walk(node))

    def _is_launch(self, node: Any) -> bool:
        if isinstance(node, c_ast.FuncCall):
            return self.leaves(self.called(node))
        return isinstance(node, LOOPS) and any(id(node) in f.kernels for f in self.functions.values())

    def _settle(self) -> None:
        """Finds the functions that must keep to themselves, until all others go together."""
        obstacles = Obstacles(self)
        before: tuple[int, int] | None = None
        while before != (state := (len(self._releasing), sum(f.is_closed for f in self.functions.values()))):
            before = state
            self._releasing |= self._called_elsewhere
            self._active = self._find_active()
            for function in map(self.functions.__getitem__, sorted(self._active)):
                function.why = obstacles.of(function)
            for function in self.functions.values():
                for call in function.calls:
                    if function.is_closed or id(call) not in function.simple:
                        self._releasing.add(str(self.called(call)))

    @cached_property
    def _called_elsewhere(self) -> frozenset[str]:
        """The functions that code calls into which nothing can be put."""
        others = (
            n for n in self.unit.ast.ext if isinstance(n, c_ast.FuncDef) and n.decl.name not in self.functions
        )
        calls = (part for n in others for part in walk(n) if isinstance(part, c_ast.FuncCall))
        return frozenset(name for call in calls if (name := self.called(call)) is not None)

    def is_reachable(self, symbol: Symbol) -> bool:
        """May a kernel reach the variable itself?"""
        if symbol.ctype.kind == "function" or symbol.storage == "function" or has_no_address(symbol):
            return False
        return not symbol.is_scalar or (symbol.address_taken and self.shares(symbol.ctype))

    @cached_property
    def is_whole(self) -> bool:
        """Is the file a whole program: does it name nothing but what it defines, and what system headers
        declare?
        """
        resolution = self.names.resolution
        if "main" not in self.functions:
            return False
        outside = (
            s
            for s in resolution.symbols.values()
            if s.storage in ("global", "static")
            and self.unit.is_user_file(self.unit.position(s.node.coord).file)
        )
        return all(self._is_defined(s) for s in outside) and not self.names.resolution.undeclared

    def _is_defined(self, symbol: Symbol) -> bool:
        if symbol.ctype.kind == "function":
            return symbol.name in self.names.resolution.functions
        return "extern" not in (symbol.node.storage or [])

    def _visited(self) -> frozenset[str]:
        """The functions that may be called while there is data on the device."""
        found: set[str] = set()
        open_ = [self.functions[name] for name in self._active]
        while open_:
            for call in open_.pop().calls:
                name = self.called(call)
                if name in self.functions and name not in found:
                    found.add(str(name))
                    open_.append(self.functions[str(name)])
        return frozenset(found)


def _defines_type(node: Any) -> bool:
    """Does a declaration define a structure or an enumeration, too?"""
    return isinstance(node, c_ast.Struct | c_ast.Union | c_ast.Enum) and bool(
        node.values if isinstance(node, c_ast.Enum) else node.decls
    )


def _used(unit: TranslationUnit) -> set[str]:
    return {str(node.name) for node in unit.all_of(c_ast.ID)}


def _named_elsewhere(unit: TranslationUnit, names: Names) -> set[str]:
    """Functions whose names are used for more than a call."""
    called = {id(node.name) for node in unit.all_of(c_ast.FuncCall)}
    found = (n for n in unit.all_of(c_ast.ID) if id(n) not in called)
    symbols = (names.resolution.symbols.get(id(n)) for n in found)
    return {s.name for s in symbols if s is not None and s.ctype.kind == "function"}


def _pointed_types(facts: UnitFacts, strict: bool) -> frozenset[str]:
    """Kinds of what pointers of kernels point to; a question mark for what may be anything."""
    kernels = [k for loop in facts.loops for k in (loop.kernel, loop.scheme) if k is not None]
    arrays = [array for kernel in kernels for array in kernel.arrays if array.pointer or array.is_rows]
    elements = {array.element for array in arrays if not array.holds_pointers}  # no device has those
    return frozenset(_kind_of_text(text) if strict else "?" for text in elements)


def _kind_of_text(element: str) -> str:
    words = set(element.split()) - {"const", "signed", "unsigned"}
    if words in ({"double"}, {"float"}):
        return words.pop()
    return "int" if words <= {"int", "long", "short"} else "?"


def _kind(ctype: CType) -> str:
    if ctype.may_alias or ctype.kind == "unknown":
        return "?"
    if ctype.kind == "float":
        return {64: "double", 32: "float"}.get(ctype.bits, "long double")
    return ctype.kind
