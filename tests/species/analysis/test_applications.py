"""Programs of many trades, with marks where a person would have threads share a loop."""

from __future__ import annotations

import re

import pytest

from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

FOLDERS = (ROOT / "corpus" / "applications", ROOT / "benchmarks" / "applications")
PROGRAMS = {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.c"))}
MARK = re.compile(r"/\* OMP: parallel for\b.*\*/")
# What is not found, and why.
MISSED = {
    ("blkcodec", 203): "a plane is read again by bounds that may wrap around",
    ("chirpbank", 162): "places in a row that a table of bands gives",
    ("dense", 252): "a permutation within a row that a callee solves for",
    ("epidemic", 275): "simulate() writes through the pointer that its callback is given",
    ("f2ceig", 74): "rows of a triangle, whose end a `goto` leaves open",
    ("forest", 279): "a recursive function grows each tree in memory of its own",
    ("galaxy", 191): "a recursive function adds up in one body's members",
    ("geodlist", 178): "a callee counts what does not converge, in a member of a structure",
    ("geodlist", 184): "a callee counts what does not converge, in a member of a structure",
    ("lbmchan", 120): "cells go to neighbours out of a table, each from one other",
    ("ljcells", 132): "lists through an array of atoms, one for each cell",
    ("mecodec", 174): "blocks of 8 by 8 in a plane that a callee fills, and counters of levels",
    ("neutron", 203): "sums in parts of an array that a callee is given",
    ("powergrid", 196): "rows of one colour, as the program's data have them",
    ("protein", 159): "a counter that only a test keeps within its row",
    ("qcints", 111): "places in packed triangles out of a table",
    ("quant", 254): "a table of callbacks, one of which may end the loop inside",
    ("radar", 152): "permuted places in rows of a table",
    ("radar", 172): "permuted places in rows of a table",
    ("recom", 205): "a pointer into a row moves by data",
    ("solvers", 52): "rows of a table of pointers that the loop around it exchanges",
    ("terra", 280): "a callback reads one of several grids in an array, and the loop writes another",
    ("vision", 93): "a table of pointers into one of two images that change places",
}


def marked(name: str) -> list[int]:
    """The lines of the loops behind the marks."""
    lines = PROGRAMS[name].read_text(encoding="utf-8").split("\n")
    marks = (n for n, line in enumerate(lines) if MARK.search(line))
    return [next(k for k in range(n + 1, n + 4) if "for" in lines[k].lower()) + 1 for n in marks]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_person_would_mark_is_found(name: str) -> None:
    """Plainly, or on a condition; what is listed as missed really is, so that the list stays true."""
    unit = read_translation_unit(str(PROGRAMS[name]), PreprocessOptions())
    found = {loop.position.line for loop in analyse(unit).loops if loop.verdict.is_parallel}
    assert [n for n in marked(name) if n not in found] == [n for (p, n) in MISSED if p == name]


def test_nine_of_ten_are_found() -> None:
    total = sum(len(marked(name)) for name in PROGRAMS)
    assert len(PROGRAMS) == 65 and total == 240
    assert len(MISSED) <= 0.1 * total
