"""`--with NAME`: transformations that their measures decline, sums in a fixed order, and wrong names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Program, SkeletonError, compile_unit
from skeletons.program.requested import unmade
from skeletons.schedule.pipelines.registry import NEST_PASSES, requestable
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.cuvier.commands.test_cli_commands import PROGRAM, Cuvier, cuvier  # noqa: F401  (a fixture)
from transfers import around_kernels

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

DECLINED = {  # nests in which a transformation is legal and not thought to be worthwhile
    "jam": "for (int i = 0; i < 400; i++) for (int j = 0; j < 400; j++) A[i][j] = B[i][j] + 1;",
    "fuse": """for (int i = 0; i < n; i++) x[i] = 1; for (int i = 0; i < n; i++) y[i] = 2;
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[j][i] = 2;""",
    "strip": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] += 1;",
    "interchange": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = 2 * A[i][j];",
    "contract": """for (int i = 0; i < 400; i++) for (int j = 0; j < 8; j++)
        for (int k = 0; k < 400; k++) C[i][j] += A[i][k] * B[k][j];""",
    "distribute": "for (int i = 0; i < n; i++) { x[i] = z[i]; y[i] = z[i] + 1; C[i][0] = 1; }",
}
ILLEGAL = {
    "jam": "for (int i = 1; i < 400; i++) for (int j = 0; j < 399; j++) A[i][j] = A[i - 1][j + 1] + 1;",
    "fuse": """for (int i = 0; i < n; i++) x[i] = y[i]; for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[j][i] = 2;""",
    "interchange": "for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) A[i][j] = A[i - 1][j + 1];",
    "time-tile": "for (int t = 0; t < 50; t++) for (int i = 1; i < 399; i++) x[i] = x[i - 1] + x[i + 1];",
}


def compiled(text: str, target: str = "openmp", *wanted: str, **options: object) -> Program:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=target == "openmp"))
    flags = CompileOptions(wanted=frozenset(wanted), **options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), target, Library.load(), flags)


def steps(body: str, *wanted: str) -> set[str]:
    text = f"""double A[400][400], B[400][400], C[90000][400], x[90000], y[90000], z[90000];
        void f(int n, int m) {{ {body} }}"""
    return {step for choice in compiled(text, "openmp", *wanted).choices for step in choice.steps}


@pytest.mark.parametrize("name", DECLINED)
def test_what_the_measure_declines_can_be_asked_for(name: str) -> None:
    assert name not in steps(DECLINED[name])
    assert name in steps(DECLINED[name], name)


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_is_illegal_is_not_made(name: str) -> None:
    assert name not in steps(ILLEGAL[name], name)


def test_time_tiles_that_no_cache_holds() -> None:
    sweep = "for (int i = 2; i < 58; i++) for (int j = 1; j < 199999; j++) {} = {} + {};"
    sweeps = sweep.format("B[i][j]", "A[i - 2][j]", "A[i + 2][j]")
    sweeps += sweep.format("A[i][j]", "B[i - 2][j]", "B[i + 2][j]")
    arrays = "double A[60][200000], B[60][200000];"
    long_rows = f"{arrays} void f(void) {{ for (int t = 0; t < 50; t++) {{ {sweeps} }} }}"
    for wanted in ((), ("time-tile",)):
        made = {step for choice in compiled(long_rows, "openmp", *wanted).choices for step in choice.steps}
        assert ("time-tile" in made) == bool(wanted)


def test_names_that_were_asked_for_in_vain() -> None:
    program = compiled("double x[9]; void f(void) { for (int i = 0; i < 9; i++) x[i] = i; }", "openmp", "jam")
    assert unmade(["jam", "deterministic"], program.choices) == ["jam"]


@pytest.mark.parametrize(
    ("target", "wanted", "without", "message"),
    [
        ("openmp", "unroll", (), r"no 'unroll'; it takes contract, dead-steps, deterministic, .*time-tile"),
        ("openmp", "vectorise", (), "wherever that is legal"),
        ("openmp", "jam", ("jam",), "--with jam and --without jam contradict each other"),
        ("opencl", "jam", (), "target opencl has no 'jam'; it takes deterministic"),
        ("c", "deterministic", (), "nothing can be switched on"),
    ],
)
def test_names_that_are_refused(target: str, wanted: str, without: tuple[str, ...], message: str) -> None:
    with pytest.raises(SkeletonError, match=message):
        compiled("void f(void) {}", target, wanted, without=frozenset(without))


def test_every_target_lists_what_it_takes() -> None:
    library = Library.load()
    nests = {name for name, each in requestable(library.target("openmp")).items() if each.can_be_forced}
    assert {"jam", "fuse", "contract"} < nests < NEST_PASSES
    assert not requestable(library.target("c"))


# --- sums in a fixed order ---

SUMS = """#include <stdio.h>
#define N 30011
double a[N], m[401][37]; float f[N];
int main(void)
{
    int i, j, count = 0;
    double s = 0.25, t = 0, p = 1, big = -1, small = 1e9;
    float g = 0;
    for (i = 0; i < N; i++) { a[i] = 1.0 / (i % 977 + 1); f[i] = a[i]; }
    for (i = 0; i < 401; i++) for (j = 0; j < 37; j++) m[i][j] = a[i] / (j + 3);
    for (i = 0; i < N; i++) { s += a[i]; count += a[i] > 0.125; }
    for (i = 0; i < 401; i++) for (j = 0; j < 37; j++) t += m[i][j] * a[j];
    for (i = N - 1; i >= 0; i--) { g += f[i]; p *= 1 + a[i] / N; }
    for (i = 0; i < N; i++) { if (a[i] > big) big = a[i]; if (a[i] < small) small = a[i]; }
    printf("%.17g %.17g %.17g %.17g %.17g %.9g %d\\n", s, t, p, big, small, g, count);
    return 0;
}
"""


def ran(folder: Path, text: str, threads: int) -> str:
    (folder / "p.c").write_text(text)
    flags = ["-O2", "-fopenmp", "-Wall", "-Werror", "-Wno-unused-variable"]
    subprocess.run(["gcc", *flags, "-o", "p", "p.c"], cwd=folder, check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "true"}
    return subprocess.run(
        ["./p"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


@needs_gcc
def test_sums_are_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    text = compiled(SUMS, "openmp", "deterministic", without=frozenset({"threshold"})).files["p.c"]
    assert text.count("_parts[256]") == 6
    assert "reduction(+:count)" in text  # which is exact
    results = {ran(tmp_path, text, threads) for threads in (1, 2, 3, 7, 7, 7)}
    assert len(results) == 1
    expected, got = ran(tmp_path, SUMS, 1).split(), results.pop().split()
    for one, other in zip(expected, got, strict=True):
        assert float(one) == pytest.approx(float(other), rel=1e-5)
    assert got[3:5] == expected[3:5]
    assert got[-1] == expected[-1]


@needs_gcc
@pytest.mark.parametrize("count", [-3, 0, 1, 2, 255, 256, 257, 1000])
def test_parts_of_loops_of_any_length(count: int, tmp_path: Path) -> None:
    source = f"""#include <stdio.h>
        double a[2000]; int n = {count};
        int main(void) {{
            for (int i = 0; i < 2000; i++) a[i] = i;
            double s = 0.5; unsigned u = 5; double t = 0;
            for (int i = 0; i < n; i++) s += a[i];
            for (u = 5; u < (unsigned)(n < 0 ? 0 : n); u++) t += a[u];
            printf("%.17g %.17g\\n", s, t); }}"""
    text = compiled(source, "openmp", "deterministic").files["p.c"]
    assert ran(tmp_path, text, 3) == ran(tmp_path, source, 1)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) h[k[i] & 7] += a[i];",  # a histogram
        "for (int i = 0; i < n; i++) h[3] += a[i];",  # a cell
        "for (int i = 0; i < n; i += 3) s += a[i];",  # in no parts
        "for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) h[j] += a[i] * j;",
    ],
)
def test_what_has_no_fixed_order_stays_with_one_thread(body: str) -> None:
    text = f"double a[4000], h[8], s; int k[4000]; void f(int n) {{ {body} }}"
    made = compiled(text, "openmp", "deterministic").files["p.c"]
    assert "reduction" not in made.replace("omp simd reduction", "")
    assert "for" in made


@pytest.mark.parametrize(
    "body",
    [
        """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i] += A[i][j] * z[j];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += A[i][j] * z[i];""",
        """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < n; k++)
            C[i][j] += A[i][k] * B[k][j];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += C[i][j];""",
    ],
    ids=["sums of columns", "a sum behind a product"],
)
def test_threads_have_no_sums_of_their_own_in_nests(body: str) -> None:
    text = f"""double A[400][400], B[400][400], C[400][400], x[400], y[400], z[400], s;
        void f(int n, int m) {{ {body} }}"""
    assert "reduction(" in compiled(text).files["p.c"].replace("simd reduction(", "")
    made = compiled(text, "openmp", "deterministic").files["p.c"]
    assert "reduction(" not in made.replace("simd reduction(", "")
    assert "#pragma omp" in made


def test_whole_numbers_are_combined_as_ever() -> None:
    text = "int a[4000], h[8], s; void f(int n) { for (int i = 0; i < n; i++) s += a[i]; }"
    assert compiled(text, "openmp", "deterministic").files == compiled(text).files


def test_templates_of_others_must_keep_the_order(tmp_path: Path) -> None:
    folder = tmp_path / "openmp"
    folder.mkdir()
    (folder / "mine.yaml").write_text(
        "name: mine\ntarget: openmp\nsummary: x\nspecies: '* -> *'\npriority: 99\n"
        "templates: {host: mine.j2}\n"
    )
    (folder / "mine.j2").write_text(
        "#pragma omp parallel for{% for c in clauses %} {{ c }}{% endfor %}\n\n{{ host.loop }}\n"
    )
    text = "double a[400000], s; void f(int n) { for (int i = 0; i < n; i++) s += a[i]; }"
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    chosen = []
    for wanted in (frozenset[str](), frozenset({"deterministic"})):
        library, options = Library.load([tmp_path]), CompileOptions(wanted=wanted)
        program = compile_unit(unit, facts, around_kernels(facts), "openmp", library, options)
        chosen += [choice.skeleton.name for choice in program.choices if choice.skeleton]
    assert chosen == ["mine", "reduction"]


@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_atomic_sums_of_rounded_numbers_are_refused_on_devices(target: str) -> None:
    histogram = "{0} a[4000], h[8]; int k[4000]; void f(void) {{ {1} }}"
    loop = "for (int i = 0; i < 4000; i++) h[k[i] & 7] += a[i];"
    for element, expected in (("double", None), ("int", "combine")):
        (choice,) = compiled(histogram.format(element, loop), target, "deterministic").choices
        assert (choice.skeleton.name if choice.skeleton else None) == expected
    total = "double a[4000], s; void f(void) { for (int i = 0; i < 4000; i++) s += a[i]; }"
    (choice,) = compiled(total, target, "deterministic").choices
    assert choice.skeleton is not None
    assert choice.skeleton.name == "reduction"


def test_on_the_command_line(cuvier: Cuvier) -> None:  # noqa: F811
    Path("p.c").write_text(PROGRAM)
    words = ["compile", "p.c", "--target", "openmp", "-o", "out"]
    done = cuvier(*words, "--with", "jam", "--with", "deterministic")
    assert (done.status, done.err.count("warning: --with jam:")) == (0, 1)
    done = cuvier(*words, "--with", "jamm")
    assert done.status == 2
    assert "cuvier: error: --with jamm: target openmp has no 'jamm'; it takes contract" in done.err
    listed = cuvier("skeletons", "list", "--target", "openmp").out
    assert "--with deterministic" in listed
