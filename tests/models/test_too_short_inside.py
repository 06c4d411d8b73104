"""Loops inside of those that threads could share, if their text could be replaced: decided by themselves."""

from __future__ import annotations

import pytest

from tests.skeletons.program.test_sizes import program_of

TEXT = """#define EACH(i, n) (void)0; for (int i = 0; i < (n); ++i)
struct doc { unsigned sig[16]; };
static int alike(const struct doc *a, const struct doc *b) {
    int n = 0;
    for (int j = 0; j < 16; j++) n += a->sig[j] == b->sig[j];
    return n;
}
long pairs(const struct doc *d, int docs) {
    long found = 0;
    EACH(i, docs)
        for (int j = i + 1; j < docs; j++)
            found += alike(&d[i], &d[j]) > 3;
    return found;
}
"""


@pytest.mark.parametrize("header", ["EACH(i, docs)", "for (int i = 0; i < docs; i++)"])
def test_a_short_loop_in_one_that_cannot_be_replaced_stays(header: str) -> None:
    text = program_of(TEXT.replace("EACH(i, docs)", header), "openmp").files["sized.c"]
    before, _, rest = text.partition(header + "\n")
    assert ("#pragma omp" in before) is (header != "EACH(i, docs)")
    assert "#pragma omp" not in rest


def test_so_does_a_nest_that_could_be_put_in_another_order() -> None:
    text = """#define EACH(i, n) (void)0; for (int i = 0; i < (n); ++i)
    void f(int n, double *restrict c, const double b[restrict 90][90]) {
        EACH(k, n) {
            double t[90][90];
            for (int i = 0; i < 90; i++)
                for (int j = 0; j < 90; j++)
                    t[j][i] = b[j][i] * k;
            c[k] = t[k % 90][3];
        }
    }"""
    assert "#pragma omp parallel" not in program_of(text, "openmp").files["sized.c"]
