"""Copies of arrays for threads: where they come from, and how the last one's content gets back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import islpy as isl

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.private_arrays import is_live, own_arrays
from skeletons.schedule.core.tree import Band, statements
from skeletons.schedule.emit.lines import Lines, braced, with_body
from skeletons.schedule.emit.printer import Header
from species.sets.isl_to_c import Expressions

MOST_ON_STACK = 1 << 15  # bytes
COPIES = "cuvier_copies"  # gives memory for all threads; another function says which thread this is


@dataclass(frozen=True)
class _Copy:
    """An array of which every thread has a copy: its C name and type, and names for the original and all
    copies.

    `box` has the first and the last subscript that are needed behind the loop, for every dimension.
    """

    name: str
    element: str
    bytes: int  # of an element
    extents: tuple[str, ...]
    shared: str
    copies: str
    box: tuple[tuple[str, str], ...]

    @property
    def is_small(self) -> bool:
        """Does it fit a thread's stack easily?"""
        return prod(int(extent) for extent in self.extents) * self.bytes <= MOST_ON_STACK

    @property
    def is_dead(self) -> bool:
        """Is a clause all that it needs?"""
        return self.is_small and not self.box

    @property
    def as_array(self) -> str:
        """A declaration of such an array."""
        return self.element + f" {self.name}" + "".join(f"[{extent}]" for extent in self.extents)

    def pointer(self, name: str, outer: int = 1) -> str:
        """A declaration of a pointer to an element (a row, with `outer` = 1) of the array."""
        rest = "".join(f"[{extent}]" for extent in self.extents[outer:])
        return f"{self.element} (*{name}){rest}" if rest else f"{self.element} *{name}"


def with_copies(
    model: ScopModel, header: Header, fresh: Callable[[str], str], lines: Callable[[Lines], Lines]
) -> Lines:
    """A parallel region for a loop whose threads have copies of arrays.

    `lines(last)` is the loop with its directive, `last` being what is to follow its body.
    """
    band = header.band
    copies = [_copy(model, band, array, fresh) for array in own_arrays(band)]
    large = [copy for copy in copies if not copy.is_small]
    test = " && ".join(f"{copy.copies} != NULL" for copy in large)
    before, own = Lines(), Lines()
    for copy in (copy for copy in copies if not copy.is_dead):
        if copy.box or not copy.is_small:
            before.append(f"{copy.pointer(f'const {copy.shared}')} = {copy.name};")
        if copy.is_small:
            own.append(f"{copy.as_array};")
            continue
        before.append(f"{copy.pointer(f'const {copy.copies}', 0)} = {COPIES}(sizeof *{copy.copies});")
        mine = f"{copy.copies}[{COPIES}_thread()]"
        own.append(f"{copy.pointer(f'const {copy.name}')} = {test} ? {mine} : {copy.shared};")
    told = "; without memory for that, one thread works on the arrays themselves" if large else ""
    dead = [copy.name for copy in copies if copy.is_dead]
    directive = "#pragma omp parallel" + (f" if ({test})" if large else "")
    directive += f" private({', '.join(dead)})" if dead else ""
    region = [directive, *braced([*own, *lines(_back(model, header, copies))])]
    if not before:
        directive, *loop = lines([])
        return [directive.replace("omp for", f"omp parallel for private({', '.join(dead)})"), *loop]
    comment = f"/* every thread has its own {', '.join(copy.name for copy in copies)}{told} */"
    return braced([comment, *before, *region, *(f"free({copy.copies});" for copy in large)])


def _copy(model: ScopModel, band: Band, array: str, fresh: Callable[[str], str]) -> _Copy:
    owner = next(a for a in model.scop.arrays if a.name == array)
    extents = tuple(extent or "" for extent in owner.extents)
    box = _box(model, band, array) if is_live(model, band, array) else ()
    name = owner.variable
    assert owner.bytes is not None  # others are not copied
    shared, copies = fresh(f"{name}_shared"), fresh(f"{name}_copies")
    return _Copy(name, owner.element, owner.bytes, extents, shared, copies, box)


def _box(model: ScopModel, band: Band, array: str) -> tuple[tuple[str, str], ...]:
    written = model.written(array, statements(band))
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    ends = [(written.dim_min(d), written.dim_max(d)) for d in range(written.dim(isl.dim_type.set))]
    return tuple(
        (texts.text(build.expr_from_pw_aff(low)), texts.text(build.expr_from_pw_aff(high)))
        for low, high in ends
    )


def _back(model: ScopModel, header: Header, copies: list[_Copy]) -> Lines:
    """What the last iteration does for those who read the arrays afterwards."""
    needed, values = [copy for copy in copies if copy.box], model.values_of(header.band)
    if not needed or values.is_empty():
        return []
    build = isl.AstBuild.from_context(model.context)
    last = Expressions(dict(model.scop.parameters)).text(build.expr_from_pw_aff(values.dim_max(0)))
    if "-" in header.increment:
        last = f"-({last})"  # the variable has the negative of the loop's value
    # (without memory for copies, large ones are the shared ones: then the cells are copied to themselves)
    return with_body(f"if ({header.band.name} == {last})", [line for copy in needed for line in _moved(copy)])


def _moved(copy: _Copy) -> Lines:
    names = [f"{copy.name}_{d}" for d in range(len(copy.box))]
    place = "".join(f"[{name}]" for name in names)
    lines = [f"{copy.shared}{place} = {copy.name}{place};"]
    for name, (low, high) in reversed(list(zip(names, copy.box, strict=True))):
        lines = with_body(f"for (long {name} = {low}; {name} <= {high}; {name}++)", lines)
    return lines
