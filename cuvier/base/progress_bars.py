"""How far long work is, on stderr: bars where someone watches, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from cuvier.base.console import say
from cuvier.base.shown import shown_line

Item = TypeVar("Item")

MANY_FILES = 4
REFRESH = 0.2  # seconds between two states of a bar
OFTENEST, MOST_SELDOM = 5.0, 15.0  # seconds between two lines, where there is no terminal


class Progress(Protocol):
    """How far a run over files is; a line says it in words."""

    total: int
    done: int
    latest: str  # a file's name

    @property
    def rate(self) -> float:
        """Files a second."""

    @property
    def left(self) -> str:
        """How long it will still take, in words."""

    @property
    def line(self) -> str:
        """All of that."""


def with_progress(items: Sequence[Item], doing: str) -> Iterator[Item]:
    """The items, with a progress bar on stderr where there are many and someone watches."""
    if len(items) < MANY_FILES or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=doing, console=Console(stderr=True), transient=True)


@contextmanager
def files_bar(progress: Progress, doing: str) -> Iterator[None]:
    """Shows how far a run is while the block lasts: by a bar or, where stderr is no terminal, by a line every
    few seconds.
    """
    if progress.total < MANY_FILES:
        yield
    elif sys.stderr.isatty():
        with _bar(progress, doing) as show, _every(lambda: REFRESH, show):
            yield
    else:
        started = time.monotonic()
        with _every(
            lambda: pause(time.monotonic() - started), lambda: say(f"cuvier: {doing}: {progress.line}")
        ):
            yield


def pause(passed: float) -> float:
    """The seconds between two lines, after so many: a log of a long run need not be long."""
    return min(MOST_SELDOM, max(OFTENEST, passed / 20))


@contextmanager
def _every(seconds: Callable[[], float], show: Callable[[], None]) -> Iterator[None]:
    """Calls `show` again and again while the block lasts, on a thread of its own."""
    over = threading.Event()

    def run() -> None:
        while not over.wait(seconds()):
            show()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _bar(progress: Progress, doing: str) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    rate = TextColumn("files, {task.fields[rate]:.1f} a second")
    more = (TextColumn("{task.fields[left]}"), TextColumn("{task.fields[file]}"))
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), rate, *more)
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=progress.total, rate=0.0, left="", file="")

        def show() -> None:
            file, done, total = escape(shown_line(progress.latest)), progress.done, progress.total
            bar.update(task, completed=done, total=total, rate=progress.rate, left=progress.left, file=file)

        yield show


@contextmanager
def budget_bar(seconds: float, doing: str) -> Iterator[Callable[[float, str], None]]:
    """A function to be told the seconds that have passed and what is done: a bar, if someone watches."""
    if not sys.stderr.isatty():
        yield lambda passed, step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    amount = TextColumn("{task.completed:.0f} of {task.total:.0f} s")
    columns = (TextColumn("{task.description}"), BarColumn(), amount)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=seconds)
        yield lambda passed, step: progress.update(
            task, completed=min(passed, seconds), description=f"{doing}: {shown_line(step)}"
        )


@contextmanager
def steps_shown(doing: str) -> Iterator[Callable[[str], None]]:
    """A function to be told each step of a long work: a line that changes, or one every few seconds."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.markup import escape

        with Console(stderr=True).status("") as status:
            yield lambda step: status.update(escape(shown_line(f"{doing}: {step}")))
        return
    last = time.monotonic()

    def tell_now_and_then(step: str) -> None:
        nonlocal last
        if time.monotonic() - last > OFTENEST:
            last = time.monotonic()
            say(f"cuvier: {doing}: {step}")

    yield tell_now_and_then
