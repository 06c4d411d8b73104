"""`cuvier bench`: who takes part, what is compared, and what is said; no times are held against anything."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cuvier.bench.picture import svg
from cuvier.bench.race import Entry, Result
from cuvier.bench.report import as_json, verdict

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
double scaled(double);
static double a[1000];
int main(int count, char **words) {
    for (int i = 0; i < 1000; i++) a[i] = i * FACTOR;
    double sum = 0;
    for (int i = 0; i < 1000; i++) sum += a[i];
    printf("%d %s %.3f\\n", count, words[1], scaled(sum));
    printf("took 0.25 s\\n");
    return 3;
}
"""
HELPER = "double scaled(double x) { return 2 * x; }\n"
CLOCK = "--clock=^took ([0-9.]+) s$"


def cuvier(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cuvier", "bench", "--patience", "0", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("bench")
    (found / "app.c").write_text(PROGRAM)
    (found / "helper.c").write_text(HELPER)
    (found / "other.c").write_text(PROGRAM.replace("took", "needed").replace("sum += a[i]", "sum -= a[i]"))
    (found / "broken.c").write_text("int main(void) { return what; }\n")
    return found


@pytest.fixture(scope="module")
def raced(folder: Path) -> subprocess.CompletedProcess[str]:
    options = (
        "--target",
        "openmp",
        "--against",
        "cc,broken.c,other.c",
        "--hand",
        "app.c",
        "--link",
        "helper.c",
    )
    counts = ("--rounds", "2", "-DFACTOR=3", CLOCK, "--json", "--svg", "bars.svg", "--least", "0.99")
    return cuvier(folder, "app.c", *options, *counts, "--", "-x")


def test_all_take_part_with_the_arguments_behind_the_dashes(raced: subprocess.CompletedProcess[str]) -> None:
    (program,) = json.loads(raced.stdout)["programs"]
    by_name = {each["name"]: each for each in program["contenders"]}
    assert list(by_name) == ["cc", "broken.c", "other.c", "hand", "cuvier"]
    for name in ("cc", "hand", "cuvier"):
        assert by_name[name]["runs"] == [0.25, 0.25] and not by_name[name]["different"]
    assert raced.returncode == 0 and program["ratio"] == 1 and program["best"] == "cc"


def test_those_that_fail_say_why(raced: subprocess.CompletedProcess[str]) -> None:
    (program,) = json.loads(raced.stdout)["programs"]
    by_name = {each["name"]: each for each in program["contenders"]}
    assert re.search("not built: .*what", by_name["broken.c"]["why"])
    assert "nothing that it prints" in by_name["other.c"]["why"] and by_name["other.c"]["seconds"] is None


def test_the_picture_is_one(folder: Path, raced: subprocess.CompletedProcess[str]) -> None:
    root = ElementTree.parse(folder / "bars.svg").getroot()
    assert len(root.findall("{*}rect")) == 3 and "app.c" in "".join(root.itertext())


def test_what_prints_something_else_is_no_rival(folder: Path) -> None:
    words = ("--target", "openmp", "--against", "cc,other.c", "--link", "helper.c", "-DFACTOR=3")
    done = cuvier(folder, "app.c", *words, "--rounds", "1", "--", "x")
    assert done.returncode == 0 and "different: line 1: '2 x 2997000.000' became" in done.stdout
    assert re.search(
        r"Cuvier's program is [0-9.]+ times as fast as the best of the others, cc -O3\.", done.stdout
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--against", "tcc-of-old"], "--against tcc-of-old: no such compiler"),
        (["--against", "absent.c"], "absent.c: there is no such file"),
        (["--hand", "absent.c"], "absent.c: there is no such file"),
        (["--link", "absent.o"], "--link absent.o: there is no such file"),
        (["--clock", "("], "no regular expression"),
        (["--clock", "took"], "has no group"),
    ],
)
def test_mistakes_are_told_before_the_work(folder: Path, words: Sequence[str], message: str) -> None:
    done = cuvier(folder, "app.c", "--target", "openmp", *words)
    assert done.returncode == 2 and message in done.stderr and not done.stdout


def _result(*entries: Entry) -> Result:
    return Result("app.c", "openmp", entries)


FIRST, OURS = Entry("gcc", "gcc -O3", (2.0, 2.2, 2.1)), Entry("cuvier", "Cuvier, openmp", (1.0, 1.1, 1.0))


def test_ratios_are_medians_of_the_rounds() -> None:
    result = _result(FIRST, OURS)
    assert result.ratio == pytest.approx(2.0) and result.speed(OURS) == pytest.approx(2.0)
    assert "2.00 times as fast as the best of the others, gcc -O3" in verdict(result)


@pytest.mark.parametrize(
    ("ours", "message"),
    [
        (Entry("cuvier", "Cuvier", why="not built: no"), "did not take part: not built: no"),
        (Entry("cuvier", "Cuvier", (1.0,), wrong="line 1"), "prints something else: line 1"),
    ],
)
def test_nothing_is_claimed_of_a_program_that_is_wrong(ours: Entry, message: str) -> None:
    result = _result(FIRST, ours)
    assert result.ratio is None and message in verdict(result)
    assert json.loads(as_json([result]))["programs"][0]["ratio"] is None
    assert "<svg" in svg([result])
