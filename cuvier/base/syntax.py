"""The C compiler's opinion of a text: is it C, and does it take our pragmas?"""

from __future__ import annotations

import re
from pathlib import Path

from species.core.positions import Diagnostic, Position
from species.source import PreprocessOptions, find_compiler
from species.source.preprocess.compiler import run_compiler

_BYTE_ORDER_MARK = "\ufeff"
_TIME_LIMIT = 120.0  # seconds
_ERROR = re.compile(r"(.+?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)")


def first_error(path: Path, text: str, options: PreprocessOptions, *flags: str) -> Diagnostic | None:
    """The first error that the compiler finds in `text`, read as the file at `path`; None: it takes it.

    The text goes through stdin, so that nothing is written beside the user's file.  Where there is no
    compiler, nobody says anything.
    """
    if find_compiler(options) is None:
        return None
    name = str(path).replace("\\", "\\\\").replace('"', '\\"')
    text = text.removeprefix(_BYTE_ORDER_MARK)  # which compilers take at the beginning only
    source = f'# 1 "{name}"\n{text}'.encode("utf-8", "surrogateescape")
    command = [*_command(path, options), *flags, "-"]
    try:
        result = run_compiler(command, source, _TIME_LIMIT)
    except TimeoutError:
        message = f"`{command[0]}` did not end within {_TIME_LIMIT:.0f} seconds"
        return _error(message, Position(str(path), 1, 1))
    if result.status == 0:
        return None
    messages = result.errors.decode("utf-8", "replace")
    found = _ERROR.search(messages)
    if found is None:
        return _error(" ".join(messages.split()) or f"{command[0]} failed", Position(str(path), 1, 1))
    file, line, column, message = found.groups()
    return _error(message, Position(file, int(line), int(column or 1)))


def openmp_error(path: Path, annotated: str, plain: str, options: PreprocessOptions) -> Diagnostic | None:
    """Why the compiler refuses `annotated`, the text for `path`, if it does; `plain` has no pragmas."""
    error = None if annotated == plain else first_error(path, annotated, options, "-fopenmp")
    if error is None:
        return None
    blamed = "the compiler refuses the pragmas"
    if first_error(path, plain, options, "-fopenmp"):
        blamed = "the file does not compile even without pragmas"
    message = f"{blamed}, it is left as it is: {error.message} (line {error.position.line} with pragmas)"
    return Diagnostic("error", "", message, Position(str(path), 1, 1))


def _error(message: str, position: Position) -> Diagnostic:
    return Diagnostic("error", "CV002", message, position)


def _command(path: Path, options: PreprocessOptions) -> list[str]:
    standard = [f"-std={options.std}"] if options.std else []
    folder = [f"-iquote{path.parent}"]
    return [
        *(find_compiler(options) or ()),
        *standard,
        *options.spelt(),
        *folder,
        "-w",
        "-fsyntax-only",
        "-x",
        "c",
    ]
