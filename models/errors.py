"""The one exception that this package raises for mistakes of its users."""

from __future__ import annotations


class SkeletonError(Exception):
    """A one-line message: where, what is wrong, and the way out."""
