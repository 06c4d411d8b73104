"""Tries a computation in a process of its own, which the system ends when its time is up.

What runs inside of a C library cannot be interrupted from Python; a process can.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable


def ends(work: Callable[[], object], seconds: float) -> bool:
    """Does `work` come to an end, if only by an exception, within so many seconds of processor time?

    Where processes have no copies, the answer is no.
    """
    try:
        child = os.fork()
    except (AttributeError, OSError):
        return False
    if child == 0:
        _try(work, seconds)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)


def _try(work: Callable[[], object], seconds: float) -> None:
    """Does the work in this process, and ends it."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        work()
    finally:
        os._exit(0)
