"""`cuvier doctor`: what is good to have, and what a project says of itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.doctor import optional, project
from cuvier.doctor.finding import Finding, Mark
from cuvier.doctor.site import Site
from cuvier.machine import store
from cuvier.machine.system import read_system
from cuvier.machine.text import as_yaml


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """An empty project, in which the command was started."""
    monkeypatch.chdir(tmp_path)
    return Site(None, tmp_path, Path())


def told(finding: Finding) -> tuple[str, str]:
    assert finding.way_out or finding.mark is Mark.OK
    return finding.mark.value, finding.found


# --- the machine file and the cache ---


def test_a_description_of_another_machine(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, file = read_system(), site.folder / "machine.yaml"
    monkeypatch.setenv(store.VARIABLE, str(file))
    file.write_text(as_yaml(machine))
    assert told(optional.machine(site))[0] == "ok"
    file.write_text(as_yaml(replace(machine, cores=machine.cores + 5)))
    found = optional.machine(site)
    assert found.mark is Mark.PROBLEM and f"{machine.cores + 5} cores; this is" in found.found
    assert found.way_out == f"cuvier machine --output {file}"


def test_a_description_that_is_none(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    file = site.folder / "machine.yaml"
    monkeypatch.setenv(store.VARIABLE, str(file))
    assert told(optional.machine(site)) == ("problem", f"no such file: '{file}'")
    file.write_text("cores: none")
    mark, found = told(optional.machine(site))
    assert mark == "problem" and found.startswith(f"{file}:1:1: ")


def test_no_description_and_the_one_that_is_the_same_everywhere(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.VARIABLE, store.BUILT_IN)
    assert told(optional.machine(site))[0] == "ok"
    monkeypatch.setenv(store.VARIABLE, "")
    found = optional.machine(site)
    assert (found.mark, found.way_out) == (Mark.MISSING, "cuvier machine")


def test_a_cache_that_cannot_be_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (site.folder / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(site.folder / "file" / "cache"))
    found = optional.cache(site)
    assert found.mark is Mark.PROBLEM and "nothing is kept" in found.found
    assert "XDG_CACHE_HOME" in found.way_out


# --- the project ---


def test_a_project_that_says_nothing(site: Site) -> None:
    assert told(project.settings(site)) == ("missing", f"no cuvier.toml in or above '{site.folder}'")
    found = project.build(site)
    assert found.mark is Mark.MISSING and "bear" in found.way_out


@pytest.mark.parametrize(
    ("text", "mark", "found"),
    [
        ("jobs = 2\n", "ok", "cuvier.toml, 1 key"),
        ("\njob = 2\n", "problem", "cuvier.toml:2:1: there is no setting 'job'"),
        ('cc = "tools/gcc"\n', "problem", "cuvier.toml:1:1: 'cc' is 'tools/gcc', which is not on the list"),
        ('cc = "clang-99"\n', "problem", "cuvier.toml:1:1: 'cc' is 'clang-99', which is not here"),
        ('cc = "none"\n', "ok", "cuvier.toml, 1 key"),
        ('cache-dir = "/elsewhere"\n', "problem", "cuvier.toml:1:1: 'cache-dir' is '/elsewhere'"),
    ],
)
def test_settings_of_a_project(site: Site, text: str, mark: str, found: str) -> None:
    Path("cuvier.toml").write_text(text)
    said = told(project.settings(site))
    assert said[0] == mark and said[1].startswith(found)


def test_what_is_trusted_by_the_environment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("cuvier.toml").write_text('cache-dir = "/elsewhere"\n')
    monkeypatch.setenv("CUVIER_TRUST", "1")
    assert told(project.settings(site))[0] == "ok"


@pytest.mark.parametrize(
    ("entry", "mark", "found"),
    [
        ({"command": "cc -c app.c"}, "ok", "compile_commands.json: 1 file"),
        ({"command": "cc -c gone.c", "file": "gone.c"}, "problem", "1 gone, such as"),
        ({"command": "clang-99 -c app.c"}, "problem", "there is no 'clang-99' here"),
        ({"command": "tools/gcc -c app.c"}, "problem", "tools/gcc' is not run, another compiler is"),
        ({}, "problem", "entry 1 has neither 'arguments' nor 'command'"),
    ],
)
def test_the_build_of_a_project(site: Site, entry: dict[str, str], mark: str, found: str) -> None:
    Path("app.c").touch()
    build = [{"directory": str(site.folder), "file": "app.c", **entry}]
    Path("compile_commands.json").write_text(json.dumps(build))
    said = told(project.build(site))
    assert said[0] == mark and found in said[1]


def test_the_build_that_settings_name(site: Site) -> None:
    Path("cuvier.toml").write_text('compile-commands = "out"\n')
    mark, found = told(project.build(site))
    assert mark == "problem" and "no such file: 'out'" in found
