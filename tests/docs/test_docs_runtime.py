"""The example of docs/runtime.md: it compiles, runs, and copies what the page says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from runtime import sources
from skeletons.shim import build_command, translate
from tests.support.accelerated import run
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "runtime.md").read_text()
(EXAMPLE,) = re.findall(r"```c\n(.*?)```", PAGE, re.S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The library and the example beside each other."""
    done = CliRunner().invoke(build_app(), ["runtime", "-o", str(tmp_path)])
    assert done.exit_code == 0 and {path.name for path in tmp_path.iterdir()} == set(sources())
    (tmp_path / "smooth.cu").write_text(EXAMPLE)
    return tmp_path


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_the_example_runs(folder: Path) -> None:
    translate(folder / "smooth.cu", folder / "smooth.cpp")
    run("gcc", "-c", folder / "cgcm.c", "-o", folder / "cgcm.o")
    extra = [
        "-x",
        "c++",
        str(folder / "cgcm_cuda.c"),
        "-x",
        "none",
        str(folder / "cgcm.o"),
        "-I",
        str(folder),
    ]
    # without the shim's library: two translation units with all definitions are one program
    run(*build_command("g++", folder / "smooth.cpp", folder / "smooth", extra, sanitize=True))
    printed = run(folder / "smooth", CUVIER_COUNTERS=str(folder / "counters.json"), CGCM_CHECK="1")
    assert float(printed) == pytest.approx(_smoothed(), abs=1e-6)
    counted = json.loads((folder / "counters.json").read_text())
    ways = {way: [c for c in counted["copies"] if c["direction"] == way] for way in ("in", "out")}
    assert sum(copy["count"] for copy in ways["in"]) == 202
    assert [(copy["count"], copy["bytes"]) for copy in ways["out"]] == [(100, 100 * 50 * 8)]
    assert counted["launches"] == {"smooth": 10}


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_the_commands_build_it(folder: Path) -> None:
    (commands,) = (line.strip() for line in PAGE.split("\n") if line.strip().startswith("nvcc -c smooth.cu"))
    run("sh", "-c", f"cd {folder} && {commands}")


def _smoothed() -> float:
    """What the example computes for `a[50][1]`."""
    old = [[float(i)] + [0.0] * 49 for i in range(100)]
    for _ in range(10):
        new = [list(row) for row in old]
        for i in range(1, 99):
            for j in range(1, 49):
                new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1])
        old = new
    return old[50][1]


def test_all_calls_are_explained() -> None:
    header = sources()["cgcm.h"]
    public = set(re.findall(r"\b(cgcm_[a-z_]+)\(", header)) - {
        "cgcm_scope_ends",
        "cgcm_is_inside",
        "cgcm_use",
    }
    wrappers = {
        f"cgcm_{name}" for name in ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free")
    }
    assert {name for name in public - wrappers if name not in PAGE} == set()
