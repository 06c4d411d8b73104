"""Parsing with recovery: what pycparser cannot read costs its own declaration and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from pycparser import c_ast

from species.source import PreprocessOptions, TranslationUnit, read_translation_unit


def read(folder: Path, text: str) -> TranslationUnit:
    path = folder / "a.c"
    path.write_text(text)
    return read_translation_unit(str(path), PreprocessOptions())


def functions(unit: TranslationUnit) -> list[str]:
    definitions = [node for node in unit.ast.ext if isinstance(node, c_ast.FuncDef)]
    return [node.decl.name for node in definitions if unit.is_user_file(unit.position(node.coord).file)]


BROKEN_BODIES = {
    "syntax error": "int bad(int n)\n{ int = 3; return n; }",
    "nested function": "int bad(int n)\n{ int g(int a) { return a; } return g(n); }",
    "old style": "int bad(n, m) int n; double m;\n{ int = 3; return n; }",
}


@pytest.mark.parametrize("bad", BROKEN_BODIES.values(), ids=BROKEN_BODIES.keys())
def test_a_broken_function_leaves_its_prototype_and_the_rest(tmp_path: Path, bad: str) -> None:
    unit = read(
        tmp_path, f"#include <stdlib.h>\nint a(void) {{ return 1; }}\n{bad}\nint c(void) {{ return 2; }}\n"
    )
    assert (unit.status, functions(unit)) == ("partial", ["a", "c"])
    assert "bad" in [getattr(node, "name", None) for node in unit.ast.ext]
    (diagnostic,) = unit.diagnostics
    assert (diagnostic.severity, diagnostic.code) == ("warning", "CV001")
    assert diagnostic.position.line in (3, 4)  # the parser does not always tell the place inside
    assert "the body of function 'bad'" in diagnostic.message


def test_a_broken_declaration_is_left_out(tmp_path: Path) -> None:
    unit = read(tmp_path, "int a(void) { return 1; }\nunknown *x;\nint c(unknown y) { return 2; }\nint d;\n")
    assert functions(unit) == ["a"]
    assert [d.position.line for d in unit.diagnostics] == [2, 3]
    assert unit.ast.ext[-1].name == "d"


def test_an_attribute_behind_parameters_is_no_declaration_of_one(tmp_path: Path) -> None:
    unit = read(tmp_path, 'int g() __attribute__((alias("h")));\nint a(k) int k; { return k; }\n')
    assert [d.position.line for d in unit.diagnostics] == [1]
    assert functions(unit) == ["a"]


def test_types_are_known_behind_a_loss(tmp_path: Path) -> None:
    unit = read(tmp_path, "typedef int t;\nint = 3;\nt x;\nt f(t y) { t z = y; return z; }\nt *g(void);\n")
    assert [d.position.line for d in unit.diagnostics] == [2]
    assert functions(unit) == ["f"]


def test_a_missing_brace_costs_one_function(tmp_path: Path) -> None:
    unit = read(tmp_path, "int a(int n)\n{\n  if (n) {\n  return 1;\n}\nint c(int n)\n{\n  return 2;\n}\n")
    assert functions(unit) == ["c"]
    assert unit.status == "partial"


def test_a_spare_brace_costs_itself(tmp_path: Path) -> None:
    unit = read(tmp_path, "int a(void) { return 1; }\n}\nint c(void) { return 2; }\n")
    assert functions(unit) == ["a", "c"]
    assert [d.position.line for d in unit.diagnostics] == [2]


def test_positions_after_a_loss_are_right(tmp_path: Path) -> None:
    unit = read(tmp_path, "int bad(int n)\n\n{\n  int = 3;\n}\n\nvoid c(int n)\n{\n  for (;n;) n--;\n}\n")
    loop = unit.ast.ext[-1].body.block_items[0]
    assert unit.loop_position(loop).line == 9
    spans = unit.loop_spans(loop)
    assert spans is not None and spans.whole.of(unit.source.text) == "for (;n;) n--;"


@pytest.mark.parametrize("text", ["int = 3;", "]", "((((", "\x00\x01", "} } }"])
def test_text_that_is_no_c_at_all(tmp_path: Path, text: str) -> None:
    unit = read(tmp_path, text)
    assert unit.status in ("partial", "failed")
    assert unit.diagnostics and not unit.ast.ext


def test_an_empty_file_is_fine(tmp_path: Path) -> None:
    unit = read(tmp_path, "")
    assert (unit.status, unit.diagnostics, unit.ast.ext) == ("ok", (), [])


def test_deep_nesting_costs_at_most_its_function(tmp_path: Path) -> None:
    chain = "if (n == 0) n = 1;" + "\n else if (n == 2) n = 3;" * 300
    deep = "(" * 20000 + "n" + ")" * 20000
    unit = read(
        tmp_path, f"int a(int n) {{ {chain} return n; }}\nint b(int n) {{ return {deep}; }}\nint c;\n"
    )
    assert functions(unit) == ["a"]
    assert [d.position.line for d in unit.diagnostics] == [302]
    assert "nested too deeply" in unit.diagnostics[0].message
