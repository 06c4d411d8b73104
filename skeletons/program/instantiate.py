"""A kernel fitted to a device: every name, type and expression that the templates print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from skeletons.body.argmin import extremes, noting
from skeletons.body.branchless_pack import Packing, packing
from skeletons.body.coarsening import coarsening
from skeletons.body.coarsening import fitted as fitted_coarse
from skeletons.body.halo_tiles import Tiling, tile_body, tiled_arrays
from skeletons.body.inner_sums import sums_in_any_order
from skeletons.body.inspector import Inspector
from skeletons.body.linearise import flatten
from skeletons.body.outer_vectorisation import KernelLanes
from skeletons.body.outline import check_addressable, uses_continue
from skeletons.body.scalar_replacement import kept_cells
from skeletons.body.transpose import turned_body
from skeletons.body.triangle import fold_view, triangle_of
from skeletons.body.unroll import unrolled
from skeletons.body.unroll_and_jam import merged, side_by_side
from skeletons.catalogue.descriptor import Comm, Skeleton
from skeletons.catalogue.passes import LIBRARY, ORDER
from skeletons.cost.work import crosses, is_uneven
from skeletons.kernel.array_views import ArrayView, TileView
from skeletons.kernel.atomics import COMBINING, AtomicFunction, Atomics, operators
from skeletons.kernel.context import Subject, value_at
from skeletons.kernel.names import FreshNames
from skeletons.kernel.prelude import Collector, Prelude
from skeletons.kernel.tables import check_tables, in_rows
from skeletons.kernel.views import ExtremeView, FoldView, LoopView, MergeView, ScalarView, StripView
from skeletons.program.device_kernel import DeviceKernel, PatternView, ShareView
from skeletons.program.fitted_arrays import FittedArrays, check_own
from skeletons.sums import teams
from skeletons.sums.cublas import ProductView, called
from skeletons.sums.tiled_reduction import AccumulationView, Device, fitted, recognise
from species.core.refusal import Refusal
from species.facts.loops import PART, ROW, KernelLoop, KernelPattern, KernelScalar, Reduction
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.text.code import code_tokens, has_members, names_in, parenthesised, words_in

_FOR_CORES = ("chunk", "part")  # transforms for the cores of a CPU
_TYPE_WORDS = frozenset(
    ("char", "short", "int", "long", "float", "double", "signed", "unsigned", "void", "const")
)


@dataclass(frozen=True)
class Instance:
    """The kernel for the templates, and what must stand before it."""

    kernel: DeviceKernel
    prelude: Prelude
    renames: dict[str, str]


def instantiate(subject: Subject, skeleton: Skeleton, comm: Comm = "static") -> Instance:
    """Fit `subject` with `skeleton`, where data moves by `comm`; Refusal says what stands in the way."""
    return _Builder(subject, skeleton, comm).build()


@dataclass
class _Builder:
    subject: Subject
    skeleton: Skeleton
    comm: Comm

    def build(self) -> Instance:
        subject = self.subject
        self.names = FreshNames(set(words_in(subject.span.of(subject.text))) | set(subject.arrays))
        self.names.taken = self._taken()
        check_tables(subject, self.skeleton.transform)
        if subject.shared is not None and self.skeleton.transform in ("fold", LIBRARY, ORDER):
            raise Refusal("it is no skeleton for a part of the iterations")
        self._check_expressions()
        self.atomics = Atomics.of(subject) if self.skeleton.transform in COMBINING else None
        self.sums = recognise(subject) if self.skeleton.stages else None
        self.lanes = self._lanes()
        asked = any(parameter.name == "coarse" for parameter in self.skeleton.parameters)
        self.coarsening = coarsening(self.subject) if asked else None
        check_own(subject, *(function.name for function in self._functions()))
        self.collector = self._collect()
        self.spelling = self.collector.spelling
        tiles = self._tiles()
        clipped = self.sums.clipped if self.sums is not None else frozenset()
        made = FittedArrays(subject, self.skeleton, self.names, self._dev, self.atomics, clipped)
        arrays = tuple(made.array(array, tiles.get(array.name)) for array in subject.kernel.arrays)
        self.tables = tuple(map(made.table, subject.kernel.tables))
        loops = tuple(self._loop(loop, axis) for axis, loop in self._axes())
        scalars = (*map(self._scalar, self._scalars()), *map(self._extra, self._extras()))
        found = self._extremes(scalars, loops)
        kernel = DeviceKernel(
            name=subject.name,
            file=subject.unit.source.path.rsplit("/", 1)[-1],
            line=subject.line,
            function=subject.facts.function,
            species=str(subject.facts.species or ""),
            loops=loops,
            arrays=arrays,
            scalars=scalars,
            body=self._body(arrays, tiles, loops, found),
            has_continue=uses_continue(subject.body),
            fast_body=self._fast_body(arrays),
            atomics=self._functions(),
            extremes=found,
            pattern=self._pattern(scalars, arrays),
            team=self._team(scalars, arrays) if self.skeleton.transform == "team" else None,
            accumulation=self._accumulation(loops, scalars, arrays) if self.sums else None,
            product=self._product(loops, arrays) if self.skeleton.transform == LIBRARY else None,
            merge=self._merge(loops, arrays),
            fast_merge=self._blocks(loops, arrays) if self.atomics else None,
            coarse=fitted_coarse(subject, self.coarsening, loops, self._fresh, self._dev),
            apart=subject.kernel.apart,
            is_uneven=self.subject.kernel.pattern is None and is_uneven(self.subject),
            crosses=self.skeleton.transform == "none" and crosses(self.subject),
            strip=self._strip(arrays),
            fold=self._fold(loops) if self.skeleton.transform == "fold" else None,
            tables=self.tables,
            whole_units=self.comm == "cgcm",
            inspection=self._inspection(arrays) if self.comm == "inspector" else "",
            shares=self._shares(),
        )
        if self.lanes is not None:
            kernel = replace(kernel, in_lanes=frozenset(self.lanes.made))
        return Instance(kernel, self.collector.finish(), {**self.spelling.names, **self.spelling.wrappers})

    def _shares(self) -> ShareView | None:
        shared = self.subject.shared
        return ShareView(self._dev(str(shared.loop.trips)), *PART) if shared is not None else None

    def _inspection(self, arrays: tuple[ArrayView, ...]) -> str:
        return Inspector(self.subject, {array.name: array.seen for array in arrays}, self._dev).text()

    def _axes(self) -> list[tuple[int, KernelLoop]]:
        last = len(self.subject.spread) - 1
        return [(last - place, loop) for place, loop in enumerate(self.subject.spread)]

    def _expressions(self) -> list[str]:
        """The texts that the launch function evaluates on the host."""
        subject = self.subject
        texts = [text for loop in subject.spread for text in (loop.lower, loop.condition, loop.trips or "")]
        texts += [str(subject.shared.loop.trips)] if subject.shared is not None else []
        for array in subject.kernel.arrays:
            texts += [extent for extent in array.extent if extent is not None]
            regions = (array.reads or ()) + (array.writes or ())
            texts += [text for bound in regions for text in (bound.low, bound.high)]
        rows = (bound for transfer in subject.copies for bound in transfer.rows)
        texts += [text.replace(ROW, "0") for bound in rows for text in (bound.low, bound.high)]
        return texts + [text for table in subject.kernel.tables for text in (table.first, table.last)]

    def _check_expressions(self) -> None:
        inner = {text for loop in self.subject.spread for text in (loop.lower, loop.condition)}
        for text in self._expressions():
            if self.subject.iterators & set(names_in(text)) and text not in inner:
                raise Refusal(f"`{text}` depends on an iterator of the nest")
            if has_members(text):
                raise Refusal(f"`{text}` uses a member of a structure")
        if self.skeleton.transform not in COMBINING:
            self._check_reductions()
        check_addressable(
            self.subject, tuple(s.name for s in self.subject.scalars("lastprivate", "reduction"))
        )

    def _check_reductions(self) -> None:
        scalars = {scalar.name for scalar in self.subject.kernel.scalars}
        combined = [reduction.array for reduction in self.subject.kernel.combined]
        combined += [r.variable for r in self.subject.facts.reductions if r.variable not in scalars]
        if combined:
            raise Refusal(f"{combined[0]} is reduced and is no scalar")

    def _collect(self) -> Collector:
        subject = self.subject
        collector = Collector(subject.unit, subject.declarations, subject.spelling, subject.line)
        known = frozenset(subject.arrays) | {table.name for table in subject.kernel.tables}
        known |= {s.name for s in subject.kernel.scalars} | subject.iterators
        known |= {function.name for function in self._functions()} | {MINIMUM, MAXIMUM}
        body = self.atomics.body("global") if self.atomics else subject.body
        pattern = subject.kernel.pattern
        term = [pattern.term] if pattern else []
        collector.collect(*known, body, *term, *self._expressions(), local=known)
        collector.collect(
            *(array.element for array in subject.kernel.arrays),
            *(table.element for table in subject.kernel.tables),
            *(s.ctype for s in self._scalars()),
        )
        return collector

    def _scalars(self) -> tuple[KernelScalar, ...]:
        """The kernel's scalars, without base iterators; those of inner, sequential base loops stay."""
        spread = {loop.iterator for loop in self.subject.spread}
        inner = {k.iterator for k in self.subject.kernel.loops if not k.declared_inside} - spread
        listed = tuple(s for s in self.subject.kernel.scalars if s.name not in self.subject.iterators)
        types = {loop.iterator: loop.ctype for loop in self.subject.kernel.loops}
        return listed + tuple(KernelScalar(name, types[name], "private") for name in sorted(inner))

    def _extras(self) -> tuple[str, ...]:
        return self.subject.free_names(*self._expressions())

    def _tiles(self) -> dict[str, TileView]:
        if self.skeleton.transform != "tile":
            return {}
        tiles = tiled_arrays(self.subject, len(self.subject.spread))
        fresh = {name: self.names.fresh(tile.name) for name, tile in tiles.items()}
        return {name: replace(tile, name=fresh[name]) for name, tile in tiles.items()}

    def _dev(self, text: str) -> str:
        return self.spelling.translated(text)

    def _loop(self, loop: KernelLoop, axis: int) -> LoopView:
        counter = self.names.fresh(f"{loop.iterator}_t")
        return LoopView(
            iterator=self._dev(loop.iterator),
            ctype=self._device_type(loop.ctype, loop.iterator),
            host_ctype=self.subject.canonical(loop.ctype, loop.iterator),
            start=self._dev(value_at(loop, counter)),
            condition=self._dev(loop.condition),
            counter=counter,
            trips=self.names.fresh(f"{loop.iterator}_trips"),
            trips_value=self._dev(str(loop.trips)),
            end=self.names.fresh(f"{loop.iterator}_end"),
            lower=self._dev(loop.lower),
            step=loop.step,
            axis=axis,
            base=self.names.fresh(f"{loop.iterator}_base"),
            local=self.names.fresh(f"{loop.iterator}_in"),
        )

    def _device_type(self, ctype: str, name: str) -> str:
        return self.subject.dialect.device_type(self.subject.canonical(ctype, name))

    def _functions(self) -> tuple[AtomicFunction, ...]:
        if self.atomics is None:
            return ()
        flush = operators(self.subject).items()
        found = self.atomics.functions("global", *flush)
        found += self.atomics.functions("local") if self.skeleton.transform == "atomic" else ()
        return tuple(dict.fromkeys(found))

    def _scalar(self, scalar: KernelScalar) -> ScalarView:
        canonical = self.subject.canonical(scalar.ctype, scalar.name)
        role = "extreme" if (scalar.operator or "").startswith("arg") else scalar.role
        return self._scalar_view(scalar.name, canonical, role, scalar.operator)

    def _extra(self, name: str) -> ScalarView:
        return self._scalar_view(name, self.subject.declared_type(name), "in", None)

    def _scalar_view(self, name: str, canonical: str, role: str, operator: str | None) -> ScalarView:
        return ScalarView(
            name=name,
            device=self._dev(name),
            host_type=canonical,
            device_type=self.subject.dialect.device_type(canonical),
            role=role,
            operator=operator,
            start=self.names.fresh(f"{name}_start"),
            last=self.names.fresh(f"{name}_last"),
            partials=self.names.fresh(f"{name}_partials"),
            parts=self.names.fresh(f"{name}_parts"),
        )

    def _pattern(self, scalars: tuple[ScalarView, ...], arrays: tuple[ArrayView, ...]) -> PatternView | None:
        found = self.subject.kernel.pattern
        if found is None:
            return None
        variable = next(scalar for scalar in scalars if scalar.name == found.variable)
        return PatternView(
            kind=found.kind,
            variable=variable,
            term=variable.own_term(self._flat(found.term, arrays)),
            reads=names_in(found.term),
            own=self.names.fresh(f"{found.variable}_own"),
            carry=self.names.fresh(f"{found.variable}_carry"),
            total=self.names.fresh(f"{found.variable}_total"),
            packing=self._packing(found, arrays),
            stop=self.names.fresh("stop"),
        )

    def _packing(self, found: KernelPattern, arrays: tuple[ArrayView, ...]) -> Packing | None:
        made = packing(self.subject, self.subject.body, found.variable) if found.kind == "pack" else None
        if made is None:
            return None
        stores = tuple(self._flat(text, arrays) for text in made.stores)
        return Packing(stores, self._flat(made.condition, arrays))

    def _accumulation(
        self, loops: tuple[LoopView, ...], scalars: tuple[ScalarView, ...], arrays: tuple[ArrayView, ...]
    ) -> AccumulationView:
        assert self.sums is not None
        self.names.taken = self._taken()
        return fitted(self.sums, loops, scalars, arrays, self._device(arrays))

    def _team(self, scalars: tuple[ScalarView, ...], arrays: tuple[ArrayView, ...]) -> teams.TeamView:
        self.names.taken = self._taken()
        return teams.fitted(teams.recognise(self.subject), scalars, self._device(arrays))

    def _device(self, arrays: tuple[ArrayView, ...]) -> Device:
        ctype = self.subject.dialect.device_type
        return Device(self.names.fresh, lambda text: self._flat(text, arrays), ctype)

    def _product(self, loops: tuple[LoopView, ...], arrays: tuple[ArrayView, ...]) -> ProductView:
        """The sums as a call of a library; Refusal says why it does not compute them."""
        assert self.sums is not None
        self.names.taken = self._taken()
        return called(self.subject, self.sums, loops, arrays, self._device(arrays))

    def _merge(self, loops: tuple[LoopView, ...], arrays: tuple[ArrayView, ...]) -> MergeView | None:
        if self.skeleton.transform == "chunk" and not extremes(self.subject):
            return self._blocks(loops, arrays)
        if self.skeleton.transform != "merge":
            return None
        self.names.taken = self._taken()
        return self._on_device(merged(self.subject, self._iteration(), loops, self.names.fresh), arrays)

    def _blocks(self, loops: tuple[LoopView, ...], arrays: tuple[ArrayView, ...]) -> MergeView | None:
        """Neighbouring iterations of a CPU's work-item side by side, without atomic functions."""
        if self.skeleton.transform not in _FOR_CORES or not self.subject.jam:
            return None
        self.names.taken = self._taken()
        shared = frozenset(each.array for each in self.subject.kernel.combined)  # one cell for all of them
        view = side_by_side(self.subject, self._kept(shared), loops, self.names.fresh)
        return None if view is None else self._on_device(view, arrays)

    def _lanes(self) -> KernelLanes | None:
        """What writes iterations side by side; None where a work-item does not make all of its stretch."""
        subject = self.subject
        others = self.atomics or self.sums or extremes(subject) or subject.kernel.pattern
        if self.skeleton.transform != "chunk" or others or not subject.in_lanes:
            return None
        return KernelLanes(subject, self._fresh)

    def _fresh(self, name: str) -> str:
        self.names.taken = self._taken()
        return self.names.fresh(name)

    def _strip(self, arrays: tuple[ArrayView, ...]) -> StripView | None:
        """The innermost base loop with iterations side by side, for the vectors of a CPU."""
        is_spread = len(self.subject.spread) == len(self.subject.kernel.loops)
        found = self.lanes.base() if self.lanes is not None and is_spread else None
        return StripView(self._flat(found[0], arrays), found[1]) if found is not None else None

    def _on_device(self, view: MergeView, arrays: tuple[ArrayView, ...]) -> MergeView:
        return replace(view, body=self._flat(view.body, arrays), inside=self._dev(view.inside))

    def _fold(self, loops: tuple[LoopView, ...]) -> FoldView:
        self.names.taken = self._taken()
        return fold_view(triangle_of(self.subject), loops, self.names.fresh, self._dev)

    def _extremes(
        self, scalars: tuple[ScalarView, ...], loops: tuple[LoopView, ...]
    ) -> tuple[ExtremeView, ...]:
        """Argmin and argmax, which need the number of an iteration: `i_t * j_trips + j_t`."""
        found = extremes(self.subject)
        if found and self.atomics:
            raise Refusal(f"{found[0].variable} is reduced by {found[0].operator}")
        number = loops[0].counter
        for loop in loops[1:]:
            number = f"{parenthesised(number)} * {loop.trips} + {loop.counter}"
        views = {scalar.name: scalar for scalar in scalars}
        return tuple(self._extreme(reduction, views, number) for reduction in found)

    def _extreme(self, found: Reduction, views: dict[str, ScalarView], number: str) -> ExtremeView:
        at = self.names.fresh(f"{found.variable}_at")
        return ExtremeView(
            value=views[found.variable],
            with_it=tuple(views[name] for name in found.with_it),
            at=replace(self._scalar_view(at, "long", "reduction", None), device=at),
            relation="<" if found.operator == "argmin" else ">",
            keeps=found.keeps,
            number=number,
        )

    def _body(
        self,
        arrays: tuple[ArrayView, ...],
        tiles: dict[str, TileView],
        loops: tuple[LoopView, ...],
        found: tuple[ExtremeView, ...],
    ) -> str:
        self._check_pointers()
        notes = {e.value.name: f"{e.at.name} = {e.number}" for e in found}
        text = noting(self.subject, self._iteration(), notes)
        iterators = [loop.iterator for loop in self.subject.spread]
        if tiles:
            local = {name: loop.local for name, loop in zip(iterators, loops, strict=True)}
            text = tile_body(text, Tiling(tiles, local), iterators)
        return self._flat(self.atomics.body("global") if self.atomics else text, arrays)

    def _fast_body(self, arrays: tuple[ArrayView, ...]) -> str:
        """The body over what only some launches have: parts in fast memory, transposed matrices."""
        if self.atomics:
            shared = self.skeleton.transform == "atomic"  # else a part has one thread only
            return self._flat(self.atomics.body("local") if shared else self._in_registers(), arrays)
        turns = {array.name: array.turn for array in arrays if array.turn is not None}
        rest = tuple(array for array in arrays if array.turn is None)
        return self._flat(turned_body(self._iteration(), turns), rest) if turns else ""

    def _iteration(self) -> str:
        """The body as most skeletons have it; as it was written where they make another one of it."""
        if self.atomics or self.sums or extremes(self.subject):
            return self.subject.body
        return self._in_registers()

    def _in_registers(self) -> str:
        """The body, with cells that inner loops update kept in registers; for CPUs, with sums in vectors."""
        text = self._kept()
        if self.skeleton.transform not in _FOR_CORES:
            return text if self.coarsening is None else unrolled(self.subject, text)
        text = unrolled(self.subject, sums_in_any_order(self.subject, text))
        return self.lanes.within(text) if self.lanes is not None else text

    def _kept(self, but: frozenset[str] = frozenset()) -> str:
        return kept_cells(self.subject, self.subject.body, FreshNames(self._taken()).fresh, but)

    def _taken(self) -> set[str]:
        """All names that mean something in the kernel, in macros, or in the device's language."""
        subject = self.subject
        hidden = subject.macro_names(subject.span.of(subject.text))
        known = subject.dialect.reserved | subject.dialect.library | set(subject.spelling.names.values())
        return self.names.taken | subject.unit.macros.names | hidden | known

    def _flat(self, text: str, arrays: tuple[ArrayView, ...]) -> str:
        for table in self.tables:
            text = in_rows(self.subject, text, table)
        for array in arrays:
            if array.strides:
                text = flatten(self.subject, text, array.name, [name for name, _ in array.strides])
        return self._dev(text)

    def _check_pointers(self) -> None:
        """A pointer variable would need the address space of what it points to."""
        if not self.subject.dialect.pointers and self._declares_pointer():
            raise Refusal("a pointer is declared in the loop")

    def _declares_pointer(self) -> bool:
        types = self.subject.declarations.types.keys() - self.subject.declarations.enumerators
        tokens = code_tokens(self.subject.body)
        return any(
            star.text == "*" and (before.text in types or before.text in _TYPE_WORDS)
            for before, star in pairwise(tokens)
        )
