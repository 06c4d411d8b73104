"""Long conditions as functions with a name: `if (app_k1_condition(p, q, n))`.

The function stands before the one with the loop, has what the condition names as parameters, and the words
for it as a comment.  Where its text could mean something else there, the condition stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.core.refusal import Refusal
from species.facts.loops import LoopFacts
from species.row_tests import NAMES
from species.source import TranslationUnit
from species.source.scopes import FileScopes
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk
from species.source.text.tokens import Token, code_tokens, directives, is_pragma, names_in, words_in

LONG = 100  # characters
_ALL = -1  # where the group of all parts begins
_WIDE = "__int128"  # a type of GNU C, which no file declares
_TYPES = (c_ast.Typedef, c_ast.Struct, c_ast.Union, c_ast.Enum)


@dataclass(frozen=True)
class Named:
    """A text with calls in the place of conditions, and the functions, to be put at an offset of the file."""

    text: str
    functions: str = ""
    offset: int = 0


class NamedConditions:
    """Makes the functions for the loops of a file."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit

    @cached_property
    def _declarations(self) -> Declarations:
        return Declarations.of(self._unit.ast)

    @cached_property
    def _scopes(self) -> FileScopes:
        return FileScopes(self._unit)

    def called(self, loop: LoopFacts, conditions: Iterable[str], text: str, name: str) -> Named:
        """The text with its long `conditions` as calls of functions `name`, numbered if there are several."""
        known = dict.fromkeys(" ".join(condition.split()) for condition in conditions)
        long = [c for c in known if len(c) > LONG and c in text]
        point = self._point(loop) if long else None
        if point is None:
            return Named(text)
        functions = []
        for number, condition in enumerate(long, 1):
            own = name + (f"{number}" if len(long) > 1 else "")
            parameters = self._parameters(loop, condition, point)
            if parameters is not None:
                text = text.replace(condition, f"{own}({', '.join(parameters)})")
                functions.append(_function(loop, own, parameters, condition))
        return Named(text, "".join(functions), point)

    def _point(self, loop: LoopFacts) -> int | None:
        """Before the first token of the loop's function; None where functions cannot stand there, or it has
        types of its own.
        """
        owner, whole = self._declarations.functions.get(loop.function), loop.whole
        if owner is None or owner.param_decls or whole is None:
            return None
        if any(isinstance(n, _TYPES) and _declares(n) for n in walk(owner)):
            return None
        point, text = self._unit.declaration_start(whole.start), self._unit.source.text
        if point is None:
            return None
        head = text[point : text.find("{", point)]
        plain = head and all(map(is_pragma, directives(head))) and owner.decl.name in words_in(head)
        return point if plain else None

    def _parameters(self, loop: LoopFacts, condition: str, point: int) -> dict[str, str] | None:
        """The variables that the condition names and that the function has to be given, with declarations."""
        if not _is_of_values(condition):
            return None
        found: dict[str, str] = {}
        for name in (name for name in names_in(condition) if name not in NAMES):
            declared = self._declared(loop, name)
            if declared is None:
                return None
            found |= {name: declared} if declared else {}
        texts = "; ".join([condition, *found.values()])
        return found if self._means_the_same(texts, loop.position.line, point) else None

    def _means_the_same(self, text: str, line: int, point: int) -> bool:
        """Do macros mean before the function what they mean at the loop, none of them more than a number?"""
        macros, before = self._unit.macros, self._unit.source.position(point).line
        words = {token.text for token in code_tokens(text)}
        known = [(macros.definition(w, line), macros.definition(w, before)) for w in words]
        return all(one == other and (one is None or one.body.strip().isdigit()) for one, other in known)

    def _comes_before(self, name: str, loop: LoopFacts) -> bool:
        """Does the file declare a type or an enumerator before the loop's function?"""
        known = self._declarations
        owner = known.functions.get(loop.function)
        return owner is not None and known.order[id(known.types[name])] < known.order[id(owner)]

    def _declared(self, loop: LoopFacts, name: str) -> str | None:
        """A parameter's declaration for a variable; empty: it needs none; None: there is no plain one."""
        declarations = self._declarations
        if name == _WIDE or self._unit.macros.definition(name, loop.position.line) is not None:
            return ""
        try:
            node = self._scopes.at(loop.function, loop.position).declaration(name)
        except Refusal:
            return None
        if name in declarations.types:
            return "" if node is None and self._comes_before(name, loop) else None
        qualifiers = {q for n in walk(node) for q in getattr(n, "quals", None) or ()} if node else set()
        if node is None or not {"volatile", "_Atomic"}.isdisjoint(qualifiers):
            return None
        return (
            "" if any(node is item for item in self._unit.ast.ext) else _parameter(declarations, name, node)
        )


