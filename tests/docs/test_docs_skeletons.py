"""docs/skeletons.md: its skeleton works as it stands on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, SkeletonError, compile_unit
from skeletons.catalogue.rendering import render
from skeletons.kernel.array_views import ArrayView
from skeletons.kernel.views import LoopView, ParameterView, ScalarView
from skeletons.program.device_kernel import DeviceKernel
from skeletons.program.host import HostView
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT
from transfers import around_kernels

PAGE = (ROOT / "docs" / "skeletons.md").read_text(encoding="utf-8")
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
    every = CompileOptions(without=frozenset({"threshold"}))  # short loops, too
    program = compile_unit(unit, facts, around_kernels(facts), "openmp", library, every)
    taken = [choice.skeleton.name for choice in program.choices if choice.skeleton]
    assert taken == ["steady", "reduction"]
    assert program.files["p.c"].count("schedule(static)") == 1


def test_what_templates_see_is_there() -> None:
    """The fields that the page's table names."""
    views = {"kernel.loops": LoopView, "kernel.arrays": ArrayView, "kernel.scalars": ScalarView}
    views |= {"kernel.parameters": ParameterView}
    for name, said in re.findall(r"^\| `((?:host|kernel)\.\w+)` \| (.*) \|$", PAGE, re.MULTILINE):
        owner, field = name.split(".")
        assert hasattr_of({"host": HostView, "kernel": DeviceKernel}[owner], field)
        for inner in re.findall(r"`(\w+)`", said) if name in views else ():
            assert hasattr_of(views[name], inner), f"{name}: {inner}"


def hasattr_of(view: type, name: str) -> bool:
    return name in getattr(view, "__dataclass_fields__", {}) or hasattr(view, name)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("one\n{{ nothing }}\n", 2, "'nothing' is undefined"),
        ("\n\n{{ 1 / 0 }}", 3, "division by zero"),
        ("{% if %}", 1, "Expected an expression"),
        ("\n{{ 'a' | nofilter }}", 2, "No filter named 'nofilter'"),
        ("{{ host.nonsense }}", 1, "nonsense"),
    ],
)
def test_mistakes_in_templates_have_a_place(text: str, line: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.j2").write_text(text)
    with pytest.raises(SkeletonError) as caught:
        render("mine.j2", tmp_path, "openmp", host={})
    assert str(caught.value).startswith(f"{tmp_path / 'mine.j2'}:{line}: ")
    assert message in str(caught.value)
