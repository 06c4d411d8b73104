"""A program as it is, and as it is compiled for OpenMP: what both print."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from skeletons import CompileOptions, Library, compile_unit
from skeletons.catalogue.passes import THRESHOLD
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from transfers import around_kernels

FLAGS = ("-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fopenmp")


def compiled(text: str) -> str:
    """The OpenMP program; threads share even the shortest loops."""
    unit = read_translation_unit("program.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    options = CompileOptions(without=frozenset({THRESHOLD}))
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), options)
    return made.files["program.c"]


def printed(text: str, folder: Path, *flags: str) -> str:
    """What a program prints."""
    (folder / "program.c").write_text(text)
    subprocess.run(["gcc", *FLAGS, *flags, "program.c", "-o", "program", "-lm"], cwd=folder, check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(
        ["./program"], cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout
