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


def test_so_does_a_short_one_that_compilers_interchange() -> None:
    text = """#include <stdio.h>
    static void correct(double *x, const double *m) {
        double h[2][4], p[4][2], s[2][2];
        for (int j = 0; j < 4; j++) { h[0][j] = m[j]; h[1][j] = m[3 - j]; }
        for (int i = 0; i < 4; i++) for (int j = 0; j < 2; j++) p[i][j] = x[i] * h[j][i];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                s[i][j] = i == j ? m[0] : 0.0;
                for (int k = 0; k < 4; k++)
                    s[i][j] += h[i][k] * p[k][j];
            }
        x[0] += s[0][0] - s[0][1] * s[1][0];
    }
    int main(void) {
        double x[4] = {1, 2, 3, 4}, m[4] = {4, 3, 2, 1};
        for (int t = 0; t < 1000000; t++) { m[t & 3] *= 0.5; correct(x, m); }
        printf("%g", x[0]);
    }"""
    assert "#pragma omp parallel" not in program_of(text, "openmp").files["sized.c"]
