"""Inspectors: what is left of a kernel's body where only the places of array elements are computed.

    y[i] = a * x[k[i]];                 cuvier_see(&y_seen, i, 1);
                                        cuvier_see(&x_seen, k[i], 0);
                                        cuvier_see(&k_seen, i, 0);

The host executes it before a launch (`--comm inspector`), over the loops of the kernel, and so learns which
cells the launch touches.  Where places depend on what the kernel computes, all of the array's region counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from skeletons.kernel.certainty import is_fixed, macro_bodies
from skeletons.kernel.context import Subject
from skeletons.kernel.regions import flat_offset, inner_extents
from species.facts.loops import KernelArray
from species.source.syntax.statement_tree import (
    Statement,
    hides_statements,
    is_assignment,
    read_header,
    read_statement,
    written_names,
)
from species.source.text.code import Access, accesses, code_tokens, names_in, words_in

_OPERATORS = frozenset(("+", "-", "*", "/", "%", "(", ")", "<", ">", "<=", ">=", "==", "!=", "!", "&&", "||"))
_PERHAPS = frozenset(("?", "&&", "||"))  # what follows may not be evaluated
_TRAPPING = frozenset(("/", "%"))
_LEAVING = frozenset(("break", "continue", "goto", "return"))


@dataclass(frozen=True)
class Inspector:
    """For one kernel; `seen` has the names of what is known of its arrays."""

    subject: Subject
    seen: dict[str, str]
    translated: Callable[[str], str]

    def text(self) -> str:
        """The statements for one iteration."""
        body = self.subject.body
        hidden = hides_statements(macro_bodies(self.subject, body))
        if hidden or _LEAVING & set(words_in(body)):
            return "\n".join(self._all(body))
        return "\n".join(self._statement(read_statement(body), body, frozenset()))

    def _statement(self, statement: Statement, text: str, scope: frozenset[str]) -> Iterator[str]:
        """`scope`: the iterators of loops around, which the inspector has, too."""
        own = statement.span.of(text)
        match statement.kind:
            case "block":
                for part in statement.parts:
                    yield from self._statement(part, text, scope)
            case "plain":
                yield from self._plain(own, scope)
            case "for":
                yield from self._loop(statement, text, scope)
            case "if" if statement.header and self._is_known(statement.header.of(text), scope):
                header = statement.header.of(text)
                yield from self._plain(header, scope)
                for k, part in enumerate(statement.parts):
                    yield "else {" if k else f"if ({self.translated(header)}) {{"
                    yield from self._statement(part, text, scope)
                    yield "}"
            case _:
                yield from self._all(own)

    def _loop(self, statement: Statement, text: str, scope: frozenset[str]) -> Iterator[str]:
        own, body = statement.span.of(text), statement.parts[0].span.of(text)
        header = read_header(statement.header.of(text)) if statement.header else None
        inner = scope | {header.iterator} if header is not None else scope
        known = header is not None and self._is_known(header.lower, scope)
        known = known and header is not None and self._is_known(header.condition, inner)
        steps = header is not None and set(names_in(header.update)) <= {header.iterator}
        if header is None or not known or not steps or inner & written_names(body):
            yield from self._all(own)
            return
        ctype = header.declared or self._ctype(header.iterator)
        start = f"{ctype} {header.iterator} = {header.lower}"
        yield from self._plain(f"{header.lower}; {header.condition}", scope)
        yield self.translated(f"for ({start}; {header.condition}; {header.update}) {{")
        yield from self._statement(statement.parts[0], text, inner)
        yield "}"

    def _ctype(self, name: str) -> str:
        return next((s.ctype for s in self.subject.kernel.scalars if s.name == name), "long")

    def _plain(self, own: str, scope: frozenset[str]) -> Iterator[str]:
        """The elements of an expression; those that may not be evaluated are found without other arrays."""
        perhaps = bool(_PERHAPS & {token.text for token in code_tokens(own)})
        for array in self.subject.kernel.arrays:
            for use in accesses(own, array.name):
                place = self._place(array, use, scope, deep=not perhaps)
                verb = "1" if array.writes is not None and _is_written(own, use) else "0"
                if place and not self._is_hidden(array, own):
                    yield f"cuvier_see(&{self.seen[array.name]}, {self.translated(place)}, {verb});"
                else:
                    yield self._whole(array)
            if not accesses(own, array.name) and self._is_hidden(array, own):
                yield self._whole(array)

    def _place(self, array: KernelArray, use: Access, scope: frozenset[str], *, deep: bool) -> str:
        """The number of the element; empty: it cannot be told."""
        if len(use.subscripts) != len(array.extent):
            return ""
        if not all(self._is_known(text, scope, deep=deep) for text in use.subscripts):
            return ""
        return flat_offset(list(use.subscripts), inner_extents(array))

    def _is_hidden(self, array: KernelArray, own: str) -> bool:
        """May a macro or a function touch it?"""
        functions = set(words_in(own)) & set(self.subject.declarations.functions)
        return array.name in self.subject.macro_names(own) or (bool(functions) and array.storage == "global")

    def _all(self, own: str) -> Iterator[str]:
        """All of the arrays that a text may touch."""
        names = {*names_in(own), *self.subject.macro_names(own)}
        for array in self.subject.kernel.arrays:
            if array.name in names or self._is_hidden(array, own):
                yield self._whole(array)

    def _whole(self, array: KernelArray) -> str:
        return f"cuvier_see_all(&{self.seen[array.name]}, {int(array.writes is not None)});"

    def _is_known(self, text: str, scope: frozenset[str], *, deep: bool = True) -> bool:
        """Can the host compute an expression before the launch?"""
        arrays = self.subject.kernel.arrays if deep else ()
        lists = [array for array in arrays if array.writes is None and len(array.extent) == 1]
        uses = [use for array in lists for use in accesses(text, array.name)]
        if any(len(u.subscripts) != 1 or not self._is_known(u.subscripts[0], scope) for u in uses):
            return False
        rest = _without(text, uses)
        tokens = code_tokens(rest)
        operators = _OPERATORS if deep else _OPERATORS - _TRAPPING
        plain = all(t.kind in ("identifier", "number") or t.text in operators for t in tokens)
        calls = any(a.kind == "identifier" and b.text == "(" for a, b in pairwise(tokens))
        names = set(names_in(rest))
        return plain and not calls and all(name in scope or is_fixed(self.subject, name) for name in names)


def _without(text: str, uses: list[Access]) -> str:
    """The text with a number in place of elements of arrays."""
    done, parts = 0, []
    for use in sorted(uses, key=lambda use: use.span):
        if use.span.start >= done:
            parts += [text[done : use.span.start], " 0 "]
            done = use.span.end
    return "".join(parts) + text[done:]


def _is_written(text: str, use: Access) -> bool:
    """Is it assigned to, or nobody can tell: a member, or its address, is used?"""
    after = code_tokens(text[use.span.end :])
    before = code_tokens(text[: use.span.start])
    following = next((token.text for token in after if token.text != ")"), "")
    leading = next((token.text for token in reversed(before) if token.text != "("), "")
    unclear = following in ("++", "--", ".", "->", "[") or leading in ("++", "--", "&")
    return unclear or is_assignment(following)
