"""Parameters that always point to a whole structure: its members can be asked for before a loop."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts
from species.source import PreprocessOptions, read_translation_unit

HEAD = """#include <stdio.h>
struct grid { int rows, cols; double *cell; };
static double from[63], to[63];
"""
BRANCH = """{
    for (int r = 0; r < in->rows; r++)
        for (int c = 0; c < in->cols; c++)
            if (in->cell[r * in->cols + c] > 0.5)
                out->cell[r * out->cols + c] = in->cell[r * in->cols + c] * 2;
}
"""
STATIC = "static void f(const struct grid *in, struct grid *out)" + BRANCH
MAIN = """int main(void) {
    struct grid x = {7, 9, (double *)(size_t)from}, y = {7, 9, (double *)(size_t)to};  // from anywhere
    for (int i = 0; i < 63; i++) from[i] = i % 5 / 4.0;
    CALLS
    double s = 0;
    for (int i = 0; i < 63; i++) s += (1 + i) * to[i] + from[i];
    printf("%g\\n", s);
    return 0;
}
"""
MORE = {
    "a call with an address": ("", "f(&x, &y);"),
    "two calls": ("", "f(&x, &y); f(&y, &x);"),
    "what the caller is called with": (
        "static void g(struct grid *p, struct grid *q) { f(p, q); }\n",
        "g(&x, &y);",
    ),
    "a member": ("struct pair { struct grid a, b; };\n", "struct pair p = {x, y}; f(&p.a, &p.b);"),
    "the same structure": ("", "f(&x, &x); f(&x, &y);"),
}
FEWER = {
    "a variable that points": ("", "struct grid *p = &y; f(&x, p);"),
    "an element, which may be the one behind the last": ("", "struct grid g[2] = {x, y}; f(g, &g[1]);"),
    "what a caller changes": (
        "static void g(struct grid *p, struct grid *q) { q = 0; f(p, q); }\n",
        "g(&x, &y);",
    ),
    "an address of the function": (
        "static void (*const h)(const struct grid *, struct grid *) = f;\n",
        "h(&x, &y);",
    ),
    "memory behind a pointer": ("struct list { struct grid g; };\nstatic struct list *l;\n", "f(&x, &l->g);"),
}


def loop_of(text: str, folder: Path) -> tuple[str, LoopFacts]:
    path = folder / "grids.c"
    path.write_text(text)
    unit = read_translation_unit(str(path), PreprocessOptions())
    facts = analyse(unit)
    found = next(loop for loop in facts.loops if loop.function == "f" and not loop.parent)
    return annotate(unit.source.text, facts, AnnotateOptions(style="openmp")), found


@pytest.mark.parametrize("more", MORE.values(), ids=MORE.keys())
def test_members_are_asked_for(more: tuple[str, str], tmp_path: Path) -> None:
    text = HEAD + STATIC + more[0] + MAIN.replace("CALLS", more[1])
    annotated, loop = loop_of(text, tmp_path)
    assert loop.verdict.is_parallel
    assert any("out->cell" in condition for condition in loop.conditions)
    said = []
    for name, source in (("before", text), ("after", annotated)):
        (tmp_path / f"{name}.c").write_text(source)
        flags = ("-O1", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
        binary = str(tmp_path / name)
        subprocess.run(["gcc", *flags, "-o", binary, str(tmp_path / f"{name}.c"), "-lm"], check=True)
        said.append(subprocess.run([binary], check=True, capture_output=True).stdout)
    assert said[0] == said[1] != b""


@pytest.mark.parametrize("fewer", FEWER.values(), ids=FEWER.keys())
def test_what_may_not_be_there_is_not_read(fewer: tuple[str, str], tmp_path: Path) -> None:
    _, loop = loop_of(HEAD + STATIC + fewer[0] + MAIN.replace("CALLS", fewer[1]), tmp_path)
    assert not loop.verdict.is_parallel


def test_functions_that_others_may_call(tmp_path: Path) -> None:
    _, loop = loop_of(HEAD + STATIC.removeprefix("static ") + MAIN.replace("CALLS", "f(&x, &y);"), tmp_path)
    assert not loop.verdict.is_parallel


def test_calls_with_too_few_arguments_and_many_callers(tmp_path: Path) -> None:
    """Old-style calls tell nothing; levels of functions that call each other often take no time."""
    few = MAIN.replace("CALLS", "f(&x, &y); f(&x);")
    _, loop = loop_of(HEAD + STATIC + few, tmp_path)
    assert not loop.verdict.is_parallel
    bodies = ["f(p, q);", *(f"g{k}(p, q); " * 9 for k in range(11))]
    head = "static void g{}(struct grid *p, struct grid *q)"
    levels = "".join(f"{head.format(k)} {{ {body} }}\n" for k, body in enumerate(bodies))
    _, loop = loop_of(HEAD + STATIC + levels + MAIN.replace("CALLS", "g11(&x, &y);"), tmp_path)
    assert loop.verdict.is_parallel
