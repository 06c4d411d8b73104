"""What calls do besides returning a value: by the file's own functions, by tables, by attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.comparators import stays_in_elements
from species.symbols.effect_table import ELEMENTS, PURE, READING, UNKNOWN, Effect, Touched, library
from species.symbols.element_sizes import ElementSize, element_size, works_on_elements
from species.symbols.element_uses import Parameter, Use, is_same_element
from species.symbols.elements import Elements
from species.symbols.failures import Failures
from species.symbols.static_types import type_of
from species.symbols.summaries import ANYTHING, ARGUMENTS, Summaries, is_pointer
from species.symbols.summaries import PURE as NO_MEMORY
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import CType, TypeTable

_COUNTS = re.compile(r"%[^a-zA-Z%]*[hljztLq]*n|\\[x0-7uU]")  # or written in another way
_CALM = ("pure", "reading", "allocation")
_RETURNING = ("pure", "errno", "reading", ELEMENTS, "state", "allocation")
_OWN = {
    NO_MEMORY: PURE,
    ARGUMENTS: Effect("", "pure", reads=(Touched(1, "any", rest=True),)),
    ANYTHING: UNKNOWN,
}


@dataclass(frozen=True)
class Origins:
    """Which functions the names of a file mean.

    A call of one of `hidden` executes nobody knows what; `in_header` says of a declaration that it is the
    system's.
    """

    hidden: frozenset[str] = frozenset()
    in_header: Callable[[Any], bool] = lambda _: True


ALL_KNOWN = Origins()  # every name means what it seems to mean


class Effects:
    """The effects of the calls of one file.

    A function that the file defines is known by its body; else the user's `table` decides, then the
    attributes that the file's prototypes `promise` ("pure", "const" or "weak"), then the library's table,
    where `origins` do not say that the name means another function.
    """

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        table: Iterable[Effect] = (),
        promises: Mapping[str, str] | None = None,
        origins: Origins = ALL_KNOWN,
        *,
        error_order: bool = True,
    ) -> None:
        self._resolution, self._types = resolution, types
        self._table = {effect.name: effect for effect in table}
        self._promises, self._origins = promises or {}, origins
        weak = frozenset(name for name, promise in self._promises.items() if promise == "weak")
        self.points_to: Any = None  # the points-to analysis of the file (`species.pointsto.PointsTo`)
        self._quiet: dict[int, tuple[Any, Effect]] = {}  # by call (which stays as long)
        self._failures = Failures(
            resolution.functions,
            lambda call: self.summaries.called(call),
            self._by_name,
            lambda name: self.summaries.handed_back(name) if name in resolution.called else None,
            lambda variable: types.plain_members(types.resolve(variable.type)),
            error_order=error_order,
        )
        self.summaries = Summaries(
            resolution,
            types,
            external=self.of,
            fails=self._failures.holds,
            by_pointer=self._led_to,
            replaceable=weak | origins.hidden,
        )

        self.elements = Elements(resolution, types, self.summaries, self._led_to)

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The values of the file's enumerators."""
        return self._types.certain_constants()

    def of(self, node: c_ast.FuncCall) -> Effect:
        """The effect of a call: unknown where the name means a pointer to a function."""
        return PURE if self._failures.holds(self._resolution.original(node)) else self._of(node)

    def _of(self, node: c_ast.FuncCall) -> Effect:
        if not isinstance(node.name, c_ast.ID):
            return self._by_pointer(node)
        symbol, name = self._resolution.symbols.get(id(node.name)), node.name.name
        if is_pointer(symbol):
            return self._by_pointer(node)
        if self.summaries.called(node) is not None:
            own = _OWN.get(self.summaries.level(name), READING)
            return self._promised(name) or self._looked_at(node, [name]) if own is UNKNOWN else own
        return _as_formatted(self._foreign(name, symbol), node)

    def _by_name(self, node: c_ast.FuncCall) -> Effect:
        """The effect of a call that names a function of the library, or of another file."""
        symbol = self._resolution.symbols.get(id(node.name))
        named = isinstance(node.name, c_ast.ID) and not is_pointer(symbol)
        return self._foreign(node.name.name, symbol) if named else UNKNOWN

    def _by_pointer(self, node: c_ast.FuncCall) -> Effect:
        """The effect of a call by a pointer, where it is known which functions that may be."""
        names = self._led_to(node)
        return self._looked_at(node, names) if names else UNKNOWN

    def _led_to(self, node: c_ast.FuncCall) -> list[str] | None:
        """The functions of the file that a call by a pointer may lead to; None where others may be."""
        if isinstance(node.name, c_ast.ID) and not is_pointer(self._resolution.symbols.get(id(node.name))):
            return None
        return self.points_to.called(node) if self.points_to is not None else None

    def candidates(self, node: c_ast.FuncCall) -> list[str]:
        """The functions of the file that a call may execute, where these do no more than use memory; none
        where others may be.
        """
        own = self.summaries.called(node)
        names = [own] if own is not None else self._led_to(node) or []
        return names if all(map(self._is_harmless, names)) else []

    def _looked_at(self, node: c_ast.FuncCall, names: Sequence[str]) -> Effect:
        """The effect of a call of functions that write memory: do they write none but their own?"""
        if id(node) not in self._quiet:
            self._quiet[id(node)] = node, UNKNOWN  # the answer for a function that calls itself by a pointer
            harmless = self.points_to is not None and all(map(self._is_calm, names))
            if harmless and not all(map(self._is_harmless, names)):
                harmless = self.points_to.frees_no_other(node)
            if harmless and self.points_to.writes_nothing(node):
                self._quiet[id(node)] = node, READING
            elif harmless and self.points_to.writes_elements(node):
                self._quiet[id(node)] = node, self._on_elements(node, names)
        return self._quiet[id(node)][1]

    def _on_elements(self, node: c_ast.FuncCall, names: Sequence[str]) -> Effect:
        """The effect of functions that write nothing but elements which they are given."""
        reads, writes = list[Touched](), list[Touched]()
        for position, argument in enumerate(arguments_of(node)):
            for use, ctype in self._uses(names, position):
                if not is_same_element(type_of(argument, self._resolution.symbols, self._types), ctype):
                    return UNKNOWN
                touched = Touched(position + 1, "element", certain=False, count=use.count)
                reads += [touched] if use.read else []
                writes += [touched] if use.written else []
        return Effect("", ELEMENTS, None, tuple(reads), tuple(writes))

    def _uses(self, names: Iterable[str], position: int) -> Iterator[tuple[Use, CType]]:
        """What functions do with an element that an argument points to."""
        for name in names:
            parameter = Parameter(name, position)
            use, symbol = self.elements.of(parameter), self.elements.uses.symbol(parameter)
            if use is not None and symbol is not None:
                yield use, symbol.ctype

    def _is_calm(self, name: str) -> bool:
        """The same, if it may allocate memory and free it, too."""
        return self.summaries.knows(name) and self.summaries.culprit(name, _CALM) is None

    def _is_harmless(self, name: str) -> bool:
        """Is it a function of the file, that does no more than to read and to write memory?"""
        return self.summaries.knows(name) and self.summaries.culprit(name) is None

    def of_call(self, node: c_ast.FuncCall) -> str:
        """The effect in one word; pure only where no memory is touched."""
        effect = self.of(node)
        return "memory" if effect.kind == "pure" and not effect.is_plain else effect.kind

    def may_not_return(self, node: Any) -> bool:
        """Is there a call in the code that may end the program, jump away, or wait for ever?"""
        calls = [n for n in walk(node) if isinstance(n, c_ast.FuncCall)]
        calls = [n for n in calls if not self._failures.holds(self._resolution.original(n))]
        names = {name for name in map(self.summaries.called, calls) if name is not None}
        inner = {n for name in names for n in self.summaries.reach(name)}
        calls += [call for name in inner for call in self.summaries.calls(name)]
        others = (call for call in calls if self.summaries.called(call) is None)
        return any(not self._returns(call) for call in others)

    def stays_in_elements(self, name: str, effect: Effect, node: c_ast.FuncCall) -> bool:
        """Does a function, that a call gives pointers to two elements, look at these elements only?"""
        if name not in self._resolution.functions:
            return False
        functions = self.summaries.reach(name)
        size = ElementSize(element_size(effect, arguments_of(node)), self._resolution, self._types)
        fits = size.fits if works_on_elements(effect) else lambda _: True
        if not all(stays_in_elements(self._resolution, self._types, inner, fits) for inner in functions):
            return False
        calls = (call for inner in functions for call in self.summaries.calls(inner))
        return all(self.summaries.called(call) is not None or self.of(call).is_plain for call in calls)

    def _returns(self, node: c_ast.FuncCall) -> bool:
        effect = self.of(node)
        return effect.kind in _RETURNING and is_tame(effect, node, self)

    def _foreign(self, name: str, symbol: Symbol | None) -> Effect:
        if symbol is not None and symbol.storage == "static":
            return UNKNOWN  # its body was not understood
        listed = self._table.get(name)
        if listed is not None and self._agrees(listed, symbol):
            return listed
        promised = self._promised(name)
        if promised is not None:
            return promised
        listed = library().get(name)
        meant = listed is not None and self._is_librarys(listed, symbol) and self._agrees(listed, symbol)
        return listed if listed is not None and meant else UNKNOWN

    def _is_librarys(self, effect: Effect, symbol: Symbol | None) -> bool:
        """Does the name mean the library's function, and no other one of the user's?"""
        if effect.name in self._origins.hidden:
            return False
        return not effect.free or (symbol is not None and self._origins.in_header(symbol.node))

    def _promised(self, name: str) -> Effect | None:
        return {"const": PURE, "pure": READING}.get(self._promises.get(name, ""))

    def _agrees(self, effect: Effect, symbol: Symbol | None) -> bool:
        """Is the function declared with the type that the table speaks of?"""
        if symbol is None or effect.signature is None:
            return True
        declarator = getattr(symbol.node, "type", None)
        if not isinstance(declarator, c_ast.FuncDecl):
            return False
        result, *expected = effect.signature
        if not _fits(result, self._types.resolve(declarator.type)):
            return False
        if declarator.args is None:
            return True  # an old prototype, without parameters
        given = [p for p in declarator.args.params if not self._is_void(p)]
        return _all_fit(expected, [self._kind(p) for p in given])

    def _is_void(self, node: Any) -> bool:
        return isinstance(node, c_ast.Typename) and self._types.resolve(node).kind == "void"

    def _kind(self, node: Any) -> CType | None:
        return None if isinstance(node, c_ast.EllipsisParam) else self._types.resolve(node.type)


