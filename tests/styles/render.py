"""A nest in a style, as a C program that fills its matrices, runs the nest twice, and prints a hash of all.

Headers of the nest's loops end in a comment, `/* loop i */`; there is a line before each on which a test can
be put (`before_loop`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.styles.nests import Loop, Nest
from tests.styles.style import Style

ROWS, COLS, PITCH = 150, 158, 200
_ELEMENT = re.compile(r"\{(\w+) ([^ }]+)(?: ([^ }]+))?\}")
_TABLES = {"literal": (str(ROWS), str(COLS)), "argument": ("rows", "cols"), "variable": ("rows", "cols")}
_SHAPES = {"t": "CR", "d": "CC"}  # of the others: RC


@dataclass(frozen=True)
class Program:
    """The files, by name; the nest stands in the first."""

    files: dict[str, str]


@dataclass(frozen=True)
class Renderer:
    """Writes one program."""

    nest: Nest
    style: Style

    def program(self) -> Program:
        """All of it."""
        head, function, main = self._head(), self._function(), self._main()
        if self.style.place != "other file":
            return Program({"program.c": head + function + main})
        prototype = self._signature() + ";\n"
        return Program({"nest.c": head + function, "main.c": head + prototype + main})

    # Sizes

    @property
    def _sizes(self) -> tuple[str, str]:
        if self.style.size == "member":
            owner = f"{self._owner}->" if self.style.storage == "members" else "dim->"
            return f"{owner}rows", f"{owner}cols"
        return _TABLES.get(self.style.size, ("ROWS", "COLS"))

    @property
    def _owner(self) -> str:
        """The matrix whose members are the ends of loops."""
        return next((m for m in (*self.nest.written, *self.nest.read) if m in "ab"), "a")

    def _size(self, letter: str) -> str:
        return self._sizes["RC".index(letter)]

    def _sized(self, text: str) -> str:
        """With the names of the sizes for `{R}` and `{C}`."""
        return text.replace("{R}", self._size("R")).replace("{C}", self._size("C"))

    # Arrays

    @property
    def _arrays(self) -> tuple[str, ...]:
        return (*self.nest.written, *self.nest.read)

    def _shape(self, array: str) -> tuple[str, str]:
        rows, cols = _SHAPES.get(array, "RC")
        return self._size(rows), self._size(cols)

    def at(self, array: str, row: str, col: str | None) -> str:
        """An element."""
        row, col = (self._subscript(each) if each else each for each in (row, col))
        if col is None:
            return f"{array}[{row} - 1]" if self.style.storage == "one-based" else f"{array}[{row}]"
        match self.style.storage:
            case "file" | "parameters" | "heap" | "rows":
                return f"{array}[{row}][{col}]"
            case "members":
                return f"{array}->cell[({row}) * {array}->cols + ({col})]"
            case "pitch":
                return f"{array}[({row}) * pitch + ({col})]"
            case "one-based":
                return f"{array.upper()}AT({row}, {col})"
        return f"{array}[({row}) * {self._shape(array)[1]} + ({col})]"

    def _subscript(self, text: str) -> str:
        counted = "1" if self.style.storage == "one-based" else "-1"
        text = text.replace("C-1-", f"{self._size('C')} {'+' if counted == '1' else '-'} 1 - ")
        return re.sub(r"(?<=\w)([+-])(?=\d)", r" \1 ", text)

    def _text(self, text: str) -> str:
        """With C for all elements."""
        return _ELEMENT.sub(lambda m: self.at(m[1], m[2], m[3]), text)

    # Parts of the program

    def _head(self) -> str:
        counter, lines = self.style.counter, ["#include <stdio.h>", "#include <stdlib.h>", ""]
        match self.style.size:
            case "macro":
                lines += [f"#define ROWS {ROWS}", f"#define COLS {COLS}"]
            case "macro for a variable":
                lines += ["#define ROWS rows", "#define COLS cols"]
            case "enum":
                lines.append(f"enum {{ ROWS = {ROWS}, COLS = {COLS} }};")
            case "const":
                lines.append(f"static const {counter} ROWS = {ROWS}, COLS = {COLS};")
            case "variable":
                lines.append(f"static {counter} rows, cols;")
            case "member" if self.style.storage != "members":
                lines.append(f"struct dim {{ {counter} rows, cols; }};")
        if self.style.storage == "members":
            lines.append(f"struct matrix {{ {counter} rows, cols; double *cell; }};")
        matrices = [a for a in self._arrays if not a.startswith("v")]
        if self.style.storage == "one-based":
            for array in matrices:
                cols = self._shape(array)[1]
                lines.append(f"#define {array.upper()}AT(r, c) {array}[((r) - 1) * {cols} + ((c) - 1)]")
        if self.style.storage == "file":
            lines += [f"static double {self._declared(array)};" for array in self._arrays]
        return "\n".join([*lines, "", *self._helper(), ""])

    def _declared(self, array: str) -> str:
        """An array with numbers for its sizes."""
        size = dict(zip("RC", self._sizes if self.style.is_fixed else (str(PITCH), str(PITCH)), strict=True))
        if array.startswith("v"):
            return f"{array}[{max(ROWS, COLS) + 8}]"
        rows, cols = _SHAPES.get(array, "RC")
        return f"{array}[{size[rows]}][{size[cols]}]"

    def _parameters(self) -> list[str]:
        style, found = self.style, []
        if style.size in ("argument", "macro for a variable"):
            found += [f"{style.counter} rows", f"{style.counter} cols"]
        if style.size == "member" and style.storage != "members":
            found.append("const struct dim *dim")
        if style.storage == "pitch":
            found.append(f"{style.counter} pitch")
        if style.storage == "file":
            return found
        restrict = "restrict " if style.restrict else ""
        for array in self._arrays:
            const = "" if array in self.nest.written else "const "
            rows, cols = self._shape(array)
            if array.startswith("v"):
                found.append(f"{const}double *{restrict}{array}")
            elif style.storage == "members":
                found.append(f"{const}struct matrix *{array}")
            elif style.storage == "rows":
                found.append(f"double **{array}")
            elif style.storage == "parameters":
                found.append(f"double {array}[{restrict}{rows}][{cols}]")
            else:
                found.append(f"{const}double *{restrict}{array}")
        return found

    def _signature(self) -> str:
        result = "double" if self.nest.scalar else "void"
        static = "" if self.style.place == "other file" else "static "
        return f"{static}{result} work({', '.join(self._parameters()) or 'void'})"

    def _function(self) -> str:
        if self.style.place == "main":
            return ""
        behind = [f"  return {self.nest.scalar};"] if self.nest.scalar else []
        return "\n".join([self._signature(), "{", *self._nest("  "), *behind, "}", "", ""])

    def _helper(self) -> list[str]:
        """A function, or a macro, for the statement."""
        if self.style.statement == "helper":
            names = [f"x{k}" for k in range(len(self._operands))]
            value = self.nest.value
            for operand, name in zip(self._operands, names, strict=True):
                value = value.replace(operand, name, 1)
            given = ", ".join(f"double {name}" for name in names)
            return [f"static double part({given}) {{ return {value}; }}"]
        if self.style.statement == "macro" and not self._is_bumped:
            iterators = ", ".join(loop.name for loop in self.nest.loops)
            return [f"#define STEP({iterators}) {self._text(self._plain())}"]
        return []

    @property
    def _operands(self) -> list[str]:
        """What the statement's value is made of, in the order of its text."""
        return re.findall(r"\{[^}]*\}|\(i \+ 1\)", self.nest.value)

    def _plain(self) -> str:
        target, operator, value = self.nest.target, self.nest.operator, self.nest.value
        if self.style.statement == "spelt out" and operator:
            return f"{target} = {target} {operator} {value}"
        return f"{target} {operator}= {value}"

    def _statement(self) -> list[str]:
        target, operator = self.nest.target, self.nest.operator
        match self.style.statement:
            case "temporary":
                return [f"double x = {self.nest.value};", f"{target} {operator}= x;"]
            case "helper":
                return [f"{target} {operator}= part({', '.join(self._operands)});"]
            case "macro" if not self._is_bumped:
                return [f"STEP({', '.join(loop.name for loop in self.nest.loops)});"]
        return [f"{self._plain()};"]

    # Loops

    @property
    def _is_bumped(self) -> bool:
        return self.style.form == "bump" and self.nest.rows_only

    def _nest(self, pad: str) -> list[str]:
        lines = [f"{pad}double {self.nest.scalar} = 0;"] if self.nest.scalar else []
        if self.style.form == "outside":
            lines.append(f"{pad}{self.style.counter} {', '.join(loop.name for loop in self.nest.loops)};")
        return lines + self._loops(self.nest.loops, pad)

    def _loops(self, loops: tuple[Loop, ...], pad: str) -> list[str]:
        if not loops:
            return [pad + self._text(line) for line in self._statement()]
        loop, is_last = loops[0], len(loops) == 1
        first, header, last = self._header(loop, bumped=is_last and self._is_bumped)
        inside = self._loops(loops[1:], pad + "  ")
        pointers, moved = list[str](), list[str]()
        if is_last and self._is_bumped:
            inside, pointers, moved = self._bumped(loop, inside, pad)
        if loop is self.nest.loops[0]:
            before, behind = (
                [pad + "  " + self._text(t)] if t else [] for t in (self.nest.before, self.nest.behind)
            )
            inside = [*before, *inside, *behind]
        return [
            *pointers,
            *([pad + first] if first else []),
            f"{pad};",
            f"{pad}{header} {{ /* loop {loop.name} */",
            *inside,
            *(f"{pad}  {each}" for each in (*moved, *([last] if last else []))),
            f"{pad}}}",
        ]

    def _ends(self, loop: Loop) -> tuple[str, str, str]:
        """The first value, the comparison for an end, and the end."""
        low, high = loop.low, self._sized(loop.high)
        high = re.sub(r"(?<=\w)([+-])(?=\d)", r" \1 ", high)
        if self.style.storage != "one-based":
            return low, "<", high
        return str(int(low) + 1), "<=", "i" if high == "i + 1" else high

    def _header(self, loop: Loop, *, bumped: bool) -> tuple[str, str, str]:
        """What stands before the loop, its header, and the last statement of its body."""
        name, (low, less, high) = loop.name, self._ends(loop)
        ctype = self.style.counter
        if self.style.form == "while":
            return f"{ctype} {name} = {low};", f"while ({name} {less} {high})", f"{name}++;"
        if self.style.form == "down" and not bumped:
            end = high if less == "<=" else f"{high} - 1"
            if ctype in ("int", "long"):
                return "", f"for ({ctype} {name} = {end}; {name} >= {low}; {name}--)", ""
            begin = f"{high} + 1" if less == "<=" else high
            return "", f"for ({ctype} {name} = {begin}; {name}-- > {low};)", ""
        declared = "" if self.style.form == "outside" else f"{ctype} "
        return "", f"for ({declared}{name} = {low}; {name} {less} {high}; {name}++)", ""

    def _bumped(self, loop: Loop, inside: list[str], pad: str) -> tuple[list[str], list[str], list[str]]:
        """The body with `*p0` for elements, the pointers, and what moves them."""
        low = self._ends(loop)[0]
        texts, pointers, moved = "\n".join(inside), [], []
        found = dict.fromkeys(_ELEMENT.findall(self.nest.target + self.nest.value))
        for number, (array, row, col) in enumerate(found):
            element = self.at(array, row, col)
            start = self.at(array, row, col.replace(loop.name, low))
            const = "" if array in self.nest.written else "const "
            pointers.append(f"{pad}{const}double *p{number} = &{start};")
            moved.append(f"p{number}++;")
            texts = texts.replace(element, f"*p{number}")
        return texts.split("\n"), pointers, moved

    # Main

    def _main(self) -> str:
        style, lines = self.style, list[str]()
        if style.size == "variable":
            lines += [f"  rows = argc > 1 ? atoi(argv[1]) : {ROWS};", f"  cols = rows + {COLS - ROWS};"]
        elif style.size in ("argument", "macro for a variable"):
            lines.append(
                f"  {style.counter} rows = argc > 1 ? atoi(argv[1]) : {ROWS}, cols = rows + {COLS - ROWS};"
            )
        elif style.size == "member" and style.storage != "members":
            lines.append(f"  struct dim own = {{ {ROWS}, {COLS} }}, *dim = &own;")
        if style.storage == "pitch":
            lines.append(f"  {style.counter} pitch = {PITCH};")
        for number, array in enumerate(self._arrays):
            lines += self._made(array)
            lines += self._filled(array, number)
        lines += ["  double result = 0;", "  for (int again = 0; again < 2; again++) {"]
        if style.place == "main":
            lines += self._nest("    ")
            lines += [f"    result += {self.nest.scalar};"] if self.nest.scalar else []
        else:
            call = f"work({', '.join(self._arguments())})"
            lines.append(f"    {'result += ' if self.nest.scalar else ''}{call};")
        lines += ["  }", "  unsigned long hash = 17;"]
        for array in self.nest.written:
            lines += self._hashed(array)
        lines += ['  printf("%lu %.10g\\n", hash, result);', "  return 0;"]
        return "\n".join(
            ["int main(int argc, char **argv)", "{", "  (void)argc, (void)argv;", *lines, "}", ""]
        )

    def _numbers(self, array: str) -> tuple[str, str]:
        """The sizes of a matrix, as main names them."""
        known = self._sizes
        if self.style.size == "member" and self.style.storage == "members":
            known = (str(ROWS), str(COLS))
        rows, cols = ("RC".index(letter) for letter in _SHAPES.get(array, "RC"))
        return known[rows], known[cols]

    def _made(self, array: str) -> list[str]:
        rows, cols = self._numbers(array)
        if self.style.storage == "file":
            return []
        if array.startswith("v"):
            return [f"  double *{array} = calloc({max(ROWS, COLS) + 8}, sizeof(double));"]
        match self.style.storage:
            case "heap":
                width = cols if self.style.is_fixed else str(PITCH)
                return [f"  double (*{array})[{width}] = calloc({rows}, sizeof *{array});"]
            case "parameters":
                return [f"  double (*{array})[{cols}] = calloc({rows}, sizeof *{array});"]
            case "members":
                cells = f"calloc({rows} * {cols}, sizeof(double))"
                made = (
                    f"  struct matrix own_{array} = {{ {rows}, {cols}, {cells} }}, *{array} = &own_{array};"
                )
                return [made]
            case "rows":
                each = f"{array}[r] = calloc({cols}, sizeof **{array});"
                return [
                    f"  double **{array} = malloc({rows} * sizeof *{array});",
                    f"  for ({self.style.counter} r = 0; r < {rows}; r++)",
                    f"    {each}",
                ]
        width = "pitch" if self.style.storage == "pitch" else cols
        return [f"  double *{array} = calloc({rows} * {width}, sizeof(double));"]

    def _filled(self, array: str, number: int) -> list[str]:
        if array.startswith("v"):
            return [f"  for (int r = 0; r < {ROWS}; r++)", f"    {array}[r] = (r * 5 + {number}) % 7;"]
        return self._over(array, f"{{}} = (double)((r * 7 + c * 3 + {number}) % 11);")

    def _hashed(self, array: str) -> list[str]:
        """Bits and all, one after the other."""
        value = "hash = hash * 31 + (unsigned long)(long)({} * 1024);"
        if array.startswith("v"):
            return [f"  for (int r = 0; r < {ROWS}; r++)", f"    {value.format(f'{array}[r]')}"]
        return self._over(array, value)

    def _over(self, array: str, statement: str) -> list[str]:
        rows, cols = self._numbers(array)
        base = 1 if self.style.storage == "one-based" else 0
        counter = self.style.counter
        element = self.at(array, "r + 1" if base else "r", "c + 1" if base else "c")
        return [
            f"  for ({counter} r = 0; r < {rows}; r++)",
            f"    for ({counter} c = 0; c < {cols}; c++)",
            f"      {statement.format(element)}",
        ]

    def _arguments(self) -> list[str]:
        style, found = self.style, []
        if style.size in ("argument", "macro for a variable"):
            found += ["rows", "cols"]
        if style.size == "member" and style.storage != "members":
            found.append("dim")
        if style.storage == "pitch":
            found.append("pitch")
        return found + list(self._arrays if style.storage != "file" else ())
