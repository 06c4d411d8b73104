"""Random programs with work for each thread: inner sums, broadcasts, triangles, conditions, early ends."""

from __future__ import annotations

import re
from random import Random

from tests.kernels.framed import framed

TYPES = ("double", "double", "float", "int", "long", "unsigned", "short")
MOST = 48  # cells along each side of an array; sizes up to 40 leave room for offsets


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    made = [_Function(random, f"f{number}") for number in range(functions)]
    return framed(made, 41, decoys=seed % 3 == 2, macros=f"\n#define MOST {MOST}\n#define TWO 2\n")


class _Function:
    """One nest over arrays of its own: A and B with two dimensions, x and w with one, C and D are written."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.ctype = random.choice(TYPES)
        self.base = ["i"] if random.random() < 0.5 else ["i", "j"]
        self.triangle = len(self.base) == 2 and random.random() < 0.4
        self.outside = random.random() < 0.3  # variables declared before the loops
        self.inner: list[str] = []
        self.variables: list[str] = []

    def text(self) -> str:
        """The function, and one that tries it."""
        body = self._body()
        declared = [f"    {self.ctype} s = 0, t = 0;", "    int k;"] if self.outside else []
        mention = ["    (void)s, (void)t, (void)k;"] if self.outside else []
        lines = [
            f"static void {self.name}(int n, int m, int p)",
            "{",
            *declared,
            *mention,
            "    (void)n, (void)m, (void)p;",
        ]
        lines += [
            *(f"    {loop}" for loop in self._loops()),
            "    {",
            *(f"        {line}" for line in body),
            "    }",
            "}",
        ]
        arrays = "".join(f"{name}{cells}, " for name, cells in self._arrays().items()).rstrip(", ")
        whole = f"\nstatic {self.ctype} {arrays};\n\n" + "\n".join(lines) + "\n" + self._trial()
        return re.sub(r"\b([ABCDxw])\b(?=[\[),])", rf"{self.name}_\1", whole)

    def _loops(self) -> list[str]:
        if not self.triangle:
            return [self._loop(name, size) for name, size in zip(self.base, "nm", strict=False)]
        inner = self.random.choice(
            (
                "for (int j = 0; j <= i; j++)",
                "for (int j = i + 1; j < n; j++)",
                "for (int j = i; j >= 0; j--)",
                "for (long j = 1; j < i - TWO; j++)",
                "for (int j = m; n - i > j; j++)",
                "for (int j = 0; j < n - 1 - i; ++j)",
                "for (int j = n - 1; j > i; j -= 1)",
            )
        )
        return [self._loop("i", "n"), inner]

    def _loop(self, name: str, size: str) -> str:
        ctype = self.random.choice(("int", "int", "int", "long"))
        low = self.random.choice(("0", "0", "0", "1", "TWO"))
        step = self.random.choice((1, 1, 1, 2, 3))
        change = f"{name}++" if step == 1 else f"{name} += {step}"
        kind = self.random.random()
        if kind < 0.2:
            back = f"{name}--" if step == 1 else f"{name} -= {step}"
            return f"for ({ctype} {name} = {size} - 1; {name} >= {low}; {back})"
        if kind < 0.4:
            return f"for ({ctype} {name} = {low}; {name} <= {size} - 1; {change})"
        return f"for ({ctype} {name} = {low}; {name} < {size}; {change})"

    def _body(self) -> list[str]:
        names = ["s", "t"] if self.random.random() < 0.5 else ["s"]
        self.variables = names
        if self.outside:
            lines = [f"{name} = {self._value()};" for name in names]
        elif self.random.random() < 0.5:
            lines = [f"{self.ctype} {', '.join(f'{name} = {self._value(0)}' for name in names)};"]
        else:
            lines = [f"{self.ctype} {name} = {self._value(0)};" for name in names]
        for _ in range(self.random.choice((1, 2, 2, 3))):
            lines += self._statement(0)
        operator = self.random.choice(("=", "=", "+="))
        return [*lines, f"{self._cell(self.random.choice('CCD'))} {operator} {' + '.join(names)};"]

    def _statement(self, depth: int) -> list[str]:
        kind = self.random.random()
        if kind < 0.5 and depth < 2:
            return self._inner_loop(depth)
        if kind < 0.6:
            inside = self._statement(2)
            return [f"if ({self._condition()}) {{", *(f"    {line}" for line in inside), "}"]
        if kind < 0.65 and depth > 0:
            return [f"if ({self._condition()})", f"    {self.random.choice(('continue', 'break'))};"]
        if kind < 0.68 and depth == 0:
            return [f"if ({self._condition()})", "    continue;"]
        target = self.random.choice((*self.variables, self._cell("C"), self._cell("D"), self._cell("D")))
        operator = self.random.choice(("+=", "+=", "-=", "="))
        return [f"{target} {operator} {self._value()};"]

    def _inner_loop(self, depth: int) -> list[str]:
        name = "kl"[depth]
        header = self._loop(name, self.random.choice(("p", "p", "m", "3")))
        if self.random.random() < 0.15:
            header = f"for (int {name} = 0; {name} <= i; {name}++)"
        if name == "k" and self.outside and self.random.random() < 0.5:
            header = header.replace("(int ", "(").replace("(long ", "(")
        self.inner.append(name)
        lines = [line for _ in range(self.random.choice((1, 1, 2))) for line in self._statement(depth + 1)]
        self.inner.pop()
        return [f"{header} {{", *(f"    {line}" for line in lines), "}"]

    def _condition(self) -> str:
        return self.random.choice(
            (
                f"{self._read()} > 3",
                f"{self._read()} < {self._read()} - 1 || i == 2",
                f"{self.variables[0]} > 5",
                "n > m",
            )
        )

    def _cell(self, name: str) -> str:
        shift = " + 1" if name == "D" else ""
        return name + "".join(f"[{one}{shift}]" for one in self.base)

    def _value(self, own: int = 1) -> str:
        forms = [
            f"{self._read()} * {self._read()}",
            f"{self._read()} - {self._read()}",
            f"{self._read()} * 2 + {self._read()}",
            f"({self._read()} > 0 ? {self._read()} : {self._read()})",
        ]
        if own and self.ctype in ("float", "double", "unsigned"):
            forms.append(f"{self.random.choice(self.variables)} + {self._read()}")
            forms.append(f"{self._cell('C')} / 2 + {self._read()}")
        return self.random.choice(forms)

    def _read(self) -> str:
        names = [*self.base, *self.inner, *self.inner]
        one, two = self.random.choice(names), self.random.choice(names)
        offset = self.random.choice(("", "", " + 1", " + TWO"))
        return self.random.choice(
            (f"A[{one}][{two}{offset}]", f"B[{one}{offset}][{two}]", f"x[{one}{offset}]", f"w[{two}]")
        )

    def _arrays(self) -> dict[str, str]:
        """The arrays with their extents."""
        written = "[MOST]" * len(self.base)
        return {
            "A": "[MOST][MOST]",
            "B": "[MOST][MOST]",
            "x": "[MOST]",
            "w": "[MOST]",
            "C": written,
            "D": written,
        }

    def _trial(self) -> str:
        lines = [f"static void {self.name}_try(int n, int m, int p)", "{"]
        for name, cells in self._arrays().items():
            count = cells.replace("][", " * ").strip("[]")
            lines.append(
                f"    for (int at = 0; at < {count}; at++)\n        (({self.ctype} *){name})[at] = next();"
            )
        lines.append(f"    {self.name}(n, m, p);")
        lines += [f'    show("{self.name} {name}", {name}, sizeof({name}));' for name in "CD"]
        return "\n" + "\n".join([*lines, "}"]) + "\n"
