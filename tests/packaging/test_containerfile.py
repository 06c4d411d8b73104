"""The image that Containerfile describes; no image is built here."""

from __future__ import annotations

import re
import shlex
import tomllib
import zipfile
from pathlib import Path

from scripts.floors import TOPS
from tests.support.distributing import built, copied, sources
from tests.support.places import ROOT

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
STEPS = [line.split(None, 1) for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]


def of(kind: str) -> list[str]:
    return [rest for step, rest in STEPS if step == kind]


def into_the_image() -> list[str]:
    """The files of the repository that its COPY lines name, in their places."""
    places = []
    for line in of("COPY"):
        if "--from=" not in line:
            *named, target = shlex.split(line)
            assert all(Path(name).parent == Path(target) or name == target for name in named), (
                "the same place"
            )
            places += named
    return [name for name in sources() if any(name == p or name.startswith(f"{p}/") for p in places)]


def test_what_is_copied_is_what_a_wheel_is_built_of(tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.mkdir()
    wheel = built("wheel", copied(into_the_image(), tmp_path / "source"), output)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in sources() if name.split("/")[0] in TOPS} <= names
    assert any(name.endswith("/share/man/man1/cuvier.1") for name in names)


def test_its_python_is_one_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (version,) = re.findall(r"^PYTHON=(\d+\.\d+)-slim", of("ARG")[0])
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_it_runs_the_command_and_not_as_root() -> None:
    assert of("ENTRYPOINT") == ['["cuvier"]']
    (user,) = of("USER")
    assert int(user) > 0


def test_opencl_is_installed_where_it_is_asked_for() -> None:
    (install,) = [line for line in of("RUN") if "apt-get" in line]
    usual, _, wanted = install.partition('if [ "$POCL" = 1 ]')
    assert "POCL=0" in of("ARG")
    assert {"gcc", "libgomp1", "make"} <= set(usual.split())
    assert "pocl" not in usual and "pocl-opencl-icd" in wanted
