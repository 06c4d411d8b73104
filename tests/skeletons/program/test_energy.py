"""The policy `energy`: the version that needs fewer joules, by its seconds and its watts."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.machine import CORE_WATTS, DEFAULT, GPU_WATTS
from skeletons import CompileOptions
from tests.skeletons.program.test_host_versions import QUICK
from tests.skeletons.program.test_split import STEPS, needs_gpp
from tests.support import accelerated


def made(folder: Path) -> Path:
    (folder / "app.c").write_text(STEPS)
    options = CompileOptions(machine=replace(QUICK, watts=40.0), beside="openmp", policy="energy")
    program = accelerated.resident(folder / "app.c", "cuda", folder / "out", options)
    return accelerated.build_shim(program, ("-Wno-unknown-pragmas",))


def taken(binary: Path, folder: Path, **settings: str) -> tuple[str, dict[str, Any]]:
    settings |= {"CUVIER_DECISIONS": str(folder / "log.json"), "ASAN_OPTIONS": "detect_leaks=0"}
    return accelerated.run(binary, **settings), json.loads((folder / "log.json").read_text())


@needs_gpp
def test_watts_decide(tmp_path: Path) -> None:
    binary = made(tmp_path)
    outputs = set()
    for watts, expected in (("1e6,1e-6", "device"), ("1e-6,1e6", "host")):
        printed, log = taken(binary, tmp_path, CUVIER_WATTS=watts)
        outputs.add(printed)
        assert log["policy"] == "energy"
        assert {each["taken"] for each in log["decisions"]} == {expected}
        host, device = map(float, watts.split(","))
        assert log["kernels"][0]["watts"] == {"host": host, "device": device}
    assert len(outputs) == 1
    _, log = taken(binary, tmp_path)
    said = {(each["watts"]["host"], each["watts"]["device"]) for each in log["kernels"]}
    assert said <= {(40.0, GPU_WATTS), (40.0 / QUICK.cores, GPU_WATTS)}  # one core, or all of them


@needs_gpp
def test_the_counter_of_the_processor(tmp_path: Path) -> None:
    binary = made(tmp_path)
    counter = tmp_path / "rapl"
    _, log = taken(binary, tmp_path, CUVIER_RAPL=str(counter))
    assert "joules" not in log
    counter.mkdir()
    (counter / "energy_uj").write_text("5000000\n")
    _, log = taken(binary, tmp_path, CUVIER_RAPL=str(counter))
    assert log["joules"] == 0  # nobody counts on


@needs_gpp
def test_a_mistake_is_said_at_once(tmp_path: Path) -> None:
    binary = made(tmp_path)
    for text in ("65", "65,", "a,b", "0,5", "65,300,2"):
        done = subprocess.run(
            [binary], env={"CUVIER_WATTS": text}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert (
            done.stderr
            == f"cuvier: CUVIER_WATTS={text}: expected the watts of host and device, such as 65,300\n"
        )


def test_watts_of_machines() -> None:
    machine = replace(DEFAULT, cores=4)
    device = machine.device("cuda")
    assert machine.host_watts(4) == 4 * CORE_WATTS and machine.host_watts(1) == CORE_WATTS
    assert replace(machine, watts=100.0).host_watts(2) == 50.0
    assert machine.device_watts(device) == GPU_WATTS
    assert machine.device_watts(replace(device, kind="cpu")) == 4 * CORE_WATTS
    assert machine.device_watts(replace(device, watts=70.0)) == pytest.approx(70.0)
