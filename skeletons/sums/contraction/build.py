"""From a contraction to what its templates print: groups, operands and functions with their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skeletons.sums.contraction.model import Contraction, Operand, names_of
from skeletons.sums.contraction.names import FileNames, Fresh
from skeletons.sums.contraction.views import (
    FunctionView,
    GroupView,
    OperandView,
    Parameter,
    RaggedView,
    group_view,
    needed,
    operand_view,
)
from species.source.syntax.expressions import FLOATS
from species.source.text.code import words_in

_LOCALS = (
    *("row", "column", "depth", "rows", "columns", "row_first", "row_end", "column_first", "column_end"),
    *("depth_first", "depth_end", "row_step", "column_step", "depth_step", "size", "memory", "block", "task"),
    *("left_packed", "right_packed", "left", "right", "packed", "panel", "cell", "lane", "used", "start"),
    *("steps", "step", "position", "first", "end", "own", "common", "any", "tile", "sums", "other"),
    *("rows_here", "columns_here"),
)
_SHORT = {"i": "task_row", "j": "task_column", "k": "depth_at", "l": "left_step", "r": "right_step"}


def scalar_of(element: str) -> str:
    """The type of sums: whole numbers without a sign wrap around, and so give what the original gives."""
    return element if element in FLOATS or element.startswith("unsigned") else f"unsigned {element}"


@dataclass(frozen=True)
class ProductView:
    """The operands of a product and the functions that pack them."""

    rows: OperandView
    columns: OperandView
    pack_rows: FunctionView
    pack_columns: FunctionView


@dataclass(frozen=True)
class ContractionView:
    """Everything of one contraction that the templates print."""

    source: Contraction
    scalar: str
    rows: GroupView
    columns: GroupView
    depth: GroupView
    batch: tuple[Any, ...]
    ragged: RaggedView | None
    range: FunctionView | None
    products: tuple[ProductView, ...]
    task: FunctionView
    whole: FunctionView
    locals: Mapping[str, str] = field(repr=False)

    @property
    def statement(self) -> str:
        return self.source.statement

    @property
    def output(self) -> str:
        return self.source.output

    @property
    def output_unit(self) -> bool:
        """Do neighbouring columns of the output lie side by side?"""
        return self.source.output_unit and self.columns.single

    @property
    def exact(self) -> bool:
        return self.source.exact

    @property
    def triangle(self) -> bool:
        return self.ragged is not None and self.ragged.kind == "triangle"

    @property
    def mirrored(self) -> bool:
        """Is the half of the result above the diagonal a copy of the other one?"""
        return self.source.symmetric

    @property
    def ragged_depth(self) -> bool:
        return self.ragged is not None and self.ragged.kind != "triangle"

    @property
    def multiple(self) -> bool:
        """Has any group several loops?"""
        return not (self.rows.single and self.columns.single and self.depth.single)

    def first(self, group: GroupView) -> str:
        """The variable with the group's first position."""
        return self.locals[f"{self._role(group)}_first"]

    def end(self, group: GroupView) -> str:
        """The variable with the position after the group's last."""
        return self.locals[f"{self._role(group)}_end"]

    def _role(self, group: GroupView) -> str:
        return "row" if group is self.rows else "column" if group is self.columns else "depth"

    @property
    def outer(self) -> GroupView | None:
        """The group whose loop stands outside of the one that depends on it."""
        return self._group(self.source.half.outer.iterator) if self.source.half else None

    @property
    def inner(self) -> GroupView | None:
        """The group whose bounds depend on the other."""
        return self._group(self.source.half.inner.iterator) if self.source.half else None

    def _group(self, iterator: str) -> GroupView:
        groups = (self.rows, self.columns, self.depth)
        return next(group for group in groups if group.loops[0].iterator == iterator)

    @property
    def order(self) -> tuple[GroupView, ...]:
        """The groups, the outer one of two that depend on each other first."""
        groups = (self.rows, self.columns, self.depth)
        return tuple(sorted(groups, key=lambda group: group is self.inner))

    def update(self, value: str) -> str:
        """The statement that adds `value` to the output."""
        output, element = self.source.output, self.source.element
        if element == self.scalar:
            return f"{output} += {value};"
        return f"{output} = ({element})(({self.scalar}){output} + {value});"


