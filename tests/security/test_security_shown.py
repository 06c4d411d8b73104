"""Nothing in a stranger's files moves a terminal's cursor or is a command to a log (docs/security.md)."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.base.shown import harmless, harmless_json, shown, shown_line
from cuvier.document.json import report_json
from cuvier.document.model import Report, read_report
from cuvier.report import csv, github, markdown
from cuvier.report.html import page
from cuvier.report.sarif import _without_links
from cuvier.report.view import View
from models.machine import DEFAULT
from tests.support.hostile_repository import Repository, made

ESC, CSI = "\x1b", "\x9b"
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What the runner of GitHub, the agent of Azure and TeamCity take for commands.
COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
NAME = "::error::\x1b[31mx\n::warning::y##[command]z\u202e.c"
SOURCE = """\
int a[9], x[9];
void f(int n) { /* \x1b]0;title\x07 \x9b31m */
  ::error::line
  for (int i = 0; /* \x1b[2J ##[error]z ##vso[task.x]q */ i < 9; i++) a[i] = a[i /* \x1b[31m */ - 1];
  for (int i = 0; i < 9; i++) a[i] = x[i];
}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = made(tmp_path)
    (found.root / "app.c").unlink()
    found.write(NAME, SOURCE.replace("  ::error::line\n", "") + "//\n::error::line\n*/")
    found.write(
        "app.c", SOURCE.replace("  ::error::line\n", "  /*\n  ::error::line\n::set-env name=A::b\n */\n")
    )
    return found


def test_shown() -> None:
    assert shown("a\tb\nc\r\nd") == "a\tb\nc\r\nd"
    assert shown(f"{ESC}[31m\r{CSI}\x7f\0") == r"\x1b[31m\r\x9b\x7f\x00"
    assert shown("\u202e\u2066ü😀") == r"\u202e\u2066ü😀"
    assert shown(b"\x9b31m".decode("utf-8", "surrogateescape")) == r"\x9b31m"
    assert shown_line("a\nb\tc\r\n") == r"a\nb\tc\r\n"


@pytest.mark.parametrize(
    "text",
    ["::error::x", "  ::error::x", "\t::x", "a\n::x", "x ##[error]y", "##vso[x]", "##teamcity[x]", "###[x]"],
)
def test_no_line_is_a_command(text: str) -> None:
    assert COMMAND.search(text) and not COMMAND.search(harmless(text))


def test_what_is_no_command_stays() -> None:
    for text in ("a::b", "#define A", "a ## b", "##", "std::x\n a::b"):
        assert harmless(text) == text


def test_json_means_the_same() -> None:
    value = {"a": "##[x] ##vso[y] \x7f\x9b \u202e ok \x1b"}
    text = harmless_json(json.dumps(value, indent=2, ensure_ascii=False))
    assert json.loads(text) == value and not BAD.search(text.replace("\n", "")) and not COMMAND.search(text)


def check(text: str) -> None:
    assert not BAD.search(text.replace("\r\n", "\n").replace("\n", "")), text
    assert not COMMAND.search(text), text


def test_reports_and_diagnostics(repository: Repository) -> None:
    for arguments in (["report", "--no-cache", "."], ["report", "--format", "markdown", "."]):
        done = repository.cuvier(*arguments)
        assert "app.c" in done.stdout
        check(done.stdout)
        check(done.stderr)
    check(repository.cuvier("explain", "app.c:7").stdout)
    for arguments in (["report", "nowhere" + NAME], ["report", "--from", NAME], ["strip", "-o", NAME, NAME]):
        check(repository.cuvier(*arguments).stderr)


def test_formats(repository: Repository, tmp_path: Path) -> None:
    done = repository.cuvier("report", "--format", "json", "-o", str(tmp_path / "report.json"), ".")
    assert done.returncode in (0, 1), done.stderr
    check((tmp_path / "report.json").read_text())
    document = read_report(tmp_path / "report.json")
    for unit in document["units"]:
        for loop in unit["loops"]:
            loop |= {
                "function": "=cmd|'/c calc'!A0",
                "species": "`</script><img src=x onerror=alert(1)>|`\x1b[0m",
            }
            for each in loop["reasons"]:
                each["message"] = "[x](javascript:alert(1)) <script>alert(1)</script> | \x1b[2J\n::error::x"
    view = View(Report(document), DEFAULT)
    text = markdown.render(view)
    check(text)
    assert not re.search(r"(?<!\\)<script|(?<!\\)\]\(", re.sub(r"(`+).*?\1", "", text))
    lines = github.render(view).splitlines()
    assert lines and all(re.match(r"::(notice|warning) (file=|title=)", line) for line in lines)
    assert not any(BAD.search(line) or "##[" in line for line in lines)
    rows = csv.render(view)
    assert not BAD.search(rows.replace("\r\n", "")) and not re.search(r"(^|,)\"?[=+@-]", rows, re.MULTILINE)
    assert "</script><img" not in page.render(view) and "<script>alert" not in page.render(view)
    check(report_json(document))


def test_sarif_messages_have_no_links() -> None:
    assert _without_links("[click](https://evil)") == "[click] (https://evil)"


def in_terminal(repository: Repository, *arguments: str) -> str:
    """What a terminal gets on stdout and on stderr."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cuvier", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        command, cwd=repository.root, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    got = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the end, on Linux
            break
        if not data:
            break
        got += data
    process.wait(60)
    os.close(ours)
    return got.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "arguments", [("report", "."), ("annotate", "."), ("strip", "app.c"), ("explain", "app.c:7")]
)
def test_terminals(repository: Repository, arguments: tuple[str, ...]) -> None:
    """Colours of our own are there, and progress; nothing of the stranger's is."""
    text = in_terminal(repository, *arguments)
    assert text
    for escape in ("\x1b]0;", "\x1b[2J\x20", "\x9b", "\x07", "\x1b[31m */", "\u202e"):
        assert escape not in text
    ours = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|\r", "", text)
    assert not BAD.search(ours.replace("\n", "")), repr(ours)


def test_files_are_written_as_they_are(repository: Repository) -> None:
    before = (repository.root / "app.c").read_bytes()
    assert repository.cuvier("annotate", "--in-place", "app.c").returncode == 0
    assert b"\x1b]0;title\x07" in (repository.root / "app.c").read_bytes() != before
    assert repository.cuvier("strip", "--in-place", "app.c").returncode == 0
    assert (repository.root / "app.c").read_bytes() == before


def test_diffs_to_a_pipe_are_as_they_are_except_in_a_log(repository: Repository) -> None:
    done = repository.cuvier("annotate", "app.c", GITHUB_ACTIONS="", TF_BUILD="", TEAMCITY_VERSION="")
    assert "\n ::set-env name=A::b\n" in done.stdout and "\x1b[2J" in done.stdout
    done = repository.cuvier("annotate", "app.c", GITHUB_ACTIONS="true")
    assert done.returncode != 0 and done.stdout == ""
    assert "would take a line of it for a command; use --in-place or -o DIR" in done.stderr
