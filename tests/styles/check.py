"""A nest in a style, looked at and run: are its loops what they are, and do its threads compute the same?"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cuvier.pipeline.driver import analyse_file, annotate_file
from species.annotate import AnnotateOptions
from species.facts.loops import LoopFacts, UnitFacts, Verdict
from species.row_tests import called_in, functions
from species.source import PreprocessOptions
from tests.styles.nests import Nest
from tests.styles.render import Renderer
from tests.styles.style import Style
from tests.support import accelerated

_HEADER = re.compile(r"/\* loop (\w+) \*/")
_FLAGS = ("-std=gnu11", "-O1", "-w", "-fsanitize=address,undefined", "-fopenmp")


@dataclass(frozen=True)
class Cell:
    """What came of a nest in a style: by loop, if its verdict is right, and why not."""

    nest: Nest
    style: Style
    kept: dict[str, bool]
    wrong: str = ""  # a serial loop is called parallel, or the threads compute something else


def check(nest: Nest, style: Style, folder: Path) -> Cell:
    """Writes the program, looks at it, and runs it with threads wherever they may be."""
    program = Renderer(nest, style).program()
    paths = [folder / name for name in program.files]
    for path, text in zip(paths, program.files.values(), strict=True):
        path.write_text(text)
    facts = analyse_file(paths[0], PreprocessOptions()).facts
    loops = dict(_loops(paths[0], facts))
    unmet = _unmet(paths, loops)
    expected = {loop.name: loop.parallel for loop in nest.loops}
    kept, wrong = {}, []
    for name, parallel in expected.items():
        found = loops.get(name)
        is_parallel = found is not None and found.verdict.is_parallel
        if found is not None and found.verdict is Verdict.CONDITIONAL:
            is_parallel = name not in unmet
        kept[name] = is_parallel is parallel
        wrong += [f"loop {name} is called parallel"] if is_parallel and not parallel else []
    wrong += _differences(paths)
    return Cell(nest, style, kept, "; ".join(wrong))


def _loops(path: Path, facts: UnitFacts) -> Iterator[tuple[str, LoopFacts]]:
    """The nest's loops, by their marks."""
    marks = {
        number: match[1]
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := _HEADER.search(line))
    }
    for loop in facts.loops:
        if loop.position.line in marks:
            yield marks[loop.position.line], loop


def _unmet(paths: list[Path], loops: dict[str, LoopFacts]) -> set[str]:
    """The loops of which a condition does not hold, one of the times that they are reached."""
    conditional = {name: loop for name, loop in loops.items() if loop.conditions}
    if not conditional:
        return set()
    lines = paths[0].read_text().splitlines()
    for name, loop in conditional.items():
        held = " && ".join(f"({condition})" for condition in loop.conditions)
        lines[loop.position.line - 2] = f'if (!({held})) fputs("{name} ", stderr);'
    asked_for = called_in("".join(lines))
    head = next(k for k, line in enumerate(lines) if line.startswith("#include <stdlib.h>"))
    lines[head] += f"\n{functions(asked_for, sorting=True)}"
    asked = paths[0].with_name("asked.c")
    asked.write_text("\n".join([*lines, ""]))
    return set(_run([asked, *paths[1:]]).stderr.split())


def _differences(paths: list[Path]) -> Iterator[str]:
    """Do the annotated and the compiled program print what the original prints?"""
    before = _run(paths)
    text = annotate_file(paths[0], PreprocessOptions(), AnnotateOptions("openmp")).after
    if text is not None and text != paths[0].read_text():
        marked = paths[0].with_name("marked.c")
        marked.write_text(text)
        yield from _difference("annotated", [marked, *paths[1:]], before.stdout)
    written = accelerated.written(paths[0], "openmp", paths[0].parent / "compiled")
    if any(choice.skeleton is not None for choice in written.choices):
        yield from _difference("compiled", [written.folder / paths[0].name, *paths[1:]], before.stdout)


def _difference(what: str, paths: list[Path], expected: str) -> Iterator[str]:
    found = _run(paths)
    if found.returncode or found.stdout != expected:
        yield f"{what}, it prints {found.stdout.strip() or found.stderr[-300:]} instead of {expected.strip()}"


def _run(paths: list[Path]) -> subprocess.CompletedProcess[str]:
    binary = paths[0].with_suffix("")
    build = ["gcc", *_FLAGS, *map(str, paths), "-o", str(binary), "-lm"]
    made = subprocess.run(build, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[:2000]
    settings = {**os.environ, "OMP_NUM_THREADS": "3", "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(
        [str(binary)], capture_output=True, text=True, check=False, env=settings, timeout=60
    )
