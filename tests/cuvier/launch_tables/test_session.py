"""`cuvier profile` measures, keeps and shows; the program here is one that only says that it ran."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cuvier.base.processes import Outcome
from cuvier.cli import build_app
from cuvier.launch_tables import session as sessions
from cuvier.launch_tables.session import Session, Vary
from cuvier.launch_tables.store import load
from cuvier.launch_tables.tables_picture import drawn
from cuvier.launch_tables.versioned_program import ProgramFailed, VersionedProgram
from models.prediction.tables import Size

MANIFEST = {
    "program": "app",
    "source": "/nowhere/app.c",
    "target": "opencl,openmp",
    "std": None,
    "include_dirs": [],
    "defines": [],
    "flags": [],
    "kernels": [{"name": "app_k1", "hash": "a"}, {"name": "app_k2", "hash": "b"}],
}


@dataclass(frozen=True)
class Stub(VersionedProgram):
    """Launches take a microsecond to begin on the device, and then a tenth of the host's time."""

    ran: list[tuple[str, str, int]] = field(default_factory=list)
    device: str = "a device, driver 1"

    def run(self, arguments: Sequence[str], policy: str, threads: int, timeout: float) -> Mapping[str, Any]:
        self.ran.append((" ".join(arguments), policy, threads))
        if policy == "gpu" and not self.device:
            raise ProgramFailed(policy, Outcome(1, b"", b"no platform\n"))
        n = float(arguments[0])
        seconds = 1e-6 + n * 1e-10 if policy == "gpu" else n * 1e-9 / threads
        version = "device" if policy == "gpu" else "host"
        point = {"version": version, "outer": n, "parallel": n, "work": n, "count": 1}
        points = [
            {**point, "kernel": k, "fastest": seconds, "seconds": seconds} for k in ("app_k1", "app_k2")
        ]
        return {"device": self.device if policy == "gpu" else "", "threads": threads, "points": points}


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = (((1.0, 1e-6), (1e6, 1e-4)), ((1.0, 2e-6), (1e6, 2e-4)))
    monkeypatch.setattr(sessions, "thread_counts", lambda: [1, 2])
    monkeypatch.setattr(sessions.transfer_curves, "measured", lambda program, seconds: curves)


def _session(program: Stub, processor: str = "a processor") -> Session:
    return Session(program, processor, (60.0, 10.0), lambda passed, step: None, lambda text: None)


def test_every_version_is_run_and_kept(tmp_path: Path) -> None:
    program = Stub(tmp_path, MANIFEST)
    _session(program).profile(["1000"], None)
    assert program.ran == [("1000", "cpu", 1)] * 2 + [("1000", "cpu", 2)] * 2 + [("1000", "gpu", 2)] * 3
    found = load(program)
    assert found is not None and found.device == program.device
    tables = found.tables.kernels["app_k1"]
    assert tables.host_seconds(2, Size(1000, 1000, 1000)) == pytest.approx(5e-7)
    assert tables.device_seconds(Size(1000, 1000, 1000)) == pytest.approx(1.1e-6)
    assert '"app_k1", 2, 1, cuvier_app_k1_2' in (tmp_path / "app_tables.h").read_text()
    _session(program).profile(["1000"], None)
    assert len(program.ran) == 7  # nothing is measured twice


def test_a_varied_argument_covers_its_range(tmp_path: Path) -> None:
    """Predictions between what was measured are right, at both ends, and where the device begins to win."""
    program = Stub(tmp_path, MANIFEST)
    tables = _session(program).profile(["7", "x"], Vary(1, 10, 100_000)).tables.kernels["app_k2"]
    assert {ran.split()[1] for ran, *_ in program.ran} == {"x"}
    for n in (10, 55, 1200, 3000, 70_000, 100_000):
        assert tables.device_seconds(Size(n, n, n)) == pytest.approx(1e-6 + n * 1e-10, rel=0.3)
        assert tables.host_seconds(1, Size(n, n, n)) == pytest.approx(n * 1e-9)


def test_kernels_that_were_compiled_anew_are_measured_anew(tmp_path: Path) -> None:
    program = Stub(tmp_path, MANIFEST)
    _session(program).profile(["1000"], None)
    kernels = [{"name": "app_k1", "hash": "a"}, {"name": "app_k2", "hash": "changed"}]
    other = replace(program, manifest={**MANIFEST, "kernels": kernels})
    kept = _session(other).measured
    assert {each.kernel for run in kept.runs for each in run.launches} == {"app_k1"}
    assert _session(program, "another processor").measured.runs == ()


def test_tables_of_another_device_go(tmp_path: Path) -> None:
    program = Stub(tmp_path, MANIFEST)
    _session(program).profile(["1000"], None)
    other = replace(program, device="another device, driver 2")
    found = _session(other).profile(["2000"], None)
    assert found.device == "another device, driver 2"
    assert [run.arguments for run in found.runs if run.threads == 0] == [("2000",)]
    assert len([run for run in found.runs if run.threads]) == 4


def test_without_a_device_the_host_is_measured(tmp_path: Path) -> None:
    warnings: list[str] = []
    program = Stub(tmp_path, MANIFEST, device="")
    session = Session(program, "a processor", (60.0, 10.0), lambda passed, step: None, warnings.append)
    tables = session.profile(["1000"], None).tables
    assert tables.device == "" and not tables.kernels["app_k1"].device and tables.kernels["app_k1"].host
    assert len(warnings) == 1 and "no platform" in warnings[0]
    assert "{NULL, cuvier_tables_of_kernels, 4, NULL, 0, NULL, 0}" in (tmp_path / "app_tables.h").read_text()


def test_what_was_measured_is_shown(tmp_path: Path) -> None:
    """`--show` says what is out of date by its exit status, too."""
    program = Stub(tmp_path, MANIFEST)
    found = _session(program).profile(["1000"], Vary(1, 10, 1000))
    (tmp_path / "app_versions.json").write_text(json.dumps(MANIFEST))
    done = CliRunner().invoke(
        build_app(), ["profile", str(tmp_path), "--show", "--svg", str(tmp_path / "t.svg")]
    )
    assert done.exit_code == 1 and "this machine is another one" in done.stdout
    assert "app_k2: an iteration" in done.stdout and "1 thread " in done.stdout
    picture = (tmp_path / "t.svg").read_text()
    assert picture == drawn(found) and picture.count("<polyline") == 6
    asked = ["profile", str(tmp_path), "--show", "--json"]
    assert json.loads(CliRunner().invoke(build_app(), asked).stdout)["kernels"]["app_k1"]["device"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such folder"),
        ([".", "--vary", "0=1:2"], "--vary takes K=LOW:HIGH"),
        ([".", "--vary", "1=9:2"], "--vary takes K=LOW:HIGH"),
        ([".", "--show"], "no program with versions"),
    ],
)
def test_wrong_input(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said.startswith("--vary"):
        (tmp_path / "app_versions.json").write_text(json.dumps(MANIFEST))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(build_app(), ["profile", *arguments])
    assert done.exit_code and said in str(done.exception)


def test_a_file_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "app_versions.json").write_text(json.dumps(MANIFEST))
    (tmp_path / "app_tables.json").write_text('{"runs": 3}')
    done = CliRunner().invoke(build_app(), ["profile", str(tmp_path), "--show"])
    assert done.exit_code and "app_tables.json: not what `cuvier profile` writes" in str(done.exception)
