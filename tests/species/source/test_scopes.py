"""Which variable a name means at a loop; programs in which members, parameters and blocks share names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pycparser import c_ast, c_generator

from species.core.refusal import Refusal
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from species.source.scopes import FileScopes, Scopes
from tests.support import accelerated

TEXT = """struct s { float x, y; };
void other(char x, short only);
long x, y, z;
void first(int y)
{
    { char x; for (;;) { } }
    for (int i = 0; i < 3; i++) { short inner, z; }
    double x;
    while (y) { }
}
#define TWO { char y; for (;;) { } } for (;;) { }
void second(void)
{
    TWO
}
void third(int k)
{
    switch (k) { case 1: case 2: ; float x; for (;;) { } break;
    default: k = 0; int z; label: ; { long k; while (z) { } } }
}
"""


def at_line(line: int) -> Scopes:
    unit = read(TEXT)
    loops = [*unit.all_of(c_ast.For), *unit.all_of(c_ast.While)]
    place = next(p for node in loops if (p := unit.loop_position(node)).line == line)
    return FileScopes(unit).at({6: "first", 7: "first", 9: "first", 14: "second"}.get(line, "third"), place)


def read(text: str) -> TranslationUnit:
    return read_translation_unit("names.c", PreprocessOptions(), text=text)


@pytest.mark.parametrize(
    ("line", "name", "wanted"),
    [
        (6, "x", "char x"),
        (6, "y", "int y"),
        (7, "x", "long x"),
        (7, "i", "int i = 0"),
        (7, "inner", "short inner"),
        (7, "z", "long z"),
        (9, "x", "double x"),
        (9, "only", None),
        (18, "x", "float x"),
        (18, "z", "long z"),
        (19, "x", "float x"),
        (19, "z", "int z"),
        (19, "k", "long k"),
    ],
)
def test_the_nearest_scope_counts(line: int, name: str, wanted: str | None) -> None:
    found = at_line(line).declaration(name)
    assert (None if found is None else c_generator.CGenerator().visit(found)) == wanted


def test_loops_of_one_macro_must_agree() -> None:
    scopes = at_line(14)
    assert scopes.declaration("x").name == "x"
    with pytest.raises(Refusal, match="y means several variables"):
        scopes.declaration("y")


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_sizes_are_of_the_variables_that_are_meant(tmp_path: Path) -> None:
    source = accelerated.PROGRAMS / "hidden_names.c"
    made = accelerated.written(source, "cuda", tmp_path)
    assert len(made.skeletons) == 6  # `table` is no table of rows, though a member of this name is
    plain = accelerated.run(accelerated.build_plain(source, tmp_path))
    assert accelerated.run(accelerated.build_shim(made)) == plain
