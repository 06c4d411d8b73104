"""The library CGCM: random programs against a model, and what programs can say to it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from skeletons.shim import build_command, translate
from tests.cgcm.programs import program
from tests.support.accelerated import has_opencl, run, shim_library
from tests.support.places import ROOT, TESTS

LIBRARY = ROOT / "runtime"
HERE = TESTS / "cgcm"
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-g")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@functools.cache
def driver(device: str) -> Path:
    """The driver for a device, built once a process."""
    folder = Path(tempfile.mkdtemp(prefix=f"cgcm-{device}-"))
    sources = [HERE / "driver.c", LIBRARY / "cgcm.c", LIBRARY / f"cgcm_{device}.c"]
    includes = ["-I", LIBRARY, "-I", HERE / device]
    if device == "host":
        run("gcc", *STRICT, *SANITIZERS, *includes, *sources, "-o", folder / "driver")
    elif device == "opencl":
        run(
            "gcc",
            *STRICT,
            "-DCL_TARGET_OPENCL_VERSION=120",
            *includes,
            *sources,
            "-o",
            folder / "driver",
            "-lOpenCL",
        )
    else:
        _build_cuda(folder)
    return folder / "driver"


def _build_cuda(folder: Path) -> None:
    """With the host shim: the library is C, all that sees CUDA is C++."""
    run("gcc", *STRICT, "-c", "-I", LIBRARY, LIBRARY / "cgcm.c", "-o", folder / "cgcm.o")
    text = (
        (HERE / "driver.c")
        .read_text()
        .replace('#include "device.h"', (HERE / "cuda" / "device.h").read_text())
    )
    (folder / "driver.cu").write_text(text)
    translate(folder / "driver.cu", folder / "driver.cpp")
    extra = [
        "-I",
        str(LIBRARY),
        "-x",
        "c++",
        str(LIBRARY / "cgcm_cuda.c"),
        "-x",
        "none",
        str(folder / "cgcm.o"),
    ]
    library = shim_library()
    run(
        *build_command("g++", folder / "driver.cpp", folder / "driver", extra, sanitize=True, library=library)
    )


def check(device: str, seed: int, steps: int) -> None:
    limit = 1 << 60 if seed % 2 else 600
    commands, expected = program(seed, steps, limit, checking=seed % 3 == 0)
    settings = {"CGCM_DEVICE_BYTES": str(limit), "CGCM_CHECK": "1" if seed % 3 == 0 else "0"}
    done = subprocess.run(
        [driver(device)], input=commands, capture_output=True, text=True, env={**os.environ, **settings}
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split("\n")[:-1] == expected.split("\n")


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_on_host_memory(seed: int) -> None:
    check("host", seed, 300)


@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
@pytest.mark.parametrize("seed", range(100, 106))
def test_random_programs_on_opencl(seed: int) -> None:
    check("opencl", seed, 200)


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("seed", range(200, 203))
def test_random_programs_on_cuda(seed: int) -> None:
    check("cuda", seed, 200)


@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
def test_the_arena_grows_until_it_is_full(tmp_path: Path) -> None:
    sources = [HERE / "opencl" / "arena.c", LIBRARY / "cgcm.c", LIBRARY / "cgcm_opencl.c"]
    includes = [
        "-I",
        LIBRARY,
        "-I",
        HERE / "opencl",
        "-Wno-unused-function",
        "-DCL_TARGET_OPENCL_VERSION=120",
    ]
    run("gcc", *STRICT, *includes, *sources, "-o", tmp_path / "arena", "-lOpenCL")
    done = subprocess.run([tmp_path / "arena"], capture_output=True, text=True)
    assert done.stdout == "grown, 0 bytes\n" and done.returncode == 1
    assert (
        "cgcm: the device has no memory left for huge, 70368744177664 bytes; 0 bytes are in use"
        in done.stderr
    )


def built(text: str, folder: Path, *flags: str) -> Path:
    """A program that uses the library with host memory."""
    source = folder / "app.c"
    source.write_text(text)
    sources = [source, LIBRARY / "cgcm.c", LIBRARY / "cgcm_host.c"]
    strict = [flag for flag in STRICT if flag != "-pedantic"]
    run("gcc", *strict, *SANITIZERS, "-I", LIBRARY, *sources, *flags, "-o", folder / "app")
    return folder / "app"


HEAD = """#define CGCM_WRAP
#include <stdio.h>
#include <string.h>
#include "cgcm.h"
#define AT(type, address) ((type *)(uintptr_t)(address))
"""


def said(body: str, folder: Path, **settings: str) -> str:
    """What a program with this `main` complains of, when it ends with status 1."""
    binary = built(f"{HEAD}int main(void)\n{{\n  cgcm_use_host();\n{body}\n  return 0;\n}}\n", folder)
    done = subprocess.run([binary], capture_output=True, text=True, env={**os.environ, **settings})
    assert done.returncode == 1 and done.stdout == "", done.stderr
    return done.stderr


UNIT = "double *a = malloc(8 * sizeof *a); memset(a, 0, 64);"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("double x; cgcm_map(&x);", ["leads to no allocation unit", "cgcm_declare_alloca"]),
        (f"{UNIT} cgcm_map(a + 9);", ["leads to no allocation unit"]),
        (f"{UNIT} cgcm_unmap(a);", ["app.c:9 is to be unmapped and is not mapped"]),
        (f"{UNIT} cgcm_map(a); cgcm_release(a); cgcm_release(a);", ["app.c:9 is released more often"]),
        (f"{UNIT} cgcm_map(a); cgcm_map(a + 1); free(a);", ["app.c:9 is freed while it is mapped (2 times)"]),
        (f"{UNIT} cgcm_map(a); a = realloc(a, 99);", ["app.c:9 is reallocated while it is mapped"]),
        (f"{UNIT} cgcm_map(a); cgcm_forget(a);", ["is forgotten while it is mapped"]),
        ("{ CGCM_SCOPE; int x = 0; cgcm_declare_alloca(\"x\", &x, sizeof x); cgcm_map(&x); }",
         ["x goes out of scope while it is mapped"]),
        (f'{UNIT} cgcm_declare("b", a + 2, 8, 0);', ["b has memory that is a part of", "cgcm_forget"]),
        ("double **t = calloc(3, sizeof *t); double x; t[1] = &x; cgcm_map_array(t);",
         ["pointer 1 of", "app.c:9 is 0x", "make it a null pointer"]),
        ("char *t = calloc(13, 1); cgcm_map_array(t);", ["is no array of pointers: it has 13 bytes"]),
        ("char *t = calloc(16, 1); cgcm_map_array(t + 3);", ["is inside of a pointer of"]),
        (f"{UNIT} cgcm_map(a); cgcm_launched(\"k\"); cgcm_update(a);", ["which cgcm_update would undo"]),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(body: str, words: list[str], tmp_path: Path) -> None:
    found = said(body, tmp_path)
    assert found.startswith("cgcm: ") and all(word in found for word in words), found


def test_a_device_that_is_full(tmp_path: Path) -> None:
    body = """  double *a = malloc(800), *b = malloc(160);
  double *c = calloc(100, 1);
  cgcm_map(a); cgcm_map(a); cgcm_map(b); cgcm_map(c);"""
    found = said(body, tmp_path, CGCM_DEVICE_BYTES="1000")
    assert f"no memory left for {tmp_path}/app.c:10, 100 bytes; 960 bytes are in use" in found
    assert f"{tmp_path}/app.c:9 (800 bytes, 2 times)" in found and "app.c:9 (160 bytes, 1 times)" in found


def test_many_units_are_not_all_listed(tmp_path: Path) -> None:
    body = "  for (int k = 0; k < 11; k++) cgcm_map(calloc(10, 1));"
    assert ", and 2 others: release" in said(body, tmp_path, CGCM_DEVICE_BYTES="100")


def test_writes_of_the_host_are_found(tmp_path: Path) -> None:
    body = f'{UNIT} cgcm_map(a); a[2] = 1; cgcm_launched("k");'
    assert "has written to" in said(body, tmp_path, CGCM_CHECK="1")


def test_no_device(tmp_path: Path) -> None:
    text = HEAD + "int main(void) { cgcm_map(malloc(8)); return 0; }"
    done = subprocess.run([built(text, tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "call cgcm_use_host" in done.stderr


SCOPES = """
static int deep(int n)
{
  CGCM_SCOPE;
  int x[4] = {n, n, n, n};
  cgcm_declare_alloca("x", x, sizeof x);
  *AT(int, cgcm_map(x + 1)) += 1;
  cgcm_launched("k");
  const int below = n ? deep(n - 1) : 0;
  cgcm_unmap(x);
  cgcm_release(x + 2);
  return below + x[1];
}

