"""Random programs whose kernels are matrix products: transposed, shifted, in batches, symmetric, scaled."""

from __future__ import annotations

import re
from random import Random

from tests.kernels.accumulation import Function
from tests.kernels.framed import framed


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    return framed([_Product(random, f"f{number}") for number in range(functions)], 31, decoys=seed % 3 == 2)


class _Product(Function):
    """One element of each side, numbers, and little else; all sums are exact."""

    def __init__(self, random: Random, name: str) -> None:
        super().__init__(random, name)
        self.element = random.choice(("double", "float"))
        self.is_float = True
        self.depth = [("k", "p")]
        self.triangle = random.choice(("", "", "", "lower", "upper"))
        self.square = bool(self.triangle) or random.random() < 0.4
        self.base = [("i", "n"), ("j", "n" if self.square else "m")]
        if not self.triangle and random.random() < 0.3:
            self.base.append(("q", "3"))
        random.shuffle(self.base)
        self.sides = self._sides()

    def _loop(self, iterator: str, size: str) -> str:
        if self.square and iterator in "ij" and self.random.random() < 0.7:  # as many rows as columns
            return f"for (int {iterator} = 0; {iterator} < {size}; {iterator}++)"
        ctype = self.random.choice(("int", "int", "long"))
        low = "0" if self.triangle else self.random.choice(("0", "0", "1"))
        if self.random.random() < 0.2:
            return f"for ({ctype} {iterator} = {low}; {iterator} <= {size} - 1; {iterator}++)"
        return f"for ({ctype} {iterator} = {low}; {iterator} < {size}; {iterator}++)"

    def _around(self) -> tuple[str, list[str], list[str], list[str]]:
        order = [iterator for iterator, _ in self.base]
        self.random.shuffle(order)
        cell = self._element("C", order, self.element)
        before = self.random.choice(([], [f"{cell} = 0;"], [f"{cell} *= 3;"], [f"{cell} = s * {cell};"]))
        if self.random.random() < 0.5:
            return cell, before, [], []
        give = self.random.choice(
            (
                f"{cell} = sum;",
                f"{cell} += s * sum;",
                f"{cell} = 2 * sum - s * {cell};",
                f"{cell} = {cell} - sum;",
            )
        )
        return "sum", [f"{self.element} sum = 0;"], [give], []

    def _trial(self) -> str:
        """Zeros lose their sign: the library may come to another one."""
        plain = "    for (long at = 0; at < C_cells; at++)\n        C[at] += 0;\n    show("
        return super()._trial().replace("    show(", plain)

    def _value(self) -> str:
        left = self._element("A", self._mixed(self.sides[0]), self.element)
        right = self._element("B", self._mixed(self.sides[1]), self.element)
        if self.square:
            first, second = (name for name, _ in self.base if name in "ij")
            del self.arrays["B"]
            right = re.sub(rf"\b{first}\b", second, left)
        forms = [
            f"{left} * {right}",
            f"s * {left} * {right}",
            f"{right} * (2 * {left})",
            f"-{left} * s * {right}",
        ]
        return self.random.choice(forms)
