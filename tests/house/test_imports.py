"""Imports run downwards only: cuvier > skeletons, transfers > models > species, and from floor to floor."""

from __future__ import annotations

from collections import Counter
from graphlib import CycleError
from pathlib import Path

import pytest

from scripts.floors import PAGE, ROOT, TOPS, Graph, floors, imported, modules, package_graph, written

MAY_IMPORT = {
    "runtime": {"runtime"},
    "species": {"species"},
    "models": {"models", "species"},
    "skeletons": {"skeletons", "runtime", "models", "species"},
    "transfers": {"transfers", "models", "species"},
    "cuvier": {"cuvier", "runtime", "skeletons", "transfers", "models", "species"},
}
MOST_FILES = 25  # in one folder


@pytest.fixture(scope="module")
def graph() -> Graph:
    return package_graph()


def test_imports_run_downwards(graph: Graph) -> None:
    wrong = [
        f"{package} imports {other}"
        for package, others in graph.items()
        for other in others
        if other.split(".")[0] not in MAY_IMPORT[package.split(".")[0]]
    ]
    assert wrong == []


def test_no_packages_import_one_another_in_a_circle(graph: Graph) -> None:
    assert floors(graph)


def test_rooms_are_not_crowded() -> None:
    files = Counter(str(file.parent.relative_to(ROOT)) for file in modules().values())
    assert {folder: count for folder, count in files.items() if count > MOST_FILES} == {}


def test_every_package_says_what_is_in_it() -> None:
    packages = [file for file in modules().values() if file.name == "__init__.py"]
    assert [str(file) for file in packages if not file.read_text(encoding="utf-8").startswith('"""')] == []


def test_the_drawing_in_the_docs_is_of_today(graph: Graph) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, graph) == page, "python scripts/floors.py --write"


def test_the_packages_are_where_the_test_looks() -> None:
    assert (
        {each.parent.name for each in ROOT.glob("*/__init__.py")} - {"tests"} <= set(TOPS) == set(MAY_IMPORT)
    )
    assert len(modules()) > 600


def test_imports_inside_functions_are_seen() -> None:
    source = "def f():\n    from cuvier.cli import main\n    import species.facts as s"
    assert set(imported(source, {"cuvier.cli": None})) == {"cuvier.cli", "species.facts"}


def test_circles_are_found(tmp_path: Path) -> None:
    for name, text in (
        ("species/a/x.py", "from species.b import y"),
        ("species/b/y.py", "import species.a.z"),
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "species" / "a" / "z.py").write_text("", encoding="utf-8")
    found = package_graph(tmp_path)
    assert found == {"species.a": {"species.b"}, "species.b": {"species.a"}}
    with pytest.raises(CycleError):
        floors(found)
