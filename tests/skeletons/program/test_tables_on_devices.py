"""Tables of rows on accelerators (`--comm auto`): what they compute, and what is copied."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from programs import table_fuzz
from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.pipeline.generate import generate
from cuvier.report.plan import as_values, planned
from runtime import sources_for
from skeletons import CompileOptions, Library, Program, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.accelerated import Written, build_opencl, build_plain, build_shim, has_opencl, run

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n"
ROWS = """static double **table(int n, int m)
{
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++)
    a[i] = malloc(m * sizeof **a);
  return a;
}
static void end(double **a, int n) { for (int i = 0; i < n; i++) free(a[i]); free(a); }
static double total(double **a, int n, int m)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s = s * 0.5 + a[i][j];
  return s;
}
"""
STENCIL = """void fill(double **a, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = i + 0.5 * j;
}
void smooth(double **to, double **from, int n, int m)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}
"""


def generated(text: str, folder: Path, target: str, comm: str) -> Program:
    source = folder / "app.c"
    source.write_text(text)
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    options = CompileOptions(comm=comm)  # type: ignore[arg-type]
    return generate(unit, analyse(unit, analysis), target, Library.load(), flags, analysis, options)


def made(text: str, folder: Path, target: str = "opencl", comm: str = "auto") -> Written:
    program = generated(text, folder, target, comm)
    write_program(program, folder / target)
    return Written("app", folder / target, program.choices)


def check(
    text: str, folder: Path, kernels: int, launched: int | None = None, targets: tuple[str, ...] = ()
) -> dict[str, dict[str, int]]:
    """Bytes by array and direction; what is printed is compared."""
    quiet = ["-Wno-unused-parameter", "-Wno-unused-function"]
    found: dict[str, dict[str, int]] = {}
    plain = run(build_plain_quiet(text, folder, quiet))
    for target in targets or (("opencl",) if has_opencl() else ("cuda",)):
        if target == "opencl" and not has_opencl():
            continue
        program = made(text, folder, target)
        assert len(program.skeletons) == kernels, [choice.why for choice in program.choices]
        binary = (build_opencl if target == "opencl" else build_shim)(program, ["-DCUVIER_POISON", *quiet])
        counters = folder / f"{target}.json"
        assert run(binary, CUVIER_OPENCL_COPY="1", CUVIER_COUNTERS=str(counters)) == plain
        counted = json.loads(counters.read_text())
        assert launched is None or sum(counted["launches"].values()) == launched
        for copy in counted["copies"]:
            found.setdefault(copy["array"], {})[copy["direction"]] = copy["bytes"]
    return found


def build_plain_quiet(text: str, folder: Path, quiet: list[str]) -> Path:
    (folder / "app.c").write_text(text)
    return build_plain(folder / "app.c", folder, quiet)


pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def test_rows_that_were_allocated_one_by_one(tmp_path: Path) -> None:
    text = f"""{HEAD}{ROWS}{STENCIL}int main(void)
{{
  double **a = table(40, 30), **b = table(40, 30);
  fill(a, 40, 30); fill(b, 40, 30);
  for (int t = 0; t < 4; t++) {{ smooth(b, a, 40, 30); smooth(a, b, 40, 30); a[3][t] = t; }}
  printf("%f %f\\n", total(a, 40, 30), total(b, 40, 30));
  end(a, 40); end(b, 40);
  return 0;
}}
"""
    found = check(text, tmp_path, 2, 10, ("opencl", "cuda"))
    places, element = 8 * (40 + 40), 8  # of fill, and of rows that smooth reads
    assert found["a"]["in"] == places + 3 * element  # the last of the four has no reader
    assert found["to"] == {"in": 2 * 38 * 8}
    assert found["a"]["out"] == 2 * 40 * 30 * 8 - 2 * element  # a[3][0] and a[3][3] are the host's


def test_rows_in_one_block_are_one_unit(tmp_path: Path) -> None:
    text = f"""{HEAD}{STENCIL}int main(void)
{{
  enum {{ N = 20, M = 10 }};
  double *cells = calloc(2 * N * M, sizeof *cells), sum = 0;
  double **a = malloc(N * sizeof *a), **b = malloc(N * sizeof *b);
  for (int i = 0; i < N; i++) {{ a[N - 1 - i] = cells + i * M; b[i] = cells + (N + i) * M; }}
  fill(a, N, M);
  smooth(b, a, N, M);
  for (int k = 0; k < 2 * N * M; k++) sum = sum * 0.75 + cells[k];
  printf("%f\\n", sum);
  free(cells); free(a); free(b);
  return 0;
}}
"""
    found = check(text, tmp_path, 2, 2)
    assert found == {"a": {"in": 20 * 8, "out": (20 * 10 + 18 * 8) * 8}, "to": {"in": 18 * 8}}


def test_rows_of_different_lengths(tmp_path: Path) -> None:
    """Rows that end where the loop does: no other cells are copied, which the shim's sanitizer sees."""
    text = f"""{HEAD}int main(void)
{{
  double **a = malloc(50 * sizeof *a), *s = malloc(50 * sizeof *s);
  for (int i = 0; i < 50; i++) a[i] = malloc((i + 1) * sizeof **a);
  for (int i = 0; i < 50; i++)
    for (int j = 0; j <= i; j++)
      a[i][j] = i - 0.5 * j;
  for (int i = 0; i < 50; i++) {{
    double t = 0;
    for (int j = 0; j <= i; j++)
      t += a[i][j];
    s[i] = t;
  }}
  printf("%f %f\\n", s[49], s[7]);
  for (int i = 0; i < 50; i++) free(a[i]);
  free(a); free(s);
  return 0;
}}
"""
    found = check(text, tmp_path, 2, 2, ("opencl", "cuda"))
    assert found["a"]["out"] == 50 * 51 // 2 * 8


