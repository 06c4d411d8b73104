"""Running the C compiler's preprocessor, or one in Python."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass

from species.core.command_lines import words_of
from species.core.positions import Diagnostic, Position, Span
from species.source.preprocess.compiler import run_compiler
from species.source.preprocess.placeholders import MISSING_HEADER, Placeholders
from species.source.text.edits import Edit, apply_edits
from species.source.text.files import SourceError, SourceFile
from species.source.text.tokens import Token, tokens_of

_OVERFLOW = {
    **dict.fromkeys(("-fwrapv", "-ftrapv", "-fno-strict-overflow"), True),
    **dict.fromkeys(("-fno-wrapv", "-fno-trapv", "-fstrict-overflow"), False),
}
NO_COMPILER = "none"  # as the name of a compiler
_TIME_LIMIT = 120.0  # seconds; a preprocessor that needs longer hangs
_LINE_DIRECTIVE = re.compile(r"(?:#|%:)(?:\s|\\\r?\n|/\*.*?\*/)*(?:line\b|[0-9])", re.DOTALL)
_MESSAGE = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class PreprocessOptions:
    """What the preprocessor is told; `defines` are "NAME" or "NAME=VALUE".

    `cc` is a command line; None takes $CC, else the first of cc, gcc and clang on the PATH.  Where there is
    none, and with "none", a preprocessor in Python reads headers of ours.  `flags` are
    other flags of the compiler, in its own words and in their order; `include_dirs` are searched before the
    folders that these name, and `defines` have the last word.  With `forgiving`, headers that are not found
    are taken to be empty.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    cc: str | None = None
    std: str | None = None
    flags: tuple[str, ...] = ()
    forgiving: bool = False

    @property
    def wraps_around(self) -> bool:
        """Does a flag make signed numbers wrap around, or trap?"""
        said = [flag for flag in self.flags if flag in _OVERFLOW]
        return bool(said) and _OVERFLOW[said[-1]]

    def absolute_flags(self) -> tuple[str, ...]:
        """The flags for a compiler that runs in another folder."""
        before = ("", *self.flags)
        return tuple(_placed(word, last) for last, word in zip(before, self.flags, strict=False))

    def spelt(self) -> list[str]:
        """The folders, flags and macros as arguments of a compiler."""
        folders = [f"-I{folder}" for folder in self.include_dirs]
        return [*folders, *self.flags, *(f"-D{define}" for define in self.defines)]


def _placed(word: str, before: str) -> str:
    """A flag, or what belongs to the one `before` it, with an absolute path."""
    if before in ("-include", "-imacros"):
        return os.path.abspath(word) if os.path.exists(word) else word
    option = next((o for o in ("-isystem", "-iquote", "-idirafter", "-I") if word.startswith(o)), None)
    return option + os.path.abspath(word.removeprefix(option)) if option else word


def preprocess(source: SourceFile, options: PreprocessOptions, on_disk: bool = True) -> str:
    """The output of `$CC -E -dD`, with line markers; raises SourceError (CV004) where it fails.

    A text that is not the one on disk goes through stdin.

    `#line` directives are hidden from the preprocessor, so that the markers speak of this file.  Headers that
    are not found, if that is forgiven, have names that begin with `MISSING`.
    """
    if not options.forgiving:
        return _preprocessed(source, options, on_disk)
    more: list[str] = []
    with Placeholders() as placeholders:
        while True:
            try:
                return placeholders.named(_preprocessed(source, options, on_disk, *more))
            except _RefusedError as refused:
                if not placeholders.add(refused.errors):
                    if placeholders.names and not refused.is_fatal:  # say, `#error` for want of a macro
                        return placeholders.named(refused.output)
                    raise
                more = ["-idirafter", placeholders.folder]


def _preprocessed(source: SourceFile, options: PreprocessOptions, on_disk: bool, *more: str) -> str:
    compiler = find_compiler(options)
    if compiler is None:
        return _purely(source, options.std, [*options.spelt(), *more])
    command = [*compiler, *_flags(options), *more]
    if not on_disk or _has_line_directives(source.text):
        folder = os.path.dirname(source.path) or "."
        return _run(source, [*command, f"-iquote{folder}", "-"], _without_line_directives(source))
    return _run(source, [*command, plain_path(source.path)], None)


