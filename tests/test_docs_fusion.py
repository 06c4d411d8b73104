"""docs/fusion.md says what happens."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.fusion import analysed, fused
from species import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit

PAGE = (Path(__file__).parent.parent / "docs" / "fusion.md").read_text()


def test_the_example(tmp_path: Path) -> None:
    source, fused_loop = re.findall(r"```c\n(.*?)```", PAGE, re.S)
    said = re.findall(r"```text\n(.*?)```", PAGE, re.S)[0]
    path = tmp_path / "chain.c"
    path.write_text(source)
    made = CliRunner().invoke(
        build_app(), ["compile", str(path), "--target", "opencl", "--explain", "-o", str(tmp_path / "out")]
    )
    assert made.exit_code == 0 and made.stdout.endswith(said)
    flags, options = PreprocessOptions(), AnalysisOptions()
    found = fused(
        analysed(read_translation_unit(str(path), flags), options), flags, options, (), {}, everything=False
    )
    assert "".join(fused_loop.split()) in "".join(found.text.text.split())
