"""Pages whose C says of every loop what Cuvier says of it, and whose sessions show what commands print.

    for (i = 1; i < n; i++)  // serial: CV203

A code behind `serial` is one of its reasons; behind `parallel`, CV401 or CV402: why no accelerator can run
it, or no OpenMP pragma marks it.  In a session, `example.c` is the C above it and `effects.yaml` the YAML.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cuvier.pipeline.driver import unmarked
from species import analyse
from species.annotate import AnnotateOptions
from species.facts.loops import LoopFacts, UnitFacts
from species.source import PreprocessOptions, read_translation_unit

BLOCK = re.compile(r"^```(c|yaml|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"// (parallel|conditional|serial|unknown)(?:: (CV\d{3}))?$")
_FILES = {"c": "example.c", "yaml": "effects.yaml"}


@dataclass(frozen=True)
class Mark:
    """What a comment says of the loop on its line; no code: nothing about reasons."""

    line: int
    verdict: str
    code: str | None


def marks(text: str) -> list[Mark]:
    """The marks of a C text, in order."""
    found = ((n, _MARK.search(line)) for n, line in enumerate(text.splitlines(), 1))
    return [Mark(n, m[1], m[2]) for n, m in found if m]


def check_marks(text: str) -> None:
    """Every loop is marked, and what the marks say is so."""
    facts = analyse(read_translation_unit("example.c", PreprocessOptions(), text=text))
    found = {loop.position.line: loop for loop in facts.loops}
    stated = {mark.line: mark for mark in marks(text)}
    assert found.keys() == stated.keys()
    for line, mark in stated.items():
        loop = found[line]
        assert (line, loop.verdict.value) == (line, mark.verdict), loop.reasons
        assert mark.code is None or mark.code in _codes(facts, loop), loop.reasons


def _codes(facts: UnitFacts, loop: LoopFacts) -> set[str]:
    obstacles = loop.kernel.obstacles if loop.kernel else ()
    notes = {
        note.code for note in unmarked(facts, AnnotateOptions("openmp")) if note.position == loop.position
    }
    return {reason.code for reason in (*loop.reasons, *obstacles)} | notes


def check_blocks(text: str, folder: Path) -> None:
    """All blocks of a part of a page; sessions run in `folder`."""
    for kind, content in BLOCK.findall(text):
        if kind == "console":
            _check_session(content, folder)
            continue
        (folder / _FILES[kind]).write_text(content, encoding="utf-8")
        if kind == "c" and marks(content):
            check_marks(content)


def _check_session(text: str, folder: Path) -> None:
    """Each command prints what stands below it: errors and notes first, then results."""
    for command, output in re.findall(r"^\$ cuvier (.*?)\n(.*?)(?=^\$ |\Z)", text, re.MULTILINE | re.DOTALL):
        arguments = [sys.executable, "-m", "cuvier", *shlex.split(command)]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
        assert (done.stderr + done.stdout).rstrip() == output.rstrip()
