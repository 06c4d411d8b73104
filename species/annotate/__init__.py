"""Annotations in the user's text: species pragmas, the same as comments, or OpenMP pragmas.

Only lines are put in, so that `strip` gives the original characters back.  The protocol: analyse
`mask(text)`, then `annotate(text, facts)`.  Offsets in the facts are those of `text` as it is on the disk
(`mask` keeps them), also where it carries annotations of an earlier run, which are taken out first.
"""

from __future__ import annotations

from species.annotate.edit import AnnotateOptions, Style, annotate, disputed, openmp_pragmas
from species.annotate.functions import Room, are_known
from species.annotate.markers import mask, strip

__all__ = [
    "AnnotateOptions",
    "Room",
    "Style",
    "annotate",
    "are_known",
    "disputed",
    "mask",
    "openmp_pragmas",
    "strip",
]
