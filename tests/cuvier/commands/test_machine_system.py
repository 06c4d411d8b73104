"""The machine that is assumed is the user's, as the system tells; what is measured under load is not kept."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.batch.job import Job
from cuvier.batch.keys import job_key
from cuvier.machine import disturbance, limits, store
from cuvier.machine.disturbance import Moment, apart, disturbances
from cuvier.machine.system import read_system
from cuvier.machine.text import as_yaml
from cuvier.report.choices import explained
from models.machine import DEFAULT, Rate, read_machine
from skeletons import CompileOptions, Program
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions
from tests.support.places import ROOT


def fake(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def cpuinfo(flags: str) -> dict[str, str]:
    return {"proc/cpuinfo": f"processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu sse sse2 {flags}"}


def caches(cpu: int, size: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu{cpu}/cache/index0"
    about = {"level": "1", "type": "Data", "size": size, "coherency_line_size": "64", "shared_cpu_list": "0"}
    return {f"{folder}/{name}": text for name, text in about.items()}


def on(monkeypatch: pytest.MonkeyPatch, *usable: int) -> None:
    monkeypatch.setattr(limits, "cores", lambda: list(usable))


# --- what the system tells ---


@pytest.mark.parametrize(
    ("flags", "size"), [("", 16), ("ssse3 avx avx2", 32), ("avx avx2 fma avx512f avx512dq", 64)]
)
def test_vectors_are_those_of_the_processor(
    flags: str, size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on(monkeypatch, 0, 1)
    found = read_system(fake(tmp_path, cpuinfo(flags) | caches(0, "48K")))
    assert found.vector_bytes == size and found.cores == 2 and found.name == "Some CPU"
    assert found.caches[0].bytes == 48 << 10 and found.origin == store.SYSTEM


@pytest.mark.parametrize(
    ("line", "size"),
    [("Features : fp asimd evtstrm aes", 16), ("cpu : POWER9, altivec supported", 16), ("isa : rv64gc", 8)],
)
def test_other_processors(line: str, size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on(monkeypatch, 0)
    assert read_system(fake(tmp_path, {"proc/cpuinfo": f"processor : 0\n{line}"})).vector_bytes == size


def test_rates_follow_cores_and_vectors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the built-in description's cores and vectors, they are its rates."""
    root = fake(tmp_path, cpuinfo("avx"))
    on(monkeypatch, 0, 1, 2, 3)
    found = read_system(root)
    assert (found.single, found.double, found.bandwidth) == (
        DEFAULT.single,
        DEFAULT.double,
        DEFAULT.bandwidth,
    )
    assert found.region == DEFAULT.region
    on(monkeypatch, *range(64))
    many = read_system(root)
    assert many.double == Rate(40e9, 64 * 40e9) and many.region == 16 * DEFAULT.region
    assert many.bandwidth == Rate(12.8e9, 10 * 12.8e9)
    on(monkeypatch, 5)
    one = read_system(root)
    assert one.cores == 1 and one.bandwidth.all == one.bandwidth.one and one.double.all == one.double.one


def test_threads_of_one_core_share_its_units(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    siblings = {
        f"sys/devices/system/cpu/cpu{k}/topology/thread_siblings_list": f"{k % 2},{k % 2 + 2}"
        for k in range(4)
    }
    on(monkeypatch, 0, 1, 2, 3)
    found = read_system(fake(tmp_path, cpuinfo("avx") | siblings))
    assert found.cores == 4 and found.double == Rate(40e9, 80e9)


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({}, 8),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"}, 8),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "250000 100000"}, 2),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
        ({"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/cpu.max": "300000 100000"}, 3),
        ({"proc/self/cgroup": "0::/not/seen/here", "sys/fs/cgroup/cpu.max": "400000 100000"}, 4),
        (
            {
                "proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/job\n0::/",
                "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "200000",
                "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            2,
        ),
        ({"proc/self/cgroup": "nonsense", "sys/fs/cgroup/cpu.max": "1 0"}, 8),
    ],
)
def test_a_quota_counts(files: dict[str, str], count: int, tmp_path: Path) -> None:
    assert limits.count(list(range(8)), fake(tmp_path, files)) == count


def test_without_a_description_it_is_the_built_in_one(tmp_path: Path) -> None:
    assert read_system(tmp_path) == DEFAULT


