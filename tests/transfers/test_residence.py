"""Data that stays on the device: what host code asks for, and what is copied in the end."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from programs.fuzz import compare

from skeletons import CompileOptions
from skeletons.catalogue.passes import GLUE, THRESHOLD
from tests.support.accelerated import (
    Written,
    build_opencl,
    build_plain,
    build_shim,
    has_opencl,
    resident,
    run,
)
from tests.support.places import TESTS

PROGRAMS = TESTS / "residence"
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\ndouble A[100], B[100];\n"
KERNEL = "for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i;"


def made(text: str, folder: Path, target: str = "cuda", comm: str = "static") -> Written:
    source = folder / "app.c"
    source.write_text(text)
    options = CompileOptions(comm=comm, without=frozenset({GLUE, THRESHOLD}))  # type: ignore[arg-type]
    return resident(source, target, folder / target, options)


def host(text: str, folder: Path) -> str:
    """The host file of the CUDA program, blanks made single."""
    return re.sub(r"\s+", " ", (made(text, folder).folder / "app.c").read_text())


@pytest.mark.parametrize(
    ("statement", "asked"),
    [
        ("x = A[3];", "app_host_reads(&A[3], sizeof A[3]); x = A[3];"),
        ("A[k] = 1;", "app_host_overwrites(&A[k], sizeof A[k]); A[k] = 1;"),
        ("A[k] += 1;", "app_host_writes(&A[k], sizeof A[k]); A[k] += 1;"),
        ("A[k] = A[k] / 2;", "app_host_writes(&A[k], sizeof A[k]); A[k] ="),
        ("A[k++] = 1;", "app_host_writes(A, sizeof A); A[k++] = 1;"),
        ("x = k + 1;", "A); x = k + 1;"),
        ("if (A[k] > 1) x = 2;", "app_host_reads(&A[k], sizeof A[k]); if (A[k] > 1)"),
        ("if (k) x = A[k];", "if (k) { app_host_reads(&A[k], sizeof A[k]); x = A[k]; }"),
        (
            "for (k = 1; k < 9; k++) B[k] = B[k - 1] + A[k];",
            "app_host_reads(A, sizeof A); app_host_writes(B, sizeof B); for",
        ),
        ("p[k] = 1;", "app_host_overwrites(&p[k], sizeof p[k]); p[k] = 1;"),
        ("for (k = 1; k < 9; k++) p[k] = p[k - 1] + 1;", "app_host_takes_all(); for"),
        ("memset(B, 0, sizeof B);", "app_host_writes(B, sizeof B); memset"),
        ("unknown();", "app_host_takes_all(); unknown();"),
        ('printf("%f", x);', 'A); printf("%f", x);'),
        ('printf("%f", A[2]);', "app_host_reads(&A[2], sizeof A[2]); printf"),
        ("h[2] = 1;", "app_host_overwrites(&h[2], sizeof h[2]); h[2] = 1;"),
        ("while (k < 9 && h[k] > 1) k++;", "app_host_reads(h, 0); while"),
        ("if (p && p[k] > 1) k++;", "app_host_reads_all(); if"),  # there is perhaps no p[k]
        ("x = k < 9 ? B[k] : 2;", "app_host_reads(B, sizeof B); x ="),
        ("free(h); h = NULL;", "app_host_drops(h, 0); free(h);"),
        (
            "s.part[k] = A[k];",
            "app_host_reads(&A[k], sizeof A[k]); app_host_overwrites(&s.part[k], sizeof s.part[k]);",
        ),
        ("s.bits = A[0] > 1;", "app_host_reads(&A[0], sizeof A[0]); app_host_writes(&s, sizeof s); s.bits"),
    ],
)
def test_what_host_code_asks_for(statement: str, asked: str, tmp_path: Path) -> None:
    text = f"""{HEAD}void unknown(void); struct {{ int bits : 3; double part[9]; }} s;
