"""Tries a computation in a process of its own, which the system ends when its time is up.

What runs inside of a C library cannot be interrupted from Python; a process can.
"""

from __future__ import annotations

import ast
import os
import signal
from collections.abc import Callable
from typing import Any

UNTOLD: Any = object()  # the computation came to an end, but its result cannot be handed over


class Failed(Exception):
    """The computation raised an exception."""


def tried(work: Callable[[], Any], seconds: float) -> Any:
    """What `work` gives; `UNTOLD` where that is not made of numbers, texts and tuples.

    Raises `Failed` where the work raises an exception, and `TimeoutError` where it does not end within so
    many seconds of processor time, or where processes have no copies.
    """
    result, end = os.pipe()
    try:
        child = os.fork()
    except (AttributeError, OSError):
        os.close(result)
        os.close(end)
        raise TimeoutError from None
    if child == 0:
        _try(work, seconds, end)
    os.close(end)
    with os.fdopen(result, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFEXITED(status):
        raise TimeoutError
    if status:
        raise Failed
    try:
        return ast.literal_eval(told.decode())
    except (ValueError, SyntaxError):
        return UNTOLD


def _try(work: Callable[[], Any], seconds: float, end: int) -> None:
    """Does the work in this process, writes its result to the pipe, and ends the process."""
    status = 1
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        os.write(end, repr(work()).encode())
        status = 0
    finally:
        os._exit(status)
