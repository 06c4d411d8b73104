"""What a file knows of functions that other files of the program define: as of its own, or nothing."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.oracle.generator import generated
from tests.support.whole_programs import analysed, calls_of_kit, split

USER = "double a[100];\n{0}\nvoid f(int n, double *p) {{ for (int i = 0; i < n; i++) {1} }}\n"


def loop(declared: str, body: str, *others: str) -> LoopFacts:
    """The loop of the first file, which declares functions of the others."""
    files = {"main.c": USER.format(declared, body)}
    files |= {f"util{number}.c": text for number, text in enumerate(others)}
    return analysed(files)["main.c"].loops[0]


KNOWN = {
    "of values": ("double g(int);", "a[i] = g(i);", "double g(int x) { return x * 0.5; }"),
    "in the old style, as declared": ("double g(int);", "a[i] = g(i);", "double g(x) int x; { return x; }"),
    "through static ones": (
        "double g(int);",
        "a[i] = g(i);",
        "static double h(int x) { return x; } double g(int x) { return h(x) + h(1); }",
    ),
    "that read a static table": (
        "double g(int);",
        "a[i] = g(i);",
        "static double t[9]; double g(int x) { return t[x % 9]; }",
    ),
    "that write an argument": (
        "void g(double *, int, double);",
        "g(a, i, p[i]);",
        "void g(double *to, int k, double x) { to[k] = x; }",
    ),
    "that loop": (
        "void g(double *, int);",
        "g(a + 4 * i, 4);",
        "void g(double *to, int k) { for (int j = 0; j < k; j++) to[j] = 0; }",
    ),
    "that work on structures": (
        "struct s { double x, y; }; struct s v[100]; void g(struct s *);",
        "g(&v[i]);",
        "typedef struct s { double x, y; } pair; void g(struct s *at) { at->x = at->y; }",
    ),
    "with constants of their own": (
        "double g(int);",
        "a[i] = g(i);",
        "enum kind { ONE = 1, TWO }; typedef int number; double g(number x) { return x == TWO ? ONE : 0; }",
    ),
    "recursive on values": (
        "double g(int);",
        "a[i] = g(i);",
        "double h(int); double g(int x) { return x < 1 ? 0 : h(x - 1); }",
        "double g(int); double h(int x) { return x < 1 ? 1 : g(x - 1); }",
    ),
    "by way of a third file": (
        "double g(int);",
        "a[i] = g(i);",
        "double h(int); double g(int x) { return h(x); }",
        "#include <math.h>\ndouble h(int x) { return sqrt(x); }",
    ),
    "that call back": (
        "double g(int); double own(int x) { return x; }",
        "a[i] = g(i);",
        "double own(int); double g(int x) { return own(x); }",
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_functions_of_other_files_are_known(case: str) -> None:
    declared, body, *others = KNOWN[case]
    found = loop(declared, body, *others)
    assert found.verdict in (Verdict.PARALLEL, Verdict.CONDITIONAL), found.reasons


PURE = "double g(int x) { return x; }"
UNKNOWN = {
    "defined twice": ("double g(int);", PURE, PURE),
    "defined nowhere": ("double g(int);", "int other(void) { return 0; }"),
    "weak": ("double g(int);", "__attribute__((weak)) double g(int x) { return x; }"),
    "weak in a pragma": ("double g(int);", "#pragma weak g\n" + PURE),
    "weak for the caller": ("double g(int) __attribute__((weak));", PURE),
    "inline": ("double g(int);", "inline " + PURE),
    "static elsewhere": ("double g(int);", "static " + PURE + " double h(void) { return g(1); }"),
    "static here": ("static double g(int);", PURE),
    "under another name": ('double g(int) __asm__("h");', PURE),
    "by an alias": (
        "double g(int);",
        'double h(int x) { return x; } double g(int) __attribute__((alias("h")));',
    ),
    "of another result": ("float g(int);", PURE),
    "of another parameter": ("double g(double);", PURE),
    "of another number of parameters": ("double g(int, int);", PURE),
    "without a prototype": ("double g();", PURE),
    "in the old style, of promoted type": ("double g(float);", "double g(x) float x; { return x; }"),
    "not declared": ("", PURE),
    "declared by a macro as another": ("#define number long\ndouble g(number);", PURE),
    "called by a pointer": ("extern double (*g)(int);", PURE),
    "calling by a pointer": ("double g(int);", "double (*h)(int); double g(int x) { return h(x); }"),
    "calling its argument": (
        "double h(double); double g(double (*)(double), int);\n#define g(x) g(h, x)",
        "double g(double (*how)(double), int x) { return how(x); }",
    ),
    "calling a function parameter of another's name": (
        "double h(double); double g(double (*)(double), int);\n#define g(x) g(h, x)",
        "typedef double how(double); double g(how h, int x) { return h(x); }",
        "double h(double x) { return x; }",
    ),
    "calling what is not known": ("double g(int);", "double h(int); double g(int x) { return h(x); }"),
    "calling what is defined twice": (
        "double g(int);",
        "double h(int); double g(int x) { return h(x); }",
        "double h(int x) { return x; }",
        "double h(int x) { return x + 1; }",
    ),
    "calling with another type": (
        "double g(int);",
        "float h(int); double g(int x) { return h(x); }",
        "double h(int x) { return x; }",
    ),
    "printing": ("double g(int);", '#include <stdio.h>\ndouble g(int x) { return printf("%d", x); }'),
    "that only seem to be a library's": (
        "#include <math.h>\n#define g(i) y0(i)",
        '#include <stdio.h>\ndouble y0(double x) { return printf("%f", x); }',
    ),
    "calling what only seems to be a library's": (
        "double g(int);",
        "#include <math.h>\ndouble g(int x) { return y0(x); }",
        '#include <stdio.h>\ndouble y0(double x) { return printf("%f", x); }',
    ),
    "leaving": ("double g(int);", "#include <stdlib.h>\ndouble g(int x) { if (x > 9) exit(1); return x; }"),
    "with a directive": ("double g(int);", "double g(int x) {\n#pragma omp barrier\nreturn x; }"),
    "with assembly": ("double g(int);", 'double g(int x) { __asm__("" : "+r"(x)); return x; }'),
    "with variable arguments": (
        "double g(int, ...);",
        "#include <stdarg.h>\ndouble g(int x, ...) { va_list l; va_start(l, x); return va_arg(l, int); }",
    ),
    "in a file that is not understood": ("double g(int);", PURE + " int broken(void) { return 1 +; }"),
    "counting": ("double g(int);", "static int count; double g(int x) { return count++; }"),
    "counting in a variable of their own": (
        "double g(int);",
        "double g(int x) { static int k; return k++; }",
    ),
    "counting across files": (
        "double g(int);",
        "extern int count; double g(int x) { return count++ + x; }",
        "int count;",
    ),
    "of each thread": ("double g(int);", "static _Thread_local int k; double g(int x) { return k + x; }"),
    "volatile": ("double g(int);", "volatile int now; double g(int x) { return now; }"),
    "recursive and writing": (
        "double g(int);",
        "double t[9]; double h(int); double g(int x) { t[x] = 1; return x ? h(x - 1) : 0; }",
        "double g(int); double h(int x) { return g(x - 1); }",
    ),
    "reading what the loop writes": (
        "double g(int);",
        "extern double a[]; double g(int x) { return a[x - 1]; }",
    ),
    "reading it by another file's pointer": (
        "double g(int);",
        "extern double *at; double g(int x) { return at[x]; }",
        "extern double a[]; double *at = a;",
    ),
    "naming what is another variable here": (
        "static int scale; double g(int); int *where(void) { return &scale; }",
        "extern int scale; double g(int x) { return scale * x; }",
        "int scale = 3;",
    ),
    "calling what is another function here": (
        "static double h(int x) { return x; } double g(int); double k(void) { return h(1); }",
        "double h(int); double g(int x) { return h(x); }",
        "static int count; double h(int x) { return x + count++; }",
    ),
    "with a structure that differs": (
        "struct s { int x; }; struct s v[9]; double h(struct s *); \n#define g(i) h(&v[i])",
        "struct s { double y; int x; }; double h(struct s *at) { return at->x; }",
    ),
    "with a constant that differs": (
        "enum { SIZE = 3 }; double g(int);",
        "enum { SIZE = 4 }; double g(int x) { return x % SIZE; }",
    ),
    "with a type that differs": (
        "typedef long number; double g(int);",
        "typedef int number; double g(number x) { return x; }",
    ),
    "with a type whose name is taken": (
        "int number; double g(int);",
        "typedef int number; double g(number x) { return x; }",
    ),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_nothing_is_known_of_functions(case: str) -> None:
    declared, *others = UNKNOWN[case]
    found = loop(declared, "a[i] = g(i);", *others)
    assert found.verdict is Verdict.SERIAL, found


def test_static_functions_of_one_name_are_told_apart() -> None:
    pure = "static double g(int x) { return x; } double first(int x) { return g(x); }"
    acts = "static int k; static double g(int x) { return k = x; } double second(int x) { return g(x); }"
    own = "static double g(int x) { a[0] = x; return 1; } double first(int); double second(int);"
    assert loop(own, "a[i] = first(i);", pure, acts).verdict is Verdict.PARALLEL
    assert loop(own, "a[i] = second(i);", pure, acts).verdict is Verdict.SERIAL
    assert loop(own, "a[i] = g(i);", pure, acts).verdict is Verdict.SERIAL


def test_reasons_name_the_other_file() -> None:
    found = loop("double g(int);", "a[i] = g(i);", "int k;\n\ndouble g(int x) { return k = x; }")
    assert {(r.position.file, r.position.line) for r in found.reasons} == {("util0.c", 3)}
    text = "void g(double *to, int k) { to[k] = to[k + 1]; }"
    (reason,) = loop("void g(double *, int);", "g(a, i);", text).reasons
    assert "of util0.c" in reason.message or reason.position.file == "util0.c"


def test_no_condition_names_what_the_file_does_not() -> None:
    other = "double t[100]; double g(int x) { return t[x]; }"
    assert loop("double g(int);", "p[i] = g(i);", other).verdict is Verdict.SERIAL
    seen = loop("extern double t[100]; double g(int);", "p[i] = g(i);", other)
    assert seen.verdict is Verdict.CONDITIONAL and "t" in seen.conditions[0]


def test_opaque_structures_stay_opaque() -> None:
    """A condition must not need the size of what the file cannot look into."""
    declared = "struct s; void g(struct s *, int, double);"
    files = {
        "main.c": f"{declared} void f(int n, double *p, struct s *v)"
        " { for (int i = 0; i < n; i++) g(v, i, p[i]); }",
        "util.c": f"struct s {{ double x; }}; {declared}"
        " void g(struct s *v, int k, double x) { v[k].x = x; }",
    }
    assert not any("v" in c for c in analysed(files)["main.c"].loops[0].conditions)


def test_loops_are_told_of_once() -> None:
    """A header's functions that two files have are loops of both, but not those that one takes in."""
    loops = "double g(double *to) { for (int i = 0; i < 9; i++) to[i] = 0; return to[1]; }"
    files = {
        "main.c": "double a[9], g(double *); void f(void) { for (int i = 0; i < 9; i++) a[i] = g(a); }",
        "util.c": f"static {loops.replace('g(', 'h(')} double g(double *to) {{ return h(to); }}",
    }
    assert [(x.function, x.verdict) for x in analysed(files)["main.c"].loops] == [("f", Verdict.SERIAL)]


