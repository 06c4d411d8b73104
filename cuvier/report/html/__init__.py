"""One HTML file that holds everything: an overview, all loops, and the sources with their loops."""

from __future__ import annotations

from cuvier.report.html.page import render

__all__ = ["render"]
