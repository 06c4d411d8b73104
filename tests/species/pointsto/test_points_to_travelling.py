"""Pointers that travel by ways that are easily overlooked: iterations of the loop marked LOOP conflict."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import UnitFacts, Verdict
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.support.places import TESTS

PROGRAMS = sorted((TESTS / "pointers" / "travelling").glob("*.c"))


def _output(text: str, folder: Path, threads: int) -> str:
    source, program = folder / f"p{threads}.c", folder / f"p{threads}"
    source.write_text(text)
    flags = ("-std=gnu11", "-O1", "-w", "-fopenmp", "-pthread")
    subprocess.run(["gcc", *flags, str(source), "-o", str(program), "-lm"], check=True)
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_SCHEDULE": "static,1"}
    return subprocess.run([str(program)], capture_output=True, text=True, check=True, env=environment).stdout


def _read(path: Path) -> tuple[TranslationUnit, UnitFacts]:
    unit = read_translation_unit(str(path), PreprocessOptions())
    return unit, analyse(unit)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_loop_is_not_parallel(path: Path) -> None:
    _, facts = _read(path)
    marked = [number for number, line in enumerate(path.read_text().splitlines(), 1) if "LOOP" in line]
    found = [loop for loop in facts.loops if {loop.position.line, loop.position.line - 1} & {*marked}]
    assert found and all(loop.verdict is not Verdict.PARALLEL for loop in found)


@pytest.mark.long
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_annotated_it_prints_the_same(path: Path, tmp_path: Path) -> None:
    unit, facts = _read(path)
    annotated = annotate(unit.source.text, facts, AnnotateOptions(style="openmp"))
    assert _output(path.read_text(), tmp_path, 1) == _output(annotated, tmp_path, 4)
