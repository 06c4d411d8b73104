"""A run over the files of one program: each by itself, then again those that gain by what others tell.

The first step is a run as always, whose results hold summaries (`species.interprocedural`); joining these is
cheap.  What a file is to know is a part of its second job, and so of the key of its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cuvier.batch.job import Finished, Job
from cuvier.batch.run import Run
from species.interprocedural.join import Program
from species.interprocedural.summary import Summary

_UNKNOWN_CALL = re.compile(r"'(\w+)'.* is called, and its effects are not known$")


def results_of_program(run: Run, jobs: Sequence[Job], ambiguous: frozenset[str]) -> Iterator[Finished]:
    """The results, in the order of the jobs; the files in `ambiguous` are compiled in several ways."""
    alone = list(run.results([_asked(job, summary=True) for job in jobs]))
    told = [Summary.read(each.result.summary) for each in alone if each.result.summary]
    program = Program(told, ambiguous)
    imports = program.imports()
    again = run.results([_asked(job, imports=imports[job.path]) for job in jobs if job.path in imports])
    for finished in alone:
        better = _better(finished, next(again)) if finished.job.path in imports else finished
        yield _explained(better, program)


def _better(alone: Finished, linked: Finished) -> Finished:
    """What came of the second step; of the first, and why, where the second failed."""
    if linked.result.unit["status"] != "failed" or alone.result.unit["status"] == "failed":
        return linked
    notes = [*alone.result.notes, *map(_told, linked.result.unit["diagnostics"])]
    return replace(alone, result=replace(alone.result, notes=notes))


def _explained(finished: Finished, program: Program) -> Finished:
    """With what keeps functions of other files unknown, where they are why a loop is not parallel."""
    unit = finished.result.unit
    loops = [{**loop, "reasons": [_reason(r, program) for r in loop["reasons"]]} for loop in unit["loops"]]
    return replace(finished, result=replace(finished.result, unit={**unit, "loops": loops}))


def _reason(reason: dict[str, Any], program: Program) -> dict[str, Any]:
    called = _UNKNOWN_CALL.match(reason["message"]) if reason["code"] == "CV305" else None
    why = program.why_unknown(called[1]) if called else ""
    return {**reason, "message": f"{reason['message']}: {why}"} if why else reason


def _told(diagnostic: dict[str, Any]) -> dict[str, Any]:
    why = f"analysed without what is known of other files: {diagnostic['message']}"
    return {**diagnostic, "severity": "warning", "message": why}


def _asked(job: Job, *, summary: bool = False, imports: str = "") -> Job:
    return replace(job, analysis=replace(job.analysis, summary=summary, imports=imports))
