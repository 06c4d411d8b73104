"""Which arguments of a compiler's command say how a C file is read.

What decides the text (folders, macros, files that are included first, the standard, the machine) and the
rules that the program counts on (overflow, aliasing) is kept, in its order.  The rest is dropped: what is
linked, written, warned of or optimised.  `-O` is dropped as well: to the text it only says which variants of
their functions the system's headers define.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from species.source.preprocess.run import plain_path

_LAUNCHERS = {"ccache", "sccache", "distcc", "icecc", "gomacc", "env", "nice", "time"}
_CPP_DRIVER = re.compile(r"(\+\+|^nvcc|^hipcc|gfortran|flang|^nasm|^yasm|^as$)")
_C_SUFFIXES = {".c", ".i", ".h", ".inc"}

# Options of gcc and clang whose argument is the next one, or is written right after them.
_FOLDERS = (
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "-iprefix",
    "-iframework",
    "-I",
    "-F",
)
_FIRST = ("-include", "-imacros")
_MACROS = ("-D", "-U")
_DROPPED_PAIRS = (
    *("-o", "-MF", "-MT", "-MQ", "-MJ", "-L", "-l", "-T", "-u", "-z", "-e", "-B", "-G", "-A"),
    *("-Xclang", "-Xassembler", "-Xlinker", "-mllvm", "-include-pch", "-aux-info", "-framework"),
    *("-dumpbase", "-dumpbase-ext", "-dumpdir", "--param", "-wrapper", "-iwithprefix", "-iwithprefixbefore"),
)
_OF_THE_MACHINE = ("-arch", "-target")  # with an argument
# Options whose value is the next argument.
WITH_VALUE = frozenset((*_FOLDERS, *_FIRST, *_MACROS, *_DROPPED_PAIRS, *_OF_THE_MACHINE, "-x"))
_MACHINE = re.compile(  # others; what takes a value, and is not named here, might be a way to run something
    r"-m(no-)?[a-z0-9][a-z0-9.-]*"
    r"|-m(arch|cpu|tune|abi|fpu|fpmath|float-abi|cmodel|code-model|tls-dialect|isa-spec|prefer-vector-width"
    r"|branch-protection|stack-alignment|preferred-stack-boundary|sve-vector-bits|rvv-vector-bits"
    r"|memcpy-strategy|memset-strategy|recip|veclibabi)=[\w.,:+!-]+"
    r"|--target=[\w.+-]+"
)
_KEPT = re.compile(
    r"-(ansi|undef|trigraphs|nostdinc|pthread|ffast-math|ffinite-math-only|fopenacc|fblocks|fexceptions"
    r"|f(no-)?(openmp(-simd)?|freestanding|hosted|builtin(-\w+)?|wrapv|trapv|strict-overflow|signed-char"
    r"|unsigned-char|short-wchar|ms-extensions|plan9-extensions|gnu89-inline|dollars-in-identifiers"
    r"|digraphs|pic|PIC|pie|PIE)|fopenmp=\S+|finput-charset=\S+)"
)
_TRIPLE = re.compile(r"[\w.+-]+")
_TYPES_CHANGE = {"-fshort-enums": "-fno-short-enums"}  # and what takes it back
_MSVC = {"/I": "-I", "/D": "-D", "/U": "-U", "/FI": "-include"}


@dataclass(frozen=True)
class CompileCommand:
    """How a build compiles a file, as far as it says what the file means.

    `language` is "c", or another name for what is not C; `compiler` is the command's own.  `flags` belong to
    every compiler, `machine` only to the command's own.  `refused`: a flag under which types have other sizes
    than the analysis knows.
    """

    language: str
    compiler: str
    std: str | None = None
    flags: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    strict_aliasing: bool = True
    refused: str = ""


def read_command(
    arguments: Sequence[str], file: str, place: Callable[[str], str], dropped: frozenset[str] = frozenset()
) -> CompileCommand:
    """What a command, without response files, says of `file`; `place` gives the path of a relative name.

    Flags in `dropped` count as if they were not there.
    """
    words = [word for word in without_launchers(arguments) if word not in dropped]
    compiler, rest = (words[0], words[1:]) if words else ("cc", [])
    if PurePath(compiler.replace("\\", "/")).stem.lower() in ("cl", "clang-cl"):
        rest = list(_from_msvc(rest))
    said = _Reader(place)
    said.read(list(_unwrapped(rest)), file)
    return CompileCommand(
        language=said.language or _language(compiler, file),
        compiler=compiler,
        std=said.std,
        flags=tuple(said.flags),
        machine=tuple(said.machine),
        strict_aliasing=said.strict_aliasing,
        refused=said.refused,
    )


@dataclass
class _Reader:
    """Goes through the arguments once; the last word on a thing counts."""

    place: Callable[[str], str]

    def __post_init__(self) -> None:
        self.language, self.refused, self.strict_aliasing = "", "", True
        self.std: str | None = None
        self.flags: list[str] = []
        self.machine: list[str] = []

    def read(self, words: list[str], file: str) -> None:
        while words:
            word = words.pop(0)
            if word == file:
                continue
            if not (self._paired(word, words) or self._joined(word)):
                self._single(word)

    def _paired(self, word: str, words: list[str]) -> bool:
        """An option and its argument, apart."""
        if word in _DROPPED_PAIRS or not words:
            del words[:1]
            return word in _DROPPED_PAIRS
        if word == "-x":
            self.language = {"c-header": "c", "cpp-output": "c"}.get(words[0], words.pop(0))
        elif word in _FOLDERS:
            self._folder(word, words.pop(0))
        elif word in _FIRST:
            self.flags += [word, self._first(words.pop(0))]
        elif word in _MACROS:
            self.flags.append(word + words.pop(0))
        elif word in _OF_THE_MACHINE:
            named = words.pop(0)
            self.machine += [word, named] if _TRIPLE.fullmatch(named) else []
        else:
            return False
        return True

    def _joined(self, word: str) -> bool:
        """An option and its argument in one word."""
        for option in _FOLDERS:
            if word.startswith(option) and len(word) > len(option):
                self._folder(option, word[len(option) :].removeprefix("="))
                return True
        if word.startswith("-x") and len(word) > 2:
            self.language = {"c-header": "c", "cpp-output": "c"}.get(word[2:], word[2:])
        elif word.startswith(_MACROS) and len(word) > 2:
            self.flags.append(word)
        else:
            return False
        return True

    def _single(self, word: str) -> None:
        if word.startswith(("-std=", "--std=")):
            self.std = word.partition("=")[2]
        elif word in ("-fno-strict-aliasing", "-fstrict-aliasing"):
            self.strict_aliasing = word == "-fstrict-aliasing"
        elif word in _TYPES_CHANGE:
            self.refused = word
        elif word in _TYPES_CHANGE.values():
            self.refused = ""
        elif _MACHINE.fullmatch(word):
            self.machine.append(word)
        elif _KEPT.fullmatch(word):
            self.flags.append(word)

    def _folder(self, option: str, folder: str) -> None:
        sysroot = option != "--sysroot" and folder.startswith(("=", "$SYSROOT"))
        joined = "=" if option == "--sysroot" else ""
        self.flags.append(option + joined + (folder if sysroot else self.place(folder)))

    def _first(self, name: str) -> str:
        """A file that is included first: looked for where the compiler runs, then like other headers."""
        return plain_path(placed if os.path.exists(placed := self.place(name)) else name)


def without_launchers(arguments: Sequence[str]) -> Sequence[str]:
    """The command from the compiler's name on."""
    for at, word in enumerate(arguments):
        if Path(word).name not in _LAUNCHERS and ("=" not in word or word.startswith("-")):
            return arguments[at:]
    return arguments


