"""Host statements between kernels that become kernels of one thread: which, why not, and what is copied."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from programs.fuzz import compare

from cuvier.pipeline.generate import generate
from cuvier.pipeline.summary import Summary
from cuvier.report.choices import as_json, explained
from cuvier.report.plan import planned
from cuvier.verification.verify import VerifyOptions, verify
from models.machine import ASSUMED, DEFAULT
from skeletons import CompileOptions, Library, Program, write_program
from skeletons.catalogue.passes import GLUE
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.accelerated import Written, build_opencl, build_plain, build_shim, has_opencl, run
from tests.support.machines import CORES
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
ALWAYS = CompileOptions(wanted=frozenset({GLUE}))
STRICT = replace(ALWAYS, strict_fp=True)
HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 100
#define SET(k) A[k] = 1;
#define HALF(x) ((x) / 2)
double A[N], B[N], H[N], total; float F[N]; int K[N]; volatile double V[N];
static double twice(double x) { return 2 * x; }
"""
FUNCTION = """void f(int n, int m, double s, double *restrict q) {
  double x = 0;
  for (int i = 0; i < N; i++) { A[i] = i; B[i] = 2 * i; F[i] = i; K[i] = i; }
  for (int i = 0; i < n; i++) q[i] = 2;
  for (int t = 0; t < 50; t++) {
    for (int i = 0; i < N; i++) A[i] += B[i] + F[i] + K[i];
    @
    for (int i = 0; i < N; i++) B[i] += A[i] + s;
  }
  total = x;
}
"""


def made(source: Path, options: CompileOptions = CompileOptions(), target: str = "cuda") -> Program:  # noqa: B008
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    return generate(unit, analyse(unit, analysis), target, Library.load(), flags, analysis, options)


def around(
    statement: str,
    folder: Path,
    options: CompileOptions = CompileOptions(),  # noqa: B008
    target: str = "cuda",
) -> Program:
    """The program in which a statement stands between two kernels."""
    source = folder / "app.c"
    source.write_text(HEAD + FUNCTION.replace("@", statement))
    return made(source, options, target)


# --- which ---


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "statement",
    [
        "A[3] = sqrt(s);",
        "A[t] = sin(B[t]);",
        "A[3] += 1;",
        "if (m < N) A[m] = 1;",
        "q[m] = A[3];",
        "A[K[3]] = 1;",
        "F[3] = F[4] / 3;",
        "SET(3)",
        "A[3] = HALF(B[3]);",
        "A[3] = 1, B[3] = 2;",
        "{ double old = A[3]; A[3] = B[3]; B[3] = old; }",
        "for (int j = 1; j < 5; j++) A[j] = A[j - 1] + 1;",
        "for (int j = 1; j < 9; j++) { if (A[j] > 2) break; A[j] = A[j - 1] + 1; }",
    ],
)
def test_what_is_glued(statement: str, tmp_path: Path) -> None:
    program = around(statement, tmp_path)
    assert [glue.glued for glue in program.glues] == [True], program.glues
    assert "app_host_" not in program.files["app.c"].split("t < 50")[1].split("\n  }")[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("double y = A[3]; total = y;", "it declares a variable"),
        ("x = A[3];", "it sets 'x', a variable of the host"),
        ("A[m++] = 2;", "it sets 'm', a variable of the host"),
        ("total = A[3];", "it sets 'total', a variable of the host"),
        ("if (A[1] > 2) total += 1;", "it sets 'total', a variable of the host"),
        ("if (A[3] > 1) x = 2;", "'x' keeps the value of the last iteration that sets it"),
        ("if (A[2] > 1) break;", "control may leave it"),
        ("if (A[2] > 1) continue;", "control may leave it"),
        ("if (A[3] > 1) return;", "control may leave it"),
        ("A[3] = twice(s);", "it calls 'twice'"),
        ('printf("%f", A[2]);', "it calls 'printf'"),
        ("A[4] = rand();", "it calls 'rand'"),
        ("H[2] = A[3];", "'H' is on the host only"),
        ("\n#pragma GCC unroll 2\nfor (int j = 1; j < 5; j++) A[j] = A[j - 1];", "a directive applies to it"),
        ("A[1] = __LINE__;", "no skeleton takes it"),
        ("A[3] = (long double)s / 3;", "no skeleton takes it"),
    ],
)
def test_what_stays_on_the_host_whatever_it_costs(statement: str, why: str, tmp_path: Path) -> None:
    program = around(statement, tmp_path, ALWAYS)
    assert (program.glues[0].glued, program.glues[0].why) == (False, why)
    assert "once_1" not in "".join(program.files.values())


