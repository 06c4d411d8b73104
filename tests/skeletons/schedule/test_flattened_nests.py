"""Nests over flattened arrays, `A[i*w + j]` with a length of rows that only the run knows, are transformed
like those over arrays with two dimensions, and compute the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Program, compile_unit
from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts import Scop
from species.source import PreprocessOptions, read_translation_unit
from species.source.text.code import accesses, names_in
from species.source.text.edits import Edit, apply_edits
from tests.nests import compared
from tests.skeletons.schedule.test_transformed_nests import LEFT, MADE, steps
from transfers import around_kernels

NESTS = MADE | {
    "right-looking": """for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
          for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
          A[i][j] /= 1 + A[j][j] * A[j][j]; }
        for (int j = i; j < n; j++) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }""",
    "split": """for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
        A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];""",
}
POINTERS = ("restrict ", "")
LENGTHS = {"A": 2, "B": 2, "C": 2, "x": 1, "y": 1, "z": 1}


def flat(body: str, row: str = "w") -> str:
    """The nests with flattened matrices."""
    for name in "ABC":
        found = [a for a in accesses(body, name) if a.subscripts]
        edits = [Edit(a.span, f"{name}[({a.subscripts[0]})*{row} + {a.subscripts[1]}]") for a in found]
        body = apply_edits(body, edits)
    return body


def function(name: str, body: str, qualifier: str, row: str = "w") -> str:
    arrays = "".join(f", double *{qualifier}{array}" for array in LENGTHS if array in names_in(body))
    return f"void {name}(int n, int m, int w{arrays})\n{{\n  {flat(body, row)}\n}}\n"


def program(text: str, **options: object) -> Program:
    unit = read_translation_unit("flat.c", PreprocessOptions(), text="double s; int size;\n" + text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    flags = CompileOptions(**{"without": frozenset({"threshold"}), **options})  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), flags)


def scops(text: str) -> tuple[Scop, ...]:
    unit = read_translation_unit("flat.c", PreprocessOptions(), text=text)
    return tuple(analyse(unit, AnalysisOptions(scops=True)).scops)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("qualifier", POINTERS)
@pytest.mark.parametrize("name", NESTS)
def test_is_made(name: str, qualifier: str) -> None:
    others = frozenset({"gather"} if name == "fuse" else ())  # which does the same and more
    assert name in steps(program(function("f", NESTS[name], qualifier), without=others))


@pytest.mark.parametrize("name", LEFT)
def test_is_not_made(name: str) -> None:
    made = steps(program(function("f", LEFT[name], "restrict ")))
    assert not set(made) & {"interchange", "time-tile", "contract", "gather"}


def test_memory_that_was_allocated() -> None:
    text = program(f"""#include <stdlib.h>
        int main(int argc, char **argv) {{
          int n = atoi(argv[1]), w = n;
          double *A = malloc(n * n * sizeof *A), *B = malloc(n * n * sizeof(double));
          for (int i = 0; i < n * n; i++) A[i] = B[i] = i;
          {flat(MADE["time-tile"].replace("m", "n"))}
          return A[3] > 7; }}""")
    assert "time-tile" in steps(text)


def test_subscripts_stay_as_they_were_written() -> None:
    text = program(function("f", MADE["interchange"], "restrict ")).files["flat.c"]
    assert "A[(j)*w + i] = 2 * A[(j)*w + i];" in text


def test_what_is_written_is_said_in_cells_of_the_array() -> None:
    """`cuvier verify` finds out by that how large an array is."""
    made = program("""void f(int n, int m, int w, int off, double *restrict A) {
      for (int i = 0; i < n; i++) for (int j = 2; j < m; j++) A[j*w + i + off] *= 2; }""")
    [array] = made.choices[0].kernel.arrays
    assert [(r.low, r.high) for r in array.writes or ()] == [
        ("off + (long)2 * w", "off + (long)(m - 1) * w + (n - 1)")
    ]


# What has to be tested

COLUMNS = "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) A[i][j] = 2 * A[i][j];"
TESTS = {
    "rows of another length": (flat(COLUMNS), ("w >= m",)),
    "rows of just that length": (flat(COLUMNS, "m"), ()),
    "a part of a matrix": (flat(COLUMNS).replace("+ j", "+ n + j"), ("w >= m",)),
    "a halo": (flat(COLUMNS, "(m+2)").replace("+ j", "+ 1 + j"), ()),
    "backwards": (flat(COLUMNS, "m").replace("+ j", "+ m - 1 - j"), ()),
    "only read": (flat("for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) x[i] += A[i][j];"), ()),
    "three dimensions": (
        """for (int k = 0; k < m; k++) for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)
             A[(i*n + j)*w + k] *= 2;""",
        ("w >= m",),
    ),
}


@pytest.mark.parametrize("name", TESTS)
def test_rows_that_are_long_enough(name: str) -> None:
    body, tests = TESTS[name]
    [scop] = scops(f"void f(int n, int m, int w, double *restrict A, double *restrict x) {{ {body} }}")
    assert scop.conditions == tests
    assert next(a for a in scop.arrays if a.name == "A").rows


WITHOUT_ROWS = {
    "a column too many": flat(COLUMNS.replace("j < m", "j <= m"), "m"),
    "a column from memory": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i*n + (int)x[j]] = 1;",
    "another use": flat(COLUMNS, "m") + " A[n] = 3; for (int i = 0; i < n * m; i++) A[i] += 1;",
    "a length that changes": "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) A[i*i + j] = 1;",
}


@pytest.mark.parametrize("name", WITHOUT_ROWS)
def test_what_has_no_rows(name: str) -> None:
    found = scops(f"void f(int n, int m, double *restrict A, double *restrict x) {{ {WITHOUT_ROWS[name]} }}")
    last = [a for scop in found[-1:] for a in scop.arrays if a.name == "A"]
    assert all(not array.rows for array in last)


def test_nests_that_use_an_array_otherwise_are_apart() -> None:
    """As one, the nests would have to make do without rows."""
    fill = "for (int i = 0; i < n * m; i++) A[i] = 1;"
    found = scops(f"void f(int n, int m, double *restrict A) {{ {fill} {flat(COLUMNS, 'm')} {fill} }}")
    assert [bool(scop.arrays[0].rows) for scop in found] == [False, True, False]


def test_neighbours_whose_pointers_may_overlap_are_tested_together() -> None:
    [scop] = scops(f"void f(int n, int m, int w, double *A, double *x, double *y, double *z) {{"
                   f" {flat(MADE['gather'])} }}")  # fmt: skip
    assert len(scop.nodes) == 2
    pairs = {tuple(sorted(set(names_in(test)) & set(LENGTHS))) for test in scop.conditions}
    assert pairs == {("A", "x"), ("A", "y"), ("x", "y"), ("x", "z"), ("y", "z")}


def test_neighbours_are_on_their_own_where_no_test_tells_what_they_reach() -> None:
    """The second nest has a bound that the first one writes."""
    first = "for (int i = 0; i < m; i++) { size = i; for (int j = 0; j < m; j++) x[j] += y[j] + i; }"
    second = "for (int i = 0; i < size; i++) for (int j = 0; j < m; j++) y[j] += x[j];"
    found = scops(f"int size; void f(int m, double *x, double *y) {{ {first} {second} }}")
    assert all(len(scop.nodes) == 1 for scop in found)


def test_sizes_that_a_pointer_may_reach() -> None:
    """If it does, cells are elsewhere once the nest has written there."""
    nest = "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) A[i*w + j + off] = 2;"
    [scop] = scops(f"int w, off; void f(int n, int *A) {{ {nest} }}")
    assert [word for word in ("&w", "&off") if any(word in test for test in scop.conditions)] == [
        "&w",
        "&off",
    ]


def test_copies_for_threads() -> None:
    """What is left in an array with rows that only the run knows is not copied back."""
    text = """double y;
        void f(int m, double *restrict A) {
          double t[4096];
          for (int i = 0; i < 64; i++) {
            for (int j = 0; j < 20; j++) for (int k = 0; k < 20; k++) t[j*m + k] = A[i*m + k] + j;
            for (int k = 0; k < 20; k++) A[i*m + k] = t[3*m + k]; }
          y = t[3]; }"""
    assert "privatise" not in steps(program(text))


# They compute the same

SIZES = ((0, 0, 4), (1, 1, 4), (5, 9, 12), (40, 33, 40), (33, 40, 41), (40, 40, 20), (24, 40, 0))
CELLS, MOST = 4096, 64


def whole_program() -> Iterator[str]:
    """All nests at several sizes; rows are also too short, and pointers that may overlap do."""
    yield "#include <stdio.h>\n#include <stdlib.h>\nstatic double *memory[6];\nstatic double s = 2;\n"
    yield f"""static void fill(void) {{
      for (int k = 0; k < 6; k++)
        for (int i = 0; i < {CELLS}; i++) memory[k][i] = (i * (k + 3)) % 5; }}
    static void show(const char *name) {{
      double sum = 0;
      for (int k = 0; k < 6; k++)
        for (int i = 0; i < {CELLS}; i++) sum = 0.75 * sum + memory[k][i];
      printf("%s %a\\n", name, sum); }}\n"""
    calls = []
    for number, (name, body) in enumerate(NESTS.items()):
        used = [k for k, array in enumerate(LENGTHS) if array in names_in(body)]
        for qualifier in POINTERS:
            called = f"{'own' if qualifier else 'any'}{number}"
            yield function(called, body, qualifier)
            arguments = ", ".join(f"memory[{k}]" for k in used)
            calls.append(f'fill(); {called}(n, m, w, {arguments}); show("{name} {called}");')
            if not qualifier:
                moved = ", ".join(f"memory[0] + {7 * k}" for k in used)
                calls.append(f'fill(); {called}(n, m, w, {moved}); show("{name} moved");')
    sizes = ", ".join(f"{{{', '.join(map(str, size))}}}" for size in SIZES)
    yield f"""int main(void) {{
      const int sizes[][3] = {{{sizes}}};
      for (int k = 0; k < 6; k++) memory[k] = malloc({CELLS} * sizeof(double));
      for (int k = 0; k < {len(SIZES)}; k++) {{
        int n = sizes[k][0], m = sizes[k][1], w = sizes[k][2];
        {" ".join(calls)} }}
      return 0; }}\n"""


@pytest.mark.long
def test_they_compute_the_same(tmp_path: Path) -> None:
    text = "".join(whole_program())
    after = compared.compiled(text)
    assert after.count("#pragma omp parallel") > len(NESTS)
    assert compared.printed(after, tmp_path, "-ffp-contract=off") == compared.printed(text, tmp_path)
