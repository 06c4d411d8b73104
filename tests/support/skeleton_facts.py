"""Facts of small programs written by hand, for tests of the back half alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pycparser import c_ast

from species.facts.loops import (
    Kernel,
    KernelArray,
    KernelLoop,
    KernelScalar,
    LoopClass,
    LoopFacts,
    Reduction,
    UnitFacts,
    Verdict,
)
from species.grammar.nodes import Range, Species
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit


def unit_of(path: Path, text: str) -> TranslationUnit:
    """The translation unit of `text`, which is also written to `path`."""
    path.write_text(text)
    return read_translation_unit(str(path), PreprocessOptions())


def array(
    name: str,
    extent: str,
    reads: str | None = None,
    writes: str | None = None,
    element: str = "double",
    pointer: bool = False,
    covered: bool = False,
) -> KernelArray:
    """`extent` is like "n,m" (`?`: not known), regions like "0:n-1,1:m"; "" is everything."""
    extents = tuple(None if part == "?" else part for part in extent.split(","))
    return KernelArray(name, element, extents, pointer, "local", _region(reads), _region(writes), covered)


def _region(text: str | None) -> tuple[Range, ...] | None:
    if text is None:
        return None
    return tuple(Range(*part.split(":")) for part in text.split(",") if part)


def scalar(name: str, role: str = "in", ctype: str = "int", operator: str | None = None) -> KernelScalar:
    """A scalar of a kernel."""
    return KernelScalar(name, ctype, role, operator)


def loop_facts(
    unit: TranslationUnit,
    which: int,
    trips: Sequence[str | None],
    arrays: Sequence[KernelArray],
    scalars: Sequence[KernelScalar] = (),
    species: Species | None = None,
    conditions: tuple[str, ...] = (),
    collapse: int = 1,
) -> LoopFacts:
    """The facts of the `which`-th `for` of the file (from 0), a kernel of `len(trips)` base loops."""
    function, nodes = _loops(unit)[which]
    loops = tuple(_kernel_loop(unit, node, t) for node, t in zip(nodes, trips, strict=False))
    kernel = Kernel(
        f"{Path(unit.source.path).stem}_k{which + 1}", loops, tuple(arrays), tuple(scalars), (), conditions
    )
    spans = loops[0].spans
    position = unit.loop_position(nodes[0])
    inside = {loop.iterator for loop in loops if loop.declared_inside}
    named = {
        role: tuple(s.name for s in scalars if s.role == role and s.name not in inside) for role in _ROLES
    }
    return LoopFacts(
        openmp_obstacle="",
        id=f"{function}/{which}",
        kind="for",
        function=function,
        position=position,
        end_line=position.line,
        depth=0,
        parent=None,
        verdict=Verdict.PARALLEL,
        loop_class=LoopClass.DOALL,
        spans=spans,
        species=species,
        private=named["private"],
        firstprivate=named["firstprivate"],
        lastprivate=named["lastprivate"],
        reductions=tuple(Reduction(str(s.operator), s.name) for s in scalars if s.role == "reduction"),
        conditions=conditions,
        collapse=collapse,
        kernel=kernel,
    )


_ROLES = ("private", "firstprivate", "lastprivate")


def unit_facts(unit: TranslationUnit, *loops: LoopFacts) -> UnitFacts:
    """The facts of the file."""
    return UnitFacts(unit.source.path, "ok", (), loops)


def _loops(unit: TranslationUnit) -> list[tuple[str, list[c_ast.For]]]:
    """Every `for` of the file with the perfectly nested ones inside it."""
    found: list[tuple[str, list[c_ast.For]]] = []
    for item in unit.ast.ext:
        if isinstance(item, c_ast.FuncDef) and unit.is_user_file(unit.position(item.coord).file):
            _walk(item, item.decl.name, found)
    return found


def _walk(node: c_ast.Node, function: str, found: list[tuple[str, list[c_ast.For]]]) -> None:
    if isinstance(node, c_ast.For):
        found.append((function, _nest(node)))
    for child in node:
        _walk(child, function, found)


def _nest(node: c_ast.For) -> list[c_ast.For]:
    inner = node.stmt
    if isinstance(inner, c_ast.Compound) and inner.block_items and len(inner.block_items) == 1:
        inner = inner.block_items[0]
    return [node, *_nest(inner)] if isinstance(inner, c_ast.For) else [node]


def _kernel_loop(unit: TranslationUnit, node: c_ast.For, trips: str | None) -> KernelLoop:
    spans = unit.loop_spans(node)
    assert spans is not None
    header = spans.header.of(unit.source.text)
    start, condition, increment = header[header.index("(") + 1 : header.rindex(")")].split(";")
    match = re.match(r"\s*(?P<type>(?:\w+\s+)*)(?P<name>\w+)\s*=\s*(?P<lower>.*)", start, re.DOTALL)
    assert match is not None
    step = {"++": 1, "--": -1}.get(re.sub(r"\w|\s", "", increment))
    if step is None:
        sign, size = re.findall(r"([-+])=\s*(\d+)", increment)[0]
        step = int(sign + size)
    return KernelLoop(
        iterator=match["name"],
        ctype=match["type"].strip() or "int",
        declared_inside=bool(match["type"].strip()),
        lower=match["lower"].strip(),
        condition=condition.strip(),
        increment=increment.strip(),
        step=step,
        trips=trips,
        spans=spans,
    )
