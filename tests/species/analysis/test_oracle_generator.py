"""The random programs of the oracle's fuzzer are defined C."""

from __future__ import annotations

import pytest

from tests.oracle.generator import generated
from tests.oracle.sequenced import is_sequenced

SEQUENCED = [
    "p[i] = x++",
    "p[x++] = q[c++]",
    "x++ && p[x]",
    "x++, p[x] = 1",
    "x++ ? x : c",
    "s += s",
    "s = s + 1",
    "gp[x++].x = 1",
]
CLASHES = [
    "ga[(x++) + 10] += ga[(x++) + 10]",
    "p[x++] = x",
    "x = x++",
    "s = (c = i) + c",
    "get(x++, x)",
    "(x++)[p] = x--",
]


@pytest.mark.parametrize("expression", SEQUENCED)
def test_changes_are_in_an_order(expression: str) -> None:
    assert is_sequenced(f"int f() {{ {expression}; }}")


@pytest.mark.parametrize("expression", CLASHES)
def test_changes_are_in_no_order(expression: str) -> None:
    assert not is_sequenced(f"int f() {{ {expression}; }}")


def test_functions_are_c_and_sequenced() -> None:
    assert all(is_sequenced(generated(seed)) for seed in range(200))
