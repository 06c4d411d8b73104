"""Nests of loops as such, however they are written: what they compute, and which loops are parallel.

Text in braces is an element, `{a i j-1}`, or a size: `{R}` rows and `{C}` columns of every matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

PARALLEL, SERIAL = True, False


@dataclass(frozen=True)
class Loop:
    """From `low` (inclusive) to `high` (exclusive), offsets to the size included; may it run in any order?"""

    name: str
    low: str
    high: str
    parallel: bool


@dataclass(frozen=True)
class Nest:
    """Loops around one statement, `target operator= value`.

    `before` stands in the outermost loop before the others, `behind` behind them.  `written` are the matrices
    (two letters: vectors, one number for each row) that it writes, `read` the others.
    """

    name: str
    loops: tuple[Loop, ...]
    target: str
    operator: str
    value: str
    written: tuple[str, ...]
    read: tuple[str, ...] = ()
    before: str = ""
    behind: str = ""
    scalar: str = ""  # one that is summed up, or a largest one

    @property
    def rows_only(self) -> bool:
        """Does the innermost loop go along rows, and all that it names with it?"""
        inner = self.loops[-1].name
        places = [text.split("}")[0].split() for text in (self.target + self.value).split("{")[1:]]
        return all(len(p) == 3 and p[2][0] == inner and inner not in p[1] for p in places)


def _rows(low: str = "0", high: str = "{R}", parallel: bool = PARALLEL) -> Loop:
    return Loop("i", low, high, parallel)


def _columns(low: str = "0", high: str = "{C}", parallel: bool = PARALLEL) -> Loop:
    return Loop("j", low, high, parallel)


_CROSS = "{a i-1 j} + {a i+1 j} + {a i j-1} + {a i j+1}"
_INNER = (_rows("1", "{R}-1"), _columns("1", "{C}-1"))
NESTS = (
    Nest("scale", (_rows(), _columns()), "{b i j}", "", "{a i j} * 2 + 1", ("b",), ("a",)),
    Nest("update", (_rows(), _columns()), "{b i j}", "+", "{a i j} * 0.5", ("b",), ("a",)),
    Nest("stencil", _INNER, "{b i j}", "", f"0.25 * ({_CROSS})", ("b",), ("a",)),
    Nest("transpose", (_rows(), _columns()), "{t j i}", "", "{a i j}", ("t",), ("a",)),
    Nest("reverse", (_rows(), _columns()), "{b i C-1-j}", "", "{a i j} + 1", ("b",), ("a",)),
    Nest(
        "row sums", (_rows(), _columns()), "s", "+", "{a i j} * (i + 1)", ("vb",), ("a",),
        before="double s = 0;", behind="{vb i} = s;",
    ),
    Nest(
        "product with a vector", (_rows(), _columns()),
        "{vb i}", "+", "{a i j} * {vc j}", ("vb",), ("a", "vc"),
    ),
    Nest(
        "product", (_rows(), _columns(), Loop("k", "0", "{C}", PARALLEL)),
        "{b i j}", "+", "{a i k} * {d k j}", ("b",), ("a", "d"),
    ),
    Nest("dot", (_rows(), _columns()), "sum", "+", "{a i j} * {b i j}", (), ("a", "b"), scalar="sum"),
    Nest("triangle", (_rows(), _columns("0", "i+1")), "{b i j}", "", "{a i j} - 1", ("b",), ("a",)),
    Nest(
        "prefix of rows", (_rows(), _columns("1", parallel=SERIAL)),
        "{b i j}", "", "{b i j-1} * 0.5 + {a i j}", ("b",), ("a",),
    ),
    Nest(
        "prefix of columns", (_rows("1", parallel=SERIAL), _columns()),
        "{b i j}", "", "{b i-1 j} * 0.5 + {a i j}", ("b",), ("a",),
    ),
    Nest("shift in place", (_rows(), _columns("0", "{C}-1", SERIAL)), "{b i j}", "", "{b i j+1} + 1", ("b",)),
    Nest(
        "sweep in place", (_rows("1", "{R}-1", SERIAL), _columns("1", "{C}-1", SERIAL)),
        "{b i j}", "", "0.25 * (" + _CROSS.replace("a ", "b ") + ")", ("b",),
    ),
)  # fmt: skip
