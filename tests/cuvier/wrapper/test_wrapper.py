"""`cuvier cc` in the place of a compiler: what builds see, and what becomes of loops."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.wrapper.invocation import Kind, read_invocation
from cuvier.wrapper.notes import notes_in
from tests.support.places import ROOT

HEAT = """\
#include "sizes.h"
#include <stdio.h>
static double now[N], next[N];
static const char *where(void) { return __FILE__; }
void step(void)
{
  for (int i = 1; i < N - 1; i++)
    next[i] = 0.25 * (now[i - 1] + 2 * now[i] + now[i + 1]) + 0.001 * (now[i] * now[i] - next[i]);
  for (int i = 1; i < N - 1; i++)
    now[i] = next[i];
}
void show(void) { printf("%.12f %s\\n", now[N / 2], where()); }
void fill(void)
{
  for (int i = 0; i < N; i++)
    now[i] = i % 7;
}
"""
MAIN = """\
void fill(void), step(void), show(void);
int main(void) { fill(); for (int t = 0; t < 9; t++) step(); show(); return 0; }
"""
MAKEFILE = """\
CFLAGS = -O2 -MMD -Iinclude
app: main.o libheat.a
\t$(CC) main.o -L. -lheat -o app
libheat.a: src/heat.o
\tar rcs libheat.a src/heat.o
"""
CUVIER = (sys.executable, "-m", "cuvier", "cc")


def cc(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The wrapper, run as a build runs a compiler."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [*CUVIER, *arguments], cwd=folder, env=known, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    for name, text in (
        ("src/heat.c", HEAT),
        ("include/sizes.h", "enum { N = 4000000 };\n"),
        ("main.c", MAIN),
        ("Makefile", MAKEFILE),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_a_build_with_make(project: Path) -> None:
    make = ("make", "-C", str(project))
    run(*make, "CC=gcc", folder=project)
    expected, noted = run("./app", folder=project), (project / "src" / "heat.d").read_text()
    run("rm", "app", "libheat.a", "src/heat.o", "src/heat.d", "main.o", folder=project)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUVIER_CC": "gcc"}
    built = subprocess.run(
        [*make, f"CC={' '.join(CUVIER)}"], env=environment, capture_output=True, text=True, check=True
    )
    assert "cuvier: app: 3 of 3 loops in 1 file run on threads" in built.stderr
    assert run("./app", folder=project) == expected
    assert "src/heat.c" in expected
    assert (project / "src" / "heat.d").read_text() == noted
    assert "GOMP_parallel" in run("nm", "-u", "src/heat.o", folder=project)


def test_sources_and_output_in_one_command(project: Path) -> None:
    done = cc("gcc", "-O2", "-Iinclude", "src/heat.c", "main.c", folder=project)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "cuvier: a.out: 3 of 3 loops in 1 file run on threads\n"
    assert run("./a.out", folder=project).endswith(" src/heat.c\n")


def test_shared_libraries(project: Path) -> None:
    cc("gcc", "-O2", "-fPIC", "-Iinclude", "-c", "src/heat.c", folder=project)
    done = cc("gcc", "-shared", "heat.o", "-o", "libheat.so", folder=project)
    assert "libheat.so: 3 of 3 loops" in done.stderr
    run("gcc", "main.c", "-L.", "-lheat", "-Wl,-rpath,.", "-o", "app", folder=project)
    assert run("./app", folder=project).endswith(" src/heat.c\n")


def test_libraries_that_are_unloaded(project: Path) -> None:
    (project / "load.c").write_text("""#include <dlfcn.h>
