"""Long conditions as functions with a name: `if (app_k1_condition(p, q, n))`.

The function stands before the one with the loop, has what the condition names as parameters, and the words
for it as a comment.  Where its text could mean something else there, the condition stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.ctext import code_tokens, directives, names_in, words_in
from skeletons.dialect import Refusal
from skeletons.outline import insertion_point
from skeletons.subject import Subject
from species.row_tests import called_in
from species.source.tree import walk

LONG = 100  # characters
_TYPES = (c_ast.Typedef, c_ast.Struct, c_ast.Union, c_ast.Enum)


@dataclass(frozen=True)
class Named:
    """A text with calls in the place of conditions, and the functions, to be put at an offset of the file."""

    text: str
    functions: str = ""
    offset: int = 0


def with_names(subject: Subject, text: str) -> Named:
    """The code before a kernel's loop, its long conditions as calls."""
    conditions = dict.fromkeys(" ".join(c.split()) for c in subject.kernel.conditions)
    long = [c for c in conditions if len(c) > LONG and c in text]
    point = _point(subject) if long else None
    if point is None:
        return Named(text)
    functions = []
    for number, condition in enumerate(long):
        name = f"{subject.name}_condition" + (f"{number + 1}" if len(long) > 1 else "")
        parameters = _parameters(subject, condition, point)
        if parameters is not None:
            text = text.replace(condition, f"{name}({', '.join(parameters)})")
            functions.append(_function(subject, name, parameters, condition))
    return Named(text, "".join(functions), point)


def _function(subject: Subject, name: str, parameters: dict[str, str], condition: str) -> str:
    said = {" ".join(text.split()): words for text, words in subject.facts.said}.get(condition, "")
    comment = f"/* {said} */\n" if said and "*/" not in said else ""
    head = f"static int {name}({', '.join(parameters.values()) or 'void'})"
    return f"{comment}{head}\n{{\n    return {condition};\n}}\n\n"


def _point(subject: Subject) -> int | None:
    """Where functions can stand; None where the function has types of its own, or its head is not plain."""
    owner = subject.declarations.functions.get(subject.facts.function)
    if owner is None or any(isinstance(n, _TYPES) and _declares(n) for n in walk(owner)):
        return None
    try:
        point = insertion_point(subject)
    except Refusal:
        return None
    head = subject.text[point : subject.text.find("{", point)]
    plain = head and not list(directives(head)) and owner.decl.name in words_in(head)
    return point if plain else None


def _declares(node: Any) -> bool:
    has_parts = getattr(node, "decls", None) or getattr(node, "values", None)
    return bool(has_parts) or isinstance(node, c_ast.Typedef)


def _parameters(subject: Subject, condition: str, point: int) -> dict[str, str] | None:
    """The variables that the condition names and that the function has to be given, with declarations."""
    if called_in(condition) or not _is_of_values(condition):
        return None
    found: dict[str, str] = {}
    for name in names_in(condition):
        try:
            declared = _declared(subject, name)
        except Refusal:
            return None
        if declared is None:
            return None
        found |= {name: declared} if declared else {}
    return found if _means_the_same(subject, "; ".join([condition, *found.values()]), point) else None


def _is_of_values(condition: str) -> bool:
    """Does it ask for no address of a variable, and for sizes of what pointers lead to only?"""
    texts = [token.text for token in code_tokens(condition)]
    sizes = (texts[k + 1 : k + 3] for k, text in enumerate(texts) if text == "sizeof")
    return "&" not in texts and all(size == ["(", "*"] for size in sizes)


def _means_the_same(subject: Subject, text: str, point: int) -> bool:
    """Do macros mean before the function what they mean at the loop, and none of them more than a number?"""
    macros, line = subject.unit.macros, subject.unit.source.position(point).line
    words = {token.text for token in code_tokens(text)}
    known = [(macros.definition(w, subject.line), macros.definition(w, line)) for w in words]
    return all(one == other and (one is None or one.body.strip().isdigit()) for one, other in known)


def _declared(subject: Subject, name: str) -> str | None:
    """The declaration of a parameter for a variable; empty: it needs none; None: there is no plain one."""
    if subject.macro_body(name) is not None or name in subject.declarations.enumerators:
        return ""
    node = subject.declaration(name)
    if name in subject.declarations.types:
        return "" if node is None else None
    qualifiers = {q for n in walk(node) for q in getattr(n, "quals", None) or ()} if node is not None else {}
    if node is None or not {"volatile", "_Atomic"}.isdisjoint(qualifiers):
        return None
    if any(node is item for item in subject.unit.ast.ext):
        return ""
    kind, stars = node.type, ""
    while isinstance(kind, c_ast.PtrDecl) or (isinstance(kind, c_ast.ArrayDecl) and not stars):
        kind, stars = kind.type, stars + "*"
    base = _base(subject, kind) if isinstance(kind, c_ast.TypeDecl) else None
    return f"{base} {stars}{name}" if base is not None else None


def _base(subject: Subject, kind: c_ast.TypeDecl) -> str | None:
    """`const double`, `struct node`: a type that the file declares, or C."""
    inner = kind.type
    if isinstance(inner, c_ast.Struct | c_ast.Union):
        words = [f"{'struct' if isinstance(inner, c_ast.Struct) else 'union'} {inner.name}"]
    elif isinstance(inner, c_ast.IdentifierType):
        words = list(inner.names)
    else:
        return None
    name = " ".join(words)
    known = name in subject.declarations.types or subject.declarations.canonical(name) is not None
    return " ".join([*(q for q in kind.quals or () if q == "const"), name]) if known else None
