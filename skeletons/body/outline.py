"""A kernel as a C function of its own: its parameters, locals and the call that replaces it (target `c`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skeletons.kernel.context import Subject, is_pointer_to_pointer
from skeletons.kernel.regions import inner_extents
from species.core.refusal import Refusal
from species.facts.loops import KernelArray, KernelScalar
from species.source.text.code import code_tokens, names_in

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class Outline:
    """Parameters and arguments correspond; `results` are scalars that come back through `*NAME_out`."""

    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    results: tuple[KernelScalar, ...]
    private: tuple[KernelScalar, ...]


def outline(subject: Subject) -> Outline:
    """The function that `subject` becomes; Refusal where it cannot leave its place."""
    if subject.kernel.obstacles:
        raise Refusal(subject.kernel.obstacles[0].message)
    _check_macros(subject)
    scalars = subject.kernel.scalars
    results = tuple(
        s for s in scalars if s.role in ("lastprivate", "reduction") and not _declared_inside(subject, s)
    )
    check_addressable(subject, tuple(scalar.name for scalar in results))
    values = tuple(s for s in scalars if s.role in ("in", "firstprivate"))
    texts = [text for loop in subject.kernel.loops for text in (loop.lower, loop.condition)]
    texts += [extent for array in subject.kernel.arrays for extent in inner_extents(array)]
    extra = subject.free_names(*texts)
    parameters = [f"{s.ctype} {s.name}" for s in values]
    parameters += [f"{subject.declared_type(name)} {name}" for name in extra]
    parameters += [_array(subject, array) for array in subject.kernel.arrays]
    parameters += [f"{s.ctype} *{s.name}_out" for s in results]
    arguments = [s.name for s in values] + list(extra) + [a.name for a in subject.kernel.arrays]
    private = tuple(s for s in scalars if s.role == "private" and not _declared_inside(subject, s))
    private += unlisted_iterators(subject)
    return Outline(tuple(parameters), (*arguments, *(f"&{s.name}" for s in results)), results, private)


def unlisted_iterators(subject: Subject) -> tuple[KernelScalar, ...]:
    """Base iterators that are declared outside and that nobody needs afterwards."""
    listed = {scalar.name for scalar in subject.kernel.scalars}
    loops = (
        loop for loop in subject.kernel.loops if not loop.declared_inside and loop.iterator not in listed
    )
    return tuple(KernelScalar(loop.iterator, loop.ctype, "private") for loop in loops)


def check_addressable(subject: Subject, names: tuple[str, ...]) -> None:
    """Values that come back need an address; Refusal for `register` variables."""
    for name in names:
        if "register" in (getattr(subject.declaration(name), "storage", None) or ()):
            raise Refusal(f"{name} is a register variable, whose address cannot be passed")


def _declared_inside(subject: Subject, scalar: KernelScalar) -> bool:
    return any(loop.iterator == scalar.name and loop.declared_inside for loop in subject.kernel.loops)


def _array(subject: Subject, array: KernelArray) -> str:
    if is_pointer_to_pointer(subject.declaration(array.name)) and len(array.extent) > 1:
        raise Refusal(f"the rows of {array.name} are allocated one by one")
    element = array.element.removeprefix("const ")
    const = "const " if array.readonly else ""
    rows = "".join(f"[{extent}]" for extent in inner_extents(array))
    return f"{const}{element} (*{array.name}){rows}" if rows else f"{const}{element} *{array.name}"


def _check_macros(subject: Subject) -> None:
    """Macros must mean the same before the function as they do in the loop."""
    line = subject.unit.source.position(insertion_point(subject)).line
    names = names_in(subject.span.of(subject.text))
    if name := subject.unit.macros.differs(names, subject.line, line):
        raise Refusal(f"the macro {name} is defined inside the function")


def insertion_point(subject: Subject) -> int:
    """Where a function can stand that the kernel's function calls: before the latter's first token."""
    owner = subject.declarations.functions.get(subject.facts.function)
    if owner is not None and owner.param_decls:
        raise Refusal(f"{subject.facts.function}() has a parameter list in the old style")
    return start_of_function(subject.unit, subject.span.start)


def start_of_function(unit: TranslationUnit, offset: int) -> int:
    """The first token of the function definition that holds `offset`; Refusal where it is in another file."""
    found = unit.declaration_start(offset)
    if found is None:
        raise Refusal("the function around the loop begins in another file")
    return found


def uses_continue(text: str) -> bool:
    """Does `text` contain `continue`?"""
    return any(token.text == "continue" for token in code_tokens(text))
