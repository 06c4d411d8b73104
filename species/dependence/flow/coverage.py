"""Is what an iteration reads always what the same iteration wrote?  (Arrays that may be private.)

A read is covered if every cell that it may touch was written before, for certain, by the same iteration
of the loop.  This is array data flow analysis (Feautrier 1991; Tu and Padua 1993), decided with integer
sets instead of summaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl
from pycparser import c_ast

from species.dependence.exact.dependence_test import meeting
from species.loops.model import FunctionModel, Loop, Reference
from species.loops.modified import is_object
from species.sets.affine import Affine, Value, is_natural
from species.sets.conditions import Compare, Condition, Unknown, leaves
from species.sets.domains import Names, Printer, all_hold, limited
from species.source.syntax.tree import walk

MAX_PAIRS = 2_000  # reads times writes


class Coverage:
    """Answers for the loops of one function."""

    def __init__(self, model: FunctionModel) -> None:
        self._model = model
        self._loops: Mapping[int, Loop] = {loop.number: loop for loop in model.loops}

    def covered(self, loop: Loop, references: Sequence[Reference]) -> bool:
        """Does every read among `references` (to one object, inside `loop`) see its own iteration's value?"""
        writes = [r for r in references if r.write and not r.place.loose]
        reads = [r for r in references if not r.write]
        if len(reads) * len(writes) > MAX_PAIRS:
            return False
        return all(self._sees_own(loop, read, writes) for read in reads)

    def _sees_own(self, loop: Loop, read: Reference, writes: Sequence[Reference]) -> bool:
        if not read.place.loose and self._is_covered(loop, read, writes):
            return True
        anywhere = self._anywhere(read)
        return anywhere is not None and self._is_covered(loop, anywhere, writes)

    def _anywhere(self, read: Reference) -> Reference | None:
        """A read of which only the array is known, as one of any element; None: it is no declared array."""
        symbol, sizes = read.symbol, self._model.extents.get(read.symbol, ())
        element = symbol.ctype.element
        whole = is_object(symbol) and element.is_number and read.place.base is None
        if not whole or not sizes or read.place.byte is not None or read.place.ctype != element:
            return None
        steps, conditions = list[Affine](), list[Condition]()
        for number, size in enumerate(sizes):
            step = Affine.of(Value(("anywhere", number, id(read)), frozenset(), symbol.name))
            if size is None or not size.is_constant:
                return None
            steps.append(step)
            conditions += [Compare(step), Compare(size - step - 1)]
        place = replace(read.place, path=tuple(steps), loose=False, flat=None)
        return replace(read, place=place, conditions=(*read.conditions, *conditions))

    def _is_covered(self, loop: Loop, read: Reference, writes: Sequence[Reference]) -> bool:
        if is_overwritten(read, writes, self._model):
            return True
        names = Names()
        parts = [text for w in writes for text in self._instances(loop, read, w, names)]
        if not parts:
            return False
        wanted = _conjunction(Printer(names), (*read.conditions, *self._within(read)))
        own = [(atom, name) for (atom, primed), name in names.items() if not primed]
        wanted += "".join(f" and {name} >= 0" for atom, name in own if is_natural(atom))
        variables = ", ".join(name for _, name in own)
        return limited(lambda: _is_within(variables, wanted, parts), when_exhausted=False)

    def _within(self, read: Reference) -> list[Condition]:
        """That the read is of a cell that is there, of an array of one dimension: C has no others."""
        sizes, steps = self._model.extents.get(read.symbol, ()), read.place.subscripts
        is_array = is_object(read.symbol) or read.symbol.is_single_allocation
        if not is_array or len(sizes) != 1 or len(read.place.path) != 1 or sizes[0] is None or not steps:
            return []
        return [Compare(steps[0]), Compare(sizes[0] - steps[0] - 1)]

    def _instances(self, loop: Loop, read: Reference, write: Reference, names: Names) -> Iterator[str]:
        """The executions of `write` that come before that of `read`, and are certain, as isl texts."""
        equations = _covering(write, read)
        if equations is None:
            return
        if _is_enclosing(write, read, self._model):
            yield _equal(equations, Printer(names), Printer(names))
        inside = loop.path
        common = _common(read.loops, write.loops)[len(inside) :]
        for depth, number in enumerate(common):
            shared = len(self._loops[number].conditions)
            kept = frozenset((*inside, *common[:depth]))
            earlier = _Earlier(frozenset(write.loops) - kept, shared, self._loops[number])
            yield from self._certain(read, write, equations, earlier, names)
        if _comes_first(write, read, self._model):
            shared = self._shared(read, write)
            before = _Earlier(frozenset(write.loops) - {*inside, *common}, shared, None)
            yield from self._certain(read, write, equations, before, names)

    def _certain(
        self,
        read: Reference,
        write: Reference,
        equations: list[tuple[Affine, Affine]],
        earlier: _Earlier,
        names: Names,
    ) -> Iterator[str]:
        own = write.conditions[earlier.shared :]
        known = all(map(earlier.is_known, own)) and all(earlier.knows(a) for a, _ in equations)
        if not known or not self._is_complete(earlier):
            return
        there = Printer(names, earlier.varying)
        text = f"{_conjunction(there, own)} and {_equal(equations, there, Printer(names))}"
        if earlier.loop is not None:
            counter = earlier.loop.counter
            text += f" and 0 <= {there.atom(counter)} < {Printer(names).atom(counter)}"
        moved = [name for (_, primed), name in names.items() if primed]
        yield f"exists ({', '.join(moved)} : {text})" if moved else text

    def _is_complete(self, earlier: _Earlier) -> bool:
        """Are all the iterations that are meant there?  Of the loop that iterates earlier, those before
        are.
        """
        if earlier.loop is not None and earlier.loop.strided:
            return False
        whole = (self._loops[n] for n in earlier.varying if self._loops[n] is not earlier.loop)
        return all(loop.exact and loop.counted for loop in whole)

    def _shared(self, read: Reference, write: Reference) -> int:
        """How many conditions hold of both because they are in one execution of the same block."""
        common = len(_common(read.block, write.block))
        limits = [
            self._model.depths[r.block[common]] if len(r.block) > common else len(r.conditions)
            for r in (read, write)
        ]
        pairs = zip(read.conditions[: min(limits)], write.conditions, strict=False)
        return next((k for k, (a, b) in enumerate(pairs) if a is not b), min(limits))


