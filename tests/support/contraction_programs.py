"""C programs that run contractions beside their plain loops, for many shapes, on arrays of exact size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skeletons.sums.contraction import (
    BandLoop,
    Contraction,
    FileNames,
    Parameter,
    generate,
    prelude,
    recognise,
)

SMALL_BLOCKS = {"KC": 5, "MC": 6, "NC": 16, "TASKS": 2, "THIN": 0, "SMALL": 0, "PARALLEL": 0}


@dataclass(frozen=True)
class Form:
    """One contraction: loops as `i = 0 .. n; j = 0 .. i + 1; ...`, and how large its arrays are.

    Sizes are n, m, p and w.  An array's size is a C text; or for rows that are
    allocated one by one: `ROW count; length of row x; number of its first cell`.
    """

    name: str
    loops: str
    statement: str
    arrays: Mapping[str, str]
    element: str = "double"
    elements: Mapping[str, str] = field(default_factory=dict)
    ctype: str = "int"
    alpha: bool = False
    values: str = "((int)(next() % 17) - 8)"

    def type_of(self, array: str) -> str:
        """The element type of an array."""
        return self.elements.get(array, self.element)

    def is_rows(self, array: str) -> bool:
        """Are the rows allocated one by one?"""
        return self.arrays[array].startswith("ROW")

    def band(self) -> list[BandLoop]:
        """The loops as `recognise` takes them."""
        found = []
        for part in self.loops.split("; "):
            iterator, bounds = part.split(" = ")
            found.append(BandLoop(iterator, self.ctype, *bounds.split(" .. ")))
        return found

    def types(self) -> dict[str, str]:
        """The types of all names."""
        known = {name: self.type_of(name) for name in self.arrays}
        return {**known, **dict.fromkeys(("n", "m", "p", "w"), "int"), "alpha": self.element}

    def contraction(self) -> Contraction:
        """The contraction; AssertionError if it is refused."""
        found = recognise(self.band(), self.statement, self.types())
        assert isinstance(found, Contraction), f"{self.name}: {found}"
        return found

    def parameters(self) -> list[Parameter]:
        """Sizes, the factor and the arrays."""
        sizes = [Parameter(size, f"int {size}") for size in ("n", "m", "p", "w")]
        factor = [Parameter("alpha", f"{self.element} alpha")] if self.alpha else []
        return [*sizes, *factor, *(Parameter(a, self._declaration(a)) for a in self.arrays)]

    def _declaration(self, array: str) -> str:
        stars = "**" if self.is_rows(array) else "*"
        if self.arrays[array].startswith("["):
            return f"{self.type_of(array)} {array}{self.arrays[array]}"
        return f"{self.type_of(array)} {stars}{array}"


def program(
    forms: Iterable[Form], shapes: Iterable[tuple[int, int, int, int]], tuning: Mapping[str, int]
) -> str:
    """A program that exits with 0 if every form gives the plain loops' result for every shape."""
    forms = list(forms)
    names = FileNames(frozenset(("n", "m", "p", "w", "alpha", "main", "next")))
    contractions = [form.contraction() for form in forms]
    rows = ", ".join(f"{{{n}, {m}, {p}, {w}}}" for n, m, p, w in shapes)
    parts = [
        "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n",
        prelude((c.element for c in contractions), names, tuning),
        "static unsigned seed = 1;\nstatic unsigned next(void)\n{\n"
        "    seed = seed * 1664525u + 1013904223u;\n    return seed >> 16;\n}\n",
    ]
    for form, contraction in zip(forms, contractions, strict=True):
        parts.append(_functions(form, contraction, names))
    parts.append(f"static const int shapes[][4] = {{{rows}}};\n")
    parts.append("#define SHAPE shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3]\n")
    parts.append("int main(void)\n{\n    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {\n")
    for form in forms:
        parts.append(
            f"        if (try_{form.name}(SHAPE)) {{\n"
            f'            printf("{form.name} %d %d %d %d\\n", SHAPE);\n'
            "            return 1;\n        }\n"
        )
    return "".join((*parts, "    }\n    return 0;\n}\n"))