#include <unistd.h>
int main(void) {
  for (int k = 0; k < 3; k++) {
    void *heat = dlopen("./libheat.so", RTLD_NOW);
    if (!heat) return 1;
    ((void (*)(void))dlsym(heat, "fill"))();
    ((void (*)(void))dlsym(heat, "step"))();
    ((void (*)(void))dlsym(heat, "show"))();
    dlclose(heat);
    usleep(20000);
  }
  return 0;
}
""")
    cc("-O2", "-Iinclude", "-fPIC", "-shared", "src/heat.c", "-o", "libheat.so", folder=project)
    assert sum(run for _, run, _ in notes_in([str(project / "libheat.so")]))
    run("gcc", "load.c", "-o", "load", folder=project)
    threads = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active"}  # they spin
    ran = subprocess.run(
        [project / "load"], cwd=project, env=threads, capture_output=True, text=True, check=True
    )
    lines = ran.stdout.splitlines()
    assert len(lines) == 3 and len(set(lines)) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("-dumpmachine",),
        ("-E", "main.c"),
        ("-fsyntax-only", "-Wall", "bad.c"),
        ("-c", "bad.c"),
        ("-c", "gone.c"),
        ("-Wall", "-Wextra", "-c", "warned.c"),
        ("main.c",),  # what it calls is not there
        (),
    ],
    ids=" ".join,
)
def test_all_else_is_the_compilers(arguments: tuple[str, ...], project: Path) -> None:
    (project / "bad.c").write_text("int f(void) { for (;;) return 1 }\n")
    (project / "warned.c").write_text("int f(int n) { for (unsigned i = 0; i < n; i++) ; }\n")
    ours = cc("gcc", *arguments, folder=project)
    theirs = subprocess.run(["gcc", *arguments], cwd=project, capture_output=True, text=True, check=False)
    assert ours.returncode == theirs.returncode
    assert ours.stdout == theirs.stdout
    assert _steady(ours.stderr) == _steady(theirs.stderr)


def _steady(text: str) -> list[str]:
    """The lines without names of temporary files."""
    return [line for line in text.splitlines() if "/tmp/cc" not in line]


def test_what_became_of_each_file(project: Path) -> None:
    (project / "omp.c").write_text(
        "double a[9];\nvoid f(void) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) a[i] = i; }\n"
    )
    (project / "short.c").write_text("double b[9];\nvoid g(void) { for (int i = 0; i < 9; i++) b[i] = i; }\n")
    for name in ("main.c", "omp.c", "short.c", "src/heat.c"):
        done = cc("--log", "cc.log", "gcc", "-Iinclude", "-O2", "-c", name, folder=project)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    log = [json.loads(line) for line in (project / "cc.log").read_text().splitlines()]
    assert [(each["file"], each["status"], each["run"]) for each in log] == [
        ("main.c", "as it was", 0),
        ("omp.c", "as it was", 0),
        ("short.c", "as it was", 0),
        ("src/heat.c", "threads", 3),
    ]
    assert "OpenMP" in log[1]["why"]
    assert [*notes_in([str(project / "heat.o"), str(project / "short.o")])] == [("src/heat.c", 3, 3)]


def test_a_file_that_takes_too_long_is_the_compilers(project: Path) -> None:
    arguments = ("-Iinclude", "-O2", "-c", "src/heat.c")
    run("gcc", *arguments, "-o", "gcc.o", folder=project)
    cc("--limit", "0.01", "--log=cc.log", "gcc", *arguments, folder=project)
    assert "took longer than 0.01 s" in (project / "cc.log").read_text()
    assert (project / "heat.o").read_bytes() == (project / "gcc.o").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "cuda", "-c", "main.c"), "--target cuda: this command is for openmp"),
        (("--limit", "soon", "-c", "main.c"), "--limit soon: not a number"),
    ],
)
def test_bad_options_of_ours(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = cc(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_without_a_compiler(tmp_path: Path) -> None:
    done = cc("-c", "main.c", folder=tmp_path, PATH=str(tmp_path))
    assert done.returncode == 2
    assert "there is no C compiler here" in done.stderr


@pytest.mark.parametrize(
    ("line", "kind", "output"),
    [
        ("-O2 -c a.c", Kind.COMPILE, "a.o"),
        ("-O2 -c x/a.c -o y/b.o -MD -MF b.d", Kind.COMPILE, "y/b.o"),
        ("-c a.c -oa.lo -x c", Kind.COMPILE, "a.lo"),
        ("a.o b.a libc.so.6 -lm", Kind.LINK, "a.out"),
        ("-include a.c -c b.c", Kind.COMPILE, "b.o"),
        ("-c a.c b.c", Kind.OTHER, "a.out"),
        ("-c a.S", Kind.OTHER, "a.out"),
        ("-c a.cpp", Kind.OTHER, "a.out"),
        ("-x c++ -c a.c", Kind.OTHER, "a.out"),
        ("-c a.c -o /dev/null", Kind.OTHER, "/dev/null"),
        ("-E a.c", Kind.OTHER, "a.out"),
        ("-M a.c -c", Kind.OTHER, "a.out"),
        ("@options", Kind.OTHER, "a.out"),
        ("-c -flto=auto a.c", Kind.OTHER, "a.out"),
        ("-x c -", Kind.OTHER, "a.out"),
    ],
)
def test_commands(line: str, kind: Kind, output: str) -> None:
    said = read_invocation("gcc", line.split())
    assert said.kind is kind
    assert said.arguments == line.split()
    if kind is not Kind.OTHER:
        assert said.output == output


def test_the_command_for_another_text() -> None:
    said = read_invocation("gcc", ["-O2", "-MD", "-MF", "a.d", "-DX=1", "-c", "src/a.c", "-o", "out/a.o"])
    made = said.variant({"src/a.c": "/t/a.c"}, "/t/a.o", ["-fopenmp"])
    assert made == ["gcc", "-fopenmp", "-O2", "-DX=1", "-c", "/t/a.c", "-o", "/t/a.o"]


OUTPUTS = {
    "a link": ("ln", "-s"),
    "another name": ("ln",),
}


@pytest.mark.parametrize("command", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_links_to_the_output_stay(command: tuple[str, ...], project: Path) -> None:
    (project / "real.o").write_text("")
    run(*command, "real.o", "heat.o", folder=project)
    cc("gcc", "-O2", "-Iinclude", "-c", "src/heat.c", "-o", "heat.o", folder=project)
    assert (project / "heat.o").samefile(project / "real.o")
    assert "GOMP_parallel" in run("nm", "-u", "real.o", folder=project)


@pytest.mark.parametrize(
    ("before", "arguments"),
    [
        ("echo 'heat.o main.o' > objects", "@objects -o app"),
        ("cp heat.o heat", "main.o heat -o app"),
        ("ar rcs libheat.a heat.o", "main.o -L. -l:libheat.a -o app"),
        ("ar rcs libheat.a heat.o", "main.o -Wl,heat.o -o app"),
    ],
)
def test_objects_that_no_argument_names(before: str, arguments: str, project: Path) -> None:
    cc("gcc", "-O2", "-Iinclude", "-c", "src/heat.c", folder=project)
    run("gcc", "-c", "main.c", folder=project)
    run("sh", "-c", before, folder=project)
    done = cc("gcc", *arguments.split(), folder=project)
    assert done.returncode == 0, done.stderr
    assert "undefined" not in done.stderr
    assert run("./app", folder=project).endswith(" src/heat.c\n")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("-ffile-prefix-map=src=/x", "/x/heat.c"),
        ("-fmacro-prefix-map=s=t -ffile-prefix-map=q=r", "trc/heat.c"),
    ],
)
def test_names_of_files_in_builds_that_change_them(options: str, name: str, project: Path) -> None:
    cc("gcc", "-O2", "-Iinclude", *options.split(), "src/heat.c", "main.c", folder=project)
    assert run("./a.out", folder=project).split()[-1] == name


def test_dependencies_that_the_preprocessor_notes(project: Path) -> None:
    cc("gcc", "-O2", "-Iinclude", "-Wp,-MMD,heat.d", "-c", "src/heat.c", folder=project)
    assert (project / "heat.d").read_text().split() == ["heat.o:", "src/heat.c", "include/sizes.h"]


@pytest.mark.parametrize("text", ['#line 9 "gen.y"\n', "#include <fenv.h>\n"])
def test_files_that_are_the_compilers(text: str, project: Path) -> None:
    (project / "src" / "heat.c").write_text(text + HEAT)
    cc("--log", "cc.log", "gcc", "-O2", "-Iinclude", "-c", "src/heat.c", folder=project)
    assert json.loads((project / "cc.log").read_text())["status"] == "as it was"


def test_files_of_one_name_are_counted_one_by_one(project: Path) -> None:
    (project / "more").mkdir()
    (project / "more" / "heat.c").write_text(
        HEAT.replace("step(", "step2(").replace("show(", "show2(").replace("fill(", "fill2(")
    )
    done = cc("gcc", "-O2", "-Iinclude", "src/heat.c", "more/heat.c", "main.c", folder=project)
    assert "6 of 6 loops in 2 files" in done.stderr


def test_a_compiler_that_is_not_there(tmp_path: Path) -> None:
    done = cc("-c", "main.c", folder=tmp_path, CUVIER_CC="nogcc")
    assert done.returncode == 2
    assert "'nogcc'" in done.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '/* for ever\n   while */ // do\nconst char *say = "for \\" do"; int q = \'"\';\n',
            "it has no loops",
        ),
        (
            'const char *a = "/*"; int b[9];\nvoid f(void) { for (int i = 0; i < 9; i++) b[i] = i; }\n',
            "short",
        ),
    ],
)
def test_loops_are_looked_for_in_code(text: str, why: str, project: Path) -> None:
    (project / "words.c").write_text(text)
    assert cc("--log", "cc.log", "gcc", "-c", "words.c", folder=project).returncode == 0
    assert why in json.loads((project / "cc.log").read_text())["why"]


SCALE = "void scale(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.5 + 1; }\n"
ALONE = """\
#include <stdio.h>
#include <stdlib.h>
void scale(double *x, int n);
void GOMP_parallel(void (*f)(void *), void *data, unsigned threads, unsigned flags) { abort(); }
int main(void) { double x[9] = { 4 }; scale(x, 9); printf("%g\\n", x[0]); return 0; }
"""


def test_a_loop_that_is_too_short_does_not_ask_the_runtime(project: Path) -> None:
    """LAME spent a quarter of its time on regions of one thread."""
    (project / "scale.c").write_text(SCALE)
    (project / "alone.c").write_text(ALONE)
    cc("--log", "cc.log", "gcc", "-O2", "-c", "scale.c", folder=project)
    assert json.loads((project / "cc.log").read_text())["run"] == 1
    run("gcc", "-w", "alone.c", "scale.o", "-o", "app", "-lgomp", folder=project)
    assert run("./app", folder=project) == "3\n"
