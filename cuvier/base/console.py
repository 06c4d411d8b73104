"""What appears on the terminal: results on stdout, diagnostics and progress on stderr."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError, diagnostic_line
from cuvier.base.shown import harmless, shown, shown_line
from species.core.positions import Diagnostic, Position

if TYPE_CHECKING:
    from rich.console import Console

_LOGS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")  # CI whose logs are searched for commands
PLAIN_WIDTH = 140  # of tables that go to a file or a pipe


def emit(text: str) -> None:
    """Write a result to stdout as it is, whatever bytes the file had and whatever its line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def tell(text: str) -> None:
    """Write a text for people to stdout; terminals and logs obey nothing in it."""
    emit(harmless(shown(text)))


def emit_source(text: str) -> None:
    """Write a text of the user's, or a change of it, to stdout: byte for byte, except to a terminal.

    UserError where stdout may be the log of a CI that would obey a line of it.
    """
    if sys.stdout.isatty():
        tell(text)
    elif any(map(os.environ.get, _LOGS)) and not _goes_to_file() and harmless(text) != text:
        raise UserError("the log would take a line of it for a command; use --in-place or -o DIR")
    else:
        emit(text)


def emit_change(change: str) -> None:
    """Write a diff in the same way, coloured where colours are wanted."""
    from cuvier.base.diff import coloured

    if colours_wanted():
        emit(coloured(harmless(shown(change))))
    else:
        emit_source(change)


@contextmanager
def told_of_interrupts(done: Callable[[], str]) -> Iterator[None]:
    """Say what was `done` where an interrupt ends what is inside."""
    try:
        yield
    except KeyboardInterrupt:
        warn(done())
        raise


def _goes_to_file() -> bool:
    return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)


def say(line: str) -> None:
    """Print a line about what goes on to stderr."""
    print(harmless(shown_line(line)), file=sys.stderr)


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics to stderr, one line each."""
    for diagnostic in diagnostics:
        say(diagnostic_line(diagnostic))


def warn(message: str) -> None:
    """Print a warning that belongs to no place in a file."""
    say(f"cuvier: warning: {message}")


def conclude(message: str, is_bad: bool) -> None:
    """Print how a command has ended to stderr; as a warning, if that is bad."""
    say(f"cuvier: {'warning: ' if is_bad else ''}{message}")


def colours_wanted() -> bool:
    """stdout is a terminal that shows colours, and the user did not set NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def table_console(to_file: bool) -> Console:
    """Where tables are laid out: as wide as the terminal and coloured only if it is one.

    What is printed there is shown (`cuvier.base.shown`).
    """
    from rich.console import Console

    from cuvier.base.rich_shown import ShownHook

    if to_file or not sys.stdout.isatty():
        console = Console(width=PLAIN_WIDTH, color_system=None, force_terminal=False)
    else:
        console = Console(no_color=not colours_wanted())
    console.push_render_hook(ShownHook())
    return console


def captured(printing: Callable[[Console], None], to_file: bool) -> str:
    """What is printed on a `table_console`, without blanks at the ends of lines."""
    console = table_console(to_file)
    with console.capture() as capture:
        printing(console)
    return harmless("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def excerpt(position: Position, text: str) -> list[str]:
    """The line of `text` at `position` and a caret below the column, both indented; tabs are kept."""
    lines = text.split("\n")
    if not 1 <= position.line <= len(lines):
        return []
    line = lines[position.line - 1].rstrip("\r")
    number = f"{position.line:>6} | "
    blank = "".join("\t" if character == "\t" else " " for character in line[: position.column - 1])
    return [number + line, " " * (len(number) - 2) + "| " + blank + "^"]
