"""What fusion is worth: kernels made one beside the same kernels one after the other, in turns.

    python benchmarks/fusion.py                     (OpenCL; CUDA with --target cuda where there is a device)
    python benchmarks/fusion.py --runs 9 --cells 1000000
    python benchmarks/fusion.py --write             (a page in benchmarks/results/)

The pairs are those of seed 003, figure 4.17 (unrelated; a read in common; what the first writes the second
reads), with more and less work per cell, and some of what programs have: chains through temporary arrays,
sums, stencils, rows.  Each pair runs many times on data that stay on the device; the table has medians of
whole-program times, what the estimate says, and the ratio.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from contest.contenders import ROOT
from contest.whole import alike, cuvier

from transfers import run

HEAD = """#include <stdio.h>
#include <stdlib.h>
static double A[N], B[N], C[N], D[N], E[N], F[N];
static double P[R][R], Q[R][R], S[R][R];
static double sum, other;
"""
MAIN = """int main(void)
{
  for (int i = 0; i < N; i++) {
    A[i] = i % 100; B[i] = i % 7; C[i] = i % 13; D[i] = 1; E[i] = i % 3; F[i] = i % 5;
  }
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) {
      P[i][j] = (i + j) % 11; Q[i][j] = i % 3; S[i][j] = j % 5;
    }
  for (int r = 0; r < TIMES; r++)
    step();
  double total = sum + other;
  for (int i = 0; i < N; i++) total += A[i] + B[i] + C[i] + D[i] + E[i] + F[i];
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) total += P[i][j] + Q[i][j] + S[i][j];
  printf("%.6e\\n", total);
  return 0;
}
"""
LINE = "for (int i = 0; i < N; i++)"
SQUARE = "for (int i = 1; i < R - 1; i++) for (int j = 1; j < R - 1; j++)"
PROGRAMS = {
    "chain of four": f"""
  {LINE} B[i] = A[i] * 0.5;
  {LINE} C[i] = B[i] + 1;
  {LINE} D[i] = C[i] - B[i];
  {LINE} A[i] = D[i] * 0.1;
""",
    "through a temporary": f"""
  double *t = malloc(N * sizeof *t);
  {LINE} t[i] = A[i] * 0.5;
  {LINE} A[i] = t[i] + B[i] * 0.1;
  free(t);
""",
    "two sums": f"""
  double s = 0, u = 0;
  {LINE} s += A[i] * B[i];
  {LINE} u += A[i] * A[i];
  sum += s;
  other += u;
""",
    "cells and a sum": f"""
  double s = 0;
  {LINE} B[i] = A[i] * 2;
  {LINE} s += B[i];
  sum += s;
""",
    "stencil, then cells": f"""
  {SQUARE} Q[i][j] = (P[i - 1][j] + P[i + 1][j] + P[i][j - 1] + P[i][j + 1]) * 0.25;
  {SQUARE} S[i][j] = Q[i][j] * 0.5 + S[i][j];
""",
    "two stencils of one array": f"""
  {SQUARE} Q[i][j] = (P[i - 1][j] + P[i + 1][j]) * 0.5;
  {SQUARE} S[i][j] = (P[i][j - 1] + P[i][j + 1]) * 0.5;
""",
    "two stencils, one shorter": """
  for (int i = 1; i < R; i++) for (int j = 0; j < R; j++) Q[i][j] -= 0.5 * (P[i][j] - P[i - 1][j]);
  for (int i = 0; i < R; i++) for (int j = 1; j < R; j++) S[i][j] -= 0.5 * (P[i][j] - P[i][j - 1]);
""",
    "rows": """
  for (int i = 0; i < R; i++) { double s = 0; for (int j = 0; j < R; j++) s += P[i][j]; A[i] = s / R; }
  for (int i = 0; i < R; i++) { double s = 0; for (int j = 0; j < R; j++) s += P[i][j] * B[j]; C[i] = s / R; }
