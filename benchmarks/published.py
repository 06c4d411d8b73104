"""Programs that others wrote, as they were published: `cuvier bench` for each of a list, and a table.

    python benchmarks/published.py ~/suites/polybench.list
    python benchmarks/published.py ~/suites/polybench.list --only gemm,lu -o build/published.md
    python benchmarks/published.py ~/suites/polybench.list -- --rounds 3 --threads 2

The list, and the programs, stay where they are: outside of the repository.  Each of its lines is a program,
with the options that `cuvier bench` needs for it; options behind a `*` are for all lines below; names of
files are from the list's folder on:

    * --target openmp -Iutilities --link utilities/polybench.c -DPOLYBENCH_TIME --clock '^([0-9.]+)$'
    linear-algebra/blas/gemm/gemm.c
    stencils/adi/adi.c -DMEDIUM_DATASET

Seconds are medians; the ratio is Cuvier's speed, 1 being that of the best of the others.

Exit status: 0 all were measured; 1 some were not, or print something else; 2 bad options.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A line of a list: the program, and the options for it."""

    file: str
    options: tuple[str, ...]

    @property
    def name(self) -> str:
        return Path(self.file).stem


def entries(text: str) -> Iterator[Entry]:
    """Those of a list, in order."""
    common: tuple[str, ...] = ()
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["*"]:
            common = tuple(words[1:])
        elif words:
            yield Entry(words[0], (*common, *words[1:]))


def measured(entry: Entry, folder: Path, more: Sequence[str]) -> dict[str, Any] | str:
    """What `cuvier bench` says of a program; its complaint where it says nothing."""
    command = [sys.executable, "-m", "cuvier", "bench", entry.file, *entry.options, *more, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
        program: dict[str, Any] = json.loads(done.stdout)["programs"][0]
    except (ValueError, LookupError):
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        return lines[-1]
    return program


def table(results: dict[str, dict[str, Any] | str]) -> list[str]:
    """Lines of Markdown; a program whose output differs has an exclamation mark."""
    known = [each for each in results.values() if isinstance(each, dict)]
    names = list(dict.fromkeys(c["name"] for each in known for c in each["contenders"]))
    lines = [f"| program | {' | '.join(names)} | ratio |", "|---" * (len(names) + 2) + "|"]
    for name, result in results.items():
        if isinstance(result, str):
            lines.append(f"| {name} | {result} |" + " |" * len(names))
            continue
        by_name = {c["name"]: c for c in result["contenders"]}
        cells = [_cell(by_name.get(each)) for each in names]
        ratio = "-" if result["ratio"] is None else f"{result['ratio']:.2f}"
        lines.append(
            f"| {name} | {' | '.join(cells)} | {ratio}{' (disturbed)' * bool(result['disturbed'])} |"
        )
    return lines


def _cell(contender: dict[str, Any] | None) -> str:
    if contender is None or contender["seconds"] is None:
        return "-"
    return f"{contender['seconds']:.3g}" + "!" * bool(contender["different"])


def summary(results: dict[str, dict[str, Any] | str]) -> str:
    """The mean and the worst of the ratios."""
    ratios = {n: r["ratio"] for n, r in results.items() if isinstance(r, dict) and r["ratio"]}
    if not ratios:
        return "nothing was measured"
    worst = min(ratios, key=lambda name: ratios[name])
    mean = f"{geometric_mean(ratios.values()):.2f} in the geometric mean of {len(ratios)} programs"
    return f"{mean}, {ratios[worst]:.2f} at worst ({worst})"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=Path, metavar="LIST", help="a file of programs and options")
    parser.add_argument("--only", help="names of programs, with commas [default: all]")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the table there too")
    words, more = sys.argv[1:], list[str]()
    if "--" in words:  # options of `cuvier bench`
        place = words.index("--")
        words, more = words[:place], words[place + 1 :]
    options = parser.parse_args(words)
    if not options.list.is_file():
        parser.error(f"{options.list}: there is no such file")
    wanted = set(options.only.split(",")) if options.only else None
    results: dict[str, dict[str, Any] | str] = {}
    for entry in entries(options.list.read_text(encoding="utf-8")):
        if wanted is None or entry.name in wanted:
            results[entry.name] = measured(entry, options.list.resolve().parent, more)
            print(table({entry.name: results[entry.name]})[-1], file=sys.stderr, flush=True)
    about = f"{datetime.date.today()}, {os.cpu_count()} processors: {summary(results)}"
    text = "\n".join([*table(results), "", about, ""])
    print(text, end="")
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    failed = any(isinstance(r, str) or r["ratio"] is None for r in results.values())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