def test_volatile_memory_stays_on_the_host(tmp_path: Path) -> None:
    (found,) = around("V[3] = A[3];", tmp_path, ALWAYS).glues
    assert not found.glued


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("for (int j = 1; j < m; j++) A[j] = A[j - 1];", "cost unknown at compile time"),
        ("while (A[3] > 1) A[3] /= 2;", "cost unknown at compile time"),
        ("for (int j = 1; j < 99; j++) A[j] = A[j - 1] + 1;", "ms and saves copies of 1.01 ms"),
    ],
)
def test_what_is_too_slow_in_one_thread(statement: str, why: str, tmp_path: Path) -> None:
    (found,) = around(statement, tmp_path).glues
    assert not found.glued and found.why.endswith(why)
    assert around(statement, tmp_path, ALWAYS).glues[0].glued


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("statement", "target", "why"),
    [
        ("A[3] = sin(s);", "cuda", "'sin' may round differently on a device (--strict-fp)"),
        ("F[3] = F[4] / 3;", "opencl", "single precision may round differently on a device (--strict-fp)"),
        ("A[3] = 1.0f / m;", "opencl", "single precision may round differently on a device (--strict-fp)"),
        ("A[3] = (float)s;", "opencl", "single precision may round differently on a device (--strict-fp)"),
    ],
)
def test_strict_fp(statement: str, target: str, why: str, tmp_path: Path) -> None:
    (found,) = around(statement, tmp_path, STRICT, target).glues
    assert (found.glued, found.why) == (False, why)
    assert around(statement, tmp_path, ALWAYS, target).glues[0].glued


@pytest.mark.parametrize("statement", ["A[3] = sqrt(s) / fabs(B[2]);", "A[K[2]] = B[3] / 3;"])
def test_what_has_one_result_is_glued_with_strict_fp(statement: str, tmp_path: Path) -> None:
    assert around(statement, tmp_path, STRICT, "opencl").glues[0].glued


# --- when ---


def test_host_code_that_reads_it_later_counts(tmp_path: Path) -> None:
    """A copy out for each copy in that is saved, and launches besides."""
    source = tmp_path / "app.c"
    body = "for (int i = 0; i < N; i++) A[i] = i; for (int t = 0; t < 50; t++) { B[3] = t; @ x += B[3]; }"
    body = body.replace("@", "for (int i = 0; i < N; i++) A[i] += B[i];")
    source.write_text(f"{HEAD}void f(void) {{ double x = 0; {body} total = x; }}")
    assert not any(glue.glued for glue in made(source).glues)
    source.write_text(f"{HEAD}void f(void) {{ double x = 0; {body} total = x; }}".replace("x += B[3];", ""))
    assert [glue.glued for glue in made(source).glues] == [True]


