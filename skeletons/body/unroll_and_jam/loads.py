"""The cells of arrays that a body reads and that nothing in it writes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skeletons.kernel.array_views import BYTES
from skeletons.kernel.context import Subject
from species.facts.loops import KernelArray
from species.source.syntax.statement_tree import is_stored
from species.source.text.code import Access, accesses, code_tokens


@dataclass(frozen=True)
class Read:
    """One use of a cell; `key` is the same for all uses that are written alike."""

    array: str
    use: Access
    key: tuple[str, ...]


def loads(subject: Subject, text: str, is_whole: bool) -> Iterator[Read]:
    """The uses in `text` of whole elements; of arrays that it writes to as well only if it is whole.

    An iteration that wrote to a cell that several read would not be independent of the others, unless all of
    them combine something into it, or there is only one.
    """
    combined = {reduction.array for reduction in subject.kernel.combined}
    hidden = subject.redeclared | subject.macro_names(text)
    for array in subject.kernel.arrays:
        stays = array.writes is None or (is_whole and array.name not in combined)
        if stays and array.name not in hidden and _ctype(subject, array) in BYTES:
            yield from _loads(array, text)


def _ctype(subject: Subject, array: KernelArray) -> str | None:
    return subject.declarations.canonical(array.element.removeprefix("const "))


def _loads(array: KernelArray, text: str) -> Iterator[Read]:
    reads = [Read(array.name, use, _key(use, text)) for use in accesses(text, array.name)]
    stored = {read.key for read in reads if array.writes is not None and is_stored(read.use.span, text)}
    for read in reads:
        if len(read.use.subscripts) == len(array.extent) and read.key not in stored:
            yield read


def _key(use: Access, text: str) -> tuple[str, ...]:
    return tuple(token.text for token in code_tokens(use.span.of(text)))
