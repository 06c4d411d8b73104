"""What is certain of an iteration: places that stay, expressions that are evaluated, first steps of loops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from skeletons.kernel.array_views import BYTES
from skeletons.kernel.context import Subject
from species.source.syntax.statement_tree import read_header, written_names
from species.source.text.code import code_tokens, names_in, parenthesised, rename

_MAYBE = frozenset(("?", "&&", "||", "sizeof"))  # what stands beside them may not be evaluated
_IN_SUBSCRIPTS = frozenset(("+", "-", "*", "(", ")"))


def macro_bodies(subject: Subject, text: str) -> Iterator[str]:
    """What the macros in `text` stand for, and those inside of them."""
    for name in {*names_in(text), *subject.macro_names(text)}:
        body = subject.macro_body(name)
        if body is not None:
            yield body


def is_fixed_place(subject: Subject, subscript: str) -> bool:
    """Is the subscript plain arithmetic over base iterators, parameters and constants?"""
    tokens = code_tokens(subscript)
    plain = all(t.kind in ("identifier", "number") or t.text in _IN_SUBSCRIPTS for t in tokens)
    calls = any(a.kind == "identifier" and b.text == "(" for a, b in pairwise(tokens))
    return plain and not calls and all(is_fixed(subject, name) for name in names_in(subscript))


def is_fixed(subject: Subject, name: str) -> bool:
    """Does a name have one value during an iteration of the base loops?"""
    if name in subject.redeclared:
        return False
    spread = {loop.iterator for loop in subject.spread}
    if name in spread | {scalar.name for scalar in subject.scalars("in")}:
        return True
    body = subject.macro_body(name)
    if body is not None:
        return all(is_fixed(subject, inner) for inner in names_in(body)) and "(" not in body.lstrip("(")
    return name in subject.declarations.enumerators


def is_evaluated(subject: Subject, text: str) -> bool:
    """Is all that stands there evaluated?"""
    names = {*names_in(text), *subject.macro_names(text)}
    found = [macro for name in names if (macro := subject.unit.macros.definition(name, subject.line))]
    tokens = {token.text for one in (text, *(m.body for m in found)) for token in code_tokens(one)}
    return not tokens & _MAYBE and all(macro.params is None for macro in found)


def first_condition(subject: Subject, text: str) -> str | None:
    """Whether a loop makes its first step, from its header; None where it has no plain header."""
    header = read_header(text)
    if header is None or not is_plain(header.lower) or not is_plain(header.condition):
        return None
    declared = header.declared or next(
        (s.ctype for s in subject.kernel.scalars if s.name == header.iterator), ""
    )
    if subject.declarations.canonical(declared) not in BYTES or header.iterator in names_in(header.lower):
        return None
    others = {*names_in(header.lower), *names_in(header.condition)} - {header.iterator}
    if not all(is_fixed(subject, name) for name in others) or header.iterator in subject.iterators:
        return None
    if written_names(header.lower + header.condition):
        return None
    lower = parenthesised(header.lower)
    start = lower if _is_int(subject, declared, header.lower) else f"({declared}){lower}"
    moved = rename(header.condition, {header.iterator: start})
    return moved if moved.count("&&") + moved.count("||") + moved.count("?") == 0 else f"({moved})"


def _is_int(subject: Subject, declared: str, text: str) -> bool:
    """Are the iterator and all in its first value of type int?"""
    types = {scalar.name: scalar.ctype for scalar in subject.kernel.scalars}
    types |= {loop.iterator: loop.ctype for loop in subject.spread}
    parts = (t for t in code_tokens(text) if t.kind in ("identifier", "number"))
    return declared == "int" and all(t.text.isdecimal() or types.get(t.text) == "int" for t in parts)


def is_plain(text: str) -> bool:
    """No call, no element, nothing that changes anything."""
    tokens = code_tokens(text)
    calls = any(a.kind == "identifier" and b.text == "(" for a, b in pairwise(tokens))
    strange = {"[", "=", "++", "--", ",", ".", "->"} & {token.text for token in tokens}
    return not calls and not strange
