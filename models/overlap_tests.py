"""What it takes to test rows of tables, and numbers in memory, before a loop (`species.row_tests`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from species.facts.loops import CHUNKS, DISTINCT, GREATEST, IN_ORDER, LEAST, LoopFacts
from species.row_tests import ARGUMENTS, called_in, calls, last_rows

PASS = 8e-9  # seconds that a row takes in a pass over a table: 8 to 12 ns, measured
# Seconds that a number takes, where the test passes over numbers: measured, the set of bits in cache or not.
_NUMBERS = {IN_ORDER: 1.5e-9, CHUNKS: 1.5e-9, DISTINCT: 2e-9, LEAST: 0.7e-9, GREATEST: 0.7e-9}
MARGIN = 4  # times: estimates are of code without vectors, and of data in memory
_NAME = re.compile(r"[A-Za-z_]\w*")


def seconds(loop: LoopFacts, cores: int) -> float:
    """What one core has to need for a row so that threads win more than the tests take.

    One table is read once; of two, both are read to see if their rows stand in order, and again beside each
    other.  A constant number of rows counts for nothing.
    """
    found = {(call.name, call.arguments) for test in _tests(loop) for call in calls(test)}
    return MARGIN * sum(_pass(*call) for call in sorted(found)) / (1 - 1 / max(2, cores))


def _pass(name: str, arguments: tuple[str, ...]) -> float:
    """Seconds that a row, or a number, takes in a test; compilers make equal calls once."""
    if name in _NUMBERS:
        return _NUMBERS[name]
    is_alone = all(each.strip() == "0" for each in arguments[ARGUMENTS[name] :])
    return PASS if is_alone else 4 * PASS


def rows(loop: LoopFacts) -> frozenset[str]:
    """Names in the numbers of rows that are tested."""
    return frozenset(name for each in _tests(loop) for name in _names(each))


def _tests(loop: LoopFacts) -> Iterator[str]:
    return (each for each in loop.conditions if called_in(each) and _names(each))


def _names(test: str) -> set[str]:
    """The names in the numbers of the last rows, less those in the question if there are rows."""
    return {name for last in last_rows(test) for name in _NAME.findall(last.rpartition("?")[2])}
