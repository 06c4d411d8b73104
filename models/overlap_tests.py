"""What it takes to test, before a loop, that rows of a table do not overlap (`species.row_tests`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from species.facts.loops import IN_ORDER, LoopFacts
from species.row_tests import called_in, last_rows

PASS = 8e-9  # seconds that a row takes in a pass over a table: 8 to 12 ns, measured
_NUMBER = 1.5e-9  # seconds that a number takes which has to be in order
MARGIN = 4  # times: estimates are of code without vectors, and of data in memory
_ALONE = re.compile(r"(?:, 0){6,}\)")  # there is no second table
_NAME = re.compile(r"[A-Za-z_]\w*")


def seconds(loop: LoopFacts, cores: int) -> float:
    """What one core has to need for a row so that threads win more than the tests take.

    One table is read once; of two, both are read to see if their rows stand in order, and again beside each
    other.  A constant number of rows counts for nothing.
    """
    return MARGIN * sum(map(_pass, _tests(loop))) / (1 - 1 / max(2, cores))


def _pass(test: str) -> float:
    """Seconds that a row takes in a test."""
    if IN_ORDER in test:
        return _NUMBER
    return PASS if _ALONE.search(test) else 4 * PASS


def rows(loop: LoopFacts) -> frozenset[str]:
    """Names in the numbers of rows that are tested."""
    return frozenset(name for each in _tests(loop) for name in _names(each))


def _tests(loop: LoopFacts) -> Iterator[str]:
    return (each for each in loop.conditions if called_in(each) and _names(each))


def _names(test: str) -> set[str]:
    """The names in the numbers of the last rows, less those in the question if there are rows."""
    return {name for last in last_rows(test) for name in _NAME.findall(last.rpartition("?")[2])}
