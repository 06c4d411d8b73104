"""Nests in another order compute the same: random ones, and some of which each transformation is known to
be made.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from models.errors import SkeletonError
from skeletons import CompileOptions, Library, Program, compile_unit
from skeletons.schedule.pipelines.registry import NEST_PASSES, check_names
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.nests.fuzz import Tally, run
from tests.skeletons.program.test_sizes import program_of
from transfers import around_kernels

MADE = {
    "distribute": """for (int i = 0; i < n; i++) { x[i] = 0;
        for (int j = 0; j < m; j++) A[j][i] = 2 * A[j][i]; }""",
    "interchange": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = 2 * A[j][i];",
    "fuse": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = 2 * A[i][j];
        for (int k = 0; k < n; k++) for (int j = 1; j < m; j++) B[k][j] = A[k][j] + 1;""",
    "gather": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i] += A[i][j] * z[j];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += A[i][j] * z[i];""",
    "strip": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += A[i][j] * z[i];",
    "jam": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i] += A[i][j] * z[j];",
    "time-tile": """for (int t = 0; t < 50; t++) {
        for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) B[i][j] = A[i - 1][j] + A[i + 1][j];
        for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) A[i][j] = B[i][j]; }""",
    "tile": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[j][i] = A[i][j];",
    "unify": """for (int i = 0; i < n; i++) { for (int j = i; j < n; j++) A[i][j] += 2 * B[i][j];
        for (int k = 0; k < i; k++) A[i][k] += 2 * B[i][k]; }""",
    "left-looking": """for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) {
        for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
        A[i][j] /= A[j][j] + 2; } x[i] = A[i][i]; }""",
    "panels": """for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) {
        for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
        A[i][j] /= A[j][j]; }
        for (int j = i; j < n; j++) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }""",
    "contract": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { C[i][j] *= s;
        for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }""",
}
LEFT = {  # what looks alike, and must stay in its order
    "a recurrence along the outer loop": """for (int i = 1; i < n; i++) for (int j = 1; j < m; j++)
        A[i][j] = A[i - 1][j + 1] + A[i][j - 1];""",
    "a triangle whose columns need the row before": """for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[i - 1][k + 1];
            A[i][j] /= A[j][j] + 2; }
        A[i][i] = A[i][0]; }""",
    "a value that the next row needs": """for (int i = 1; i < n; i++) { x[i] = A[i - 1][m];
        for (int j = 0; j < m; j++) A[i][j] = x[i] + j; A[i][m] = A[i][0]; }""",
}

APART = {  # what must not become one loop
    "they have cells in common": ("j = i", "k <= i"),
    "they do something else": ("A[i][k] += 2", "A[i][k] += 3"),
    "they read another row": ("2 * B[i][k]", "2 * B[i + 1][k]"),
    "a macro names the iterator": ("B[i][k]", "B[i][k] + COLUMN"),
}

INNER = "for (int j = 0; j < m; j++) A[j][i] += 2;"
NO_NESTS = {  # what no set describes
    "continue": f"for (int i = 0; i < n; i++) {{ if (x[i] > 1) continue; y[i] = 1; {INNER} }}",
    "a switch": f"for (int i = 0; i < n; i++) {{ switch (n) {{ case 1: x[i] = 3; break; }} {INNER} }}",
    "two starts": f"int i; for (i = 0, s = 5; i < n; i++) {INNER}",
    "no start": f"int i = 0; for (; i < n; i++) {INNER}",
    "an effect in the condition": f"for (int i = 0; i < (s = n, n); i++) {INNER}",
}


