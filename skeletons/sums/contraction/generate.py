"""The C text of contractions: what a file has once, the functions of each, and the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skeletons.catalogue.read import BUILTIN
from skeletons.catalogue.rendering import render
from skeletons.sums.contraction.build import Builder, scalar_of
from skeletons.sums.contraction.library import LibraryCalls
from skeletons.sums.contraction.model import Contraction
from skeletons.sums.contraction.names import PRELUDE_LOCALS, FileNames, free
from skeletons.sums.contraction.tuning import TUNING
from skeletons.sums.contraction.views import Parameter
from species.core.refusal import Refusal
from species.source.text.code import rename

_TARGET = "openmp"


@dataclass(frozen=True)
class Code:
    """The functions of one contraction, and the statement that takes the loops' place."""

    functions: str
    call: str
    from_library: bool = False
    said: str = ""  # which function of the library, or why none; empty: nobody asked


def prelude(elements: Iterable[str], names: FileNames, tuning: Mapping[str, int] | None = None) -> str:
    """What a file needs once for contractions of these element types, before their functions."""
    values = {**TUNING, **(tuning or {})}
    scalars = tuple(dict.fromkeys(scalar_of(element) for element in elements))
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
    clashes = {name: free(name, names.macros) for name in PRELUDE_LOCALS if name in names.macros}
    return rename("".join(parts), clashes)


def generate(
    contraction: Contraction,
    name: str,
    parameters: Sequence[Parameter],
    names: FileNames,
    indent: str = "",
    library: Callable[[tuple[str, str, str]], LibraryCalls] | None = None,
) -> Code:
    """The functions, called `name` and `name_...`, and the call.

    `library` gives the calls of a library for names of the sizes, and Refusal where it has none.

    `parameters` are the variables of `contraction.names` that are not in scope at file level, with their
    declarations as parameters, sizes before the arrays that they measure.  `indent` is that of the loops.
    Refusal where a macro of the file is in the way.
    """
    names.check()
    context = Builder(contraction, name, tuple(parameters), names).context()
    folder, said = BUILTIN / _TARGET, ""
    if library is not None:
        try:
            sizes = (context["rows"], context["columns"], context["depth"])
            return _from_library(context, library(sizes), indent)
        except Refusal as refusal:
            said = str(refusal)
    return Code(
        render("contraction.function.j2", folder, _TARGET, **context),
        render("contraction.call.j2", folder, _TARGET, indent=indent, **context),
        said=said,
    )


def _from_library(context: dict[str, Any], calls: LibraryCalls, indent: str) -> Code:
    """A function that calls the library; batches run one after the other, as the library has its threads."""
    folder = BUILTIN / _TARGET
    loops = ((o.ctype, o.iterator, o.lower, o.upper) for o in context["c"].batch)
    heads = (f"for ({ctype} {i} = {low}; {i} < {high}; {i}++)" for ctype, i, low, high in loops)
    lines = [*heads, f"{context['c'].whole.call()};"]
    return Code(
        render("contraction.library.j2", folder, _TARGET, blas=calls, **context),
        "\n".join(f"{indent if k else ''}{'    ' * k}{line}" for k, line in enumerate(lines)) + "\n",
        from_library=True,
        said=calls.name,
    )
