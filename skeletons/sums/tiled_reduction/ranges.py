"""Base loops whose bounds depend on other base loops: triangles, walked as the rectangle around them."""

from __future__ import annotations

from collections.abc import Sequence

from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.syntax.expressions import NotPlain, coefficient, names, parse_statement, type_of
from species.source.text.code import code_tokens, names_in, substitute

_SIGNED = ("char", "signed char", "short", "int", "long", "long long")


def dependent(subject: Subject) -> tuple[str, ...]:
    """The iterators of the loops whose bounds name another base loop's iterator."""
    return tuple(o.iterator for o in subject.kernel.loops if _others(subject, f"{o.lower} {o.condition}", o))


def hulls(subject: Subject) -> dict[str, str]:
    """For each loop whose start depends on another loop: the first value that it has in any iteration.

    As the start grows with the other loop, that is its value in the other's first iteration; so many
    iterations as the loop has then lie between there and its end.  Refusal where it is not so simple.
    """
    loops = {loop.iterator: loop for loop in subject.kernel.loops}
    found = {}
    for loop in subject.kernel.loops:
        others = _others(subject, loop.lower, loop)
        if others:
            found[loop.iterator] = _hull(subject, loop, [loops[name] for name in sorted(others)])
    return found


def _others(subject: Subject, text: str, loop: KernelLoop) -> frozenset[str]:
    used = {*names_in(text), *subject.macro_names(text)}
    return (subject.iterators - {loop.iterator}) & used


def _hull(subject: Subject, loop: KernelLoop, outer: Sequence[KernelLoop]) -> str:
    one = outer[0]
    simple = len(outer) == 1 and loop.step == 1 and one.step > 0
    if not simple or _others(subject, loop.condition, loop) or _others(subject, one.lower, one):
        raise Refusal(f"the bounds of {loop.iterator} depend on other loops in more than one way")
    try:
        grows = _grows(subject, loop, one)
    except NotPlain as obstacle:
        raise Refusal(str(obstacle)) from None
    if not grows:
        raise Refusal(f"the start of {loop.iterator} does not grow with {one.iterator}")
    return substitute(loop.lower, {one.iterator: one.lower})


def _grows(subject: Subject, loop: KernelLoop, outer: KernelLoop) -> bool:
    """Does the start of `loop` grow with `outer`, in numbers that cannot wrap around?"""
    tree = parse_statement(loop.lower)
    types = {name: _type(subject, name, outer) for name in sorted(names(tree))}
    slope = coefficient(tree, outer.iterator)
    counted = {type_of(tree, types), *types.values(), subject.canonical(loop.ctype, loop.iterator)}
    return slope is not None and slope > 0 and counted <= {*_SIGNED}


def _type(subject: Subject, name: str, outer: KernelLoop) -> str:
    """The type of a name in a bound; macros must be whole numbers."""
    if name == outer.iterator:
        return subject.canonical(outer.ctype, name)
    body = subject.macro_body(name)
    if body is not None:
        words = [token.text for token in code_tokens(body) if token.text not in ("(", ")")]
        return "int" if len(words) == 1 and words[0].isdecimal() else "unknown"
    if name in subject.redeclared:
        raise NotPlain(f"{name} is declared in the loop")
    return subject.declared_type(name)
