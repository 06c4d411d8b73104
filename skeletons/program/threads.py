"""What templates see of a loop whose iterations threads share otherwise than OpenMP's clauses say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from models.profitability import Worth
from skeletons.body.argmin import extremes, screened
from skeletons.body.outline import insertion_point
from skeletons.body.scan import Prefix, prefix
from skeletons.catalogue import passes
from skeletons.catalogue.descriptor import Skeleton, Target
from skeletons.catalogue.dialect import library_names
from skeletons.catalogue.rendering import render
from skeletons.kernel.chunks import SplitLoop, free_names, split_loop
from skeletons.kernel.context import Subject
from skeletons.kernel.spelling import user_words, written_tests
from skeletons.program.array_copies import CELL, ArrayCopies, array_copies, without_arrays
from skeletons.program.extremes_in_parts import in_parts
from skeletons.program.profit import Profit
from skeletons.schedule.emit.copies import COPIES
from skeletons.select.api import CompileOptions
from skeletons.select.clauses import clauses
from skeletons.select.feedback import SHARE, THREADS
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts.loop_forms import NOTE
from species.facts.loops import KernelScalar
from species.row_tests import called_in, functions
from species.source.text.code import names_in, words_in
from species.source.text.edits import Edit
from species.source.text.tokens import outside_conditionals

if TYPE_CHECKING:
    from species.source import TranslationUnit

_IN_HELPER = frozenset(("count", "least", "parts"))  # the names that parts.c.j2 declares


@dataclass(frozen=True)
class Extreme:
    """An argmin or argmax: `screen` is the body, which only notes in `flag` whether it would set anything."""

    value: KernelScalar
    with_it: tuple[KernelScalar, ...]
    relation: str  # "<" or ">": how a better value relates to the old one
    keeps: str  # of equal ones, "first" or "last"
    flag: str
    screen: str
    is_long: bool  # iterations take long: of a block with something better, they run twice

    @property
    def scalars(self) -> tuple[KernelScalar, ...]:
        """All that is set together."""
        return (self.value, *self.with_it)


@dataclass(frozen=True)
class Threads:
    """The loop, `free` names for new variables, and what its iterations have in common."""

    loop: SplitLoop
    free: Callable[[str], str]
    helper: str  # the function that says in how many parts a loop is cut
    prefix: Prefix | None
    extreme: Extreme | None


def views(subject: Subject, skeleton: Skeleton, profit: Profit, options: CompileOptions) -> dict[str, Any]:
    """What templates see, by the transformation of their skeleton; Refusal says what stands in the way."""
    worth = profit.worth(subject.facts)
    match skeleton.transform:
        case passes.SHARED:
            return {"threads": _threads(subject)}
        case passes.ORDERED:
            fixed = passes.DETERMINISTIC in options.wanted
            return {"extremes": in_parts(subject, worth.asked, fixed=fixed)}
        case passes.COPIED:
            limited = passes.THRESHOLD not in options.without
            if limited and subject.facts.id not in profit.copied:
                raise Refusal("threads share loops inside of it, without copies")
            return {"copies": _copies(subject, worth, limited=limited)}
    return {}


def _threads(subject: Subject) -> Threads:
    if subject.kernel.sharing_obstacle:
        raise Refusal(subject.kernel.sharing_obstacle)
    loop, free = split_loop(subject), free_names(subject)
    tied = subject.kernel.pattern is not None
    if tied:
        _check_helper(subject)
    return Threads(
        loop,
        free,
        helper_name(subject.unit),
        prefix(subject, loop) if tied else None,
        None if tied else _extreme(subject, loop, free("better")),
    )


def _copies(subject: Subject, worth: Worth, *, limited: bool) -> ArrayCopies:
    """The kernel for threads with copies of arrays, where these pay if `limited`."""
    _check_helper(subject)
    alone = replace(subject, facts=replace(subject.facts, reductions=without_arrays(subject)))
    helper = helper_name(subject.unit)
    return array_copies(subject, clauses(alone, worth), worth.asked, helper, CELL if limited else 0)


def _check_helper(subject: Subject) -> None:
    """Refusal where the helper cannot stand before the kernel's function."""
    insertion_point(subject)
    for name in sorted(_IN_HELPER & subject.unit.macros.names):
        raise Refusal(f"the macro {name} would change the generated function")


def helper_name(unit: TranslationUnit) -> str:
    """A name for the helper function that the file does not use."""
    name, taken = "cuvier_parts", words_in(unit.source.text)
    while name in taken:
        name += "_"
    return name


def _extreme(subject: Subject, loop: SplitLoop, flag: str) -> Extreme:
    found = extremes(subject)
    written = [array.name for array in subject.kernel.arrays if array.writes is not None]
    if len(found) != 1 or len(subject.facts.reductions) != 1 or not found[0].with_it:
        raise Refusal("it looks for more than one extreme, or does more than that")
    if written:
        raise Refusal(f"it writes {written[0]} as well")
    words = words_in(loop.body)
    scalars = {scalar.name: scalar for scalar in subject.kernel.scalars}
    value = found[0].variable
    if not {value, *found[0].with_it} <= scalars.keys():
        raise Refusal(f"{value} is no variable of its own")
    return Extreme(
        value=scalars[value],
        with_it=tuple(scalars[name] for name in found[0].with_it),
        relation="<" if found[0].operator == "argmin" else ">",
        keeps=found[0].keeps,
        flag=flag,
        screen=screened(subject, loop.body, value, flag),
        is_long=bool(words & {"for", "while", "do"} or words & subject.declarations.functions.keys()),
    )


def helper_edit(
    unit: TranslationUnit, target: Target, edits: list[Edit], newlines: Callable[[str], str]
) -> list[Edit]:
    """Puts the helpers before the first function that calls them, and outside of `#if`."""
    text, found = unit.source.text, []
    templates = {helper_name(unit): "parts.c.j2", COPIES: "copies.c.j2", THREADS: "threads.c.j2"}
    templates[SHARE] = "trial.c.j2"
    templates[NOTE] = "later.c.j2"
    helpers: dict[tuple[str, ...], Callable[[], str]] = {
        (name,): partial(render, template, target.folder, target.name, name=name)
        for name, template in templates.items()
    }
    written = written_tests(unit)
    tests = called_in("\n".join([*(edit.replacement for edit in edits), *(f"{name}(" for name in written)]))
    if tests:
        helpers[tests] = partial(functions, tests, sorting=True)
    for names, made in helpers.items():
        calls = [e.span.start for e in edits if any(f"{name}(" in e.replacement for name in names)]
        calls += [text.index(f"{name}(") for name in (*written, NOTE) if name in names and f"{name}(" in text]
        if calls and not (user_words(unit) - {*written, NOTE}).intersection(names):
            start = unit.declaration_start(min(calls), nearest=True)
            point = outside_conditionals(text, start or 0)
            opened = "" if text[:point].endswith("\n") or not point else "\n"  # for its directives
            found.append(Edit(Span(point, point), newlines(opened + _apart(made(), unit))))
    return found


def _apart(helper: str, unit: TranslationUnit) -> str:
    """The helper with other names for what the user's macros call otherwise; C's library keeps its names."""
    taken = {*names_in(helper), *unit.macros.names}
    for name in sorted(set(names_in(helper)) - library_names()):
        if name in unit.macros.users:
            fresh = next(n for k in count(1) if (n := f"{name}_{k}") not in taken)
            taken.add(fresh)
            helper = re.sub(rf"\b{name}\b", fresh, helper)  # members, too
    return helper