def _language(compiler: str, file: str) -> str:
    suffix = PurePath(file).suffix
    if suffix not in _C_SUFFIXES:
        return "assembler" if suffix in (".s", ".S", ".asm") else f"what {suffix or 'no suffix'} stands for"
    return "c++" if _CPP_DRIVER.search(PurePath(compiler).name) else "c"


def _unwrapped(words: Sequence[str]) -> Iterator[str]:
    """`-Wp,-DA,-MD,x` and `-Xpreprocessor -DA` are what they hand on."""
    for word in words:
        if word.startswith("-Wp,"):
            handed = word.split(",")[1:]
            # -MD and -MMD have a file here, which they have not in a command
            yield from (h for at, h in enumerate(handed) if at == 0 or handed[at - 1] not in ("-MD", "-MMD"))
        elif word != "-Xpreprocessor":
            yield word


def _from_msvc(words: Sequence[str]) -> Iterator[str]:
    """The arguments of cl in the words of gcc."""
    for word in words:
        if word in ("/TP", "-TP"):
            yield "-xc++"
        elif word.startswith(("/std:", "-std:")) and word[5:] in ("c11", "c17"):
            yield f"-std={word[5:]}"
        else:
            option = next((o for o in ("/FI", "/I", "/D", "/U") if word.startswith(o)), None)
            if option is None:
                yield from () if word.startswith("/") and not os.path.exists(word) else (word,)
            else:
                yield _MSVC[option]
                yield from (word[len(option) :],) if len(word) > len(option) else ()
