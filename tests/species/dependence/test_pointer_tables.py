"""What pointers in arrays and structures point to: species say through which of them."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

LOOPS = {
    "rows": (
        "int **p",
        "p[3][i] = p[5][i + 4];",
        "p[5:5]|full ^ p[5:5,4:13]|element ^ p[3:3]|full -> p[3:3,0:9]|element",
    ),
    "a pointer": ("int **p", "(*p)[i] = i;", "p[0:0]|full -> p[0:0,0:9]|element"),
    "a member": ("struct S *p", "p->a[i] = i;", "p->a[0:0]|full -> p->a[0:9]|element"),
    "of an element": ("struct S *p", "p[2].a[i] = i;", "p.a[2:2]|full -> p.a[2:2,0:9]|element"),
    "by name": ("int **p, int *q", "q[i] = p[n][i];", "p[n:n]|full ^ p[n:n,0:9]|element -> q[0:9]|element"),
}


@pytest.mark.parametrize(("parameters", "body", "species"), LOOPS.values(), ids=LOOPS.keys())
def test_a_species_names_the_row(parameters: str, body: str, species: str) -> None:
    text = f"struct S {{ int *a; }};\nvoid f(int n, {parameters}) {{ for (int i = 0; i < 10; i++) {body} }}\n"
    (loop,) = loops_of(text)
    assert str(loop.species) == species


def test_two_arrays_of_one_name_are_named_apart() -> None:
    (loop,) = loops_of(
        "int a[99];\n"
        "void f(void) { int *p = a; { int a[200]; for (int i = 0; i < 99; i++) p[i] = a[i + 1]; } }\n"
    )
    assert loop.verdict.is_parallel and str(loop.species) == "a[1:99]|element -> p[0:98]|element"


def test_a_row_that_is_walked_by_another_pointer_makes_no_table() -> None:
    outermost, _ = loops_of(
        "unsigned long strlen(const char *);\n"
        "int f(int n, char *a[]) {\n"
        "  int count = 0;\n"
        "  char *s;\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    count += (int)strlen(a[i]);\n"
        "    for (s = a[i]; *s; s++)\n"
        "      count++;\n"
        "  }\n"
        "  return count;\n"
        "}\n"
    )
    assert outermost.kernel is not None and not outermost.kernel.tables and outermost.kernel.obstacles
