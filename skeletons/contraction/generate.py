"""The C text of contractions: what a file has once, the functions of each, and the call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from skeletons.catalogue import BUILTIN
from skeletons.contraction.expressions import FLOATS
from skeletons.contraction.model import Contraction, Operand, names_of
from skeletons.contraction.views import (
    FunctionView,
    GroupView,
    Parameter,
    RaggedView,
    group_view,
    needed,
    operand_view,
)
from skeletons.ctext import identifier, rename, words_in
from skeletons.rendering import render

_TARGET = "openmp"
_SHARED = ("block", "range", "min", "max", "count", "part", "aligned", "pays", "many", "threads")
_CONSTANTS = {
    "VECTOR_BYTES": "VECTOR_BYTES",
    "ROWS": "TILE_ROWS",
    "VECTORS": "TILE_VECTORS",
    "TASK_ROWS": "TASK_ROWS",
    "DEPTH": "BLOCK_DEPTH",
    "PACKED": "BLOCK_TASKS",
    "UNROLL": "UNROLL",
    "FUSED": "FUSED_FUNCTION",
    "FUSE": "FUSED_BLOCK",
}
_OF_TYPE = ("vector", "anywhere", "tile")
_CONSTANTS_OF_TYPE = {"COLUMNS": "TILE_COLUMNS", "TASK_COLUMNS": "TASK_COLUMNS"}
_PRELUDE_LOCALS = (
    *("row", "row_end", "column", "column_end", "depth", "depth_end", "first", "end", "a", "b", "p", "r"),
    *("v", "left", "right", "tile", "sum", "columns", "rows", "whole", "most", "unit", "parts", "size"),
    "memory",
)
_LOCALS = (
    *("row", "column", "depth", "rows", "columns", "row_first", "row_end", "column_first", "column_end"),
    *("depth_first", "depth_end", "row_step", "column_step", "depth_step", "size", "memory", "block", "task"),
    *("left_packed", "right_packed", "left", "right", "packed", "panel", "cell", "lane", "used", "start"),
    *("steps", "step", "position", "first", "end", "own", "common", "any", "tile", "sums", "other"),
    *("rows_here", "columns_here"),
)
_SHORT = {"i": "task_row", "j": "task_column", "k": "depth_at", "l": "left_step", "r": "right_step"}
TUNING: Mapping[str, int] = {
    "MR": 0,  # rows of a register tile; 0: from the vector width
    "NV": 0,  # vectors in a row of it; 0: from the vector width
    "KC": 256,  # steps of the depth that are packed at a time
    "MC": 96,  # rows of a task
    "NC": 256,  # columns of a task
    "TASKS": 16,  # rows and columns of so many tasks are packed at a time
    "THIN": 4,  # fewer rows, columns or steps: the plain loops
    "SMALL": 32768,  # fewer products: the plain loops
    "PARALLEL": 262144,  # fewer products: one thread
}


@dataclass(frozen=True)
class FileNames:
    """Names that one generated file uses for all its contractions.

    `taken` are the identifiers in the file, `macros` those that are macros, its own and its headers'.
    """

    taken: frozenset[str]
    macros: frozenset[str] = frozenset()

    def of(self, element: str) -> dict[str, str]:
        """Names by role for contractions of elements of this type."""
        kind = identifier(element)
        shared = {role: f"contraction_{role}" for role in _SHARED}
        shared |= {role: f"contraction_{role}_{kind}" for role in _OF_TYPE}
        shared |= _CONSTANTS
        shared |= {role: f"{name}_{kind.upper()}" for role, name in _CONSTANTS_OF_TYPE.items()}
        return {role: _free(name, self.taken | self.macros) for role, name in shared.items()}


def _free(name: str, taken: Set[str]) -> str:
    while name in taken:
        name += "_"
    return name


@dataclass(frozen=True)
class Code:
    """The functions of one contraction, and the statement that takes the loops' place."""

    functions: str
    call: str


def prelude(elements: Iterable[str], names: FileNames, tuning: Mapping[str, int] | None = None) -> str:
    """What a file needs once for contractions of these element types, before their functions."""
    values = {**TUNING, **(tuning or {})}
    scalars = tuple(dict.fromkeys(_scalar(element) for element in elements))
    if not scalars:
        return ""
    parts = [render("contraction.common.j2", BUILTIN / _TARGET, _TARGET, n=names.of(scalars[0]), p=values)]
    for scalar in scalars:
        names_of_type = names.of(scalar)
        parts.append(
            render(
                "contraction.kernel.j2", BUILTIN / _TARGET, _TARGET, n=names_of_type, p=values, type=scalar
            )
        )
    clashes = {name: _free(name, names.macros) for name in _PRELUDE_LOCALS if name in names.macros}
    return rename("".join(parts), clashes)


def generate(
    contraction: Contraction,
    name: str,
    parameters: Sequence[Parameter],
    names: FileNames,
    indent: str = "",
) -> Code:
    """The functions, called `name` and `name_...`, and the call.

    `parameters` are the variables of `contraction.names` that are not in scope at file level, with their
    declarations as parameters, sizes before the arrays that they measure.  `indent` is that of the loops.
    """
    context = _Builder(contraction, name, tuple(parameters), names).context()
    folder = BUILTIN / _TARGET
    return Code(
        render("contraction.function.j2", folder, _TARGET, **context),
        render("contraction.call.j2", folder, _TARGET, indent=indent, **context),
    )


def _scalar(element: str) -> str:
    """The type of sums: whole numbers without a sign wrap around, and so give what the original gives."""
    return element if element in FLOATS or element.startswith("unsigned") else f"unsigned {element}"


@dataclass
class _Fresh:
    taken: set[str]

    def __call__(self, name: str) -> str:
        name = _free(name, self.taken)
        self.taken.add(name)
        return name


@dataclass(frozen=True)
class ProductView:
    """The operands of a product and the functions that pack them."""

    rows: Any
    columns: Any
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
        """Is the result the original's to the last bit?"""
        return self.source.element not in FLOATS

    @property
    def triangle(self) -> bool:
        return self.ragged is not None and self.ragged.kind == "triangle"

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
        return self._group(self.source.ragged.outer.iterator) if self.source.ragged else None

    @property
    def inner(self) -> GroupView | None:
        """The group whose bounds depend on the other."""
        return self._group(self.source.ragged.inner.iterator) if self.source.ragged else None

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


class _Builder:
    def __init__(
        self, contraction: Contraction, name: str, parameters: tuple[Parameter, ...], names: FileNames
    ) -> None:
        self.contraction, self.name = contraction, name
        self.parameters = (
            *parameters,
            *(Parameter(o.iterator, f"{o.ctype} {o.iterator}") for o in contraction.batch),
        )
        self.scalar = _scalar(contraction.element)
        self.n = names.of(self.scalar)
        self.fresh = _Fresh(set(names.macros) | set(self.n.values()) | self._words())
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
        ragged = self.contraction.ragged
        if ragged is None:
            return None
        return RaggedView(ragged, self.columns if ragged.kind == "columns" else self.rows)

    def _range_texts(self) -> tuple[str, ...]:
        ragged = self.contraction.ragged
        return tuple(text for text in (ragged.low, ragged.high) if text) if ragged else ()

    def _range(self) -> FunctionView | None:
        if self.contraction.ragged is None:
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
        kind = self.contraction.ragged.kind if self.contraction.ragged else ""
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
        ragged = self.contraction.ragged
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
