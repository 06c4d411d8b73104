"""docs/fusion.md says what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.pipeline.base.reading import Reader
from cuvier.pipeline.fusion import fused
from species import AnalysisOptions
from species.source import PreprocessOptions
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "fusion.md").read_text()
BLOCKS = re.findall(r"```c\n(.*?)```", PAGE, re.S)


def test_the_example(tmp_path: Path) -> None:
    source, fused_loop = BLOCKS[:2]
    said = re.findall(r"```text\n(.*?)```", PAGE, re.S)[0]
    path = tmp_path / "chain.c"
    path.write_text(source)
    made = CliRunner().invoke(
        build_app(), ["compile", str(path), "--target", "opencl", "--explain", "-o", str(tmp_path / "out")]
    )
    assert made.exit_code == 0 and made.stdout.endswith(said)
    flags, options = PreprocessOptions(), AnalysisOptions()
    reader = Reader(str(path), flags, options)
    found = fused(reader(path.read_text()), reader, (), {}, everything=False)
    assert "".join(fused_loop.split()) in "".join(found.text.text.split())


@pytest.mark.parametrize(
    ("block", "form", "text"),
    [(2, "together", "{ { b[i] = a[i]; } { c[i] = b[i] * 2; } }"), (3, "beside", "t_1 < (N) + 8 * 8")],
)
def test_the_other_forms(block: int, form: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "app.c"
    head = "#define N 1000\ndouble a[N], b[N], c[N], k[N], p[8][8];\n"
    path.write_text(f"{head}void f(void)\n{{\n{BLOCKS[block]}}}\n")
    flags, options = PreprocessOptions(), AnalysisOptions()
    reader = Reader(str(path), flags, options)
    now = reader(path.read_text())
    found = fused(now, reader, (), {}, everything=False)
    assert [f.form for f in found.fusions if f.fused] == [form]
    assert text in found.text.text
