"""What somebody gets who installs Cuvier: the source distribution, the wheel made of it, the commands."""

from __future__ import annotations

import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from cuvier.base.version import __version__
from scripts.floors import TOPS
from tests.support.distributing import built, copied, run, sources
from tests.support.places import ROOT

DATA = {".yaml", ".j2", ".lark", ".h", ".c", ".cpp", ".cu", ".json", ".css", ".js", ".md", ".typed"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAM = """\
#include <stdio.h>
double a[1000];
int main(void) {
  for (int i = 0; i < 1000; i++)
    a[i] = i * 0.5;
  printf("%g\\n", a[999]);
  return 0;
}
"""


@dataclass(frozen=True)
class Distributions:
    """The two files."""

    sdist: Path
    wheel: Path

    @property
    def wheel_names(self) -> set[str]:
        with zipfile.ZipFile(self.wheel) as archive:
            return set(archive.namelist())

    @property
    def sdist_names(self) -> set[str]:
        with tarfile.open(self.sdist) as archive:
            return {name.partition("/")[2] for name in archive.getnames()}

    @property
    def metadata(self) -> Message:
        with zipfile.ZipFile(self.wheel) as archive:
            text = archive.read(f"cuvier-{__version__}.dist-info/METADATA").decode()
        return Parser().parsestr(text)


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist of a copy of the repository, and the wheel of the sdist alone, as pip builds it."""
    copy, output, unpacked = (tmp_path_factory.mktemp(name) for name in ("copy", "dist", "unpacked"))
    sdist = built("sdist", copied(sources(), copy), output)
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
        archive.extractall(unpacked)
    (folder,) = unpacked.iterdir()
    return Distributions(sdist, built("wheel", folder, output))


@pytest.fixture(scope="module")
def environment(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty virtual environment with the wheel, and with the packages that it needs."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    arguments = ("install", "--quiet", "--no-deps", "--no-index", distributions.wheel)
    run(sys.executable, "-m", "pip", "--python", python, *arguments, cwd=folder)
    (place,) = folder.glob("lib/python*/site-packages")
    (place / "packages_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


# --- what is in the distributions ---


def test_every_data_file_is_in_the_wheel(distributions: Distributions) -> None:
    wanted = {name for name in sources() if name.split("/")[0] in TOPS and "/" in name}
    assert {Path(name).suffix for name in wanted} == {*DATA, ".py"}, "kinds of files for package-data"
    assert wanted - distributions.wheel_names == set()


def test_nothing_else_is_in_the_wheel(distributions: Distributions) -> None:
    tops = {name.split("/")[0] for name in distributions.wheel_names}
    assert tops == {*TOPS, f"cuvier-{__version__}.dist-info", f"cuvier-{__version__}.data"}


def test_the_sdist_has_what_it_takes_to_build_and_to_read(distributions: Distributions) -> None:
    wanted = {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "MANIFEST.in"}
    assert wanted - distributions.sdist_names == set()
    assert not any(
        name.startswith(("tests/", "corpus/", "benchmarks/")) for name in distributions.sdist_names
    )


# --- the metadata ---


def test_metadata(distributions: Distributions) -> None:
    found = distributions.metadata
    assert (found["Name"], found["Version"]) == ("cuvier", __version__)
    assert (found["License-Expression"], found["License-File"]) == ("MIT", "LICENSE")
    assert found["Requires-Python"] == ">=3.11" and found["Author"]
    assert "OpenMP" in found["Keywords"]
    extras = set(found.get_all("Provides-Extra", []))
    assert extras == set(PROJECT["optional-dependencies"])


def test_classifiers_say_what_is_true() -> None:
    versions = {
        each for each in PROJECT["classifiers"] if each.startswith("Programming Language :: Python :: 3.")
    }
    assert {each.rpartition(" ")[2] for each in versions} == {"3.11", "3.12", "3.13"}
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert all((ROOT / top / "py.typed").exists() for top in TOPS)


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_pages_render(name: str) -> None:
    """As an index shows them: a title, and no HTML of ours, which it would strip."""
    text = (ROOT / name).read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    assert tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    inner = [child for token in tokens for child in token.children or ()]
    assert [each.content for each in (*tokens, *inner) if each.type in ("html_block", "html_inline")] == []


def test_the_readme_is_the_long_description(distributions: Distributions) -> None:
    found = distributions.metadata
    assert found["Description-Content-Type"] == "text/markdown"
    assert str(found.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()


# --- what is installed ---


def test_the_commands_answer(environment: Path, tmp_path: Path) -> None:
    version = f"cuvier {__version__}\n"
    assert run(environment / "cuvier", "--version", cwd=tmp_path).stdout == version
    assert run(environment / "python", "-m", "cuvier", "-V", cwd=tmp_path).stdout == version
    assert "Commands:" in run(environment / "python", "-m", "cuvier", "--help", cwd=tmp_path).stdout
    assert "Usage: cuvier cc" in run(environment / "cuvier-cc", "--help", cwd=tmp_path).stdout


def test_it_is_the_wheel_that_answers(environment: Path, tmp_path: Path) -> None:
    code = f"import {', '.join(TOPS)}; print({', '.join(f'{top}.__file__' for top in TOPS)})"
    places = run(environment / "python", "-c", code, cwd=tmp_path).stdout.split()
    assert all(Path(place).is_relative_to(environment.parent) for place in places), places


def test_the_manual_is_where_man_looks(environment: Path) -> None:
    page = environment.parent / "share" / "man" / "man1" / "cuvier.1"
    assert page.read_text(encoding="utf-8") == (ROOT / "docs" / "cuvier.1").read_text(encoding="utf-8")


def test_a_file_is_reported_on(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(PROGRAM)
    done = run(environment / "cuvier", "report", "app.c", cwd=tmp_path)
    assert "1 loop in 1 file: 1 parallel." in done.stdout and done.stderr == ""
    done = run(environment / "cuvier", "report", "--format", "html", "app.c", cwd=tmp_path)
    assert "<script" in done.stdout


@pytest.mark.parametrize(
    ("target", "file"), [("openmp", "app.c"), ("opencl", "app_kernels.cl"), ("cuda", "app_kernels.cu")]
)
def test_a_file_is_compiled(environment: Path, tmp_path: Path, target: str, file: str) -> None:
    """From another folder than that of the file, which is not that of the sources of Cuvier either."""
    source, elsewhere = tmp_path / "src" / "app.c", tmp_path / "elsewhere"
    source.parent.mkdir()
    elsewhere.mkdir()
    source.write_text(PROGRAM)
    run(environment / "cuvier", "compile", source, "--target", target, "-o", "out", cwd=elsewhere)
    assert (elsewhere / "out" / file).exists()
    if target == "openmp":
        run("make", "-C", "out", cwd=elsewhere)
        assert run(elsewhere / "out" / "app", cwd=elsewhere).stdout == "499.5\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("schema",),
        ("reasons", "CV203"),
        ("skeletons", "list"),
        ("runtime", "-o", "library"),
        ("doctor", "--json"),
        ("cc", "-c", "app.c"),
        ("verify", "app.c", "--target", "openmp"),
    ],
)
def test_commands_that_read_data_files(environment: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "app.c").write_text(PROGRAM)
    done = run(environment / "cuvier", *arguments, cwd=tmp_path, check=False, NVCC="no-nvcc")
    assert done.returncode == 0, done.stderr
