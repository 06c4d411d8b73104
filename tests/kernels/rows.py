"""Random programs that go along the rows of matrices: sums of rows and of columns, rows that are changed."""

from __future__ import annotations

from random import Random

from tests.kernels.framed import framed

TYPES = ("double", "double", "float", "int", "long", "short")
MOST = 48  # cells along each side of an array; sizes up to 40 leave room for offsets


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    made = [_Function(random, f"f{number}") for number in range(functions)]
    return framed(made, 7, decoys=seed % 3 == 2, macros=f"\n#define MOST {MOST}\n#define TWO 2\n")


class _Function:
    """One nest over A, x and w, which it reads, and B, y, z and c, which it changes."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.ctype = random.choice(TYPES)
        self.sums = random.sample(("s", "t", "u"), random.choice((0, 1, 1, 1, 2, 2, 3)))
        self.outside = random.random() < 0.4  # variables declared before the loops
        self.columns = random.random() < 0.4  # sums of columns, which rows share
        self.pivot = random.random() < 0.3  # all rows read one that is in front of them, of what they change

    def text(self) -> str:
        """The function, and one that tries it."""
        declared = [f"    {self.ctype} {', '.join(self.sums)};"] if self.outside and self.sums else []
        declared += ["    int j;"] if self.outside else []
        lines = [
            f"static void {self.name}(int n, int m, int p)",
            "{",
            *declared,
            "    (void)n, (void)m, (void)p;",
            f"    {self._rows()}",
            "    {",
            *(f"        {line}" for line in self._body()),
            "    }",
            "}",
        ]
        return "\n" + "\n".join([*self._arrays(), *lines]) + "\n" + self._trial()

    def _a(self, name: str) -> str:
        return f"{self.name}_{name}"

    def _arrays(self) -> list[str]:
        matrices = (f"{self._a(name)}[MOST][MOST]" for name in "AB")
        vectors = (f"{self._a(name)}[MOST]" for name in "xwyzc")
        return [f"static {self.ctype} {', '.join((*matrices, *vectors))};", ""]

    def _rows(self) -> str:
        if self.pivot and self.random.random() < 0.9:  # else one row may change what others read
            return "for (int i = TWO + 1; i < n; i++)"
        return self.random.choice(
            (
                "for (int i = 0; i < n; i++)",
                "for (long i = 0; i < n; i++)",
                "for (unsigned i = 0; i < 33; i++)",
                "for (int i = 1; i < n; i += TWO)",
                "for (int i = n - 1; i >= 0; i--)",
            )
        )

    def _columns(self) -> str:
        declared = "" if self.outside else "int "
        return self.random.choice(
            (
                f"for ({declared}j = 0; j < m; j++)",
                f"for ({declared}j = 0; j < m; j++)",
                f"for ({declared}j = 1; j <= m; j += 2)",
                f"for ({declared}j = m - 1; j >= 0; j--)",
                f"for ({declared}j = 0; j < 40; j++)",
                f"for ({declared}j = 0; j <= {self.random.choice(('(int)i', '33'))}; j++)",
            )
        )

    def _body(self) -> list[str]:
        random = self.random
        lines = [f"{'' if self.outside else self.ctype + ' '}{name} = {self._start()};" for name in self.sums]
        for _ in range(random.choice((1, 1, 2))):
            lines += [self._columns(), "{", *(f"    {line}" for line in self._inside()), "}"]
            if random.random() < 0.3:
                lines.append(f"{self._a('z')}[i] = {self._value('i')};")
        lines += [f"{self._a('y')}[i] {random.choice(('=', '+='))} {name};" for name in self.sums[:1]]
        lines += [f"{self._a('z')}[i] += {name};" for name in self.sums[1:]]
        if self.pivot:
            lines.append(f"{self._a('B')}[i][TWO] = {self._a('B')}[i][0] - {self._value('i')};")
        return lines

    def _start(self) -> str:
        return self.random.choice(("0", "0", "1", f"{self._a('x')}[i]", f"{self._a('A')}[i][3]"))

    def _inside(self) -> list[str]:
        random, lines = self.random, []
        for name in self.sums:
            sign = random.choice(("+", "+", "-"))
            term = self._value("j")
            lines.append(random.choice((f"{name} {sign}= {term};", f"{name} = {name} {sign} {term};")))
        if self.columns:
            lines.append(f"{self._a('c')}[j] += {self._value('j')};")
        if not lines or random.random() < 0.3:
            cell = random.choice((f"{self._a('B')}[i][j]", f"{self._a('B')}[i][j + 1]", f"{self._a('y')}[i]"))
            lines.append(f"{cell} {random.choice(('=', '+=', '+='))} {self._value('j')};")
        random.shuffle(lines)
        return lines

    def _value(self, at: str) -> str:
        cells = (f"{self._a('x')}[{at}]", f"{self._a('w')}[{at} + 1]", f"{self._a('A')}[i][{at}]", "3", "n")
        cells += (f"{self._a('A')}[{at}][i]", f"{self._a('x')}[i]", f"{self._a('w')}[TWO]")
        one = self.random.choice(cells[:2] if self.random.random() < 0.5 else cells)
        if self.pivot:
            one = self.random.choice((f"{self._a('B')}[TWO][{at}]", f"{self._a('y')}[TWO]", one))
        other = self.random.choice(cells)
        return f"{one} {self.random.choice('*+-')} {other}"

    def _trial(self) -> str:
        lines = [f"static void {self.name}_try(int n, int m, int p)", "{"]
        for name in "AB":
            lines.append("    for (int i = 0; i < MOST; i++)\n        for (int j = 0; j < MOST; j++)\n")
            lines.append(f"            {self._a(name)}[i][j] = next();")
        for name in "xwyzc":
            lines.append(f"    for (int i = 0; i < MOST; i++)\n        {self._a(name)}[i] = next();")
        lines.append(f"    {self.name}(n, m, p);")
        lines += [f'    show("{self._a(n)}", {self._a(n)}, sizeof {self._a(n)});' for n in "Byzc"]
        return "\n" + "\n".join([*lines, "}"]) + "\n"
