"""Random affine nests as C functions: triangular bounds, offsets, steps, stencils, reductions.

Elements are unsigned, so that every order of a sum gives the same bits.  All subscripts stay inside of
arrays that have a margin around the largest sizes that `main` calls the functions with.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.nests.flattened import flattened
from tests.nests.members import in_structure
from tests.nests.symmetric import symmetric
from tests.nests.typed import MACROS, typed
from tests.support.wrapping_loops import HEADERS, Shape, argument, loops

SIZES = ((0, 0), (1, 1), (2, 3), (7, 8), (8, 8), (9, 16), (17, 5), (33, 40))
LARGE_SIZES = (*SIZES[:3], (33, 40), (149, 130))  # of functions that only sweep over arrays of two dimensions
LARGEST, MARGIN = 150, 6
EXTENT = LARGEST + 2 * MARGIN
EXTENT_3D = 40 + 2 * MARGIN
ARRAYS = {"A": 2, "B": 2, "C": 2, "L": 2, "T": 3, "x": 1, "y": 1, "z": 1}
TYPED = 0.2  # of all functions have nests of `tests.nests.typed`
SIDES = 0.1  # of the others begin with loops that do the same next to one another
DECOMPOSING = 0.1  # and with decompositions of a matrix
BY_ROWS = 0.1  # and with such that go from left to right through row after row
REUSING = 0.15  # and with variables that have one value after another
IN_PLACE = 0.1  # and with sums that change rows in place
SYMMETRIC = 0.08  # and with products with half of a matrix
WRAPPING = 0.08  # of all functions have loops of `tests.support.wrapping_loops`
FLATTENED = 0.35  # of all functions have arrays of `tests.nests.flattened`
MEMBERS = 0.4  # of these have them in structures
TYPES = {"L": "unsigned long"}  # the others' elements are unsigned


@dataclass
class Nests:
    """A function with some nests, as C text, and the arguments behind its sizes, of all calls."""

    name: str
    text: str
    large: bool
    arguments: tuple[str, ...]


@dataclass
class _Writer:
    rng: random.Random
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    scalars: int = 0

    def emit(self, text: str) -> None:
        self.lines.append("  " * (self.depth + 1) + text)


def nests(seed: int) -> Nests:
    """The function of a seed."""
    rng = random.Random(seed)
    writer = _Writer(rng)
    if (own := random.Random(f"wrapping {seed}")).random() < WRAPPING:
        return _wrapping(own, seed)
    if random.Random(f"typed {seed}").random() < TYPED:
        typed(rng, MARGIN, writer.emit)
        return _function(seed, writer, large=False)
    if (own := random.Random(f"sides {seed}")).random() < SIDES:
        _two_sides(_Writer(own, writer.lines))
    if (own := random.Random(f"decomposing {seed}")).random() < DECOMPOSING:
        _decomposing(_Writer(own, writer.lines))
    if (own := random.Random(f"by rows {seed}")).random() < BY_ROWS:
        _by_rows(_Writer(own, writer.lines))
    if (own := random.Random(f"in place {seed}")).random() < IN_PLACE:
        _in_place(_Writer(own, writer.lines))
    if (own := random.Random(f"symmetric {seed}")).random() < SYMMETRIC:
        symmetric(own, MARGIN, _Writer(own, writer.lines).emit)
    sweeps = rng.random() < 0.2
    if (own := random.Random(f"reusing {seed}")).random() < REUSING and not sweeps:  # those have larger sizes
        _reusing(_Writer(own, writer.lines))
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        if sweeps:
            _sweeps(writer)
        elif rng.random() < 0.25:
            _time_loop(writer)
        elif rng.random() < 0.15:
            _branches(writer)
        elif rng.random() < 0.12:
            _temporary_array(writer)
        elif rng.random() < 0.12:
            _looking_back(writer)
        elif rng.random() < 0.1:
            _pivots(writer)
        else:
            _loop(writer, (), rng.choice((1, 2, 2, 3, 3)))
    return _function(seed, writer, sweeps)


def _function(seed: int, writer: _Writer, large: bool) -> Nests:
    body = "\n".join(writer.lines)
    text, arguments = f"void f{seed}(int n, int m)\n{{\n{body}\n}}\n", ("",)
    if random.Random(f"flat {seed}").random() < FLATTENED:
        text, arguments = flattened(seed, text, ARRAYS, TYPES, {2: EXTENT, 3: EXTENT_3D})
        if random.Random(f"members {seed}").random() < MEMBERS:
            text, arguments = in_structure(seed, text, arguments)
    return Nests(f"f{seed}", text, large, arguments)


def _wrapping(rng: random.Random, seed: int) -> Nests:
    """A function over unsigned numbers near both ends of their range."""
    made = loops(rng, Shape(("x", "y", "z"), ("A", "B", "C"), EXTENT))
    parameters = "".join(f", {made.ctype} {name}" for name in "abc")
    body = "".join(f"  {line}\n" for line in ("(void)n, (void)m, (void)a, (void)b, (void)c;", *made.lines))
    calls = ("".join(f", {argument(value, made.ctype)}" for value in values) for values in made.calls)
    text = f"void f{seed}(int n, int m{parameters})\n{{\n{body}}}\n"
    return Nests(f"f{seed}", text, large=False, arguments=tuple(calls))


def _time_loop(writer: _Writer) -> None:
    writer.emit(f"for (int t = 0; t < {writer.rng.choice((1, 2, 3, 5))}; t++) {{")
    writer.depth += 1
    for _ in range(writer.rng.choice((1, 2, 2, 3))):
        _loop(writer, (), writer.rng.choice((1, 2, 2)))
    writer.depth -= 1
    writer.emit("}")


def _branches(writer: _Writer) -> None:
    """One nest or another, without braces around them."""
    writer.emit(f"if ({writer.rng.choice(('n > 3', 's & 1', 'm > n', 'x[9] & 1'))})")
    _loop(writer, (), 2)
    if writer.rng.random() < 0.7:
        writer.emit("else")
        _loop(writer, (), 2)


def _temporary_array(writer: _Writer) -> None:
    """A loop whose iterations use an array for themselves, or nearly; it may be needed afterwards."""
    rng = writer.rng
    rank, extent = rng.choice(((1, 40), (2, 12), (2, 12)))
    writer.scalars += 1
    name, names = f"own{writer.scalars}", "jk"[:rank]
    cell, size = (name + "".join(f"[{i}]" for i in names)), f"[{extent}]" * rank
    writer.emit(f"unsigned {name}{size};")
    writer.emit(f"memset({name}, 0, sizeof {name});")
    writer.emit(f"for (int i = {rng.choice((0, 3))}; i < {rng.choice((20, 37))}; i++) {{")
    writer.depth += 1
    low = rng.choice((0, 0, 0, 1))
    headers = [f"for (int {j} = {low}; {j} < {extent}; {j}++)" for j in names]
    writer.emit(" ".join(headers) + f" {cell} = {_value(rng, ('i', *names))};")
    for _ in range(rng.choice((1, 2))):
        headers = [f"for (int {j} = {rng.choice((1, 1, 2))}; {j} < {extent}; {j}++)" for j in names]
        before = name + "".join(f"[{j} - {rng.choice((0, 1, 1))}]" for j in names)
        writer.emit(" ".join(headers) + f" {cell} {rng.choice(('=', '+=', '+='))} {before} + i;")
    target = rng.choice(("s", "s", "x[i]", f"x[i + {MARGIN}]", "L[i][3]"))
    writer.emit(f"{target} {rng.choice(('=', '+=', '^='))} {name}{f'[{extent - 1}]' * rank};")
    writer.depth -= 1
    writer.emit("}")
    if rng.random() < 0.5:
        place = "".join(f"[{rng.choice((0, 1, extent - 1))}]" for _ in range(rank))
        writer.emit(f"y[3] += {name}{place};")


def _looking_back(writer: _Writer) -> None:
    """Each cell from those computed before it, in a variable: substitutions, decompositions, plans."""
    rng = writer.rng
    array, other = rng.choice((("A", "B"), ("A", "A"), ("A", "C")))
    down = rng.random() < 0.5
    writer.emit("for (int i = n - 1; i >= 0; i--)" if down else "for (int i = 0; i < n; i++)")
    first = rng.choice(("0", "i", "i + 1", "i + 2"))
    last = rng.choice(("n", "n", "m"))
    writer.emit(f"  for (int j = {first}; j < {last}; j++) {{")
    at = f"{array}[i + {MARGIN}][j + {MARGIN}]"
    back, fixed = f"{array}[i + {MARGIN}][k + {MARGIN}]", f"{other}[k + {MARGIN}][j + {MARGIN}]"
    writer.emit(
        f"    unsigned w = {rng.choice((at, '0', 'i + j', f'{array}[i + {MARGIN + 1}][j + {MARGIN}]'))};"
    )
    inner = f"for (int k = {rng.choice((first, '0'))}; k < {rng.choice(('j', 'j', 'i', 'n'))}; k++)"
    if rng.random() < 0.5:
        relation = rng.choice(("<", ">"))
        writer.emit(f"    {inner} if ({back} + {fixed} {relation} w) w = {back} + {fixed};")
    else:
        writer.emit(f"    {inner} w {rng.choice(('+=', '-='))} {back} * {fixed};")
    divided = f"w / ({array}[i + {MARGIN}][i + {MARGIN}] | 1)"
    writer.emit(f"    {at} = {rng.choice(('w', 'w + x[j + 2]', 'w * 3', divided))};")
    writer.emit("  }")


def _decomposing(writer: _Writer) -> None:
    """A matrix from what has been found of it: by rows and by columns, or one of them, or nearly."""
    rng = writer.rng

    def at(row: str, column: str, array: str = "A") -> str:
        return f"{array}[{row} + {MARGIN}][{column} + {MARGIN}]"

    def one(row: str, column: str, first: str, last: str, divides: bool) -> str:
        other = rng.choice("AAAB")
        back, fixed = at(row, "k"), at("k", column, other)
        if rng.random() < 0.15:
            back, fixed = at("k", column), at(row, "k", other)
        end = f"w / ({at('i', 'i')} | 1)" if divides else rng.choice(("w", "w", "w + x[j]", "w * 3"))
        start = rng.choice((at(row, column),) * 3 + ("x[j + 1]", at(row, column, "B")))
        return (
            f"for (int j = {first}; j < n; j++) {{ unsigned w = {start};"
            f" for (int k = {rng.choice('00001')}; k < {last}; k++) w {rng.choice('--+')}= {back} * {fixed};"
            f" {at(row, column)} = {end}; }}"
        )

    parts = [
        one("i", "j", rng.choice(("i", "i", "i + 1")), rng.choice("iiiij"), rng.random() < 0.2),
        one("j", "i", rng.choice(("i + 1", "i + 1", "i")), "i", rng.random() < 0.8),
        one("i", "j", "0", rng.choice("jji"), rng.random() < 0.5),
    ]
    chosen = rng.choice(((0, 1), (0, 1), (0,), (1,), (2,), (1, 0)))
    writer.emit("for (int i = 0; i < n; i++) {")
    for part in chosen:
        writer.emit(f"  {parts[part]}")
    writer.emit("}")


def _by_rows(writer: _Writer) -> None:
    """A triangle row by row, each row from left to right, or nearly: other columns, or rows, are needed."""
    rng = writer.rng

    def at(row: str, column: str, array: str = "A") -> str:
        return f"{array}[{row} + {MARGIN}][{column} + {MARGIN}]"

    def sums(row: str, column: str, last: str) -> str:
        other = rng.choice((*"AAAAB",))
        back, fixed = at(row, "k"), rng.choice((at(column, "k", other), at("k", column, other)))
        moved = rng.choice(("", "", "", "", "", " + 1", " - 1"))
        fixed = fixed.replace(f"[k + {MARGIN}]", f"[k{moved} + {MARGIN}]")
        start = rng.choice(("0", "0", "0", "1", "j / 2" if column == "j" else "0"))
        header = f"for (int k = {start}; k < {last}; k++)"
        return f"{header} {at(row, column)} {rng.choice(('-=', '-=', '+=', '^='))} {back} * {fixed};"

    divided = f"{at('i', 'j')} = {at('i', 'j')} / ({at('j', rng.choice('jjjji'))} | 1);"
    first = f"for (int j = {rng.choice('0001')}; j < {rng.choice(('i', 'i', 'i', 'i + 1'))}; j++) {{ "
    parts = [
        first + sums("i", "j", "j") + " " + rng.choice((divided, divided, "y[j] += x[i];", "")) + " }",
        rng.choice((sums("i", "i", "i"), "", "x[i] += A[i][i];")),
        rng.choice((f"{at('i', 'i')} = {at('i', 'i')} * 3 + {at('i', '0')};", "", f"z[i] = {at('i', 'i')};")),
        "for (int j = i; j < n; j++) " + sums("i", "j", "i"),
    ]
    chosen = rng.choice(((0, 1, 2), (0, 1, 2), (0, 2), (0, 3), (0, 3), (3, 0), (0,), (0, 3, 2)))
    writer.emit("for (int i = 0; i < n; i++) {")
    for part in chosen:
        writer.emit(f"  {parts[part]}")
    writer.emit("}")


def _pivots(writer: _Writer) -> None:
    """Rounds in which all rows read one row, or one column, that is written, too."""
    rng = writer.rng
    a = rng.choice("AB")
    row, column = f"k + {MARGIN + rng.choice((0, 0, 1))}", f"k + {MARGIN + rng.choice((0, 0, -1))}"
    i, j = f"i + {MARGIN}", f"j + {MARGIN}"
    writer.emit(f"for (int k = 0; k < {rng.choice(('n', 'm', '5'))}; k++)")
    writer.emit(f"  for (int i = {rng.choice(('0', '0', '1', 'k'))}; i < {rng.choice(('n', 'm'))}; i++)")
    writer.emit(f"    for (int j = {rng.choice(('0', '0', '2', 'k'))}; j < {rng.choice(('n', 'm'))}; j++)")
    value = rng.choice((f"{a}[{row}][{j}]", f"{a}[{i}][{column}]", f"{a}[{i}][{column}] * {a}[{row}][{j}]"))
    if rng.random() < 0.4:
        writer.emit(f"      {a}[{i}][{j}] = {a}[{i}][{j}] < {value} ? {a}[{i}][{j}] : {value};")
    else:
        writer.emit(f"      {a}[{i}][{j}] {rng.choice(('+=', '-=', '='))} {value} + x[{i}];")


def _in_place(writer: _Writer) -> None:
    """Rows, or columns, to which others are added that change later, or have changed before, or both."""
    rng = writer.rng
    a, factor = rng.choice("AB"), rng.choice(("C[{i}][{k}]", "C[{k}][{i}]", "x[{k}]", "3"))
    ranges = ("k = i + 1; k < n", "k = 0; k < i", "k = i; k < n", "k = 0; k < n", "k = i + 2; k < n - 1")
    loops = {
        "i": rng.choice(("for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)")),
        "j": f"for (int j = {rng.choice(('0', '2'))}; j < m; j++)",
        "k": f"for (int {rng.choice(ranges)}; k++)",
    }
    order = rng.choice(("ijk", "ijk", "jik", "ikj"))
    for depth, name in enumerate(order):
        writer.emit("  " * depth + loops[name])
    i, j, k = (f"{name} + {MARGIN}" for name in "ijk")
    crossed = rng.random() < 0.3
    cell, other = (f"{a}[{j}][{p}]" if crossed else f"{a}[{p}][{j}]" for p in (i, k))
    writer.emit(f"      {cell} {rng.choice(('+=', '-=', '^='))} {factor.format(i=i, k=k)} * {other};")


def _reusing(writer: _Writer) -> None:
    """A loop whose statements, and loops inside, use variables for one thing after another, or nearly."""
    rng = writer.rng
    names = ("r1", "r2")[: rng.choice((1, 2, 2))]
    writer.emit("{ unsigned r1 = 3, r2 = x[9]; (void)r1, (void)r2;")
    writer.emit(f"for (int i = 0; i < {rng.choice(('n', 'm'))}; i++) {{")
    writer.depth += 1
    for _ in range(rng.choice((2, 3, 3, 4))):
        inner = rng.random() < 0.55
        around = ("i", "j") if inner else ("i",)
        writer.emit(f"for (int j = {rng.choice(('0', '0', 'i'))}; j < m; j++) {{" if inner else "{")
        for name in rng.sample(names, len(names)):
            before = rng.choice(("", "", "", "", f"if ({_reference(rng, around)} & 1) "))
            if rng.random() < 0.9:  # else an older value is used
                writer.emit(f"  {before}{name} = {_value(rng, around)};")
            if rng.random() < 0.2:
                writer.emit(f"  {name} += {rng.choice(around)};")
        target = _reference(rng, around)
        writer.emit(
            f"  {target} {rng.choice(('=', '+=', '^='))} {' + '.join(rng.sample(names, len(names)))};"
        )
        writer.emit("}")
    writer.depth -= 1
    writer.emit("}")
    writer.emit(f"z[0] += {rng.choice(('r1', 'r2', '0', '0', '0'))}; }}")


def _two_sides(writer: _Writer) -> None:
    """Loops that do the same on both sides of a diagonal, or nearly: they may overlap, or not meet."""
    rng = writer.rng
    a, b = rng.choice((("A", "B"), ("A", "A"), ("B", "C")))
    row, pivot = f"i + {MARGIN}", rng.choice((f"k + {MARGIN}", f"i + {MARGIN}", f"i + {MARGIN + 1}"))
    shift = rng.choice((0, 0, 0, 1, -1))
    factor = rng.choice(("x[i]", f"{a}[{row}][k + {MARGIN}]", "3", "l"))
    distance = rng.choice(("", "", "", " + ({name} - i) / 2", " + l"))
    operator = rng.choice(("-=", "+=", "+=", "="))

    def side(name: str, low: str, high: str, more: str) -> str:
        cell = f"{a}[{row}][{name} + {MARGIN}]"
        value = f"{factor} * {b}[{pivot}][{name} + {MARGIN + shift}]{distance.format(name=name)}{more}"
        ctype = rng.choice(("int", "int", "int", "unsigned", "long"))
        return f"    for ({ctype} {name} = {low}; {name} < {high}; {name}++) {cell} {operator} {value};"

    middle = rng.choice(("i", "i", "i", "k", "i + 1"))
    lower, upper = rng.choice(("0", "k + 1", "k")), rng.choice(("n", "n", "n", "m", "n - 1"))
    meeting = rng.choice((middle, middle, middle, middle, f"{middle} + 1", f"{middle} - 1"))
    sides = [
        side("j", lower, middle, ""),
        side(rng.choice("jl"), meeting, upper, rng.choice(("", "", "", " + 1"))),
    ]
    rng.shuffle(sides)
    if "l" in (factor, distance[-1:]):  # a variable that is called like an iterator
        writer.emit("{ int l = n / 2;")
    writer.emit(f"for (int k = 0; k < {rng.choice(('n', 'n', '1', '4'))}; k++)")
    writer.emit(
        f"  for (int i = {rng.choice((lower, lower, '0'))}; i < {rng.choice(('n', 'n', 'm'))}; i++) {{"
    )
    for text in sides:
        writer.emit(text)
    writer.emit("  } }" if "l" in (factor, distance[-1:]) else "  }")


def _sweeps(writer: _Writer) -> None:
    """Stencils that are repeated: each sweep reads neighbours of what another one, or itself, has written."""
    rng = writer.rng
    arrays, rank = (("x", "y", "z"), 1) if rng.random() < 0.3 else (("A", "B", "C"), 2)
    names = "ij"[:rank]
    writer.emit(f"for (int t = 0; t < {rng.choice((2, 3, 7, 12))}; t++) {{")
    writer.depth += 1
    order = list(rng.sample(arrays, rng.choice((1, 2, 2, 3))))
    for k, target in enumerate(order):
        source = rng.choice((order[k - 1], order[k - 1], rng.choice(arrays)))
        for i in names:
            writer.emit(
                f"for (int {i} = {rng.choice((0, 1, 1, 2))}; {i} < {rng.choice(('n', 'n - 1', 'm'))}; {i}++)"
            )
        offsets = [[rng.choice((-1, 0, 0, 1)) for _ in names] for _ in range(rng.choice((1, 2, 3, 5)))]
        cells = (
            source + "".join(f"[{i} + {MARGIN + d}]" for i, d in zip(names, o, strict=True)) for o in offsets
        )
        left = target + "".join(f"[{i} + {MARGIN}]" for i in names)
        writer.emit(f"  {left} {rng.choice(('=', '=', '+='))} {' + '.join(cells)} + t;")
    writer.depth -= 1
    writer.emit("}")


def _loop(writer: _Writer, around: tuple[str, ...], levels: int) -> None:
    rng = writer.rng
    name = "ijkl"[len(around)]
    lower = rng.choice(("0", "0", "0", "1", "2", *(f"{o} + 1" for o in around), *around))
    upper = rng.choice(("n", "n", "m", "n - 1", "m - 2", *(around), *(f"{o} + 3" for o in around)))
    relation, step = rng.choice(("<", "<", "<", "<=")), rng.choice((1, 1, 1, 1, 1, 2, 3))
    if rng.random() < 0.12:
        header = f"for (int {name} = {upper} - 1; {name} >= {lower}; {name}--)"
    else:
        increment = f"{name}++" if step == 1 else f"{name} += {step}"
        header = f"for (int {name} = {lower}; {name} {relation} {upper}; {increment})"
    writer.emit(header + " {")
    writer.depth += 1
    inside = (*around, name)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if levels > 1 and rng.random() < 0.7:
            _loop(writer, inside, levels - 1)
        else:
            _statement(writer, inside)
    if levels > 1 and rng.random() < 0.2:
        _statement(writer, inside)
    writer.depth -= 1
    writer.emit("}")


def _statement(writer: _Writer, around: tuple[str, ...]) -> None:
    rng = writer.rng
    choice = rng.random()
    if choice < 0.1:
        return _temporary(writer, around)
    if choice < 0.16:
        operator = rng.choice(("+=", "+=", "^=", "*="))
        return writer.emit(f"s {operator} {_reference(rng, around)} + {rng.choice(around)};")
    target = _reference(rng, around)
    operator = rng.choice(("=", "=", "+=", "+=", "+=", "-=", "*=", "^="))
    text = f"{target} {operator} {_value(rng, around)};"
    if operator == "=" and rng.random() < 0.25:
        text = f"{target} = {target} + {_value(rng, around)};"
    if rng.random() < 0.1:
        other = f"else {_reference(rng, around)} += {_value(rng, around)};" if rng.random() < 0.5 else ""
        text = f"{_condition(rng, around)}{{ {text} }} {other}"
    elif rng.random() < 0.03:
        text = f"if ({_reference(rng, around)} & 1) continue; {text}"
    elif rng.random() < 0.08:
        text = f"if ({_reference(rng, around)} & 1) {text}"
    return writer.emit(text)


def _temporary(writer: _Writer, around: tuple[str, ...]) -> None:
    """A variable that each iteration has for itself, often a sum that ends in a cell."""
    rng = writer.rng
    writer.scalars += 1
    name = f"w{writer.scalars}"
    block = rng.random() < 0.3
    if block:
        name = "w"  # in a block of its own
        writer.emit("{")
    ctype = rng.choice(("unsigned", "unsigned", "unsigned long"))
    writer.emit(f"{ctype} {name} = {rng.choice(('0', _value(rng, around)))};")
    sums = rng.random() < 0.6 and len(around) < 4
    if sums:
        inner = "ijkl"[len(around)]
        writer.emit(f"for (int {inner} = {rng.choice(('0', '0', around[-1]))}; {inner} < m; {inner}++)")
        condition = _condition(rng, (*around, inner)) if rng.random() < 0.2 else ""
        factor = f" * {_reference(rng, (*around, inner))}" if rng.random() < 0.5 else ""
        writer.emit(
            f"  {condition}{name} {rng.choice(('+=', '-='))} {_reference(rng, (*around, inner))}{factor};"
        )
    target = _reference(rng, around)
    if ctype != "unsigned" and rng.random() < 0.7:
        target = f"L[{_subscript(rng, around)}][{_subscript(rng, around)}]"
    writer.emit(f"{target} {_ending(rng, around, target, name)};")
    if block:
        writer.emit("}")


def _ending(rng: random.Random, around: tuple[str, ...], target: str, name: str) -> str:
    other = rng.choice((target, target, _reference(rng, around)))
    return rng.choice(
        (
            f"= {name}",
            f"= {name} + {rng.choice(around)}",
            f"= {name} * {name} / 3",
            f"= 3 * {other} + {name} * s",
            f"= {other} + {name} * {rng.choice(('SUM', 'CLOSED'))}",
            f"-= SUM * {name}",
            f"= {other} - {name}",
            f"+= {name}",
            f"-= {name} * {other}",
        )
    )


def _condition(rng: random.Random, around: tuple[str, ...]) -> str:
    """A branch that iterators decide."""
    left, right = rng.choice(around), rng.choice((*around, *around, "n", "3"))
    return (
        f"if ({left}{rng.choice(('', '', ' + 1'))} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {right}) "
    )


def _value(rng: random.Random, around: tuple[str, ...]) -> str:
    parts = [_reference(rng, around) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    text = f" {rng.choice(('*', '+', '*'))} ".join(parts)
    return text if rng.random() < 0.8 else f"{text} + {rng.choice((*around, '3', 'n'))}"


def _reference(rng: random.Random, around: tuple[str, ...]) -> str:
    array = rng.choice(("A", "A", "B", "B", "C", "C", "L", "T", "x", "y", "z"))
    rank = ARRAYS[array]
    if rank > len(around) and rng.random() < 0.7:
        array, rank = rng.choice((("x", 1), ("y", 1), ("z", 1)))
    subscripts = [_subscript(rng, around) for _ in range(rank)]
    if rank <= len(around) and rng.random() < 0.7:  # different iterators
        chosen = rng.sample(around, rank)
        subscripts = [f"{i}{rng.choice(('', '', '', ' + 1', ' - 1'))} + {MARGIN}" for i in chosen]
    return array + "".join(f"[{s}]" for s in subscripts)


def _subscript(rng: random.Random, around: tuple[str, ...]) -> str:
    if rng.random() < 0.1:
        return str(rng.randrange(EXTENT_3D))
    return f"{rng.choice(around)}{rng.choice(('', '', ' + 1', ' - 1', ' + 2'))} + {MARGIN}"


def program(functions: list[Nests]) -> str:
    """A program that runs all functions at all sizes, each on fresh data, and prints what they leave."""
    declared = "\n".join(
        f"static {TYPES.get(name, 'unsigned')} {name}"
        + f"[{EXTENT_3D if rank == 3 else EXTENT}]" * rank
        + ";"
        for name, rank in ARRAYS.items()
    )
    fill = "\n".join(
        f"  fill((unsigned *){name}, sizeof {name} / 4, {k + 1}u);" for k, name in enumerate(ARRAYS)
    )
    total = "\n".join(f"  h = sum((const unsigned *){name}, sizeof {name} / 4, h);" for name in ARRAYS)
    calls = "\n".join(_call(f) for f in functions)
    sizes = ", ".join(f"{{{a}, {b}}}" for a, b in SIZES)
    large_sizes = ", ".join(f"{{{a}, {b}}}" for a, b in LARGE_SIZES)
    texts = "\n".join(f.text for f in functions)
    macros = "\n".join(f"#define {name} {text}" for name, text in MACROS.items())
    return f"""#include <stdio.h>