def compiled(body: str, **options: object) -> Program:
    """The function made of some nests, compiled for OpenMP."""
    text = f"""double A[4000][4000], B[4000][4000], C[4000][4000];
        double x[4000000], y[4000000], z[4000000], s; int size;
        void f(int n, int m) {{ {body} }}"""
    unit = read_translation_unit("nests.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    flags = CompileOptions(**options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), flags)


def steps(program: Program) -> list[str]:
    """The transformations that were made."""
    return [
        step
        for choice in program.choices
        for name, taken, reason in choice.why
        if name == "nests" and taken
        for step in reason.split(", ")
    ]


@pytest.mark.parametrize("name", MADE)
def test_is_made(name: str) -> None:
    others = frozenset({"gather"} if name == "fuse" else ())  # which does the same and more
    assert name in steps(compiled(MADE[name], without=others))


@pytest.mark.parametrize("name", MADE)
def test_can_be_left_out(name: str) -> None:
    assert name not in steps(compiled(MADE[name], without=frozenset({name})))


def test_repeated_sums_are_no_columns() -> None:
    nest = """for (int t = 0; t < n; t++) { for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) x[i] += A[i][k] * B[k][i]; y[t] = x[3]; }"""
    assert "panels" not in steps(compiled(nest))


@pytest.mark.parametrize("name", LEFT)
def test_is_not_made(name: str) -> None:
    assert not set(steps(compiled(LEFT[name]))) & {
        "interchange",
        "left-looking",
        "time-tile",
        "contract",
        "gather",
    }


TWINS = {  # the same words, which mean something else
    "iterators of another type": "A[i][{0}] += ({0} - i) / 2 * B[i][{0}];",
    "a variable of the other iterator's name": "A[i][{0}] += j * B[i][{0}];",
}


@pytest.mark.parametrize("text", TWINS.values(), ids=TWINS)
def test_the_same_words_need_not_mean_the_same(text: str) -> None:
    types = ("int", "unsigned") if "/ 2" in text else ("int", "int")
    body = f"""int j = n; for (int i = 0; i < 400; i++) {{
        for ({types[0]} j = 100; j < 400; j++) {text.format("j")}
        for ({types[1]} k = 0; k < 100; k++) {text.format("k")} }}"""
    assert "unify" not in steps(compiled(body))


@pytest.mark.parametrize("name", APART)
def test_stays_apart(name: str) -> None:
    before, after = APART[name]
    body = MADE["unify"].replace("k < i" if after == "k <= i" else before, after)
    found = compiled(body.replace("for (int i", "\n#define COLUMN k\nfor (int i", 1))
    assert "unify" not in steps(found)


@pytest.mark.parametrize("name", NO_NESTS)
def test_is_no_static_control_part(name: str) -> None:
    assert not steps(compiled(NO_NESTS[name]))


def test_a_bound_that_another_nest_writes() -> None:
    nest = "for (int i = 0; i < size; i++) for (int j = 0; j < m; j++) A[j][i] += 2;"
    writer = "for (int k = 0; k < m; k++) size = k;"
    text = f"double A[400][400]; int size; void f(int m) {{ {nest} {writer} {nest} }}"
    facts = analyse(read_translation_unit("n.c", PreprocessOptions(), text=text), AnalysisOptions(scops=True))
    assert all(len(scop.nodes) == 1 for scop in facts.scops)


def test_nests_in_a_loop_that_threads_share() -> None:
    text = compiled("""for (int i = 0; i < n; i++) { if (x[i] > 0) continue;
        for (int k = 0; k < 8; k++) for (int j = 0; j < m; j++) C[i][j] += A[k][j]; }""")
    assert text.files["nests.c"].count("#pragma omp parallel") == 1


@pytest.mark.parametrize("name", ["gather", "contract"])
def test_strict_sums_keep_their_order(name: str) -> None:
    program = compiled(MADE[name], strict_fp=True)
    assert name not in steps(program)
    assert "reduction(" not in program.files["nests.c"]


def test_eliminations_stay_around_the_rows_that_threads_share() -> None:
    """Columns cannot be cut into strips here: each needs one of those before it."""
    text = compiled("""for (int k = 0; k < 400; k++) for (int i = k + 1; i < 400; i++)
        for (int j = k + 1; j < 400; j++) A[i][j] -= A[i][k] * A[k][j] * 0.1;""").files["nests.c"]
    words = " ".join(text.split())
    assert words.index("for (int k") < words.index("#pragma omp for") < words.index("i = k + 1")


def test_rows_may_begin_anywhere() -> None:
    program = compiled("for (int i = m; i < n; i++) for (int j = 0; j < 300; j++) x[i] += A[i][j] * z[j];")
    assert ("jam",) in [choice.steps for choice in program.choices]
    assert "x_sum7 += A[i " in program.files["nests.c"]


def test_branches_are_nests_of_their_own() -> None:
    text = compiled("""if (s > 1) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = 1;
        else for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = 2;""").files["nests.c"]
    assert "else" in text
    assert text.count("for (int j") == text.count("for (int i") == 2


def test_new_loops_do_not_take_names_that_statements_use() -> None:
    body = MADE["time-tile"].replace("B[i][j] = A", "B[i][j] = t_block + i_gap * A")
    text = compiled(f"int t_block = n, i_gap = m; {body}").files["nests.c"]
    assert "i_gap_ +=" in text
    assert "t_block_ +=" in text


def test_joined_loops_do_not_take_names_that_statements_use() -> None:
    body = """for (int size = 0; size < n; size++) x[size] = A[size][3];
        for (int k = 0; k < n; k++) y[k] = x[k] * size;"""
    assert "y[size_] = x[size_] * size;" in compiled(body).files["nests.c"]


def test_sizes_that_are_part_of_numbers_cannot_be_changed() -> None:
    nest = MADE["jam"].replace("i < n", "i < N")
    body = f"}}\n#define N 300\nvoid g(int m) {{ {nest}"
    assert "_Static_assert(N == 300" in compiled(body).files["nests.c"]


def test_helpers_of_the_same_name_are_not_hidden() -> None:
    assert not steps(compiled("int cuvier_min = n; x[0] = cuvier_min;" + MADE["strip"]))


def test_variables_without_users_are_mentioned() -> None:
    text = compiled("int i, j; for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[j][i] = 1;").files["nests.c"]
    assert "(void)i; (void)j;" in text


def test_every_transformation_is_described() -> None:
    assert set(MADE) <= NEST_PASSES
    with pytest.raises(SkeletonError, match="unknown transformation 'polish'"):
        check_names(["polish"])


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("seed", "strict_fp"), [(1, False), (2, True), (3, False)])
def test_random_nests(seed: int, strict_fp: bool, tmp_path: Path) -> None:
    tally = Tally()
    run(list(range(1000 * seed, 1000 * seed + 2)), tmp_path, tally, CompileOptions(strict_fp=strict_fp))
    assert not tally.wrong, tally.wrong[0]
    assert tally.changed


