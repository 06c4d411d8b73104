"""Amounts for people to read."""

from __future__ import annotations

from collections.abc import Mapping

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def amount(seconds: float) -> str:
    """`0.3 us`, `12 ms`: two digits of a time."""
    unit, name = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return f"{float(f'{seconds / unit:.2g}'):g} {name}"


def times(number: float) -> str:
    """`about 1,000 times`."""
    rounded = float(f"{number:.1g}")
    return f"about {rounded:,.0f} times" if rounded < 1e12 else "very often"


def guesses(sizes: Mapping[str, float]) -> str:
    """`, if 'n' is about 300`, of sizes that only the run knows: of the first two."""
    said = [f"'{name}' is about {float(f'{value:.2g}'):,.0f}" for name, value in list(sizes.items())[:2]]
    return ", if " + " and ".join(said)