def test_nothing_is_glued_before_the_first_kernel_or_behind_the_last(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    loop = "for (int i = 0; i < N; i++) A[i] += 1;"
    source.write_text(f"{HEAD}void f(void) {{ A[3] = 1; {loop} A[4] = 2; }}")
    assert made(source, ALWAYS).glues == ()
    source.write_text(f"{HEAD}void f(void) {{ A[3] = 1; {loop} A[4] = 2; {loop} A[5] = 3; }}")
    assert [glue.glued for glue in made(source, ALWAYS).glues] == [True]


def test_between_functions_that_leave_their_data_there(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    step = "void step(double *p) { for (int i = 0; i < N; i++) p[i] += 1; }"
    main = "int main(void) { for (int t = 0; t < 9; t++) { step(A); A[0] = t; } return 0; }"
    source.write_text(f"{HEAD}static {step} {main}")
    assert [glue.glued for glue in made(source).glues] == [True]
    source.write_text(f"{HEAD}{step} int g(void); {main.replace('step', 'g(); step')}")  # others may call it
    assert not any(glue.glued for glue in made(source).glues)


@pytest.mark.parametrize("options", [{"without": frozenset({GLUE})}, {"comm": "naive"}])
def test_not_wanted(options: dict[str, object], tmp_path: Path) -> None:
    program = around("A[3] = 1;", tmp_path, CompileOptions(**options))  # type: ignore[arg-type]
    assert program.glues == () and "A[3] = 1;" in program.files["app.c"]


def test_a_device_with_the_hosts_memory_copies_nothing(tmp_path: Path) -> None:
    launched = frozenset({"threshold"})  # else the host makes all of it
    options = CompileOptions(machine=CORES, without=launched)
    (found,) = around("A[3] = 1;", tmp_path, options, "opencl").glues
    assert not found.glued and found.why.endswith("saves no copies")
    assert around("A[3] = 1;", tmp_path, replace(options, wanted=frozenset({GLUE})), "opencl").glues[0].glued


def test_slow_launches(tmp_path: Path) -> None:
    device = replace(ASSUMED, launch=1e-3)
    (found,) = around(
        "A[3] = 1;", tmp_path, CompileOptions(machine=replace(DEFAULT, devices=(device,)))
    ).glues
    assert not found.glued


def test_it_is_said(tmp_path: Path) -> None:
    program = around("A[3] = 1; x = A[4];", tmp_path)
    lines = [
        f"line {g.line}: {'glued,' if g.glued else 'kept on the host:'} {g.why}\n" for g in program.glues
    ]
    assert len(lines) == 2 and all(line in planned(program) for line in lines)
    assert explained(program, CompileOptions()).endswith("".join(lines))
    found = json.loads(as_json(program, CompileOptions(), Summary("", "", 0, 0, ())))["glues"]
    assert [(glue["glued"], glue["line"]) for glue in found] == [(True, 15), (False, 15)]


# --- what comes of it ---

COUNTED = """#include <math.h>
#include <stdio.h>
#define N 64
static double A[N], B[N];
int main(void) {
  for (int i = 0; i < N; i++) { A[i] = i + 1; B[i] = 0; }
  for (int k = 1; k < 20; k++) {
    for (int i = 0; i < N; i++) A[i] = A[i] * 0.5 + B[i];
    A[k] = sqrt(A[k - 1]) / k;
    if (k % 3 == 0)
      B[k] += A[k];
    { double old = B[1]; B[1] = A[2]; A[2] = old; }
    for (int i = 0; i < N; i++) B[i] += A[i];
  }
  double sum = 0;
  for (int i = 0; i < N; i++) sum += A[i] + B[i];
  printf("%.17g\\n", sum);
  return 0;
}
"""


def built(program: Program, name: str, folder: Path, target: str) -> Path:
    write_program(program, folder)
    build = build_shim if target == "cuda" else build_opencl
    return build(Written(name, folder, program.choices), ("-Wno-unused", "-w", "-DCUVIER_POISON"))


@pytest.mark.sampled(4)
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize(
    "target", ["cuda", pytest.param("opencl", marks=pytest.mark.skipif(not has_opencl(), reason="no device"))]
)
def test_nothing_is_copied_between_the_kernels(target: str, tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text(COUNTED)
    program = made(source, target=target)
    binary, counters = built(program, "app", tmp_path / "out", target), tmp_path / "counters.json"
    found = run(binary, CUVIER_COUNTERS=str(counters), CUVIER_OPENCL_COPY="1")
    assert found == run(build_plain(source, tmp_path, ("-w",)))
    assert [glue.glued for glue in program.glues] == [True] * 3
    copies = json.loads(counters.read_text())["copies"]
    assert {copy["array"] for copy in copies}.isdisjoint({"A", "B"})


@pytest.mark.sampled(12)
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("name", ["gramschmidt", "cholesky", "ludcmp", "durbin", "trisolv", "dynprog"])
@pytest.mark.parametrize(
    "target", ["cuda", pytest.param("opencl", marks=pytest.mark.skipif(not has_opencl(), reason="no device"))]
)
def test_programs_of_the_corpus(name: str, target: str, tmp_path: Path) -> None:
    source = CORPUS / "polybench" / f"{name}.c"
    program = made(source, ALWAYS, target)
    assert any(glue.glued for glue in program.glues)
    binary = built(program, name, tmp_path / "out", target)
    assert run(binary, CUVIER_OPENCL_COPY="1") == run(build_plain(source, tmp_path, ("-w",)))


@pytest.mark.sampled(2)
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("seed", [7210, 7213, 7224])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path, modes=("static",))


@pytest.mark.long
@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("make")), reason="needs gcc and make")
def test_glued_statements_are_verified(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text(COUNTED)
    result = verify(source, "cuda", VerifyOptions(PreprocessOptions(), device="host-shim", generation=ALWAYS))
    assert result.ok
    assert len(result.kernels) == len(made(source, ALWAYS).replaced)
