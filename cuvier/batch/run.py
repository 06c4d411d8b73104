"""A run over many files: the cache first, then an engine, and the results in the order of the jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cuvier.base.files import read_text
from cuvier.batch import keys
from cuvier.batch.cache import Cache
from cuvier.batch.coding import decoded, result_for
from cuvier.batch.engines import Engine
from cuvier.batch.job import Finished, Job, digest
from cuvier.batch.perform import Outcome
from cuvier.batch.progress import Progress, size_of


@dataclass
class Run:
    """`watch` is told of every file that is done, in whatever order."""

    engine: Engine
    cache: Cache | None = None
    watch: Progress = field(default_factory=lambda: Progress(0))
    _looked: keys.Looked = field(default_factory=keys.Looked)

    def results(self, jobs: Sequence[Job]) -> Iterator[Finished]:
        """The results, in the order of the jobs, whatever order they are done in."""
        ready: dict[int, Finished] = {}
        pending: list[int] = []
        for number, job in enumerate(jobs):
            kept = self._kept(job)
            if kept is None:
                pending.append(number)
            else:
                ready[number] = kept
                self.watch.finished(job)
        pending.sort(key=lambda number: size_of(jobs[number]))  # the smallest first: most results come soon
        self.watch.expect(jobs[number] for number in pending)
        outcomes = self.engine.run([jobs[number] for number in pending])
        at = 0
        while at < len(jobs):
            if at in ready:
                yield ready.pop(at)
                at += 1
                continue
            which, outcome = next(outcomes)
            number = pending[which]
            ready[number] = self._taken(jobs[number], outcome)
            self.watch.finished(jobs[number])

    def _kept(self, job: Job) -> Finished | None:
        """The result of an earlier run, if nothing has changed since."""
        if self.cache is None:
            return None
        try:
            text = read_text(Path(job.path))
        except OSError:
            return None
        for inputs in self.cache.inputs(keys.job_key(job, digest(text))):
            if self._looked.unchanged(inputs) and (result := self.cache.result(inputs.result)):
                found = result_for(text, result)
                return Finished(job, text, found) if found else None
        return None

    def _taken(self, job: Job, outcome: Outcome) -> Finished:
        """The result as values, which is kept for later runs."""
        if self.cache is not None and outcome.inputs is not None:
            self.cache.add_result(outcome.inputs.result, outcome.result)
            self.cache.add_inputs(keys.job_key(job, digest(outcome.text)), outcome.inputs)
        return Finished(job, outcome.text, decoded(outcome.result))
