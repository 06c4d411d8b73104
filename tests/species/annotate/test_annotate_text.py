"""What annotations look like, layout by layout; and what is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from species.annotate import AnnotateOptions, Style, annotate, strip
from species.core.positions import Position, Span
from species.facts.loops import Kernel, UnitFacts, Verdict
from tests.support.annotate_layouts import HEADER, loop_facts, marked, unit

F = "for (i = 0; i < n; i++)"
K = "#pragma species kernel a[0:n-1]|element -> s[0:0]|shared"
E = "#pragma species endkernel f__"
OMP = "#pragma omp parallel for private(t) reduction(+:s)"
OURS, SPLIT = "/* cuvier */", "/* cuvier, line split */"
NESTED = AnnotateOptions(nested=True)
OPENMP = AnnotateOptions("openmp")

LAYOUTS = {
    "own lines": (f"  «{F}\n    t = s;»\nx;\n", f"  {K} {OURS}\n  {F}\n    t = s;\n  {E}0 {OURS}\nx;\n"),
    "CRLF and tabs": (f"\t«{F}\r\n\t\tt;»\r\nx;", f"\t{K} {OURS}\r\n\t{F}\r\n\t\tt;\r\n\t{E}0 {OURS}\r\nx;"),
    "comments after": (f"«{F} t;» /* a */ // b\nx;", f"{K} {OURS}\n{F} t; /* a */ // b\n{E}0 {OURS}\nx;"),
    "long comment after": (f"«{F} t;» /* a\n*/ x;", f"{K} {OURS}\n{F} t; \n{E}0 {SPLIT}\n/* a\n*/ x;"),
    "no last newline": (f"x;\n«{F} t;»", f"x;\n{K} {OURS}\n{F} t;\n{E}0 {SPLIT}\n"),
    "after a statement": (f"  x; «{F} t;»\n", f"  x; \n  {K} {SPLIT}\n{F} t;\n  {E}0 {OURS}\n"),
    "bare body": (f"if (c) «{F} t;»\nx;", f"if (c) \n{K} {SPLIT}\n{F} t;\n{E}0 {OURS}\nx;"),
    "after else": (f"else «{F} t;»\nx;", f"else \n{K} {SPLIT}\n{F} t;\n{E}0 {OURS}\nx;"),
    "after a label": (f"l: «{F} t;»\nx;", f"l: \n{K} {SPLIT}\n{F} t;\n{E}0 {OURS}\nx;"),
    "two on a line": (
        f"«{F} t;» «{F} s;»\n",
        f"{K} {OURS}\n{F} t; \n{E}0 {SPLIT}\n{K} {OURS}\n{F} s;\n{E}1 {OURS}\n",
    ),
    "before a brace": (f"{{ «{F} t;» }}\n", f"{{ \n{K} {SPLIT}\n{F} t; \n{E}0 {SPLIT}\n}}\n"),
    "after a spliced line": (f"x; \\\n «{F} t;»\ny;", f"x; \\\n \n {K} {SPLIT}\n{F} t;\n {E}0 {OURS}\ny;"),
    "spliced to the next": (f"«{F} t;» \\\n\nx;", f"{K} {OURS}\n{F} t; \n{E}0 {SPLIT}\n\\\n\nx;"),
    "before an empty while": (
        f"«{F} t;»\nwhile (g(c)) x;",
        f"{K} {OURS}\n{F} t;\n{E}0 {OURS}\nwhile (g(c)) x;",
    ),
    "before else": (f"if (c)\n«{F} t;»\n// no\nelse x;", f"if (c)\n{F} t;\n// no\nelse x;"),
    "before a do's while": (f"do\n«{F} t;»\nwhile (g(c));", f"do\n{F} t;\nwhile (g(c));"),
    "outermost only": (f"«{F}\n«{F}\nt;»»\n", f"{K} {OURS}\n{F}\n{F}\nt;\n{E}0 {OURS}\n"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_species_in_each_layout(layout: str) -> None:
    source, expected = LAYOUTS[layout]
    text, facts = marked(source)
    assert annotate(text, facts) == expected
    assert strip(expected) == text


def test_nested_species_end_inner_first() -> None:
    text, facts = marked(f"«{F}\n  «{F}\n    t;»»\n")
    assert annotate(text, facts, NESTED) == (
        f"{K} {OURS}\n{F}\n  {K} {OURS}\n  {F}\n    t;\n  {E}1 {OURS}\n{E}0 {OURS}\n"
    )


def test_comments_say_the_same_without_pragmas() -> None:
    text, facts = marked(f"if (c) «{F} t;» else x;\n")
    assert annotate(text, facts, AnnotateOptions("comment")) == (
        "if (c) \n/* cuvier, line split: kernel a[0:n-1]|element -> s[0:0]|shared */\n"
        f"{F} t; \n/* cuvier, line split: endkernel f__0 */\nelse x;\n"
    )


def test_openmp_marks_the_outermost_loop_even_if_nested_is_asked_for() -> None:
    text, facts = marked(f"«{F}\n  «{F}\n    t;»»\n")
    assert annotate(text, facts, AnnotateOptions("openmp", nested=True)) == f"{OMP} {OURS}\n{text}"


def test_a_kernels_name_ends_it() -> None:
    text, facts = marked(f"«{F} t;»\n")
    kernel = Kernel("jacobi_k1", (), (), (), (), ())
    named = unit(replace(facts.loops[0], kernel=kernel))
    assert f"endkernel jacobi_k1 {OURS}\n" in annotate(text, named)


def _only(facts: UnitFacts, **changes: object) -> UnitFacts:
    return unit(replace(facts.loops[0], **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": Verdict.SERIAL},
        {"verdict": Verdict.UNKNOWN},
        {"spans": None},
        {"position": Position("other.h", 3, 1)},
        {"species": None},
    ],
)
def test_loops_that_are_not_for_marking(changes: dict[str, object]) -> None:
    text, facts = marked(f"«{F} t;»\n")
    assert annotate(text, _only(facts, **changes)) == text


def test_a_parallel_loop_in_a_serial_one_is_marked() -> None:
    text, facts = marked(f"«{F}\n  «{F} t;»»\n")
    outer = replace(facts.loops[0], verdict=Verdict.SERIAL)
    assert annotate(text, unit(outer, facts.loops[1]), OPENMP) == f"{F}\n  {OMP} {OURS}\n  {F} t;\n"


BY_HAND = [
    ("openmp", f"#pragma omp parallel \\\n  for\n// why\n«{F}\n«{F} t;»»\n"),
    ("openmp", f"#ifdef _OPENMP\n# pragma omp simd\n#endif\n«{F} t;»\n"),
    ("openmp", f'_Pragma("omp parallel for") «{F} t;»\n'),
    ("openmp", f"#pragma GCC ivdep\n«{F} t;»\n"),
    ("openmp", f"#pragma acc parallel loop\n«{F} t;»\n"),
    ("openmp", f"«{F} {{\n#pragma omp critical\nt; }}»\n"),
    (
        "species",
        f"#pragma species kernel assume v[0:n]|full -> void\n«{F}\n«{F} t;»»\n#pragma species endkernel k\n",
    ),
    ("comment", f"#pragma species kernel v[0:n]|full -> void\n«{F} t;»\n"),
]


@pytest.mark.parametrize(("style", "source"), BY_HAND)
def test_what_a_user_marked_is_left_alone(style: Style, source: str) -> None:
    text, facts = marked(source)
    assert annotate(text, facts, AnnotateOptions(style)) == text


@pytest.mark.parametrize("line", ["#pragma scop", "#include <x.h>", "#pragma omp barrier\nx;", "#endif"])
def test_other_directives_do_not_matter(line: str) -> None:
    text, facts = marked(f"{line}\n«{F} t;»\n")
    assert annotate(text, facts, OPENMP) == f"{line}\n{OMP} {OURS}\n{F} t;\n"


@pytest.mark.parametrize(
    "text",
    [
        "#pragma omp parallel for\nfor (;;) ;\n",
        "#pragma species kernel a[0:3]|full -> void\n#pragma species endkernel k // cuvier\n",
        "/* cuvier */\n/* cuvier: a naturalist */\n",
        "#pragma once /* cuvier */\n",
        "/* cuvier: kernel a */ int x; /* b */\n",
        "int x; #pragma omp for /* cuvier */\n",
    ],
)
def test_strip_takes_nothing_of_the_users(text: str) -> None:
    assert strip(text) == text


@pytest.mark.parametrize("style", ["species", "comment", "openmp"])
def test_bytes_that_are_no_utf8_survive(style: Style) -> None:
    original = b"/* caf\xe9 */\r\n  " + HEADER.encode() + b" a[i] = '\xff';"
    text = original.decode("utf-8", "surrogateescape")
    facts = unit(loop_facts(1, Span(text.index("for"), len(text))))
    annotated = annotate(text, facts, AnnotateOptions(style))
    assert annotated != text
    assert strip(annotated).encode("utf-8", "surrogateescape") == original
