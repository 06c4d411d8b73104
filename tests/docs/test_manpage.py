"""`man cuvier` says what the command line is, and what else decides what Cuvier does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
import yaml

from cuvier.base.exits import Exit
from cuvier.cli import build_app
from scripts import roff
from scripts.floors import TOPS
from scripts.manpage import PAGE, TABLES, commands, page
from tests.support.places import ROOT

TEXT = PAGE.read_text(encoding="utf-8")
APPLICATION = typer.main.get_command(build_app())
# Between Cuvier and the programs that it builds for itself, and of tests: nothing for a user to set.
INTERNAL = re.compile(
    r"CUVIER_(WATCH_\w+|PERTURB|STRICT|TIMER_FILE|RECORDER_\w+)|CGCM_\w+"
)  # docs/runtime.md has CGCM's
READ = (
    r"(?:getenv|environ\.get|number|number_in)\(\s*[\"'](\w+)[\"']",
    r"environ\[[\"'](\w+)[\"']\]",
    r"envvar=\"(\w+)\"",
    r"^(?:VARIABLE|LIST|STRICT) = \"(\w+)\"",
)
OF_OTHERS = {"OMP_PROC_BIND", "TERM", "PATH"}  # read, and as everywhere


def variables() -> set[str]:
    """The environment variables that the sources read."""
    suffixes = (".py", ".c", ".h", ".cpp", ".j2")
    files = (file for top in TOPS for file in (ROOT / top).rglob("*") if file.suffix in suffixes)
    texts = [file.read_text(encoding="utf-8") for file in files]
    return {name for pattern in READ for text in texts for name in re.findall(pattern, text, re.MULTILINE)}


def test_the_page_is_of_today() -> None:
    assert page(APPLICATION) == TEXT, "python -m scripts.manpage --write"


def test_all_commands_and_all_their_options_are_there() -> None:
    found = list(commands(APPLICATION))
    assert {"report", "cc", "doctor", "init", "cache clean", "skeletons show"} <= {
        each.name for each in found
    }
    for command in found:
        assert f".SS cuvier {command.name}\n" in TEXT
        for option in command.options:
            assert f"\n{option.term}\n" in TEXT


def test_all_exit_statuses_are_there() -> None:
    section = TEXT.partition(".SH EXIT STATUS")[2].partition(".SH")[0]
    assert all(rf"\fB{int(status)}\fP" in section for status in Exit)


def test_all_variables_are_there() -> None:
    found = variables()
    assert len(found) > 20
    table = yaml.safe_load(TABLES.read_text(encoding="utf-8"))["environment"]
    listed = {name for names in table for name in names.split(", ")}
    assert {name for name in found - listed - OF_OTHERS if not INTERNAL.fullmatch(name)} == set()


def test_no_line_is_a_command_by_accident() -> None:
    assert roff.escaped(".TH x") == r"\&.TH x"
    assert roff.escaped("'x' \\n -a ~ ä") == r"\(aqx\(aq \en \-a \(ti \[u00E4]"
    assert roff.prose("say `a -b`\n  now") == r"say \fBa \-b\fP now"


def test_man_has_nothing_to_complain_of() -> None:
    if man := shutil.which("man"):
        command = [man, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(PAGE)]
    elif groff := shutil.which("groff"):
        command = [groff, "-ww", "-man", "-Tutf8", "-Z", str(PAGE)]
    else:
        pytest.skip("needs man or groff")
    done = subprocess.run(command, cwd=Path("/"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
