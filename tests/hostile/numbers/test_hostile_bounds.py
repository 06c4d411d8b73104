"""C that deceives about bounds of regions: C rounds towards zero what integer sets round down."""

from __future__ import annotations

import ast

import pytest

from tests.support.analysing import loops_of

LOOPS = {
    "bits turned over": ("for (int i = 0; i < n; i++) p[i + (~u & 3)] = i;", {"n": 5, "u": 6}, (1, 5)),
    "a negative start": ("for (int i = m; i < n; i += 3) p[i + 99] = i;", {"m": -50, "n": -40}, (49, 58)),
    "a negative start, by two": (
        "for (int i = m; i < n; i += 2) p[i + 99] = i;",
        {"m": -50, "n": 4},
        (49, 101),
    ),
    "a negative start, downwards": (
        "for (int i = n; i > m; i -= 3) p[i + 99] = i;",
        {"m": -50, "n": -40},
        (50, 59),
    ),
}


@pytest.mark.parametrize(("loop", "values", "expected"), LOOPS.values(), ids=LOOPS.keys())
def test_a_region_is_where_the_loop_writes(
    loop: str, values: dict[str, int], expected: tuple[int, int]
) -> None:
    (found,) = loops_of(f"void f(int *p, int n, int m, unsigned u) {{ {loop} }}")
    assert found.kernel is not None
    (region,) = found.kernel.arrays[0].writes or ()
    assert (_value(region.low, values), _value(region.high, values)) == expected


def _value(text: str, values: dict[str, int]) -> int:
    return _evaluated(ast.parse(text.replace("(long)", ""), mode="eval").body, values)


def _evaluated(node: ast.expr, values: dict[str, int]) -> int:
    """As C does: quotients round towards zero."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(name):
            return values[name]
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluated(node.operand, values)
        case ast.BinOp():
            left, right = _evaluated(node.left, values), _evaluated(node.right, values)
            quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1) if right else 0
            results = {
                ast.Add: left + right,
                ast.Sub: left - right,
                ast.Mult: left * right,
                ast.Div: quotient,
            }
            return {**results, ast.Mod: left - quotient * right}[type(node.op)]
    raise ValueError(ast.dump(node))
