"""Contractions: the matrix product and its relatives, recognised in plain loops and written as blocked C.

`recognise` takes the loops around one statement; `generate` writes what stands in their place.
"""

from __future__ import annotations

from skeletons.sums.contraction.generate import Code, generate, prelude
from skeletons.sums.contraction.model import BandLoop, Contraction, Refused
from skeletons.sums.contraction.names import FileNames
from skeletons.sums.contraction.recognise import recognise
from skeletons.sums.contraction.tuning import TUNING, tuning_of
from skeletons.sums.contraction.views import Parameter

__all__ = [
    "TUNING",
    "BandLoop",
    "Code",
    "Contraction",
    "FileNames",
    "Parameter",
    "Refused",
    "generate",
    "prelude",
    "recognise",
    "tuning_of",
]
