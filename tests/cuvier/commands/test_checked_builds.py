"""`compile` gives its program to the compilers of the machine, and leaves out what they refuse."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit
from cuvier.building.faults import first_fault
from cuvier.cli import build_app
from skeletons import Library
from species.loops.defects import STRICT

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("make")), reason="needs a C compiler `cc` and make"
)

APP = """\
double a[100], b[100], c[100];
void f(void) {
    for (int i = 0; i < 100; i++)
        a[i] = i;
    b[3] = a[4];
    for (int i = 0; i < 100; i++)
        c[i] = 2 * a[i] + b[i];
}
int main(void) { f(); return c[5] != 10; }
"""
# Skeletons of somebody's that write no C where they meet an array `c`.
OPENMP = "{% if 'c[i]' in host.loop %}oops oops;{% endif %}\n{{ host.loop }}\n"
DEVICE = """\
{% from 'nest.j2' import open, close, iteration %}
{% from 'parts.j2' import head, ids, counts %}
{{ head(kernel) }}
{{- open(kernel, ids, counts) }}
{% for array in kernel.arrays if array.name == 'c' %}oops oops;{% endfor %}
{{- iteration(kernel, '    ' * (kernel.loops | length + 1)) }}
{{- close(kernel) -}}
}
"""


def compiled(source: Path, *arguments: str, check: bool = True) -> Result:
    flags = ["compile", str(source), "-o", str(source.parent / "out"), *arguments]
    return CliRunner().invoke(build_app(), [*flags, "--check" if check else "--no-check"])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "app.c").write_text(APP)
    return tmp_path / "app.c"


@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
def test_a_program_that_builds_is_said_to(source: Path, target: str) -> None:
    done = compiled(source, "--target", target, "--explain", "--cc", "cc")
    assert done.exit_code == 0
    assert "app.c" in done.stdout and "cc takes it" in done.stdout
    if target == "cuda":
        word = "nvcc takes it" if shutil.which("nvcc") else "not checked"
        assert f"app_kernels.cu: {word}" in done.stdout


def test_without_a_check_nothing_is_said(source: Path) -> None:
    done = compiled(source, "--target", "openmp", "--explain", check=False)
    assert done.exit_code == 0 and "takes it" not in done.stdout


def test_a_file_that_does_not_compile_is_no_defect(source: Path) -> None:
    source.write_text(APP + "int twice = 1; int twice = 2;\n")
    done = compiled(source, "--target", "openmp")
    assert isinstance(done.exception, UserError)
    assert "redefinition of 'twice'" in str(done.exception).replace("‘", "'").replace("’", "'")


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of such skeletons, which are contained as they are at a user's."""
    monkeypatch.delenv(STRICT)
    for target, role, text in (("openmp", "host", OPENMP), ("opencl", "device", DEVICE)):
        known = Library.load().target(target).folder / "default.yaml"
        folder = tmp_path / "own" / target
        folder.mkdir(parents=True)
        (folder / "default.yaml").write_text(known.read_text().replace(f"default.{role}.j2", "own.j2"))
        (folder / "own.j2").write_text(text)
    return tmp_path / "own"


ALL = ("--without", "threshold")  # short loops, too


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_a_kernel_that_does_not_build_is_left_on_the_host(source: Path, broken: Path, target: str) -> None:
    flags = (
        "--target",
        target,
        "--skeletons",
        str(broken),
        "--skeleton",
        "default",
        "--without",
        "fuse",
        *ALL,
    )
    done = compiled(source, *flags, "--explain")
    assert done.exit_code == 0, done.output
    assert "does not build with it: app_k2" in done.stderr and "oops" in done.stderr
    subprocess.run(["make", "-s", "-C", source.parent / "out"], check=True)
    assert subprocess.run([source.parent / "out" / "app"]).returncode == 0
    assert "oops" not in "".join(file.read_text() for file in (source.parent / "out").glob("app*.c*"))


def test_where_nothing_is_contained_it_is_an_error(
    source: Path, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STRICT, "1")
    flags = ("--target", "openmp", "--skeletons", str(broken), "--skeleton", "default", *ALL)
    done = compiled(source, *flags)
    assert done.exit_code == Exit.INTERNAL
    assert "app.c:" in done.stderr and "--no-check" in done.stderr and not (source.parent / "out").exists()
    assert compiled(source, *flags, check=False).exit_code == 0


def test_a_kernel_is_left_on_the_host_by_name(source: Path) -> None:
    done = compiled(source, "--target", "openmp", "--skeleton", "app_k1=none", "--explain", check=False)
    assert done.exit_code == 0 and "app_k1: none" in done.stdout, done.output
    unknown = compiled(source, "--target", "openmp", "--skeleton", "nobody=none")
    assert isinstance(unknown.exception, UserError)


MESSAGES = {
    "gcc": ("app.c:12:5: error: unknown type name", ("app.c", 12)),
    "clang": ("/tmp/x/file.cl:7:1: fatal error: too many errors", ("file.cl", 7)),
    "PoCL": ("error: /root/.cache/pocl/tempfile.cl:40:1: use of undeclared identifier", ("tempfile.cl", 40)),
    "make": ("make: *** No rule to make target 'b.c', needed by 'a'.  Stop.", ("Makefile", 1)),
    "command line": ("<command-line>: error: expected ';'", ("<command-line>", 1)),
    "nvcc": ('app_kernels.cu(45): error: identifier "oops" is undefined', ("app_kernels.cu", 45)),
}


@pytest.mark.parametrize("compiler", MESSAGES)
def test_the_messages_of_compilers(compiler: str) -> None:
    said, (file, line) = MESSAGES[compiler]
    fault = first_fault(compiler, f"a word before\n{said}\nmake: *** [Makefile:9: app.o] Error 1\n")
    assert fault is not None and (fault.file, fault.line) == (file, line)
