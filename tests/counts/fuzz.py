"""`python -m tests.counts.fuzz --count N --seed S`: random ways to count, also compiled for OpenMP."""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.counts.generator import program
from tests.support.machines import CORES

FLAGS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-w")
TOGETHER = 12  # functions in one program
ALL = CompileOptions(without=frozenset(("threshold",)), machine=CORES)


def compared(text: str, folder: Path) -> tuple[str, int]:
    """What the compiled program prints otherwise (empty: nothing); how many loops got a counter."""
    source = folder / "counts.c"
    source.write_text(text, encoding="utf-8")
    analysis, flags = AnalysisOptions(scops=True), PreprocessOptions()
    unit = read_translation_unit(str(source), flags)
    made = generate(unit, analyse(unit, analysis), "openmp", Library.load(), flags, analysis, ALL)
    out = folder / "out"
    write_program(made, out)
    outputs = []
    for place in (source, out / "counts.c"):
        binary = folder / "binary"
        subprocess.run(
            ["gcc", *FLAGS, "-fopenmp", str(place), "-o", str(binary)], check=True, capture_output=True
        )
        run = subprocess.run([str(binary)], capture_output=True, text=True, check=False)
        assert run.returncode == 0 or outputs, f"the generator's own program is not right: {run.stderr}"
        outputs.append(run.stdout + run.stderr)
    lines = zip(outputs[0].splitlines(), outputs[1].splitlines(), strict=False)
    different = (
        "" if outputs[0] == outputs[1] else next((f"{a} | {b}" for a, b in lines if a != b), outputs[1])
    )
    return different, (out / "counts.c").read_text(encoding="utf-8").count("const long counted_n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where programs that differ are written")
    options = parser.parse_args()
    wrong = counted = 0
    for number in range(0, options.count, TOGETHER):
        text = program(random.Random(options.seed + number), TOGETHER)
        with tempfile.TemporaryDirectory() as folder:
            different, made = compared(text, Path(folder))
        counted += made
        if different:
            wrong += 1
            print(f"seed {options.seed + number}: {different}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"counts{options.seed + number}.c").write_text(text, encoding="utf-8")
    print(f"{options.count} functions, {counted} loops with a counter of ours, {wrong} programs wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
