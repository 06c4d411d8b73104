"""Misses of programs, from their C text to text, JSON and SVG."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import cuvier.misses
from cuvier.base.errors import UserError
from cuvier.misses import MissOptions, examine
from cuvier.misses.picture import svg
from cuvier.misses.report import json_text
from cuvier.misses.result import Findings, KernelMisses, missed
from cuvier.misses.text import as_text
from skeletons import CompileOptions
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions

COPY_AND_TURN = """
#include <stdio.h>
#define N 64
double a[N][N], b[N][N], c[N][N];
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * j;
  puts("copy");
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = a[i][j];
  puts("turn");
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[j][i] = b[i][j];
  printf("%f %f\\n", b[3][4], c[3][4]);
  return 0;
}
"""
SCHEMA = json.loads((Path(cuvier.misses.__file__).parent / "findings.schema.json").read_text())

pytestmark = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("g++") and shutil.which("readelf")), reason="no gcc or g++"
)


def options(**changes: object) -> MissOptions:
    given = {"machine": None, **changes}
    preprocess = PreprocessOptions()
    return MissOptions(preprocess, AnalysisOptions(), CompileOptions(), **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("misses") / "turn.c"
    path.write_text(COPY_AND_TURN)
    return path


@pytest.fixture(scope="module")
def on_gpu(source: Path) -> Findings:
    return examine(source, "cuda", options(machine="fermi-16k"))


@pytest.fixture(scope="module")
def on_cpu(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Findings:
    caches = tmp_path_factory.mktemp("machine") / "small.yaml"
    caches.write_text(
        "name: small\nlevels:\n- {name: L1, bytes: 4096, line: 64, ways: 4}\n"
        "- {name: L2, bytes: 65536, line: 64, ways: 8}\n"
    )
    return examine(source, "openmp", options(machine=str(caches)))


def by_line(findings: Findings, line: int) -> KernelMisses:
    (found,) = (each for each in findings.kernels if each.line == line)
    return found


def misses_of(kernel: KernelMisses, level: int, array: str) -> list[int]:
    pairs = zip(kernel.references, kernel.levels[level].seen, strict=True)
    return [number for each, seen in pairs if each.array == array for number in (seen.asked, missed(seen))]


def test_kernels_have_their_references_with_lines(on_gpu: Findings) -> None:
    kernel = by_line(on_gpu, 10)
    assert [(each.line, each.text, each.write) for each in kernel.references] == [
        (12, "a[i][j]", False),
        (12, "b[i][j]", True),
    ]
    assert misses_of(kernel, 0, "a") == [64 * 64, 64 * 64 * 8 // 128]  # every line once
    assert kernel.copies
    assert not by_line(on_gpu, 14).copies


def test_writes_go_past_the_first_cache_of_a_gpu(on_gpu: Findings) -> None:
    kernel = by_line(on_gpu, 10)
    assert [seen.accesses for seen in kernel.levels[0].seen] == [256, 0]
    assert [seen.accesses for seen in kernel.levels[1].seen] == [256, 256]


def test_a_processor_runs_the_program_itself(on_cpu: Findings) -> None:
    turn = by_line(on_cpu, 14)
    assert misses_of(turn, 0, "b")[1] in (512, 513)  # eight numbers to a line; it may start inside of one
    asked, missing = misses_of(turn, 0, "c")
    assert asked == missing == 4096  # columns of 64 lines: a set for each eighth
    first, second, third = turn.levels[0].seen[1].misses[:3]
    assert first in (512, 513)
    assert first + second + third == 4096


def test_text_says_what_could_be_changed(on_gpu: Findings, on_cpu: Findings) -> None:
    assert "the kernel only copies one array to the other" in as_text(on_gpu)
    assert "let the innermost loop run along the last subscript" in as_text(on_cpu)
    assert "line 16 c[j][i]" in as_text(on_cpu)


def test_json_has_its_schema(on_gpu: Findings, on_cpu: Findings) -> None:
    for findings in (on_gpu, on_cpu):
        value = json.loads(json_text(findings))
        Draft202012Validator(SCHEMA).validate(value)
        for kernel in value["kernels"]:
            for level in kernel["levels"]:
                assert level["accesses"] == sum(each["accesses"] for each in level["references"])
                assert level["accesses"] == sum(each["count"] for each in level["reuse_distances"])


def test_the_picture_has_a_bar_for_every_level(on_cpu: Findings) -> None:
    root = ElementTree.fromstring(svg(on_cpu))
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(text.startswith("main/") for text in texts) == 2 * len(on_cpu.kernels)


def test_a_limit_cuts_a_program(source: Path) -> None:
    findings = examine(source, "openmp", options(limit=5000))
    assert findings.notes
    assert findings.kernels[-1].cut


@pytest.mark.parametrize(
    ("target", "changes", "message"),
    [
        ("opencl", {}, "no traces for target 'opencl'"),
        ("cuda", {"machine": "gtx"}, "gtx: no such machine"),
        ("openmp", {"machine": "h100"}, "is a GPU"),
        ("cuda", {"without": ("speed",)}, "no extension 'speed'"),
    ],
)
def test_mistakes(source: Path, target: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        examine(source, target, options(**changes))


def test_a_program_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "fails.c"
    path.write_text("int main(void) { return 7; }\n")
    with pytest.raises(UserError, match="exit status 7"):
        examine(path, "openmp", options())