""",
}


def _work(value: str, times: int) -> str:
    """A cell, multiplied so many times with a factor that keeps it small."""
    return value + " * 0.999" * times


def programs() -> dict[str, str]:
    """The bodies of `step`, by name."""
    found = {}
    for work in (1, 16, 128):
        for name, target, value in (
            *(("unrelated", "D", "C"), ("one read", "D", "A")),
            ("written and read", "D", "B"),
        ):
            first, second = _work("A[i]", work), _work(f"{value}[i]", work)
            found[f"{name}, work {work}"] = f"  {LINE} B[i] = {first};\n  {LINE} {target}[i] = {second};\n"
    return {**found, **PROGRAMS}


@dataclass(frozen=True)
class Pair:
    """Medians in seconds, and what the estimate says."""

    name: str
    apart: float
    fused: float
    taken: bool
    why: str

    @property
    def gain(self) -> float:
        return self.apart / self.fused


def compared(name: str, body: str, options: argparse.Namespace, folder: Path) -> Pair:
    """Both programs, run in turns; the first run of each is not timed."""
    rows = math.isqrt(options.cells)
    source = folder / "pair.c"
    sizes = f"#define N {options.cells}\n#define R {rows}\n#define TIMES {options.times}\n"
    source.write_text(f"{sizes}{HEAD}static void step(void)\n{{\n{body}}}\n{MAIN}")
    ways = {"apart": ("--without", "fuse"), "fused": ("--with", "fuse"), "chosen": ()}
    programs, outputs, said = {}, {}, {}
    for way, flags in ways.items():
        out = folder / way
        made = cuvier("compile", str(source), "--target", options.target, *flags, "--json", "-o", str(out))
        if made.returncode:
            raise RuntimeError(made.stderr)
        said[way] = json.loads(made.stdout)["fusions"]
        if way != "chosen":
            subprocess.run(["make", "-s", "-C", out], check=True, capture_output=True)
            programs[way] = out / source.stem
            _, outputs[way] = run(programs[way])
    if not alike(*outputs.values()):
        raise RuntimeError("the two programs print different numbers")
    times: dict[str, list[float]] = {way: [] for way in programs}
    for _ in range(options.runs):
        for way, program in programs.items():
            times[way].append(run(program)[0])
    mine = [f for f in said["chosen"] if f["lines"][0] < 4 + len(HEAD.splitlines()) + body.count("\n") + 3]
    taken = any(fusion["fused"] for fusion in mine)
    why = mine[0]["why"] if mine else ""
    return Pair(name, *(statistics.median(times[way]) for way in ("apart", "fused")), taken, why)


def table(pairs: list[Pair]) -> str:
    """The pairs in Markdown, with the geometric means of what is legal and of what is chosen."""
    head = ["pair", "apart, s", "one kernel, s", "gain", "chosen", "estimate"]
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    for p in pairs:
        cells = [
            p.name,
            f"{p.apart:.3f}",
            f"{p.fused:.3f}",
            f"{p.gain:.2f}",
            "yes" if p.taken else "no",
            p.why,
        ]
        lines.append(" | ".join(cells))
    means = [
        math.exp(statistics.fmean(math.log(gain) for gain in gains))
        for gains in ([p.gain for p in pairs], [p.gain if p.taken else 1.0 for p in pairs])
    ]
    text = f"\nGeometric means: {means[0]:.2f} where all is made one, {means[1]:.2f} as chosen.\n"
    return "".join(f"| {line} |\n" for line in lines) + text


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=("opencl", "cuda"), default="opencl")
    parser.add_argument("--cells", type=int, default=4_000_000, help="of every array [default: 4000000]")
    parser.add_argument("--times", type=int, default=30, help="that each pair runs [default: 30]")
    parser.add_argument("--runs", type=int, default=5, help="of each program [default: 5]")
    parser.add_argument("--write", action="store_true", help="write a page to benchmarks/results/")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    pairs = []
    for number, (name, body) in enumerate(programs().items(), 1):
        print(f"{number}/{len(programs())} {name}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            try:
                pairs.append(compared(name, body, options, Path(folder)))
            except (RuntimeError, subprocess.SubprocessError) as error:
                print(f"{name}: {str(error)[:300]}", file=sys.stderr)
    text = table(pairs)
    print(text)
    if options.write:
        today = datetime.date.today().isoformat()
        about = f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, {options.target}"
        sizes = f"{options.cells:,} cells, each pair {options.times} times, medians of {options.runs} runs"
        page = f"# One kernel beside two, {today}\n\n{about}; {sizes}.\n\n{text}"
        (ROOT / "benchmarks" / "results" / f"fusion-{today}.md").write_text(page)


if __name__ == "__main__":
    main()
