"""Runs a program of `generator`, and compares what it touched with what points-to analysis keeps apart."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pycparser import c_ast

from species.analysis.analyse import names_of
from species.pointsto import PointsTo, Targets
from species.source.preprocess.run import PreprocessOptions
from species.source.syntax.tree import walk
from species.source.unit import read_translation_unit

HERE = Path(__file__).parent
_BUILD = (
    "gcc",
    "-std=gnu11",
    "-O1",
    "-w",
    "-fno-strict-aliasing",
    f"-I{HERE}",
    "-DWATCHED",
    "-D_FORTIFY_SOURCE=0",
)


@dataclass(frozen=True)
class Result:
    """How many pairs of accesses are kept apart, of how many; pointers that lead to starts; what is wrong."""

    pairs: int
    apart: int
    starts: int
    wrong: tuple[str, ...]


def check(source: Path) -> Result:
    """Analyses and executes a program."""
    seen, inner = _executed(source)
    unit = read_translation_unit(str(source), PreprocessOptions(flags=(f"-I{HERE}",)))
    assert unit.status == "ok", unit.diagnostics
    analysis = _analysis(names_of(unit))
    probes = dict(_probes(unit.ast, seen.keys()))
    pairs = apart = starts = 0
    wrong = []
    for probe, (_, node) in probes.items():
        found = analysis.of_node(node)
        if found is not None and not (found.inner or found.merged.sets[0] & 1):
            starts += 1
            if probe in inner:
                wrong.append(f"{source}: W({probe}, ..) is not at a start")
    for (one, (name, a)), (other, (second, b)) in combinations(probes.items(), 2):
        within = name == second
        first, last = analysis.of_node(a), analysis.of_node(b)
        pairs += 1
        if analysis.may_meet(*(t if within else _merged(t) for t in (first, last))):
            continue
        apart += 1
        met = _met(seen[one], seen[other], within)
        if met:
            wrong.append(f"{source}: W({one}, ..) and W({other}, ..) met in object {met}")
    return Result(pairs, apart, starts, tuple(wrong))


def _analysis(names: Any) -> PointsTo:
    found = next(s.points_to for s in names.resolution.symbols.values())
    assert isinstance(found, PointsTo)
    return found


def _merged(targets: Targets | None) -> Targets | None:
    return targets.merged if targets is not None else None


def _met(one: set[tuple[int, int]], other: set[tuple[int, int]], within: bool) -> int | None:
    """An object that both touched: in one execution of their function, where they are of one."""
    if within:
        return next((number for _, number in one & other), None)
    return next(iter({number for _, number in one} & {number for _, number in other}), None)


def _executed(source: Path) -> tuple[dict[int, set[tuple[int, int]]], set[int]]:
    """Of every access: in which execution of its function its pointer led to which object; and those accesses
    whose pointers led behind the start of one.
    """
    program = source.with_suffix("")
    subprocess.run([*_BUILD, str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=20, check=False)
    seen: dict[int, set[tuple[int, int]]] = defaultdict(set)
    inner: set[int] = set()
    for line in done.stdout.splitlines():
        probe, run, number, at_start = map(int, line.split())
        seen[probe].add((run, number))
        if not at_start:
            inner.add(probe)
    return seen, inner


def _probes(ast: c_ast.FileAST, wanted: Any) -> Iterator[tuple[int, tuple[str, Any]]]:
    """The lvalues of the program, in the order of their numbers in the text."""
    for function in ast.ext:
        if isinstance(function, c_ast.FuncDef):
            for node in walk(function.body):
                number = _number(node)
                if number in wanted:
                    yield number, (function.decl.name, node.lvalue)


def _number(node: Any) -> int | None:
    """An access is written `lvalue = NUMBER`, as nothing else is."""
    if not isinstance(node, c_ast.Assignment) or not isinstance(node.rvalue, c_ast.Constant):
        return None
    return int(node.rvalue.value)