class Builder:
    """The context of one contraction's templates."""

    def __init__(
        self, contraction: Contraction, name: str, parameters: tuple[Parameter, ...], names: FileNames
    ) -> None:
        self.contraction, self.name = contraction, name
        self.parameters = (
            *parameters,
            *(Parameter(o.iterator, f"{o.ctype} {o.iterator}") for o in contraction.batch),
        )
        self.scalar = scalar_of(contraction.element)
        self.n = names.of(self.scalar)
        self.fresh = Fresh(set(names.macros) | set(self.n.values()) | self._words())
        self.locals = {role: self.fresh(role) for role in _LOCALS}
        self.locals |= {role: self.fresh(word) for role, word in _SHORT.items()}

    def _words(self) -> set[str]:
        texts = [self.contraction.statement, *(p.declaration for p in self.parameters)]
        texts += [text for o in self.contraction.loops for text in (o.iterator, o.lower, o.upper)]
        return {word for text in texts for word in words_in(text)}

    def context(self) -> dict[str, Any]:
        """Everything for the templates: `n` the file's names, `c` the contraction, and local names."""
        source, n = self.contraction, self.n
        self.rows = group_view(source.rows, n["ROWS"], self.fresh)
        self.columns = group_view(source.columns, n["COLUMNS"], self.fresh)
        self.depth = group_view(source.depth, "", self.fresh)
        view = ContractionView(
            source=source,
            scalar=self.scalar,
            rows=self.rows,
            columns=self.columns,
            depth=self.depth,
            batch=source.batch,
            ragged=self._ragged(),
            range=self._range(),
            products=tuple(self._product(at) for at in range(len(source.products))),
            task=self._task(),
            whole=FunctionView(self.name, needed(self.parameters, self._all_texts()), ()),
            locals=self.locals,
        )
        return {**self.locals, "n": n, "c": view}

    def _ragged(self) -> RaggedView | None:
        ragged = self.contraction.half
        if ragged is None:
            return None
        return RaggedView(ragged, self.columns if ragged.kind == "columns" else self.rows)

    def _range_texts(self) -> tuple[str, ...]:
        ragged = self.contraction.half
        return tuple(text for text in (ragged.low, ragged.high) if text) if ragged else ()

    def _range(self) -> FunctionView | None:
        if self.contraction.half is None:
            return None
        own = tuple(f"long {self.locals[role]}" for role in ("position", "first", "end"))
        return self._function("range", self._range_texts(), own)

    def _all_texts(self) -> tuple[str, ...]:
        loops = (*self.contraction.rows, *self.contraction.columns, *self.contraction.depth)
        bounds = [text for loop in loops for text in (loop.lower, loop.upper)]
        return (self.contraction.statement, *bounds)

    def _product(self, at: int) -> ProductView:
        product = self.contraction.products[at]
        number = str(at + 1) if len(self.contraction.products) > 1 else ""
        kind = self.contraction.half.kind if self.contraction.half else ""
        cast = "" if self.scalar in FLOATS else f"({self.scalar})"
        rows, columns = self.rows.single, self.columns.single
        return ProductView(
            operand_view(product.rows, cast, product.negative, kind == "rows", rows),
            operand_view(product.columns, cast, False, kind == "columns", columns),
            self._pack(f"pack_rows{number}", product.rows, self.rows),
            self._pack(f"pack_columns{number}", product.columns, self.columns),
        )

    def _pack(self, role: str, operand: Operand, group: GroupView) -> FunctionView:
        texts = (*operand.factors, *group.texts, *self.depth.texts)
        kinds = {"rows": self.rows, "columns": self.columns}
        ragged = self.contraction.half
        if ragged and kinds.get(ragged.kind) is group:
            texts += self._range_texts()
        own = (f"const struct {self.n['block']} *{self.locals['block']}", self._pointer("packed", ""))
        return self._function(role, texts, own)

    def _pointer(self, role: str, const: str) -> str:
        return f"{const}{self.scalar} *{self.locals[role]}"

    def _task(self) -> FunctionView:
        texts = (self.contraction.output, *self.rows.texts, *self.columns.texts, *self._range_texts())
        own = (
            *(f"const struct {self.n['block']} *{self.locals[role]}" for role in ("block", "task")),
            *(self._pointer(role, "const ") for role in ("left_packed", "right_packed")),
        )
        return self._function("task", texts, own)

    def _function(self, role: str, texts: Sequence[str], own: tuple[str, ...]) -> FunctionView:
        name = self.fresh(f"{self.name}_{role}")
        return FunctionView(name, needed(self.parameters, names_of(texts)), own)
