"""C that deceives by numbers that wrap around: converted ones, narrow iterators beside unsigned bounds."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

HEAD = "#include <stddef.h>\nint A[4000], big[40000];\n"
ENDED = {  # iterators that a conversion makes huge once they are negative, which ends the loop
    "a size": "for (short i = 0; i < n; i++) A[i + 1000]++;",
    "a size in bytes": "for (short i = 0; i < sizeof big / sizeof *big; i++) A[i + 1000]++;",
    "an unsigned number": "for (signed char i = 0; i <= u; i++) A[i + 1000]++;",
    "a constant": "for (signed char i = 0; i < 200u; i++) A[i + 1000]++;",
    "a second variable": "for (signed char i = 0, k = 0; i < u; i++, k++) A[1000 + i + k] = k;",
    "a while loop": "short i = 0; while (i < n) { A[i + 1000]++; i++; }",
}
COUNTED = {
    "a constant that fits": "for (signed char i = 0; i < 100u; i++) A[i + 1000]++;",
    "a signed number": "for (short i = 0; i < m; i++) A[i + 1000]++;",
    "an unsigned iterator": "for (unsigned char i = 0; i < u; i++) A[i + 1000]++;",
}
MEETING = {  # the element that is read was written two iterations before
    "a sum": "A[-i + 998] = A[-1 * i + 1000ul] + 1;",
    "a conversion": "A[-i + 998] = A[(size_t)-i + 1000] + 1;",
    "a negation": "A[-i + 998] = A[-(size_t)i + 1000] + 1;",
    "a product": "A[-i + 998] = A[-1ul * i + 1000] + 1;",
    "a variable": "size_t k = 3; if (m) k = -i; A[-i + 998] = A[k + 1000] + 1;",
    "a guard": "for (size_t j = 0; j < 20; j++) if (i + 3 + l * j < i) A[j + i] = A[j + i] * 3 + i;",
}
APART = {
    "an offset": ("A[(size_t)m + i] = i;", "void -> A[m:m+n-1]|element"),
    "a size as iterator": ("for (size_t j = 0; j < 9; j++) A[m + i * 10 + j] = j;", None),
    "a negative step": ("A[(size_t)-i + 1000] = i;", "void -> A[-n+1001:1000]|element"),
}


def verdict(text: str) -> str:
    loops = loops_of(f"{HEAD}void f(size_t n, unsigned u, int m, long l) {{ {text} }}")
    return next(loop for loop in loops if loop.depth == 0).verdict.value


@pytest.mark.parametrize("loop", ENDED.values(), ids=ENDED.keys())
def test_a_conversion_may_end_a_loop(loop: str) -> None:
    assert verdict(loop) == "serial"


@pytest.mark.parametrize("loop", COUNTED.values(), ids=COUNTED.keys())
def test_others_count(loop: str) -> None:
    assert verdict(loop) == "parallel"


@pytest.mark.parametrize("body", MEETING.values(), ids=MEETING.keys())
def test_what_wraps_around_comes_back(body: str) -> None:
    assert verdict(f"for (int i = 0; i < 900; i++) {{ {body} }}") == "serial"


def test_what_may_wrap_around_is_asked_for() -> None:
    text = (
        f"{HEAD}void f(int m) {{ for (int i = 0; i < 900; i++) A[-i + 998] = A[(m ? -i : 3ul) + 1000] + 1; }}"
    )
    assert loops_of(text)[0].conditions == ("m == 0",)


@pytest.mark.parametrize(("body", "species"), APART.values(), ids=APART.keys())
def test_converted_offsets_are_offsets(body: str, species: str | None) -> None:
    found = loops_of(f"{HEAD}void f(int n, int m) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    assert found[0].verdict.value == "parallel"
    assert species is None or str(found[0].species) == species