def test_rows_of_declared_arrays(tmp_path: Path) -> None:
    text = f"""{HEAD}{STENCIL}static double cells[20][10], others[20][10];
int main(void)
{{
  double *a[20], *b[20];
  for (int i = 0; i < 20; i++) {{ a[i] = cells[i]; b[i] = others[i]; }}
  fill(a, 20, 10);
  smooth(b, a, 20, 10);
  printf("%f %f\\n", b[3][4], a[1][1]);
  return 0;
}}
"""
    found = check(text, tmp_path, 2, 2, ("cuda",))
    assert found == {"a": {"in": 160, "out": 8}, "to": {"in": 18 * 8, "out": 8}}


def test_rows_that_nobody_knows_stay_on_the_host(tmp_path: Path) -> None:
    text = f"""#define _GNU_SOURCE
#include <sys/mman.h>
{HEAD}{STENCIL}static double plain[10];
int main(void)
{{
  double *a[20], *b[20], *cells = mmap(0, 3200, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 20; i++) {{ a[i] = cells + 10 * i; b[i] = a[i] + 200; }}
  for (int i = 0; i < 10; i++) plain[i] = i;
  fill(a, 20, 10);
  smooth(b, a, 20, 10);
  printf("%f %f %f\\n", b[3][4], a[1][1], plain[2]);
  return 0;
}}
"""
    assert check(text, tmp_path, 3, 1, ("cuda",)) == {"plain": {"out": 80}}


def test_tables_that_are_empty_or_change(tmp_path: Path) -> None:
    """No table at all for no iteration; rows that were never allocated; rows that change places."""
    text = f"""{HEAD}{STENCIL}int main(void)
{{
  double **a = malloc(9 * sizeof *a), **b = calloc(9, sizeof *b), *row;
  smooth(NULL, NULL, 2, 100);
  fill(NULL, 0, 5);
  fill(b, 9, 0);
  for (int i = 0; i < 9; i++) {{ a[i] = malloc(6 * 8); if (i && i < 8) b[i] = calloc(6, 8); }}
  fill(a, 9, 6);
  smooth(b, a, 9, 6);
  row = a[2]; a[2] = b[5]; b[5] = row;
  smooth(b, a, 9, 6);
  a[4] = realloc(a[4], 1000);
  fill(a, 9, 6);
  for (int i = 1; i < 8; i++) for (int j = 1; j < 5; j++) printf("%f ", b[i][j] - a[i][j]);
  for (int i = 0; i < 9; i++) {{ free(a[i]); free(b[i]); }}
  free(a); free(b);
  return 0;
}}
"""
    check(text, tmp_path, 2)


def test_rows_that_overlap_stay_in_order(tmp_path: Path) -> None:
    """A row of the one table is a row of the other, one cell further on: the loop's order matters."""
    text = f"""{HEAD}{STENCIL}int main(void)
{{
  double **a = malloc(9 * sizeof *a), **b = malloc(9 * sizeof *b), *cells = malloc(9 * 20 * 8);
  for (int i = 0; i < 9; i++) {{ a[i] = cells + i * 20; b[i] = a[i] + 1; }}
  fill(a, 9, 20);
  smooth(b, a, 9, 18);
  for (int i = 0; i < 180; i++) printf("%f ", cells[i]);
  free(a); free(b); free(cells);
  return 0;
}}
"""
    check(text, tmp_path, 2, 1)


def test_beside_data_that_stays(tmp_path: Path) -> None:
    """A plain array, which stays on the device, is in the block that the rows are in."""
    text = f"""{HEAD}void scale(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] = x[i] * 2 + i; }}
void add(double **a, double *x, int n, int m)
{{
  for (int i = 0; i < n; i++) {{
    double t = 0;
    for (int j = 0; j < m; j++) {{ a[i][j] += 1; t += a[i][j]; }}
    x[i] += t;
  }}
}}
int main(void)
{{
  double *cells = calloc(300, 8), *x = cells + 200, **a = malloc(10 * sizeof *a);
  for (int i = 0; i < 10; i++) a[i] = cells + 20 * i;
  for (int t = 0; t < 3; t++) {{
    scale(x, 10); scale(cells, 300); scale(x, 20);
    add(a, x, 10, 20);
    scale(x, 5);
    cells[t] = 5; x[3] = t;
  }}
  for (int i = 0; i < 300; i++) printf("%f ", cells[i]);
  free(cells); free(a);
  return 0;
}}
"""
    check(text, tmp_path, 3, 18)  # one of a glued statement


