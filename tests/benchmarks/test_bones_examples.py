"""The script that reads and verifies the examples of Bones, on programs of our own."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from benchmarks.bones import document
from benchmarks.field.verified import ReadSpecies, Verified, read_species, verify

SUMMED = """#include <stdio.h>
#include <stdlib.h>
#define N 50000
float a[N], sum;
int main(void) {
  for (int i = 0; i < N; i++) a[i] = 1.0f / (i + 1);
#pragma species kernel a[0:N-1]|element -> sum[0:0]|shared
  for (int i = 0; i < N; i++) sum += a[i];
#pragma species endkernel sum
  %s
  return sum > 100;
}
"""
OUT_OF_BOUNDS = 'int *b = malloc(40); for (int i = 0; i < 9000000; i++) b[i] = i; printf("%d\\n", b[0]);'


def written(folder: Path, more: str = "") -> Path:
    path = folder / "program.c"
    path.write_text(SUMMED % more)
    return path


def test_species_that_are_right_and_wrong_are_counted(tmp_path: Path) -> None:
    program = written(tmp_path)
    assert read_species(program) == ReadSpecies(stated=1, right=1)
    program.write_text(program.read_text().replace("0:N-1", "0:N"))
    found = read_species(program)
    assert (found.stated, found.right) == (1, 0) and "line 7: " in found.complaints[0]


def test_a_file_that_is_not_c_is_not_read(tmp_path: Path) -> None:
    assert "'nothing' is not declared" in read_species(written(tmp_path, "a[0] = nothing;")).failure


def test_undefined_programs_are_told_apart(tmp_path: Path) -> None:
    found = verify(written(tmp_path, OUT_OF_BOUNDS), "openmp", 20)
    assert found.word == "undefined" and "killed by" in found.note and "0x" not in found.note


def test_the_table() -> None:
    species = asdict(ReadSpecies(2, 1, ("line 3: 'a' does not hold",)))
    equal, other = asdict(Verified("equal")), asdict(Verified("undefined", "index 9 out of bounds"))
    result = {"species": species, "openmp": equal, "opencl": other, "cuda": other}
    text = document({"chunk/one.c": result})
    row = next(line for line in text.splitlines() if line.startswith("| chunk/one "))
    assert row == (
        "| chunk/one | 1 of 2 | equal | undefined | undefined |"
        " line 3: 'a' does not hold; index 9 out of bounds |"
    )
    assert "1 of 1 programs are read" in text and "- opencl: 1 undefined" in text
