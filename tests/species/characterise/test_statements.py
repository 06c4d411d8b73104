"""Characterisations at a nest, at an inner loop and at a statement (figure 3.22 of seed 003)."""

from __future__ import annotations

from cuvier.document.words import tuple_text
from cuvier.report.explain import explain
from species import AnalysisOptions, analyse
from species.facts.loops import LoopFacts
from species.source import PreprocessOptions, read_translation_unit

FIGURE_3_22 = """\
double M[32][64], v[64], r[32];
void f(void) {
  for (int i = 0; i < 32; i++) {
    r[i] = 0;
    for (int j = 0; j < 64; j++)
      r[i] += M[i][j] * v[j];
  }
}
"""


def at_statements(text: str) -> list[LoopFacts]:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return list(analyse(unit, AnalysisOptions(at="statement")).loops)


def statements(body: str, declarations: str = "") -> dict[int, list[str]]:
    """By line (the first of `body` is 1), the tuples of the statements of the first loop."""
    loop = at_statements(f"{declarations} void f(int n, int m) {{ int i, j, k; double t;\n{body}\n}}\n")[0]
    return {s.position.line - 1: [tuple_text(c) for c in s.characterisations] for s in loop.statements}


def test_figure_3_22() -> None:
    outer, inner = at_statements(FIGURE_3_22)
    assert {tuple_text(c) for c in outer.characterisations} == {
        "(r, w, [0..31], 1, 1)",
        "(M, r, <[0..31],[0..63]>, <1,64>, <1,0>)",
        "(v, r, [0..63], 64, 0)",
    }
    assert {tuple_text(c) for c in inner.characterisations} == {
        "(r, w, [i..i], 1, 0)",
        "(r, r, [i..i], 1, 0)",
        "(M, r, <[i..i],[0..63]>, <1,1>, <0,1>)",
        "(v, r, [0..63], 1, 1)",
    }
    (first,) = outer.statements
    assert [tuple_text(c) for c in first.characterisations] == ["(r, w, [i..i], 1, ∅)"]
    (second,) = inner.statements
    assert {tuple_text(c) for c in second.characterisations} == {
        "(r, w, [i..i], 1, ∅)",
        "(r, r, [i..i], 1, ∅)",
        "(M, r, <[i..i],[j..j]>, <1,1>, <∅,∅>)",
        "(v, r, [j..j], 1, ∅)",
    }
    assert (first.position.line, second.position.line) == (4, 6) and first.complete and second.complete


def test_statements_only_where_they_are_asked_for() -> None:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=FIGURE_3_22)
    assert all(loop.statements == () for loop in analyse(unit).loops)


def test_conditions_branches_and_the_loops_own_header() -> None:
    found = statements(
        """for (i = 0;
        i < a[n];
        i++)
        if (a[i] > 0)
          b[i] = 1;
        else
          for (j = b[i]; j < m; j++) b[0] = 1;""",
        "int a[9], b[9];",
    )
    assert found == {
        2: ["(a, r, [n..n], 1, ∅)"],
        4: ["(a, r, [i..i], 1, ∅)"],
        5: ["(b, w, [i..i], 1, ∅)"],
        7: ["(b, r, [i..i], 1, ∅)"],
    }


def test_subscripts_read_from_memory_are_named_as_written() -> None:
    found = statements("for (i = 0; i < n; i++)\n  h[b[i + 1]] += 1;", "int b[99], h[99];")
    assert set(found[2]) == {
        "(h, r, [b[i + 1]..b[i + 1]], 1, ∅)",
        "(b, r, [i+1..i+1], 1, ∅)",
        "(h, w, [b[i + 1]..b[i + 1]], 1, ∅)",
    }


def test_the_same_reference_twice_is_one() -> None:
    found = statements("for (i = 0; i < n; i++)\n  b[i] = a[i] * a[i] + a[2];", "int a[99], b[99];")
    assert found[2] == ["(a, r, [i..i], 1, ∅)", "(a, r, [2..2], 1, ∅)", "(b, w, [i..i], 1, ∅)"]


def test_a_reference_without_a_name_makes_the_statement_incomplete() -> None:
    text = """int h[9]; int next(void);
    void f(int n) { for (int i = 0; i < n; i++) h[next()] = 1; }"""
    (statement,) = at_statements(text)[0].statements
    assert statement.characterisations == () and not statement.complete


def test_loops_that_are_not_counted_have_statements_too() -> None:
    text = "int a[9]; void f(int n) { while (n-- > 0) { a[3] = 1; } }"
    (statement,) = at_statements(text)[0].statements
    assert [tuple_text(c) for c in statement.characterisations] == ["(a, w, [3..3], 1, ∅)"]


def test_explain_shows_them_where_they_are_asked_for() -> None:
    outer = at_statements(FIGURE_3_22)[0]
    text = explain(outer, lambda _: FIGURE_3_22, tuples=True)
    assert "(M, r, <[0..31],[0..63]>, <1,64>, <1,0>)" in text and "(r, w, [i..i], 1, ∅)" in text
    assert "∅" not in explain(outer, lambda _: FIGURE_3_22)
