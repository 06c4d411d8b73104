"""`cuvier machine`: what it finds, what it writes, and what compiling makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from cuvier.base.errors import UserError
from cuvier.commands.common.generation import GenerationOptions, compile_options
from cuvier.machine import devices, processor, store
from cuvier.machine.describe import stream_bytes
from cuvier.machine.system import read_system
from cuvier.machine.text import as_values, as_yaml, summary
from models.machine import DEFAULT, Cache, Device, Machine, Rate, machine_of, read_machine
from skeletons import CompileOptions, Library, SkeletonError, compile_unit
from skeletons.schedule.pipelines.registry import NEST_PASSES
from skeletons.sums.contraction import TUNING, tuning_of
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT
from transfers import around_kernels

GPU = Device(
    "cuda",
    'a "fast" one',
    "gpu",
    132,
    32,
    1024,
    49152,
    65536,
    10**11,
    10**9,
    4e12,
    6e13,
    3e13,
    "sm_90",
    2.5e-6,
)
NODE = replace(DEFAULT, name="node: 7", region=1.25e-6, devices=(GPU,))
SMALL = Machine(
    "small",
    2,
    16,
    (Cache(1, 16384, 32, 1), Cache(2, 262144, 32, 2)),
    Rate(1e9, 2e9),
    Rate(4e9, 8e9),
    Rate(2e9, 4e9),
    1e-6,
)


def cuvier(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "cuvier", *arguments]
    root = str(ROOT)
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": root}
    )


# --- the file ---


@pytest.mark.parametrize("machine", [DEFAULT, NODE, SMALL])
def test_what_is_written_is_read(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    path.write_text(as_yaml(machine))
    assert read_machine(path) == replace(machine, origin=str(path))
    assert machine_of(as_values(machine), str(path)) == replace(machine, origin=str(path))
    assert machine.name in "\n".join(summary(machine))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("cores: 4", "cores: none", "5:8: cores: 'none' is not of type 'integer'"),
        ("cores: 4", "cores: 0", "5:8: cores: 0 is less than the minimum of 1"),
        ("cores: 4", "horses: 4", "5:1: unknown entry 'horses'"),
        ("cores: 4\n", "", "'cores' is a required property"),
        ("region: 0.000001", "region: 1e-6", "'1e-6' is not of type 'number'"),
        ("region: 0.000001", "region: .nan", "region: is no number"),
        ("name: ", "name: [", "not valid YAML"),
    ],
)
def test_mistakes_are_named_with_their_place(before: str, after: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    assert before in as_yaml(DEFAULT)
    path.write_text(as_yaml(DEFAULT).replace(before, after))
    with pytest.raises(SkeletonError) as caught:
        read_machine(path)
    assert str(caught.value).startswith(f"{path}:") and complaint in str(caught.value)


def test_older_descriptions_say_nothing_of_copies() -> None:
    values = as_values(replace(NODE, devices=(GPU,)))
    for key in ("launch", "latency", "copying"):
        del values["devices"][0][key]
    assert machine_of(values, "").device("cuda") == replace(GPU, launch=DEFAULT.device("cuda").launch)


def test_levels_may_be_missing() -> None:
    assert SMALL.cache(1).bytes == 16384
    assert SMALL.cache(3) == SMALL.cache(2)
    assert SMALL.device("cuda").kind == "gpu"  # assumed
    assert NODE.device("cuda") == GPU and NODE.device("opencl").api == "opencl"


# --- what the system says ---


def fake_sys(root: Path, *caches: tuple[int, str, str, str, str]) -> Path:
    for k, (level, kind, size, line, sharing) in enumerate(caches):
        folder = root / f"sys/devices/system/cpu/cpu4/cache/index{k}"
        folder.mkdir(parents=True)
        texts = {"level": str(level), "type": kind, "size": size, "coherency_line_size": line}
        for name, text in (texts | {"shared_cpu_list": sharing}).items():
            (folder / name).write_text(text + "\n")
    return root


def test_caches_as_sys_tells(tmp_path: Path) -> None:
    data, code = (1, "Data", "48K", "64", "4,20"), (1, "Instruction", "32K", "64", "4,20")
    root = fake_sys(
        tmp_path, data, code, (2, "Unified", "2048K", "64", "4-5"), (3, "Unified", "36M", "64", "0-23")
    )
    expected = (Cache(1, 49152, 64, 1), Cache(2, 1 << 21, 64, 2), Cache(3, 36 << 20, 64, 3))
    assert processor.caches([4, 5, 6], root) == (expected, "/sys")


@pytest.mark.parametrize("size", ["", "unknown", "0K", "-32K"])
def test_what_sys_does_not_tell_is_not_believed(size: str, tmp_path: Path) -> None:
    root = fake_sys(
        tmp_path,
        (1, "Data", "32K", "0", ""),
        (2, "Unified", size, "64", "4"),
        (3, "Unified", "4M", "64", "4"),
    )
    assert processor.caches([4], root) == ((Cache(1, 32768, 64, 1),), "/sys")


def test_getconf_is_asked_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = "LEVEL1_DCACHE_SIZE 65536\nLEVEL1_DCACHE_LINESIZE 128\nLEVEL2_CACHE_SIZE 0\nPATH /bin\n"
    done = subprocess.CompletedProcess([], 0, told, "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert processor.caches([0], tmp_path) == ((Cache(1, 65536, 128, 1),), "getconf")


def test_else_caches_are_assumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    assert processor.caches([0], tmp_path) == (DEFAULT.caches, "assumed")


def test_the_name_of_the_processor(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor\t: 0\nmodel name\t: Some  CPU @ 2 GHz\n")
    assert processor.name(tmp_path) == "Some CPU @ 2 GHz"
    assert processor.name(tmp_path / "none")


def test_arrays_are_beyond_the_caches_and_within_memory() -> None:
    huge = (Cache(1, 32768, 64, 1), Cache(2, 1 << 30, 64, 8))
    assert stream_bytes(DEFAULT.caches, 10**12) == 400_000_000
    assert stream_bytes(huge, 10**12) == 4 << 30
    assert stream_bytes(huge, 10**9) == 250_000_000


def test_devices_are_what_their_programs_print() -> None:
    lines = {key: str(value) for key, value in vars(GPU).items()}
    assert devices.device_of({**lines, "later": "1"}) == GPU


# --- the command ---


@pytest.mark.long
def test_the_machine_is_measured_and_used(tmp_path: Path) -> None:
    done = cuvier("machine", "--output", "deep/m.yaml", "--json", "--force", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    machine = read_machine(tmp_path / "deep/m.yaml")
    assert json.loads(done.stdout) == yaml.safe_load((tmp_path / "deep/m.yaml").read_text()) | {
        "devices": json.loads(done.stdout)["devices"]
    }
    assert machine.cores == len(os.sched_getaffinity(0))
    assert 1e8 < machine.bandwidth.one < 1e13 and 1e8 < machine.double.one < machine.single.one * 1.5
    assert 1e-9 < machine.region < 1
    assert all(d.bandwidth > 0 for d in machine.devices)
    assert all(line.startswith("cuvier: ") for line in done.stderr.splitlines())


def test_no_compiler_is_said_with_a_way_out(tmp_path: Path) -> None:
    done = cuvier("machine", "--cc", "no-such-cc", "-o", "m.yaml", folder=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "no-such-cc" in done.stderr and "--cc" in done.stderr and not (tmp_path / "m.yaml").exists()


def test_a_compiler_without_openmp_is_said(tmp_path: Path) -> None:
    fake = tmp_path / "cc"
    fake.write_text(
        '#!/bin/sh\ncase "$*" in *fopenmp*) echo "no -fopenmp here" >&2; exit 1;; esac\nexec cc "$@"\n'
    )
    fake.chmod(0o755)
    done = cuvier("machine", "--cc", str(fake), "-o", "m.yaml", folder=tmp_path)
    assert done.returncode == 2 and "no -fopenmp here" in done.stderr and "OpenMP" in done.stderr


# --- which description is used ---


def test_the_default_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(store.VARIABLE)
    assert store.default_path() == tmp_path / "cuvier/machine.yaml"
    assert store.load(None) == read_system()
    store.default_path().parent.mkdir()
    store.default_path().write_text(as_yaml(NODE))
    assert store.load(None) == replace(NODE, origin=str(store.default_path()))
    assert store.load(store.BUILT_IN) == DEFAULT
    monkeypatch.setenv(store.VARIABLE, store.BUILT_IN)
    assert store.load(None) == DEFAULT
    monkeypatch.setenv(store.VARIABLE, str(store.default_path()))
    assert store.load(None).name == NODE.name and store.load(store.BUILT_IN) == DEFAULT
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")  # to be ignored, says the specification
    monkeypatch.setenv("HOME", "/home/someone")
    assert store.default_path() == Path("/home/someone/.config/cuvier/machine.yaml")


def test_bad_descriptions_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        store.load(str(tmp_path / "none.yaml"))
    (tmp_path / "bad.yaml").write_text("name: x\n")
    with pytest.raises(UserError, match=r"bad.yaml:1:1: error: .*writes it anew"):
        store.load(str(tmp_path / "bad.yaml"))


def test_options_carry_the_machine(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(as_yaml(SMALL))
    wanted = GenerationOptions("openmp", machine=str(tmp_path / "m.yaml"))
    options = compile_options(PreprocessOptions(), wanted)
    assert options.machine.name == "small"
    with pytest.raises(UserError, match="unknown transformation"):
        compile_options(PreprocessOptions(), GenerationOptions("openmp", without=["nothing"]))


def test_explain_says_which(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(as_yaml(NODE))
    (tmp_path / "p.c").write_text("double a[99]; void f(void) { for (int i = 0; i < 99; i++) a[i] = i; }\n")
    words = ["compile", "p.c", "--target", "openmp", "-o", "out", "--explain"]
    first = cuvier(*words, folder=tmp_path).stdout.splitlines()[0]
    assert first == f"machine: built-in ({DEFAULT.name}; `cuvier machine` describes yours)"
    assert cuvier(*words, "--machine", "m.yaml", folder=tmp_path).stdout.startswith(
        "machine: m.yaml (node: 7)\n"
    )


# --- what it changes ---

PRODUCT = """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];"""
STRIPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[j] += A[i][j] * z[i];"
STEPS = """for (int t = 0; t < 50; t++) {
    for (int i = 1; i < 399; i++) for (int j = 1; j < 399; j++) B[i][j] = A[i - 1][j];
    for (int i = 1; i < 399; i++) for (int j = 1; j < 399; j++) A[i][j] = B[i][j]; }"""


def compiled(body: str, machine: Machine, *without: str) -> str:
    text = "double rate(double x) { return 2 * x; }\n"
    text += (
        f"double A[4000][4000], B[4000][4000], C[4000][4000], y[4000], z[4000]; void f(int n) {{ {body} }}"
    )
    unit = read_translation_unit("nests.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    options = CompileOptions(machine=machine, without=frozenset(without))
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), options).files[
        "nests.c"
    ]


def test_blocks_of_products_come_from_the_caches() -> None:
    assert tuning_of(DEFAULT) == TUNING
    tuning = tuning_of(SMALL)
    assert (tuning["KC"], tuning["MC"], tuning["NC"]) == (256, 24, 128)
    assert "BLOCK_DEPTH = 256,\n    TASK_ROWS = 24 /" in compiled(PRODUCT, SMALL)
    assert "TASK_ROWS = 96 /" in compiled(PRODUCT, DEFAULT)
    server = replace(
        DEFAULT, caches=(Cache(1, 49152, 64, 1), Cache(2, 1 << 21, 64, 1), Cache(3, 105 << 20, 64, 56))
    )
    assert {k: tuning_of(server)[k] for k in ("KC", "MC", "NC", "TASKS")} == {
        "KC": 384,
        "MC": 120,
        "NC": 320,
        "TASKS": 16,
    }


def test_strips_and_tiles_come_from_the_machine() -> None:
    wide = replace(DEFAULT, caches=(Cache(1, 1 << 17, 128, 1), Cache(2, 1 << 22, 128, 4)), cores=16)
    assert " 128" in compiled(STRIPS, DEFAULT, "gather") and " 256" in compiled(STRIPS, wide, "gather")
    assert compiled(STEPS, DEFAULT) != compiled(STEPS, wide)


def test_short_loops_are_joined_for_many_cores() -> None:
    body = "for (int i = 0; i < 40; i++) for (int j = 0; j < n; j++) C[i][j] = y[j] > 0 ? rate(z[j]) : 0;"
    assert "collapse(2)" not in compiled(body, DEFAULT, *NEST_PASSES)
    assert "collapse(2)" in compiled(body, replace(DEFAULT, cores=64), *NEST_PASSES)
