"""The test vectors of theory.md section 6, figure by figure (seed 003, chapter 3)."""

from __future__ import annotations

import pytest

from species import AnalysisOptions, analyse
from species.facts.loops import Characterisation, LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_in, only_loop


def five(item: Characterisation) -> tuple[str, str, str, str, str]:
    """(N, A, D, E, S) as the seed writes it."""
    domain = ",".join(f"[{r.low}..{r.high}]" for r in item.domain)
    if len(item.domain) > 1:
        return (
            item.name,
            item.access,
            f"<{domain}>",
            f"<{','.join(item.elements)}>",
            f"<{','.join(item.step)}>",
        )
    return item.name, item.access, domain, item.elements[0], item.step[0]


def tuples(loop: LoopFacts) -> set[tuple[str, str, str, str, str]]:
    return {five(c) for c in loop.characterisations}


def six(loop: LoopFacts, name: str, access: str = "r") -> list[tuple[str, str]]:
    """S and X of an array's 6-tuples; in `<1|0,0|1>` bars part the loops, commas the dimensions."""
    found = []
    for item in loop.characterisations:
        if item.name == name and item.access == access:
            dimensions = zip(*item.loop_steps, strict=True)
            steps = ",".join("|".join(d) for d in dimensions)
            found.append((f"<{steps}>", "|".join(item.repetition)))
    return found


def exactness(loop: LoopFacts, name: str, access: str) -> bool:
    return all(c.exact for c in loop.characterisations if (c.name, c.access) == (name, access))


def test_figure_3_13() -> None:
    loop = only_loop("for (int i = 2; i <= 7; i++) B[i-2] = A[i];", "int A[8], B[6];")
    assert tuples(loop) == {("A", "r", "[2..7]", "1", "1"), ("B", "w", "[0..5]", "1", "1")}


@pytest.mark.parametrize(
    "loop", ["for (i = 0; i < 3; i++) H[i] = G[2*i];", "for (i = 0; i < 6; i += 2) H[i/2] = G[i];"]
)
def test_figure_3_14(loop: str) -> None:
    assert tuples(only_loop(loop, "int G[6], H[3];")) == {
        ("G", "r", "[0..4]", "1", "2"),
        ("H", "w", "[0..2]", "1", "1"),
    }


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < 4; i++) { int s = 0; for (j = 0; j < 2; j++) s += P[2*i+j]; Q[i] = s; }",
        "for (i = 0; i < 4; i++) Q[i] = P[2*i] + P[2*i+1];",
    ],
)
def test_figure_3_15(loop: str) -> None:
    found = only_loop(loop, "int P[8], Q[4];")
    assert tuples(found) == {("P", "r", "[0..7]", "2", "2"), ("Q", "w", "[0..3]", "1", "1")}
    assert str(found.species) == "P[0:7]|chunk(0:1) -> Q[0:3]|element"


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) S[i*8+j] = R[i][j] + T[i];",
        "for (k = 0; k < 64; k++) S[k] = R[k/8][k%8] + T[k/8];",
    ],
)
def test_figure_3_16(loop: str) -> None:
    found = only_loop(loop, "int R[8][8], S[64], T[8];")
    assert tuples(found) == {
        ("R", "r", "<[0..7],[0..7]>", "<1,1>", "<1/8,1>"),
        ("S", "w", "[0..63]", "1", "1"),
        ("T", "r", "[0..7]", "1", "1/8"),
    }
    assert str(found.species) == "R[0:7,0:7]|element ^ T[0:7]|element -> S[0:63]|element"


def test_figure_3_17() -> None:
    body = "for (i = 0; i < 32; i++) { r[i] = 0; for (j = 0; j < 64; j++) r[i] += M[i][j] * v[j]; }"
    loop = only_loop(body, "double M[32][64], v[64], r[32];")
    assert ("M", "r", "<[0..31],[0..63]>", "<1,64>", "<1,0>") in tuples(loop)
    assert str(loop.species) == "M[0:31,0:63]|chunk(-,0:63) ^ v[0:63]|full -> r[0:31]|element"


