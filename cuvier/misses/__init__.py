"""`cuvier cache FILE`: records what a program asks its memory for, and says where caches miss, and why."""

from __future__ import annotations

from cuvier.misses.examine import examine
from cuvier.misses.options import MissOptions

__all__ = ["MissOptions", "examine"]
