"""The generated text of a small program, whole, for every target (`--update-golden` writes it anew)."""

from __future__ import annotations

import re

import pytest

from skeletons import CompileOptions, Library, compile_unit
from species.facts.loops import UnitFacts
from species.grammar import parse_species
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.support.places import TESTS
from tests.support.skeleton_facts import array, loop_facts, scalar, unit_facts
from transfers import around_kernels

GOLDEN = TESTS / "skeletons_golden"
ITERATORS = (scalar("i", "private"), scalar("j", "private"), scalar("n"))


def heat(unit: TranslationUnit) -> UnitFacts:
    inside, all_cells = "1:n - 2,1:n - 2", "0:n - 1,0:n - 1"
    stencil = parse_species("now[0:n-1,0:n-1]|neighbourhood(-1:1,-1:1) -> next[1:n-2,1:n-2]|element")
    return unit_facts(
        unit,
        loop_facts(
            unit,
            0,
            ["n - 2", "n - 2"],
            [array("next", "N,N", writes=inside, covered=True), array("now", "N,N", reads=all_cells)],
            [*ITERATORS, scalar("rate", ctype="double")],
            stencil,
            collapse=2,
        ),
        loop_facts(
            unit,
            2,
            ["n", "n"],
            [array("next", "N,N", reads=all_cells), array("now", "N,N", reads=all_cells)],
            [*ITERATORS, scalar("change", "reduction", "double", "+")],
            parse_species("next[0:n-1,0:n-1]|element ^ now[0:n-1,0:n-1]|element -> change[0:0]|shared"),
        ),
        loop_facts(
            unit,
            4,
            ["(n + 1) / 2"],
            [array("next", "N,N", reads=all_cells), array("now", "N,N", writes="0:n - 1,0:0")],
            [scalar("i", "lastprivate"), scalar("n"), scalar("last", "lastprivate", "double")],
        ),
    )


@pytest.mark.parametrize("target", ["c", "openmp", "opencl", "cuda"])
def test_generated_text(target: str, update_golden: bool) -> None:
    unit = read_translation_unit(str(GOLDEN / "heat.c"), PreprocessOptions())
    forced = {"heat_k1": "neighbourhood-2d"} if target in ("opencl", "cuda") else {}
    options = CompileOptions(include_dirs=("/opt/a b",), defines=("FAST",), std="gnu99", forced=forced)
    facts = heat(unit)
    program = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), options)
    folder = GOLDEN / target
    texts = {name: re.sub(r"-iquote \S+", "-iquote SOURCE", text) for name, text in program.files.items()}
    if update_golden:
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
    assert texts == {file.name: file.read_text() for file in folder.iterdir()}
