"""Products with half of a matrix: a step adds to a cell of another row, and to a sum that ends in a cell."""

from __future__ import annotations

import random
from collections.abc import Callable


def symmetric(rng: random.Random, margin: int, emit: Callable[[str], None]) -> None:
    """Two products in one nest, or nearly: the other cell may be the one where the sum ends."""

    def at(array: str, row: str, column: str) -> str:
        return f"{array}[{row} + {margin}][{column} + {margin}]"

    c, b = "C", rng.choice(("B", "B", "B", "A", "C"))
    other, factor = rng.choice(("k", "k", "k", "k", "k + 1", "i", "i - 1")), rng.choice(("x[3]", "s", "3"))
    cell = at(c, "i", "j")
    first, last = rng.choice(("0", "0", "1")), rng.choice(("i", "i", "i", "i + 1", "n", "i - 1"))
    operators = rng.choice(("+=", "+=", "-=", "=")), rng.choice(("+=", "-="))
    steps = [
        f"{at(c, other, 'j')} {operators[0]} {factor} * {at(b, 'i', 'j')} * {at('A', 'i', 'k')};",
        f"w {operators[1]} {at(b, 'k', 'j')} * {at('A', 'i', 'k')};",
    ]
    rng.shuffle(steps)
    before = rng.choice(("", "", f"{cell} = {cell} * 5; ", "x[i] += 1; "))
    more = rng.choice(
        (f"{factor} * {at(b, 'i', 'j')} * {at('A', 'i', 'i')} + ", "", f"{at(c, 'i', 'j + 1')} + ")
    )
    ends = (
        f"{cell} = s * {cell} + {more}{factor} * w;",
        f"{cell} = s * {cell} + {more}{factor} * w;",
        f"{cell} {rng.choice(('+=', '-='))} {factor} * w;",
        f"{cell} = w;",
        f"{cell} = {more}w;",
    )
    outer = ["for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)"]
    if rng.random() < 0.3:
        outer.reverse()
    emit(" ".join(outer) + " {")
    emit(f"  {before}unsigned w = {rng.choice(('0', '0', '0', '0', 'x[j]'))};")
    emit(f"  for (int k = {first}; k < {last}; k++) {{ {' '.join(steps)} }}")
    emit(f"  {rng.choice(ends)}")
    emit("}")