def test_macros_of_the_users_are_called_as_the_helpers_variables(tmp_path: Path) -> None:
    text = f"""{HEAD}
#define a 3
#define begin 7
#define places 4
#define count 9
#define type 3
void fill(double **t, int n, int m)
{{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      t[i][j] = i + a * j + begin + places + count + type;
}}
int main(void)
{{
  double **t = malloc(9 * sizeof *t);
  for (int i = 0; i < 9; i++) t[i] = malloc(80);
  fill(t, 9, 10);
  for (int i = 0; i < 90; i++) printf("%f ", t[i / 10][i % 10]);
  return 0;
}}
"""
    check(text, tmp_path, 1, 1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    check(table_fuzz.program(seed), tmp_path, 7)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for (int i = 0; i < n; i++) for (int j = 0; j < (int)a[0][0]; j++) b[i][j] = 1;", ""),
        (
            "#define ROW a[i]\n  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) ROW[j] = 1;",
            "macro ROW",
        ),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) *(a[i] + j) = 1;", ""),
    ],
)
def test_what_stays_on_the_host(body: str, reason: str, tmp_path: Path) -> None:
    program = made(f"void f(double **a, double **b, int n)\n{{\n  {body}\n}}\n", tmp_path)
    assert program.skeletons == []
    if reason:
        assert any(reason in why for choice in program.choices for _, _, why in choice.why)


def test_threads_keep_rows_on_the_host(tmp_path: Path) -> None:
    text = f"#include <pthread.h>\n{STENCIL}int go(pthread_t *t, void *(*f)(void *)) "
    program = made(text + "{ return pthread_create(t, 0, f, 0); }\n", tmp_path)
    assert program.skeletons == []
    assert "which threads of the file may write" in program.reason("default")


def test_the_plan_speaks_of_rows(tmp_path: Path) -> None:
    plan = planned(generated(STENCIL, tmp_path, "cuda", "auto"))
    assert "    rows from[0:n-1][0:m-1] in\n" in plan and "    rows a[0:n-1][0:m-1] out\n" in plan
    assert "    rows to[1:(long)n-2][1:(long)m-2] out\n    stays on the device" in plan
    values = as_values(generated(STENCIL, tmp_path, "cuda", "auto"))["copies"][1]
    assert values["tables"][1] == {"table": "to", "rows": ["1", "(long)n-2"], "writes": True}
    assert {
        "array": "from",
        "direction": "in",
        "region": [["0", "n-1"], ["0", "m-1"]],
        "bytes": None,
    } in values["transfers"]


@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize("comm", ["static", "naive"])
def test_only_where_it_is_asked_for(target: str, comm: str, tmp_path: Path) -> None:
    program = made(STENCIL, tmp_path, target, comm)
    assert program.skeletons == [] and "holds pointers" in program.reason("kernel")
    names = {path.name for path in program.folder.iterdir()}
    assert not names & sources_for(target).keys() and "cuvier_units.h" not in names


def test_verify_runs_the_kernels(tmp_path: Path) -> None:
    """Its guards wrap malloc as well, and tell the library what they allocate.  One kernel has rows that
    overlap, and runs on the host.
    """
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    twice = f"static void twice(double **a, int n) {{ {loops} a[i][j] *= 2; }}"
    text = (
        f"{HEAD}{ROWS}{STENCIL}{twice}"
        "int main(void) { double **a = table(9, 9), **b = table(9, 9), *c[2] = {a[0], a[0] + 1};"
        " fill(a, 9, 9); fill(b, 9, 9); smooth(b, a, 9, 9); twice(c, 2); end(a, 9); end(b, 9); }\n"
    )
    (tmp_path / "app.c").write_text(text)
    words = [str(tmp_path / "app.c"), "--target", "cuda", "--device", "host-shim", "--comm", "auto"]
    done = CliRunner().invoke(build_app(), ["verify", *words, "--keep", str(tmp_path / "kept")])
    assert done.exit_code == 0, done.output
    assert "2 kernels replaced, 1 never launched" in done.output
    settings = {"CUVIER_WATCH_FILE": str(tmp_path / "record"), "CUVIER_COUNTERS": str(tmp_path / "counters")}
    run(tmp_path / "kept" / "generated" / "app.shim", **settings)
    launches = json.loads((tmp_path / "counters").read_text())["launches"]
    assert sorted(launches.values()) == [1, 2]


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_the_makefile_builds_it_with_nvcc(tmp_path: Path) -> None:
    program = made(f"{HEAD}{STENCIL}int main(void) {{ fill(0, 0, 0); return 0; }}", tmp_path, "cuda")
    printed = run("make", "-C", program.folder)
    assert re.search(r"-o app .*cgcm_wrap\.o .*-Xlinker --wrap=malloc,", printed)