def test_figure_3_18() -> None:
    loop = only_loop("for (i = 1; i < 7; i++) W[i] = V[i-1] + V[i] + V[i+1];", "int V[8], W[8];")
    assert tuples(loop) == {("V", "r", "[0..7]", "3", "1"), ("W", "w", "[1..6]", "1", "1")}
    assert str(loop.species) == "V[0:7]|neighbourhood(-1:1) -> W[1:6]|element"


FIGURE_3_19 = "int K[7]; void f(void) { for (int i = 1; i < 6; i += 2) K[i] = (K[i-1] + K[i+1]) / 2; }"


def test_figure_3_19_merged_over_the_hole() -> None:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=FIGURE_3_19)
    loop = analyse(unit).loops[0]
    assert ("K", "r", "[0..6]", "3", "2") in tuples(loop)
    assert not exactness(loop, "K", "r")
    assert str(loop.species) == "K[0:6]|neighbourhood(-1:1) -> K[1:5]|element"


def test_figure_3_19_without_a_hole() -> None:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=FIGURE_3_19)
    loop = analyse(unit, AnalysisOptions(t_gap=0)).loops[0]
    assert {t for t in tuples(loop) if t[1] == "r"} == {
        ("K", "r", "[0..4]", "1", "2"),
        ("K", "r", "[2..6]", "1", "2"),
    }
    assert exactness(loop, "K", "r")


def test_figure_3_21_bound_by_enumeration() -> None:
    loop = only_loop("for (i = 0; i < 8 - i*i; i++) H[0] = G[i];", "int G[8], H[1];")
    assert tuples(loop) == {("G", "r", "[0..2]", "1", "1"), ("H", "w", "[0..0]", "1", "0")}


def test_figure_3_21_condition() -> None:
    loop = only_loop("for (i = 0; i < 8; i++) if (P[i] > 12) P[i] = 0;", "int P[8];")
    assert ("P", "w", "[0..7]", "1", "1") in tuples(loop)
    assert not exactness(loop, "P", "w") and exactness(loop, "P", "r")


def test_figure_3_21_references() -> None:
    loop = only_loop("for (i = 0; i < 8; i++) S[T[i]] = R[i*i];", "unsigned char T[8]; int R[64], S[256];")
    assert tuples(loop) == {
        ("T", "r", "[0..7]", "1", "1"),
        ("R", "r", "[0..49]", "1", "1"),
        ("S", "w", "[0..255]", "256", "0"),
    }
    assert exactness(loop, "T", "r")
    assert not exactness(loop, "R", "r") and not exactness(loop, "S", "w")


def test_figure_3_21_while() -> None:
    loop = only_loop("i = 0; while (i < 8) { B[i] = A[i]; i = i + A[i]; }", "int A[8], B[8];")
    assert loop.characterisations == () and loop.verdict is Verdict.SERIAL


def test_figure_3_23() -> None:
    plain = only_loop("for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) E[i][j] = 0;", "int E[8][8];")
    tiled = only_loop(
        """for (int ii = 0; ii < 8; ii += 2) for (int jj = 0; jj < 8; jj += 2)
             for (i = ii; i < ii + 2; i++) for (j = jj; j < jj + 2; j++) E[i][j] = 0;""",
        "int E[8][8];",
    )
    assert str(plain.species) == str(tiled.species) == "void -> E[0:7,0:7]|element"
    assert six(plain, "E", "w") == [("<1|0,0|1>", "8|8")]
    assert six(tiled, "E", "w") == [("<2|0|1|0,0|2|0|1>", "4|4|2|2")]


def test_figure_3_24() -> None:
    body = "for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) Y[i][j] = X[i*8+j] + X[j*8+i];"
    loop = only_loop(body, "int X[64], Y[8][8];")
    assert sorted(six(loop, "X")) == [("<1|8>", "8|8"), ("<8|1>", "8|8")]
    assert six(only_loop("for (k = 0; k < 64; k++) Z[k] = X[k];", "int X[64], Z[64];"), "X") == [
        ("<1>", "64")
    ]


