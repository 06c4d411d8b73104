"""What calls do with the pointers that they are given."""

from __future__ import annotations

from collections.abc import Callable
from re import compile as pattern
from typing import Any

from pycparser import c_ast

from species.pointsto.expressions import Expressions
from species.pointsto.instructions import ANY, CELL, NOWHERE, Call, Object
from species.pointsto.number_copies import NumberCopies
from species.pointsto.variables import FRESH, Variables
from species.symbols.effect_table import Effect
from species.symbols.effects import Effects, arguments_of, points_nowhere, touched_arguments
from species.symbols.summaries import ANYTHING, bare, names_pointer
from species.symbols.symbols import is_offset, subscripts_of
from species.symbols.types import CHAR, UNKNOWN, CType

_PRINTED = pattern(r"%[^a-zA-Z%]*p")
_COPIES = ("memcpy", "memmove", "mempcpy")
_ORDERED = ("qsort", "bsearch")  # they move elements about, or find one
_FREES = ("free", "realloc", "reallocarray")
_FILLS = ("memset", "bzero", "free")
# They keep no pointer that they are given; what they store are numbers and characters, or foreign pointers.
_KEPT_NOWHERE = ("pure", "errno", "reading", "output", "input", "exit")


class Calls(Expressions):
    """The calls of one function."""

    def __init__(
        self, name: str, variables: Variables, effects: Effects, is_librarys: Callable[[Any], bool]
    ) -> None:
        super().__init__(name, variables)
        self._effects, self._is_librarys = effects, is_librarys

    def call(self, node: c_ast.FuncCall) -> int:
        if is_offset(node):
            for subscript in subscripts_of(node):
                self.value(subscript)
            return NOWHERE
        arguments = [self.value(argument) for argument in arguments_of(node)]
        for argument, slot in zip(arguments_of(node), arguments, strict=True):
            self.code.arguments[id(argument)] = slot
        name = self._effects.summaries.called(node)
        if name is not None:
            for parameter, argument in zip(self._parameters_of(name), arguments_of(node), strict=False):
                self.note_conversion(parameter, argument)
            result, given = self._result(node), self._effects.summaries.handed_back(name)
            self.code.calls.append(Call(name, id(node), tuple(arguments), result))
            return arguments[given] if given is not None and given < len(arguments) else result
        if not self._is_function(node.name):
            return self._by_pointer(node, arguments)
        if self._is_librarys(node):
            return self._library(node, node.name.name.removeprefix("__builtin_"), arguments)
        self.code.opaque = True
        return self._unknown(node, arguments)

    def _by_pointer(self, node: c_ast.FuncCall, arguments: list[int]) -> int:
        """A call of whatever function the pointer leads to."""
        for name in self.variables.taken:
            for parameter, argument in zip(self._parameters_of(name), arguments_of(node), strict=False):
                self.note_conversion(parameter, argument)
        pointer, result = self.value(node.name), self._result(node)
        self.code.indirect[id(node)] = Call("", id(node), tuple(arguments), result, pointer)
        return result

    def _parameters_of(self, name: str) -> list[CType]:
        """The types of the parameters of a function of the file."""
        function = self.variables.resolution.functions[name]
        listed = function.decl.type.args.params if function.decl.type.args else []
        return [self._types.resolve(p.type) if isinstance(p, c_ast.Decl) else UNKNOWN for p in listed]

    def _is_function(self, called: Any) -> bool:
        """Does the name mean a function, rather than a pointer to one?"""
        return isinstance(called, c_ast.ID) and self.type_of(called).kind != "pointer"

    def _result(self, node: c_ast.FuncCall) -> int:
        """A slot for what the call returns; none where that is a number."""
        ctype = self.type_of(node)
        return NOWHERE if ctype.is_number or ctype.kind == "void" else self.code.slot()

    def _unknown(self, node: c_ast.FuncCall, arguments: list[int]) -> int:
        """Code that nobody looks at gets all arguments, and gives what it likes."""
        self.code.escapes += [slot for slot in arguments if slot != NOWHERE]
        result = self._result(node)
        if result != NOWHERE:
            self.code.unknown.append(result)
        return result

    def _library(self, node: c_ast.FuncCall, name: str, arguments: list[int]) -> int:
        first = arguments[0] if arguments else NOWHERE
        if name in _FREES and first != NOWHERE:
            self.code.freed.add(first)
        self.code.read.update(slot for slot in arguments if slot != NOWHERE)
        if name in _FILLS:
            self.code.written.add(first)
            return self.whole(first)
        if name in (*_COPIES, "bcopy") and len(arguments) > 1:
            to, source = (0, 1) if name in _COPIES else (1, 0)
            self._copy(node, arguments, to, source)
            return self.whole(first) if name != "mempcpy" else self.moved(self.whole(first))
        if name in FRESH:
            result = self._allocated(node, name)
            if name == "realloc":  # the old contents, somewhere else
                self.code.blocks.append((result, first))
            return result
        if name == "posix_memalign" and arguments:
            self.code.written.add(first)
            self.code.stores.append((first, CELL, self._allocated(node, name)))
            return NOWHERE
        effect = self._effects.of(node)
        if name in _ORDERED and self._only_reads(arguments_of(node)[-1:]) and self._are_whole(node):
            if name == "bsearch":
                return self.moved(self.whole(arguments[1]))
            self.code.written.add(first)
            return NOWHERE
        if effect.kind in _KEPT_NOWHERE and effect.calls is None:
            return self._listed(node, effect, arguments)
        self.code.opaque = True
        return self._unknown(node, arguments)

    def _only_reads(self, given: list[Any]) -> bool:
        """Is it the name of a function of the file that writes nothing?  (It keeps no pointer, then.)"""
        summaries = self._effects.summaries
        name = summaries.called(c_ast.FuncCall(bare(given[0]), None)) if given else None
        if name is None:
            return False
        calls = (call for inner in summaries.reach(name) for call in summaries.calls(inner))
        return not any(names_pointer(c, self._symbols) for c in calls) and summaries.level(name) < ANYTHING

    def _are_whole(self, node: c_ast.FuncCall) -> bool:
        """Are what `qsort` and `bsearch` move or find whole elements, no parts of them?"""
        base, _, size = arguments_of(node)[-4:-1]
        one = self.type_of(bare(base)).target or UNKNOWN
        return one.is_number or self._is_size_of(size, one)

    def _is_size_of(self, size: Any, one: CType) -> bool:
        """Is it `sizeof` of that type, of a structure or pointer?"""
        if not isinstance(size, c_ast.UnaryOp) or size.op != "sizeof":
            return False
        named = isinstance(size.expr, c_ast.Typename)
        other = self._types.resolve(size.expr) if named else self.type_of(size.expr)
        return one.kind == other.kind and one.kind in ("pointer", "struct") and one.tag == other.tag

    def _allocated(self, node: c_ast.FuncCall, name: str) -> int:
        """A pointer to new memory."""
        fresh = self.pointer_to(Object(node, id(node), name, is_allocated=True))
        self.code.fresh.add(fresh)
        return fresh

    def _copy(self, node: c_ast.FuncCall, arguments: list[int], to: int, source: int) -> None:
        """The bytes of one object are copied to another: as what they are, where both are of one type.

        More bytes than a structure has, or nobody knows how many, may be those of what it is a part of.
        """
        given = [bare(each) for each in arguments_of(node)]
        types = [self.type_of(given[k]).target or UNKNOWN for k in (to, source)]
        self.code.written.add(arguments[to])
        arrays = [given[to], given[source]]
        numbers = len(given) == 3 and NumberCopies(self._types, self.type_of).holds(arrays, given[2])
        if numbers and not any(map(self.is_in_union, arrays)):
            return
        one, other = types
        if len(given) < 3 or not self._is_size_of(given[2], one):
            arguments = [self.whole(slot) for slot in arguments]
        self.code.blocks.append((arguments[to], arguments[source]))
        is_whole = one.kind == other.kind and one.tag == other.tag and one.kind in ("struct", "pointer")
        if not is_whole:  # numbers may be parts of pointers, as nothing but their copies shows
            self.leak(arguments[source])
            self.overwrite(arguments[to])

    def _listed(self, node: c_ast.FuncCall, effect: Effect, arguments: list[int]) -> int:
        given = arguments_of(node)
        for argument, slot in zip(given, arguments, strict=True):
            if slot != NOWHERE and (effect.kind in ("output", "input") or effect.writes or effect.format):
                self._read_out(argument, slot)
        if effect.format is not None and not _prints_no_pointer(given[effect.format - 1 : effect.format]):
            self.code.escapes += [slot for slot in arguments if slot != NOWHERE]
        for touched in effect.writes:
            for position in touched_arguments(touched, len(given)):
                is_text = effect.format is not None or effect.name.startswith("str")
                self._filled(given[position], arguments[position], arguments, is_text=is_text)
        if effect.kind == "input":  # it may store whatever it is told to
            for position, slot in enumerate(arguments):
                self._filled(given[position], slot, arguments, is_text=effect.name == "fgets")
        result = self._result(node)
        if result == NOWHERE:
            return NOWHERE
        if effect.returns is not None and effect.returns <= len(arguments):
            return self.whole(arguments[effect.returns - 1])
        self.code.moves += [(result, self.whole(slot)) for slot in arguments if slot != NOWHERE]
        self.code.unknown.append(result)
        return result

    def _read_out(self, node: Any, slot: int) -> None:
        """The library reads what an argument points to: perhaps pointers, as characters."""
        ctype = self.type_of(bare(node))
        target = ctype.target or UNKNOWN
        if ctype.kind == "array" and target.bits == CHAR.bits and not self.is_in_union(bare(node)):
            return  # characters; where they were made of pointers, these are known to have got out
        if not target.is_number or target.bits == CHAR.bits:
            self.leak(slot)

    def _filled(self, node: Any, slot: int, arguments: list[int], *, is_text: bool) -> None:
        """The library stores something where the argument points to: a pointer, of its own or given.

        Text that is written to an array of characters stays in there.
        """
        target = self.type_of(bare(node)).target or UNKNOWN
        self.code.written.add(slot)
        is_number = target.is_number and target.bits != CHAR.bits
        if slot == NOWHERE or points_nowhere(node) or is_number:
            return
        if is_text and self.type_of(bare(node)).kind == "array" and not self.is_in_union(bare(node)):
            self.code.stores.append((slot, CELL, self.foreign()))
            return
        self.code.stores += [(slot, ANY, each) for each in (self.foreign(), *arguments) if each != NOWHERE]


def _prints_no_pointer(given: list[Any]) -> bool:
    """Is the format known, with no `%p` in it?"""
    formats = [n.value for n in given if isinstance(n, c_ast.Constant) and n.type == "string"]
    return bool(formats) and not any(_PRINTED.search(text) for text in formats)