RANKS = {Verdict.PARALLEL: 2, Verdict.CONDITIONAL: 1, Verdict.SERIAL: 0, Verdict.UNKNOWN: 0}


@pytest.mark.parametrize("first", [0, pytest.param(50, marks=pytest.mark.long)])
def test_two_files_are_no_bolder_than_one(first: int) -> None:
    """Random loops that call functions: of the same file, of another one that is known, and of a stranger."""
    found = (text for seed in range(first, first + 50) if calls_of_kit(text := generated(seed)))
    files = split("\n".join(found))
    joined = analyse(read_translation_unit("all.c", PreprocessOptions(), text=files.pop("all.c"))).loops
    known = analysed(files)["use.c"].loops
    alone = analyse(read_translation_unit("use.c", PreprocessOptions(), text=files["use.c"])).loops
    for least, middle, most in zip(alone, known, joined[-len(known) :], strict=True):
        assert least.id == middle.id == most.id
        assert RANKS[least.verdict] <= RANKS[middle.verdict] <= RANKS[most.verdict], middle
        assert most.openmp or not middle.openmp, middle
    assert sum(RANKS[m.verdict] > RANKS[a.verdict] for a, m in zip(alone, known, strict=True)) >= 1


def test_files_whose_names_cannot_be_told_apart_tell_nothing() -> None:
    files = {
        "main.c": USER.format("double g(int); void h(int);", "{ a[i] = g(i); h(i); }"),
        "u-x.c": "static double t[9]; double g(int x) { return t[x % 9]; }",
        "u_x.c": "static double t[100]; void h(int x) { t[x] = x; }",
    }
    assert analysed(files)["main.c"].loops[0].verdict is Verdict.SERIAL
    files["v.c"] = files.pop("u_x.c")
    assert analysed(files)["main.c"].loops[0].verdict is Verdict.PARALLEL
