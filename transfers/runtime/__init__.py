"""CGCM: the C library that manages data at run time (docs/runtime.md)."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def sources() -> dict[str, str]:
    """The texts of the library's files, by name."""
    return {path.name: path.read_text() for path in sorted(FOLDER.glob("cgcm*.[ch]"))}
