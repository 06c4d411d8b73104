#!/usr/bin/env python3
"""The floors of the house: which packages import which, read from the sources.

    python scripts/floors.py            (the drawing in docs/architecture.md)
    python scripts/floors.py --write    (puts it there)

A package is a folder; a floor holds the packages that import only lower ones.  Imports inside functions and
those for type checkers count.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOPS = (
    "runtime",
    "species",
    "models",
    "transfers",
    "skeletons",
    "cuvier",
)  # a package imports those before it, at most
PAGE = ROOT / "docs" / "architecture.md"
Graph = Mapping[str, set[str]]

_DRAWN = re.compile(r"(^ {4,5}\d+  .*\n)+", re.MULTILINE)


def modules(root: Path = ROOT) -> dict[str, Path]:
    """The files of all packages, by dotted name."""
    files = (file for top in TOPS for file in sorted((root / top).rglob("*.py")))
    return {_dotted(file.relative_to(root)): file for file in files}


def _dotted(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def imported(source: str, known: Mapping[str, object]) -> Iterator[str]:
    """The modules that a source imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)


def package_graph(root: Path = ROOT) -> dict[str, set[str]]:
    """For every package, the other packages that its files import."""
    files = modules(root)
    home = {name: _dotted(file.parent.relative_to(root)) for name, file in files.items()}
    graph: dict[str, set[str]] = {package: set() for package in home.values()}
    for name, file in files.items():
        found = imported(file.read_text(encoding="utf-8"), files)
        graph[home[name]] |= {home[each] for each in found if each in home} - {home[name]}
    return graph


def floors(graph: Graph) -> list[list[str]]:
    """The packages, lowest floor first; graphlib.CycleError where packages import one another in a circle."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    found = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        found.append(ready)
        sorter.done(*ready)
    return found


def drawing(graph: Graph) -> str:
    """The floors as text, the highest first."""
    lines = []
    for number, packages in reversed(list(enumerate(floors(graph)))):
        lines += [f"{number:>2}  {'   '.join(packages)}"]
    return "\n".join(lines) + "\n"


def written(page: str, graph: Graph) -> str:
    """The page with the drawing in the place of an older one."""
    return _DRAWN.sub(lambda _: textwrap.indent(drawing(graph), "    "), page, count=1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), package_graph()), encoding="utf-8")
    else:
        print(drawing(package_graph()), end="")
