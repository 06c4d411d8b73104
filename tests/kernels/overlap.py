"""Random programs whose functions get pointers into common arrays, or none at all where a flag says so."""

from __future__ import annotations

from random import Random

from tests.kernels.framed import framed

CELLS = 600  # of the pool
GLOBAL = 64  # cells of the array that functions also know by name
LARGEST = 12  # n; m is at most 5

_MACROS = f"""
#define CELLS {CELLS}
static int pool[CELLS], g[{GLOBAL}], table[8][8];
"""
_TARGETS = ("p[i]", "p[i + 1]", "p[2 * i]", "p[i + m]", "p[m * i + 3]", "p[i / 2]", "g[i]", "g[m * i + 2]",
            "g[i + 20]", "g[i * 3 % 16]", "table[i % 8][m]", "q[n - 1 - i]")  # fmt: skip
_READS = ("q[i]", "q[i + 1]", "q[m]", "q[0]", "p[i]", "g[i]", "g[m + 30]", "g[q[i] & 15]", "table[m][i % 8]",
          "i", "3", "flag", "p[n + m + i]", "q[m * i]")  # fmt: skip
_CONDITIONS = ("q[i] > 0", "flag == 3", "m > 2", "i % 3 == 1", "i > m", "g[i] < 5 || m == 1")
_OPTIONAL = "if (flag > 2) {target} {operator} w[i];"


def program(seed: int, functions: int) -> str:
    """A program that takes n (at most `LARGEST`), m (at most 5) and a number that stirs the offsets."""
    random = Random(seed)
    made = [_Function(random, f"f{number}") for number in range(functions)]
    return framed(made, values=41, macros=_MACROS)


class _Function:
    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name

    def text(self) -> str:
        """The function, and one that calls it with pointers far apart, close together, and without `w`."""
        statements = [self._statement() for _ in range(self.random.choice((1, 1, 2, 3)))]
        lines = [f"        {line}" for statement in statements for line in statement]
        header = self.random.choice(
            (
                "for (int i = 0; i < n; i++)",
                "for (int i = 1; i <= n; i++)",
                "for (int i = n - 1; i >= 0; i--)",
                "for (int i = 0; i < n; i += 2)",
                "for (long i = m; i < n; i++)",
            )
        )
        body = [f"    {header} {{", *lines, "    }"]
        if self.random.random() < 0.3:
            body = ["    for (int j = 0; j < m; j++)", *(f"    {line}" for line in body)]
        return "\n".join(
            [
                "",
                f"static void {self.name}(int n, int m, int flag, int *p, int *q, const int *w)",
                "{",
                "    (void)n, (void)m, (void)flag, (void)p, (void)q, (void)w;",
                *body,
                "}",
                self._trial(),
            ]
        )

    def _statement(self) -> list[str]:
        target, operator = self.random.choice(_TARGETS), self.random.choice(("=", "=", "+=", "-="))
        kind = self.random.random()
        if kind < 0.2:
            return [_OPTIONAL.format(target=target, operator=operator)]
        value = self.random.choice(_READS)
        if self.random.random() < 0.5:
            value += self.random.choice((" + ", " - ", " * ")) + self.random.choice(_READS)
        line = f"{target} {operator} {value};"
        if kind < 0.45:
            return [f"if ({self.random.choice(_CONDITIONS)}) {line}"]
        if kind < 0.55:
            other = f"{target} {operator} {self.random.choice(_READS)};"
            return [f"if ({self.random.choice(_CONDITIONS)}) {line}", f"else {other}"]
        return [line]

    def _trial(self) -> str:
        return f"""
static void {self.name}_try(int n, int m, int p)
{{
    for (int k = 0; k < CELLS; k++)
        pool[k] = next();
    for (int k = 0; k < {GLOBAL}; k++)
        g[k] = next();
    for (int k = 0; k < 64; k++)
        table[k / 8][k % 8] = next();
    {self.name}(n, m, 3, pool, pool + 200, pool + 400);
    {self.name}(n, m, 0, pool + 100, pool + 300, NULL);
    {self.name}(n, m, 1, pool + 100, pool + 100 + p * 7 % 40, NULL);
    {self.name}(n, m, 3, pool + 200 + p * 5 % 30, pool + 200, pool + 210);
    {self.name}(n, m, 2, g, pool + 300, NULL);
    {self.name}(n, m, 3, pool + 300, g + p % 3, pool);
    show("{self.name} pool", pool, sizeof pool);
    show("{self.name} g", g, sizeof g);
    show("{self.name} table", table, sizeof table);
}}
"""
