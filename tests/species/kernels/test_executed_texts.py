"""Conditions, regions and steps that generated code evaluates: they compute what they say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import AnalysisOptions, analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit


def loop_of(text: str) -> LoopFacts:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return analyse(unit, AnalysisOptions()).loops[0]


def run_strictly(source: Path) -> None:
    binary = source.with_suffix("")
    sanitizers = ("-fsanitize=undefined", "-fno-sanitize-recover=undefined")
    subprocess.run(["gcc", *sanitizers, source, "-o", binary], check=True)
    subprocess.run([binary], check=True)


def function(subscript: str, parameters: str = "int n", before: str = "", body: str = "") -> LoopFacts:
    nest = f"for (int i = 0; i < m; i++) {{ {body} for (int j = 0; j < 4; j++) x[{subscript}] = i + j; }}"
    return loop_of(f"int x[9999]; void f({parameters}, int m) {{ {before} {nest} }}")


# What a subscript's stride is, its type, and a value for which narrower arithmetic gives another result.
STRIDES = [
    ("(1000000L * n % 13)", "int n", "4304"),
    ("((n * 2L + 2147483647L) % 7)", "int n", "5"),
    ("(1000000L * n >> 20)", "int n", "4304"),
    ("(1000000L * n & 1023)", "int n", "4304"),
    ("(long)n * n", "int n", "70000"),
    ("(((long)u - 10) % 7)", "unsigned long u", "7"),
    ("(((long)u - 10) % 7)", "unsigned u", "7"),
    ("(n * 100000L % 7)", "short n", "31000"),
]


@pytest.mark.parametrize(("stride", "parameter", "value"), STRIDES)
def test_beyond_affine_are_computed_as_in_the_program(
    stride: str, parameter: str, value: str, tmp_path: Path
) -> None:
    """The condition holds exactly where the stride, computed by the program, is large enough."""
    before = "if (u < 100)" if "u < 100" in stride or parameter == "unsigned long u" else ""
    loop = function(f"i * {stride} + j", parameter, before)
    assert loop.verdict is Verdict.CONDITIONAL
    condition = " && ".join(loop.conditions)
    source = tmp_path / "test.c"
    test = f"int holds({parameter}) {{ return ({condition}) == ((long)({stride}) >= 4); }}"
    source.write_text(f"#include <stdio.h>\n{test}\nint main(void) {{ return !holds({value}); }}\n")
    run_strictly(source)


def test_regions_are_computed_in_a_type_that_holds_them() -> None:
    text = (
        "void f(char *p, const char *q, int n, int m) { for (int i = 0; i < m; i++) p[16L * n + i] = q[i]; }"
    )
    assert "p + (16*(long)n)*sizeof(*p)" in loop_of(text).conditions[0]


def test_steps_are_computed_in_a_type_that_holds_them() -> None:
    loop = loop_of(
        "int x[9]; long f(int n, int m) { long k = 0; for (int i = 0; i < m; i++) { x[k] = i;"
        " k += 1000000L * n % 13; } return k; }"
    )
    assert [(each.variable, each.step) for each in loop.linear] == [("k", "((1000000*(long)n)%13)")]


def test_small_sums_stay_as_they_are() -> None:
    loop = loop_of("void f(int n, double *p, double *q) { for (int i = 0; i < n; i++) p[i] = q[i]; }")
    assert "q + n*sizeof(*q)" in loop.conditions[0]


@pytest.mark.parametrize(
    "text",
    [
        "char L; void f(char *p) { for (int i = 0; i < 9; i++)"
        " { typedef struct { char c; int i; } L; __builtin_memset(p + 4 * i, i, sizeof(L)); } }",
        "struct S { char c; }; void f(char *p) { for (int i = 0; i < 9; i++)"
        " { struct S { char c; int i; }; __builtin_memset(p + 4 * i, i, sizeof(struct S)); } }",
        "struct { char c; int i; } one; void f(char *p) { for (int i = 0; i < 9; i++)"
        " __builtin_memset(p + 4 * i, i, sizeof one); }",
        "int x[999]; void f(int n, int m) { for (int i = 0; i < m; i++) { struct { unsigned f : 3; } s;"
        " int k = (s.f = n); for (int j = 0; j < 4; j++) x[i * k + j] = i; } }",
    ],
)
def test_types_without_a_name_before_the_loop_are_not_named_there(text: str) -> None:
    loop = loop_of(text)
    said = " ".join((*loop.conditions, *map(str, loop.characterisations)))
    assert "sizeof" not in said and "@" not in said and "bit-field" not in said
    assert loop.verdict is Verdict.SERIAL


def test_conversions_are_spelt_with_names_that_nothing_hides() -> None:
    before = "int u8(int k) { return k; } int x[9999];"
    loop = loop_of(
        f"{before} void f(int n, int m) {{ for (int i = 0; i < m; i++) {{ typedef unsigned char u8;"
        " for (int j = 0; j < 4; j++) x[i * (u8)n + j] = i; } }"
    )
    assert loop.conditions == ("(long long)((unsigned char)(n)) >= 4",)


def test_sizes_of_structures_that_are_known_everywhere_keep_their_name() -> None:
    loop = loop_of(
        "struct S { char c; int i; }; void f(char *p) { for (int i = 0; i < 9; i++)"
        " __builtin_memset(p + 8 * i, i, sizeof(struct S)); }"
    )
    assert "sizeof(struct S)" in " ".join(loop.conditions)


def test_sums_beyond_the_size_are_computed_in_a_type_that_holds_them() -> None:
    """`n + 5L` is no `int` in the program, and must not be one in the condition."""
    text = "void f(char *p, const char *q, int n) { for (int i = 0; i < 9; i++) p[i] = q[n + 5L] + 1; }"
    assert "q + ((long)n+5)*sizeof(*q)" in loop_of(text).conditions[0]
    text = "void f(char *p, const char *q, int n) { for (int i = 0; i < 9; i++) p[i] = q[n - 5L] + 1; }"
    assert "q + ((long)n-5)*sizeof(*q)" in loop_of(text).conditions[0]


LIMITS = [
    ("unsigned long", "-1"),
    ("unsigned long", "1UL << 63"),
    ("unsigned long", "0"),
    ("unsigned long", "7"),
    ("long", "9223372036854775807"),
    ("long", "-9223372036854775807 - 1"),
    ("int", "2147483647"),
    ("int", "-2147483647 - 1"),
]


@pytest.mark.parametrize(("ctype", "value"), LIMITS)
def test_a_limit_may_say_that_there_is_none(ctype: str, value: str, tmp_path: Path) -> None:
    """The least of several bounds is found where another one is as large as its type allows."""
    text = f"""void f(char *p, const char *q, {ctype} limit, int n) {{
        for (int i = 0; i < n; i++)
            for ({ctype} j = 0; j < limit && j < 300; j++) p[300 * i + j] = q[i]; }}"""
    (condition,) = loop_of(text).conditions
    source = tmp_path / "test.c"
    source.write_text(f"""#include <stdio.h>
        static char cells[2000]; static {ctype} limit; static int n = 2;
        static int apart(const char *p, const char *q) {{ return {condition}; }}
        int main(void) {{ limit = {value}; long last = limit > 300 ? 300 : limit > 0 ? limit : 0;
            for (int k = 0; k < 1200; k++)
                if (apart(cells, cells + k) && k <= 300 + last - 1) return last > 0;
            return !apart(cells, cells + 600); }}""")
    run_strictly(source)


def test_sizes_without_a_sign_are_widened_before_one_is_taken_off() -> None:
    text = "void f(char *p, const char *q, unsigned n) { for (unsigned j = 0; j < n; j++) p[j] = q[j]; }"
    assert "p + ((long)n)*sizeof(*p)" in loop_of(text).conditions[0]


EMPTY = [
    ("for (int i = 0; i < n; i++) p[i] = q[i];", "0, 3"),
    ("for (int i = 0; i < n; i++) p[i] = q[i];", "-5, 3"),
    ("for (int i = 1; i < n - 1; i++) p[i] = q[i - 1] + q[i + 1];", "0, 0"),
    ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) p[i * m + j] = q[j];", "4, 0"),
    ("for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) p[i * m + j] = q[j];", "4, -2"),
    ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) *p++ = q[i];", "4, 0"),
    ("for (int i = 0; i < n; i++) s[i].b = q[i];", "0, 1"),
    ("for (int i = 0; i < n; i++) r[i][m] = q[i];", "0, 1"),
    ("for (int i = n - 1; i >= 0; i--) p[i] = q[i];", "0, 0"),
]


@pytest.mark.parametrize(("body", "sizes"), EMPTY)
def test_pointers_may_be_null_where_a_loop_makes_no_iteration(body: str, sizes: str, tmp_path: Path) -> None:
    head = "struct two { int a, b; }; void f(int n, int m, int *p, const int *q, int (*r)[8], struct two *s)"
    loop = loop_of(f"{head} {{ {body} }}")
    assert loop.verdict is Verdict.CONDITIONAL
    source = tmp_path / "test.c"
    tested = f"volatile int seen = {' && '.join(loop.conditions)}; (void)seen;"
    source.write_text(f"{head} {{ {tested} }}\nint main(void) {{ f({sizes}, 0, 0, 0, 0); return 0; }}\n")
    run_strictly(source)
