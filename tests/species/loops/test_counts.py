"""Loops that count otherwise than OpenMP asks for run on threads, with a counter of ours."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.counts.fuzz import compared
from tests.counts.generator import program
from tests.support.analysing import loops_of
from tests.support.batch_trees import cuvier

FORMS = {
    "room": ("for (unsigned long i = 0; i + 1 < n; i++) a[i] = b[i + 1];", "(long)n-1"),
    "down": ("for (unsigned long i = n; i-- > 0;) a[i] = b[i];", "n"),
    "while": ("unsigned long i = 3; while (i < n) { a[i] = b[i]; i++; }", "(long)n-3"),
    "pointers": ("float *p = a; const float *q = b; while (n--) *p++ = *q++;", "n"),
}


@pytest.mark.parametrize(("body", "trips"), FORMS.values(), ids=FORMS.keys())
def test_how_often_and_what_moves_is_known(body: str, trips: str) -> None:
    (loop,) = loops_of(f"float a[999], b[999]; void f(unsigned long n) {{ {body} }}")
    assert loop.openmp_obstacle and loop.recount is not None
    assert loop.recount.trips == trips


@pytest.mark.parametrize(("body", "trips"), FORMS.values(), ids=FORMS.keys())
def test_threads_share_them(body: str, trips: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(f"float a[99999], b[99999]; void f(unsigned long n) {{ {body} }}\n")
    cuvier(tmp_path, "compile", "--target", "openmp", "-o", "out", "f.c")
    made = (tmp_path / "out" / "f.c").read_text()
    assert re.search(rf"counted_n = {re.escape(trips)};.*\n#pragma omp parallel for", made)


MEMBERS = {
    "for": ("for (unsigned i = 1; i + 1 < s->n; i++) a[i] = b[i];", "(long)s->n-2"),
    "while": ("unsigned i = 3; while (i < s->n) { a[i] = b[i]; i++; }", "(long)s->n-3"),
    "first of two": ("for (unsigned i = 1; i + 1 < s->n && some; i++) a[i] = b[i];", None),
    "behind a choice": ("for (unsigned i = 1; some && i + 1 < s->n; i++) a[i] = b[i];", None),
    "behind a call": ("for (unsigned i = start(); i + 1 < s->n; i++) a[i] = b[i];", None),
    "written": ("for (unsigned i = 1; i + 1 < s->n; i++) s->n = b[i];", None),
}


@pytest.mark.parametrize(("body", "trips"), MEMBERS.values(), ids=MEMBERS.keys())
def test_members_are_read_where_the_header_reads_them_first(body: str, trips: str | None) -> None:
    known = "float a[999], b[999]; unsigned start(void); struct sizes { unsigned n, m; };"
    (loop,) = loops_of(f"{known} void f(struct sizes *s, int some) {{ {body} }}")
    assert (loop.recount.trips if loop.recount else None) == trips


def test_those_that_openmp_takes_stay(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("float a[99999]; void f(int n) { for (int i = 0; i < n; i++) a[i] = i; }\n")
    cuvier(tmp_path, "compile", "--target", "openmp", "-o", "out", "f.c")
    assert "counted_n" not in (tmp_path / "out" / "f.c").read_text()


def test_they_compute_the_same(tmp_path: Path) -> None:
    different, made = compared(program(random.Random(100), 12), tmp_path)
    assert not different and made > 3


WIDER = {
    "converted": "for (unsigned i = 3; i < (long)k - 2; i++) a[i] = b[i];",
    "in a variable": "long l = k - 2; for (unsigned i = 3; i < l; i++) a[i] = b[i];",
    "a long number": "for (unsigned i = 3; i < k - 2L; i++) a[i] = b[i];",
}


@pytest.mark.parametrize("body", WIDER.values(), ids=WIDER.keys())
def test_a_bound_below_zero_is_not_brought_to_an_unsigned_type(body: str) -> None:
    """gcc would: no iteration becomes 2^32 - 5 of them."""
    (loop,) = loops_of(f"float a[999], b[999]; void f(unsigned char k) {{ {body} }}")
    assert loop.openmp_obstacle


@pytest.mark.parametrize(
    ("calls", "is_safe"),
    [
        ("count(0, 10) + count(-5, 2000000000)", True),
        ("count(0, 10) + count(-2147483647 - 1, 2147483647)", False),
        ("count(-1500000000, 1500000000) + count(0, 7)", False),
        ("count(-2147483647 - 1, 2147483647 - (1 << 20)) + count(0, 7)", False),
    ],
)
def test_bounds_of_all_calls_are_counted(calls: str, is_safe: bool) -> None:
    """gcc counts in `int`, which is too narrow for what one of the calls asks for."""
    text = f"""static long count(int from, int to)
    {{ long n = 0; for (int i = from; i < to; i++) n += i & 1; return n; }}
    long all(void) {{ return {calls}; }}"""
    (loop,) = loops_of(text)
    assert loop.openmp == is_safe


def test_variables_that_are_never_set_are_counted() -> None:
    text = """static int low = -1500000000, high = 1500000000;
    long count(void) { long n = 0; for (int i = low; i < high; i++) n += i & 1; return n; }"""
    (loop,) = loops_of(text)
    assert "too narrow" in loop.openmp_obstacle
