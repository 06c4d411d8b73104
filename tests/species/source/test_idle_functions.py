"""Functions of the system's headers that nothing mentions are not read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pycparser import c_ast

from species.source import PreprocessOptions, read_translation_unit
from species.source.text import idle_functions
from species.source.text.idle_functions import without_idle_functions

SYSTEM = """\
extern int declared(int); struct pair { int a, b; };
static int table[2] = { 1, 2 };
static inline int leaf(int x) { return x + '}'; }
static inline int
tall(int x)
{
  return leaf(x) + "}{"[0];
}
extern __inline int __attribute__((__gnu_inline__)) other(int (*f)(int)) { return f(3); } int last;
static struct pair both(int x) { struct pair p = { x, x }; return p; }
struct __attribute__((packed)) tight { char c; int i; };
static int (*chosen)(int) = leaf;
"""


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "tmp_path" not in request.fixturenames:
        monkeypatch.setattr(idle_functions, "MANY", 1)


def _left(user: str, system: str = SYSTEM) -> str:
    (_, text), _ = without_idle_functions([(False, system), (True, user)])
    return text


def test_every_character_keeps_its_place() -> None:
    text = _left("int main(void) { return 0; }")
    assert len(text) == len(SYSTEM) and text.count("\n") == SYSTEM.count("\n")
    assert "tall" not in text and "other" not in text
    assert text.index("int last;") == SYSTEM.index("int last;")
    for kept in (
        "declared(int)",
        "{ 1, 2 }",
        "tight { char c; int i; };",
        "chosen)(int) = leaf",
        "leaf(int x) {",
    ):
        assert kept in text


def test_what_is_called_needs_what_it_calls() -> None:
    system = SYSTEM.replace("= leaf", "= 0")
    assert "leaf(int x)" not in _left("int main(void) { return 0; }", system)
    text = _left("int main(void) { return tall(1); }", system)
    assert "leaf(int x) {" in text and "tall(int x)\n{" in text and "other" not in text


@pytest.mark.parametrize("text", ["static int f(void) { return 1;\n", "}}} ((( \n", ""])
def test_what_is_no_plain_text_stays(text: str) -> None:
    assert _left("int g;", text) == text


def test_a_file_with_intrinsics(tmp_path: Path) -> None:
    file = tmp_path / "lanes.c"
    file.write_text(
        "#include <immintrin.h>\n"
        "void f(float *a, int n) { for (int i = 0; i < n; i += 4)\n"
        "  _mm_storeu_ps(a + i, _mm_add_ps(_mm_loadu_ps(a + i), _mm_set1_ps(1))); }\n"
    )
    if subprocess.run(["gcc", "-fsyntax-only", file], capture_output=True, check=False).returncode:
        pytest.skip("not a machine with these intrinsics")
    unit = read_translation_unit(str(file), PreprocessOptions())
    defined = [node.decl.name for node in unit.ast.ext if isinstance(node, c_ast.FuncDef)]
    assert unit.status == "ok" and "_mm_add_ps" in defined and len(defined) < 40
