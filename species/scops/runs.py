"""Which neighbouring loops of a function make one static control part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.scops import Scop
from species.loops.model import FunctionModel, Loop
from species.openmp.structure_copies import StructureCopies
from species.scops.build import Builder, Context
from species.scops.refused import Refused
from species.source import TranslationUnit

Run = tuple[Loop, ...]  # neighbours


def scops_of(
    unit: TranslationUnit,
    model: FunctionModel,
    judge: Judge,
    flows: FlowAnalysis,
    judgements: Mapping[int, Judgement],
    copies: StructureCopies,
) -> Iterator[Scop]:
    """The largest static control parts of a function, in the order of the text.

    `judgements` are those of all loops, by number.
    """
    loops = {id(loop.node): loop for loop in model.loops if not loop.inlined}
    context = Context(unit, model, judge, flows, judgements, copies)
    for run in _runs(model.node.body, loops, context):
        yield from _of_run(context, run)


def _of_run(context: Context, run: Run) -> Iterator[Scop]:
    """One part, or where the loops make none together, those of both halves."""
    scop = _scop(context, run)
    if scop is not None:
        yield replace(scop, alternative=_scop(context, run, accumulating=True))
    elif len(run) > 1:
        half = len(run) // 2
        yield from _of_run(context, run[:half])
        yield from _of_run(context, run[half:])


def _scop(context: Context, run: Run, accumulating: bool = False) -> Scop | None:
    """The part that the loops are; with `accumulating`, with sums in the cells where they end, and None where
    there are no such sums.
    """
    try:
        builder = Builder(context, run, accumulating)
        scop = builder.scop()
    except Refused:
        return None
    return scop if builder.accumulators or not accumulating else None


def _runs(node: Any, loops: Mapping[int, Loop], context: Context) -> Iterator[Run]:
    """Consecutive loops of one block that are static control parts, each by itself; outermost ones first."""
    run: Run = ()
    for item in _children(node):
        loop = loops.get(id(item))
        if loop is not None and _scop(context, (loop,)) is None:
            loop = None
        if run and (loop is None or not _have_one_shape(context, run, loop)):
            yield run
            run = ()
        if loop is None:
            yield from _runs(item, loops, context)
        elif isinstance(node, c_ast.Compound):
            run = (*run, loop)
        else:
            yield (loop,)  # the branches of an `if` do not follow one another
    if run:
        yield run


def _children(node: Any) -> list[Any]:
    if isinstance(node, c_ast.Compound):
        return list(node.block_items or [])
    return [child for _, child in node.children()]


def _have_one_shape(context: Context, run: Run, loop: Loop) -> bool:
    """Do flattened arrays have the same rows in some loops, in another one, and in all of them together, with
    nothing more to be tested?
    """
    together, *apart = (context.flattened(loops) for loops in ((*run, loop), run, (loop,)))
    tests = {condition for one in apart for condition in one.conditions}
    return set(together.conditions) <= tests and all(
        together.shapes.get(key) == shape for one in apart for key, shape in one.shapes.items()
    )