@dataclass(frozen=True)
class _Earlier:
    """Which executions of a write are meant: in iterations of the loops `varying` that may be others than
    the read's; the first `shared` conditions are known to hold; `loop` is one that iterates earlier."""

    varying: frozenset[int]
    shared: int
    loop: Loop | None

    def is_known(self, condition: Condition) -> bool:
        return not any(
            isinstance(leaf, Unknown) or not self.knows(leaf.expression) for leaf in leaves(condition)
        )

    def knows(self, expression: Affine) -> bool:
        """Is the value the same function of the counters in all these executions?"""
        return not any(isinstance(a, Value) and a.loops & self.varying for a in expression.atoms())


def is_overwritten(read: Reference, references: Sequence[Reference], model: FunctionModel) -> bool:
    """Does the same iteration write the element, for certain, before it reads it?"""
    return not read.place.loose and any(
        w.write and _is_enclosing(w, read, model) and w.place == read.place for w in references
    )


def _comes_first(write: Reference, read: Reference, model: FunctionModel) -> bool:
    """Is the write before the read for certain?  An expression may make its calls in any order."""
    if write.order > read.order:
        return False
    one, other = (list(r.inlining.chain) if r.inlining else [] for r in (write, read))
    while one and other and one[0] is other[0]:
        del one[0], other[0]
    first = one[0].call if one else write.node
    second = other[0].call if other else read.node
    expression = model.expressions.get(id(first))
    if expression is None or expression != model.expressions.get(id(second)):
        return True
    is_call = any(isinstance(node, c_ast.FuncCall) for node in (first, second))
    given = walk(second.args) if other and second.args is not None else ()
    return not is_call or any(part is first for part in given)


def _is_enclosing(write: Reference, read: Reference, model: FunctionModel) -> bool:
    """Is the write executed whenever the read is, before it, in the same iteration of all its loops?"""
    return (
        _comes_first(write, read, model)
        and read.loops[: len(write.loops)] == write.loops
        and read.block[: len(write.block)] == write.block
    )


def _covering(write: Reference, read: Reference) -> list[tuple[Affine, Affine]] | None:
    """The subscripts that must be equal for the write to hold all of what is read; None: it cannot."""
    if len(write.place.path) > len(read.place.path):
        return None
    return meeting(write.place, read.place)


def _is_within(variables: str, wanted: str, parts: Sequence[str]) -> bool:
    written = isl.Set(f"{{ [{variables}] : {' or '.join(f'({p})' for p in parts)} }}")
    return bool(isl.Set(f"{{ [{variables}] : {wanted} }}").is_subset(written))


def _conjunction(printer: Printer, conditions: Sequence[Condition]) -> str:
    return all_hold(printer.condition(c) for c in conditions)


def _equal(equations: list[tuple[Affine, Affine]], there: Printer, here: Printer) -> str:
    return all_hold(f"{there.expression(a)} = {here.expression(b)}" for a, b in equations)


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The longest common beginning."""
    length = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:length]
