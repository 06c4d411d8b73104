"""The ways to move data (`--comm`): what each of them copies, in exact numbers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from skeletons import CompileOptions
from skeletons.catalogue.descriptor import Comm
from skeletons.catalogue.passes import FUSE, GLUE
from tests.support.accelerated import (
    Written,
    build_opencl,
    build_plain,
    build_shim,
    has_opencl,
    resident,
    run,
)

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n"
QUIET = ("-DCUVIER_POISON", "-Wno-unused-parameter", "-Wno-unused-function")
pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def made(text: str, folder: Path, comm: Comm, target: str = "cuda") -> Written:
    source = folder / "app.c"
    source.write_text(text)
    options = CompileOptions(comm=comm, without=frozenset({GLUE, FUSE}))
    return resident(source, target, folder / f"{target}-{comm}", options)


def counted(text: str, folder: Path, comm: Comm, target: str = "") -> dict[str, Any]:
    """What is copied: by array and direction, how often and how many bytes; beside that, the launches.

    What the program prints is compared.
    """
    target = target or ("opencl" if has_opencl() else "cuda")
    program = made(text, folder, comm, target)
    binary = (build_opencl if target == "opencl" else build_shim)(program, QUIET)
    counters = program.folder / "counters.json"
    plain = run(build_plain(folder / "app.c", folder, ["-Wno-all", "-w"]))
    assert run(binary, CUVIER_OPENCL_COPY="1", CUVIER_COUNTERS=str(counters)) == plain
    found = json.loads(counters.read_text())
    copies = {f"{c['array']} {c['direction']}": (c["count"], c["bytes"]) for c in found["copies"]}
    return {**copies, "launches": sum(found["launches"].values())}


# 100 cells, of which the kernel touches every other one of the first half; twice, and one is printed
STRIDED = f"""{HEAD}
static void add(double *x) {{ for (int i = 0; i < 25; i++) x[2 * i] = x[2 * i] + i; }}
int main(void)
{{
  double *x = malloc(100 * sizeof *x), last = 1;
  for (int i = 0; i < 100; i++) x[i] = last = last * 0.5 + i;
  for (int t = 0; t < 2; t++) add(x);
  printf("%f\\n", x[4]);
  free(x);
  return 0;
}}
"""
SPAN = (2 * 24 + 1) * 8  # from the first cell that is touched to the last


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("comm", "expected"),
    [
        ("naive", {"x in": (2, 2 * SPAN), "x out": (2, 2 * SPAN)}),
        ("inspector", {"x in": (2 * 25, 2 * 25 * 8), "x out": (2 * 25, 2 * 25 * 8)}),
        ("static", {"x in": (1, SPAN), "x out": (1, 8)}),
        ("auto", {"x in": (1, SPAN), "x out": (1, 8)}),
        ("cgcm", {"x in": (1, 800), "x out": (1, 8)}),
    ],
)
def test_what_each_mode_copies(comm: Comm, expected: dict[str, Any], tmp_path: Path) -> None:
    assert counted(STRIDED, tmp_path, comm) == {**expected, "launches": 2}


GATHER = f"""{HEAD}
static void gather(double *restrict y, const double *restrict x, const int *restrict k, int n)
{{
  for (int i = 0; i < n; i++) y[i] = x[k[i]];
}}
static double numbers[50];
int main(void)
{{
  int places[10];
  double *x = malloc(100 * sizeof *x), y[10], last = 1;
  for (int i = 0; i < 100; i++) x[i] = last = last * 0.5 + i;
  for (int i = 0; i < 50; i++) numbers[i] = last = last * 0.5 + i;
  for (int i = 0; i < 10; i++) places[i] = rand() % 40;
  gather(y, x + 3, places, 10);
  printf("%f\\n", y[3]);
  gather(y, numbers + 1, places, 10);
  printf("%f\\n", y[3]);
  free(x);
  return 0;
}}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_memory_of_unknown_size(target: str, tmp_path: Path) -> None:
    """A block of the heap and a global array, by pointers into their middle."""
    if target == "opencl" and not has_opencl():
        pytest.skip("needs an OpenCL device")
    found = counted(GATHER, tmp_path, "auto", target)
    assert found == {"k in": (1, 40), "x in": (2, 800 + 400), "y out": (2 + 2, 16 + 72), "launches": 2}


def test_memory_of_unknown_size_stays_on_the_host_elsewhere(tmp_path: Path) -> None:
    for comm in ("static", "naive", "inspector"):
        program = made(GATHER, tmp_path, comm)  # type: ignore[arg-type]
        assert any("size is unknown" in w for c in program.choices for _, _, w in c.why), comm
        assert "cgcm.c" not in {path.name for path in program.folder.iterdir()}


