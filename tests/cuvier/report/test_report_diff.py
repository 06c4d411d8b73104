"""`cuvier report --diff`: which loops have changed, which line did it, and gates."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from cuvier.report.changes import changes_github, changes_json, changes_markdown, summary
from cuvier.report.diff import Comparison, compared
from cuvier.report.gate import conditions, violated
from tests.support.reporting import SUM, report_of

CARRIED = SUM.replace("p[i] = q[i];", "p[i] = i > 0 ? p[i - 1] + q[i] : 0;")


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    return between(tmp_path, SUM, CARRIED)


def between(folder: Path, old: str, new: str) -> Comparison:
    return compared(report_of({"a.c": old}, folder / "old"), report_of({"a.c": new}, folder / "new"))


def test_a_loop_that_became_serial_and_the_line_that_did_it(comparison: Comparison) -> None:
    (change,) = comparison.changes
    assert change.worse
    assert change.kind == "serial"
    assert (change.loop["line"], change.loop["function"]) == (17, "add")
    assert change.cause is not None
    assert (change.cause.line, change.cause.changed) == (18, True)
    assert change.cause.text.startswith("p[i] = i > 0")
    assert change.cause.reason is not None
    assert summary(comparison) == "4 loops compared: 1 became worse."


def test_the_way_back_is_better(tmp_path: Path) -> None:
    (change,) = between(tmp_path, CARRIED, SUM).changes
    assert change.better and change.kind == "conditional"


def test_lines_that_move_are_no_change(tmp_path: Path) -> None:
    comparison = between(
        tmp_path, SUM, "/* a\n\n licence */\n" + SUM.replace("double s = 0;", "double s = 0; // none")
    )
    assert comparison.changes == []
    assert summary(comparison) == "4 loops compared: no change."


def test_a_function_that_a_loop_calls_may_have_done_it(tmp_path: Path) -> None:
    loop = "void g(double *p) {\n  for (int i = 0; i < 9; i++)\n    p[i] = f(i);\n}\n"
    pure, counting = (
        "static double f(int i) { return i; }\n",
        "static double f(int i) { static int n; return n += i; }\n",
    )
    (change,) = between(tmp_path, pure + loop, counting + loop).changes
    assert change.worse
    assert change.cause is not None and change.cause.line in (1, 4)


def test_a_species_that_changed(tmp_path: Path) -> None:
    (change,) = between(tmp_path, SUM, SUM.replace("s += a[i] * b[j]", "s += a[i]")).changes
    assert change.kind == "species"
    assert not change.worse and not change.better


def test_new_loops_and_loops_that_are_gone(tmp_path: Path) -> None:
    more = SUM.replace("  return s;", "  for (int k = 0; k < 9; k++)\n    a[k] = k;\n  return s;")
    (new,) = between(tmp_path / "1", SUM, more).changes
    assert (new.kind, new.loop["line"]) == ("new", 14)
    (gone,) = between(tmp_path / "2", more, SUM).changes
    assert gone.kind == "gone"


def test_a_file_that_is_no_longer_analysed_is_no_loss_of_loops_but_of_a_file(tmp_path: Path) -> None:
    comparison = between(tmp_path, SUM, SUM + "}\n")
    assert comparison.changes == []
    assert comparison.lost == ["a.c"]
    assert "No longer analysed as before: a.c." in summary(comparison)
    assert violated(("incomplete",), comparison.new, comparison)


def test_a_file_with_another_name_is_recognised(tmp_path: Path) -> None:
    old, new = report_of({"x/a.c": SUM}, tmp_path), report_of({"y/b.c": SUM}, tmp_path)
    assert compared(old, new).changes == []


def test_formats_of_a_comparison(comparison: Comparison) -> None:
    assert "| Became worse | `a.c:17` `for i` | conditional -\\> serial |" in changes_markdown(comparison)
    annotation = changes_github(comparison)
    assert annotation.startswith("::warning file=a.c,line=18,endLine=18,title=Loop became serial::a.c:17: ")
    (change,) = json.loads(changes_json(comparison))["changes"]
    assert (change["change"], change["cause"]) == ("worse", {"file": "a.c", "line": 18, "changed": True})
    assert change["old"]["verdict"] == "conditional"


# --- gates ---


@pytest.mark.parametrize(
    ("wanted", "held"), [("regression", True), ("serial", True), ("conditional", True), ("incomplete", False)]
)
def test_gates_with_a_comparison(comparison: Comparison, wanted: str, held: bool) -> None:
    assert bool(violated((wanted,), comparison.new, comparison)) is held


def test_gates_without_a_change_ignore_what_was_there(tmp_path: Path) -> None:
    comparison = between(tmp_path, SUM, SUM)
    assert violated(("regression", "serial", "conditional"), comparison.new, comparison) == []
    assert violated(("serial",), comparison.new) == ["--fail-on serial: 1 loop, the first is a.c:3"]
    assert violated(("conditional",), comparison.new) == [
        "--fail-on conditional: 2 loops, the first is a.c:3"
    ]


@pytest.mark.parametrize(
    ("text", "said"), [("worse", "knows no 'worse'"), ("regression", "add --diff OLD NEW")]
)
def test_gates_that_make_no_sense(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        conditions(text, with_diff=False)
    assert conditions("serial, incomplete,serial", with_diff=False) == ("serial", "incomplete")


# --- the command ---


def cuvier(*arguments: str) -> Result:
    return CliRunner().invoke(build_app(), ["report", *arguments], catch_exceptions=False)


def git(*arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits; the working directory is one of its folders."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    (tmp_path / "size.h").write_text("#define SIZE 9\n")
    (tmp_path / "src").mkdir()
    for text in (SUM, CARRIED):
        (tmp_path / "src/a.c").write_text('#include "size.h"\nint sizes[SIZE];\n' + text)
        git("add", ".")
        git("commit", "-qm", "x")
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path


def test_two_revisions(repository: Path) -> None:
    done = cuvier("--diff", "HEAD~1", "HEAD", "-I..", "a.c", "--fail-on", "regression")
    assert done.exit_code == 1
    assert "a.c:19 add  for i  conditional -> serial" in done.stdout
    assert "the line that did it: a.c:20 (changed): p[i] = i > 0" in done.stdout
    assert done.stderr == "cuvier: --fail-on regression: 1 loop, the first is a.c:19\n"
    assert (repository / "src/a.c").read_text().endswith(CARRIED)


def test_the_files_as_they_are(repository: Path) -> None:
    assert "no change" in cuvier("--diff", "HEAD", ".", "-I..", "a.c").stdout
    (repository / "src/a.c").write_text('#include "size.h"\nint sizes[SIZE];\n' + SUM)
    assert "1 became better" in cuvier("--diff", "HEAD", ".", "-I..", str(repository / "src/a.c")).stdout


def test_a_file_that_an_old_revision_does_not_have(repository: Path) -> None:
    (repository / "src/new.c").write_text("void f(int *p) { for (int i = 0; i < 9; i++) p[i] = 0; }\n")
    assert "1 new" in cuvier("--diff", "HEAD", ".", "new.c").stdout


def test_revisions_that_are_none(repository: Path) -> None:
    with pytest.raises(UserError, match="'nothing' is no file and no revision of git"):
        cuvier("--diff", "nothing", "HEAD", "a.c")
    with pytest.raises(UserError, match="name the C files or directories"):
        cuvier("--diff", "HEAD~1", "HEAD")


def test_two_reports_and_reports_of_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old.json", SUM), ("new.json", CARRIED)):
        Path("a.c").write_text(text)
        assert cuvier("--format", "json", "-o", name, "a.c").exit_code == 0
    assert "1 became worse" in cuvier("--diff", "old.json", "new.json").stdout
    assert cuvier("--from", "new.json").stdout == cuvier("a.c").stdout
    assert "<h1>CV203" in cuvier("--from", "new.json", "--format", "html").stdout.replace("\\u003c", "<")
    Path("a.c").unlink()
    assert cuvier("--from", "old.json", "--format", "json").stdout == Path("old.json").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "is no report"),
        ('{"cuvier": "0.1.0", "units": [{"file": "a.c"}], "predictions": null}', r"\$\.units\[0\]"),
    ],
)
def test_a_report_that_is_none(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(UserError, match=said):
        cuvier("--from", str(tmp_path / "bad.json"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to report on"),
        (("--from", "x.json", "a.c"), "--from takes the place of files"),
        (("--diff", "a", "b", "--format", "html", "a.c"), "--diff has no format 'html'"),
        (("--diff", "a", "b", "--top", "3", "a.c"), "--diff goes without"),
    ],
)
def test_options_that_contradict(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said):
        cuvier(*arguments)
