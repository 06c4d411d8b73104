"""Measured profiles: gprof's flat profile, `perf script`, and callgrind's output."""

from __future__ import annotations

from cuvier.report.profiles.profile import Profile
from cuvier.report.profiles.read import read_profile

__all__ = ["Profile", "read_profile"]
