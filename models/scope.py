"""Which expressions in a loop's headers can be read before the loop, where a directive stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pycparser import c_ast

from models.sizes.headers import Header, c_text, header_of
from species.source import TranslationUnit
from species.source.syntax.tree import variables, walk

_SHORT = frozenset(("short", "char", "int8_t", "uint8_t", "int16_t", "uint16_t"))
_INTEGERS = frozenset(("int", "long", "unsigned", "signed", "size_t", "ssize_t", "ptrdiff_t")) | _SHORT
_INTEGERS |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (32, 64)}


@dataclass(frozen=True)
class Scope:
    """A loop and the function around it."""

    unit: TranslationUnit
    function: c_ast.FuncDef
    node: c_ast.Node

    def trips(self, loop: c_ast.Node) -> str:
        """How many iterations `loop`, this one or one inside, makes, in C over what can be read before this
        one; empty where that cannot be said.
        """
        header = header_of(loop)
        if header is None or not self._counts(header):
            return ""
        first, last = (self._told(node, loop) for node in (header.first, header.end))
        if first is None or last is None:
            return ""
        lower, end = c_text(first), c_text(last)
        count = end if lower in ("0", "1") else f"{end} - {enclosed(lower)}"
        match header.next:
            case c_ast.Assignment(rvalue=step):  # not a quotient of integers: it may be 0
                by = f"{enclosed(count)} * (1.0 / {enclosed(c_text(step))})"
                return by if self._is_readable(step, loop) else ""
        return count

    def reads(self, node: c_ast.Node) -> bool:
        """Can code before the loop read this number, which is then the same in the loop?"""
        return self._is_readable(node, self.node)

    @cached_property
    def has_short(self) -> bool:
        """Are there numbers in its headers that cannot become large, so that compilers warn of questions?"""
        names = {each.name for loop in self._loops() for each in variables(loop.cond)}
        return any(_SHORT & self._types.get(name, frozenset()) for name in names)

    def _loops(self) -> Iterator[c_ast.For]:
        return (each for each in walk(self.node) if isinstance(each, c_ast.For) and each.cond is not None)

    def _counts(self, header: Header) -> bool:
        """Does it count up, over integers?"""
        kinds = self._types.get(header.iterator, frozenset())
        match header.next:
            case c_ast.UnaryOp(op="++" | "p++"):
                rises = header.test in ("<", "<=", "!=")
            case c_ast.Assignment(op="+="):
                rises = header.test in ("<", "<=")
            case _:
                rises = False
        return rises and isinstance(header.tested, c_ast.ID) and bool(kinds) and kinds <= _INTEGERS

    def _told(self, node: c_ast.Node | None, loop: c_ast.Node) -> c_ast.Node | None:
        """About the same as an end, of what can be read: variables that the loop declares are what they start
        with, a choice is one of its values.  None: there is nothing.
        """
        match node:
            case None:
                return None
            case c_ast.TernaryOp(iftrue=one, iffalse=other):
                return self._told(one, loop) or self._told(other, loop)
            case c_ast.ID(name=name) if name in self._kept:
                return self._told(self._kept[name], loop)
        return node if self._is_readable(node, loop) else None

    @cached_property
    def _kept(self) -> dict[str, c_ast.Node]:
        """The first values of the variables that the loop declares, and changes nowhere else."""
        declared = [each for each in walk(self.node) if isinstance(each, c_ast.Decl) and each.name]
        names = Counter([each.name for each in declared] + [*self.assigned])
        return {each.name: each.init for each in declared if each.init is not None and names[each.name] == 1}

    def _is_readable(self, node: c_ast.Node, loop: c_ast.Node) -> bool:
        match node:
            case c_ast.Constant(type="int"):
                return True
            case c_ast.ID(name=name):
                return self._is_steady(name) and self._types.get(name, frozenset(("?",))) <= _INTEGERS
            case c_ast.StructRef():
                return (loop is self.node and self._is_path(node)) or (
                    self._is_path(node) and self._reads(node)
                )
            case c_ast.ArrayRef(name=array, subscript=subscript):  # its header reads it in any case
                named = isinstance(array, c_ast.ID) and self._is_steady(array.name)
                of_loop = loop is self.node and (named or self._is_path(array))
                return of_loop and self._is_readable(subscript, loop)
            case c_ast.BinaryOp(op="+" | "-" | "*", left=left, right=right):
                return self._is_readable(left, loop) and self._is_readable(right, loop)
            case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=kind)), expr=inner):
                return set(getattr(kind, "names", ("?",))) <= _INTEGERS and self._is_readable(inner, loop)
        return False

    def _is_path(self, node: c_ast.Node) -> bool:
        """Is it a member of a variable that stays the same in the loop?"""
        while isinstance(node, c_ast.StructRef):
            node = node.name
        return isinstance(node, c_ast.ID) and self._is_steady(node.name)

    def _reads(self, node: c_ast.Node) -> bool:
        """Does the loop's own header read a member of the same structure, or a variable that was declared as
        one, so that there is one?
        """
        header = header_of(self.node)
        if header is None:
            return False
        first = {each.name: each.init for each in self._declared if each.init is not None}
        starts = (first[each.name] for each in variables(header.end) if each.name in first)
        kept = (start for start in starts if not self._changed_anywhere(start))
        return any(
            isinstance(each, c_ast.StructRef) and c_text(each.name) == c_text(node.name)
            for part in (header.end, *kept)
            for each in walk(part)
        )

    @cached_property
    def _declared(self) -> tuple[c_ast.Decl, ...]:
        """The declarations in the function of names that stand in no other."""
        found = [each for each in walk(self.function.body) if isinstance(each, c_ast.Decl) and each.name]
        times = Counter(each.name for each in found)
        return tuple(each for each in found if times[each.name] == 1)

    def _changed_anywhere(self, node: c_ast.Node) -> bool:
        """Does the function change a variable that an expression names?"""
        return not {each.name for each in variables(node)}.isdisjoint(_assigned_in(self.function.body))

    def _is_steady(self, name: str) -> bool:
        return name not in self._changed and name not in self.unit.macros.names

    @cached_property
    def _changed(self) -> frozenset[str]:
        """What the loop assigns, declares, or takes the address of."""
        declared = (each.name for each in walk(self.node) if isinstance(each, c_ast.Decl) and each.name)
        return self.assigned | frozenset(declared)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The names that the loop assigns, or takes the address of."""
        return _assigned_in(self.node)

    @cached_property
    def _types(self) -> dict[str, frozenset[str]]:
        """The words of the types of plain numbers; other variables, and names of several, have `?`."""
        found: dict[str, frozenset[str]] = {}
        files = [each for each in self.unit.ast.ext if isinstance(each, c_ast.Decl)]
        for each in (*files, *walk(self.function)):
            if isinstance(each, c_ast.Decl) and each.name and each is not self.function.decl:
                kind = getattr(each.type, "type", None) if isinstance(each.type, c_ast.TypeDecl) else None
                words = frozenset(getattr(kind, "names", ("?",)))
                known = found.get(each.name, words)
                found[each.name] = words if known == words or each in files else frozenset(("?",))
        return found


def _assigned_in(node: c_ast.Node) -> frozenset[str]:
    found = set()
    for each in walk(node):
        match each:
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                found.add(name)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ID(name=name)):
                found.add(name)
    return frozenset(found)


def enclosed(text: str) -> str:
    """A text as a factor."""
    return text if text.isidentifier() or text.isdigit() else f"({text})"
