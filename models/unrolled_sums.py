"""Sums of a few values in memory, `for (k = i - 8; k <= i + 8; k++) b[i] += a[k]`, that regions make slower.

Compilers unroll the inner loop, keep the sum in a register, and make vectors of the loop around it, if they
see that the arrays are apart; in a region they store the sum after every addition (see `models.interchange`;
gcc 12: 1.4 times as long with 7 values, 7 times with 17).
"""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from models.interchange import apart, base, elements, is_sum
from models.sizes.headers import fixed_trips, header_of
from species.source.syntax.tree import walk

SLOWER = 3.0  # times as long
_FEWEST, _MOST = 5, 32  # values


def summed(node: c_ast.Node, function: c_ast.FuncDef, values: Mapping[str, float]) -> str:
    """The array in which a loop inside of a loop adds up a few values; empty: there is none.

    `values` are those of names that are constants.
    """
    known = apart(function)
    loops = [part for part in walk(node) if isinstance(part, c_ast.For)] if known else []
    inside = [part for part in loops if part is not node]
    return next(filter(None, (_summed(each, known, values) for each in inside)), "")


def _summed(loop: c_ast.For, known: set[str], values: Mapping[str, float]) -> str:
    header, trips = header_of(loop), fixed_trips(loop, values)
    if header is None or trips is None or not _FEWEST <= trips <= _MOST:
        return ""
    for sum_ in (part for part in walk(loop.stmt) if isinstance(part, c_ast.Assignment)):
        arrays = [base(each) for each in elements(sum_)]
        if is_sum(sum_, header.iterator) and len({*arrays}) > 1 and known.issuperset(arrays):
            return base(sum_.lvalue)
    return ""
