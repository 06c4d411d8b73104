"""Command lines that a person wrote, in the environment or among the arguments."""

from __future__ import annotations

import shlex


def words_of(command: str) -> list[str]:
    """Its words, as a shell splits them; a text that a shell does not take, with an open quote, is one word.

    There is no program of that name, and whoever looks for one says so.
    """
    try:
        return shlex.split(command)
    except ValueError:
        return [command]
