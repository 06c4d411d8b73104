"""The host shim runs CUDA programs right, in every thread order, and notices what they do wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from skeletons.shim import build_command, library_command, shim_include_dir, translate
from tests.support.places import TESTS

SOURCES = TESTS / "shim"
ORDERS = ["forward", "reverse", "random", "random:12345"]
WARNINGS = ["-O1", "-Wall", "-Wextra", "-Werror"]
STOPPED = 86  # exit status of a program that the shim ends

EXPECTED = {
    "vector_add": "749250.0\n",
    "grid2d": "3438101612940681595 cudaSuccess\n",
    "matmul": "0 wrong, no error\n",
    "tree_reduction": "24985 cudaSuccess\n",
    "warp": "496 248 124 4260607557632 496 496 28 15 1227133513 61 \n"
    "1520 760 380 13056700579840 1520 1520 284 207 2454267026 2 \ncudaSuccess\n",
    "histogram": "179 179 192 191 191 191 191 192 191 191 192 191 191 180 179 179 "
    "190434.0 2 252 ffffffffffffffff 0 cudaSuccess\n",
}


@dataclass(frozen=True)
class Build:
    """One way to build a program: sanitizers or not, the hand-written switch or the portable one; with the
    shim's definitions in headers or in a library.
    """

    sanitize: bool = False
    flags: tuple[str, ...] = ()
    library: bool = True


PLAIN = Build()
SANITIZED = Build(sanitize=True)
PORTABLE = Build(flags=("-DCUVIER_SHIM_UCONTEXT",))
HEADERS = Build(library=False)
HEADERS_SANITIZED = Build(sanitize=True, library=False)
IDS = {
    PLAIN: "plain",
    SANITIZED: "sanitized",
    PORTABLE: "portable",
    HEADERS: "headers",
    HEADERS_SANITIZED: "headers-sanitized",
}

Program = Callable[[str, Build], Path]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Builds tests/shim/<name>.cu once for each kind of build; skips without g++."""
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    folder = tmp_path_factory.mktemp("shim")
    built: dict[tuple[str, Build], Path] = {}
    libraries: dict[Build, Path] = {}

    def library(kind: Build) -> Path | None:
        if kind.library and kind not in libraries:
            libraries[kind] = folder / f"shim{len(libraries)}.o"
            command = library_command("g++", libraries[kind], [*WARNINGS, *kind.flags], kind.sanitize)
            subprocess.run(command, check=True)
        return libraries.get(kind)

    def build(name: str, kind: Build) -> Path:
        if (name, kind) not in built:
            executable = folder / f"{name}{len(built)}"
            text = executable.with_suffix(".cpp")
            translate(SOURCES / f"{name}.cu", text)
            flags = [*WARNINGS, *kind.flags]
            command = build_command("g++", text, executable, flags, kind.sanitize, library(kind))
            subprocess.run(command, check=True)
            built[name, kind] = executable
        return built[name, kind]

    return build


def run(executable: Path, *arguments: str, order: str = "forward") -> subprocess.CompletedProcess[str]:
    """The finished run of a program, with its output as text."""
    environment = {**os.environ, "CUVIER_SHIM_ORDER": order}
    command = [str(executable), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", EXPECTED)
def test_results_do_not_depend_on_the_order_of_threads(program: Program, name: str, order: str) -> None:
    done = run(program(name, PLAIN), order=order)
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPECTED[name], "")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("order", ["forward", "random"])
@pytest.mark.parametrize("name", ["matmul", "tree_reduction", "warp"])
@pytest.mark.parametrize("kind", [SANITIZED, PORTABLE, HEADERS], ids=IDS.get)
def test_other_builds_give_the_same(program: Program, name: str, order: str, kind: Build) -> None:
    done = run(program(name, kind), order=order)
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPECTED[name], "")


STOPS = {
    "over": "out-of-bounds write 0 bytes after the end of device memory of 256 bytes (allocated at",
    "under": "out-of-bounds write 8 bytes before the start of device memory of 256 bytes (allocated at",
    "dynamic": "after the end of the 124 bytes of dynamic shared memory of kernel dynamic",
    "divergence": "waits in __syncthreads at {file}:16, thread (16,0,0) in __syncthreads at {file}:18",
    "half-warp": "waits in __shfl_sync at {file}:24, thread (16,0,0) in __syncthreads at {file}:25",
}


