"""Random programs whose iterations read a few cells around their own: of one, two or three loops."""

from __future__ import annotations

import re
from random import Random

from tests.kernels.framed import framed

TYPES = ("double", "float", "float", "int", "unsigned char", "long", "short")
EDGE = 24  # cells along each side of an array; sizes up to 20 leave room for offsets
_ITERATORS = "ijk"


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    made = [_Function(random, f"f{number}") for number in range(functions)]
    return framed(made, 41, decoys=seed % 3 == 2, macros=f"\n#define EDGE {EDGE}\n#define ONE 1\n")


class _Function:
    """One nest over arrays of its own: A and B are read, C and D written; D is read, too, at its own cell."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.ctype = random.choice(TYPES)
        self.depth = random.choice((1, 2, 2, 2, 3))
        self.base = list(_ITERATORS[: self.depth])
        self.flat = random.random() < 0.3  # arrays of one dimension, whose places are computed
        self.crossed = self.depth == 2 and random.random() < 0.25  # C is written the other way round
        self.given = random.random() < 0.4  # the arrays are parameters
        self.outside = random.random() < 0.25  # a variable declared before the loops
        self.strips = random.random() < 0.25  # the outermost loop makes one strip after the other

    def text(self) -> str:
        """The function, and one that tries it."""
        arrays = ", ".join(f"{self.name}_{array}{self._extent()}" for array in "ABCD")
        inside = "\n".join(f"        {line}" for line in self._body())
        own = f"    {self.ctype} t = 0;\n" if self.outside else ""
        lent = "".join(
            f", {'const ' if array in 'AB' else ''}{self.ctype} {array}{self._extent(True)}"
            for array in "ABCD"
        )
        head = f"int n, int m, int p{lent if self.given else ''}"
        used = "    (void)A, (void)B, (void)C, (void)D;\n" if self.given else ""
        loops = "\n".join(f"    {loop}" for loop in self._loops())
        last = f"static int {self.name}_last;\n" if self.strips else ""
        text = (
            f"static void {self.name}({head})\n{{\n    (void)n, (void)m, (void)p;\n{used}{own}{loops}\n"
            f"    {{\n{inside}\n    }}\n{self._behind()}{'    (void)t;' if self.outside else ''}\n}}\n"
        )
        if not self.given:
            text = re.sub(r"\b([ABCD])(?=\[)", rf"{self.name}_\1", text)
        return f"\nstatic {self.ctype} {arrays};\n{last}\n{text}{self._trial()}"

    def _behind(self) -> str:
        """What keeps the strips in their order."""
        name = f"{self.name}_last"
        return f"    {name} = ({name} * 5 + q) % 13;\n    }}\n" if self.strips else ""

    def _extent(self, as_parameter: bool = False) -> str:
        if self.flat:
            return "[]" if as_parameter else "[" + " * ".join(["EDGE"] * self.depth) + "]"
        return "[EDGE]" * self.depth

    def _loops(self) -> list[str]:
        sizes = "nmp" if self.depth > 1 else self.random.choice("nmp")
        found = []
        if self.strips:
            width, step = self.random.choice((4, 5)), self.random.choice(("n", "n + 3", "EDGE"))
            end = self.random.choice(("n", "11", "EDGE - 3"))
            own = f"for (int i = q; i <= ({end} < q + {width - 1} ? {end} : q + {width - 1}); i++)"
            found += [f"for (int q = 2; q < {step}; q += {width}) {{", own]
        for name, size in zip(self.base[self.strips :], sizes[self.strips :], strict=False):
            ctype = self.random.choice(("int", "int", "long", "short"))
            low, high = self.random.choice((("2", "+ 1"), ("ONE + 1", "+ 2"), ("3", ""))), ""
            low, high = low
            kind = self.random.random()
            if kind < 0.15:
                found.append(f"for ({ctype} {name} = {size} {high} - 1; {name} >= {low}; {name}--)")
            elif kind < 0.3:
                step = self.random.choice((2, 3))
                found.append(f"for ({ctype} {name} = {low}; {name} < {size} {high}; {name} += {step})")
            elif kind < 0.5:
                found.append(f"for ({ctype} {name} = {low}; {name} <= {size} {high} - 1; {name}++)")
            else:
                found.append(f"for ({ctype} {name} = {low}; {name} < {size} {high}; {name}++)")
        return found

    def _body(self) -> list[str]:
        lines = [] if self.outside else [f"{self.ctype} t;"]
        lines.append(f"t = {self._value()}{f' + {self.name}_last' if self.strips else ''};")
        kind = self.random.random()
        if kind < 0.2:
            window = self._cell(self.random.choice("AB"), {self.base[0]: " + w"})
            lines += ["for (int w = 0; w < 3; w++)", f"    t += {window};"]
        elif kind < 0.35:
            lines += [f"if ({self._read()} > 4)", f"    {self.random.choice(('continue;', 't = 3;'))}"]
        elif kind < 0.45:
            lines += [
                "switch (t > 2) {",
                "case 0:",
                "    t += 1;",
                "    break;",
                "default:",
                "    t += 2;",
                "}",
            ]
        lines.append(f"{self._cell('C')} = {self.random.choice(('t', 't + t', f't - {self._read()}'))};")
        if self.random.random() < 0.6:
            operator = self.random.choice(("=", "+=", "-="))
            lines.append(f"{self._cell('D')} {operator} {self.random.choice(('t', self._value()))};")
        if self.random.random() < 0.3:
            lines.append(f"{self._cell('C')} += {self._cell('D')};")
        return lines

    def _value(self) -> str:
        reads = [self._read() for _ in range(self.random.choice((1, 2, 3, 5)))]
        return self.random.choice((" + ", " - ")).join(reads)

    def _read(self) -> str:
        if self.random.random() < 0.15:
            return self._cell("D")
        moved = {
            name: self.random.choice(("", "", " - 1", " + 1", " - 2", " + 2", " + ONE")) for name in self.base
        }
        return self._cell(self.random.choice("AAB"), moved)

    def _cell(self, array: str, moved: dict[str, str] | None = None) -> str:
        places = [name + (moved or {}).get(name, "") for name in self.base]
        if self.crossed and array == "C":
            places.reverse()
        if not self.flat:
            return array + "".join(f"[{place}]" for place in places)
        place = places[0]
        for inner in places[1:]:
            place = f"({place}) * EDGE + {inner}"
        return f"{array}[{place}]"

    def _trial(self) -> str:
        name, cells = self.name, " * ".join(["EDGE"] * self.depth)
        lines = [
            f"static void {name}_try(int n, int m, int p)",
            "{",
            f"    for (int at = 0; at < {cells}; at++) {{",
        ]
        lines += [f"        (({self.ctype} *){name}_{array})[at] = next();" for array in "ABCD"]
        lent = "".join(f", {name}_{array}" for array in "ABCD") if self.given else ""
        lines += ["    }", f"    {name}(n, m, p{lent});"]
        lines += [f'    show("{name} {array}", {name}_{array}, sizeof({name}_{array}));' for array in "CD"]
        return "\n" + "\n".join([*lines, "}"]) + "\n"
