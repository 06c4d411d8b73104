"""Build, check and time the corpus on an accelerator, in one call.

    python benchmarks/gpu.py --target cuda -o results.md            (default: corpus/polybench)
    python benchmarks/gpu.py --target opencl --scale 2 corpus/polybench/gemm.c

Every program is first verified at its own sizes (`cuvier verify`), then built at `--scale` times these
sizes (time steps stay) with `gcc -O3 -march=native` and for the target.  The table has the median of
`--runs` whole-program runs, initialisation, transfers and printing included, and the ratio of the two.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
STEPS = ("TSTEPS", "T", "STEPS", "ITERATIONS")


@dataclass(frozen=True)
class Row:
    """What came of one program; times in seconds, None where it was not timed."""

    program: str
    verified: str
    kernels: int
    original: float | None
    generated: float | None
    note: str = ""

    def cells(self) -> list[str]:
        ratio = self.original / self.generated if self.original and self.generated else None
        times = [f"{t:.3f}" if t is not None else "" for t in (self.original, self.generated)]
        return [
            self.program,
            self.verified,
            str(self.kernels),
            *times,
            f"{ratio:.2f}" if ratio else "",
            self.note,
        ]


def cuvier(*arguments: str, timeout: int = 300) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cuvier", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=ROOT, check=False)


def scaled_sizes(text: str, scale: int) -> list[str]:
    """`-D` flags that multiply the program's default sizes; counts of time steps stay."""
    sizes = re.findall(r"#ifndef (\w+)\s+#define \1 (\d+)\s", text)
    return [f"-D{name}={int(value) * scale}" for name, value in sizes if name not in STEPS]


def median_time(program: Path, runs: int) -> tuple[float, str]:
    """The median wall time of a program in seconds, and what it prints."""
    times, output = [], ""
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120, check=True)
        times.append(time.perf_counter() - start)
        output = done.stdout
    return statistics.median(times), output


def alike(a: str, b: str) -> bool:
    """Equal texts, numbers within a relative 1e-8 (reductions are reordered)."""
    left, right = a.split(), b.split()
    return len(left) == len(right) and all(map(_alike_words, left, right))


def _alike_words(a: str, b: str) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return abs(x - y) <= 1e-8 * max(abs(x), abs(y), 1e-300)


def measure(source: Path, target: str, scale: int, runs: int, nvcc_flags: str) -> Row:
    name = source.stem
    checked = cuvier("verify", str(source), "--target", target, "--json", "--timeout", "120")
    verified = {0: "equal", 1: "DIFFERENT"}.get(checked.returncode, "failed")
    if checked.returncode:
        return Row(name, verified, 0, None, None, checked.stderr.strip()[:160])
    result = json.loads(checked.stdout)
    sizes = scaled_sizes(source.read_text(encoding="utf-8"), scale)
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        cuvier("compile", str(source), "--target", target, "-o", str(out), *sizes)
        plain = Path(scratch) / "plain"
        flags = ["-O3", "-march=native", *sizes]
        subprocess.run(["gcc", *flags, "-o", str(plain), str(source), "-lm"], check=True)
        make = ["make", "-s", "-C", str(out), "CFLAGS=-O3 -march=native -ffp-contract=off -fopenmp"]
        subprocess.run([*make, f"NVCCFLAGS={nvcc_flags}"], check=True, capture_output=True)
        original, expected = median_time(plain, runs)
        generated, got = median_time(out / name, runs)
    note = "" if alike(expected, got) else "OUTPUT DIFFERS at this size"
    return Row(name, f"{verified}, {result['device']}", len(result["kernels"]), original, generated, note)


def table(rows: list[Row], title: str) -> str:
    head = ["program", "verified", "kernels", "gcc -O3 (s)", "generated (s)", "ratio", "note"]
    lines = [title, "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "sources", nargs="*", type=Path, default=sorted((ROOT / "corpus/polybench").glob("*.c"))
    )
    parser.add_argument("--target", default="cuda", choices=["cuda", "opencl", "openmp"])
    parser.add_argument("--scale", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nvcc-flags", default="-O3 --fmad=false")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    rows = []
    for source in options.sources:
        try:
            row = measure(source, options.target, options.scale, options.runs, options.nvcc_flags)
        except (subprocess.SubprocessError, OSError) as error:
            row = Row(source.stem, "not timed", 0, None, None, str(error).splitlines()[0][:160])
        rows.append(row)
        print(" | ".join(row.cells()), file=sys.stderr, flush=True)
    today = datetime.date.today().isoformat()
    title = f"{options.target}, {today}, sizes x{options.scale}, median of {options.runs} whole-program runs"
    text = table(rows, title)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