def test_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(store.VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = store.load(None)
    assert found == store.load(None)  # what is written depends on it
    if Path("/proc/cpuinfo").exists():
        assert found.cores <= len(os.sched_getaffinity(0)) and found.origin == store.SYSTEM
        (tmp_path / "m.yaml").write_text(as_yaml(found))
        assert read_machine(tmp_path / "m.yaml").cores == found.cores


def test_what_is_told_of_it() -> None:
    machine = replace(DEFAULT, name="Some CPU", cores=2, origin=store.SYSTEM)
    about = "Some CPU, 2 cores, vectors of 256 bits; `cuvier machine` measures its rates"
    told = explained(Program({}, ()), CompileOptions(machine=machine))
    assert told == f"machine: read from the system ({about})\n"


def test_results_are_kept_for_one_machine() -> None:
    keys = {
        job_key(Job("p.c", PreprocessOptions(), AnalysisOptions(), machine=machine), "x")
        for machine in (None, DEFAULT, replace(DEFAULT, cores=2))
    }
    assert len(keys) == 3


# --- what is measured under load ---

QUIET = Moment(clock=100.0, busy=50.0, stolen=1.0, own=20.0, load=0.1)


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (Moment(110.0, 60.0, 1.0, 29.5, 9.0), ""),  # all of it was ours; the load average is ours too
        (Moment(110.0, 64.0, 1.0, 30.0, 0.1), "other processes used 0.4 processors meanwhile"),
        (Moment(110.0, 55.0, 3.0, 25.0, 0.1), "the hypervisor gave 10 % of the time to other systems"),
        (Moment(110.0, 20.0, 1.0, 30.0, 0.1), ""),  # counters went back: nothing is known
    ],
)
def test_others(after: Moment, words: str) -> None:
    assert "; ".join(disturbances(QUIET, after, 2)) == words


def test_where_nobody_tells_the_load_average_counts() -> None:
    after = Moment(110.0, None, None, 30.0, 3.0)
    assert not disturbances(replace(QUIET, busy=None, stolen=None), after, 2)
    busy = replace(QUIET, busy=None, stolen=None, load=1.5)
    assert disturbances(busy, after, 2) == ["other processes used 1.5 processors before"]


def test_measurements_that_differ() -> None:
    assert apart("a rate", [9.0, 10.0], 0.2) == []
    assert apart("a rate", [6.0, 10.0], 0.2) == ["two measurements of a rate differ by 40 %"]


def test_times_are_those_of_the_usable_processors(tmp_path: Path) -> None:
    rows = ["cpu 9 9 9 9 9 9 9 9 0 0", "cpu0 100 0 50 900 7 1 2 30 5 0", "cpu1 800 0 0 0 0 0 0 0 0 0"]
    found = disturbance.moment([0], fake(tmp_path, {"proc/stat": "\n".join(rows)}))
    tick = os.sysconf("SC_CLK_TCK")
    assert (found.busy, found.stolen) == (153 / tick, 30 / tick)
    assert disturbance.moment([7], tmp_path).busy is None


def test_our_own_processes_are_no_others() -> None:
    before = disturbance.moment([0])
    subprocess.run([sys.executable, "-c", "for _ in range(5_000_000): pass"], check=True)
    after = disturbance.moment([0])
    assert 0.01 < after.own - before.own < 60


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="nobody tells of other processes")
def test_what_is_measured_under_load_is_not_kept(tmp_path: Path) -> None:
    """Others are as many busy processes as there are processors."""
    (tmp_path / "m.yaml").write_text("as it was")
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(len(os.sched_getaffinity(0)))]
    words = [sys.executable, "-m", "cuvier", "machine", "-o", str(tmp_path / "m.yaml")]
    try:
        done, forced = (
            subprocess.run([*words, *more], cwd=ROOT, capture_output=True, text=True, check=False)
            for more in ((), ("--force",))
        )
        kept = (tmp_path / "m.yaml").read_text()
    finally:
        for each in others:
            each.kill()
            each.wait()
    assert done.returncode == 1 and done.stdout.endswith("NOT WRITTEN\n")
    assert "error: MEASURED UNDER LOAD, NOT WRITTEN: other processes used" in done.stderr
    assert "run `cuvier machine` again when nothing else runs" in done.stderr and "--force" in done.stderr
    assert forced.returncode == 0 and "warning: MEASURED UNDER LOAD" in forced.stderr
    assert kept.startswith("# MEASURED UNDER LOAD") and read_machine(tmp_path / "m.yaml").cores
