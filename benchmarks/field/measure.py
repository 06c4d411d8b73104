"""One file of a package: is it analysed, does it come back, does it still compile?"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.field.builds import Unit
from cuvier.base.files import read_text
from cuvier.pipeline.driver import analyse_file
from species.annotate import AnnotateOptions, annotate, strip
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit

STYLES = ("species", "openmp")
_FLAGS = ("-S", "-w", "-o", "/dev/null", "-x", "c", "-")


@dataclass
class Outcome:
    """What came of a file.

    `declarations` are those outside of functions in the user's files, `lost` those of them that are not
    analysed, `statements` those inside of functions that unknown code stands for.  `broken` lists the styles
    with which the file does not compile any more.
    """

    package: str
    file: str
    lines: int = 0
    failure: str = ""  # why the file is not analysed at all
    crash: str = ""  # a traceback, or a limit that was passed
    declarations: int = 0
    lost: int = 0
    statements: int = 0
    loops: int = 0
    parallel: int = 0
    came_back: bool = True
    compiles: bool = False
    broken: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        return asdict(self)


def measure(unit: Unit, *, parse_only: bool) -> Outcome:
    """Everything that is to be known of a file; changes the current directory."""
    os.chdir(unit.folder)
    start, path = time.monotonic(), Path(unit.source)
    text = read_text(path)
    outcome = Outcome(unit.package, str((Path(unit.folder) / path).resolve()), text.count("\n"))
    std = next((flag[5:] for flag in unit.flags if flag.startswith("-std=")), None)
    flags = tuple(flag for flag in unit.flags if not flag.startswith("-std="))
    options = PreprocessOptions(std=std, flags=flags)
    (_parse if parse_only else _analyse)(outcome, path, options)
    outcome.seconds = time.monotonic() - start
    if not parse_only and not outcome.failure:
        outcome.compiles = _compiles(unit, text)
    if outcome.compiles:
        outcome.broken = [s for s in STYLES if not _still_compiles(unit, outcome, s, text)]
    outcome.__dict__.pop("facts", None)
    return outcome


def _parse(outcome: Outcome, path: Path, options: PreprocessOptions) -> None:
    try:
        _count(outcome, read_translation_unit(str(path), options))
    except SourceError as error:
        outcome.failure = str(error)


def _analyse(outcome: Outcome, path: Path, options: PreprocessOptions) -> None:
    analysed = analyse_file(path, options)
    if analysed.unit is None:
        outcome.failure = "; ".join(d.message for d in analysed.facts.diagnostics)
        return
    _count(outcome, analysed.unit)
    outcome.messages += [
        f"{d.position}: {d.message}" for d in analysed.facts.diagnostics if d not in analysed.unit.diagnostics
    ]
    outcome.loops = len(analysed.facts.loops)
    outcome.parallel = sum(loop.verdict.is_parallel for loop in analysed.facts.loops)
    for style in STYLES:
        after = annotate(analysed.text, analysed.facts, AnnotateOptions(style=style))
        outcome.came_back &= strip(after) == analysed.text
        _annotated[style] = after


_annotated: dict[str, str] = {}


def _count(outcome: Outcome, unit: TranslationUnit) -> None:
    mine = [n for n in unit.ast.ext if n.coord is not None and unit.is_user_file(unit.position(n.coord).file)]
    reported = [d for d in unit.diagnostics if d.severity != "note"]
    outcome.messages = [f"{d.position}: {d.message}" for d in reported]
    outcome.statements = sum("a statement of" in d.message for d in reported)
    bodies = sum("the body of" in d.message for d in reported)
    outcome.lost = len(reported) - outcome.statements
    outcome.declarations = len(mine) + outcome.lost - bodies


def _still_compiles(unit: Unit, outcome: Outcome, style: str, text: str) -> bool:
    after = _annotated[style]
    return after == text or _compiles(unit, after, *(("-fopenmp",) if style == "openmp" else ()))


def _compiles(unit: Unit, text: str, *more: str) -> bool:
    folder = os.path.dirname(unit.source) or "."
    command = [os.environ.get("CC", "gcc"), *unit.flags, *more, f"-iquote{folder}", *_FLAGS]
    data = text.encode("utf-8", "surrogateescape")
    return subprocess.run(command, input=data, capture_output=True).returncode == 0


Measure = Callable[[Unit], Outcome]
