"""The one exception for what cannot be done to a loop: the loop then stays as it is."""

from __future__ import annotations


class Refusal(Exception):
    """Why a kernel, or one way to treat a loop, is not possible; the text completes a sentence."""


NOT_APPLICABLE = "not applicable"  # the way is for loops of another kind; no more is to be said of it
