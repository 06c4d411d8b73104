"""The arrays and tables of a kernel as the templates see them: names, types, cells that move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skeletons.body.transpose import box, turned_arrays
from skeletons.catalogue.descriptor import Skeleton
from skeletons.kernel.array_views import ArrayView, CellsView, PartView, TableView, TileView, TurnView
from skeletons.kernel.atomics import Atomics, operators
from skeletons.kernel.context import Subject, is_pointer_to_pointer
from skeletons.kernel.names import FreshNames
from skeletons.kernel.regions import CellRange, cell_range, hull, inner_extents, row_range
from species.core.refusal import Refusal
from species.facts.loops import ROW, KernelArray, KernelTable
from species.grammar.nodes import Range
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.text.code import accesses, code_tokens, names_in

_SIDES = ("low", "high")


def check_own(subject: Subject, *names: str) -> None:
    """Refusal where generated code is to call a function whose name the user's file knows."""
    for name in sorted(subject.spelling.names.keys() & set(names)):
        raise Refusal(f"generated code has a {name} of its own")


@dataclass(frozen=True)
class FittedArrays:
    """Fits arrays to a skeleton; `dev` says C text in the device's language, `atomics` combine into elements
    and of the arrays in `clipped` elements may be asked for that no iteration reads.
    """

    subject: Subject
    skeleton: Skeleton
    names: FreshNames
    dev: Callable[[str], str]
    atomics: Atomics | None
    clipped: frozenset[str]

    def array(self, array: KernelArray, tile: TileView | None) -> ArrayView:
        """The view of an array; Refusal says why no device can have it."""
        if len(array.extent) > 1 and is_pointer_to_pointer(self.subject.declaration(array.name)):
            raise Refusal(f"the rows of {array.name} are allocated one by one")
        is_packed = array.name in self.subject.packed
        cells, inner = self._hull(array), inner_extents(array)
        check_own(self.subject, *({MINIMUM, MAXIMUM} & set(names_in(f"{cells.first}, {cells.last}"))))
        brought, returned = (tuple(self._moved(array, cells, way)) for way in ("in", "out"))
        brought = () if is_packed else brought
        constant = all(self._is_constant(extent) for extent in inner)
        host, device = self._element(array)
        turned = self.skeleton.transform == "turn" and array.name in turned_arrays(self.subject)
        clipped = array.name in self.clipped
        touched = tile or turned or clipped
        bounds = self._bounds(array.name, box(array) if turned else array.reads or ()) if touched else ()
        return ArrayView(
            name=array.name,
            host=self.dev(array.name),
            device=self.dev(array.name),
            cells=self.names.fresh(f"{array.name}_cells"),
            first=self.names.fresh(f"{array.name}_first"),
            count=self.names.fresh(f"{array.name}_count"),
            host_type=host,
            device_type=device,
            first_value=self.dev(cells.first),
            last_value=self.dev(cells.last),
            inner=tuple(map(self.dev, inner)) if constant else (),
            strides=() if constant else self._strides(array.name, inner),
            brought=brought,
            returned=returned[0] if returned else None,
            const=array.writes is None and self._only_subscripted(array),
            shifted=array.is_unsized or is_packed or cells.first != "0",
            argument=("&" + array.name + "[0]" * len(array.extent)) if inner else array.name,
            bounds=bounds,
            tile=tile,
            part=self._part(array.name),
            turn=self._turn(array.name, bounds) if turned else None,
            is_clipped=clipped,
            is_known=array.name in self.subject.known,
            is_unit=array.is_unsized and not is_packed,
            is_packed=is_packed,
            seen=self.names.fresh(f"{array.name}_seen"),
            size=self.names.fresh(f"{array.name}_size") if host == "void" else "",
            skip=self.names.fresh(f"{array.name}_skip") if self.subject.dialect.whole_buffers else "",
        )

    def _hull(self, array: KernelArray) -> CellRange:
        """The cells that have places on the device; some are found by the launch."""
        return CellRange("0", "-1") if self._is_found(array) else hull(array)

    def _is_found(self, array: KernelArray) -> bool:
        """Does the launch find out which cells those are?"""
        return array.is_unsized or array.name in self.subject.packed

    def _moved(self, array: KernelArray, all_: CellRange, direction: str) -> Iterator[CellsView]:
        for transfer in self.subject.transfers(array.name, direction):
            if transfer.rows:
                check_own(self.subject, ROW)
            cells = all_
            if not self._is_found(array):
                rows_of, region = transfer.rows, transfer.region
                cells = row_range(array, rows_of) if rows_of else cell_range(array, region)
            rows = (transfer.rows[0].low, transfer.rows[0].high) if transfer.rows else ()
            yield CellsView(
                name=self.names.fresh(f"{array.name}_{direction}"),
                first=self.dev(cells.first),
                last=self.dev(cells.last),
                rows=tuple(map(self.dev, rows)),
                is_all=not rows and cells == all_,
            )

    def table(self, table: KernelTable) -> TableView:
        """The view of a table of rows."""
        rows = self.names.fresh(f"{table.name}_rows")
        arena = f"{rows}_arena" if self.subject.dialect.whole_buffers else ""
        if arena in self.names.taken:
            raise Refusal(f"generated code has a {arena} of its own")
        brought, returned = (tuple(self._moved_rows(table, way)) for way in ("in", "out"))
        host_type = self.subject.canonical(table.element, table.name)
        return TableView(
            name=table.name,
            host=self.dev(table.name),
            host_type=host_type,
            device_type=self.subject.dialect.device_type(host_type),
            view=self.names.fresh(f"{table.name}_table"),
            first=self.names.fresh(f"{table.name}_first"),
            rows=rows,
            arena=arena,
            first_value=self.dev(table.first),
            last_value=self.dev(table.last),
            is_declared=table.extent is not None,
            brought=brought,
            returned=returned[0] if returned else None,
        )

    def _moved_rows(self, table: KernelTable, direction: str) -> Iterator[CellsView]:
        """Cells of rows; whole blocks where nothing tells which."""
        for transfer in self.subject.transfers(table.name, direction):
            check_own(self.subject, ROW)
            bounds = transfer.rows or transfer.region
            rows = (bounds[0].low, bounds[0].high) if bounds else (table.first, table.last)
            first, last = (bounds[1].low, bounds[1].high) if bounds else ("", "")
            yield CellsView(
                name=self.names.fresh(f"{table.name}_{direction}"),
                first=self.dev(first),
                last=self.dev(last),
                rows=(self.dev(rows[0]), self.dev(rows[1])),
                is_all=not bounds,
            )

    def _turn(self, name: str, bounds: tuple[tuple[str, str], ...]) -> TurnView:
        return TurnView(
            name=self.names.fresh(f"{name}_turned"),
            rows=self.names.fresh(f"{name}_rows"),
            columns=self.names.fresh(f"{name}_columns"),
            low_row=bounds[0][0],
            low_column=bounds[2][0],
            at=self.names.fresh(f"{name}_at"),
        )

    def _part(self, name: str) -> PartView | None:
        if self.atomics is None or name not in operators(self.subject):
            return None
        operator = operators(self.subject)[name]
        action = self.atomics.function(name, operator, "global")
        return PartView(self.names.fresh(f"{name}_part"), operator, action.name)

    def _bounds(self, name: str, region: tuple[Range, ...]) -> tuple[tuple[str, str], ...]:
        sides = ((k, bound, side) for k, bound in enumerate(region) for side in _SIDES)
        pairs = [(f"{name}_{side}{k}", getattr(bound, side)) for k, bound, side in sides]
        return tuple((self.names.fresh(wanted), self.dev(value)) for wanted, value in pairs)

    def _element(self, array: KernelArray) -> tuple[str, str]:
        """Host and device spelling of an element; structures have no name on the host side."""
        plain = array.element.removeprefix("const ")
        canonical = self.subject.declarations.canonical(plain)
        if canonical is None:
            if "*" in plain:
                raise Refusal(f"the elements of {array.name} are pointers")
            return "void", self.dev(plain)
        return canonical, self.subject.dialect.device_type(canonical)

    def _only_subscripted(self, array: KernelArray) -> bool:
        uses = accesses(self.subject.body, array.name)
        return all(len(use.subscripts) == len(array.extent) for use in uses)

    def _strides(self, name: str, inner: list[str]) -> tuple[tuple[str, str], ...]:
        return tuple((self.names.fresh(f"{name}_dim{k}"), self.dev(e)) for k, e in enumerate(inner, 1))

    def _is_constant(self, text: str) -> bool:
        return all(
            token.kind != "identifier" or self._is_constant_name(token.text) for token in code_tokens(text)
        )

    def _is_constant_name(self, name: str) -> bool:
        macro = self.subject.unit.macros.definition(name, self.subject.line)
        if macro is not None:
            return macro.params is None and self._is_constant(macro.body)
        return name in self.subject.declarations.types
