"""Whatever the layout: strip undoes annotate, annotating again changes nothing, and the result compiles."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pycparser import c_parser

from species.annotate import AnnotateOptions, annotate, mask, strip
from species.facts.loops import UnitFacts
from tests.support.annotate_layouts import annotated_units, moved

Unit = tuple[str, UnitFacts]
GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed")
quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
slow = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
options = st.builds(AnnotateOptions, st.sampled_from(["species", "comment", "openmp"]), st.booleans())


@quick
@given(annotated_units(), options)
def test_strip_undoes_annotate(unit: Unit, options: AnnotateOptions) -> None:
    text, facts = unit
    assert strip(annotate(text, facts, options)) == text


@quick
@given(annotated_units(), options, options)
def test_annotating_again_replaces_the_annotations(
    unit: Unit, first: AnnotateOptions, second: AnnotateOptions
) -> None:
    text, facts = unit
    once = annotate(text, facts, first)
    hidden = mask(once)
    assert len(hidden) == len(once) and hidden.count("\n") == once.count("\n")
    assert annotate(once, moved(facts, text, hidden), second) == annotate(text, facts, second)


@needs_gcc
@slow
@given(annotated_units(), options)
def test_annotated_text_compiles(unit: Unit, options: AnnotateOptions) -> None:
    text, facts = unit
    flags = [] if options.style == "species" else ["-Werror=unknown-pragmas"]
    _gcc(annotate(text, facts, options), "-fopenmp", "-Wall", *flags, "-fsyntax-only")


@needs_gcc
@slow
@given(annotated_units(), st.booleans())
def test_other_parsers_read_the_pragmas_too(unit: Unit, nested: bool) -> None:
    text, facts = unit
    annotated = annotate(text, facts, AnnotateOptions("species", nested))
    plain = _gcc(annotated, "-E", "-P")
    assert plain.count("#pragma species kernel") == plain.count("#pragma species endkernel")
    c_parser.CParser().parse(plain)


def _gcc(text: str, *flags: str) -> str:
    command = [str(GCC), "-x", "c", *flags, "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == 0, f"{done.stderr.decode()}\n{text}"
    return done.stdout.decode()