static const double table[3] = {1, 2, 3};
static double twin[3];

int main(void)
{
  cgcm_use_host();
  printf("%d %lu\\n", deep(5), cgcm_total().units);
  cgcm_declare_global("table", table, sizeof table, 1);
  cgcm_declare_global("table", table, sizeof table, 1);
  cgcm_place_global(table, (cgcm_address)(uintptr_t)twin);
  printf("%d\\n", cgcm_map(table + 1) == (cgcm_address)(uintptr_t)(twin + 1));
  cgcm_launched("k");
  cgcm_unmap(table);
  cgcm_release(table);
  printf("%g %lu\\n", twin[2], cgcm_total().device_bytes);
  cgcm_map(NULL); cgcm_unmap(NULL); cgcm_release(NULL); cgcm_map_array(NULL);
  char *gone = malloc(32);
  cgcm_forget(gone);
  cgcm_declare("part", gone + 8, 8, 0);
  printf("%lu\\n", cgcm_total().units);
  cgcm_forget(gone + 8);
  free(gone);
  return 0;
}
"""


def test_scopes_globals_and_parts_of_pools(tmp_path: Path) -> None:
    assert run(built(HEAD + SCOPES, tmp_path)) == "21 0\n1\n3 0\n2\n"


def test_counters(tmp_path: Path) -> None:
    body = """int main(void)
{
  cgcm_use_host();
  double *a = calloc(4, 8), **t = calloc(2, sizeof *t);
  t[0] = a; t[1] = a + 2;
  for (int k = 0; k < 3; k++) {
    cgcm_map_array(t); cgcm_launched("k"); cgcm_unmap_array(t); cgcm_release_array(t);
  }
  free(a); free(t);
  return 0;
}
"""
    run(built(HEAD + body, tmp_path), CUVIER_COUNTERS=str(tmp_path / "counters.json"))
    unit = f"{tmp_path}/app.c:9"
    assert json.loads((tmp_path / "counters.json").read_text()) == {
        "copies": [
            {"array": unit, "direction": "in", "count": 6, "bytes": 3 * (32 + 16)},
            {"array": unit, "direction": "out", "count": 3, "bytes": 96},
        ],
        "launches": {"k": 3},
        "waits": 3,
    }


def test_programs_that_know_nothing_of_it(tmp_path: Path) -> None:
    """Linked with cgcm_wrap.c, a program registers its blocks by itself; many of them, in any order."""
    user = tmp_path / "user.c"
    user.write_text("""#include <stdlib.h>
