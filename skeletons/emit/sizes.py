"""What keeps a person from changing a size that is part of the numbers in generated loops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from skeletons.ctext import names_in
from skeletons.emit.lines import Lines
from species.scops import Scop, ScopLoop
from species.scops.facts import ScopNode

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_LITERAL = re.compile(r"\(?\s*(\d+)[uUlL]*\s*\)?")
ALWAYS = frozenset({"0", "1"})


def sizes(scop: Scop, source: str, lines: Lines, macro: Callable[[str], str]) -> Lines:
    """An assertion that the macros in the bounds of the source's loops have the values that they had.

    None is needed where the new lines have no numbers but those of the source.
    """
    known = set(_NUMBER.findall(scop.span.of(source))) | ALWAYS
    if not {number for line in lines for number in _NUMBER.findall(line)} - known:
        return []
    bases = dict.fromkeys(base for node in scop.nodes for base in _bases(node, macro))
    if not bases:
        return []
    equal = " && ".join(f"{name} == {value}" for name, value in bases)
    return [f'_Static_assert({equal}, "these loops are for this size: compile again for another");']


def _bases(node: ScopNode, macro: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """The macros for numbers on which the bounds of loops depend, with their values."""
    if not isinstance(node, ScopLoop):
        return
    yield from _numbers(f"{node.lower}; {node.condition}", macro)
    for child in node.children:
        yield from _bases(child, macro)


def _numbers(text: str, macro: Callable[[str], str], depth: int = 0) -> Iterator[tuple[str, str]]:
    for name in names_in(text):
        literal = _LITERAL.fullmatch(macro(name).strip())
        if literal is not None:
            yield name, literal[1]
        elif macro(name) and depth < 20:
            yield from _numbers(macro(name), macro, depth + 1)
