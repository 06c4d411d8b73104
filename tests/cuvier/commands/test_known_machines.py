"""The machines that come with Cuvier: plausible, with a source behind every figure; and their names."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from cuvier.machine import known_machines, store
from cuvier.machine.text import as_yaml
from models.machine import DEFAULT, Rate, read_machine
from tests.support.places import ROOT

NAMES = known_machines.names()
PLAIN = {"caches", "devices", "name", "api", "kind"}  # entries that state no figure


def run(*words: str) -> str:
    done = CliRunner().invoke(build_app(), ["machine", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def text_of(name: str) -> str:
    path = known_machines.path_of(name)
    assert path is not None
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_plausible(name: str) -> None:
    machine = store.load(name)
    assert machine.origin == name
    for rate in (machine.bandwidth, machine.single, machine.double):
        assert rate.one <= rate.all <= rate.one * max(machine.cores, 2) * 4
    assert machine.single == Rate(2 * machine.double.one, 2 * machine.double.all)
    assert machine.double.one / machine.vector_bytes * 8 < 7e9 * 4  # two multiply-adds per cycle below 7 GHz
    for device in machine.devices:
        lanes = device.single / (2 * device.clock * device.units)
        assert 32 <= lanes < 260  # multiply-adds of a unit per cycle
        assert device.double < device.single and device.copying < device.bandwidth


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_has_a_source(name: str) -> None:
    lines = text_of(name).splitlines()
    listed = {match[1] for line in lines if (match := re.match(r"# (\[\d+\]) \S", line))}
    used = set()
    for line in lines:
        entry, _, source = line.partition("  # ")
        key = re.sub(r"^[\s-]*\{?", "", entry).partition(":")[0]
        if line.startswith("#") or key in PLAIN:
            continue
        marks = set(re.findall(r"\[\d+\]", source))
        assert marks <= listed and (marks or re.search("derived|assumed", source)), line
        used |= marks
    assert used == listed, "a source that nothing is from"


def test_the_list_names_them_and_says_what_they_are() -> None:
    out = run("--list")
    assert [line.split()[0] for line in out.splitlines()] == NAMES
    assert json.loads(run("--list", "--json"))["gtx-470"].startswith("Intel Core i7-3770")
    page = (ROOT / "docs/machine.md").read_text(encoding="utf-8")
    assert f"$ cuvier machine --list\n{out}```" in page


def test_what_is_shown_is_a_description_to_correct(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(run("--show", "hd-7950"))
    assert read_machine(mine).device("opencl").name == "AMD Radeon HD 7950"
    assert json.loads(run("--show", "hd-7950", "--json"))["devices"][0]["units"] == 28
    assert run("--show", store.BUILT_IN) == as_yaml(DEFAULT)


def test_a_file_of_that_name_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(str(known_machines.path_of("epyc-9654")), "gtx-680")
    assert store.load("gtx-680").cores == 96
    monkeypatch.setenv(store.VARIABLE, "gtx-470")
    assert store.load(None).device("cuda").units == 14


def test_other_names_are_refused_with_a_way_out() -> None:
    with pytest.raises(UserError, match=r"and no known machine: 'gtx470'; did you mean 'gtx-470'"):
        store.load("gtx470")
    with pytest.raises(UserError, match="known machines: dgx-a100, "):
        store.load("laptop")
    with pytest.raises(UserError, match=r"no such file: '../gtx-470'"):
        store.load("../gtx-470")
    done = CliRunner().invoke(build_app(), ["machine", "--list", "--force"])
    assert isinstance(done.exception, UserError) and "measure nothing" in str(done.exception)
