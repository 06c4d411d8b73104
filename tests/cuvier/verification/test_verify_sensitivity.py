"""How far rounding reaches is measured: what an element may differ by follows from samples."""

from __future__ import annotations

import struct

import pytest

from cuvier.verification.record import Number, Slot
from cuvier.verification.sensitivity import MARGIN, Sensitivity


def slot(kind: str = "d", element: int = 8, numbers: tuple[Number, ...] = ()) -> Slot:
    return Slot("k", "a", kind, element, 1, 0, b"", b"", 0, (), b"", numbers)


def doubles(*values: float) -> bytes:
    return struct.pack(f"{len(values)}d", *values)


def left(state: list[float], sample: list[float], theirs: list[float], depends: bool = False) -> set[int]:
    found = Sensitivity(slot(), doubles(*state), [doubles(*sample)])
    places = frozenset(k for k, (a, b) in enumerate(zip(state, theirs, strict=True)) if a != b)
    return set(found.explain(places, doubles(*theirs), depends=depends).left)


def test_what_no_sample_changes_must_be_equal() -> None:
    assert left([1.0, 2.0], [1.0, 2.0], [1.0, 2.0 + 2**-51]) == {1}
    assert left([1.0, 2.0], [1.0, 2.0], [1.0, 2.0 + 2**-51], depends=True) == set()
    assert left([1.0, 2.0], [1.0, 2.0], [1.0, 2.0 + 2**-48], depends=True) == {1}


def test_elements_may_differ_by_what_nearly_all_differ_by() -> None:
    state, sample = [100.0 + k for k in range(50)], [100.0 + k + 1e-12 for k in range(50)]
    sample[7] = state[7]  # by chance the same in the sample
    near, far = list(state), list(state)
    near[7] += 0.5 * MARGIN * 1e-12
    far[7] += 10 * MARGIN * 1e-12
    assert left(state, sample, near) == set()
    assert left(state, sample, far) == {7}


def test_small_elements_are_compared_relative_to_themselves() -> None:
    state = [10.0**-k for k in range(40)]
    sample = [value * (1 + 1e-15) for value in state]
    theirs = list(state)
    theirs[30] *= 1 + 1e-13
    assert left(state, sample, theirs) == {30}


def test_in_chaos_no_value_is_too_small_to_become_large() -> None:
    state = [0.5 + 0.4 * (-1) ** k for k in range(100)]
    sample = [0.95 - value for value in state]
    state[30], sample[30] = 0.001, 0.0012
    theirs = list(state)
    theirs[30] = 0.9
    assert left(state, sample, theirs) == set()


@pytest.mark.parametrize(("count", "explained"), [(2, True), (MARGIN * 3 + MARGIN, True), (40, False)])
def test_where_rounding_decides_few_elements_differ(count: int, explained: bool) -> None:
    state = [float(k % 2) for k in range(500)]
    sample = [1 - value if k in (5, 100, 300) else value for k, value in enumerate(state)]
    theirs = [1 - value if 200 <= k < 200 + count else value for k, value in enumerate(state)]
    assert (not left(state, sample, theirs)) is explained
    theirs = [value + 100 * MARGIN if k == 9 else value for k, value in enumerate(state)]
    assert left(state, sample, theirs) == {9}


def test_members_of_structures_have_tolerances_of_their_own() -> None:
    layout = (Number(0, 8, "d"), Number(8, 4, "f"))
    known = slot("b", 16, layout)

    def state(d: float, f: float, id_: int) -> bytes:
        return struct.pack("dfi", d, f, id_) * 30

    found = Sensitivity(known, state(3, 5, 1), [state(3 + 1e-14, 5 + 2e-6, 1)])
    values = range(90)  # bytes, double and float of each
    assert not found.explain(frozenset(k for k in values if k % 3), state(3 + 2e-14, 5 - 2e-6, 1)).left
    assert found.explain(frozenset({1}), state(3 + 1e-9, 5, 1)).left == {1}
    assert found.explain(frozenset({0}), state(3, 5, 2)).left == {0}


def test_a_tolerance_as_large_as_the_values_says_little() -> None:
    found = Sensitivity(slot(), doubles(1, 2), [doubles(2, 1)])
    assert found.says_little(4.0) and not found.says_little(1e-9)