@pytest.mark.parametrize("kind", [PLAIN, HEADERS], ids=IDS.get)
@pytest.mark.parametrize("mistake", STOPS)
def test_a_broken_rule_stops_the_program(program: Program, mistake: str, kind: Build) -> None:
    done = run(program("misuse", kind), mistake)
    assert done.returncode == STOPPED
    assert done.stderr.startswith("cuvier host shim: ")
    assert STOPS[mistake].format(file=SOURCES / "misuse.cu") in done.stderr


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", [SANITIZED, HEADERS_SANITIZED], ids=IDS.get)
@pytest.mark.parametrize("mistake", ["over", "under", "dynamic", "host-read"])
def test_address_sanitizer_names_the_line(program: Program, mistake: str, kind: Build) -> None:
    done = run(program("misuse", kind), mistake)
    line = {"over": 8, "under": 8, "dynamic": 36, "host-read": 80}[mistake]
    assert done.returncode != 0
    assert "use-after-poison" in done.stderr
    assert f"misuse.cu:{line}" in done.stderr.split("#1")[0]


REPORTED = {
    "": "cudaSuccess",
    "uninitialised": "1\ncudaSuccess",
    "leftovers": "42 0\ncudaSuccess",
    "big-block": "cudaErrorInvalidConfiguration",
    "no-block": "cudaErrorInvalidConfiguration",
    "tall-grid": "cudaErrorInvalidConfiguration",
    "much-shared": "cudaErrorInvalidValue",
    "host-kernel": "cudaErrorIllegalAddress",
    "host-copy": "cudaErrorInvalidValue",
    "device-copy": "cudaErrorInvalidValue",
    "long-copy": "cudaErrorInvalidValue",
    "long-set": "cudaErrorInvalidValue",
    "free-host": "cudaErrorInvalidValue",
    "free-twice": "cudaErrorInvalidValue",
    "too-large": "cudaErrorMemoryAllocation",
}


@pytest.mark.parametrize("kind", [PLAIN, SANITIZED, HEADERS, HEADERS_SANITIZED], ids=IDS.get)
@pytest.mark.parametrize("mistake", REPORTED)
def test_a_wrong_call_returns_cudas_error(program: Program, mistake: str, kind: Build) -> None:
    done = run(program("misuse", kind), mistake)
    assert (done.returncode, done.stdout) == (0, f"{REPORTED[mistake]}\n")


def test_a_host_pointer_is_named(program: Program) -> None:
    done = run(program("misuse", PLAIN), "host-kernel")
    assert "argument 1 of kernel fill" in done.stderr
    assert "is not a device pointer" in done.stderr


def test_an_unknown_order_is_refused(program: Program) -> None:
    done = run(program("vector_add", PLAIN), order="backwards")
    assert done.returncode == STOPPED
    assert "say forward, reverse, random or random:<seed>" in done.stderr


@pytest.mark.parametrize("order", ["forward", "reverse", "random:3"])
def test_a_race_shows_in_the_order(program: Program, order: str) -> None:
    """Without its barrier the last thread to run wins; the seed makes the random winner repeatable."""
    first, again = (run(program("order", PLAIN), order=order).stdout for _ in range(2))
    assert first == again
    expected = {"forward": "31 3 4\n", "reverse": "0 0 4\n"}
    assert first == expected.get(order, first)
    assert first.endswith(" 4\n")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*EXPECTED, "misuse", "order", "api"])
def test_nvcc_compiles_the_same_file(name: str, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    command = [nvcc, "-arch=sm_75", "-c", str(SOURCES / f"{name}.cu"), "-o", str(tmp_path / "object.o")]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", [PLAIN, SANITIZED, HEADERS], ids=IDS.get)
def test_the_rest_of_the_interface(program: Program, kind: Build) -> None:
    done = run(program("api", kind))
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_library_without_the_sanitizer_does_not_link(tmp_path: Path) -> None:
    translate(SOURCES / "vector_add.cu", tmp_path / "app.cpp")
    subprocess.run(library_command("g++", tmp_path / "shim.o"), check=True)
    command = build_command(
        "g++", tmp_path / "app.cpp", tmp_path / "app", sanitize=True, library=tmp_path / "shim.o"
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "cuvier_shim::with_address_sanitizer::run_kernel" in done.stderr


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_program_with_a_library_reads_few_headers() -> None:
    """It is what makes its build fast: the headers declare, and need no containers for it."""
    header = str(shim_include_dir() / "cuda_runtime.h")
    command = ["g++", "-std=c++17", "-x", "c++", "-M", "-w", header]
    heavy = {"chrono", "functional", "iostream", "map", "memory", "mutex", "string", "tuple", "vector"}
    found = []
    for mode in ([], ["-DCUVIER_SHIM_LIBRARY"]):
        read = subprocess.run([*command, *mode], capture_output=True, text=True, check=True).stdout
        found.append({Path(word).name for word in read.split()} & heavy)
    assert {"map", "mutex", "vector"} <= found[0] and found[1] == set()
