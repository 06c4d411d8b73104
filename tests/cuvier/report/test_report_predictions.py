"""`cuvier report --predict`: every loop on every machine, from its species; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from cuvier.document.json import schema_text

PROGRAM = """\
struct grid { int rows; };
void multiply(int n, float a[n][n], float b[n][n], float c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}
void often(int n, int steps, double *restrict u, double *restrict v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i - 1] + u[i + 1];
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
  }
}
void serial(struct grid *g, double *x) {
  for (int i = 1; i < g->rows; i++)
    x[i] = x[i] + 0.5 * x[i - 1];
}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.c").write_text(PROGRAM)
    return tmp_path / "p.c"


def report(*words: str) -> str:
    done = CliRunner().invoke(build_app(), ["report", "p.c", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def predicted(*words: str) -> dict[str, Any]:
    document = json.loads(report("--predict", "--format", "json", *words))
    Draft202012Validator(json.loads(schema_text())).validate(document)
    found = document["predictions"]
    assert isinstance(found, dict)
    return found


def at(machine: dict[str, Any], line: int) -> dict[str, Any]:
    return next(loop for loop in machine["loops"] if loop["line"] == line)


def test_every_machine_ranks_the_loops_by_time_and_by_gain(program: Path) -> None:
    found = predicted("--machine", "gtx-470", "--machine", "raspberry-pi-5", "--define", "n=2048")
    gpu, board = found["machines"]
    assert (gpu["device"], board["device"]) == ("NVIDIA GeForce GTX 470", None)
    assert [loop["line"] for loop in gpu["loops"]] == [3, 13, 15, 20]
    for machine in found["machines"]:
        times = [loop["one_thread"]["seconds"] for loop in machine["loops"]]
        assert times == sorted(times, reverse=True)
    gains = [gpu["loops"][place]["gain"] for place in gpu["by_gain"]]
    assert gains == sorted(gains, reverse=True) and gains[0] > 4 > 1 > gains[-1]
    assert board["by_gain"] == [] and all(loop["with_copies"] is None for loop in board["loops"])
    assert at(gpu, 20)["all_cores"] is None and at(gpu, 20)["obstacle"] == "it is not parallel"


def test_copies_are_those_of_the_species(program: Path) -> None:
    (gpu,) = predicted("--machine", "gtx-470", "--define", "n=1000", "--define", "steps=10")["machines"]
    once = at(gpu, 3)["with_copies"]["terms"]["copies"]
    assert once == pytest.approx(3 * 4 * 1000**2 / 8e9 + 3 * 1e-5)  # a and b there, c back
    often = at(gpu, 13)["with_copies"]["terms"]["copies"]
    assert often == pytest.approx(10 * (8 * (1000 + 998) / 8e9 + 2 * 1e-5))  # in each of ten steps
    assert at(gpu, 13)["on_device"]["bound"] == "launch" and at(gpu, 13)["with_copies"]["bound"] == "copies"


def test_sizes_that_are_given_and_sizes_that_are_taken(program: Path) -> None:
    found = predicted("--define", "g->rows=77", "--define", "steps=3")
    assert found["given"] == [{"name": "g->rows", "value": 77}, {"name": "steps", "value": 3}]
    assert found["assumed"] == [{"name": "n", "value": 1000}]
    text = report("--predict", "--define", "steps=3")
    assert "given steps = 3; unknown sizes count as 1000 unless the source suggests another: " in text
    assert "g->rows = 1,000, n = 1,000." in text


def test_the_text_says_what_bounds_a_loop_and_what_to_offload(program: Path) -> None:
    text = report("--predict", "--machine", "gtx-470", "--define", "n=2048")
    assert "gtx-470: Intel Core i7-3770, 4 cores; NVIDIA GeForce GTX 470\n" in text
    first = next(line for line in text.splitlines() if line.startswith("1."))
    assert "p.c:3 multiply  for i" in first and first.count("compute") == 4
    assert "offload first: p.c:3 (" in text and "stays on the host, as it is not parallel: p.c:20\n" in text
    assert "3 more loops; --top N shows N of them" in report("--predict", "--top", "1")
    assert "device" not in report("--predict", "--machine", "raspberry-pi-5").replace("no device", "")


def test_a_report_that_was_kept_is_predicted_from(program: Path) -> None:
    Path("r.json").write_text(report("--format", "json"))
    done = CliRunner().invoke(
        build_app(),
        ["report", "--from", "r.json", "--predict", "--machine", "gtx-470"],
        catch_exceptions=False,
    )
    assert done.stdout == report("--predict", "--machine", "gtx-470")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--define", "n"], "--define takes NAME=NUMBER"),
        (["--define", "n=many"], "not 'n=many'"),
        (["--define", "n=-1"], "not 'n=-1'"),
        (["--define", "n=inf"], "not 'n=inf'"),
        (["--predict", "--machine", "gtx470"], "did you mean 'gtx-470'?"),
        (["--machine", "gtx-470", "--machine", "gtx-680"], "compared by --predict"),
        (["--predict", "--format", "csv"], "choose from text, json, html"),
    ],
)
def test_what_is_refused(program: Path, words: list[str], complaint: str) -> None:
    done = CliRunner().invoke(build_app(), ["report", "p.c", *words])
    assert isinstance(done.exception, UserError) and complaint in str(done.exception)


def test_a_size_that_no_file_has_is_said(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = CliRunner().invoke(build_app(), ["report", "p.c", "--predict", "--define", "m=3"])
    assert "--define m: no file has that name; a macro is defined with -D" in done.stderr
