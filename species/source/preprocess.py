"""Running the C compiler's preprocessor."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass

from species.positions import Diagnostic, Position
from species.source.files import SourceError, SourceFile

_TIME_LIMIT = 120.0  # seconds; a preprocessor that needs longer hangs
_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|[0-9])[^\n]*", re.MULTILINE)
_MESSAGE = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.MULTILINE)
_MISSING_HEADER = re.compile(r"([^\s:'\"]+): No such file or directory|'([^']+)' file not found")


@dataclass(frozen=True)
class PreprocessOptions:
    """What the preprocessor is told; `defines` are "NAME" or "NAME=VALUE".

    `cc` is a command line; None takes $CC, else the first of cc, gcc and clang on the PATH.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    cc: str | None = None
    std: str | None = None


def preprocess(source: SourceFile, options: PreprocessOptions, on_disk: bool = True) -> str:
    """The output of `$CC -E -dD`, with line markers; raises SourceError (CV004) where it fails.

    A text that is not the one on disk goes through stdin.

    `#line` directives are hidden from the preprocessor, so that the markers speak of this file.
    """
    command = [*_compiler(source, options), *_flags(options)]
    if not on_disk or _LINE_DIRECTIVE.search(source.text):
        folder = os.path.dirname(source.path) or "."
        return _run(source, [*command, f"-iquote{folder}", "-"], _without_line_directives(source))
    return _run(source, [*command, plain_path(source.path)], None)


def plain_path(path: str) -> str:
    """`path` as the compiler is given it: never like an option."""
    return f"./{path}" if path.startswith("-") else path


def _without_line_directives(source: SourceFile) -> bytes:
    return _LINE_DIRECTIVE.sub("", source.text).encode("utf-8", "surrogateescape")


def find_compiler(options: PreprocessOptions) -> list[str] | None:
    """The compiler's command line; None where there is no compiler."""
    chosen = options.cc or os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), None)


def _compiler(source: SourceFile, options: PreprocessOptions) -> list[str]:
    command = find_compiler(options)
    if command is None:
        raise _failed(Position(source.path, 1, 1), "no C compiler found; install gcc or name one with --cc")
    return command


def _flags(options: PreprocessOptions) -> list[str]:
    # C11 by default: what pycparser reads, and every compiler since 2013 knows the flag
    return [
        *("-E", "-dD", "-w", f"-std={options.std or 'gnu11'}", "-x", "c"),
        *(f"-I{folder}" for folder in options.include_dirs),
        *(f"-D{define}" for define in options.defines),
    ]


def _run(source: SourceFile, command: list[str], data: bytes | None) -> str:
    here = Position(source.path, 1, 1)
    try:
        done = subprocess.run(
            command,
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            timeout=_TIME_LIMIT,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired:
        raise _failed(here, f"`{command[0]} -E` did not end within {_TIME_LIMIT:.0f} seconds") from None
    except (OSError, ValueError) as error:
        hint = "install gcc or name a compiler with --cc"
        raise _failed(here, f"`{command[0]}` cannot be run ({error}); {hint}") from None
    if done.returncode != 0:
        raise _compiler_failed(source, done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "surrogateescape")


def _compiler_failed(source: SourceFile, errors: str) -> SourceError:
    match = _MESSAGE.search(errors)
    if match is None:
        lines = "; ".join(line.strip() for line in errors.splitlines()[:3]) or "no message"
        return _failed(Position(source.path, 1, 1), f"the preprocessor failed: {lines}")
    file, line, column, message = match.groups()
    name = source.path if file in ("<stdin>", plain_path(source.path)) else file
    others = len(_MESSAGE.findall(errors)) - 1
    more = f" (and {others} more)" if others else ""
    return _failed(Position(name, int(line), int(column or 1)), f"{message}{more}; {_way_out(message)}")


def _way_out(message: str) -> str:
    missing = _MISSING_HEADER.search(message)
    if missing:
        return f"name the folder of {missing[1] or missing[2]} with -I DIR"
    if message.startswith("#error"):
        return "a -D NAME or -D NAME=VALUE that the build sets is likely missing"
    return "check the -I, -D and --std flags against the project's own build"


def _failed(position: Position, message: str) -> SourceError:
    return SourceError(Diagnostic("error", "CV004", message, position))