def test_figure_3_25() -> None:
    body = "for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) D[i][j] = A[i][j] + B[j][i];"
    loop = only_loop(body, "int A[8][8], B[8][8], D[8][8];")
    assert six(loop, "A") == [("<1|0,0|1>", "8|8")]
    assert six(loop, "B") == [("<0|1,1|0>", "8|8")]
    diagonal = only_loop("for (i = 0; i < 8; i++) d[i] = C[i][i];", "int C[8][8], d[8];")
    assert six(diagonal, "C") == [("<1,1>", "8")]


def test_figure_3_26() -> None:
    body = """for (i = 0; i < N; i++) for (j = 0; j < N; j++) {
                B[i][j] *= beta;
                for (k = 0; k <= M; k++) B[i][j] += alpha * A[i][k] * A[j][k];
              }"""
    loop = only_loop(body, "int N, M; double alpha, beta, A[64][64], B[64][64];")
    assert str(loop.species) == (
        "B[0:N-1,0:N-1]|element ^ A[0:N-1,0:M]|chunk(-,0:M) ^ A[0:N-1,0:M]|chunk(-,0:M)"
        " -> B[0:N-1,0:N-1]|element"
    )
    first, second = [c for c in loop.characterisations if c.name == "A"]
    assert [s[:2] for s in (first.loop_steps, second.loop_steps)] == [
        (("1", "0"), ("0", "0")),
        (("0", "0"), ("1", "0")),
    ]
    assert first.elements == second.elements == ("1", "M+1")
    assert first.repetition[:2] == ("N", "N")


def test_figure_3_27() -> None:
    loop = only_loop("for (i = 7; i >= 0; i--) D[i] = C[i] + C[7-i];", "int C[8], D[8];")
    assert sorted(s for s, _ in six(loop, "C")) == ["<-1>", "<1>"]
    assert {t for t in tuples(loop) if t[0] == "C"} == {
        ("C", "r", "[0..7]", "1", "-1"),
        ("C", "r", "[0..7]", "1", "1"),
    }


def test_figure_3_28() -> None:
    names = "int F[8][8], G[8], H[8], J[8];"
    triangle = only_loop("for (i = 0; i < 8; i++) for (j = 0; j <= i; j++) F[i][j] = 1;", names)
    assert not exactness(triangle, "F", "w")
    assert triangle.verdict is Verdict.PARALLEL
    random = only_loop("for (i = 0; i < 8; i++) G[rand() % 8] = 1;", names + "int rand(void);")
    assert not exactness(random, "G", "w")
    quarter = only_loop("for (i = 0; i < 8; i++) J[i] = H[i/4];", names)
    assert ("H", "r", "[0..1]", "1", "1/4") in tuples(quarter) and exactness(quarter, "H", "r")
    shifted = only_loop("for (i = 0; i < 8; i++) J[i] = H[(i+1)/4];", names)
    assert not exactness(shifted, "H", "r")


def test_figure_3_10() -> None:
    loop = only_loop("for (i = 1; i < 127; i++) m[i] = a[i-1] + a[i] + a[i+1];", "int a[128], m[128];")
    assert str(loop.species) == "a[0:127]|neighbourhood(-1:1) -> m[1:126]|element"


def test_figure_3_11_last_nest_of_reg_detect() -> None:
    body = "for (j = 1; j < M; j++) for (i = j; i < M; i++) path[j][i] = path[j-1][i-1] + mean[j][i];"
    outer, inner = loops_in(body, "int M, path[64][64], mean[64][64];")
    assert outer.verdict is Verdict.SERIAL and inner.verdict is Verdict.PARALLEL


def test_figure_3_12_triangular_nest_of_covariance() -> None:
    body = """for (j = 0; j < M; j++) for (k = j; k < M; k++) {
                s[j][k] = 0;
                for (i = 0; i < N; i++) s[j][k] += data[i][j] * data[i][k];
                s[k][j] = s[j][k];
              }"""
    outer, inner, _ = loops_in(body, "int M, N; double s[64][64], data[64][64];")
    assert outer.verdict is Verdict.PARALLEL and inner.verdict is Verdict.PARALLEL
