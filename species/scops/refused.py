"""Why a nest is no static control part."""

from __future__ import annotations


class Refused(Exception):
    """The nest is no static control part; the text says why."""
