"""Random programs whose rows are recurrences: every iteration goes along a row of matrices, up and down."""

from __future__ import annotations

import re
from random import Random

from tests.kernels.framed import framed

TYPES = ("double", "float", "int", "long", "unsigned char")
EDGE = 44  # cells along each side of a matrix; sizes up to 40 leave room for offsets
MATRICES, VECTORS = "ABC", "xy"


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    made = [_Function(random, f"f{number}") for number in range(functions)]
    return framed(made, 31, decoys=seed % 3 == 2, macros=f"\n#define EDGE {EDGE}\n")


class _Function:
    """One loop over the rows of A and B, which it may write; C is only read."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name, self.ctype = random, name, random.choice(TYPES)
        self.row = random.choice(("i", "i", "i + 1", "i - 1"))

    def text(self) -> str:
        """The function, and one that tries it."""
        declared = [f"{m}[EDGE][EDGE]" for m in MATRICES] + [f"{v}[EDGE]" for v in VECTORS]
        first = self.random.choice(("1", "2"))
        body = [line for _ in range(self.random.choice((1, 2, 2, 3))) for line in self._part()]
        if self.random.random() < 0.6:
            body.append(f"y[i] {self.random.choice(('=', '+='))} {self._cell('AB', '3')};")
        lines = "\n".join(f"        {line}" for line in body)
        nest = f"    for (int i = {first}; i < {self.random.choice('nm')}; i++) {{\n{lines}\n    }}"
        text = (
            f"static void {self.name}(int n, int m, int p)\n{{\n    (void)n, (void)m, (void)p;\n{nest}\n}}\n"
        )
        whole = f"\nstatic {self.ctype} {', '.join(declared)};\n\n{text}{self._trial()}"
        return re.sub(r"\b([ABCxy])\b(?=[\[),])", rf"{self.name}_\1", whole)

    def _part(self) -> list[str]:
        """A loop along the row, or a statement about one cell of it."""
        target = self.random.choice("AAB")
        if self.random.random() < 0.25:
            return [f"{self._cell(target, self.random.choice(('0', '1', 'p')))} = {self._cell('ABC', '2')};"]
        end = self.random.choice("mpp")
        loop, before = self.random.choice(
            (
                (f"for (int k = 1; k < {end}; k++)", "k - 1"),
                (f"for (int k = {end} - 2; k >= 0; k--)", "k + 1"),
                (f"for (int k = 2; k < {end} - 1; k += 2)", "k - 2"),
                (f"for (int k = 1; k <= {end} && k < n; k++)", "k"),
            )
        )
        reads = [self._cell(target, before), self._cell("ABC", "k"), self._value()]
        self.random.shuffle(reads)
        operator = self.random.choice(("=", "=", "+=", "-="))
        statement = f"    {self._cell(target, 'k')} {operator} {' + '.join(reads)};"
        condition = [f"    if ({self._cell('C', 'k')} > 2)"] if self.random.random() < 0.2 else []
        return [loop, *condition, statement]

    def _cell(self, arrays: str, column: str) -> str:
        array = self.random.choice(arrays)
        return f"{array}[{self.row if array != 'C' else self.random.choice(('i', 'i + 1'))}][{column}]"

    def _value(self) -> str:
        return self.random.choice(("x[i]", "x[k]", "3", f"{self._cell('C', 'k + 1')} / 2"))

    def _trial(self) -> str:
        own = "\n".join(
            f"    for (int at = 0; at < {'EDGE * EDGE' if array in MATRICES else 'EDGE'}; at++)\n"
            f"        (({self.ctype} *){array})[at] = next();"
            for array in (*MATRICES, *VECTORS)
        )
        shown = "\n".join(f'    show("{self.name} {array}", {array}, sizeof({array}));' for array in "ABy")
        head = f"static void {self.name}_try(int n, int m, int p)"
        return f"\n{head}\n{{\n{own}\n    {self.name}(n, m, p);\n{shown}\n}}\n"
