"""docs/skeletons.md: its skeleton works as it stands on the page."""

from __future__ import annotations

import re
from pathlib import Path

from skeletons import CompileOptions, Library, compile_unit
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from transfers import around_kernels

PAGE = (Path(__file__).parent.parent / "docs" / "skeletons.md").read_text(encoding="utf-8")
FILES = re.findall(r"`mine/(openmp/\S+)`\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)
PROGRAM = """double a[9], b[9], s;
void f(void) {
  for (int i = 0; i < 9; i++) a[i] = b[i];
  for (int i = 0; i < 9; i++) s += b[i];
}
"""


def test_the_page_s_skeleton_is_taken_where_it_says(tmp_path: Path) -> None:
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    library = Library.load((tmp_path,))
    unit = read_translation_unit("p.c", PreprocessOptions(), text=PROGRAM)
    facts = analyse(unit)
    program = compile_unit(unit, facts, around_kernels(facts), "openmp", library, CompileOptions())
    taken = [choice.skeleton.name for choice in program.choices if choice.skeleton]
    assert taken == ["steady", "reduction"]
    assert program.files["p.c"].count("schedule(static)") == 1
