"""The OpenMP pragma of a loop (OpenMP 5.0, section 2.13.1): each variable in the clauses where it may be."""

from __future__ import annotations

import re
from collections.abc import Iterable

from species.facts.loops import LoopFacts, Reduction

_LIST_ITEM = re.compile(r"[A-Za-z_]\w*\s*(?:\[.*\])?", re.DOTALL)  # a variable, element or section
_MODIFIER = re.compile(r"val|ref|uval|step\s*\(.*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


def parallel_for(loop: LoopFacts, collapse: int) -> str | None:
    """`#pragma omp parallel for ...` for a parallel or conditional `for` loop.

    None where OpenMP has no way to say it.  `collapse` is the number of loops to join.
    """
    if loop.kind != "for" or pragma_obstacle(loop):
        return None
    return " ".join(["#pragma omp parallel for", *clauses(loop, collapse)])


def pragma_obstacle(loop: LoopFacts) -> str:
    """Why no clauses say what the loop does to its variables; an empty text: they do."""
    if not loop.nonempty and set(loop.base_loops[:1]) & set(loop.lastprivate):
        # C has then set it to its start, OpenMP has not.
        return f"'{loop.base_loops[0]}' is needed after the loop, which may make no iteration"
    if not all(map(_LIST_ITEM.fullmatch, _listed(loop))):
        return "no clause can name a member of a structure"
    return ""


def _listed(loop: LoopFacts) -> list[str]:
    variables = [*loop.private, *loop.firstprivate, *loop.lastprivate, *loop.lastprivate_conditional]
    variables += [linear.variable for linear in loop.linear]
    return variables + [reduction.variable for reduction in loop.reductions]


def clauses(loop: LoopFacts, collapse: int) -> list[str]:
    """The clauses of a parallel loop in a fixed order, each variable only where it may stand."""
    reduced = {_name(reduction.variable) for reduction in loop.reductions}
    last = _without(loop.lastprivate, reduced)
    # A loop without iterations must leave the old value, which gcc's lastprivate alone does not see to.
    kept = [] if loop.nonempty else _without(last, set(loop.base_loops[:1]))
    first = _without([*loop.firstprivate, *kept, *loop.copied], reduced)
    private = _without(loop.private, {*reduced, *first, *last})
    lists = [("private", private), ("firstprivate", first), ("lastprivate", last)]
    clauses = [f"{clause}({', '.join(names)})" for clause, names in lists if names]
    clauses += [f"lastprivate(conditional: {n})" for n in _without(loop.lastprivate_conditional, reduced)]
    clauses += [f"linear({each.variable}:{_step(each.step)})" for each in loop.linear]
    clauses += reduction_clauses(loop.reductions)
    clauses += [f"collapse({collapse})"] if collapse > 1 else []
    schedule = "static, 1" if loop.uneven else loop.schedule  # of both ends for each
    clauses += [f"schedule({schedule})"] if schedule and collapse <= 1 else []
    conditions = (loop.asked, *loop.conditions) if loop.asked else loop.conditions  # the cheapest one first
    return clauses + ([f"if({_conjunction(conditions)})"] if conditions else [])


def _step(text: str) -> str:
    """The step in parentheses where it could be a modifier (OpenMP 5.2, section 5.4.6)."""
    return f"({text})" if _MODIFIER.fullmatch(text) else text


def reduction_clauses(reductions: Iterable[Reduction]) -> list[str]:
    """One clause per operator; a variable stands in the first that names it."""
    operators: dict[str, list[str]] = {}
    seen: set[str] = set()
    for reduction in reductions:
        if reduction.variable not in seen:
            operators.setdefault(reduction.operator, []).append(_section(reduction.variable))
            seen.add(reduction.variable)
    return [f"reduction({operator}:{', '.join(names)})" for operator, names in operators.items()]


def _section(variable: str) -> str:
    """An element as OpenMP names it: a section of length 1."""
    return variable if ":" in variable else variable.replace("]", ":1]")


def _without(names: Iterable[str], taken: set[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in taken]


def _name(variable: str) -> str:
    match = _NAME.match(variable)
    assert match is not None
    return match[0]


def _conjunction(conditions: tuple[str, ...]) -> str:
    texts = [" ".join(condition.split()) for condition in dict.fromkeys(conditions)]
    return texts[0] if len(texts) == 1 else " && ".join(f"({text})" for text in texts)
