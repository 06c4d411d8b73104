"""C types as far as the analysis needs them: what a cell is, how wide an integer is, what decays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pycparser import c_ast, c_generator

from species.core.memo import kept
from species.source.syntax.tree import walk
from species.symbols.enumerations import constant_value, enumerators
from species.symbols.update_idioms import same

_INTEGER_BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "_Bool": 1, "__int128": 128}
BIT_FIELD = "bit-field"  # the text of such a member's type
_FLOATS = ("float", "double", "_Complex")


@dataclass(frozen=True)
class CType:
    """A resolved C type.

    `kind` is int, float, complex, pointer, array, struct, union, void, function or unknown.  `text` is the C
    spelling (typedef names kept) of a type that is no array.  `bits` and `unsigned` speak of integers
    (LP64); those of a `long double` say that it is wider than others.  `target` is what a pointer points
    to or an array consists of; `extent` the array's size expression, None where it has none.  Qualifiers of
    an array are those of its elements (C11 6.7.3p9).
    """

    kind: str
    text: str
    bits: int = 0
    unsigned: bool = False
    target: CType | None = None
    extent: Any = field(default=None, compare=False)
    const: bool = False
    volatile: bool = False
    restrict: bool = False
    may_alias: bool = field(default=False, compare=False)  # by its type, it may be any other object
    enumerated: bool = field(default=False, compare=False)  # an integer, but not of an integer type's name
    signless: bool = False  # plain `char`: signed or not, as the machine likes
    unclear: bool = False  # its name has several meanings in the file: it may be an array, or anything

    @property
    def is_integer(self) -> bool:
        return self.kind == "int"

    @property
    def is_number(self) -> bool:
        return self.kind in ("int", "float", "complex")

    @property
    def element(self) -> CType:
        """The type of one element, all array dimensions taken off."""
        return self.target.element if self.kind == "array" and self.target else self

    @property
    def is_readonly(self) -> bool:
        """Are the values const that it consists of, or that pointers lead to in the end?"""
        if self.target is None or self.kind not in ("array", "pointer"):
            return self.const
        return self.target.is_readonly  # a parameter's `const` in brackets is its pointer's

    @property
    def decayed(self) -> CType:
        """Arrays become pointers to their first element, everything else stays."""
        return replace(self, kind="pointer") if self.kind == "array" else self

    @property
    def tag(self) -> str:
        """The name of a structure or union, `struct s`; of one without a name, that of its place."""
        return self.target.text if self.kind in ("struct", "union") and self.target else self.text

    @property
    def value_range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type; plain `char` may be signed or not."""
        if self.unsigned:
            return (0, 2**self.bits - 1)
        return (-(2 ** (self.bits - 1)), 2 ** (self.bits - (not self.signless)) - 1)

    @property
    def wraps_around(self) -> bool:
        """Does counting beyond the range start again at its other end?  (Else no correct program does it.)"""
        return self.is_integer and (self.unsigned or self.bits < 32)

    @property
    def certain_range(self) -> tuple[int, int]:
        """The values that the type holds whether plain `char` is signed or not."""
        return (0, 2 ** (self.bits - 1) - 1) if self.signless else self.value_range


