"""Measured profiles: gprof's flat profile, `perf script`, and callgrind's output."""

from __future__ import annotations

from cuvier.profiles.profile import Profile
from cuvier.profiles.read import read_profile

__all__ = ["Profile", "read_profile"]
