"""`--theory`, `--at`, tags and distance vectors on the command line and in its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from typer.testing import CliRunner, Result

from cuvier.cli import build_app
from cuvier.document.json import schema_text

PROGRAM = """\
double a[128], m[128], s;
void f(int n) {
  for (int i = 1; i < 127; i++)
    m[i] = a[i - 1] + a[i] + a[i + 1];
  for (int i = 0; i < 128; i++)
    s += m[i];
  for (int t = 0; t < n; t++)
    for (int i = 1; i < 127; i++)
      a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
"""


def cuvier(*arguments: str) -> Result:
    return CliRunner().invoke(build_app(), arguments, catch_exceptions=False, env={"COLUMNS": "200"})


def written(folder: Path) -> str:
    path = folder / "app.c"
    path.write_text(PROGRAM)
    return str(path)


def test_report_by_either_theory(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert "a[0:127]|neighbourhood(-1:1)" in cuvier("report", path).stdout
    assert "a[1:126]|neighbourhood(-1:1)" in cuvier("report", "--theory", "polyhedral", path).stdout


def test_explain_by_the_polyhedral_theory(tmp_path: Path) -> None:
    place = f"{written(tmp_path)}:3"
    assert "a[1:126]|neighbourhood(-1:1)" in cuvier("explain", "--theory", "polyhedral", place).stdout


def test_annotate_by_the_polyhedral_theory(tmp_path: Path) -> None:
    path = written(tmp_path)
    cuvier("annotate", "--in-place", "--theory", "polyhedral", path)
    text = Path(path).read_text()
    assert "#pragma species kernel a[1:126]|neighbourhood(-1:1) -> m[1:126]|element /* cuvier */" in text
    assert "s[0:0]|shared(+) /* cuvier */" in text
    cuvier("strip", "--in-place", path)
    assert Path(path).read_text() == PROGRAM


def test_tuples_of_loops_and_statements(tmp_path: Path) -> None:
    path = written(tmp_path)
    tuple_, statement = "(a, r, [0..127], 3, 1)", "(a, r, [i-1..i-1], 1, ∅)"
    nest, loop, all_ = (cuvier("report", "--at", at, path).stdout for at in ("nest", "loop", "statement"))
    assert tuple_ not in nest and tuple_ in loop and tuple_ in all_
    assert statement not in nest and statement not in loop and statement in all_
    assert statement in cuvier("explain", "--at", "statement", f"{path}:3").stdout


def test_json_has_tags_vectors_and_statements(tmp_path: Path) -> None:
    path = written(tmp_path)
    document = json.loads(cuvier("report", "--format", "json", "--at", "statement", path).stdout)
    jsonschema.validate(document, json.loads(schema_text()), jsonschema.Draft202012Validator)
    first, _, outer, _ = document["units"][0]["loops"]
    assert outer["tags"] == ["perfect", "uniform", "sor-like", "wavefront"]
    assert {tuple(d["distance"]) for d in outer["distances"]} == {(0, 1), (1, -1), (1, 0)}
    assert outer["distances"][0]["loops"] == ["t", "i"]
    (statement,) = first["statements"]
    assert (statement["line"], statement["complete"]) == (4, True)
    assert statement["characterisations"][0]["step"] == []


def test_the_text_report_and_explain_show_tags_and_vectors(tmp_path: Path) -> None:
    path = written(tmp_path)
    report = cuvier("report", path).stdout
    assert "sor-like" in report and "distances (0,1), (1,-1), (1,0) over t, i" in report
    words = cuvier("explain", f"{path}:7").stdout
    assert "Its distance vectors are (0,1), (1,-1), (1,0) over t, i." in words
    assert "Its tags are perfect, uniform, sor-like and wavefront." in words


def test_an_unknown_theory_is_an_error(tmp_path: Path) -> None:
    assert cuvier("report", "--theory", "of everything", written(tmp_path)).exit_code != 0
