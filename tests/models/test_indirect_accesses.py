"""Updates of elements that data chooses take longer than others: see `models.indirect.accesses`."""

from __future__ import annotations

import pytest
from pycparser import c_ast, c_parser

from models.indirect.accesses import chosen_by_data, is_scattered
from models.operations import operations
from models.sizes.amounts import Amounts
from species.source.syntax.tree import walk

WAITING = {
    "subscripts from an array": "hist[row[i]]++;",
    "in a structure": "cell[row[i]].count += 2;",
    "by a variable": "int b = row[i] / 4; hist[b] += 1;",
    "by variables of variables": "int b = bin(row[i]); int k = b + 1; hist[k]--;",
    "behind a pointer": "hist[*row]++;",
}
OTHERS = {
    "clamped": "int k = clamp(i + 1, n); hist[k] += 1;",
    "counted": "hist[i]++;",
    "a row of sums": "for (int j = row[i]; j < n; j++) sum[j] += x;",
    "a row that data chooses": "for (int j = 0; j < n; j++) table[row[i]][j] += x;",
    "a scalar": "s += hist[row[i]];",
}


def waiting(body: str) -> bool:
    """Does the function's one update wait?"""
    (node,) = c_parser.CParser().parse(f"void f(int i, int n) {{ {body} }}").ext
    chosen = chosen_by_data(node)
    updated = [each.lvalue for each in walk(node) if isinstance(each, c_ast.Assignment)]
    updated += [e.expr for e in walk(node) if isinstance(e, c_ast.UnaryOp) and e.op in ("p++", "p--")]
    return any(is_scattered(each, chosen) for each in updated)


@pytest.mark.parametrize("body", WAITING.values(), ids=WAITING.keys())
def test_they_wait_for_the_last_store(body: str) -> None:
    assert waiting(body)


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_others_do_not(body: str) -> None:
    assert not waiting(body)


def test_an_update_takes_the_longer() -> None:
    (node,) = c_parser.CParser().parse("void f(int i) { hist[row[i]]++; hist[i]++; hist[row[i]] = 1; }").ext
    first, second, third = (operations(each, Amounts(lambda _: None, 10.0)) for each in node.body)
    assert (first, second, third) == (5, 1, 1)
