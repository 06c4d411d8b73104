"""Quotients and remainders of numbers that a conversion to 64 bits without a sign makes huge."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

RINGS = [
    "ring[(n - i) % (sizeof ring / sizeof ring[0])] = b[i]",
    "ring[(i + n) % 100ul] = b[i]",
    "ring[(unsigned long)(i + n) % 100] = b[i]",
    "ring[((long)i + n) % 100ul] = b[i]",
    "ring[300 - (i + n) % 100ul] = b[i]",
    "ring[(i * 3ul + n) % 100] = b[i]",
    "ring[(i + n) % 100ul / 2 + 100] = b[i]",
    "ring[((i + n) & 127ul) % 100] = b[i]",
]


@pytest.mark.parametrize("statement", RINGS)
def test_two_to_the_sixty_fourth_is_no_multiple_of_a_length(statement: str) -> None:
    (loop,) = loops_of(
        f"int ring[400], b[100]; void put(int n) {{ for (int i = 0; i < 100; i++) {statement}; }}"
    )
    assert loop.verdict is Verdict.SERIAL


def test_a_remainder_of_what_is_not_negative() -> None:
    (loop,) = loops_of(
        "int a[100], b[100]; void f(void) { for (int i = 0; i < 100; i++) a[i % 100ul] = b[i]; }"
    )
    assert loop.verdict is Verdict.PARALLEL


# What is added to a subscript, and values for which an `if` clause would say something else, or be undefined.
ADDED = [
    ("k % 5ul", ("-3", "7")),
    ("k % sizeof(int)", ("-3", "7")),
    ("(unsigned long)k % 9", ("-3", "7")),
    ("(k - 1ul) % 8", ("0", "-5", "9")),
    ("(k / 8ul) % 8", ("-3", "70")),
    ("(k * 8ul) / 8 % 16", ("-3", "5")),
    ("(k & 7ul)", ("-3", "13")),
    ("((k | 8ul) & 15)", ("-9", "3")),
    ("(1L << k)", ("0", "3", "5")),
    ("(long)(1ull << k)", ("0", "5")),
    ("(1 << k)", ("0", "5")),
    ("(int)(1u << k)", ("0", "5")),
    ("(k << 2)", ("3", "0")),
    ("(k << m)", ("3", "1")),
    ("k % 5", ("-3", "7")),
    ("(k & 7)", ("-3", "7")),
]


@pytest.mark.parametrize(("offset", "values"), ADDED)
def test_conditions_compare_the_addresses_that_are_touched(
    offset: str, values: tuple[str, ...], tmp_path: Path
) -> None:
    head = "(int n, int k, int m, char *p, const char *q)"
    (loop,) = loops_of(f"void f{head} {{ for (int i = 0; i < n; i++) p[i + {offset}] = q[i]; }}")
    if loop.verdict is Verdict.SERIAL:
        return
    (condition,) = loop.conditions
    calls = " ".join(f"wrong |= tried({value});" for value in values)
    run(
        f"""static char cells[400]; static int wrong;
        static int apart{head} {{ (void)m; return {condition}; }}
        static int tried(int k) {{ int m = 1, bad = 0; long at = {offset};
            for (long d = -60; d <= 60; d++) if (apart(9, k, m, cells + 150, cells + 150 + d))
                bad |= d < at + 9 && at < d + 9;
            return bad; }}
        int main(void) {{ {calls} return wrong; }}""",
        tmp_path,
    )


SHIFTS = ["(1 << k)", "(int)(1u << k)", "(1L << k)", "(k << m)", "(m << k)", "(-1 << k)", "(k >> m)"]


@pytest.mark.parametrize("offset", SHIFTS)
@pytest.mark.parametrize(("k", "m"), [(31, -1), (-1, 40), (64, 31), (-2147483647, 2147483647)])
def test_shifts_of_loops_that_make_no_iteration(offset: str, k: int, m: int, tmp_path: Path) -> None:
    head = "(int n, int k, int m, char *p, const char *q)"
    (loop,) = loops_of(f"void f{head} {{ for (int i = 0; i < n; i++) p[i + {offset}] = q[i]; }}")
    assert loop.verdict is Verdict.CONDITIONAL
    test = f"static int apart{head} {{ (void)m; return {loop.conditions[0]}; }}"
    run(
        f"{test} int main(void) {{ volatile int seen = apart(0, {k}, {m}, 0, 0); (void)seen; return 0; }}",
        tmp_path,
    )


def run(text: str, folder: Path) -> None:
    source, binary = folder / "test.c", folder / "test"
    source.write_text(text)
    sanitizers = ("-fsanitize=undefined", "-fno-sanitize-recover=undefined")
    subprocess.run(["gcc", "-w", *sanitizers, source, "-o", binary], check=True)
    subprocess.run([binary], check=True)


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("-i / 2 + 50", Verdict.PARALLEL),  # cut off: it is 50 - i / 2
        ("(-i >> 1) + 50", Verdict.SERIAL),  # rounded down: it is less by one
        ("50 - (-i & 7)", Verdict.SERIAL),
    ],
)
def test_quotients_of_what_is_not_positive(written: str, verdict: Verdict) -> None:
    (loop,) = loops_of(
        f"int a[100]; void f(void) {{ for (int i = 1; i < 90; i += 2) a[{written}] = a[50 - i / 2]; }}"
    )
    assert loop.verdict is verdict


def test_a_remainder_of_what_is_not_positive() -> None:
    """`(i - 90) % 8` goes from -2 up to 0 and on from -7: iterations that are eight apart meet."""
    text = "int a[100]; void f(void) {{ for (int i = 0; i < {}; i++) a[(i - 90) % 8 + 9] = i; }}"
    assert loops_of(text.format(8))[0].verdict is Verdict.PARALLEL
    assert loops_of(text.format(9))[0].verdict is Verdict.SERIAL
