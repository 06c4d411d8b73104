"""Random neighbouring nests whose iterators have the same names, but other types, ends and steps.

Ends are macros (`ROWS` and `COLUMNS` are the same number, `FEW` a smaller one), branches depend on iterators,
and what is computed depends on the types of these.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

MACROS = {
    "ROWS": "24",
    "COLUMNS": "24",
    "FEW": "(ROWS / 2 - 5)",
    "LESS": "ROWS - 2",
    "TO(x)": "((x) + i)",
    "SQUARE(x)": "({ int k = (x); k * k; })",
    "TWICE(x)": "x * 2",
}
UNSIGNED = ("unsigned", "size_t", "unsigned long")
TYPES = ("int", "int", "int", "long", *UNSIGNED)
ENDS = ("ROWS", "ROWS", "COLUMNS", "ROWS - 1", "LESS", "FEW", "24", "20")


def typed(rng: random.Random, margin: int, emit: Callable[[str], None]) -> None:
    """Emits the lines of some nests; subscripts have the margin added."""
    usual, inner = rng.choice(TYPES), rng.choice(TYPES)
    for _ in range(rng.choice((2, 2, 3))):
        outer = usual if rng.random() < 0.6 else rng.choice(TYPES)
        second = inner if rng.random() < 0.6 else rng.choice(TYPES)
        j = rng.choice(("j", "j", "k"))
        emit(_header(rng, outer, "i", "") + " {")
        for line in _inside(rng, outer, second, j, margin):
            emit("  " + line)
        emit("}")


def _inside(rng: random.Random, outer: str, second: str, j: str, margin: int) -> Iterator[str]:
    around = {"i": outer}
    if rng.random() < 0.4:
        yield _guarded(rng, around, f"x[i + {margin}] {_operator(rng)} {_value(rng, around, margin)};")
    for _ in range(rng.choice((1, 1, 2))):
        yield _header(rng, second, j, "i" if rng.random() < 0.4 else "", outer) + " {"
        both = {**around, j: second}
        for _ in range(rng.choice((1, 1, 2))):
            array, order = rng.choice("ABCL"), rng.sample(list(both), 2)
            cell = array + "".join(f"[{name} + {margin}]" for name in order)
            yield "  " + _guarded(rng, both, f"{cell} {_operator(rng)} {_value(rng, both, margin)};")
        yield "}"
    if rng.random() < 0.4:
        yield _guarded(rng, around, f"y[i + {margin}] {_operator(rng)} {_value(rng, around, margin)};")


def _operator(rng: random.Random) -> str:
    return rng.choice(("=", "=", "+=", "+=", "-=", "^="))


def _header(rng: random.Random, ctype: str, name: str, other: str, outer: str = "int") -> str:
    """A loop's header; `other` is an iterator around it that bounds it, of type `outer`."""
    end, step = rng.choice(ENDS), rng.choice((1, 1, 1, 1, 2, 3))
    start, condition = rng.choice(("0", "0", "0", "1", "2")), f"{name} < {end}"
    if rng.random() < 0.2:
        condition = f"{name} <= {end}"
    if other:
        start, condition = rng.choice(
            (
                (other, condition),
                (f"{other} + 1", condition),
                ("0", f"{name} < {other}"),
                ("0", f"{name} + 2 <= {other}"),
                ("0", f"{name} < {other} + 3"),
                ("0", f"{name} < {other} - 1" if {ctype, outer} <= {"int", "long"} else f"{name} < {other}"),
            )
        )
    elif rng.random() < 0.1:
        return f"for ({ctype} {name} = {end}; {name} > {start}; {name}--)"
    return f"for ({ctype} {name} = {start}; {condition}; {name}{'++' if step == 1 else f' += {step}'})"


def _guarded(rng: random.Random, around: dict[str, str], text: str) -> str:
    if rng.random() < 0.7:
        return text
    first, last = next(iter(around)), list(around)[-1]
    guard = rng.choice(
        (
            f"{first} < 3",
            f"{last} >= 5",
            f"{last} < FEW",
            f"{first} < 23",
            f"{last} == {first}",
            f"{last} >= {first} + 3",
            f"{first} + 1 < {last}",
        )
    )
    other = f" else {{ z[{last} + 6] += {first}; }}" if rng.random() < 0.3 else ""
    return f"if ({guard}) {{ {text} }}{other}"


def _value(rng: random.Random, around: dict[str, str], margin: int) -> str:
    names = list(around)
    i, j = rng.choice(names), rng.choice(names)
    cell = rng.choice("ABC") + f"[{rng.choice(names)} + {margin}][{rng.choice(names)} + {margin}]"
    plain = rng.choice((cell, cell, f"x[{i} + {margin - 1}]", f"y[{j} + {margin}]"))
    return rng.choice(
        (
            plain,
            plain,
            f"{plain} + {i}",
            f"({plain} - {j}) / 3",
            f"({i} - 5) / 2 + {plain}",
            f"({plain} > {i} - 4 ? {i} : {j} + 1)",
            f"(-{j} < {plain}) + {plain}",
            f"sizeof({i}) + sizeof {j} * {plain}",
            f"({plain} >> ({j} & 3)) + ({i} - {j}) / 2",
            f"TO({plain})",
            f"SQUARE({j}) + {plain}",
            f"{plain} + TWICE({i})",
            f"A[({i} - 7u) / 3 & 7][{j}]",
            f"TO({plain}) - {j} / 2",
        )
    )
