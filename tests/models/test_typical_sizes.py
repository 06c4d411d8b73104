"""What sizes are likely to be: defaults in the text, and what is made of them and passed on."""

from __future__ import annotations

import pytest
from pycparser import c_parser

from models.sizes.typical_sizes import Typical
from models.sizes.values import enumerated

PROGRAM = """
enum { VOICES = 48 };
struct grid { int width, height; double *cells; };
typedef struct { long rows, cols, depth; } box;
struct sim { box own; struct { double dt; int sweeps, moves; } opt; struct grid of[2]; };
int scale = 7, never;
void run(struct grid *g, int steps, long many) {
    int half = steps / 2, i, odd = 1;
    for (i = 0; i < many; i++) odd += i;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300, asked = atoi(argv[2]), twice;
    double seconds = argc > 1 ? atof(argv[1]) : 18.5;
    long samples = (long)(seconds * 100);
    box b = { 40, n, .depth = VOICES };
    static struct sim sims[] = {
        { .opt = { 0.5, 24, 6 } }, { { 17, 18, 19 }, { 0.1, 12, 60 }, { { 5 }, { 9 } } } };
    struct grid g;
    g.width = n;
    g.height = g.width + 20;
    twice = 2 * n;
    run(&g, n, twice);
    run(&g, 12, asked);
    return 0;
}
"""
VALUES = {
    ("main", "n"): 300,
    ("main", "twice"): 600,
    ("main", ".width"): 300,
    ("main", ".height"): 320,
    ("main", ".rows"): 40,
    ("main", ".cols"): 300,
    ("main", ".depth"): 48,
    ("main", "samples"): 1850,
    ("run", ".sweeps"): 24,
    ("run", ".moves"): 60,
    ("run", "steps"): 300,
    ("run", "many"): 600,
    ("run", "half"): 150,
    ("run", "scale"): 7,
}


@pytest.fixture(scope="module")
def typical() -> Typical:
    ast = c_parser.CParser().parse(PROGRAM)
    return Typical.of(ast, enumerated(ast, 1000))


@pytest.mark.parametrize("place", VALUES)
def test_what_the_text_suggests(place: tuple[str, str], typical: Typical) -> None:
    assert typical.values(place[0])[place[1]] == VALUES[place]


@pytest.mark.parametrize("place", [("main", "asked"), ("main", "never"), ("run", "i"), ("run", "odd")])
def test_what_it_does_not_tell(place: tuple[str, str], typical: Typical) -> None:
    assert place[1] not in typical.values(place[0])