def _all_fit(expected: list[str], given: list[CType | None]) -> bool:
    if expected and expected[-1] == "...":
        given = given[: len(expected) - 1]
        expected = expected[:-1]
    if len(expected) != len(given):
        return False
    return all(g is not None and _fits(e, g) for e, g in zip(expected, given, strict=True))


def _fits(word: str, ctype: CType) -> bool:
    match word:
        case "any":
            return True
        case "int" | "long" | "size":
            return ctype.is_integer
        case "double" | "float":
            return ctype.kind == "float" and ctype.bits == (64 if word == "double" else 32)
        case "pointer":
            return ctype.kind in ("pointer", "array", "function")
    return ctype.kind == word


def is_tame(effect: Effect, node: c_ast.FuncCall, effects: Effects) -> bool:
    """Does the function that the callee calls, if any, look at nothing but its arguments?"""
    if effect.calls is None:
        return True
    listed = arguments_of(node)
    given: Any = listed[effect.calls - 1] if effect.calls <= len(listed) else None
    while isinstance(given, c_ast.Cast) or getattr(given, "op", None) == "&":
        given = given.expr
    if not isinstance(given, c_ast.ID):
        return False
    inner = effects.of(c_ast.FuncCall(given, None))
    harmless = inner.kind == "pure" and not inner.writes and inner.calls is None
    return harmless and (not inner.reads or effects.stays_in_elements(given.name, effect, node))


def _as_formatted(effect: Effect, node: c_ast.FuncCall) -> Effect:
    """The effect of a call with this format."""
    listed = arguments_of(node)
    if effect.format is None or effect.format > len(listed) or _may_count(listed[effect.format - 1]):
        return effect
    return replace(effect, writes=tuple(t for t in effect.writes if t.argument <= effect.format))


def _may_count(given: Any) -> bool:
    """May the format have a `%n`, which stores how much was printed?"""
    if not isinstance(given, c_ast.Constant) or given.type != "string":
        return True
    return _COUNTS.search(given.value.replace("%%", "")) is not None


def touched_arguments(touched: Touched, count: int) -> range:
    """The arguments, counted from 0, of a call with `count` of them."""
    first = touched.argument - 1
    return range(first, count if touched.rest else min(first + 1, count))


def points_nowhere(node: Any) -> bool:
    """A null pointer, or text that cannot be changed."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return isinstance(node, c_ast.Constant) and (node.type == "string" or node.value == "0")


def arguments_of(node: c_ast.FuncCall) -> list[Any]:
    return node.args.exprs if node.args else []