def scalar_bytes(ctype: CType) -> int | None:
    """The size of a number or pointer (LP64); None for other types."""
    sizes = {"int": ctype.bits // 8, "float": FLOAT_BYTES.get(ctype.text, 16), "pointer": 8}
    return sizes.get(ctype.kind) or None


def number_name(ctype: CType) -> str:
    """One name for a type of numbers, whatever words the file has for it; empty for all other types."""
    if ctype.kind == "float":
        return {32: "float", 64: "double"}.get(ctype.bits, "")
    if ctype.kind != "int" or ctype.enumerated or ctype.bits not in (32, 64):
        return ""
    return ("unsigned " if ctype.unsigned else "") + ("int" if ctype.bits == 32 else "long")


FLOAT_BYTES = {"float": 4, "double": 8}  # others have more
UNKNOWN = CType("unknown", "void")
INT = CType("int", "int", 32)
LONG = CType("int", "long", 64)
WIDEST = CType("int", "long", 128)  # of a number whose type's range says nothing
CHAR = CType("int", "char", 8, signless=True)
SIZE = CType("int", "size_t", 64, unsigned=True)
DOUBLE = CType("float", "double", 64)
LONG_DOUBLE = CType("float", "long double", 128)


class TypeTable:
    """Typedefs, struct layouts and enumeration constants of one translation unit."""

    def __init__(self, *, strict_aliasing: bool = True) -> None:
        self._may_alias = not strict_aliasing
        self._typedefs: dict[str, CType] = {}
        self._later: dict[str, c_ast.Typedef] = {}  # not looked at yet
        self._members: dict[str, dict[str, CType]] = {}
        self._definitions: dict[str, Any] = {}  # the first of each tag
        self._several: dict[str, CType] = {}  # what tags with several definitions stand for
        self.constants: dict[str, Any] = {}  # enumerator -> its value and predecessor; None: ambiguous
        self.large: dict[str, CType] = {}  # enumerator -> its type, if that is not `int`
        self._enumerators: dict[str, Any] = {}
        self._enumerations: dict[str, CType] = {}
        self._values: dict[str, int] = {}
        self._generator = c_generator.CGenerator()

    def add_typedef(self, node: c_ast.Typedef) -> None:
        """Notes a type's name; a name with two meanings in a file (in two blocks) has none."""
        self._look_at(node.name)
        resolved = self.resolve(node.type)
        ctype = resolved if resolved.text == node.name else replace(resolved, text=node.name)
        known = self._typedefs.setdefault(node.name, ctype)
        if not _is_one(known, ctype):
            self._typedefs[node.name] = self._unclear(node.name, [known, ctype])

    def _unclear(self, name: str, meanings: Iterable[CType]) -> CType:
        """What a name stands for that means one of these, and nobody knows which."""
        volatile = any(self.has_volatile(each, through_pointers=True) for each in meanings)
        return CType("unknown", name, volatile=volatile, unclear=True)

    def has_volatile(
        self, ctype: CType, *, through_pointers: bool = False, around: frozenset[str] = frozenset()
    ) -> bool:
        """Is the type, or a part of it, volatile?"""
        if ctype.volatile:
            return True
        if ctype.kind in ("struct", "union"):
            parts, around = ([] if ctype.tag in around else self.members(ctype)), around | {ctype.tag}
        else:
            parts = [ctype.target] if ctype.target and (through_pointers or ctype.kind == "array") else []
        return any(self.has_volatile(p, through_pointers=through_pointers, around=around) for p in parts)

    def add_later(self, node: c_ast.Typedef) -> None:
        """As `add_typedef`, once somebody asks for it: most of those out of headers are of no use."""
        self._look_at(node.name)
        if node.name in self._typedefs:
            self.add_typedef(node)
        else:
            self._later[node.name] = node

    def _look_at(self, name: str) -> None:
        if name in self._later:
            self.add_typedef(self._later.pop(name))

    def resolve(self, node: Any) -> CType:
        """The type that a declarator, a type name or a struct declaration denotes."""
        ctype = self._resolved(node)
        return replace(ctype, may_alias=True) if self._may_alias else ctype

    def _resolved(self, node: Any) -> CType:
        match node:
            case c_ast.TypeDecl() | c_ast.Typename():
                return _qualified(self.resolve(node.type), node.quals or [])
            case c_ast.PtrDecl():
                target = self.resolve(node.type)
                return _qualified(CType("pointer", f"{target.text} *", target=target), node.quals or [])
            case c_ast.ArrayDecl():
                target = self.resolve(node.type)
                return CType("array", target.text, target=target, extent=node.dim)
            case c_ast.IdentifierType():
                return self._named(node.names)
            case c_ast.Struct() | c_ast.Union():
                return self._aggregate(node)
            case c_ast.Enum():
                self._add_constants(node)
                return self._enumeration(node)
            case c_ast.FuncDecl():
                return CType("function", "void", target=self.resolve(node.type))
        return UNKNOWN

    def parameter(self, node: Any) -> CType:
        """The type of a parameter: arrays are pointers, with the qualifiers of their brackets."""
        declared = self.resolve(node)
        if declared.kind != "array":
            return declared
        brackets = node.dim_quals if isinstance(node, c_ast.ArrayDecl) else None  # a typedef has none
        quals = [q for q in brackets or [] if isinstance(q, str)]
        return _marked(declared, quals)

    def member(self, owner: CType, name: str) -> CType:
        """The type of a member, with the qualifiers of its owner; unknown where the layout is not known.

        What lies in a union may be read as another of its members.
        """
        listed = self._members.get(owner.tag, {})
        if name in listed:
            found, volatile = listed[name], owner.volatile
        else:  # of a part without a name, or of another structure of this one's
            found, volatile = UNKNOWN, self.has_volatile(owner) or self._has_volatile_twin(owner)
        found = _qualified(found, [*["volatile"] * volatile, *["const"] * owner.const])
        return _mixed(found) if owner.kind == "union" or owner.may_alias else found

    def has_no_length(self, ctype: CType) -> bool:
        """Is it an array `a[]` or `a[0]`, of which GNU C allows structures to have any?"""
        empty = ctype.extent is None or constant_value(ctype.extent, self.certain_constants()) == 0
        return ctype.kind == "array" and empty

    def is_last(self, owner: CType, name: str) -> bool:
        """Is it the last member of its structure?"""
        return [*self._members.get(owner.tag, {})][-1:] == [name]

    def members(self, owner: CType) -> list[CType]:
        """The types of all members; none where the layout is not known."""
        return list(self.named_members(owner).values())

    def has_open_end(self, ctype: CType) -> bool:
        """Is it a structure (or union) with an array in it that may be longer than it says?"""
        if ctype.kind == "array":
            length = constant_value(ctype.extent, self.certain_constants()) if ctype.extent is not None else 0
            return (length or 0) <= 1
        return ctype.kind in ("struct", "union") and any(map(self.has_open_end, self.members(ctype)))

    def is_assignable(self, ctype: CType) -> bool:
        """May a variable of the type be assigned, member by member too?"""
        whole = ctype.element
        parts = self.members(whole) if whole.kind in ("struct", "union") else []
        return not ctype.const and not whole.const and all(map(self.is_assignable, parts))

    def named_members(self, owner: CType) -> dict[str, CType]:
        """The members by name, in order; those without names have numbers, as `@0`."""
        return dict(self._members.get(owner.tag, {}))

    def inside(self) -> dict[tuple[str, str], str]:
        """The structures that are members of others, or elements of such: their tags, by the others' tags and
        the members' names.
        """
        return {
            (tag, name): ctype.element.tag
            for tag, listed in self._members.items()
            for name, ctype in listed.items()
            if ctype.element.kind == "struct"
        }

    def initialised(self, owner: CType) -> dict[str, CType]:
        """The same without bit-fields that have no names, and no first values."""
        named = self.named_members(owner).items()
        return {n: t for n, t in named if not n.startswith("@") or t.kind in ("struct", "union")}

    def plain_members(self, owner: CType) -> list[str]:
        """The names of the members that lists of first values name one by one; none where some are lists."""
        found = self.initialised(owner)
        return [*found] if all(ctype.kind in ("int", "float", "pointer") for ctype in found.values()) else []

    def definition(self, owner: CType) -> Any:
        """The node that says what members a structure or union has; None where the file does not."""
        return self._definitions.get(owner.tag)

    def _named(self, names: list[str]) -> CType:
        words = [n for n in names if n != "signed"]
        if len(words) == 1:
            self._look_at(words[0])
        if len(words) == 1 and words[0] in self._typedefs:
            return self._typedefs[words[0]]
        return _built_in(tuple(names))

    def _aggregate(self, node: Any) -> CType:
        kind = "struct" if isinstance(node, c_ast.Struct) else "union"
        tag = f"{kind} {node.name}" if node.name else f"{kind} @{id(node)}"
        if node.decls:
            self._define(tag, node)
        inner = CType(kind, tag)
        return self._several.get(tag) or CType(kind, tag, target=inner)

    def _define(self, tag: str, node: Any) -> None:
        """Notes the members; of two structures of one name, in two blocks, nobody knows any."""
        first = self._definitions.setdefault(tag, node)
        if first is node:
            if tag not in self._members:
                self._members[tag] = {}
                self._members[tag].update(self._listed(node))
            return
        known, members = self._members[tag], self._listed(node)
        several = [self._several[tag]] if tag in self._several else []
        alike = not several and same(first, node)
        if not alike or not all(_is_one(known[name], ctype) for name, ctype in members.items()):
            self._several[tag] = self._unclear(tag, [*several, *known.values(), *members.values()])
            self._members[tag] = {}

    def _listed(self, node: Any) -> dict[str, CType]:
        """The types of the members; those without names have numbers."""
        declared = [decl for decl in node.decls if isinstance(decl, c_ast.Decl)]
        types = [self._narrowed(self.resolve(decl.type), decl.bitsize) for decl in declared]
        return {decl.name or f"@{k}": types[k] for k, decl in enumerate(declared)}

    def _has_volatile_twin(self, owner: CType) -> bool:
        """Is something volatile in one of the structures of this name?"""
        return owner.tag in self._several and self._several[owner.tag].volatile

    def _narrowed(self, ctype: CType, width: Any) -> CType:
        """The type of a member with `width` bits (None: no bit-field); unknown where nobody can tell them."""
        if width is None:
            return ctype
        bits = constant_value(width, self.certain_constants())
        if bits is None or not 0 < bits <= ctype.bits:
            return CType("unknown", BIT_FIELD, volatile=ctype.volatile)
        return replace(ctype, text=BIT_FIELD, bits=bits)

    def certain_constants(self) -> dict[str, int]:
        """The values of the enumerators that mean one thing."""
        return {name: value for name, value in self._values.items() if self.constants.get(name)}

    def has_layout(self, ctype: CType) -> bool:
        """Is there just one structure or union of the type's name?"""
        return bool(self.members(ctype))

    def _enumeration(self, node: c_ast.Enum) -> CType:
        """`unsigned`, or `int` if an enumerator is negative, as gcc and clang have it; else unknown."""
        tag = f"enum {node.name}" if node.name else f"enum @{id(node)}"
        if node.values is None:
            return self._enumerations.get(tag, CType("unknown", tag))
        found = enumerators(node, self.certain_constants())
        self._values.update(found or {})
        self._note_large(found or {})
        values = found.values() if found else [2**32]
        signed = min(values) < 0
        text = tag if node.name else "int" if signed else "unsigned"
        ctype = CType("int", text, 32, unsigned=not signed, enumerated=True)
        low, high = ctype.value_range
        fits = low <= min(values) and max(values) <= high
        if not fits or self._enumerations.setdefault(tag, ctype) != ctype:
            self._enumerations[tag] = CType("unknown", tag)
        return self._enumerations[tag]

    def _note_large(self, found: Mapping[str, int]) -> None:
        """Enumerators beyond `int` have the type that gcc and clang give to the whole enumeration."""
        signed = any(value < 0 for value in found.values())
        bits = 32 if all(value < 2**32 - 2**31 * signed for value in found.values()) else 64
        bits = bits if all(value >= -(2**31) for value in found.values()) else 64
        ctype = CType("int", "long" if signed else "unsigned long", bits, unsigned=not signed)
        low, high = INT.value_range
        self.large.update((name, ctype) for name, value in found.items() if not low <= value <= high)

    def _add_constants(self, node: c_ast.Enum) -> None:
        """Notes the enumerators; a name with two meanings in a file (in two blocks) has no value."""
        previous = None
        for item in node.values.enumerators if node.values else []:
            if self._enumerators.setdefault(item.name, item) is item:
                self.constants[item.name] = (item.value, previous)
            else:
                self.constants[item.name] = None
            previous = item.name


@kept(500)
def _built_in(names: tuple[str, ...]) -> CType:
    """A type that has no name of its own, by its words."""
    words, text = [n for n in names if n != "signed"], " ".join(names)
    if any(w in _FLOATS for w in words):
        bits = 32 if "float" in words else 128 if "long" in words else 64
        if "_Complex" not in words:
            return CType("float", text, bits)
        return CType("complex", text, 2 * bits) if len(words) > 1 else CType("unknown", text)
    if words == ["void"]:
        return CType("void", text)
    known = [w for w in words if w in _INTEGER_BITS]
    if known or "unsigned" in words or not words:
        narrow = next((w for w in known if w != "int"), "int")
        unsigned = "unsigned" in words or narrow == "_Bool"
        signless = narrow == "char" and not unsigned and "signed" not in names
        return CType("int", text, _INTEGER_BITS[narrow], unsigned, signless=signless)
    return CType("unknown", text)


def _mixed(ctype: CType) -> CType:
    """The type, of a cell that may be another type's."""
    target = _mixed(ctype.target) if ctype.kind == "array" and ctype.target is not None else ctype.target
    return replace(ctype, target=target, may_alias=True)


def _is_one(a: CType, b: CType) -> bool:
    """Are the types one, in every respect?  (`==` does not look at lengths and aliases.)"""
    if a.unclear or b.unclear or a != b or (a.may_alias, a.enumerated) != (b.may_alias, b.enumerated):
        return False
    if not _is_one_length(a.extent, b.extent):
        return False
    return a.target is None or b.target is None or _is_one(a.target, b.target)


def _is_one_length(a: Any, b: Any) -> bool:
    """Are two size expressions one number?  A name may mean different things where they stand."""
    if a is b or a is None or b is None:
        return a is b
    return same(a, b) and not any(isinstance(part, c_ast.ID) for part in walk(a))


def _qualified(ctype: CType, quals: list[str]) -> CType:
    """The qualified type: of an array, the elements are."""
    if quals and ctype.kind == "array" and ctype.target is not None:
        return replace(ctype, target=_qualified(ctype.target, quals))
    return _marked(ctype, quals)


def _marked(ctype: CType, quals: list[str]) -> CType:
    if not quals:
        return ctype
    return replace(
        ctype,
        const=ctype.const or "const" in quals,
        volatile=ctype.volatile or "volatile" in quals or "_Atomic" in quals,
        restrict=ctype.restrict or "restrict" in quals or "__restrict" in quals,
    )
