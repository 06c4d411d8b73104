"""The library functions that the oracle's programs may call: exact where they can be, else deterministic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.oracle.memory import DOUBLE, INT, VOID, Bytes, Type, UndefinedError

_POINTER = Type("pointer", 64, target=VOID)


def _real(function: Callable[..., float]) -> Callable[..., Any]:
    def apply(*values: Any) -> Any:
        try:
            return Fraction(function(*map(float, values))).limit_denominator(10**6)
        except (ValueError, OverflowError):
            raise UndefinedError("mathematics") from None

    return apply


FUNCTIONS: dict[str, tuple[Callable[..., Any], Type]] = {
    "abs": (abs, INT),
    "fabs": (abs, DOUBLE),
    "fmin": (min, DOUBLE),
    "fmax": (max, DOUBLE),
    "min": (min, INT),
    "max": (max, INT),
    "printf": (lambda *_: 0, INT),
    "free": (lambda *_: 0, VOID),
    "malloc": (Bytes, _POINTER),
    "calloc": (lambda n, size: Bytes(n * size, True), _POINTER),
    "floor": (lambda x: math.floor(x), DOUBLE),
    **{n: (_real(getattr(math, n)), DOUBLE) for n in ("sqrt", "exp", "sin", "cos", "log", "pow")},
}
FUNCTIONS |= {
    f"{n}f": FUNCTIONS[n] for n in ("sqrt", "exp", "sin", "cos", "log", "pow", "fabs", "fmin", "fmax")
}
