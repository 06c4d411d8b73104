"""Imports run downwards only: cuvier > skeletons, transfers > models > species."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "species": {"species"},
    "models": {"models", "species"},
    "skeletons": {"skeletons", "models", "species"},
    "transfers": {"transfers", "models", "species"},
    "cuvier": {"cuvier", "skeletons", "transfers", "models", "species"},
}


def imported_packages(source: str) -> set[str]:
    """Top-level names of all absolute imports, those inside functions included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_run_downwards(package: str) -> None:
    forbidden = set(MAY_IMPORT) - MAY_IMPORT[package]
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in sorted((ROOT / package).rglob("*.py"))
        for name in sorted(imported_packages(file.read_text(encoding="utf-8")) & forbidden)
    ]
    assert wrong == []


def test_the_packages_are_where_the_test_looks() -> None:
    assert {each.parent.name for each in ROOT.glob("*/__init__.py")} <= set(MAY_IMPORT)
    assert (ROOT / "species" / "facts.py").is_file()


def test_imports_inside_functions_are_seen() -> None:
    assert imported_packages("def f():\n    from cuvier.cli import main\n    import species.facts as s") == {
        "cuvier",
        "species",
    }
