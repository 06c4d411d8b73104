"""What leaving data on the device is worth: `--comm static` beside `--comm naive`, whole programs in turns.

    python benchmarks/transfers.py                                  (default: corpus/polybench, sizes times 8)
    python benchmarks/transfers.py --scale 4 --runs 9 corpus/polybench/jacobi-2d.c
    python benchmarks/transfers.py --write --note "nobody else here"   (a page in benchmarks/results/)
    python benchmarks/transfers.py --ppcg ~/ppcg/ppcg               (and what PPCG makes of each, for OpenCL)

The target is OpenCL; on PoCL, where host and device share their memory, CUVIER_OPENCL_COPY=1 gives the
device buffers of its own.  The table has medians of whole-program times (initialisation, copies, printing
and the driver's start included), what was copied, and the ratios.  In between stands the static program
whose every copy and kernel is waited for at once: what copies gain by running beside host code and kernels.
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
import time
from dataclasses import dataclass
from pathlib import Path

from contest.contenders import ROOT
from contest.programs import load
from contest.whole import alike, cuvier, scaled_sizes

MODES = ("naive", "waiting", "static")
PPCG = "ppcg"
NO_HOOKS = "void timing_start(void) { }\nvoid timing_stop(void) { }\n"
BLOCKING = {  # in the runtime's header
    "clFlush(": "clFinish(",
    "CL_FALSE, buffer.at + at, bytes": "CL_TRUE, buffer.at + at, bytes",
}


@dataclass(frozen=True)
class Pair:
    """Medians in seconds, and bytes that were copied, by mode."""

    program: str
    seconds: dict[str, float]
    copied: dict[str, int]

    @property
    def gain(self) -> float:
        return self.seconds["naive"] / self.seconds["static"]

    @property
    def overlap(self) -> float:
        """What asynchrony has a part in the gain."""
        return self.seconds["waiting"] / self.seconds["static"]

    def cells(self) -> list[str]:
        megabytes = [f"{self.copied[mode] / 1e6:.2f}" for mode in ("naive", "static")]
        times = [f"{self.seconds[mode]:.3f}" for mode in MODES]
        cells = [self.program, *megabytes, *times, f"{self.gain:.2f}", f"{self.overlap:.2f}"]
        if PPCG in self.seconds:
            cells += [f"{self.seconds[PPCG]:.3f}", f"{self.beside_ppcg:.2f}"]
        return cells

    @property
    def beside_ppcg(self) -> float:
        """How many times as fast it is as PPCG's program."""
        return self.seconds[PPCG] / self.seconds["static"]


def run(program: Path, counters: Path | None = None) -> tuple[float, str]:
    """The wall time of a program in seconds, and what it prints."""
    environment = {**os.environ, "CUVIER_OPENCL_COPY": "1"}
    if counters is not None:
        environment["CUVIER_COUNTERS"] = str(counters)
    start = time.perf_counter()
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=300, env=environment)
    return time.perf_counter() - start, done.stdout


def wait_at_once(header: Path) -> None:
    """Makes a generated program wait for every copy and every kernel as soon as it has begun."""
    text = header.read_text()
    for old, new in BLOCKING.items():
        if old not in text:
            raise RuntimeError(f"{header.name} has no {old!r}: say in BLOCKING what it does now")
        text = text.replace(old, new)
    header.write_text(text)


def of_ppcg(source: Path, sizes: list[str], ppcg: Path, folder: Path) -> Path:
    """What PPCG makes of a program for OpenCL, built with its own library, as its makefiles do it.

    CalledProcessError where it does not take the program, or where that does not build.
    """
    text = next(program.as_scop() for program in load(at=()) if program.path == source.resolve())
    (folder / "in.c").write_text(f"{text}\n{NO_HOOKS}")
    command = [ppcg, "--target=opencl", "--opencl-embed-kernel-code", *sizes, "in.c", "-o", "out.c"]
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, timeout=300)
    library = ppcg.parent / "ocl_utilities.c"
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-w", "-I", ppcg.parent, *sizes]
    build = ["gcc", *flags, "out.c", library, "-lOpenCL", "-lm", "-o", PPCG]
    subprocess.run(build, check=True, capture_output=True, text=True, cwd=folder)
    return folder / PPCG