def test_tiles_know_what_is_serial_inside() -> None:
    """Both phases of a tiled stencil hold its loops: what one says of them must not come from the other."""
    text = compiled(
        """for (int t = 0; t < 50; t++) {
           for (int i = 1; i < 399; i++) for (int j = 1; j < 399; j++)
             B[i][j] = A[i - 1][j] + A[i + 1][j] + B[i][j - 1];
           for (int i = 1; i < 399; i++) for (int j = 1; j < 399; j++) A[i][j] = B[i][j]; }"""
    ).files["nests.c"]
    lines = [line.strip() for line in text.splitlines()]
    recurrences = [k for k, line in enumerate(lines) if line.startswith("B[i][j] =")]
    assert len(recurrences) == 2
    assert not any("simd" in lines[k - 2] for k in recurrences)


def test_what_stays_as_it_is_is_not_written_twice() -> None:
    """Pointers that may overlap are no reason to ask, where either answer leads to the same loops."""
    text = """double A[60][60], v[60];
void f(int n, int m, double *p)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      v[(i * m) % 4 + 3] += A[i][j];
      p[j] = A[n - 1][j];
    }
}
"""
    unit = read_translation_unit("nests.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    library = Library.load()
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", library, CompileOptions())
    assert made.files["nests.c"] == text


def test_regions_ask_for_loops_inside_of_statements() -> None:
    """What threads do between two meetings hangs on both: `m` may be small, and `n` large."""
    text = """void f(int n, int m, double *restrict x, double *restrict y, int *restrict from, double (*restrict a)[m]) {
    for (int t = 1; t < n; t++) {
        for (int i = 0; i < m; i++) { double best = -1; int who = 0;
            for (int k = 0; k < m; k++) { double v = x[k] + a[k][i]; if (v > best) { best = v; who = k; } }
            y[i] = best; from[t * m + i] = who; }
        for (int i = 0; i < m; i++) x[i] = y[i] * 0.5; } }"""  # noqa: E501
    [directive] = re.findall(r"#pragma omp parallel.*", program_of(text, "openmp").files["sized.c"])
    assert directive.startswith("#pragma omp parallel if((double)m * m > ")


def test_nests_that_are_entered_often_stand_twice() -> None:
    text = """double A[900][900], B[900][900], s;
    static void step(int n, int m)
    { for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) A[i][j] = B[i][j] + A[i][j]; }
    int main(int argc, char **argv)
    { for (int t = 0; t < 5000; t++) step(argc, argc * 2); return A[1][1] > 3; }
    """
    made = program_of(text, "openmp").files["sized.c"]
    assert re.search(r"if \(.*m \* n > .*\) \{\n#pragma omp parallel for\n", made)
    assert "} else {\nfor (int j = 0;" in made


BODIES = """#include <stddef.h>
typedef struct { double at[3], mass; } body;
double energy(const body *b, size_t n) { double kin = 0, pot = 0;
for (size_t i = 0; i < n; i++) { kin += b[i].mass; for (size_t j = i + 1; j < n; j++) {
    double r = 1; for (int k = 0; k < 3; k++) { double d = b[i].at[k] - b[j].at[k]; r += d * d; }
    pot -= b[i].mass / r; } } return kin + pot; }"""


def test_sums_beside_other_statements_are_shared() -> None:
    program = program_of(BODIES, "openmp")
    assert "distribute" in steps(program) and "for reduction(+:pot) sched" in program.files["sized.c"]


def test_sums_that_threads_share_stay_shared() -> None:
    """Two statements add to one variable: the loop is shared as it is, and no nest is made that is not."""
    program = program_of(
        BODIES.replace("pot", "kin").replace(", kin = 0", "").replace("kin + kin", "kin"), "openmp"
    )
    assert not steps(program) and "parallel for reduction(+:kin)" in program.files["sized.c"]
