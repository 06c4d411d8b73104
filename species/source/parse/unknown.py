"""Code of which nothing is known, as a tree that says so.

It is a call of a function that does not exist, of which the analysis knows nothing, with the addresses of the
variables that the code may reach, followed by the jumps that it may make:

    unknown(&x, &y); if (?) return unknown(&x, &y); if (?) goto out;

What stands outside of functions has to be listed for `TranslationUnit.assembly`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.source.text.statements import UnbalancedError, statement_end
from species.source.text.tokens import KEYWORDS

UNKNOWN = c_ast.EmptyStatement()  # a condition of which nothing is known
_NAME = "code that is not understood"
_BEFORE_LABEL = (";", "{", "}", ":", ")", "else", "do")


def whether(statement: c_ast.Node, coord: Any) -> c_ast.If:
    """The statement, executed or not."""
    return c_ast.If(UNKNOWN, statement, None, coord)


def unknown_value(
    variables: Iterable[str], coord: Any, also: Sequence[c_ast.Node] = (), name: str = _NAME
) -> c_ast.FuncCall:
    """A value that may come from anywhere, and whose evaluation may change the variables.

    `name` is what messages call the function; no function has it.
    """
    places = [c_ast.UnaryOp("&", c_ast.ID(name, coord), coord) for name in sorted(variables)]
    arguments = [*places, *also]
    return c_ast.FuncCall(
        c_ast.ID(name, coord), c_ast.ExprList(arguments, coord) if arguments else None, coord
    )


def contained(tree: Any, kinds: tuple[type, ...], wanted: Callable[[Any], bool] | None = None) -> list[Any]:
    """The nodes of these kinds in a tree, itself included."""
    found, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, kinds) and (wanted is None or wanted(node)):
            found.append(node)
        pending += list(node)
    return found


def unclear_types(names: Iterable[str]) -> list[c_ast.Typedef]:
    """Declarations of types of which nothing is known: each has two, one of them volatile."""
    return [
        c_ast.Typedef(
            name, quals, ["typedef"], c_ast.TypeDecl(name, quals, None, c_ast.IdentifierType([word]))
        )
        for name in sorted(names)
        for quals, word in (([], "double"), (["volatile"], "int"))
    ]


@dataclass(frozen=True)
class Region:
    """A statement, as words: how many, the names in it, its jumps, and whether jumps may come into it."""

    length: int
    names: frozenset[str]
    gotos: tuple[str, ...]
    jumps: frozenset[str]
    has_labels: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> Region | None:
        """The statement with which the words begin; None where it is none, or a part of a `switch`."""
        if not words or words[0] in ("case", "default") or not _is_whole(words):
            return None
        words = words[: statement_end(words, 0) + 1]
        if _has_stray_case(words):
            return None
        names = {
            word
            for before, word in zip(["", *words], words, strict=False)
            if _is_name(word) and before not in (".", "->")
        }
        gotos = [b for a, b in itertools.pairwise(words) if a == "goto" and _is_name(b)]
        jumps = frozenset(("return", "break", "continue")).intersection(words)
        return cls(len(words), frozenset(names), tuple(dict.fromkeys(gotos)), jumps, _has_labels(words))

    def code(self, visible: set[str], coord: Any) -> c_ast.Compound:
        """What may stand there; `visible` are the variables of the function."""
        variables = self.names & visible
        items: list[c_ast.Node] = [unknown_value(variables, coord)]
        if "return" in self.jumps:
            items.append(whether(c_ast.Return(unknown_value(variables, coord), coord), coord))
        items += [whether(kind(coord), coord) for word, kind in _JUMPS if word in self.jumps]
        items += [whether(c_ast.Goto(name, coord), coord) for name in self.gotos]
        return c_ast.Compound(items, coord)


_JUMPS = (("break", c_ast.Break), ("continue", c_ast.Continue))


def _is_whole(words: Sequence[str]) -> bool:
    try:
        statement_end(words, 0)
    except UnbalancedError:
        return False
    return True


def _is_name(word: str) -> bool:
    return (word[0].isalpha() or word[0] in "_$") and word not in KEYWORDS and not word.endswith(('"', "'"))


def _has_labels(words: Sequence[str]) -> bool:
    """Is there a label, or something that may be one; or a jump to nobody knows where (`asm goto`)?"""
    return any(
        words[k + 1] == ":" and _is_name(words[k]) and (k == 0 or words[k - 1] in _BEFORE_LABEL)
        for k in range(len(words) - 1)
    ) or any(words[k] == "goto" and words[k + 1] in ("*", "(") for k in range(len(words) - 1))


def _has_stray_case(words: Sequence[str]) -> bool:
    """Does a case belong to a `switch` around the words?"""
    braces: list[bool] = []  # is it the body of a `switch`?
    parentheses: list[bool] = []  # are they those of a `switch`?
    last = False
    for before, word in zip(["", *words], words, strict=False):
        if word in ("(", "["):
            parentheses.append(before == "switch")
        elif word in (")", "]"):
            last = parentheses.pop()
        elif word == "{":
            braces.append(before == ")" and last)
        elif word == "}":
            braces.pop()
        elif word in ("case", "default") and not any(braces):
            return True
    return False
