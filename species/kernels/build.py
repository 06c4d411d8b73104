"""Kernels: all that code generation needs to know of a nest that may run in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from pycparser import c_ast, c_generator

from species.core.positions import Span
from species.dependence.exact.dependence_test import carried
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import (
    Kernel,
    KernelArray,
    KernelLoop,
    KernelPattern,
    KernelScalar,
    LoopFacts,
    Reason,
)
from species.kernels.array_reductions import ArrayReductions
from species.kernels.arrays import KernelArrays, by_array, is_array
from species.kernels.local_names import local_names, needed_local_name
from species.kernels.members import Members
from species.kernels.parts import in_rows, of_part, or_whole
from species.kernels.pointees import by_pointers, extents_of
from species.kernels.prefix import name_prefix
from species.kernels.structures import Structures, has_member
from species.kernels.tables import is_of_table, is_row, kernel_table, tables_in
from species.kernels.trip_counts import trips_text
from species.kernels.unsigned_bounds import asked, ranges
from species.loops.model import FunctionModel, Loop, Reference, inner_loops, nested
from species.loops.unsigned_bounds import Unclear
from species.loops.walk import FileModel
from species.openmp.rules import OPERATORS, copied_in_header, has_moving_bound, starts_in_header
from species.openmp.structure_copies import StructureCopies
from species.regions.array_objects import array_obstacles
from species.regions.hull import Regions
from species.sets.affine import Affine
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.source.text.for_headers import header_texts
from species.symbols.symbols import FRESH, Symbol
from species.symbols.update_idioms import root_name


class KernelBuilder:
    """Builds the kernels of one file, numbered in the order of the source."""

    def __init__(
        self, unit: TranslationUnit, file: FileModel, *, parts: bool = False, clipped: bool = False
    ) -> None:
        self._unit, self._file, self._parts, self._clipped = unit, file, parts, clipped
        self._generator = c_generator.CGenerator()
        self._called: dict[int, list[str]] = {}  # by loop number
        self._declared: tuple[FunctionModel, dict[int, frozenset[str]]] | None = None
        self._counts = Counter[str]()
        self._stem = name_prefix(unit)
        self._structures = Structures(unit, file.types)

    def build(
        self,
        model: FunctionModel,
        judge: Judge,
        copies: StructureCopies,
        judgement: Judgement,
        base: tuple[Loop, ...],
        facts: LoopFacts,
        pattern: KernelPattern | None = None,
    ) -> Kernel | None:
        """The kernel of a loop, parallel or with a pattern; None where its text cannot be taken apart."""
        loops = self._loops(Regions(model, judgement.loop), judgement.loop, base)
        if not loops or facts.position.file != self._unit.source.path:
            return None
        symbols = self._file.resolution.symbols
        private = [array.symbol for array in judgement.arrays]
        own = {copy.symbol for copy in judgement.copies}
        placed = [r for r in judge.placed(judgement) if r.symbol not in own]
        placed = [r for r in placed if not judge.is_of_iteration(r, judgement.loop)]
        references, names = by_pointers(placed, judgement.loop, symbols, private)
        model.extents |= extents_of(names, judgement.loop, model.extents)
        hidden = [r for r in references if _is_hidden(r, judge, judgement.loop)]
        if any(r.write for r in hidden):
            return None
        references = [r for r in references if r not in hidden]
        scalars = self._scalars(judge, judgement, base, facts)
        owners = tables_in(references, by_array(judge, judgement, references))
        pointers, obstacles = self._obstacles(judgement, references, judge, owners)
        obstacles += self._shared(judgement, scalars, references)
        obstacles += self._unnamed(model, judgement, references)
        obstacles += [self._reason(f"only a function knows '{r.symbol.name}'", r.node) for r in hidden[:1]]
        launched = base[: len(loops)]  # nothing is copied where one of these makes no iteration
        regions = Regions(model, judgement.loop, None, judgement.provided, launched)
        finder = KernelArrays(model, self._file.types, self._structures)
        arrays, provided = finder.found(judge, judgement, regions, references)
        combined = ArrayReductions(
            judge, judgement, regions, references, names, hidden, symbols, self._file.types
        )
        rows = {symbol.name for symbol in owners}
        tables = (a for a in arrays if a.name in rows and a.holds_pointers)
        unsized = list(self._unknown((a for a in arrays if a.name not in rows), references))
        obstacles += [*self._unknown(tables, references), *unsized]
        obstacles += self._in_headers(base[: len(loops)])
        seen = Members(self._unit, self._file, model, judge, judgement, copies)
        members, readable, entered = seen.found() if obstacles else ((), (), False)
        if not obstacles:
            try:
                provided += asked(regions, judgement, filter(is_array, references), ranges(arrays))
            except Unclear:
                message = "its bounds may wrap around, which cannot be tested before it"
                obstacles.append(self._reason(message, judgement.loop.node))
        return Kernel(
            name="",
            loops=loops,
            arrays=arrays,
            scalars=tuple(scalars),
            functions=tuple(self._functions(judgement.loop)),
            conditions=facts.conditions,
            obstacles=tuple(obstacles),
            pointers=tuple(pointers),
            unsized=tuple(unsized),
            tables=tuple(kernel_table(arrays, symbol.name) for symbol in owners),
            combined=combined.found(model, facts, arrays, provided),
            pattern=pattern,
            provided=provided,
            parts=tuple(
                self._of_part(model, judge, judgement, references, launched, spread, arrays)
                for spread in (launched if self._parts else ())
            ),
            members=members,
            readable=readable,
            entered=entered,
            separate=tuple(_separate(judge, judgement, references)),
            apart=not judgement.vouched and not owners,
        )

    def _of_part(
        self,
        model: FunctionModel,
        judge: Judge,
        judgement: Judgement,
        references: list[Reference],
        launched: tuple[Loop, ...],
        spread: Loop,
        whole: tuple[KernelArray, ...],
    ) -> tuple[KernelArray, ...]:
        """The arrays as a part of a base loop's iterations touches them, in the order of the `whole` ones; ()
        where more would have to hold.
        """
        top, made = of_part(model, judgement.loop, spread, references)
        regions = Regions(model, top, None, judgement.provided, launched)
        known = None if self._clipped else {array.name: array for array in whole}
        finder = KernelArrays(model, self._file.types, self._structures, clipped=known is None)
        arrays, provided = finder.found(judge, replace(judgement, loop=top), regions, made, known)
        found = tuple(map(or_whole, arrays, whole))
        found = found if spread is launched[0] else tuple(map(in_rows, found))
        return () if provided else found

    def named(self, facts: LoopFacts) -> LoopFacts:
        """The loop with names for its kernels; those with patterns are counted on their own."""
        return replace(facts, kernel=self._named(facts.kernel, "k"), scheme=self._named(facts.scheme, "s"))

    def _named(self, kernel: Kernel | None, letter: str) -> Kernel | None:
        if kernel is None:
            return None
        self._counts[letter] += 1
        return replace(kernel, name=f"{self._stem}_{letter}{self._counts[letter]}")

    def _local(self, model: FunctionModel) -> dict[int, frozenset[str]]:
        """What the function declares for itself, kept until another function comes."""
        if self._declared is None or self._declared[0] is not model:
            self._declared = model, local_names(model.node.body)
        return self._declared[1]

    # Loops

    def _loops(self, regions: Regions, top: Loop, base: tuple[Loop, ...]) -> tuple[KernelLoop, ...]:
        """Base loops from the top down, as long as each directly holds the next."""
        found: list[KernelLoop] = []
        parent = top.parent
        for loop in base:
            described = self._kernel_loop(regions, top, loop) if loop.parent is parent else None
            if described is None:
                break
            found.append(described)
            parent = loop
        return tuple(found)

    def _kernel_loop(self, regions: Regions, top: Loop, loop: Loop) -> KernelLoop | None:
        spans = self._unit.loop_spans(loop.node)
        if spans is None or loop.iterator is None or not loop.steps_in_header:
            return None  # an iterator that the body moves, or a loop that is no `for`
        if not loop.iterator.ctype.is_integer or has_moving_bound(loop) or loop.strided:
            return None
        if not starts_in_header(loop.node.init, loop) or loop.through_zero:
            return None
        file = self._unit.sources[self._unit.loop_position(loop.node).file]
        parts = header_texts(spans.header.of(file.text))
        if parts is None:
            return None
        lower, condition, increment = parts
        if isinstance(loop.node.cond, c_ast.BinaryOp) and loop.node.cond.op == "!=":
            condition = self._relation(loop)
        return KernelLoop(
            iterator=loop.iterator.name,
            ctype=loop.iterator.ctype.text,
            declared_inside=loop.declared_inside,
            lower=lower,
            condition=condition,
            increment=increment,
            step=loop.step,
            trips=trips_text(regions, top, loop),
            spans=spans,
        )

    def _relation(self, loop: Loop) -> str:
        """`i != n` as a comparison that also holds when threads step over the end."""
        left, right = (self._generator.visit(s) for s in (loop.node.cond.left, loop.node.cond.right))
        counts_left = loop.iterator is not None and loop.iterator.name in left
        smaller = (loop.step > 0) == counts_left
        return f"{left} {'<' if smaller else '>'} {right}"

    # Data

    def _unknown(self, arrays: Iterable[KernelArray], references: list[Reference]) -> Iterator[Reason]:
        """Arrays of which nobody knows what to copy."""
        for array in (array for array in arrays if array.is_unsized):
            first = next(r for r in references if is_array(r) and r.symbol.name == array.name)
            message = f"'{array.name}' is accessed at unknown places, and its size is unknown"
            yield self._reason(message, first.node)

    def _scalars(
        self, judge: Judge, judgement: Judgement, base: tuple[Loop, ...], facts: LoopFacts
    ) -> list[KernelScalar]:
        loop = judgement.loop
        scalars = [r for r in judgement.reductions if r.is_scalar]
        operators = {symbol: r.operator for r in scalars for symbol in (r.place.symbol, *r.with_it)}
        iterators = {b.iterator for b in base}
        found: dict[Symbol, KernelScalar] = {}
        for reference in judge.references(loop):
            symbol = reference.symbol
            plain = reference.place.is_variable and symbol.ctype.is_number
            if not plain or symbol in found or judge.is_inside(symbol, loop):
                continue
            role = self._role(symbol, judgement, operators, facts)
            if symbol in iterators and role != "lastprivate":
                continue
            number = known_number(symbol, loop) if role == "in" else None
            given = symbol.given if role == "in" else ()
            places = tuple(self._places(symbol, loop)) if given or number is not None else ()
            operator, ctype = operators.get(symbol), symbol.ctype.text
            found[symbol] = KernelScalar(symbol.name, ctype, role, operator, number, given, places)
        return list(found.values())

    def _places(self, symbol: Symbol, loop: Loop) -> Iterator[Span]:
        """Where the loop names a variable, macros aside."""
        symbols = self._file.resolution.symbols
        named = (node for node in walk(loop.node) if symbols.get(id(node)) is symbol)
        spans = (self._unit.member_span(node) for node in named if isinstance(node, c_ast.ID))
        return (span for span in spans if span is not None)

    def _role(
        self, symbol: Symbol, judgement: Judgement, operators: dict[Symbol, str], facts: LoopFacts
    ) -> str:
        if symbol in operators:
            return "reduction"
        if symbol in (*judgement.lastprivate, *judgement.conditional) or (
            symbol is judgement.loop.iterator and symbol.name in facts.lastprivate
        ):
            return "lastprivate"
        return "private" if symbol in judgement.private else "in"

    def _functions(self, loop: Loop) -> list[str]:
        if loop.number not in self._called:
            self._called[loop.number] = self._names_called(loop)
        return self._called[loop.number]

    def _names_called(self, loop: Loop) -> list[str]:
        calls = (n for n in walk(loop.node) if isinstance(n, c_ast.FuncCall))
        return list(dict.fromkeys(c.name.name for c in calls if isinstance(c.name, c_ast.ID)))

    # Obstacles

    def _obstacles(
        self, judgement: Judgement, references: list[Reference], judge: Judge, tables: Collection[Symbol]
    ) -> tuple[list[Reason], list[Reason]]:
        """What keeps a loop off devices that cannot follow pointers, and what keeps it off all."""
        pointers, found = [], []
        for reference in references:
            message = self._obstacle(reference, judge, judgement.loop)
            if message is not None and is_of_table(reference, tables):
                pointers.append(self._reason(message, reference.node))
            elif message is not None:
                found.append(self._reason(message, reference.node))
                break
        followed = {r.symbol for r in references if is_array(r)}
        for reference in references:
            symbol = reference.symbol
            alone = symbol not in followed and not judge.is_inside(symbol, judgement.loop)
            if alone and symbol.ctype.kind == "pointer" and reference.place.is_variable:
                found.append(self._reason(f"the value of '{symbol.name}' is an address", reference.node))
        for name in self._functions(judgement.loop):
            if name in (*FRESH, "free"):
                found.append(self._reason(f"'{name}' is called", judgement.loop.node))
        for array in judgement.arrays:
            message = f"every iteration needs an array '{array.symbol.name}' of its own"
            found.append(self._reason(message, judgement.loop.node))
        for symbol in judgement.conditional:
            message = f"'{symbol.name}' keeps the value of the last iteration that sets it"
            found.append(self._reason(message, judgement.loop.node))
        for symbol in judgement.linear:
            message = f"every iteration starts from another value of '{symbol.name}', and changes it"
            found.append(self._reason(message, judgement.loop.node))
        copied = copied_in_header(judgement)
        if copied is not None:
            message = f"the header reads '{copied}', of which every iteration has its own"
            found.append(self._reason(message, judgement.loop.node))
        for combined in judgement.reductions:
            if combined.operator not in OPERATORS and not combined.with_it:
                found.append(self._reason(f"a reduction '{combined.operator}'", combined.node))
        return pointers[:1], [*pointers[:1], *found]

    def _shared(
        self, judgement: Judgement, scalars: list[KernelScalar], references: list[Reference]
    ) -> list[Reason]:
        """Where the user vouches for the loop, iterations may assign a variable that none has for itself."""
        shared = {scalar.name for scalar in scalars if scalar.role == "in"}
        shared -= {symbol.name for symbol in judgement.linear}
        writes = (r for r in references if r.write and r.place.is_variable and r.symbol.name in shared)
        first = {r.symbol.name: r.node for r in writes}
        return [self._reason(f"the iterations share '{name}', and assign it", n) for name, n in first.items()]

    def _in_headers(self, base: tuple[Loop, ...]) -> Iterator[Reason]:
        """Members that headers read: devices compute their bounds before there are any arrays."""
        for loop in base:
            parts = (part for part in (loop.node.init, loop.node.cond) if part is not None)
            found = next((n for part in parts for n in walk(part) if isinstance(n, c_ast.StructRef)), None)
            if found is not None:
                yield self._reason(f"the header reads '{self._generator.visit(found)}'", found)

    def _unnamed(
        self, model: FunctionModel, judgement: Judgement, references: list[Reference]
    ) -> list[Reason]:
        """What the loop names, and another function would not, or would mean something else by."""
        node = judgement.loop.node
        touched = {r.symbol for r in references if is_array(r)} | {a.symbol for a in judgement.arrays}
        found = array_obstacles(node, self._file.resolution.symbols, touched)
        reasons = [self._reason(message, place) for message, place in found]
        local = needed_local_name(self._local(model), node, (r.symbol for r in references))
        if local is not None:
            reasons.append(self._reason(f"{local} is local to this function", node))
        return reasons

    def _obstacle(self, reference: Reference, judge: Judge, loop: Loop) -> str | None:
        """Why device code could not make this reference."""
        symbol, place = reference.symbol, reference.place
        strange = has_member(place) and not self._structures.in_element(place)
        if strange or symbol.ctype.kind in ("struct", "union"):
            return f"'{place.name}' is a member of a structure"
        if self._structures.laid_out and place.ctype.kind in ("struct", "union"):
            return f"the file changes the layout of structures, which devices do not follow: '{place.name}'"
        if place.loose or (symbol.storage == "memory" and not is_row(symbol)):
            return f"'{place.name}' is reached through a pointer that is not a plain array"
        if judge.is_inside(symbol, loop):
            elsewhere = place.base is not None and not judge.allocates(loop, symbol)
            return f"'{place.name}' points to something that is not known" if elsewhere else None
        if reference.inlining is not None:
            return f"'{place.name}' is used by '{reference.inlining.name}', which is called"
        if place.is_variable and not _is_named(reference):
            return f"'{place.name}' is reached through a pointer, or by a call"
        if is_array(reference) and place.ctype.kind == "pointer":
            return f"'{place.name}' holds pointers"
        if is_array(reference) and root_name(reference.node) != symbol.name:
            return (
                f"'{self._generator.visit(reference.node)}' reaches '{symbol.name}' through another pointer"
            )
        if place.is_variable and symbol.ctype.kind == "unknown":
            return f"the type of '{symbol.name}' is not known"
        if place.is_variable and reference.write and symbol.ctype.kind == "pointer":
            return f"the pointer '{symbol.name}' is assigned"
        return None

    def _reason(self, message: str, node: Any) -> Reason:
        return Reason("CV401", message, self._unit.position(node.coord))


def _separate(judge: Judge, judgement: Judgement, references: list[Reference]) -> Iterator[str]:
    """The arrays that are written, and of which all that is read beside updates is what nobody writes.

    Base loops are parallel; what is left are dependences that loops inside carry, and on statements before or
    behind such loops: where there are some that write to the array, it does not count.
    """
    for symbol, found in by_array(judge, judgement, references).items():
        writes = [r for r in found if r.write]
        others = [r for r in found if not r.write and r.update is None]
        pairs = [pair for w in writes for r in others for pair in ((w, r), (r, w))]
        loops = [loop for loop in nested(judgement.loop) if pairs]
        beside = any(w.loops != r.loops for w in writes for r in others)
        met = any(carried(o, inner_loops(o), *p, judge.tests) for o in loops for p in pairs)
        if writes and not beside and not met:
            yield symbol.name


def _is_named(reference: Reference) -> bool:
    """Does the text have the variable's own name there?"""
    return isinstance(reference.node, c_ast.Decl) or root_name(reference.node) == reference.symbol.name


def known_number(symbol: Symbol, loop: Loop) -> int | None:
    """What a variable of the function, of which nobody has the address, is whenever the loop is reached."""
    value, is_own = loop.entry.get(symbol), symbol.storage in ("local", "parameter")
    if not is_own or symbol.address_taken or not symbol.ctype.is_integer or symbol.ctype.volatile:
        return None
    return value.constant if isinstance(value, Affine) and value.is_constant else None


def _is_hidden(reference: Reference, judge: Judge, loop: Loop) -> bool:
    """Is the variable one whose name is not known at the loop: a callee's, or one that is declared inside?"""
    symbol = reference.symbol
    foreign = reference.inlining is not None and symbol.storage != "memory"
    inside = judge.is_inside(symbol, loop)
    return not inside and (loop.hides(symbol) or (foreign and not loop.sees(symbol)))
