"""benchmarks/harm.py: its programs are sound, it knows regions, and it tells slow, wrong and well apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LONG

from benchmarks.contest import rounds, subjects, variants
from benchmarks.contest.harm_table import Table, geometric_mean
from benchmarks.contest.rounds import Effort, Entry, Timing
from benchmarks.contest.subjects import Subject
from benchmarks.contest.variants import Built, Variant
from tests.support.places import ROOT

OURS = subjects.ours()
SANITIZED = OURS if os.environ.get(LONG) else OURS[::8]
JUDGE = """
SEEN = []
def program(seed): return f"// {seed}\\n//OMP\\nint x;"
def clean(text): return text.replace("//OMP\\n", ""), []
def main(): raise SystemExit("a judge that is looked at does not judge")
main()
"""


def script(path: Path, output: str, seconds: float, status: int = 0) -> Path:
    path.write_text(f"#!/bin/sh\necho '{output}'\necho {seconds} >&2\nexit {status}\n")
    path.chmod(0o755)
    return path


# --- programs ---


def test_there_are_many() -> None:
    lines = {each.name: len(each.source.read_text().splitlines()) for each in OURS}
    assert len(lines) == 51
    assert all(55 <= count <= 150 for count in lines.values()), lines


def test_ours_have_no_warnings() -> None:
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, *(str(each.source) for each in OURS)], check=True)


@pytest.mark.parametrize("subject", SANITIZED, ids=lambda each: each.name)
def test_ours_are_sound(subject: Subject, tmp_path: Path) -> None:
    flags = ["-std=gnu11", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    program = tmp_path / "program"
    subprocess.run(["gcc", *flags, str(subject.source), "-o", str(program), "-lm"], check=True)
    for size in ("16", "37"):
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        words = [str(program), size, "2"]
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout and float(done.stderr.split()[-1]) >= 0


def test_those_of_a_judge(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(JUDGE)
    found = subjects.random(tmp_path / "judge.py", [7, 8], tmp_path)
    assert [each.name for each in found] == ["judge7", "judge8"]
    assert found[1].source.read_text() == "// 8\nint x;"


def test_anybodys_programs_and_what_they_did_by_hand(tmp_path: Path) -> None:
    text = "int main(void) {\n  int s = 0;\n%s  for (int i = 0; i < 9; i++) s += i;\n  return s != 36;\n}\n"
    (tmp_path / "sum.c").write_text(text % "")
    (tmp_path / "sum.omp.c").write_text(text % "#pragma omp parallel for reduction(+: s)\n")
    (tmp_path / "other.c").write_text(text % "")
    found = {each.name: each for each in subjects.others(tmp_path)}
    assert list(found) == ["other", "sum"]
    hand = {name: variants.build(found[name], tmp_path / name, ("hand",)).variants["hand"] for name in found}
    assert hand["sum"].regions == 1 and hand["other"].unchanged
    assert rounds.execute(hand["sum"].executable, (), 2)[0] == ""


def test_programs_of_the_corpus_grow_and_then_run_often() -> None:
    gemm = next(each for each in subjects.corpus() if each.name == "gemm")
    figure = next(each for each in subjects.corpus() if each.name == "fig_3_10")
    grown = subjects.sized(
        gemm, lambda each: 0.02 if "-DNI=240" in each.flags else 0.2 if each.flags else 0.0
    )
    assert grown.flags and grown.words == ("1",)
    often = subjects.sized(figure, lambda _: 1e-4)
    assert often.flags == () and often.words == ("1000",)


# --- what was built ---


def test_regions(tmp_path: Path) -> None:
    text = """#pragma omp parallel for if(n > 3)
  #  pragma omp   parallel
#pragma omp target teams distribute parallel for
#pragma omp simd
#pragma omp for
// #pragma omp parallel
"""
    (tmp_path / "x.c").write_text(text)
    assert variants.regions_of(tmp_path / "x.c") == 3


def test_both_ways_are_built(tmp_path: Path) -> None:
    small = next(each for each in OURS if each.name == "table-lookup")
    built = variants.build(small, tmp_path)
    assert set(built.variants) == {"annotate", "compile"} and not built.failures
    expected = rounds.execute(built.original, ("37", "2"))[0]
    for variant in built.variants.values():
        assert rounds.execute(variant.executable, ("37", "2"), 2)[0] == expected


# --- what is said of times ---


def timed(folder: Path, output: str, seconds: float, status: int = 0, least: float = 0.95) -> Timing:
    subject = Subject("p", "ours", folder / "p.c", (), ("1",))
    original = script(folder / "original", "1.0", 0.2)
    variant = Variant(script(folder / "variant", output, seconds, status), 3)
    return rounds.measure(Built(subject, original, {"annotate": variant}), Effort(2, 3, least, (2, 1)))


@pytest.mark.parametrize(
    ("output", "seconds", "status", "ratio", "words"),
    [
        ("1.0000000001", 0.1, 0, "2.00", ""),
        ("1.0", 0.25, 0, "**0.80 !**", "only 0.80 (annotated, 2 threads), 0.80 (annotated, 1 thread) of gcc"),
        ("1.1", 0.1, 0, "**WRONG**", "1.1 instead of 1.0 (at 1, 1 thread)"),
        ("1.0", 0.1, 3, "**WRONG**", "ends with status 3"),
    ],
)
def test_judgements(output: str, seconds: float, status: int, ratio: str, words: str, tmp_path: Path) -> None:
    timing = timed(tmp_path, output, seconds, status)
    table = Table(("annotate",), Effort())
    assert table.row(timing)[2:] == ["3", ratio, ratio]
    assert words in "\n".join(table.complaints(timing)) and bool(table.complaints(timing)) == bool(words)


def test_what_is_below_the_bar_is_measured_more(tmp_path: Path) -> None:
    for name, seconds, rows in (
        ("slow", 0.25, 5),
        ("well", 0.1, 2),
        ("hopeless", 0.5, 2),
        ("desperate", 9.0, 1),
    ):
        folder = tmp_path / name
        folder.mkdir()
        assert len(timed(folder, "1.0", seconds).pairs[Entry("annotate", 2)]) == rows, name


def test_what_is_as_it_was_is_not_measured(tmp_path: Path) -> None:
    original = script(tmp_path / "original", "1.0", 0.2)
    same = Variant(original, unchanged=True)
    built = Built(Subject("p", "ours", tmp_path / "p.c"), original, {"annotate": same}, {"compile": "broken"})
    timing = rounds.measure(built, Effort(2, 0))
    table = Table(("annotate", "compile"), Effort())
    assert table.row(timing)[1:] == ["0.200", "as it was", "1.00", "1.00", "no program", "-", "-"]
    assert table.complaints(timing) == ["compile: broken"] and timing.pairs == {}
    assert "worst 1.00 (ours/p), 0 below 0.95" in table.summary([timing])[0]


def test_the_mean_is_geometric() -> None:
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--programs", "no-such", "no such program: no-such"),
        ("--groups", "random", "--judge"),
        ("--groups", "theirs", "no such group: theirs"),
    ],
)
def test_what_is_not_there_is_refused(option: str, value: str, words: str) -> None:
    command = [sys.executable, "benchmarks/harm.py", option, value]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