def _function(loop: LoopFacts, name: str, parameters: dict[str, str], condition: str) -> str:
    said = {" ".join(text.split()): words for text, words in loop.said}.get(condition, "")
    comment = f"/* {said} */\n" if said and "*/" not in said else ""
    head = f"static int {name}({', '.join(parameters.values()) or 'void'})"
    return f"{comment}{head}\n{{\n    return {_in_lines(condition)};\n}}\n\n"


def _in_lines(condition: str) -> str:
    """The condition with a line for each part of it that is joined in a long group of parts."""
    tokens = code_tokens(condition)
    ends, opened, parts, at = _ends(tokens), [_ALL], list[str](), 0
    for token in tokens:
        if token.text in ("&&", "||") and ends[opened[-1]] - opened[-1] > LONG:
            parts += [condition[at : token.start].rstrip(), "\n" + "    " * (len(opened) + 1)]
            at = token.start
        if token.text == "(":
            opened.append(token.start)
        elif token.text == ")":
            opened.pop()
    return "".join(parts) + condition[at:]


def _ends(tokens: list[Token]) -> dict[int, int]:
    """Where the groups in parentheses end, by their beginnings, and all of the text."""
    opened, found = [_ALL], {_ALL: tokens[-1].end}
    for token in tokens:
        if token.text == "(":
            opened.append(token.start)
        elif token.text == ")":
            found[opened.pop()] = token.end
    return found


def _declares(node: Any) -> bool:
    has_parts = getattr(node, "decls", None) or getattr(node, "values", None)
    return bool(has_parts) or isinstance(node, c_ast.Typedef)


def _is_of_values(condition: str) -> bool:
    """Does it ask for addresses and sizes of what pointers lead to only?"""
    texts = [token.text for token in code_tokens(condition)]
    sizes = (texts[k + 1 : k + 3] for k, text in enumerate(texts) if text == "sizeof")
    behind = (texts[_operand(texts, k + 1) :] for k, text in enumerate(texts) if text == "&")
    return all(size == ["(", "*"] for size in sizes) and all(rest[:1] in (["->"], ["["]) for rest in behind)


def _operand(texts: Sequence[str], start: int) -> int:
    """Where the name or the group that starts here ends."""
    depth = 0
    for k in range(start, len(texts)):
        depth += (texts[k] == "(") - (texts[k] == ")")
        if depth == 0:
            return k + 1
    return len(texts)


def _parameter(declarations: Declarations, name: str, node: Any) -> str | None:
    kind, stars = node.type, ""
    while isinstance(kind, c_ast.PtrDecl) or (isinstance(kind, c_ast.ArrayDecl) and not stars):
        kind, stars = kind.type, stars + "*"
    base = _base(declarations, kind) if isinstance(kind, c_ast.TypeDecl) else None
    return f"{base} {stars}{name}" if base is not None else None


def _base(declarations: Declarations, kind: c_ast.TypeDecl) -> str | None:
    """`const double`, `struct node`: a type that the file declares, or C."""
    inner = kind.type
    if isinstance(inner, c_ast.Struct | c_ast.Union):
        words = [f"{'struct' if isinstance(inner, c_ast.Struct) else 'union'} {inner.name}"]
    elif isinstance(inner, c_ast.IdentifierType):
        words = list(inner.names)
    else:
        return None
    name = " ".join(words)
    known = name in declarations.types or declarations.canonical(name) is not None
    return " ".join([*(q for q in kind.quals or () if q == "const"), name]) if known else None
