"""How fast are the kernels?  Cuvier's code, its peers and the limits of the machine, side by side in one run.

    python benchmarks/kernels.py                                   (all programs of benchmarks/sizes.yaml)
    python benchmarks/kernels.py --programs gemm,atax --contenders gcc,by-hand,openmp
    python benchmarks/kernels.py --contenders all --pluto ~/pluto/polycc --ppcg ~/ppcg/ppcg --write
    python benchmarks/kernels.py --clang ~/llvm/bin/clang --contender 'icx=icx -qopenmp -parallel'
    python benchmarks/kernels.py --programs gemm,saxpy --contenders by-hand,openmp,opencl,blas

A program runs several times in one process; a clock runs around its kernel only, and the first run of a
process warms up.  Cuvier compiles for the machine as `cuvier machine` describes it in the same run.  The
contenders take turns, all with the same flags and one thread per core, which stays there.  Times are medians.
A ratio above 1 means faster than the best peer of that program; the library (OpenBLAS) is no peer.  What
prints another result than the sequential original is shown as such.  The limit of a program is the larger of
its bytes at the rate of the triad, measured over arrays of the same size, and its operations at the peak; a
share above 100 % means that nests of the source were fused or kept in a cache.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shlex
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from contest import tables
from contest.contenders import CONTENDERS, BuildError, Contender, Workshop, another_compiler
from contest.limits import Limits, Machine
from contest.measuring import Effort, Measurement, measure
from contest.programs import Program, load
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cuvier.bench.contenders import find_clang

BUSY = 0.5  # processes that were running before, on average
RESULTS = Path(__file__).parent / "results"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    keys = ", ".join(c.key for c in CONTENDERS)
    parser.add_argument("--programs", type=_names, help="the programs to run, with commas [default: all]")
    parser.add_argument("--contenders", type=_names, help=f"any of {keys}; or all [default: all but opencl]")
    parser.add_argument("--repeat", type=int, default=5, help="runs per round after the first [default: 5]")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contender [default: 3]")
    parser.add_argument(
        "--seconds", type=float, default=15.0, help="start no new run of a contender after this [default: 15]"
    )
    parser.add_argument("--small", action="store_true", help="the programs' own small sizes, to try it out")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--flags", default="-O3 -march=native", help="of all compilers [default: %(default)s]"
    )
    parser.add_argument("--clang", metavar="PATH", help="clang, with or without Polly [default: the newest]")
    parser.add_argument("--pluto", metavar="PATH", help="Pluto's polycc")
    parser.add_argument("--ppcg", metavar="PATH", help="the ppcg executable")
    parser.add_argument(
        "--contender",
        metavar="NAME=COMMAND",
        type=_another,
        action="append",
        default=[],
        help="one more peer: a C compiler with its flags, as in 'icx=icx -qopenmp -parallel'; repeatable",
    )
    parser.add_argument("--python", default=sys.executable, help="an interpreter with NumPy, for OpenBLAS")
    parser.add_argument(
        "--machine", type=Path, help="what `cuvier machine` wrote [default: written anew, for all cores]"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    parser.add_argument("--write", action="store_true", help="write a page to benchmarks/results/")
    return parser.parse_args()


def _another(text: str) -> Contender:
    name, equals, command = text.partition("=")
    if not (equals and name.strip() and command.strip()) or name.strip() in {c.key for c in CONTENDERS}:
        raise argparse.ArgumentTypeError(f"no new NAME=COMMAND: {text!r}")
    return another_compiler(name.strip(), tuple(shlex.split(command)))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def chosen_programs(names: list[str] | None, *, large: bool) -> list[Program]:
    programs = load(at=("sizes",) if large else ())
    unknown = sorted(set(names or ()) - {p.name for p in programs})
    if unknown:
        sys.exit(f"no such program: {', '.join(unknown)}; there are {', '.join(p.name for p in programs)}")
    return [p for p in programs if names is None or p.name in names]


def chosen_contenders(
    names: list[str] | None, more: list[Contender], shop: Workshop
) -> tuple[list[Contender], list[str]]:
    """Those that can take part, and a line on each of the others; `more` are always wanted."""
    every = names == ["all"]
    unknown = sorted(set(names or ()) - {c.key for c in CONTENDERS} - {"all"})
    if unknown:
        sys.exit(f"no such contender: {', '.join(unknown)}; there are {', '.join(c.key for c in CONTENDERS)}")
    wanted = [c for c in CONTENDERS if every or (not c.optional if names is None else c.key in names)]
    wanted = [*(c for c in wanted if c.peer), *more, *(c for c in wanted if not c.peer)]
    missing = {c.key: why for c in wanted if (why := c.missing(shop))}
    return [c for c in wanted if c.key not in missing], [f"without {k}: {why}" for k, why in missing.items()]


def run(
    programs: list[Program], contenders: list[Contender], shop: Workshop, effort: Effort, scratch: Path
) -> tuple[list[Measurement], Machine]:
    """Everything, with a progress bar, and a line on each program that is done, on stderr."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    measurements = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("limits of the machine", total=len(programs))
        limits = Limits(shop, scratch / "limits")
        machine = limits.machine()
        for program in programs:
            measured = measure(
                program,
                contenders,
                shop,
                effort,
                scratch / program.name,
                lambda text: progress.update(task, description=text),
            )
            measured.limit = limits.seconds(program)
            measurements.append(measured)
            progress.console.print(tables.line(measured), highlight=False, markup=False, soft_wrap=True)
            progress.advance(task)
    return measurements, machine


def described(shop: Workshop, scratch: Path) -> Path | None:
    """A description of the machine, if any of the contenders can use one."""
    written = scratch / "machine.yaml"
    try:
        shop.run(sys.executable, "-m", "cuvier", "machine", "-o", written)
    except BuildError as error:
        print(f"cuvier machine: {error}", file=sys.stderr)
        return None
    return written


def main() -> None:
    options = parsed()
    paths = {"clang": options.clang or find_clang(), "pluto": options.pluto}
    paths |= {"ppcg": options.ppcg, "python": options.python}
    shop = Workshop(options.threads, tuple(options.flags.split()), **paths)
    programs = chosen_programs(options.programs, large=not options.small)
    contenders, missing = chosen_contenders(options.contenders, options.contender, shop)
    effort = Effort(options.rounds, options.repeat, options.seconds)
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cuvier-kernels-") as scratch:
        shop = replace(shop, machine=options.machine or described(shop, Path(scratch)))
        measurements, machine = run(programs, contenders, shop, effort, Path(scratch))
    sizes = "small sizes" if options.small else "sizes of benchmarks/sizes.yaml"
    where = f"{platform.machine()}, {options.threads} threads, {options.flags}, {sizes}, load {busy:.1f}"
    notes = [where, tables.machine_line(machine), *missing]
    if busy > BUSY:
        notes.append("others used the machine: do not compare these times")
    console = Console(width=None if sys.stdout.isatty() else 250)
    console.print(tables.terminal(measurements, contenders))
    for line in (*notes, *tables.summary(measurements, contenders)):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if options.json:
        settings = {"threads": options.threads, "flags": options.flags, "small": options.small}
        text = json.dumps(tables.as_json(measurements, machine, settings), indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.write:
        today = datetime.date.today().isoformat()
        page = tables.markdown(measurements, contenders, f"Kernels side by side, {today}", notes)
        (RESULTS / f"kernels-{today}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
