"""What is written at places that no bounds name is not taken for written everywhere."""

from __future__ import annotations

from tests.support.analysing import outermost


def test_a_region_without_bounds_is_not_covered() -> None:
    """(The loop inside makes no iteration, whatever n is.)"""
    loop = outermost("""int ga[40];
    void f(int n, int m, int x) {
      for (int i = 0; i < (n < m ? n : m); i++) {
        ga[(i - 1) + 10] = x;
        for (int k = (n > (3 > n / 2 ? 3 : n / 2) ? n : (3 > n / 2 ? 3 : n / 2)); k < n; ++k)
          for (int j = 0; j <= (n < k ? n : k); j += 1) ga[(k) + 10] = 2; } }""")
    assert loop.kernel is not None
    (array,) = loop.kernel.arrays
    assert not (array.writes == () and array.covered)
