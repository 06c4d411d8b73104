"""Names that are macros where a text is to be put: there, the preprocessor would replace them once more.

Texts over a program's names are those that it has after preprocessing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from species.facts.loops import Kernel, KernelArray
from species.source import MacroDefinition, TranslationUnit, tokenize

# What generated pragmas are made of; macros with parameters are names only where a parenthesis follows.
OPENMP = """omp parallel for simd single nowait critical() collapse() schedule(static) (dynamic) num_threads()
    if() private() firstprivate() lastprivate(conditional:) linear() reduction(min:) (max:)"""


def replaced_name(unit: TranslationUnit, line: int, text: str) -> str | None:
    """The first name in a text that would mean something else at a line of the preprocessed file."""
    words = [token.text for token in tokenize(text)]
    for word, following in pairwise([*words, ""]):
        found = unit.macros.definition_in_output(word, line)
        if word in unit.options.restored or (found is not None and _replaces(found, following)):
            return word
    return None


def _replaces(macro: MacroDefinition, following: str) -> bool:
    """Is the name replaced by another text?  (`#define stdin stdin` only tells that there is one.)"""
    return macro.body != macro.name if macro.params is None else following == "("


def texts_of(kernel: Kernel) -> Iterator[str]:
    """What is said of a kernel, other than in its original's text."""
    yield from (scalar.name for scalar in kernel.scalars)
    yield from kernel.conditions
    yield from (loop.trips for loop in kernel.loops if loop.trips is not None)
    yield from (text for array in kernel.arrays for text in _texts_of_array(array))


def _texts_of_array(array: KernelArray) -> Iterable[str]:
    ranges = (*(array.reads or ()), *(array.writes or ()))
    ends = (end for each in ranges for end in (each.low, each.high))
    return (array.name, *filter(None, array.extent), *ends)