def test_memory_that_nobody_knows_is_left_to_the_host(tmp_path: Path) -> None:
    text = GATHER.replace("malloc(100 * sizeof *x)", "unseen(800)").replace("  free(x);\n", "")
    mapped = "mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)"
    text = f"#define _GNU_SOURCE\n#include <sys/mman.h>\nvoid *unseen(long n) {{ return {mapped}; }}\n{text}"
    assert counted(text, tmp_path, "auto")["launches"] == 1


# a helper with an array of its own, called ten times
HELPER = f"""{HEAD}
static void helper(double *x)
{{
  double own[64];
  for (int i = 0; i < 64; i++) own[i] = x[i] * 2;
  for (int i = 0; i < 64; i++) x[i] = own[63 - i] + 1;
}}
int main(void)
{{
  double *x = malloc(64 * sizeof *x), last = 1;
  for (int i = 0; i < 64; i++) x[i] = last = last * 0.5 + i;
  for (int t = 0; t < 10; t++) helper(x);
  printf("%f\\n", x[1]);
  free(x);
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("comm", "own"), [("static", {}), ("auto", {}), ("cgcm", {"own in": (10, 10 * 64 * 8)})]
)
def test_arrays_of_helpers(comm: Comm, own: dict[str, Any], tmp_path: Path) -> None:
    """What alloca promotion is for: no copies of local arrays, however often their function is called."""
    found = counted(HELPER, tmp_path, comm)
    assert found == {"x in": (1, 512), "x out": (1, 8), **own, "launches": 20}


CALLERS = f"""{HEAD}
static void step(double **a, int n, int m)
{{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = a[i][j] * 0.5 + i;
}}
static void steps(double **a, int n, int m) {{ for (int t = 0; t < 3; t++) step(a, n, m); }}
int main(void)
{{
  double **a = malloc(8 * sizeof *a), last = 1;
  for (int i = 0; i < 8; i++) {{
    a[i] = malloc(16 * sizeof **a);
    for (int j = 0; j < 16; j++) a[i][j] = last = last * 0.5 + j;
  }}
  for (int k = 0; k < 4; k++) {{
    steps(a, 8, 16);
    printf("%f\\n", a[k][k]);
  }}
  a[0][0] = 7;
  steps(a, 8, 16);
  printf("%f\\n", a[0][0]);
  return 0;
}}
"""


OWN = (
    HEAD
    + """double a[60], out[60];
int main(void)
{
    for (int n = 0; n < 60; n++) {
        double b[60];
        for (int i = 0; i < 60; i++)
            b[i] = a[i] * 0.5 + n;
        double s = 0;
        for (int i = 0; i < 60; i++)
            s += b[i];
        out[n] = s;
    }
    printf("%g %g\\n", out[3], out[59]);
    return 0;
}
"""
)


@pytest.mark.parametrize("comm", ["cgcm", "auto"])
def test_arrays_of_iterations_are_no_hosts(comm: Comm, tmp_path: Path) -> None:
    assert counted(OWN, tmp_path, comm, "cuda")["launches"]


@pytest.mark.parametrize("comm", ["auto", "cgcm"])
def test_maps_climb_out_of_loops_and_callers(comm: Comm, tmp_path: Path) -> None:
    found = counted(CALLERS, tmp_path, comm)
    assert found.pop("launches") == 15
    assert found.pop("a in") == (8 + 1 + 1, 8 * 16 * 8 + 8 * 8 + 8)  # rows, their places, what the host wrote
    left = 8 * 16 * 8 - 8  # what nobody has looked at comes back at the end of main, row by row
    assert found == {"a out": (5 + 8, 5 * 8 + left)}


def test_a_block_of_pointers_and_their_rows(tmp_path: Path) -> None:
    """One block with everything: the pointers are the host's, whatever comes back."""
    text = f"""{HEAD}
static void step(double **a, int n, int m)
{{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += 1;
}}
int main(void)
{{
  double **a = malloc(4 * sizeof *a + 4 * 4 * sizeof **a);
  for (int i = 0; i < 4; i++) a[i] = (double *)(a + 4) + 4 * i;
  for (int i = 0; i < 16; i++) a[i / 4][i % 4] = i;
  step(a, 4, 4);
  double *row = a[1];
  a[1] = a[2]; a[2] = row;
  step(a, 3, 4);
  for (int i = 0; i < 16; i++) printf("%f ", a[i / 4][i % 4]);
  free(a);
  return 0;
}}
"""
    for comm in ("auto", "cgcm"):
        assert counted(text, tmp_path, comm)["launches"] >= 2  # type: ignore[arg-type]


def test_pointers_that_a_statement_changes(tmp_path: Path) -> None:
    """The place of an element is asked for before its statement, which changes the row."""
    text = f"""{HEAD}
static void step(double **a, int n)
{{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += i; }}
int main(void)
{{
  double **a = malloc(4 * sizeof *a), *spare = calloc(4, 8), x;
  for (int i = 0; i < 4; i++) a[i] = calloc(4, 8);
  step(a, 4);
  x = (a[1] = a[3], a[1][2]);
  printf("%f ", x);
  step(a + 1, 1);
  a[0] = spare, a[0][1] = 5;
  printf("%f %f ", a[0][1], spare[1]);
  step(a, 1);
  printf("%f %f %f\\n", a[0][1], a[1][1], a[3][2]);
  return 0;
}}
"""
    for comm in ("auto", "cgcm"):
        counted(text, tmp_path, comm)  # type: ignore[arg-type]


