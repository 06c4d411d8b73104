"""Sums in an inner loop, each made by a team of threads: matrix times vector, along rows or down columns.

`recognise` takes a kernel; `fitted` makes what the templates print.
"""

from __future__ import annotations

from skeletons.sums.teams.recognise import TeamSums, recognise
from skeletons.sums.teams.views import TeamView, fitted

__all__ = ["TeamSums", "TeamView", "fitted", "recognise"]
