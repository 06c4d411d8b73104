"""Does a program for a device and the host choose well?  `--target opencl,openmp` by each policy, in turns.

    python benchmarks/choosing.py                     (default: 20 programs of corpus/polybench, three sizes)
    python benchmarks/choosing.py --scale 8 --runs 5 corpus/polybench/jacobi-2d.c
    python benchmarks/choosing.py --copies                          (device buffers of their own, on PoCL)
    python benchmarks/choosing.py --tables                 (predictions from the tables of `cuvier profile`)

The table has medians of whole-program times for always the host, always the device, the predictions, and each
version tried; and how often as long as the better of the first two the predictions take.  The last column is
the program for `--target openmp` alone, which may tile what a version for the host may not.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from contest.contenders import ROOT
from contest.whole import alike, cuvier, scaled_sizes

POLICIES = ("cpu", "gpu", "predict", "fastest")
ALONE = "openmp"
SCALES = (1, 4, 16)
LEFT = ("dynprog", "nussinov", "fdtd-2d-apml", "doitgen", "heat-3d", "adi", "lu", "ludcmp", "reg_detect")
MOST = 20  # programs, if nobody names any


@dataclass(frozen=True)
class Row:
    """Medians of a program at a size, in seconds, by policy."""

    program: str
    scale: int
    seconds: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as long the predictions take as the better one of the two versions."""
        return self.seconds["predict"] / min(self.seconds["cpu"], self.seconds["gpu"])

    def line(self) -> str:
        times = (f"{self.seconds[name]:.3f}" for name in (*POLICIES, ALONE))
        return f"| {self.program} | {self.scale} | {' | '.join(times)} | {self.ratio:.2f} |"


def run(program: Path, policy: str, copies: bool, more: Mapping[str, str] | None = None) -> tuple[float, str]:
    """The wall time of a program in seconds, with `more` in its environment, and what it prints."""
    environment = {
        **os.environ,
        "CUVIER_POLICY": policy,
        "CUVIER_OPENCL_COPY": str(int(copies)),
        **(more or {}),
    }
    start = time.perf_counter()
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=300, env=environment)
    return time.perf_counter() - start, done.stdout


def measured(source: Path, scale: int, runs: int, folder: Path, *, copies: bool, tables: bool) -> Row:
    """The first run of each, which also fills the driver's cache, is not timed."""
    sizes = scaled_sizes(source.read_text(), scale)
    for target in ("opencl,openmp", ALONE):
        made = cuvier("compile", str(source), "--target", target, *sizes, "-o", str(folder / target))
        if made.returncode not in (0, 1):
            raise RuntimeError(made.stderr)
        build = ["make", "-s", "-C", folder / target, "CFLAGS=-O3 -march=native"]
        subprocess.run(build, check=True, capture_output=True)
    if tables:
        made = cuvier("profile", str(folder / "opencl,openmp"))
        if made.returncode:
            raise RuntimeError(made.stderr)
    programs = {policy: (folder / "opencl,openmp" / source.stem, policy) for policy in POLICIES}
    programs[ALONE] = (folder / ALONE / source.stem, "cpu")
    printed = {name: run(*program, copies)[1] for name, program in programs.items()}
    if not all(alike(printed["cpu"], text) for text in printed.values()):
        raise RuntimeError("the versions print different numbers")
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(runs):
        for name, program in programs.items():
            times[name].append(run(*program, copies)[0])
    return Row(source.stem, scale, {name: statistics.median(taken) for name, taken in times.items()})


def table(rows: list[Row]) -> str:
    """The rows in Markdown, with what they come to."""
    head = (
        "program",
        "size",
        "host, s",
        "device, s",
        "predicted, s",
        "tried, s",
        "openmp alone, s",
        "by the better",
    )
    lines = [
        f"| {' | '.join(head)} |",
        f"| {' | '.join(['---'] * len(head))} |",
        *(row.line() for row in rows),
    ]
    close = sum(row.ratio <= 1.05 for row in rows)
    worst = max(row.ratio for row in rows)
    lines.append(f"\nWithin 5 % of the better one: {close} of {len(rows)}; worst {worst:.2f}.")
    for name in ("cpu", "gpu"):
        gains = [math.log(row.seconds[name] / row.seconds["predict"]) for row in rows]
        mean = math.exp(statistics.fmean(gains))
        lines.append(f"Against always {name}: {mean:.2f} times as fast in the geometric mean.")
    return "\n".join(lines) + "\n"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--scale", type=int, action="append", help=f"times the programs' own sizes {SCALES}")
    parser.add_argument("--runs", type=int, default=3, help="of each [default: 3]")
    parser.add_argument("--copies", action="store_true", help="the device does not share the host's memory")
    parser.add_argument("--tables", action="store_true", help="`cuvier profile` has measured each program")
    return parser.parse_args()


def main() -> int:
    options, rows = parsed(), []
    of = partial(measured, copies=options.copies, tables=options.tables)
    every = [f for f in sorted((ROOT / "corpus/polybench").glob("*.c")) if f.stem not in LEFT][:MOST]
    for source in options.files or every:
        for scale in options.scale or SCALES:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    rows.append(of(source.resolve(), scale, options.runs, Path(folder)))
                    print(rows[-1].line(), file=sys.stderr)
                except (RuntimeError, subprocess.SubprocessError) as error:
                    print(
                        f"{source.stem}: {str(getattr(error, 'stderr', None) or error)[-300:]}",
                        file=sys.stderr,
                    )
    if rows:
        print(table(rows), end="")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
