"""C expressions as trees: what may stand in them, their types, and how they depend on iterators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pycparser import c_ast, c_generator
from pycparser.c_parser import CParser, ParseError

FLOATS = ("float", "double")
INTEGERS = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")
_SMALL = ("char", "signed char", "unsigned char", "short", "unsigned short", "_Bool")
_ORDER = (*INTEGERS, *FLOATS)  # by the usual arithmetic conversions, the wider the later
_QUALIFIERS = frozenset(("const", "restrict", "register", "static", "extern"))
_WORD_ORDER = ("signed", "unsigned", "short", "long", "char", "int", "float", "double")


class NotPlain(Exception):
    """The text says something that a contraction must not say."""


def parse_statement(text: str) -> Any:
    """The tree of one expression statement; NotPlain if `text` is anything else."""
    try:
        unit = CParser().parse("void f(void)\n{\n" + text.strip().rstrip(";") + ";\n}")
    except (ParseError, AssertionError) as error:
        raise NotPlain(f"`{text.strip()}` does not parse: {error}") from None
    items = unit.ext[0].body.block_items or []
    if len(items) != 1:
        raise NotPlain("it is not one statement")
    return items[0]


def text_of(node: Any) -> str:
    """The node as C text."""
    return str(c_generator.CGenerator(reduce_parentheses=True).visit(node))


def names(node: Any) -> frozenset[str]:
    """All identifiers under `node`."""
    return frozenset(part.name for part in walk(node) if isinstance(part, c_ast.ID))


def walk(node: Any) -> Iterator[Any]:
    """`node` and everything under it."""
    yield node
    for _, child in node.children():
        yield from walk(child)


_REFUSED = {
    c_ast.TernaryOp: "a condition decides what is computed",
    c_ast.If: "a condition decides what is computed",
    c_ast.Assignment: "there is a second assignment",
    c_ast.StructRef: "a member of a structure is used",
}


def check_plain(node: Any, *, choices: bool = False) -> None:
    """NotPlain unless the expression only reads variables and elements, and calculates.

    With `choices`, it may have parts `c ? a : b`, where c compares variables and numbers.
    """
    if choices and isinstance(node, c_ast.TernaryOp):
        _check_condition(node.cond)
        parts = [node.iftrue, node.iffalse]
    else:
        _check_part(node)
        parts = [child for _, child in node.children()]
    for part in parts:
        check_plain(part, choices=choices)


def _check_condition(node: Any) -> None:
    """NotPlain unless the expression compares variables and numbers."""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
        _check_condition(node.left)
        _check_condition(node.right)
        return
    if not isinstance(node, c_ast.BinaryOp) or node.op not in ("<", "<=", ">", ">=", "==", "!="):
        raise NotPlain(f"`{text_of(node)}` is no plain comparison")
    for side in (node.left, node.right):
        check_plain(side)
        if any(True for _ in elements(side)):
            raise NotPlain(f"the condition `{text_of(node)}` reads an array")


def _check_part(part: Any) -> None:
    if isinstance(part, c_ast.FuncCall):
        raise NotPlain(f"`{text_of(part)}` is a call")
    for kind, reason in _REFUSED.items():
        if isinstance(part, kind):
            raise NotPlain(reason)
    _check_operator(part)


def _check_operator(part: Any) -> None:
    if isinstance(part, c_ast.BinaryOp):
        if part.op not in ("+", "-", "*", "/", "%"):
            raise NotPlain(f"`{text_of(part)}` uses the operator {part.op}")
    elif isinstance(part, c_ast.UnaryOp):
        if part.op not in ("+", "-"):
            raise NotPlain(f"`{text_of(part)}` uses the operator {part.op.strip('p')}")
    elif isinstance(part, c_ast.ArrayRef):
        if not isinstance(part.name, c_ast.ArrayRef | c_ast.ID):
            raise NotPlain(f"`{text_of(part)}` is no element of a named array")
    elif not isinstance(part, c_ast.ID | c_ast.Constant | c_ast.Cast | _TYPES):
        raise NotPlain(f"`{text_of(part)}` is no plain arithmetic")


_TYPES = c_ast.Typename | c_ast.TypeDecl | c_ast.IdentifierType


def array_of(node: Any) -> str:
    """The name of the array that an element belongs to, or of the variable."""
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
    return str(node.name)


def subscripts(node: Any) -> tuple[Any, ...]:
    """The subscripts of an element, outermost dimension first."""
    found = []
    while isinstance(node, c_ast.ArrayRef):
        found.append(node.subscript)
        node = node.name
    return tuple(reversed(found))


def canonical(ctype: str) -> str:
    """One spelling for each arithmetic type, qualifiers left out; NotPlain for a volatile or unknown one."""
    given = [word for word in ctype.replace("*", " ").split() if word not in _QUALIFIERS]
    if "volatile" in given or "_Atomic" in given:
        raise NotPlain("a variable is volatile or atomic")
    if given == ["_Bool"]:
        return "_Bool"
    if not given or any(word not in _WORD_ORDER for word in given):
        raise NotPlain(f"`{ctype}` is no arithmetic type that we know")
    return _canonical_words(sorted(given, key=_WORD_ORDER.index))


def _canonical_words(given: list[str]) -> str:
    if "char" in given:
        return " ".join(given)
    plain = [word for word in given if word not in ("signed", "int")]
    name = " ".join([*plain, "int"] if plain in ([], ["unsigned"]) else plain)
    if name not in (*_ORDER, *_SMALL):
        raise NotPlain(f"`{name}` is no type that vectors can hold")
    return name


def type_of(node: Any, types: Mapping[str, str]) -> str:
    """The type in which C computes the expression, `types` by name; NotPlain for a name without one."""
    if isinstance(node, c_ast.ArrayRef | c_ast.ID):
        name = array_of(node)
        if name not in types:
            raise NotPlain(f"the type of {name} is not known")
        return canonical(types[name])
    if isinstance(node, c_ast.Constant):
        return constant_type(node)
    if isinstance(node, c_ast.Cast):
        return canonical(cast_type(node))
    if isinstance(node, c_ast.UnaryOp):
        return promoted(type_of(node.expr, types))
    if isinstance(node, c_ast.TernaryOp):
        return common(type_of(node.iftrue, types), type_of(node.iffalse, types))
    return common(type_of(node.left, types), type_of(node.right, types))


def cast_type(node: Any) -> str:
    """What a cast converts to, as C text; NotPlain for anything but an arithmetic type."""
    inner = node.to_type.type
    if not isinstance(inner, c_ast.TypeDecl) or not isinstance(inner.type, c_ast.IdentifierType):
        raise NotPlain(f"`{text_of(node)}` casts to no arithmetic type")
    return " ".join((*node.to_type.quals, *inner.type.names))


def constant_type(node: Any) -> str:
    """The type of a number; NotPlain for other constants."""
    if "char" in node.type or node.type == "string":
        raise NotPlain("a character or a string is used")
    if node.value[-1] in "lL" and node.type in ("long double", "double", "float"):
        raise NotPlain("a long double is used")
    return canonical(node.type)


def promoted(ctype: str) -> str:
    """The type in which C computes with values of a type."""
    return "int" if ctype in _SMALL else ctype


def common(left: str, right: str) -> str:
    """The usual arithmetic conversions, where `long` holds every `unsigned int`."""
    both = (promoted(left), promoted(right))
    if set(both) == {"unsigned long", "long long"}:
        return "unsigned long long"
    return max(both, key=_ORDER.index)


def coefficient(node: Any, iterator: str) -> int | None:
    """The factor of `iterator` in an expression; None where it is not a literal number."""
    if iterator not in names(node):
        return 0
    match node:
        case c_ast.ID():
            return 1
        case c_ast.UnaryOp(op="-", expr=inner):
            return _scaled(coefficient(inner, iterator), -1)
        case c_ast.BinaryOp(op="+" | "-", left=left, right=right):
            ours, theirs = coefficient(left, iterator), coefficient(right, iterator)
            if ours is None or theirs is None:
                return None
            return ours + theirs if node.op == "+" else ours - theirs
        case c_ast.BinaryOp(op="*", left=left, right=right):
            for number, other in ((left, right), (right, left)):
                if isinstance(number, c_ast.Constant) and number.type == "int":
                    return _scaled(coefficient(other, iterator), _literal(number.value))
    return None


def _literal(text: str) -> int:
    digits = text.rstrip("uUlL")
    return int(digits, 8) if digits.startswith("0") and digits.isdigit() else int(digits, 0)


def _scaled(value: int | None, factor: int) -> int | None:
    return None if value is None else value * factor


def elements(node: Any) -> Iterator[Any]:
    """The array elements that an expression reads, those in subscripts included."""
    if isinstance(node, c_ast.ArrayRef):
        yield node
        children = subscripts(node)
    else:
        children = tuple(child for _, child in node.children())
    for child in children:
        yield from elements(child)


def steps_by_one(node: Any, iterator: str) -> bool:
    """Does the next value of `iterator` read the next element in memory?"""
    if not isinstance(node, c_ast.ArrayRef):
        return False
    *others, last = subscripts(node)
    return coefficient(last, iterator) == 1 and all(iterator not in names(other) for other in others)