def compared(source: Path, scale: int, runs: int, folder: Path, ppcg: Path | None = None) -> Pair:
    """The pair for a program; the first run of each, which also fills the driver's cache, is not timed."""
    sizes = scaled_sizes(source.read_text(), scale)
    programs, outputs, copied = {}, {}, {}
    for mode in MODES:
        out = folder / mode
        comm = "naive" if mode == "naive" else "static"
        made = cuvier("compile", str(source), "--target", "opencl", "--comm", comm, *sizes, "-o", str(out))
        if made.returncode:
            raise RuntimeError(made.stderr)
        if mode == "waiting":
            wait_at_once(out / "cuvier_runtime.h")
        subprocess.run(["make", "-s", "-C", out], check=True, capture_output=True)
        programs[mode] = out / source.stem
        _, outputs[mode] = run(programs[mode], folder / f"{mode}.json")
        copies = json.loads((folder / f"{mode}.json").read_text())["copies"]
        copied[mode] = sum(copy["bytes"] for copy in copies)
    if not all(alike(outputs["naive"], printed) for printed in outputs.values()):
        raise RuntimeError("the two programs print different numbers")
    if ppcg is not None:
        try:
            other = of_ppcg(source, sizes, ppcg, folder)
            if alike(run(other)[1], outputs["naive"]):
                programs[PPCG] = other
            else:
                print(f"{source.stem}: PPCG's program prints other numbers", file=sys.stderr)
        except (StopIteration, subprocess.SubprocessError) as error:
            said = str(getattr(error, "stderr", None) or error)
            print(f"{source.stem}: nothing by PPCG: {said[-300:]}", file=sys.stderr)
    times: dict[str, list[float]] = {mode: [] for mode in programs}
    for _ in range(runs):
        for mode in programs:
            times[mode].append(run(programs[mode])[0])
    return Pair(source.stem, {mode: statistics.median(times[mode]) for mode in programs}, copied)


def table(pairs: list[Pair]) -> str:
    """The pairs in Markdown, with the geometric mean of the gains."""
    head = ["program", "naive, MB", "static, MB", "naive, s", "waiting, s", "static, s", "gain", "by overlap"]
    beside = [pair for pair in pairs if PPCG in pair.seconds]
    head += ["PPCG, s", "PPCG / static"] if beside else []
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    rows = (pair.cells() for pair in pairs)
    lines += [" | ".join([*row, *["–"] * (len(head) - len(row))]) for row in rows]
    gain, overlap = (_mean([getattr(pair, name) for pair in pairs]) for name in ("gain", "overlap"))
    means = (
        f"\nGeometric means: {gain:.2f} over naive; of this, {overlap:.2f} by overlap (waiting / static).\n"
    )
    if beside:
        ratio = _mean([pair.beside_ppcg for pair in beside])
        means += f"PPCG's programs take {ratio:.2f} times as long ({len(beside)} of {len(pairs)}).\n"
    return "".join(f"| {line} |\n" for line in lines) + means


def _mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--scale", type=int, default=8, help="times the programs' own sizes [default: 8]")
    parser.add_argument("--runs", type=int, default=5, help="of each program [default: 5]")
    parser.add_argument("--ppcg", type=Path, metavar="PATH", help="the ppcg executable, in its source folder")
    parser.add_argument("--note", default="", help="a remark for the page, such as what else was running")
    parser.add_argument("--write", action="store_true", help="write a page to benchmarks/results/")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    files = options.files or sorted((ROOT / "corpus" / "polybench").glob("*.c"))
    pairs = []
    for number, source in enumerate(files, 1):
        print(f"{number}/{len(files)} {source.stem}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            try:
                pairs.append(compared(source, options.scale, options.runs, Path(folder), options.ppcg))
            except (RuntimeError, subprocess.SubprocessError) as error:
                print(f"{source.stem}: {str(error)[:300]}", file=sys.stderr)
    if not pairs:
        sys.exit("no program could be compared")
    text = table(pairs)
    print(text)
    if options.write:
        today = datetime.date.today().isoformat()
        about = f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, OpenCL with buffers of its own"
        sizes = f"sizes times {options.scale}, medians of {options.runs} runs in turns"
        load = f"{os.getloadavg()[1]:.1f} processes wanted these cores (mean of the last 5 minutes)"
        remarks = f"{load}. {options.note}".strip()
        head = f"# `--comm static` beside `--comm naive`, {today}"
        page = f"{head}\n\n{about}; {sizes}. {remarks}\n\n{text}"
        (ROOT / "benchmarks" / "results" / f"transfers-{today}.md").write_text(page)


if __name__ == "__main__":
    main()
