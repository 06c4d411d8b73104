"""A compiler's command, as far as a wrapper has to understand it: what it does, to what, and where to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath

from cuvier.batch.flags import WITH_VALUE

# Under these, a command leaves behind what an object file of another text does not fit.
_OTHER = re.compile(
    r"-(E|S|M|MM|r|###|fsyntax-only|gsplit-dwarf|-?coverage|ftest-coverage|analyze"
    r"|(save-temps|fprofile-|emit-|print-|dump|flto|fdump-|foffload|fsanitize=|fopt-info|Wa,-M|Wa,-a).*)|@.*|-"
)
_UNLINKED = frozenset(("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-###"))
_MAPS = ("-ffile-prefix-map=", "-fmacro-prefix-map=")
_DEPENDENCIES = frozenset(("-MD", "-MMD", "-MP", "-MG", "-MF", "-MT", "-MQ", "-MJ"))
_JOINED = ("-o", "-x", "-MF", "-MT", "-MQ")  # their value may be in the same word
_LINKED = re.compile(r".*\.(o|lo|a|so(\.\d+)*)")


class Kind(Enum):
    """What a command does."""

    COMPILE = "compile"  # one source becomes an object file
    LINK = "link"  # objects, and perhaps sources, become a program or a shared library
    OTHER = "other"  # the wrapper has no part in it


@dataclass(frozen=True)
class Word:
    """An option with its value, or an input: the arguments that say it."""

    option: str  # "" for an input
    value: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class Invocation:
    """A compiler and what it is told; `output` is the file that it writes."""

    compiler: str
    words: tuple[Word, ...]
    kind: Kind
    output: str

    @property
    def arguments(self) -> list[str]:
        """What the compiler was told, as it was told."""
        return [part for word in self.words for part in word.said]

    @property
    def sources(self) -> list[str]:
        """The C files among the inputs."""
        return [word.value for word in self.words if _is_source(word)]

    @property
    def linked(self) -> list[str]:
        """The object files and libraries among the inputs, those among them that `-L` and `-l` name."""
        named = [word.value for word in self.words if not word.option and not _is_source(word)]
        folders = [_value(word) for word in self.words if word.option.startswith("-L")]
        libraries = [_value(word) for word in self.words if word.option.startswith("-l")]
        found = (os.path.join(f, f"lib{name}.a") for name in libraries for f in folders)
        return [*named, *filter(os.path.isfile, found)]

    def has(self, *options: str) -> bool:
        """Was one of the options given?"""
        return any(word.option in options for word in self.words)

    @property
    def links(self) -> bool:
        """Does the command make a program or a library, as far as can be told?"""
        return not self.has(*_UNLINKED) and any(not w.option or w.option.startswith("@") for w in self.words)

    def name_of(self, folder: str) -> str:
        """What `__FILE__` calls a folder: `-ffile-prefix-map=OLD=NEW` tells, and the last one counts."""
        for word in reversed(self.words):
            option = next((o for o in _MAPS if word.option.startswith(o)), None)
            old, _, new = word.option.removeprefix(option or "").partition("=")
            if option and folder.startswith(old):
                return new + folder.removeprefix(old)
        return folder

    def variant(self, sources: Mapping[str, str], output: str, more: Sequence[str]) -> list[str]:
        """The command for other sources and another output, with more options; it notes no dependencies."""
        command = [self.compiler, *more]
        for word in self.words:
            if _is_source(word):
                command.append(sources.get(word.value, word.value))
            elif word.option not in (*_DEPENDENCIES, "-o") and not word.option.startswith("-Wp,-M"):
                command += word.said
        return [*command, "-o", output]


def _value(word: Word) -> str:
    return word.value or word.option[2:]


def _is_source(word: Word) -> bool:
    return not word.option and word.value.endswith(".c")


def read_invocation(compiler: str, arguments: Sequence[str]) -> Invocation:
    """Understands a command; it is of kind OTHER where that cannot be done."""
    words = tuple(_words(arguments))
    last = {word.option: word.value for word in words if word.option}
    inputs = [word.value for word in words if not word.option]
    sources = [each for each in inputs if each.endswith(".c")]
    kind = Kind.LINK if "-c" not in last else Kind.COMPILE
    known = all(each.endswith(".c") or _LINKED.fullmatch(each) for each in inputs)
    if not inputs or not known or last.get("-x", "c") not in ("c", "none") or any(map(_is_other, words)):
        kind = Kind.OTHER
    if kind is Kind.COMPILE and len(inputs) != 1:
        kind = Kind.OTHER
    output = last.get("-o") or (f"{PurePath(sources[0]).stem}.o" if kind is Kind.COMPILE else "a.out")
    return Invocation(compiler, words, Kind.OTHER if output in ("-", "/dev/null") else kind, output)


def _is_other(word: Word) -> bool:
    return bool(word.option) and bool(_OTHER.fullmatch(word.option))


def _words(arguments: Sequence[str]) -> Iterator[Word]:
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        joined = next((option for option in _JOINED if word.startswith(option) and word != option), None)
        if joined is not None:
            yield Word(joined, word.removeprefix(joined), (word,))
        elif word in WITH_VALUE and rest:
            yield Word(word, rest[0], (word, rest.pop(0)))
        elif word.startswith(("-", "@")):
            yield Word(word, "", (word,))
        else:
            yield Word("", word, (word,))
