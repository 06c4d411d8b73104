"""Does Cuvier harm a program?  gcc -O3 against what `cuvier annotate` and `cuvier compile` make of it.

    python benchmarks/harm.py                                      (our programs and those of corpus/)
    python benchmarks/harm.py --groups ours --rounds 3
    python benchmarks/harm.py --groups applications --threads 2 --hand
    python benchmarks/harm.py --programs kmeans,game-of-life --only annotate
    python benchmarks/harm.py --folder ~/programs --hand           (yours: NAME.c, and NAME.omp.c by hand)
    python benchmarks/harm.py --judge ../shared/judge/judge.py --seed 100 --count 50 --groups random
    python benchmarks/harm.py --jobs 2 -o build/harm.md
    python benchmarks/harm.py --rounds 0                           (what is printed, and no times)

The programs of benchmarks/harm/ are in the styles in which people write applications, those of
corpus/applications/ and benchmarks/applications/ are longer ones of many trades, with what a person would
mark; those of corpus/ get larger sizes, or run many times in one process, until they take a tenth of a
second; random ones come from a judge's generator.  Each is built with gcc -O3 -march=native as it is,
annotated with --style openmp, and compiled for OpenMP with the Makefile that it got.  They take turns, with
two threads and with one.  A ratio is the speed against the original, the median over the rounds; what is
below the bar is measured again before it is called so.  What is left as it was is not measured.  Outputs are
compared, at a second size too.

Exit status: 0 all is well; 1 something is below the bar, prints something else, or was not built;
2 bad options.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from contest import subjects
from contest.contenders import BuildError
from contest.harm_table import Table
from contest.rounds import Effort, Timing, execute, measure
from contest.running import RunError
from contest.subjects import Subject
from contest.variants import BY_HAND, WAYS, Built, build, original

BUSY = 0.5  # processes that were running before, on average
GROUPS = ("ours", "applications", "corpus", "random")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=_names, help="these only, with commas [default: all]")
    parser.add_argument(
        "--groups",
        type=_names,
        help="any of ours,applications,corpus,random [default: all; random needs --judge]",
    )
    parser.add_argument("--folder", type=Path, metavar="DIR", help="the programs of this folder, no others")
    parser.add_argument("--judge", type=Path, metavar="PATH", help="a judge, whose generator makes programs")
    parser.add_argument("--seed", type=int, default=1, help="of the first random program [default: 1]")
    parser.add_argument("--count", type=int, default=20, help="random programs [default: 20]")
    parser.add_argument("--only", choices=WAYS, help="one of the two ways")
    parser.add_argument("--hand", action="store_true", help="and the directives that people had in mind")
    parser.add_argument("--threads", type=_numbers, default=(2, 1), help="with commas [default: 2,1]")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each; 0: outputs only [default: 5]")
    parser.add_argument(
        "--more", type=int, default=10, help="further turns of what is below the bar [default: 10]"
    )
    parser.add_argument("--least", type=float, default=0.95, help="of gcc's speed [default: 0.95]")
    parser.add_argument("--jobs", type=int, default=1, help="programs that are built at once [default: 1]")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="build there, and leave it")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the table there too")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in _names(text))


def chosen(options: argparse.Namespace, folder: Path) -> list[Subject]:
    """The programs that were asked for."""
    if options.folder:
        return _named(options, subjects.others(options.folder))
    groups = GROUPS if options.groups is None else options.groups
    unknown = sorted(set(groups) - set(GROUPS))
    if unknown:
        _refuse(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    if "random" in (options.groups or ()) and not options.judge:
        _refuse("--groups random: name a judge that makes programs with --judge")
    found = subjects.ours() if "ours" in groups else []
    found += subjects.applications() if "applications" in groups else []
    found += subjects.corpus() if "corpus" in groups else []
    if options.judge and "random" in groups:
        seeds = range(options.seed, options.seed + options.count)
        found += subjects.random(options.judge, seeds, folder)
    return _named(options, found)


def _named(options: argparse.Namespace, found: list[Subject]) -> list[Subject]:
    if options.programs is None:
        return found
    missing = sorted(set(options.programs) - {s.name for s in found})
    if missing:
        _refuse(f"no such program: {', '.join(missing)}")
    return [s for s in found if s.name in options.programs]


def _refuse(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(2)


def prepared(subject: Subject, folder: Path, ways: tuple[str, ...]) -> Built:
    """Sized and built; BuildError or RunError where the original has no time."""

    def seconds(candidate: Subject) -> float:
        executable = original(candidate, folder)
        return min(execute(executable, candidate.words)[1] for _ in range(3))

    return build(subjects.sized(subject, seconds), folder, ways)


def run(options: argparse.Namespace, table: Table, ways: tuple[str, ...], folder: Path) -> list[Timing]:
    """Measure one after the other; a line on each as soon as it is known."""
    timings = []
    print("   ".join(table.heads()), file=sys.stderr)
    for built in _all_built(options, ways, folder):
        timings.append(measure(built, effort_of(options)))
        print("   ".join(table.row(timings[-1])), file=sys.stderr, flush=True)
    return timings


def _all_built(options: argparse.Namespace, ways: tuple[str, ...], folder: Path) -> Iterable[Built]:
    """One by one when it is needed; or several at once, all before the first is measured."""

    def work(subject: Subject) -> Built:
        return prepared(subject, folder / subject.group.replace("/", "-") / subject.name, ways)

    wanted = chosen(options, folder)
    if options.jobs < 2:
        return map(work, wanted)
    done: list[Built] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for built in pool.map(work, wanted):
            done.append(built)
            print(f"built {len(done)} of {len(wanted)}: {built.subject.name}", file=sys.stderr)
    return done


def effort_of(options: argparse.Namespace) -> Effort:
    return Effort(options.rounds, options.more, options.least, options.threads)


def page(table: Table, timings: list[Timing], options: argparse.Namespace, busy: float) -> str:
    """The table with what there is to say about it."""
    notes = [f"rounds {options.rounds}, load before {busy:.1f}"]
    if busy > BUSY:
        notes.append("others used the machine: do not compare these times")
    points = "\n".join(f"- {line}" for line in (*notes, *table.summary(timings)))
    return f"{table.markdown(timings)}\n\n{points}\n"


def main() -> int:
    options = parsed()
    ways = (options.only,) if options.only else WAYS
    ways += (BY_HAND,) if options.hand else ()
    table, busy = Table(ways, effort_of(options)), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cuvier-harm-") as scratch:
        folder = options.keep.resolve() if options.keep else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            timings = run(options, table, ways, folder)
        except (BuildError, RunError) as error:
            print(f"an original does not build or run: {error}", file=sys.stderr)
            return 2
    text = page(table, timings, options, busy)
    print(text, end="")
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    return int(any(table.complaints(timing) for timing in timings))


if __name__ == "__main__":
    sys.exit(main())