INSPECTED = f"""{HEAD}
static int list[20];
static double a[20][30], x[90], y[20];
static void sums(int n)
{{
  for (int i = 0; i < n; i++) {{
    double sum = 0;
    for (int k = 0; k < list[i]; k++)
      if (k % 2 == 0)
        sum += a[i][k] * x[3 * k];
    y[i] = sum;
  }}
}}
int main(void)
{{
  double last = 1;
  for (int i = 0; i < 20; i++) list[i] = last = (i * 7 + (int)last) % 5;
  for (int i = 0; i < 600; i++) a[i / 30][i % 30] = last = last * 0.5 + i;
  for (int i = 0; i < 90; i++) x[i] = last = last * 0.5 + i;
  sums(20);
  double touched = 0;
  for (int i = 0; i < 20; i++) for (int k = 0; k < list[i]; k += 2) touched = touched * 1 + 1;
  printf("%f %f %f\\n", y[3], y[19], touched);
  return 0;
}}
"""


def test_inspectors_follow_loops_and_conditions(tmp_path: Path) -> None:
    found = counted(INSPECTED, tmp_path, "inspector")
    touched = int(float(run(tmp_path / "plain").split()[2]))
    assert found["a in"] == (touched, 8 * touched)
    assert found["x in"] == (2, 16) and found["list in"] == (1, 80)
    assert found["y in"] == found["y out"] == (1, 160)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) { int k = list[i]; y[i] = x[k]; }",
        "for (int i = 0; i < n; i++) { if (x[i] > 2) continue; y[i] = 1; }",
        "for (int i = 0; i < n; i++) y[i] = i > 5 ? x[list[i]] : 1;",
        "for (int i = 0; i < n; i++) y[i] = TWICE(x[i]);",
        "for (int i = 0; i < n; i++) { y[i] += 1; (y[i]) *= 2; if (y[i] > 3) y[i] = x[2 * i]; }",
        "for (int i = 0; i < n; i++) { int k = 0; while (k < list[i]) { y[i] += x[k]; k++; } }",
        "for (int i = 0; i < n; i++) for (int k = 0; k < 5; k++) { a[i][k] = x[k]; a[i][k + 1 - 1]++; }",
    ],
)
def test_inspectors_take_all_where_they_cannot_tell(body: str, tmp_path: Path) -> None:
    sums = INSPECTED[INSPECTED.index("static void sums") : INSPECTED.index("int main")]
    text = INSPECTED.replace(sums, f"#define TWICE(e) ((e) + y[i])\nstatic void sums(int n) {{ {body} }}\n")
    assert counted(text, tmp_path, "inspector")["launches"] >= 1


TYPES = f"""{HEAD}
typedef unsigned short tiny;
typedef long index_t;
typedef enum {{ M = 5, STEP = 2 }} step_t;
#define FIRST ((index_t)1)
#define LAST (M + (tiny)3)
#define AT(k) ((index_t)(k) * 2)
static int list[20], last;
static double a[20][30], x[90], y[20];
static void sums(int n)
{{
  for (index_t i = 0; i < n; i++) {{
    double sum = 0;
    for (index_t k = FIRST; k < LAST; k += STEP) sum += a[i][k] * x[(tiny)k];
    y[i] = sum;
  }}
}}
static void cells(int n, tiny m)
{{
  for (index_t i = 0; i < n; i++)
    for (tiny k = M; k < (tiny)(m + 2); k++)
      a[i][k] += x[AT(k)] + x[list[i] % (tiny)9] + x[sizeof(tiny) + (size_t)k];
}}
static void ends(int n)
{{
  for (index_t i = FIRST; i < (tiny)n; i += (step_t)STEP) {{ y[i] += 1; last = (int)i; }}
}}
int main(void)
{{
  for (int i = 0; i < 20; i++) list[i] = (i * 7) % 11;
  double next = 1;
  for (int i = 0; i < 600; i++) a[i / 30][i % 30] = next = next * 0.5 + i;
  for (int i = 0; i < 90; i++) x[i] = next = next * 0.5 + i;
  sums(20), cells(20, 7), ends(20);
  for (int i = 0; i < 20; i++) printf("%a %a %d\\n", y[i], a[i][6], last);
  return 0;
}}
"""


@pytest.mark.parametrize("comm", ["static", "inspector", "auto"])
def test_launches_know_the_types_of_the_file(comm: Comm, tmp_path: Path) -> None:
    assert counted(TYPES, tmp_path, comm)["launches"] >= 3