void f(double *p, int k) {{
  double x = 0, *h = malloc(80);
  h[0] = x;
  {KERNEL}
  {statement}
  printf("%f", x);
}}
"""
    assert asked in host(text, tmp_path)


def test_tests_of_numbers_read_these_alone(tmp_path: Path) -> None:
    """What a launch asks of the data that chooses its cells brings no other array back."""
    text = f"""{HEAD}static int at[9]; void f(int k) {{
  for (int i = 0; i < 9; i++) at[i] = (i + k) % 9;
  {KERNEL}
  for (int i = 0; i < 9; i++) B[at[i]] = A[i];
}}
"""
    found = host(text, tmp_path)
    assert "app_host_reads(at, sizeof at); { if ((cuvier_distinct(&at[0]," in found
    assert "reads_all" not in found


def test_nothing_is_asked_for_before_the_first_kernel(tmp_path: Path) -> None:
    text = f"{HEAD}void f(void) {{ A[3] = 1; {KERNEL} }}"
    assert "{ A[3] = 1;" in host(text, tmp_path)


def test_a_loop_asks_for_what_its_kernels_leave(tmp_path: Path) -> None:
    text = f"{HEAD}void f(int n) {{ while (n--) {{ A[3] = 1; {KERNEL} }} }}"
    assert "{ app_host_overwrites(&A[3], sizeof A[3]); A[3] = 1;" in host(text, tmp_path)


def test_functions_give_back_what_others_may_look_at(tmp_path: Path) -> None:
    text = f"{HEAD}int f(int n) {{ if (n) return 1; {KERNEL} if (n > 1) return 2; return 3; }}"
    found = host(text, tmp_path)
    assert "if (n) return 1;" in found
    assert found.count("app_host_takes_all(); return") == 2


def test_static_functions_leave_data_there(tmp_path: Path) -> None:
    text = f"{HEAD}static void g(void) {{ {KERNEL} }} void f(void) {{ g(); g(); A[0] = 1; }}"
    found = host(text, tmp_path)
    assert "static void g(void) { app_k1(A); }" in found
    assert "g(); g(); app_host_overwrites(&A[0], sizeof A[0]);" in found


def test_many_ways_to_a_kernel(tmp_path: Path) -> None:
    """Each of forty functions calls the next one from two places."""
    call = "static void g{0}(int n) {{ if (n) g{1}(n); else g{1}(n + 1); }}\n"
    calls = "".join(call.format(k + 1, k) for k in range(40))
    first = f"{HEAD}static void g0(int n) {{ A[n]++; {KERNEL} }}\n"
    found = host(f"{first}{calls}void f(void) {{ g40(1); }}", tmp_path)
    assert "g40(1); app_host_takes_all(); }" in found


@pytest.mark.parametrize(
    "text",
    [
        "static void g(void) { KERNEL } int (*h)(void); void f(void) { void (*q)(void) = g; q(); A[0] = 1; }",
        "static int g(void) { KERNEL return 1; } int f(void) { return g() + (int)A[0]; }",
        "inline void g(void) { KERNEL }",
    ],
)
def test_other_functions_give_it_back(text: str, tmp_path: Path) -> None:
    found = host(HEAD + text.replace("KERNEL", KERNEL), tmp_path)
    body = found[found.index("g(void) {") :].split("}")[0]
    assert "takes_all" in body or "inline" in text


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n) { while (n--) { double b[100]; for (int i = 0; i < 100; i++) b[i] = i; g(b); } }",
        "void f(int n) { double *p = __builtin_alloca(n); KERNEL p[0] = 1; }",
        'void f(int n) { KERNEL __asm__ volatile ("" ::: "memory"); A[0]++; }',
    ],
)
def test_kernels_that_keep_nothing(text: str, tmp_path: Path) -> None:
    program = made(f"{HEAD}void g(double *);\n{text.replace('KERNEL', KERNEL)}", tmp_path)
    kernels = (program.folder / "app_kernels.cu").read_text()
    assert kernels.count("cuvier_release(kernel);") == len(program.skeletons) > 0


def test_pragmas_stay_with_their_loops(tmp_path: Path) -> None:
    loop = "#pragma GCC ivdep\n  for (int i = 1; i < n; i++) B[i] = B[i - 1] + A[i];"
    text = f"{HEAD}void f(int n) {{\n  {KERNEL}\n{loop}\n}}"
    assert "sizeof B); #pragma GCC ivdep for" in host(text, tmp_path)


# What is copied

TIME_LOOP = """#include <stdio.h>
#define N 50
double A[N][N], B[N][N];
int main(void)
{
  double last = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = last = last * 0.5 + i + j;
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
  printf("%f\\n", A[N / 2][N / 2]);
  return 0;
}
"""
CALLS = """#include <stdio.h>
#include <stdlib.h>
#define N 1000
static void fill(double *v, double a) { for (int i = 0; i < N; i++) v[i] = a * i; }
static void add(double *v, double *w) { for (int i = 0; i < N; i++) v[i] += w[i]; }
static double total(double *v) { double s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; }
int main(void)
{
  double *a = malloc(N * sizeof(double)), *b = malloc(N * sizeof(double));
  fill(a, 1);
  fill(b, 0.5);
  for (int t = 0; t < 10; t++)
    add(a, b);
  double t = total(a);
  printf("%f %f\\n", t, a[3]);
  free(a);
  free(b);
  return 0;
}
"""


def counters(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, dict[str, tuple[int, int]]]:
    """Per array and direction: how many copies, and their bytes; the output is checked."""
    target = "opencl" if has_opencl() else "cuda"
    program = made(text, folder, target)
    binary = (build_opencl if target == "opencl" else build_shim)(program, ["-DCUVIER_POISON"])
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    monkeypatch.setenv("CUVIER_COUNTERS", str(folder / "counters.json"))
    assert run(binary) == run(build_plain(folder / "app.c", folder))
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for copy in json.loads((folder / "counters.json").read_text())["copies"]:
        found.setdefault(copy["array"], {})[copy["direction"]] = (copy["count"], copy["bytes"])
    return found


@pytest.mark.sampled(2)
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("steps", [1, 7])
def test_a_time_loop_copies_once(steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = counters(TIME_LOOP.replace("STEPS", str(steps)), tmp_path, monkeypatch)
    inside = ((48 - 1) * 50 + 48) * 8  # from the first to the last cell that is written
    assert found == {"A": {"in": (1, 50 * 50 * 8), "out": (1, 8)}, "B": {"in": (1, inside)}}


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_data_of_kernels_alone_is_never_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = counters(CALLS, tmp_path, monkeypatch)
    assert found.pop("s")["out"][0] == 1  # the partial sums
    assert found == {"v": {"out": (1, 8)}}


@pytest.mark.sampled(18)
@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
@pytest.mark.parametrize("name", [path.stem for path in sorted(PROGRAMS.glob("*.c"))])
def test_what_once_went_wrong(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that ends unseen, control flow that jumps, names that are hidden, calls that reach further."""
    text = (PROGRAMS / f"{name}.c").read_text()
    program = made(text, tmp_path, "opencl")
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    quiet = ["-Wno-all", "-Wno-extra", "-w"]
    binary = build_opencl(program, ["-DCUVIER_POISON", *quiet])
    assert run(binary) == run(build_plain(tmp_path / "app.c", tmp_path, quiet))


@pytest.mark.parametrize(
    ("loop", "asked"),
    [
        ("while (A[0] > 1) { @ }", "while (app_host_reads(&A[0], sizeof A[0]), A[0] > 1) {"),
        ("do { @ } while (A[k] > 1);", "} while (app_host_reads(&A[k], sizeof A[k]), A[k] > 1);"),
        ("for (; A[k] > 1; k++) { @ }", "for (; app_host_reads(&A[k], sizeof A[k]), A[k] > 1; k++) {"),
        ("while (k < 9 && A[k] > 1) { @ }", "while (app_host_reads(A, sizeof A), k < 9 && A[k] > 1) {"),
        ("while (A[k++] > 1) { @ }", "{ while (A[k++] > 1) {"),  # nothing stays there
    ],
)
def test_conditions_ask_every_time(loop: str, asked: str, tmp_path: Path) -> None:
    text = f"{HEAD}void f(int k) {{ {loop.replace('@', KERNEL)} }}"
    assert asked in host(text, tmp_path)


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
@pytest.mark.parametrize("seed", range(2))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, "opencl")


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_random_program_under_sanitizers(tmp_path: Path) -> None:
    compare(77, tmp_path, "cuda", ("static",))
