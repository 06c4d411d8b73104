"""`python -m tests.elements.fuzz --count N --seed S`: loops that are called parallel run in both orders."""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

from species import analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.elements.generator import program

TOGETHER = 10  # loops in one program


def checked(text: str, folder: Path) -> tuple[list[str], int]:
    """The loops whose order matters though they are called parallel, and how many are called so."""
    source = folder / "elements.c"
    source.write_text(text, encoding="utf-8")
    found = analyse(read_translation_unit(str(source), PreprocessOptions())).loops
    parallel = {loop.function for loop in found if loop.verdict is Verdict.PARALLEL and not loop.depth}
    outputs = []
    for direction in ("FORWARDS", "BACKWARDS"):
        binary = folder / direction
        command = [
            "gcc",
            "-w",
            "-O1",
            "-fno-strict-aliasing",
            f"-D{direction}",
            str(source),
            "-o",
            str(binary),
        ]
        subprocess.run(command, check=True, capture_output=True)
        run = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=20)
        outputs.append(run.stdout.splitlines())
    differ = [line.split()[0] for line, other in zip(*outputs, strict=True) if line != other]
    loops = {f"loop{number}" for number in range(TOGETHER)}
    return [f"loop{n}" for n in differ if f"loop{n}" in parallel], len(parallel & loops)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where programs with wrong verdicts are written")
    options = parser.parse_args()
    wrong = parallel = 0
    for seed in range(options.seed, options.seed + options.count // TOGETHER):
        text = program(random.Random(seed), TOGETHER)
        with tempfile.TemporaryDirectory() as folder:
            bad, made = checked(text, Path(folder))
        parallel += made
        wrong += len(bad)
        if bad:
            print(f"seed {seed}: {', '.join(bad)}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"elements{seed}.c").write_text(text, encoding="utf-8")
    print(f"{options.count} loops, {parallel} called parallel, {wrong} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
