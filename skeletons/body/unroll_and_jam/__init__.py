"""Thread coarsening: a thread makes several iterations of one base loop, and reads once what they share.

The iterations of a thread are as far apart as there are threads, so that neighbouring threads still read
neighbouring cells.  Inner loops whose headers are the same for all of them are walked once:

    double sum[i_merged];                     what passes from statement to statement, one for each iteration
    for each: sum[each] = 0;
    for (j = 0; j < n; j++) {
        const double x_shared = x[j];         read once
        for each: sum[each] += A[j][i] * x_shared;
    }
    for each: y[i] = sum[each];

Every iteration makes its operations in the order of the source, so results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable

from skeletons.body.inner_sums import sums_in_loops
from skeletons.body.unroll_and_jam.joint import Together
from skeletons.body.unroll_and_jam.reads import IN_LOOPS, share
from skeletons.body.unroll_and_jam.text import Writer
from skeletons.kernel.certainty import macro_bodies
from skeletons.kernel.context import Subject
from skeletons.kernel.views import LoopView, MergeView
from species.core.refusal import Refusal
from species.source.syntax.statement_tree import JUMPS, hides_statements, written_names
from species.source.text.code import block, code_tokens


def merged(
    subject: Subject, text: str, loops: tuple[LoopView, ...], fresh: Callable[[str], str]
) -> MergeView:
    """The body `text` for several iterations at once; Refusal where they share nothing that is read.

    `loops` are the views of the base loops, in their order.
    """
    best = _best(subject, text)
    view = next(v for loop, v in zip(subject.spread, loops, strict=True) if loop is best.loop)
    return Writer(best, view, fresh).view(tuple(other for other in loops if other is not view))


def side_by_side(
    subject: Subject, text: str, loops: tuple[LoopView, ...], fresh: Callable[[str], str]
) -> MergeView | None:
    """The body `text` for a block of neighbouring iterations of the outermost base loop; None where inner
    loops, other base loops among them, read nothing that all of them share, or do more than assign.
    """
    try:
        _check(subject, text)
    except Refusal:
        return None
    if len(subject.spread) > 1 and (subject.scalars("reduction") or subject.kernel.combined):
        return None  # they would be combined in another order
    text = _with_others(subject, text)
    together = Together(subject, text, subject.spread[0], is_whole=True)
    if not _only_assigns(together) or share(together) < IN_LOOPS:
        return None
    sums = sums_in_loops(subject, text)
    return Writer(together, loops[0], fresh, blocks=True, sums=sums).view(())


def _with_others(subject: Subject, text: str) -> str:
    """The body in the base loops inside of the outermost one."""
    for loop in reversed(subject.spread[1:]):
        step = f"{loop.iterator} += {loop.step}"
        header = f"for ({loop.ctype} {loop.iterator} = {loop.lower}; {loop.condition}; {step})"
        text = f"{header} {{\n    {block(text, 4)}\n}}"
    return text


def _only_assigns(together: Together) -> bool:
    """Are there inner loops, all of them walked once, around nothing but plain statements?"""
    parts = [part for whole in together.sequence for part in whole.walk()]
    others = (part for part in parts if part.kind not in ("plain", "block"))
    return bool(together.iterators) and all(part.span in together.joint for part in others)


def check_shared(subject: Subject) -> None:
    """Refusal where the iterations of no base loop read the same cells, or where they cannot be merged."""
    _best(subject, subject.body)


def _best(subject: Subject, text: str) -> Together:
    """The loop whose iterations share most."""
    _check(subject, text)
    made = [Together(subject, text, loop) for loop in subject.spread]
    best = max(made, key=share)
    if share(best) == 0:
        raise Refusal("no iterations of a loop read the same cells beside their own")
    return best


def _check(subject: Subject, text: str) -> None:
    words = {token.text for token in code_tokens(text)}
    found = words & JUMPS
    if found:
        raise Refusal(f"`{sorted(found)[0]}` stands in the loop")
    if hides_statements(macro_bodies(subject, text)):
        raise Refusal("a macro in the loop is more than a value")
    for scalar in subject.scalars("lastprivate", "firstprivate"):
        raise Refusal(f"{scalar.name} carries a value between iterations")
    if {loop.iterator for loop in subject.spread} & (subject.redeclared | written_names(text)):
        raise Refusal("the loop has two variables of the name of its iterator")
    if len(subject.spread) < len(subject.kernel.loops):
        raise Refusal("not all base loops are spread over threads")
