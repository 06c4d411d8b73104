"""A program as it is written, annotated with OpenMP, and compiled for it: sanitized, and run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cuvier.pipeline.driver import annotate_file
from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse
from species.annotate import AnnotateOptions, strip
from species.source import PreprocessOptions, read_translation_unit

FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsanitize=address,undefined"]


def same_three_ways(program: Path, folder: Path) -> tuple[str, str]:
    """Asserts that all three print the same; returns the annotated file and the compiled one."""
    found = annotate_file(program, PreprocessOptions(), AnnotateOptions("openmp"))
    assert found.after is not None and strip(found.after) == program.read_text()
    (folder / "marked.c").write_text(found.after)
    unit, analysis = read_translation_unit(str(program), PreprocessOptions()), AnalysisOptions(scops=True)
    options = CompileOptions(without=frozenset(["threshold"]))
    facts = analyse(unit, analysis)
    made = generate(unit, facts, "openmp", Library.load(), PreprocessOptions(), analysis, options)
    write_program(made, folder / "out")
    sources = (program, folder / "marked.c", folder / "out" / program.name)
    outputs = {_output(source, folder / f"program{k}") for k, source in enumerate(sources)}
    assert len(outputs) == 1
    return found.after, made.files[program.name]


def _output(source: Path, program: Path) -> bytes:
    subprocess.run(["gcc", *FLAGS, source, "-o", program, "-lm"], check=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "4"}
    return subprocess.run([program], check=True, capture_output=True, env=environment).stdout
