"""`cuvier doctor`: what it says of a machine, and what it tells somebody to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cuvier.doctor.examine import NEEDED
from cuvier.doctor.finding import good, missing
from cuvier.doctor.text import lines
from tests.support.places import ROOT


@dataclass(frozen=True)
class Answer:
    """The exit status and the checks by name."""

    status: int
    checks: Mapping[str, Mapping[str, str]]

    def of(self, name: str) -> tuple[str, str, str]:
        """The mark, what was found, and the way out."""
        check = self.checks[name]
        return check["mark"], check["found"], check["way_out"]


def run(
    folder: Path, *arguments: str, path: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CUVIER_MACHINE")}
    paths = {"PATH": str(path)} if path else {"NVCC": "no-nvcc"}  # which takes long
    return subprocess.run(
        [sys.executable, "-m", "cuvier", "doctor", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def doctor(folder: Path, *arguments: str, path: Path | None = None, **environment: str) -> Answer:
    done = run(folder, "--json", *arguments, path=path, **environment)
    document = json.loads(done.stdout)
    assert document["complete"] == (done.returncode == 0)
    return Answer(done.returncode, {each["name"]: each for each in document["checks"]})


def tools(folder: Path, **scripts: str) -> Path:
    """A PATH with the usual tools but compilers, and these programs."""
    place = folder / "bin"
    place.mkdir()
    for name in ("sh", "make", "as", "ld", "collect2", "cp", "chmod", "echo"):
        if found := shutil.which(name):
            (place / name).symlink_to(found)
    for name, text in scripts.items():
        (place / name.replace("_", "-")).write_text(f"#!/bin/sh\n{text}\n")
        (place / name.replace("_", "-")).chmod(0o755)
    return place


GCC = f'exec {shutil.which("gcc")} "$@"'


# --- on this machine ---


def test_a_machine_on_which_tests_run_has_what_is_needed(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "needed" and lines[-1] == "all that is needed is here"
    sections = [line for line in lines[:-1] if not line.startswith("  ")]
    assert sections == ["needed", "for OpenMP", "for OpenCL", "for CUDA", "optional"]
    for line in lines[:-1]:
        if line.startswith(("  missing", "  problem")):
            assert " -> " in line, "a way out"
        elif line.startswith("  "):
            assert line.startswith("  ok ") and " -> " not in line
    assert "\x1b" not in done.stdout


def test_threads_are_counted_by_a_program(tmp_path: Path) -> None:
    mark, found, _ = doctor(tmp_path, OMP_NUM_THREADS="3").of("OpenMP")
    assert mark == "ok" and found.startswith("3 threads on ") and "(OMP_NUM_THREADS=3)" in found


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    answer = doctor(home, TMPDIR=str(scratch), XDG_CACHE_HOME=str(home / "c"), POCL_CACHE_DIR=str(tmp_path))
    assert answer.of("cache") == ("ok", f"{home / 'c' / 'cuvier' / 'batch'}, to be made", "")
    assert list(home.iterdir()) == [] and list(scratch.iterdir()) == []


# --- compilers ---


def test_without_a_compiler_it_says_so_once_and_how_to_get_one(tmp_path: Path) -> None:
    answer = doctor(tmp_path, path=tools(tmp_path))
    mark, _, way_out = answer.of("C compiler")
    assert answer.status == 1 and mark == "missing" and "gcc libc6-dev" in way_out and "--cc" in way_out
    for name in ("OpenMP", "vectors", "headers", "library", "devices"):
        assert answer.of(name)[1] == "not tried, for want of a C compiler"


@pytest.mark.parametrize(
    ("cc", "mark", "said"),
    [
        ("no-such-compiler", "missing", "there is no 'no-such-compiler'"),
        ("gcc '", "missing", "there is no 'gcc ''"),
        ("none", "missing", "nothing can be built"),
        ("false", "problem", "false does not compile"),
        ("true", "problem", "what true builds does not run: No such file"),
        ("gcc --no-such-flag", "problem", "unrecognized command-line option"),
    ],
)
def test_compilers_that_do_not_work(tmp_path: Path, cc: str, mark: str, said: str) -> None:
    for answer in (doctor(tmp_path, CC=cc), doctor(tmp_path, "--cc", cc)):
        assert answer.status == 1
        assert answer.of("C compiler")[0] == mark and said in answer.of("C compiler")[1]


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_gcc_alone_is_not_enough_for_commands_that_look_for_cc(tmp_path: Path) -> None:
    path = tools(tmp_path, gcc=GCC)
    assert doctor(tmp_path, path=path).of("C compiler")[2] == "export CC=gcc"
    assert doctor(tmp_path, path=path, CC="gcc").status == 0


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_a_compiler_without_openmp_and_one_without_opencl(tmp_path: Path) -> None:
    refusing = (
        'for word; do case "$word" in -fopenmp|-lOpenCL) echo "error: no $word" >&2; exit 1; esac; done\n'
    )
    answer = doctor(tmp_path, path=tools(tmp_path, cc=refusing + GCC))
    assert answer.status == 0, "neither is needed for the rest"
    mark, found, way_out = answer.of("OpenMP")
    assert mark == "missing" and "error: no -fopenmp" in found and "libgomp1" in way_out
    mark, found, way_out = answer.of("library")
    assert mark == "missing" and "error: no -lOpenCL" in found and "ocl-icd-opencl-dev" in way_out
    assert "pocl-opencl-icd" in answer.of("devices")[2]


def test_without_make(tmp_path: Path) -> None:
    path = tools(tmp_path)
    (path / "make").unlink()
    answer = doctor(tmp_path, path=path)
    assert answer.status == 1 and answer.of("make")[0] == "missing"


# --- OpenCL and CUDA ---


def test_a_machine_without_opencl_platforms(tmp_path: Path) -> None:
    answer = doctor(tmp_path, OCL_ICD_VENDORS=str(tmp_path))
    if answer.of("library")[0] != "ok" or answer.of("headers")[0] != "ok":
        pytest.skip("needs OpenCL")
    mark, found, way_out = answer.of("devices")
    assert (mark, found) == ("missing", "no platform has one") and "pocl-opencl-icd" in way_out


def test_a_device_that_the_environment_names_and_that_is_not_there(tmp_path: Path) -> None:
    if doctor(tmp_path).of("devices")[0] != "ok":
        pytest.skip("needs an OpenCL device")
    mark, found, way_out = doctor(tmp_path, CUVIER_OPENCL_DEVICE="7").of("devices")
    assert mark == "problem" and "none that the environment names" in found
    assert "CUVIER_OPENCL_DEVICE" in way_out


def test_a_machine_with_a_gpu(tmp_path: Path) -> None:
    """As far as one without can tell: both programs are scripts."""
    device = "echo 'GPU 0: NVIDIA H100 (UUID: x)'"
    program = "echo '#!/bin/sh' > $6; echo 'echo NVIDIA H100, sm_90' >> $6; chmod +x $6"
    nvcc = f"case $1 in --version) echo 'release 13.0, V13';; *) set -- 0 0 $*; {program};; esac"
    answer = doctor(tmp_path, path=tools(tmp_path, nvidia_smi=device, nvcc=nvcc))
    assert answer.of("nvcc")[:2] == ("ok", f"CUDA 13.0 ({tmp_path / 'bin' / 'nvcc'}): compiles")
    assert answer.of("GPU")[:2] == ("ok", "NVIDIA H100, sm_90: runs a kernel")


def test_nvcc_that_does_not_take_the_host_compiler(tmp_path: Path) -> None:
    nvcc = (
        "echo 'host_config.h:1:2: error: -- unsupported GNU version! gcc versions later than 13' >&2; exit 1"
    )
    answer = doctor(tmp_path, path=tools(tmp_path, nvcc=nvcc))
    mark, found, way_out = answer.of("nvcc")
    assert mark == "problem" and "unsupported GNU version" in found and "-ccbin" in way_out
    assert answer.of("GPU")[:2] == ("missing", "no driver answers (nvidia-smi)")
    assert "g++" in answer.of("host shim")[1]


# --- wrong input ---


def test_no_directory(tmp_path: Path) -> None:
    (tmp_path / "app.c").touch()
    for name in ("nowhere", "app.c"):
        done = run(tmp_path, name)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.startswith(f"cuvier: error: no such directory: '{name}'")
        assert done.stderr.count("\n") == 1


def test_names_do_not_command_a_terminal(tmp_path: Path) -> None:
    odd = tmp_path / "a\x1b[31mb"
    odd.mkdir()
    done = run(tmp_path, str(odd))
    assert "\x1b" not in done.stdout and "\\x1b[31m" in done.stdout


def test_colours_are_the_marks_alone() -> None:
    found = [(NEEDED, good("Python", "3.11")), (NEEDED, missing("make", "none", "get \x1b[31m it"))]
    plain, coloured = (list(lines(found, coloured=each)) for each in (False, True))
    assert plain[1:] == [
        "  ok       Python        3.11",
        "  missing  make          none -> get \\x1b[31m it",
    ]
    assert coloured[1:] == [
        "  \x1b[32mok\x1b[0m       Python        3.11",
        "  \x1b[33mmissing\x1b[0m  make          none -> get \\x1b[31m it",
    ]