#include <string.h>
{HEADERS}#define SUM 1+2
#define CLOSED (1+2)
{macros}
{declared}
static unsigned s;
static const int sizes[][2] = {{{sizes}}}, large_sizes[][2] = {{{large_sizes}}};
{texts}
static void fill(unsigned *a, unsigned long count, unsigned seed)
{{
  for (unsigned long k = 0; k < count; k++) {{
    seed = seed * 1664525u + 1013904223u;
    a[k] = seed >> 12;
  }}
}}
static void start(void)
{{
{fill}
  s = 7;
}}
static unsigned sum(const unsigned *a, unsigned long count, unsigned h)
{{
  for (unsigned long k = 0; k < count; k++)
    h = h * 31u + a[k];
  return h;
}}
static unsigned state(void)
{{
  unsigned h = s;
{total}
  return h;
}}
int main(void)
{{
{calls}
  return 0;
}}
"""


def _sizes(function: Nests) -> tuple[tuple[int, int], ...]:
    return LARGE_SIZES if function.large else SIZES


def _table(function: Nests) -> str:
    return "large_sizes" if function.large else "sizes"


def _call(function: Nests) -> str:
    name, table = function.name, _table(function)
    return "\n".join(
        f"  for (int k = 0; k < {len(_sizes(function))}; k++) {{\n"
        f"    start();\n    {name}({table}[k][0], {table}[k][1]{arguments});\n"
        f'    printf("{name} %d %u\\n", k, state()); }}'
        for arguments in function.arguments
    )
