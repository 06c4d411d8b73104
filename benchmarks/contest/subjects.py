"""The programs that must not become slower: ours in many people's styles, those of corpus/, and random ones.

All are run in one way: words in, the output on stdout, the seconds of what counts on the last line of stderr.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .programs import BENCHMARKS, CORPUS
from .whole import scaled_sizes

STYLES = BENCHMARKS / "harm"
APPLICATIONS = (CORPUS / "applications", BENCHMARKS / "applications")
BY_HAND = ".omp.c"  # ends the name of a program with directives by hand, beside the one without
ENOUGH = 0.1  # seconds that a program should take
SCALES = (1, 2, 4, 8, 16, 32)  # of the sizes of a program of corpus/
MOST_TIMES = 100_000  # runs in one process of a program that cannot grow


@dataclass(frozen=True)
class Subject:
    """A program, what it is run with, and how it can be made to take long enough to be measured."""

    name: str
    group: str
    source: Path
    words: tuple[str, ...] = ()
    small: tuple[str, ...] | None = None  # words of a second run, whose output is compared too
    flags: tuple[str, ...] = ()
    whole: bool = False  # prints no time: it is built with repeated.c, whose word is the number of runs


Measure = Callable[[Subject], float]
"""The seconds of the original, built for this."""


def ours(folder: Path = STYLES) -> list[Subject]:
    """Ours take a size and a number of repetitions; their defaults take long enough."""
    return [Subject(p.stem, "ours", p, (), ("37", "2")) for p in sorted(folder.glob("*.c"))]


def applications(folders: Iterable[Path] = APPLICATIONS) -> list[Subject]:
    """Programs as people of many trades write them, with marks by hand; their defaults take long enough."""
    return [Subject(p.stem, "applications", p) for folder in folders for p in sorted(folder.glob("*.c"))]


def others(folder: Path) -> list[Subject]:
    """Anybody's, by hand in NAME.omp.c beside NAME.c; their defaults take long enough."""
    sources = (p for p in sorted(folder.glob("*.c")) if not p.name.endswith(BY_HAND))
    return [Subject(p.stem, "others", p) for p in sources]


def corpus(folder: Path = CORPUS) -> list[Subject]:
    """Those with a `main`."""
    sources = (p for p in sorted(folder.glob("*/*.c")) if p.parent.name != "applications")
    found = (p for p in sources if re.search(r"\bmain\(", p.read_text("utf-8")))
    return [Subject(p.stem, f"corpus/{p.parent.name}", p, ("1",), ("1",), whole=True) for p in found]


def random(judge: Path, seeds: Iterable[int], folder: Path) -> list[Subject]:
    """Programs that a judge's generator makes, written to a folder."""
    made = _generator(judge)
    subjects = []
    for seed in seeds:
        source = folder / f"judge{seed}.c"
        source.write_text(made.clean(made.program(seed))[0], encoding="utf-8")
        subjects.append(Subject(source.stem, "random", source, ("700", "20"), ("61", "2")))
    return subjects


def _generator(judge: Path) -> types.ModuleType:
    """The judge's definitions; its call of `main` on the top level is left out."""
    tree = ast.parse(judge.read_text(encoding="utf-8"), str(judge))
    tree.body = [statement for statement in tree.body if not _calls_main(statement)]
    module = types.ModuleType("judge")
    exec(compile(tree, str(judge), "exec"), module.__dict__)
    return module


def _calls_main(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "main"


def sized(subject: Subject, measure: Measure) -> Subject:
    """The subject so that its original takes long enough, where that can be had."""
    if subject.group in ("ours", "applications", "others"):
        return subject
    return _grown(subject, measure) if subject.whole else _longer(subject, measure)


def _longer(subject: Subject, measure: Measure) -> Subject:
    """More repetitions: the second word says how many."""
    size, times = subject.words
    needed = int(int(times) * ENOUGH / max(measure(subject), 1e-4))
    return replace(subject, words=(size, str(max(2, min(400, needed)))))


def _grown(subject: Subject, measure: Measure) -> Subject:
    """Larger sizes, by macros; then more runs in one process."""
    text = subject.source.read_text(encoding="utf-8")
    grown, seconds = subject, measure(subject)
    for scale in SCALES[1:]:
        if seconds >= ENOUGH or not (flags := scaled_sizes(text, scale)):
            break
        grown = replace(subject, flags=tuple(flags))
        seconds = measure(grown)
    times = max(1, min(MOST_TIMES, round(ENOUGH / max(seconds, 1e-6))))
    return replace(grown, words=(str(times),))
