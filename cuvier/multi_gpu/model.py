"""The application model of a CUDA file: of each kernel, which cells of its arrays a range of blocks touches,
how it is shared, or why one device runs all of it (M2 to M5).  It is written as JSON, edited and read back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

from cuvier.multi_gpu.source import CudaKernel, CudaSource
from cuvier.multi_gpu.threads import AXES, ThreadLoops, apart, strided_loops, thread_loops
from models.errors import SkeletonError
from skeletons.kernel import shares
from skeletons.kernel.regions import cell_range, hull, row_range
from species import analyse
from species.analysis.options import AnalysisOptions
from species.core.refusal import Refusal
from species.facts.loops import PART, ROW, Kernel, KernelArray, LoopFacts
from species.row_tests import called_in
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit
from species.source.text.code import names_in
from transfers.plan.around_kernels import copies_around

_Way = Callable[[CudaSource, CudaKernel], ThreadLoops | None]
_C_WORDS = frozenset(("long", "unsigned", "int", "sizeof", "char", "__int128"))
ITERATIONS = "iterations"
_BUDGET = 20.0  # seconds of a nest
_OWN = frozenset((*PART, ROW, MINIMUM, MAXIMUM))


@dataclass(frozen=True)
class Cells:
    """Cells of an array, from `first` to `last`, both included, but for those that it does not have.

    They are C over the kernel's scalars, `cuvier_from` and `cuvier_to`; with `rows`, the first and the last
    of these, they are so in each, by its number `cuvier_row`.
    """

    first: str
    last: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArrayModel:
    """What the threads, blocks or iterations from `cuvier_from` to `cuvier_to` touch of an array.

    `touched` has a place on the device, `reads` have to be there before, and `writes` are there afterwards.
    """

    name: str
    touched: Cells
    reads: tuple[Cells, ...] = ()
    writes: Cells | None = None


@dataclass(frozen=True)
class KernelModel:
    """`axis`: along which devices share the blocks; empty: one runs all of them, and `refused` says why.

    `units`: what counts along each axis, `cuvier_nx` of them along x, "threads" or "blocks"; or "iterations"
    of a loop over the grid, of which there are `trips`, C.  It holds for blocks of the sizes in `block`, by
    axis, where the `conditions`, C, hold; other launches are one device's.
    """

    name: str
    line: int
    axis: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    block: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    arrays: tuple[ArrayModel, ...] = ()
    refused: str = ""
    trips: str = ""


def derived(source: CudaSource, preprocess: PreprocessOptions, axes: Mapping[str, str]) -> list[KernelModel]:
    """The models of a file's kernels; `axes` says along which one some of them are to be shared.

    Raises SkeletonError where that cannot be.
    """
    return [
        _derived(source, kernel, preprocess, axes.get(kernel.name, "")) for kernel in source.kernels.values()
    ]


def _derived(source: CudaSource, kernel: CudaKernel, preprocess: PreprocessOptions, axis: str) -> KernelModel:
    refused = ""
    ways: tuple[_Way, ...] = (
        strided_loops,
        partial(thread_loops, sized=False),
        partial(thread_loops, sized=True),
    )
    for each, loops_of in product((kernel, apart(kernel)), ways):
        try:
            loops = loops_of(source, each)
            if loops is not None:
                found = _modelled(kernel, loops, preprocess, axis)
                return found if each is kernel else _where_apart(found)
        except Refusal as refusal:
            refused = refused or str(refusal)
    if axis:
        raise SkeletonError(f"--partition {kernel.name}={axis}: {refused}")
    return KernelModel(kernel.name, kernel.line, refused=refused)


def _where_apart(model: KernelModel) -> KernelModel:
    """The model under the condition that the arrays which are written share no memory with others."""
    names = [array.name for array in model.arrays]
    pairs = [
        (array.name, other)
        for place, array in enumerate(model.arrays)
        for other in (*names[place + 1 :], *(o.name for o in model.arrays[:place] if o.writes is None))
        if array.writes is not None
    ]
    needed = (f"cuvier_allocation({one}) != cuvier_allocation({other})" for one, other in pairs)
    return replace(model, conditions=(*model.conditions, *needed))


def _modelled(
    kernel: CudaKernel, loops: ThreadLoops, preprocess: PreprocessOptions, axis: str
) -> KernelModel:
    unit = _read(kernel, loops, preprocess)
    facts = analyse(unit, AnalysisOptions(parts=True, clipped=True, budget=_BUDGET))
    outer = next((f for f in facts.loops if f.function == kernel.name and f.depth == 0), None)
    if outer is None or outer.kernel is None or not outer.verdict.is_parallel:
        raise Refusal(_why(outer))
    found = list(_levels(unit, loops, outer.kernel, axis))
    if not found:
        raise Refusal("the cells that ranges of its blocks write are unknown, or may be the same")
    level = min(found)[1]
    return _model(kernel, loops, outer, level)


def _read(kernel: CudaKernel, loops: ThreadLoops, preprocess: PreprocessOptions) -> TranslationUnit:
    try:
        unit = read_translation_unit(f"{kernel.name}.c", preprocess, loops.text)
    except SourceError as error:
        raise Refusal(f"its text is not understood as C: {error.diagnostic.message}") from None
    errors = [d.message for d in unit.diagnostics if d.severity == "error"]
    if errors:
        raise Refusal(f"its text is not understood as C: {errors[0]}")
    return unit


def _why(outer: LoopFacts | None) -> str:
    """What keeps blocks from being shared."""
    if outer is None:
        return "its text is not understood as C"
    if outer.verdict.is_parallel:
        return "what it uses cannot be named where it is launched"
    reason = next(iter(outer.reasons), None)
    return f"its threads may not be independent: {reason.message}" if reason else "nothing is known of it"


def _levels(
    unit: TranslationUnit, loops: ThreadLoops, kernel: Kernel, axis: str
) -> Iterator[tuple[int, int]]:
    """The loops that devices may share, with what tells against them."""

    def macro(name: str) -> str | None:
        found = unit.macros.definition(name, 10**9)
        return None if found is None else str(found.body)

    for level, arrays in enumerate(kernel.parts[: len(loops.axes)]):
        written = [array for array in arrays if array.writes is not None]
        found = [shares.apart(array, macro, loops.block) for array in written]
        if arrays and written and -1 not in found and axis in ("", loops.axes[level]):
            yield max(found), level


def _model(kernel: CudaKernel, loops: ThreadLoops, outer: LoopFacts, level: int) -> KernelModel:
    assert outer.kernel is not None
    own, axis = outer.kernel, loops.axes[level]
    conditions = (*outer.conditions, *own.provided)
    part = replace(own, arrays=own.parts[level])
    pointers = {p.name for p in kernel.parameters if p.is_pointer}  # others are constants
    known = {p.name for p in kernel.parameters} | _OWN | _C_WORDS | _macros(loops)
    known |= {f"cuvier_{kind}{a}" for kind in "ndg" for a in AXES}
    arrays = tuple(_array(part, array, known) for array in part.arrays if array.name in pointers)
    _check_names(conditions, known)
    units = {a: "blocks" if a in loops.by_blocks else "threads" for a in loops.axes}
    if loops.trips:
        units = {axis: ITERATIONS}
    sizes = dict(loops.sizes)
    return KernelModel(kernel.name, kernel.line, axis, units, sizes, conditions, arrays, trips=loops.trips)


def _check_names(texts: Iterable[str], known: set[str]) -> None:
    """Refusal where a launch does not know what texts are made of."""
    strange = {name for text in texts for name in (*names_in(text), *called_in(text))} - known
    if strange:
        raise Refusal(f"what it touches depends on {', '.join(sorted(strange))}")


def _macros(loops: ThreadLoops) -> set[str]:
    lines = (line.split() for line in loops.text.splitlines() if line.lstrip().startswith("#define"))
    return {words[1].partition("(")[0] for words in lines if len(words) > 1}


def _texts(arrays: Iterable[ArrayModel]) -> Iterator[str]:
    for array in arrays:
        for cells in (array.touched, *array.reads, *([array.writes] if array.writes else [])):
            yield from (cells.first, cells.last, *cells.rows)


def _array(kernel: Kernel, array: KernelArray, known: set[str]) -> ArrayModel:
    """What is touched of an array; of one that is read at places which data choose, all of its memory."""
    try:
        if array.is_unsized:
            raise Refusal(f"the cells of {array.name} that it touches are unknown")
        model = _known_array(kernel, array)
        _check_names(_texts([model]), known)
        return model
    except Refusal:
        if array.writes is not None:
            raise
    given = f"{array.name}, sizeof *{array.name}"
    cells = Cells(f"cuvier_first_cell({given})", f"cuvier_last_cell({given})")
    return ArrayModel(array.name, cells, (cells,))


def _known_array(kernel: Kernel, array: KernelArray) -> ArrayModel:
    whole = hull(array)
    moved: dict[str, list[Cells]] = {"in": [], "out": []}
    for transfer in copies_around(kernel):
        if transfer.array == array.name:
            rows = transfer.rows
            cells = row_range(array, rows) if rows else cell_range(array, transfer.region)
            ends = (rows[0].low, rows[0].high) if rows else ()
            moved[transfer.direction].append(Cells(cells.first, cells.last, ends))
    writes = moved["out"][0] if moved["out"] else None
    return ArrayModel(array.name, Cells(whole.first, whole.last), tuple(moved["in"]), writes)


def as_json(models: list[KernelModel]) -> str:
    """The model of a file."""
    return json.dumps({"kernels": [asdict(model) for model in models]}, indent=2) + "\n"


def from_json(text: str, source: CudaSource) -> list[KernelModel]:
    """The model of a file's kernels as somebody has edited it; SkeletonError says what is wrong."""
    try:
        found = [_from(entry) for entry in json.loads(text)["kernels"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SkeletonError(f"the model cannot be read: {error}") from None
    names = {model.name for model in found}
    if names != set(source.kernels):
        missing = sorted(names ^ set(source.kernels))
        raise SkeletonError(f"the model and {source.path} do not have the same kernels: {', '.join(missing)}")
    for model in found:
        if model.axis not in ("", *model.units) or not set(model.units) <= set(AXES):
            raise SkeletonError(f"the model of {model.name}: axis is one of those that have units, or empty")
        if not {"threads", "blocks", ITERATIONS}.issuperset(model.units.values()):
            raise SkeletonError(f"the model of {model.name}: units are threads, blocks or iterations")
        if bool(model.trips) != (ITERATIONS in model.units.values()):
            raise SkeletonError(f"the model of {model.name}: trips are the number of iterations")
        if model.trips and strided_loops(source, source.kernels[model.name]) is None:
            raise SkeletonError(f"the model of {model.name}: the kernel is no loop over the grid")
    return found


def _from(entry: Mapping[str, Any]) -> KernelModel:
    arrays = tuple(
        ArrayModel(
            str(array["name"]),
            _cells(array["touched"]),
            tuple(map(_cells, array["reads"])),
            _cells(array["writes"]) if array["writes"] else None,
        )
        for array in entry["arrays"]
    )
    return KernelModel(
        name=str(entry["name"]),
        line=int(entry["line"]),
        axis=str(entry["axis"]),
        units={str(k): str(v) for k, v in entry["units"].items()},
        block={str(k): str(v) for k, v in entry["block"].items()},
        conditions=tuple(map(str, entry["conditions"])),
        arrays=arrays,
        refused=str(entry["refused"]),
        trips=str(entry["trips"]),
    )


def _cells(entry: Mapping[str, Any]) -> Cells:
    return Cells(str(entry["first"]), str(entry["last"]), tuple(map(str, entry["rows"])))