def _purely(source: SourceFile, std: str | None, arguments: list[str]) -> str:
    from species.source.preprocess.pure import FatalError, preprocess_purely

    try:
        output, errors = preprocess_purely(source.path, source.text, std, arguments)
    except FatalError as error:
        raise _refused(source, str(error), "") from None
    if errors:
        raise _refused(source, errors, output)
    return output


def plain_path(path: str) -> str:
    """`path` as the compiler is given it: never like an option, nor like a file of options (`@file`)."""
    return f"./{path}" if path.startswith(("-", "@")) else path


def _has_line_directives(text: str) -> bool:
    return _LINE_DIRECTIVE.search(text) is not None and bool(_line_directives(text))


def _line_directives(text: str) -> list[Token]:
    """Those that say which line it is; what looks like one in a literal or in a comment is none."""
    found = (token for token in tokens_of(text) if token.kind == "directive")
    return [token for token in found if _LINE_DIRECTIVE.match(token.text)]


def _without_line_directives(source: SourceFile) -> bytes:
    """The text with as many lines."""
    spans = ((Span(t.start, t.end), "\n" * t.text.count("\n")) for t in _line_directives(source.text))
    text = apply_edits(source.text, [Edit(span, lines) for span, lines in spans])
    return text.encode("utf-8", "surrogateescape")


def find_compiler(options: PreprocessOptions) -> list[str] | None:
    """The compiler's command line; None where there is no compiler, or none is wanted."""
    chosen = options.cc or os.environ.get("CC")
    if chosen == NO_COMPILER:
        return None
    if chosen:
        return words_of(chosen)
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), None)


def _flags(options: PreprocessOptions) -> list[str]:
    # C11 by default: what pycparser reads, and every compiler since 2013 knows the flag
    return [
        *("-E", "-dD", "-w", f"-std={options.std or 'gnu11'}", "-x", "c"),
        *options.spelt(),
    ]


def _run(source: SourceFile, command: list[str], data: bytes | None) -> str:
    here = Position(source.path, 1, 1)
    try:
        done = run_compiler(command, data, _TIME_LIMIT)
    except TimeoutError:
        why = f"`{command[0]} -E` did not end within {_TIME_LIMIT:.0f} seconds; does it read a pipe?"
        raise EndlessError(_failed(here, why).diagnostic) from None
    except (OSError, ValueError) as error:
        hint = "install gcc or name a compiler with --cc"
        raise _failed(here, f"`{command[0]}` cannot be run ({error}); {hint}") from None
    output = done.output.decode("utf-8", "surrogateescape")
    if done.status != 0:
        errors = done.errors.decode("utf-8", "replace").strip()
        raise _refused(source, errors, output)
    return output


class EndlessError(SourceError):
    """The preprocessor did not come to an end: it will not do so the next time either."""


class _RefusedError(SourceError):
    """The preprocessor's `errors`, and its `output` all the same."""

    def __init__(self, diagnostic: Diagnostic, errors: str, output: str) -> None:
        super().__init__(diagnostic)
        self.errors = errors
        self.output = output

    @property
    def is_fatal(self) -> bool:
        """Did it stop in the middle?"""
        return "fatal error: " in self.errors or not self.output.strip()


def _refused(source: SourceFile, errors: str, output: str) -> _RefusedError:
    return _RefusedError(_compiler_failed(source, errors).diagnostic, errors, output)


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
    missing = MISSING_HEADER.search(message)
    if missing:
        return f"name the folder of {missing[1] or missing[2]} with -I DIR"
    if message.startswith("#error"):
        return "a -D NAME or -D NAME=VALUE that the build sets is likely missing"
    return "check the -I, -D and --std flags against the project's own build"


def _failed(position: Position, message: str) -> SourceError:
    return SourceError(Diagnostic("error", "CV004", message, position))
