"""What are compiled programs worth on a machine that others use?  With dynamic feedback, and without.

    python benchmarks/busy.py                             (programs of benchmarks/harm with measured loops)
    python benchmarks/busy.py PROGRAM.c --busy 1          (one other process, which never waits)

They take turns with gcc -O3 -march=native.  Ratios are the speed against the median of that: the median over
the rounds, and the worst; first on the machine as it is, then beside as many busy processes as it has cores.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.contenders import ROOT
from contest.whole import alike, cuvier

WAYS = {"without": ("--without", "feedback"), "with": ()}
FLAGS = ("-O3", "-march=native")


def built(source: Path, folder: Path) -> dict[str, Path]:
    """The program of each way; none where no loop of it is measured."""
    programs = {"gcc": folder / "gcc"}
    subprocess.run(["gcc", "-w", *FLAGS, str(source), "-o", str(programs["gcc"]), "-lm"], check=True)
    for way, options in WAYS.items():
        out = folder / way
        made = cuvier("compile", str(source), "--target", "openmp", *options, "-o", str(out))
        if made.returncode not in (0, 1):
            raise RuntimeError(made.stderr)
        if way == "with" and "cuvier_share(&" not in (out / source.name).read_text():
            return {}
        make = ["make", "-s", "-C", str(out), f"CFLAGS={' '.join(FLAGS)} -fopenmp"]
        subprocess.run(make, check=True, capture_output=True)
        programs[way] = out / source.stem
    return programs


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Beside so many processes that compute."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


def ratios(programs: dict[str, Path], rounds: int) -> dict[str, list[float]]:
    """The speed of each way against gcc's median, round by round."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    printed = {}
    for _ in range(rounds):
        for name, program in programs.items():
            start = time.perf_counter()
            run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
            seconds[name].append(time.perf_counter() - start)
            printed[name] = run.stdout
    if not all(alike(printed["gcc"], text) for text in printed.values()):
        raise RuntimeError("the programs print different numbers")
    whole = statistics.median(seconds["gcc"])
    return {name: [whole / taken for taken in seconds[name]] for name in WAYS}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", type=Path)
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1, help="other processes")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    programs = options.programs or sorted((ROOT / "benchmarks" / "harm").glob("*.c"))
    print("| program | quiet: without | with | busy: without | worst | with | worst |")
    print("|---|---|---|---|---|---|---|")
    for source in programs:
        with tempfile.TemporaryDirectory() as folder:
            found = built(source, Path(folder))
            if not found:
                continue
            quiet = ratios(found, options.rounds)
            with busy(options.busy):
                loaded = ratios(found, options.rounds)
        first = [f"{statistics.median(quiet[way]):.2f}" for way in WAYS]
        then = [
            f"{value:.2f}" for way in WAYS for value in (statistics.median(loaded[way]), min(loaded[way]))
        ]
        print(f"| {source.stem} | {' | '.join((*first, *then))} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
