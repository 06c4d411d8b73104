"""Kernels made one: what may, what pays, and the text of it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fusions.fuzz import compare

from cuvier.pipeline.base.reading import Reader
from cuvier.pipeline.fusion import Fused, fused
from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import FUSE
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
HEAD = "#define N 100\ndouble A[N + 9], B[N + 9], C[N + 9], D[N + 9], P[N][N], Q[N][N], R[N][N]; int K[N];\n"
HEAD += "enum { E = 3, F = 4, G = 9 }; typedef short idx;\n"


def fusion(path: Path, *, everything: bool = True) -> Fused:
    flags, options = PreprocessOptions(), AnalysisOptions()
    reader = Reader(str(path), flags, options)
    return fused(reader(path.read_text()), reader, (), {}, everything=everything)


LINE = "for (int i = 0; i < n; i++)"  # `@` in what follows


def made(body: str, folder: Path, parameters: str = "int n", *, everything: bool = True) -> Fused:
    """What becomes of the loops in a function's body."""
    source = folder / "app.c"
    text = f"{HEAD}#include <stdlib.h>\ndouble f({parameters})\n{{\n{body}\n}}\n"
    source.write_text(text.replace("@", LINE))
    return fusion(source, everything=everything)


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


# Each of these becomes one loop.
LEGAL = {
    "the same header": (
        "for (int i = 0; i < N; i++) B[i] = A[i]; for (int j = 0; j <= N - 1; ++j) C[j] = B[j]; return 0;",
        "{ { B[i] = A[i]; } { int j = i; C[j] = B[j]; } }",
    ),
    "two loops each": (
        "int i, j; for (i = 0; i < N; i++) for (j = 0; j < i; j++) P[i][j] = 1;"
        " for (j = 0; j < N; j++) for (int k = 0; k < j; k++) Q[j][k] = P[j][k]; return 0;",
        None,  # j is the name of an inner, then of an outer loop
    ),
    "triangles": (
        "for (int i = 0; i < N; i++) for (int j = 0; j < i; j++) P[i][j] = 1;"
        " for (int k = 0; k < N; k++) for (int m = 0; m < k; m++) Q[k][m] = P[k][m]; return 0;",
        "for (int j = 0; j < i; j++) { { P[i][j] = 1; } { int k = i; int m = j; Q[k][m] = P[k][m]; } }",
    ),
    "shifted": (
        "@ B[i] = 1; for (int i = 1; i <= n; i++) C[i] = B[i - 1]; return 0;",
        "{ int i_1 = i + 1; { int i = i_1; C[i] = B[i - 1]; } }",
    ),
    "one shorter": (
        "@ B[i] = 1; for (int i = 2; i < n - 1; i++) C[i] = B[i]; return 0;",
        "{ { B[i] = 1; } if (i >= 2 && i < n - 1) { C[i] = B[i]; } }",
    ),
    "each has iterations of its own": (
        "for (int i = 0; i < n - 2; i++) B[i] = 1; for (int i = 2; i < n; i++) C[i] = B[i]; return 0;",
        "@ { if (i < n - 2) { B[i] = 1; } if (i >= 2) { C[i] = B[i]; } }",
    ),
    "a statement between": (
        "@ B[i] = 1; double s = n * 2; @ s += B[i]; return s;",
        "double s = n * 2; @ { { B[i] = 1; } { s += B[i]; } }",
    ),
    "a bound that is a sum of bits": (
        "for (int i = n & 1; i < n; i++) B[i] = 1;"
        " for (int i = (n & 1) + 2; i < n; i++) C[i] = B[i]; return 0;",
        "{ { B[i] = 1; } if (i >= ((n & 1) + 2)) { C[i] = B[i]; } }",
    ),
    "a start in a macro": (
        "\n#define LOW n & 1\n n++; for (int i = LOW; i < n; i++) B[i] = 1;"
        " for (int i = LOW; i < n - 1; i++) C[i] = B[i]; return 0;",
        "{ { B[i] = 1; } if (i < n - 1) { C[i] = B[i]; } }",
    ),
    "two declarators between": (
        "@ B[i] = 1; double s = n, u = 2; @ s += B[i] * u; return s;",
        "double s = n, u = 2; @ { { B[i] = 1; } { s += B[i] * u; } }",
    ),
    "two sums": (
        "double s = 0; @ s += A[i]; @ s += B[i]; return s;",
        "{ { s += A[i]; } { s += B[i]; } }",
    ),
    "a variable of each": (
        "double t; @ { t = A[i]; B[i] = t; } @ { t = B[i]; C[i] = t; } return t;",
        "{ { t = A[i]; B[i] = t; } { t = B[i]; C[i] = t; } }",
    ),
    "comments stay": (
        "@ // first\n B[i] = 1; /* then */\n@ C[i] = B[i]; return 0;",
        "// first { { B[i] = 1; } /* then */ { C[i] = B[i]; } }",
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_loops_that_become_one(name: str, tmp_path: Path) -> None:
    body, text = LEGAL[name]
    found = made(body, tmp_path)
    assert [f.fused for f in found.fusions] == [text is not None]
    assert text is None or text.replace("@", LINE) in flat(found.text.text)
    assert found.text.text.count("\n") == found.text.original.count("\n")


# Each of these stays two loops, and this is why.
ILLEGAL = {
    "a later cell": (
        "@ B[i] = 1; @ C[i] = B[i + 1]; return 0;",
        "'B[i + 1]' is read, and written as 'B[i]' by a later iteration",
    ),
    "what the first leaves": (
        "double t = 0; @ { t = A[i]; B[i] = t; } @ C[i] = t; return t;",
        "'t' carries a value from one loop to the other",
    ),
    "the sum of the first": (
        "double s = 0; @ s += A[i]; @ C[i] = s; return s;",
        "'s' carries a value from one loop to the other",
    ),
    "sums of two kinds": (
        "int s = 0; for (int i = 0; i < N; i++) s += K[i]; for (int i = 0; i < N; i++) s ^= K[i]; return s;",
        "'s' carries a value from one loop to the other",
    ),
    "the bound": (
        "int m = 0; for (int i = 0; i < N; i++) m += K[i]; for (int i = 0; i < m; i++) C[i] = 1; return 0;",
        "'m' carries a value from one loop to the other",
    ),
    "the iterator's last value": (
        "int i; for (i = 0; i < n; i++) B[i] = 1; for (int j = 0; j < n; j++) C[j] = i; return 0;",
        "'i' carries a value from one loop to the other",
    ),
    "another variable of the iterator's name": (
        "int i = 7; @ B[i] = 1; for (int j = 0; j < n; j++) C[j] = i; return 0;",
        "'i' is the first loop's iterator",
    ),
    "an iterator that is looked at": (
        "int i; for (i = 0; i < n - 1; i++) B[i] = 1; for (i = 1; i < n; i++) C[i] = B[i - 1]; return i;",
        "their loops have different iterations",
    ),
    "other steps": (
        "@ B[i] = 1; for (int i = 0; i < n; i += 2) C[i] = B[i]; return 0;",
        "their loops have different iterations",
    ),
    "unsigned bounds": (
        "for (unsigned i = 0; i < m - 1; i++) B[i] = 1;"
        " for (unsigned i = 1; i < m; i++) C[i] = B[i]; return 0;",
        "their loops have different iterations",
    ),
    "an inner bound that moves with the shift": (
        "for (int i = 0; i < N - 1; i++) for (int j = 0; j < i; j++) P[i][j] = 1;"
        " for (int i = 1; i < N; i++) for (int j = 0; j < i; j++) Q[i][j] = P[i - 1][j]; return 0;",
        "by a later iteration",  # with a guard, this is a dependence; shifted, the inner loops differ
    ),
    "cells set between": (
        "@ B[i] = 1; A[3] = 2; @ C[i] = A[i]; return 0;",
        "it cannot move past the statements between them: 'A[3]' is written, and may be read as 'A[i]'",
    ),
    "what the first computes, used between": (
        "double s = 0, u; @ s += A[i]; u = s; @ C[i] = u; return 0;",
        "it cannot move past the statements between them: 'u' is written, and read",
    ),
    "continue": (
        "@ { if (A[i] > 1) continue; B[i] = 1; } @ C[i] = A[i]; return 0;",
        "end early",
    ),
    "a line's number between": (
        "\n#define HERE (__LINE__ + 1)\n n++; @ B[i] = 1;\n int s = HERE;\n @ C[i] = B[i] + s; return 0;",
        "'__LINE__' would mean something else",
    ),
    "a directive": (
        "@ B[i] = 1;\n#ifndef NO\n@ C[i] = B[i];\n#endif\nreturn 0;",
        "a preprocessor directive or macro is in between",
    ),
    "a last value, from loops of different length": (
        "double t; @ { t = A[i]; B[i] = t; } for (int i = 0; i < n - 1; i++) { t = B[i]; C[i] = t; }"
        " return t;",
        "their loops have different iterations",
    ),
    "an enumerator of the iterator's name": (
        "for (int E = 0; E < n; E++) B[E] = 1; @ C[i] = B[i] + E; return 0;",
        "'E' is the first loop's iterator",
    ),
    "a declaration that would hide a constant": (
        "@ B[i] = E; int E = 5; @ C[i] = B[i] + E; return 0;",
        "the statements between them cannot move before them",
    ),
    "a declaration that would hide a type": (
        "@ B[i] = sizeof(idx); int idx = 5; @ C[i] = B[i] + idx; return 0;",
        "the statements between them cannot move before them",
    ),
    "bounds that only look equal": (
        "for (int i = 0; i < F; i++) for (int F = 0; F < 5; F++) P[i][F] = 1;"
        " for (int a = 0; a < G; a++) for (int G = 0; G < 5; G++) Q[a][G] = 1; return 0;",
        "their loops have different iterations",
    ),
    "far apart": (
        "for (int i = 0; i < 3; i++) B[i] = 1; for (int i = 1; i < 90; i++) C[i] = B[i]; return 0;",
        "their loops have different iterations",
    ),
    "a macro between": (
        "\n#define NOTHING\n n++; @ B[i] = 1; NOTHING @ C[i] = B[i]; return 0;",
        "a preprocessor directive or macro is in between",
    ),
    "depth": (
        "for (int i = 0; i < N; i++) B[i] = 1;"
        " for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) P[i][j] = B[i]; return 0;",
        "1 loops and 2",
    ),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_loops_that_stay_two(name: str, tmp_path: Path) -> None:
    body, why = ILLEGAL[name]
    found = made(body, tmp_path, "int n, unsigned m" if name == "unsigned bounds" else "int n")
    assert len(found.fusions) == 1 and not found.fusions[0].fused
    assert why in found.fusions[0].why
    assert found.text.text == found.text.original


def test_what_has_moved_stays_when_a_third_loop_joins(tmp_path: Path) -> None:
    loops = "@ B[i] = 1; double s = 4; @ C[i] = B[i] + s; double t = 5; @ D[i] = C[i] + t;"
    found = made(loops + " return 0;", tmp_path)
    assert [f.fused for f in found.fusions] == [True, True]
    text = flat(found.text.text)
    assert "double s = 4" in text and "double t = 5" in text and text.count("for (") == 1


def test_a_directive_may_be_a_digraph(tmp_path: Path) -> None:
    found = made("@ {\n%:pragma STDC FP_CONTRACT OFF\nB[i] = 1; } @ C[i] = B[i]; return 0;", tmp_path)
    assert [f.fused for f in found.fusions] == [False]
    assert "a preprocessor directive" in found.fusions[0].why


NARROW = [  # the iterator's type does not hold every start
    "for (short i = w; i < 9; i++) B[i] = 1; for (short i = w + 2; i < 9; i++) C[i] = B[i];",
    "for (int i = v; i < 9; i++) B[i] = 1; for (int i = v + 2; i < 9; i++) C[i] = B[i];",
    "for (int i = w + 1L; i < 9; i++) B[i] = 1; for (int i = w + 2L; i < 9; i++) C[i] = B[i];",
    "for (signed char i = 256; i < 9; i++) B[i] = 1; for (signed char i = 257; i < 9; i++) C[i] = B[i];",
    "for (int i = 4294967296; i < 9; i++) B[i] = 1; for (int i = 4294967297; i < 9; i++) C[i] = B[i];",
]


@pytest.mark.parametrize("loops", NARROW)
def test_starts_that_a_conversion_changes_are_not_compared(loops: str, tmp_path: Path) -> None:
    found = made(f"{loops} return 0;", tmp_path, "int w, long v")
    assert [f.fused for f in found.fusions] == [False]


def test_starts_of_narrow_iterators(tmp_path: Path) -> None:
    loops = "for (short i = 1; i < 9; i++) B[i] = 1; for (short i = 2; i < 9; i++) C[i] = B[i];"
    assert [f.fused for f in made(f"{loops} return 0;", tmp_path).fusions] == [True]


def test_characters_are_no_names(tmp_path: Path) -> None:
    loops = """for (int i = 0; i < 9; i++) for (int k = 0; k < 'i'; k++) P[i][k] = 1;
        for (int j = 0; j < 9; j++) for (int k = 0; k < 'j'; k++) P[j][k] += 2;"""
    found = made(f"{loops} return 0;", tmp_path)
    assert [f.fused for f in found.fusions] == [False]


def test_pointers_are_compared_first(tmp_path: Path) -> None:
    """Where they may overlap, both loops stand behind the fused one."""
    body = "for (int i = 0; i < n; i++) q[i] = p[i]; for (int i = 0; i < n; i++) r[i] = q[i]; return 0;"
    found = made(body, tmp_path, "int n, double *p, double *q, double *r")
    text = flat(found.text.text)
    assert [f.fused for f in found.fusions] == [True]
    assert re.search(r"if \(.*q.*<=.*r.*\) \{ for .* else \{ for .* for ", text)


CONTRACTED = {
    "an array": "double t[N]; {}",
    "an array that stays between calls": "static double t[N]; {}",
    "memory": "double *t = malloc(N * sizeof *t); if (t == NULL) return 1; {} free(t);",
}


@pytest.mark.parametrize("name", CONTRACTED)
def test_arrays_that_become_variables(name: str, tmp_path: Path) -> None:
    loops = "for (int i = 0; i < N; i++) t[i] = A[i]; for (int i = 0; i < N; i++) B[i] = t[i] + t[i];"
    found = made(CONTRACTED[name].replace("{}", loops) + " return 0;", tmp_path)
    assert "double t_1; { t_1 = A[i]; } { B[i] = t_1 + t_1; }" in flat(found.text.text)
    assert "'t'" in found.fusions[0].why


def test_a_size_in_a_body_hides_no_other_use(tmp_path: Path) -> None:
    loops = "@ t[i] = A[i]; @ B[i] = t[i] + sizeof(t[i]);"
    assert "t_1" not in made(f"double t[N]; {loops} return t[3];", tmp_path).text.text
    assert "t_1" in made(f"double t[N]; {loops} return 0;", tmp_path).text.text


@pytest.mark.parametrize(
    "body",
    [
        "double t[N]; {} return t[3];",
        "double t[N]; double *p = t; {} return *p;",
        "double t[N] = {1}; {} return 0;",
        "double t[N]; {} return sizeof(char[(int)t[3]]);",
        "double t[N]; {} int v[n][n]; return sizeof v[(int)t[3]];",
    ],
)
def test_arrays_that_stay(body: str, tmp_path: Path) -> None:
    loops = "for (int i = 0; i < N; i++) t[i] = A[i]; for (int i = 0; i < N; i++) B[i] = t[i];"
    found = made(body.replace("{}", loops), tmp_path)
    assert "t_1" not in found.text.text


MEETING = [  # cells of which several iterations may be the owner
    "for (int i = 0; i < N; i++) t[i * k] = A[i]; for (int i = 0; i < N; i++) B[i] = t[i * k];",
    "for (int i = 0; i < N; i++) t[k] = A[i]; for (int i = 0; i < N; i++) B[i] = t[k];",
    "for (int i = 0; i < N; i++) t[5] = A[i]; for (int i = 0; i < N; i++) B[i] = t[5];",
    "for (int i = 0; i < N; i++) t[i / 2] = A[i]; for (int i = 0; i < N; i++) B[i] = t[i / 2];",
    """for (int i = 0; i < N; i++) for (int j = 0; j < m; j++) t[i * k + j] = P[i][j];
       for (int i = 0; i < N; i++) for (int j = 0; j < m; j++) Q[i][j] = t[i * k + j];""",
]


@pytest.mark.parametrize("loops", MEETING)
@pytest.mark.parametrize("array", ["double t[N * N];", "double *t = malloc(N * N * sizeof *t);"])
def test_cells_that_may_meet_stay(loops: str, array: str, tmp_path: Path) -> None:
    found = made(f"{array} {loops} return 0;", tmp_path, "int k, int m")
    assert "t_1" not in found.text.text
    assert not any(f.fused for f in found.fusions) or "if (" in found.text.text


def test_elements_that_are_not_always_written_stay(tmp_path: Path) -> None:
    loops = (
        "for (int i = 0; i < N; i++) if (A[i] > 1) t[i] = A[i];"
        " for (int i = 0; i < N; i++) if (A[i] > 1) B[i] = t[i];"
    )
    found = made(f"double t[N]; {loops} return 0;", tmp_path)
    assert "t_1" not in found.text.text and found.fusions[0].fused


@pytest.mark.parametrize(
    "loops",
    [
        "@ t[i] = A[i]; for (int k = 0; k < n; k++) { int i = n - 1 - k; C[k] = t[i]; }",
        "@ { int k = n - 1 - i; t[k] = A[i]; } for (int k = 0; k < n; k++) C[k] = t[k];",
        "\n#define NOTHING(x)\n#define IT t[i]\n n++; @ { t[i] = A[i]; NOTHING(t[i]) } @ C[i] = IT;",
    ],
)
def test_elements_that_only_look_the_same_stay(loops: str, tmp_path: Path) -> None:
    assert "t_1" not in made(f"double t[N]; {loops} return 0;", tmp_path).text.text


def test_lines_stay_where_they_are(tmp_path: Path) -> None:
    body = (
        "double t[N]; for (int i = 0;\n i < N; i++) t[i\n + 0] = A[i];"
        " for (int i = 0; i < N; i++)\n B[i] = t[i\n];\n"
        "for (int i\n = 1; i < n; i++) C[i] = 1; for (int i = 2; i <\n n - 1; i++) D[i] = C[i];"
    ).replace("\n", "\r\n")
    found = made(f"{body} return 0;", tmp_path)
    assert sum(f.fused for f in found.fusions) == 2 and "t_1" in found.text.text
    assert found.text.text.count("\n") == found.text.original.count("\n")


def test_chains_through_arrays_become_one(tmp_path: Path) -> None:
    names = [f"t{k}" for k in range(7)]
    loops = "".join(
        f"for (int i = 0; i < N; i++) {b}[i] = {a}[i] * 2; "
        for a, b in zip(["A", *names], [*names, "B"], strict=True)
    )
    found = made(f"double {', '.join(f'{name}[N]' for name in names)}; {loops} return 0;", tmp_path)
    assert found.text.text.count("for (") == 1
    assert all(f"double {name}_1;" in found.text.text for name in names)


def test_what_does_not_pay_is_left(tmp_path: Path) -> None:
    loops = "@ B[i] = A[i]; @ D[i] = C[i]; return 0;"
    assert made(loops, tmp_path).fusions[0].fused
    found = made(loops, tmp_path, everything=False)
    assert not found.fusions[0].fused and "share no data" in found.fusions[0].why


def test_few_iterations_save_a_launch(tmp_path: Path) -> None:
    loops = "for (int i = 0; i < N; i++) B[i] = A[i]; for (int i = 0; i < N; i++) D[i] = C[i]; return 0;"
    found = made(loops, tmp_path, everything=False)
    assert found.fusions[0].fused and "saves a launch" in found.fusions[0].why


@pytest.mark.parametrize(
    ("loops", "why"),
    [
        (f"@ B[i] = A[i]{' * 0.5' * 20}; @ C[i] = B[i]; return 0;", "they compute more than they move"),
        ("double s = 0; @ B[i] = A[i]; @ s += B[i]; return s;", "reductions have their own skeleton"),
    ],
)
def test_what_saves_bytes_and_no_time_is_left(loops: str, why: str, tmp_path: Path) -> None:
    found = made(loops, tmp_path, everything=False)
    assert not found.fusions[0].fused and why in found.fusions[0].why


def test_algorithm_4_1_and_the_analyser_agree_on_its_figures() -> None:
    """Figures 4.11 and 4.12 of seed 003: all pairs but the shifted one."""
    equal, far = (fusion(CORPUS / "figures" / f"fig_4_{k}.c").fusions for k in (11, 12))
    inside = [
        f for f in (*equal, *far) if f.lines in ((14, 17), (26, 29), (38, 41), (17, 22), (32, 37), (47, 50))
    ]
    assert [(f.fused, f.by_tuples) for f in inside] == [(k != 2, k != 2) for k in range(6)]


@pytest.mark.parametrize(("options", "launches"), [((), 1), (("without",), 2), (("wanted",), 1)])
def test_fusion_in_programs(options: tuple[str, ...], launches: int, tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text(
        f"{HEAD}void f(void)\n{{\n  for (int i = 0; i < N; i++) B[i] = A[i];\n"
        "  for (int i = 0; i < N; i++) C[i] = B[i];\n}\n"
    )
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    chosen = CompileOptions(**{name: frozenset({FUSE}) for name in options})  # type: ignore[arg-type]
    program = generate(unit, analyse(unit, analysis), "opencl", Library.load(), flags, analysis, chosen)
    assert len(re.findall(r"app_k\d+\(", program.files["app.c"])) == launches
    assert [loop.position.line for loop in program.replaced] == [6, 7][:launches]
    assert program.replaced[0].spans and program.replaced[0].spans.whole.of(unit.source.text).startswith(
        "for"
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_neighbours(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


def test_the_text_compiles_without_warnings(tmp_path: Path) -> None:
    for k, (body, _) in enumerate(LEGAL.values()):
        folder = tmp_path / str(k)
        folder.mkdir()
        found = made(body, folder)
        (folder / "new.c").write_text(found.text.text)
        subprocess.run(
            [
                "gcc",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unused",
                "-Wno-unused-parameter",
                "-Wno-misleading-indentation",
                "-c",
                "new.c",
            ],
            cwd=folder,
            check=True,
        )
