"""What is copied to devices may be more than what is touched: then all of it must be apart, and be there."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

FLAG = "void f(int n, int flag, double *restrict p, double *restrict w)"
GLOBAL = "double g[60]; void f(int n, int m, double *e)"


def facts(head: str, body: str) -> LoopFacts:
    return loops_of(f"{head} {{ for (int i = 0; i < n; i++) {body} }}")[0]


@pytest.mark.parametrize("statement", ["g[(int)e[i] & 7] += e[i]", "g[e[i] > 0 ? 2 : i] += e[i]"])
def test_an_array_that_is_copied_whole_must_be_apart_as_a_whole(statement: str) -> None:
    loop = facts(GLOBAL, f"{statement};")
    assert loop.verdict is Verdict.CONDITIONAL
    assert "(unsigned long long)g + 60*sizeof(*g) <=" in loop.conditions[0]


def test_an_array_of_which_the_part_is_known_may_be_near() -> None:
    loop = facts(GLOBAL, "g[i + 3] = e[i];")
    assert "(unsigned long long)g + ((long)n+2)*sizeof(*g) + sizeof(*g) <=" in loop.conditions[0]


@pytest.mark.parametrize(
    "body",
    [
        "if (flag > 3) p[i] = w[i];",
        "p[i] = flag > 3 ? w[i] : 1;",
        "if (flag) { p[i] = 2; p[i] += w[i]; }",
        "{ if (flag == 7) p[i] = w[i]; else p[i] = 1; }",
    ],
)
def test_memory_that_is_touched_under_a_fixed_condition_may_not_be_there(body: str) -> None:
    loop = facts(FLAG, body)
    assert loop.verdict is Verdict.PARALLEL
    assert loop.kernel is not None and loop.kernel.obstacles
    assert not loop.exact


@pytest.mark.parametrize(
    "body",
    [
        "{ p[i] = w[i]; if (flag > 3) p[i] += w[i]; }",
        "if (flag > 3) p[i] = w[i]; else p[i] -= w[i];",
        "if (n > 0) p[i] = w[i];",
    ],
)
def test_memory_that_is_touched_in_any_case_is_there(body: str) -> None:
    loop = facts(FLAG, body)
    assert loop.kernel is not None and not loop.kernel.obstacles
    assert loop.kernel.arrays[0].writes != ()


@pytest.mark.parametrize(
    "body",
    [
        "g[i] = w[i] > 2 ? w[i] : 1;",
        "if (w[i] > 2) g[i] = w[i];",
        "{ double x = w[i]; for (int j = 0; j < 3; j++) if (x > j) g[i] = w[i] + x; }",
        "{ w[i] = 1; if (g[i] > 2) w[i] = 3; }",
    ],
)
def test_a_place_that_is_touched_for_certain_is_known_when_it_is_touched_again(body: str) -> None:
    loop = facts("double g[60]; void f(int n, double *restrict w)", body)
    assert loop.kernel is not None and not loop.kernel.obstacles
    w = next(array for array in loop.kernel.arrays if array.name == "w")
    assert () not in (w.reads, w.writes)


@pytest.mark.parametrize(
    "body",
    [
        "if (g[i] > 2) g[i] = w[i];",
        "{ if (g[i] > 2) w[i] = 1; if (g[i] > 3) w[i] = 2; }",
        "if (w[i] > 2) g[i] = w[i + 1];",
        "for (int j = 0; j < 3; j++) if (g[i] > j) g[i] = w[i];",
        "{ int k = i; if (g[i] > 2) k = 0; g[i] = w[k] > 1 ? w[k] : 2; }",
        "for (int j = 0; j < n - 7; j++) { g[i] += w[i]; if (g[i] > 8) g[i] = w[j]; }",
    ],
)
def test_a_place_that_is_touched_only_perhaps_is_not(body: str) -> None:
    loop = facts("double g[60]; void f(int n, double *restrict w)", body)
    assert loop.kernel is None or any("'w'" in obstacle.message for obstacle in loop.kernel.obstacles)


def test_a_region_without_cells_has_none_in_c_either() -> None:
    """`n / 2` is 0 in C where n is -1, and the loop makes no iteration."""
    loop = facts("int a[64]; void f(int n)", "a[i] = i;")
    assert loop.kernel is not None and loop.kernel.arrays[0].covered
    (loop,) = loops_of("int a[64]; void f(int n) { for (int i = 0; i <= n; i += 2) a[i / 2] = i; }")
    assert loop.kernel is not None and not loop.kernel.arrays[0].covered
    assert loop.kernel.loops[0].trips == "(((long)n+2)/2)"
    (loop,) = loops_of("int a[64]; void f(unsigned n) { for (unsigned i = 0; i < n; i += 2) a[i / 2] = 1; }")
    assert loop.kernel is not None and loop.kernel.arrays[0].covered
