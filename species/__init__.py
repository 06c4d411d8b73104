"""What is this loop?  C in, classified loops out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from species.analysis.analyse import analyse
    from species.analysis.options import AnalysisOptions

__all__ = ["AnalysisOptions", "analyse"]


def __getattr__(name: str) -> object:
    """The analyser is loaded when it is first asked for: isl takes its time."""
    if name in __all__:
        from species.analysis import analyse as analysis

        return getattr(analysis, name)
    raise AttributeError(name)
