"""`python -m tests.fusions.fuzz --count N`: random neighbouring loops, all made one that may be, and run.

The text with the fused loops is C like any other: it must print what the original prints, under sanitizers.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cuvier.pipeline.base.reading import Reader
from cuvier.pipeline.fusion import fused
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions
from tests.fusions.generator import GUARDS, program

_BUILD = ("gcc", "-std=gnu11", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def compare(seed: int, folder: Path) -> Counter[str]:
    """How many pairs were made one; AssertionError where the program prints something else then."""
    source = folder / "program.c"
    source.write_text(program(seed))
    flags, options = PreprocessOptions(), AnalysisOptions()
    reader = Reader(str(source), flags, options)
    now = reader(source.read_text())
    found = fused(now, reader, (), {}, everything=True)
    made = [fusion for fusion in found.fusions if fusion.fused]
    totals = Counter({"pairs": len(found.fusions), "fused": len(made)})
    totals["side by side"] += sum(fusion.form == "beside" for fusion in made)
    totals["moved"] += sum("has moved" in fusion.why for fusion in made)
    texts = (found.text.original, found.text.text)
    before, after = (sum(text.count(f"if ({c})") for c in GUARDS) for text in texts)
    totals["behind a condition"] += before - after
    totals["with variables"] += sum("becomes a variable" in fusion.why for fusion in made)
    totals["fused, not by tuples"] += sum(not fusion.by_tuples for fusion in made)
    totals["not fused, but by tuples"] += sum(f.by_tuples and not f.fused for f in found.fusions)
    if made:
        other = folder / "fused.c"
        other.write_text(found.text.text)
        before, after = _printed(source), _printed(other)
        assert before == after, f"{before!r} and then {after!r}"
        assert source.read_text().count("\n") == found.text.text.count("\n"), "lines have moved"
    return totals


def _printed(source: Path) -> str:
    binary = source.with_suffix(".out")
    subprocess.run([*_BUILD, source, "-o", binary], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr[:500] + str(done.returncode)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    done, wrong, started = 0, 0, time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > started + options.time:
            break
        done += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                totals += compare(seed, Path(folder))
            except (AssertionError, subprocess.CalledProcessError) as error:
                wrong += 1
                print(f"seed {seed}: {error}", flush=True)
    print(f"{done} programs, {wrong} wrong; {', '.join(f'{n} {k}' for k, n in totals.items())}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
