"""What several devices cost and move: the programs of tests/devices, shared by parts of one OpenCL device.

    python benchmarks/devices.py                       (prints the table)
    python benchmarks/devices.py --runs 9 hotspot nbody
    python benchmarks/devices.py --write               (a page in benchmarks/results/)

All devices are the one there is (CUVIER_DEVICES=0,0,...), each with memory of its own, so that nothing is
faster by them: the table shows what sharing takes.  *one part* is the program for several devices on one of
them, over the program for one device; *account* is what the account of where values are takes of the whole
time on two, (beta - gamma) / alpha, and *transfers* what copies take, (alpha - beta) / alpha (Matz et al.,
seed 002, section 9.2).  Medians of runs in turns; all ways but beta and gamma have to print the same.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOUBTS = (
    "Without copies, kernels compute with values that are wrong, and denormal numbers take longer:\n"
    "where account or transfers are below zero, or far above, it is those that are seen."
)
SIZES = {
    "hotspot": ("N=1500", "STEPS=60"),
    "product": ("N=700",),
    "nbody": ("N=6000", "STEPS=6"),
    "jacobi": ("N=2500",),
    "heat3d": ("N=160",),
    "transpose": ("ROWS=3000", "COLUMNS=2800"),
    "spmv": ("N=400000", "MOST=2000000"),
    "kmeans": ("POINTS=400000",),
    "convolution": ("H=2500", "W=2600"),
}
WAYS = {
    "plain": ("plain", "0", ""),
    "one part": ("shared", "0", ""),
    "two": ("shared", "0,0", "alpha"),
    "two, beta": ("shared", "0,0", "beta"),
    "two, gamma": ("shared", "0,0", "gamma"),
    "four": ("shared", "0,0,0,0", "alpha"),
}


@dataclass(frozen=True)
class Row:
    """Medians in seconds by way, and bytes between devices on two and on four."""

    name: str
    seconds: dict[str, float]
    across: tuple[int, int]

    @property
    def one_part(self) -> float:
        return self.seconds["one part"] / self.seconds["plain"]

    @property
    def account(self) -> float:
        return (self.seconds["two, beta"] - self.seconds["two, gamma"]) / self.seconds["two"]

    @property
    def transfers(self) -> float:
        return (self.seconds["two"] - self.seconds["two, beta"]) / self.seconds["two"]

    def cells(self) -> list[str]:
        ratios = [f"{self.seconds[way] / self.seconds['plain']:.2f}" for way in ("two", "four")]
        shares = [f"{100 * share:.1f} %" for share in (self.account, self.transfers)]
        moved = [f"{count:,}" for count in self.across]
        return [
            self.name,
            f"{self.seconds['plain'] * 1000:.0f} ms",
            f"{self.one_part:.3f}",
            *ratios,
            *shares,
            *moved,
        ]


def measured(name: str, runs: int, folder: Path) -> Row:
    """The row of a program."""
    for kind, options in (("plain", ()), ("shared", ("--devices", "all"))):
        words = [
            sys.executable,
            "-m",
            "cuvier",
            "compile",
            str(ROOT / "tests" / "devices" / f"{name}.c"),
            "--target",
            "opencl",
        ]
        words += [*options, *(f"-D{size}" for size in SIZES[name]), "-o", str(folder / kind)]
        subprocess.run(words, check=True, capture_output=True, cwd=ROOT)
        subprocess.run(["make", "-C", str(folder / kind)], check=True, capture_output=True)
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    printed = set()
    for _ in range(runs):
        for way, (kind, devices, overhead) in WAYS.items():
            seconds, text = _run(folder / kind / name, devices, overhead)
            times[way].append(seconds)
            printed |= {text} if overhead in ("", "alpha") else set()
    if len(printed) > 1:
        print(f"{name}: the runs print different things", file=sys.stderr)
    across = tuple(_across(folder / "shared" / name, devices, folder) for devices in ("0,0", "0,0,0,0"))
    return Row(name, {way: statistics.median(found) for way, found in times.items()}, (across[0], across[1]))


def _settings(devices: str, **others: str) -> dict[str, str]:
    given = {"CUVIER_DEVICES": devices, "CUVIER_OPENCL_COPY": "1", "CUVIER_LAUNCH_ALL": "1", **others}
    return {**os.environ, **given}


def _run(program: Path, devices: str, overhead: str) -> tuple[float, bytes]:
    others = {"CUVIER_OVERHEAD": overhead} if overhead else {}
    started = time.monotonic()
    done = subprocess.run([program], capture_output=True, check=False, env=_settings(devices, **others))
    if done.returncode and overhead in ("", "alpha"):
        raise SystemExit(f"{program}: {done.stderr.decode()}")
    return time.monotonic() - started, done.stdout


def _across(program: Path, devices: str, folder: Path) -> int:
    counters = folder / "counters.json"
    subprocess.run(
        [program], capture_output=True, check=True, env=_settings(devices, CUVIER_COUNTERS=str(counters))
    )
    copies = json.loads(counters.read_text())["copies"]
    return sum(copy["bytes"] for copy in copies if copy["direction"] == "across")


def table(rows: list[Row]) -> str:
    """As Markdown, with what the medians are."""
    head = [
        "program",
        "one device",
        "one part",
        "two",
        "four",
        "account",
        "transfers",
        "bytes on two",
        "on four",
    ]
    lines = [head, ["---"] * len(head), *(row.cells() for row in rows)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    parts, accounts = [row.one_part for row in rows], [row.account for row in rows]
    return (
        f"{text}\n\none part: median {statistics.median(parts):.3f}, largest {max(parts):.3f}; "
        f"account: median {100 * statistics.median(accounts):.1f} %, largest {100 * max(accounts):.1f} %\n"
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", default=list(SIZES))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(name, options.runs, Path(folder)))
        print(" ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    text = table(rows)
    print(text, end="")
    if options.write:
        today = datetime.date.today().isoformat()
        page = ROOT / "benchmarks" / "results" / f"devices-{today}.md"
        machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, PoCL"
        about = f"{machine}; medians of {options.runs} runs."
        page.write_text(
            f"# Several devices\n\n`python benchmarks/devices.py`, {today}, {about}\n\n{DOUBTS}\n\n{text}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
