"""What the templates see of a call: every C text ready to be printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProductView:
    """Calls of a function of cuBLAS, which sees matrices by columns: for it, rows and columns are exchanged.

    `sizes` and `factors` are (name, value) of variables, these of the type `element` and those `long`.
    """

    function: str
    element: str
    sizes: tuple[tuple[str, str], ...]
    factors: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]  # all of them must hold for the library to compute it
    calls: tuple[tuple[tuple[str, ...], ...], ...]  # the arguments of each by line, the handle left out
