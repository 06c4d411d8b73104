"""Registers the file-scope variables of a program with the watch library."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from species.source import TranslationUnit

EVERYWHERE = 4  # as in watch.h: sums differ in the whole program


def registration(unit: TranslationUnit, *, reorders: bool = False) -> str:
    """C text for the end of the file: a constructor that makes its arrays and numbers known.

    `reorders`: the user's own threads combine numbers in any order, so that all may differ by rounding.
    Pointers are left out (addresses differ from run to run), and so is what other files define.
    """
    calls = " ".join(_call(name, rank) for name, rank in _variables(unit))
    if reorders:
        calls = f"cuvier_watch_rounding('d'); cuvier_watch_enter({EVERYWHERE}); {calls}"
    return f"\n__attribute__((constructor)) static void cuvier_watch_globals(void) {{ {calls} }}\n"


def _call(name: str, rank: int) -> str:
    element = name + "[0]" * rank
    rows = [name + "[0]" * k for k in range(1, rank)]
    lengths = "".join(f", (size_t)(sizeof({row}) / sizeof({row}[0]))" for row in rows)
    head = f'"{name}", CUVIER_KIND({element}), sizeof({element}), (const void *)&({name}), sizeof({name})'
    return f"cuvier_watch_global({head}, {max(rank - 1, 0)}{lengths});"


def _variables(unit: TranslationUnit) -> Iterator[tuple[str, int]]:
    """Name and rank of each variable that the main file defines, other than pointers."""
    seen = set()
    for node in unit.ast.ext:
        if not isinstance(node, c_ast.Decl) or node.name is None or node.name in seen:
            continue
        if {"extern", "_Thread_local", "__thread"} & set(node.storage):
            continue
        rank = _rank(node.type)
        if rank is not None and unit.position(node.coord).file == unit.source.path:
            seen.add(node.name)
            yield node.name, rank


def _rank(node: c_ast.Node) -> int | None:
    """The number of dimensions; None for functions and pointers."""
    rank = 0
    while isinstance(node, c_ast.ArrayDecl):
        node, rank = node.type, rank + 1
    return rank if isinstance(node, c_ast.TypeDecl) else None
