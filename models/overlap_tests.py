"""What it takes to test, before a loop, that rows of a table do not overlap (`species.row_tests`)."""

from __future__ import annotations

import re

from species.facts import LoopFacts
from species.row_tests import called_in

PASS = 8e-9  # seconds that a row takes in a pass over a table: 8 to 12 ns, measured
MARGIN = 4  # times: estimates are of code without vectors, and of data in memory
_ALONE = re.compile(r"(?:, 0){6,}\)")  # there is no second table


def seconds(loop: LoopFacts, cores: int) -> float:
    """What one core has to need for an iteration so that threads win more than the tests take.

    As a rule, each iteration has one row of a table of its own.  One table is read once; of two, both are
    read to see if their rows stand in order, and again beside each other.
    """
    passes = sum(1 if _ALONE.search(each) else 4 for each in loop.conditions if called_in(each))
    return MARGIN * passes * PASS / (1 - 1 / max(2, cores))
