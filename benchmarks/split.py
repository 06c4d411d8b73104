"""Do a device and the host do better together?  `CUVIER_POLICY=split`, beside each of them alone, in turns.

    python benchmarks/split.py                            (nine programs of corpus/polybench, three sizes)
    python benchmarks/split.py --tables --scale 16        (predictions from the tables of `cuvier profile`)
    python benchmarks/split.py corpus/polybench/gemm.c

One core is the host, another one is PoCL's, as the device.  The programs are like those of seed 000, section
5.3.4.  The table has medians of whole-program times; how many times as fast both are as the better one alone;
and by how much of the longer time the shorter of their parts differs, in the mean over launches (-: none was
divided).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from choosing import SCALES, run
from contest.contenders import ROOT
from contest.whole import alike, cuvier, scaled_sizes

SPLIT = ("cpu", "gpu", "split")
ONE_CORE = {"OMP_NUM_THREADS": "1", "POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}
SEED = ("2mm", "3mm", "doitgen", "gemm", "gemver", "gesummv", "mvt", "syr2k", "syrk")


@dataclass(frozen=True)
class SplitRow:
    """Medians of a program at a size, in seconds: the host, the device, and both; and their imbalance."""

    program: str
    scale: int
    seconds: dict[str, float]
    imbalance: float | None

    def line(self) -> str:
        times = " | ".join(f"{self.seconds[name]:.3f}" for name in SPLIT)
        gain = min(self.seconds["cpu"], self.seconds["gpu"]) / self.seconds["split"]
        imbalance = "-" if self.imbalance is None else f"{self.imbalance:.0%}"
        return f"| {self.program} | {self.scale} | {times} | {gain:.2f} | {imbalance} |"


def divided(source: Path, scale: int, runs: int, folder: Path, *, tables: bool) -> SplitRow:
    """A program on one core, as the host or as the device, and on one core of each."""
    sizes = scaled_sizes(source.read_text(), scale)
    made = cuvier("compile", str(source), "--target", "opencl,openmp", *sizes, "-o", str(folder))
    if made.returncode not in (0, 1):
        raise RuntimeError(made.stderr)
    build = ["make", "-s", "-C", str(folder), "CFLAGS=-O3 -march=native"]
    subprocess.run(build, check=True, capture_output=True)
    if tables and (made := cuvier("profile", str(folder))).returncode:
        raise RuntimeError(made.stderr)
    program, log = folder / source.stem, folder / "decisions.json"
    printed = {policy: run(program, policy, False)[1] for policy in SPLIT}
    if not all(alike(printed["cpu"], text) for text in printed.values()):
        raise RuntimeError("the versions print different numbers")
    times: dict[str, list[float]] = {policy: [] for policy in SPLIT}
    for _ in range(runs):
        for policy in SPLIT:
            times[policy].append(run(program, policy, False)[0])
    run(program, "split", False, {"CUVIER_DECISIONS": str(log)})
    medians = {policy: statistics.median(taken) for policy, taken in times.items()}
    return SplitRow(source.stem, scale, medians, imbalance(log))


def imbalance(log: Path) -> float | None:
    """Of launches that were divided, if any were."""
    apart, longer = 0.0, 0.0
    for decision in json.loads(log.read_text())["decisions"]:
        if "part" in decision:
            host, device = decision["seconds"]["host"], decision["seconds"]["device"]
            apart += abs(host - device)
            longer += max(host, device)
    return apart / longer if longer else None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--scale", type=int, action="append", help=f"times the programs' own sizes {SCALES}")
    parser.add_argument("--runs", type=int, default=3, help="of each [default: 3]")
    parser.add_argument("--tables", action="store_true", help="`cuvier profile` has measured each program")
    options = parser.parse_args()
    os.environ.update(ONE_CORE)
    print("| program | size | host, s | device, s | both, s | by the better alone | imbalance |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for source in options.files or [ROOT / f"corpus/polybench/{name}.c" for name in SEED]:
        for scale in options.scale or SCALES:
            with tempfile.TemporaryDirectory() as folder:
                row = divided(source.resolve(), scale, options.runs, Path(folder), tables=options.tables)
                print(row.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