struct node { struct node *next; int value; };
struct node *list(int n)
{
  struct node *first = NULL;
  for (int k = 0; k < n; k++) {
    struct node *one = malloc(sizeof *one);
    one->next = first; one->value = k;
    first = one;
    if (k % 3 == 0)
      free(realloc(calloc(2, k), 3 * k + 1));
  }
  return first;
}
void end(struct node *one)
{
  while (one) { struct node *next = one->next; free(one); one = next; }
}
""")
    text = """#include <stdio.h>
#include "cgcm.h"
struct node { struct node *next; int value; };
struct node *list(int n);
void end(struct node *one);
int main(void)
{
  cgcm_use_host();
  struct node *first = list(30000);
  printf("%lu", cgcm_total().units);
  for (struct node *one = first; one; one = one->next) {
    ((struct node *)(uintptr_t)cgcm_map(&one->next))->value++;
    cgcm_launched("k");
    cgcm_unmap(one);
    cgcm_release(one);
  }
  printf(" %d %d", first->value, first->next->value);
  end(first);
  printf(" %lu\\n", cgcm_total().units);
  return 0;
}
"""
    names = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free")
    wrap = "-Wl," + ",".join(f"--wrap={name}" for name in names)
    binary = built(text, tmp_path, str(user), str(LIBRARY / "cgcm_wrap.c"), wrap)
    assert run(binary) == "30000 30000 29999 0\n"


def test_threads(tmp_path: Path) -> None:
    """Each thread allocates and maps blocks of its own; the sanitizer finds races."""
    text = """#include <pthread.h>
static void *work(void *argument)
{
  for (int k = 0; k < 300; k++) {
    CGCM_SCOPE;
    int local[2] = {0, 1}, *block = calloc(64, sizeof *block);
    cgcm_declare_alloca("local", local, sizeof local);
    *AT(int, cgcm_map(block + k % 64)) = k;
    *AT(int, cgcm_map(local)) = k;
    cgcm_launched("k");
    cgcm_unmap(block); cgcm_unmap(local);
    cgcm_release(block); cgcm_release(local);
    if (block[k % 64] != k || local[0] != k) *(int *)argument = 1;
    free(block);
  }
  return NULL;
}
int main(void)
{
  pthread_t threads[4];
  int wrong[4] = {0};
  cgcm_use_host();
  for (int k = 0; k < 4; k++) pthread_create(&threads[k], NULL, work, &wrong[k]);
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  printf("%d %lu\\n", wrong[0] + wrong[1] + wrong[2] + wrong[3], cgcm_total().units);
  return 0;
}
"""
    assert (
        run(built(HEAD + text, tmp_path, "-fno-sanitize=address", "-fsanitize=thread", "-pthread")) == "0 0\n"
    )


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_nvcc_takes_it(tmp_path: Path) -> None:
    command = [
        "nvcc",
        "-x",
        "cu",
        "-Werror",
        "all-warnings",
        "-c",
        LIBRARY / "cgcm_cuda.c",
        "-o",
        tmp_path / "x.o",
    ]
    run(*command)