def _functions(form: Form, contraction: Contraction, names: FileNames) -> str:
    code = generate(contraction, f"product_{form.name}", form.parameters(), names, "    ")
    declared = ", ".join(p.declaration for p in form.parameters())
    unused = "".join(f"    (void){p.name};\n" for p in form.parameters())
    loops = "".join(
        f"    for ({o.ctype} {o.iterator} = {o.lower}; {o.iterator} < {o.upper}; {o.iterator}++)\n"
        for o in form.band()
    )
    return (
        f"{code.functions}\n"
        f"static void fast_{form.name}({declared})\n{{\n{unused}    {code.call}}}\n\n"
        f"static void plain_{form.name}({declared})\n{{\n{unused}{loops}"
        f"        {contraction.statement}\n}}\n\n"
        f"{_trial(form, contraction)}\n"
    )


def _trial(form: Form, contraction: Contraction) -> str:
    """A function that is 0 if both give the same."""
    output = contraction.output.split("[")[0]
    lines = [f"static int try_{form.name}(int n, int m, int p, int w)", "{", "    (void)w;"]
    frees = []
    for array in (*form.arrays, "expected"):
        like = output if array == "expected" else array
        lines += _allocation(form, array, like)
        frees += _release(form, array, like)
    arguments = ", ".join(("n", "m", "p", "w", *(["2"] if form.alpha else []), *form.arrays))
    expected = arguments.replace(f", {output}", ", expected") if f", {output}" in arguments else arguments
    lines += [_each(form, output, f"{_cell(form, 'expected', output)} = {_cell(form, output, output)};")]
    lines += [
        f"    plain_{form.name}({expected});",
        f"    fast_{form.name}({arguments});",
        "    int bad = 0;",
    ]
    ours, plain = _cell(form, output, output), _cell(form, "expected", output)
    same = f"{ours} == {plain}"
    if form.element in ("float", "double"):
        same += f" || (isnan({ours}) && isnan({plain}))"
    lines += [_each(form, output, f"bad |= !({same});"), *frees, "    return bad;", "}"]
    return "\n".join(lines) + "\n"


def _extent(form: Form, array: str) -> str:
    """The number of cells of an array in one piece."""
    size = form.arrays[array]
    if size.startswith("["):
        return " * ".join(f"(size_t)({part})" for part in size.strip("[]").split("]["))
    return f"(size_t)({size})"


def _row(form: Form, array: str) -> tuple[str, str, str]:
    """Number of rows, cells in row x, and the first cell's number, of an array of rows."""
    count, length, first = form.arrays[array].removeprefix("ROW ").split("; ")
    return count, length, first


def _allocation(form: Form, array: str, like: str) -> list[str]:
    element = form.type_of(like)
    fill = _each(form, like, f"{_cell(form, array, like)} = ({element}){form.values};")
    if form.is_rows(like):
        count, length, first = _row(form, like)
        return [
            f"    {element} **{array} = malloc(sizeof *{array} * (size_t)(({count}) + 1));",
            f"    for (int x = 0; x < ({count}); x++)",
            f"        {array}[x] = ({element} *)malloc(sizeof **{array} * (size_t)({length})) - ({first});",
            fill,
        ]
    if form.arrays[like].startswith("["):
        inner = "".join(f"[{part}]" for part in form.arrays[like].strip("[]").split("][")[1:])
        return [
            f"    {element} (*{array}){inner} = malloc(sizeof({element}) * {_extent(form, like)});",
            fill,
        ]
    return [f"    {element} *{array} = malloc(sizeof *{array} * {_extent(form, like)});", fill]


def _release(form: Form, array: str, like: str) -> list[str]:
    if form.is_rows(like):
        count, _, first = _row(form, like)
        return [
            f"    for (int x = 0; x < ({count}); x++)",
            f"        free({array}[x] + ({first}));",
            f"    free({array});",
        ]
    return [f"    free({array});"]


def _cell(form: Form, array: str, like: str) -> str:
    if form.is_rows(like):
        return f"{array}[x][y]"
    return f"(({form.type_of(like)} *){array})[x]"


def _each(form: Form, array: str, statement: str) -> str:
    """A loop over all cells of an array."""
    if form.is_rows(array):
        count, length, first = _row(form, array)
        return (
            f"    for (int x = 0; x < ({count}); x++)\n"
            f"        for (int y = ({first}); y < ({first}) + ({length}); y++)\n            {statement}"
        )
    return f"    for (size_t x = 0; x < {_extent(form, array)}; x++)\n        {statement}"
