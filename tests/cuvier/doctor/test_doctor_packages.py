"""`cuvier doctor` and the Python packages: it runs without those that it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cuvier.doctor import libraries
from cuvier.doctor.libraries import Requirement, requirements, within
from cuvier.doctor.optional import EXTRAS
from tests.support.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("islpy", "islpy"),
        ("rich", "rich"),
        ("yaml", "pyyaml"),
        ("pycparser", "pycparser"),
        ("jsonschema", "jsonschema"),
    ],
)
def test_a_package_that_does_not_load(tmp_path: Path, module: str, said: str) -> None:
    (tmp_path / f"{module}.py").write_text(f"raise ImportError('broken', name='{module}')\n")
    done = subprocess.run(
        [sys.executable, "-m", "cuvier", "doctor"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and done.stderr == ""
    (line,) = [line for line in done.stdout.splitlines() if line.split()[:2] == ["problem", said]]
    assert "cannot be loaded (broken)" in line and "pip install" in line
    assert f"broken: {said}" in done.stdout.splitlines()[-1]


def test_what_is_needed_is_what_the_metadata_say() -> None:
    wanted = {name.split(">")[0] for name in PROJECT["dependencies"]}
    assert {each.name for each in requirements()} == wanted
    assert all(each.fits and not each.load_error() for each in requirements())


def test_extras_are_those_of_the_project() -> None:
    assert set(EXTRAS) <= set(PROJECT["optional-dependencies"])
    assert [each.name for each in requirements("lsp")] == ["pygls"]
    assert requirements("no-such-extra") == []


def test_cuvier_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "PACKAGE", "no-such-package")
    assert requirements() == []


def test_a_package_that_is_not_there() -> None:
    lost = Requirement("no-such-package", ">=1")
    assert lost.version is None and not lost.fits


@pytest.mark.parametrize(
    ("version", "bounds", "fits"),
    [
        ("3.12", ">=3.12,<4", True),
        ("3.9", ">=3.12,<4", False),
        ("4.0.1", "<4,>=3.12", False),
        ("24", ">=24.0", True),
        ("2.0rc1", ">=2.0", True),
        ("1.2", "", True),
    ],
)
def test_bounds(version: str, bounds: str, fits: bool) -> None:
    assert within(version, bounds) is fits
