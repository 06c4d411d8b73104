"""Pragmas for copies, and copies that begin before they are needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.pipeline.driver import annotate_file
from skeletons import CompileOptions
from skeletons.catalogue.passes import GLUE
from species.annotate import AnnotateOptions
from species.source import PreprocessOptions
from tests.support.accelerated import (
    Written,
    build_opencl,
    build_plain,
    build_shim,
    has_opencl,
    resident,
    run,
)
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "transfers.md").read_text()
EXAMPLE, SHOWN = (text for text in re.findall(r"```c\n(.*?)```", PAGE, re.S) if "weigh" in text)
NO_NOTES = ("-Wno-unknown-pragmas",)
KERNEL = "for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i;"
AGAIN = "for (int i = 0; i < 100; i++) A[i] += B[i];"  # which no fusion takes past SERIAL
MOVED = "p = malloc(80); for (int i = 0; i < 9; i++) p[i] = i;"
SERIAL = "for (int i = 1; i < 100; i++) B[i] = B[i - 1] * 0.5 + i;"


def made(text: str, folder: Path, target: str = "cuda", comm: str = "static") -> Written:
    source = folder / "weigh.c"
    source.write_text(text)
    options = CompileOptions(comm=comm, without=frozenset({GLUE}))  # type: ignore[arg-type]
    return resident(source, target, folder / target, options)


def host(body: str, folder: Path) -> str:
    """The host file of a program with the body in `main`, blanks made single."""
    text = f"""#include <stdio.h>
