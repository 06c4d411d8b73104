"""Colours of the picture, in light and in dark schemes."""

from __future__ import annotations

from collections.abc import Sequence

_STYLE = """\
.roofline { font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; max-width: 720px; }
.roofline text { fill: #1c2329; } .roofline .dim { fill: #5a6670; font-size: 12px; }
.roofline .edge { stroke: #d5dbe1; fill: none; } .roofline .back { fill: #ffffff; }
.roofline .line { fill: none; stroke-width: 2.5; }
.roofline .plain { fill: none; stroke-width: 1.5; stroke-dasharray: 5 4; }
"""
LIGHT = ("#0072b2", "#b8400a", "#00795a", "#8d3f7a", "#8a6d00", "#3f6f8f", "#5f6a73", "#a01d3c")
_DARK = ("#56b4e9", "#f08a5d", "#3fc79d", "#d98cc0", "#e6c532", "#9cc7df", "#a7b1b9", "#f27f9b")
COUNT = len(LIGHT)  # places that have colours of their own


def rules() -> str:
    """The rules for light, and for dark schemes."""

    def lines(colours: Sequence[str]) -> str:
        found = (
            f".roofline .c{k} {{ stroke: {c}; }} .roofline .d{k} {{ fill: {c}; }}"
            for k, c in enumerate(colours)
        )
        return "\n".join(found)

    dark = ".roofline text { fill: #e4e9ed; } .roofline .dim { fill: #9ba8b3; }"
    dark += " .roofline .edge { stroke: #38424b; } .roofline .back { fill: #14181c; }"
    return f"\n{_STYLE}{lines(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{dark}\n{lines(_DARK)}\n}}\n"