#include <stdlib.h>
#define N 100
double A[N], B[N], C[9][N]; int k;
int main(void) {{
  double *p = A, x = 0; int m = 2;
{body}
  printf("%g %d %d\\n", x, m, p == A); return 0; }}"""
    return re.sub(r"\s+", " ", (made(text, folder).folder / "weigh.c").read_text())


def test_the_example_of_the_page(tmp_path: Path) -> None:
    assert SHOWN in (made(EXAMPLE, tmp_path).folder / "weigh.c").read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize("comm", ["static", "naive"])
def test_the_example_computes_what_it_did(target: str, comm: str, tmp_path: Path) -> None:
    if target == "opencl" and not has_opencl():
        pytest.skip("needs an OpenCL device")
    program = made(EXAMPLE, tmp_path, target, comm)
    build = build_opencl if target == "opencl" else build_shim
    binary = build(program, (*NO_NOTES, "-DCUVIER_POISON"))
    expected = run(build_plain(tmp_path / "weigh.c", tmp_path, NO_NOTES))
    counters = tmp_path / "counters.json"
    settings = {"CUVIER_OPENCL_COPY": "1", "CUVIER_COUNTERS": str(counters), "ASAN_OPTIONS": "detect_leaks=0"}
    assert run(binary, **settings) == expected
    if comm == "static":
        copies = json.loads(counters.read_text())["copies"]
        bytes_ = {(copy["array"], copy["direction"]): copy["bytes"] for copy in copies}
        assert bytes_ == {("weights", "in"): 8000, ("rod", "in"): 8000, ("sums", "out"): 80}


def test_the_error_of_the_page(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^wrong\.c:.*$", PAGE, re.M)
    (tmp_path / "wrong.c").write_text(
        "#include <stdio.h>\n#define N 1000\nstatic double weights[N], sums[N];\n"
        "int main(void)\n{\n  #pragma species copyin weights[0:N-1]|1\n  sums[0] = 1;\n  weights[0] = 1;\n"
        "  #pragma species sync 1\n  for (int i = 0; i < N; i++)\n    sums[i] = weights[i];\n"
        '  printf("%f\\n", sums[9]);\n  return 0;\n}\n'
    )
    command = [sys.executable, "-m", "cuvier", "compile", "wrong.c", "--target", "opencl", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (2, shown)


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        ("copyin Q[0:9]|1", "there is no 'Q' here"),
        ("copyin m[0:9]|1", "'m' is no array"),
        ("copyin C[0:9]|1", "'C' has 2 dimensions, not 1"),
        ("copyin A[0:N]|1", "'A' has no cells 0:N"),
        ("copyin A[-1:3]|1", "'A' has no cells -1:3"),
        ("copyin A[5:4]|1", "'A' has no cells 5:4"),
        ("copyin C[0:8, 0:N-1]|2", "no `sync 2` follows in the same block"),
        ("sync 3", "no copy in this function is to be done by `sync 3`"),
        ("copyout B[3:9]|1", "line 9 touches 'B' before `sync 1`"),
        ("copyin B[3:9]|1", "line 9 writes 'B' before `sync 1`"),
        ("copyin A[0:9]", "column 30: expected '|'"),
        ("copyin C[0:3, 0:9]|1", "no kernel in this function uses 'C'"),
        ("copyin p[0:9]|1", "the pointer 'p' is set more than once"),
    ],
)
def test_what_is_refused(pragma: str, message: str, tmp_path: Path) -> None:
    after = f"{KERNEL} {MOVED}"
    body = f"  {KERNEL}\n#pragma species {pragma}\n  B[4] = 2;\n#pragma species sync 1\n  {after}"
    if "sync" not in pragma:
        body = body.replace("  B[4]", "#pragma species copyin A[0:0]|1\n  B[4]")
        message = message.replace("line 9", "line 10")
    with pytest.raises(UserError, match=re.escape(message)) as raised:
        host(body, tmp_path)
    assert raised.value.code == "CV008"


def test_what_was_brought_is_told_of_host_writes(tmp_path: Path) -> None:
    """Also where no kernel has run before."""
    pragma = "#pragma species copyin A[0:N-1]|1\n  B[2] = 1;\n#pragma species sync 1\n"
    found = host(f"{pragma}  A[3] = 5; {KERNEL}", tmp_path)
    assert (
        found.index("copyin(") < found.index("host_overwrites(&A[3], sizeof A[3]);") < found.index("A[3] = 5")
    )


def test_functions_without_kernels_copy_nothing(tmp_path: Path) -> None:
    body = "#pragma species copyout A[0:N-1]|1\n  B[2] = 1;\n#pragma species sync 1\n"
    assert "host_" not in host(body, tmp_path)


def test_a_pragma_in_place_of_a_statement_is_refused(tmp_path: Path) -> None:
    body = f"  {KERNEL}\n  if (m)\n#pragma species copyout A[0:3]|1\n    x = 1;\n#pragma species sync 1\n"
    with pytest.raises(UserError, match="inside of a statement"):
        host(body, tmp_path)


def test_what_kernels_write_is_not_copied_before(tmp_path: Path) -> None:
    body = f"  {KERNEL}\n#pragma species copyout A[0:9]|1\n  {KERNEL}\n#pragma species sync 1\n"
    with pytest.raises(UserError, match="line 9 touches 'A'"):
        host(body, tmp_path)


@pytest.mark.parametrize(
    ("body", "copied"),
    [
        (f"{SERIAL} x = A[3];", "copyout(&A[3], sizeof A[3])"),
        (f"{SERIAL} x = A[m];", "copyout(&A[m], sizeof A[m])"),
        (f"{SERIAL} x = p[m];", "copyout(&p[m], sizeof p[m])"),
        (f"{SERIAL} for (int i = 1; i < 9; i++) x = x * A[i] + 1;", "copyout(A, sizeof A)"),
        (f'printf("%g", B[2]); {SERIAL} x = A[3];', "copyout(&A[3], sizeof A[3])"),
    ],
)
def test_copies_begin_early(body: str, copied: str, tmp_path: Path) -> None:
    found = host(f"{KERNEL} {body}", tmp_path)
    assert copied in found
    assert found.index(copied) < found.index("B[i - 1]" if "printf" not in body else "printf(")


def test_the_plan_as_pragmas(tmp_path: Path) -> None:
    source = tmp_path / "weigh.c"
    text = re.sub(r"  #pragma.*\n", "", EXAMPLE)
    source.write_text(text)
    once = annotate_file(source, PreprocessOptions(), AnnotateOptions(), copies=True).after
    assert once is not None
    planned = once.splitlines()
    begun, waited = (
        next(k for k, line in enumerate(planned) if line.strip() == f"#pragma species {words}")
        for words in ("copyout sums[9:9]|1", "sync 1")
    )
    assert planned[begun - 1].strip().startswith("#pragma species endkernel")
    assert planned[begun + 1].strip() == "for (int i = 1; i < N; i++)"
    assert planned[waited + 1].strip().startswith("printf")
    assert re.sub(r" *#pragma.*\n", "", once) == text
    source.write_text(once)
    again = annotate_file(source, PreprocessOptions(), AnnotateOptions(), copies=True).after
    assert again == once
    assert "host_sync();" in (made(once, tmp_path).folder / "weigh.c").read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "body",
    [
        "x = A[3];",  # at once
        "B[1] = 3; x = A[3];",  # nothing takes its time
        f"{SERIAL} A[3] = 1; x = A[3];",  # it is another value
        f"{SERIAL} m = 5; x = A[m];",
        f"{SERIAL} p++; x = p[m];",
        f"{SERIAL} if (m > 1) x = A[3];",
        f"{SERIAL} if (m > 1) return 0; x = A[3];",
        f"{SERIAL} {AGAIN} x = A[3];",
        f"{{ {SERIAL} x = A[3]; }}",
    ],
)
def test_copies_that_may_be_for_nothing_do_not(body: str, tmp_path: Path) -> None:
    assert "copyout(&" not in host(f"{KERNEL} {body}", tmp_path).replace("copyout(A,", "")


def test_pragmas_inside_of_kernels_say_nothing(tmp_path: Path) -> None:
    nest = "for (int n = 0; n < 9; n++) {\n#pragma species copyout B[0:N-1]|4\n"
    nest += "for (int i = 0; i < N; i++) C[n][i] = B[i] + n;\n#pragma species sync 4\n}"
    text = host(f"{KERNEL} {KERNEL.replace('A', 'B')} {nest} x = C[3][4] + B[2];", tmp_path)
    assert "copyout(&B" not in text
    assert "weigh_k4" not in text
