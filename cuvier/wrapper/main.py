"""The command line of `cuvier cc`: options of ours come first; from the first other one on, all is the
compiler's.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence

from cuvier.base.exits import Exit
from cuvier.wrapper.wrap import Settings, wrap
from species.core.command_lines import words_of

HELP = """\
Usage: cuvier cc [OPTIONS] [COMPILER] ARGUMENTS...

  A C compiler for builds: loops that are worth it run on threads (OpenMP).

  Each command is given to the compiler first, as it is: messages, dependency files and exit statuses are
  the compiler's.  Then each C file is analysed; where loops of it are worth threads, the object file is
  replaced.  What cannot be improved stays as the compiler made it.  When a program is linked, a line on
  stderr says how many loops run on threads.

Options (before all others):
  --target openmp   The only target of this command; `cuvier compile` has others.
  --strict-fp       Compute every sum in the order of the source.
  --log FILE        Append a line of JSON for every file: what became of it, and why [$CUVIER_CC_LOG].
  --limit SECONDS   Leave a file as it is whose analysis takes longer [120].
  -h, --help        Show this text.

COMPILER is a name like `gcc-12` or `/usr/bin/clang`, as CMake gives it to launchers; without one, it is
$CUVIER_CC, else cc, gcc or clang.  `cuvier cc --version` and the like are answered by it.  Where one word
is needed, `cuvier-cc` is the same as `cuvier cc`.

Examples:
  make CC="cuvier cc"
  ./configure CC="cuvier cc --log $PWD/cuvier.log"
  cmake -B build -DCMAKE_C_COMPILER_LAUNCHER="cuvier;cc" -DCMAKE_C_LINKER_LAUNCHER="cuvier;cc"
  cuvier cc -O2 app.c -o app -lm

Exit status: the compiler's; 2 for bad options of ours.
"""
_COMPILERS = ("cc", "gcc", "clang")
_COMPILER = re.compile(r"([\w.]+-)*(cc|gcc|clang|icx)(-[\d.]+)?")


def main(arguments: Sequence[str]) -> int:
    """Carry out `cuvier cc` with these arguments."""
    rest = list(arguments)
    log, limit, strict_fp = os.environ.get("CUVIER_CC_LOG", ""), 120.0, False
    while rest:
        name, equals, value = rest[0].partition("=")
        if name in ("-h", "--help"):
            print(HELP, end="")
            return Exit.OK
        if name == "--strict-fp":
            strict_fp = True
        elif name in ("--target", "--log", "--limit") and (equals or len(rest) > 1):
            value = value if equals else rest.pop(1)
            if name == "--target" and value != "openmp":
                if equals:  # clang has an option of this name
                    break
                return _refused(
                    f"--target {value}: this command is for openmp; `cuvier compile` has other targets"
                )
            if name == "--log":
                log = value
            if name == "--limit":
                if not value.replace(".", "", 1).isdigit():
                    return _refused(f"--limit {value}: not a number of seconds")
                limit = float(value)
        else:
            break
        del rest[0]
    if rest and _COMPILER.fullmatch(os.path.basename(rest[0])) and shutil.which(rest[0]):
        compiler = rest.pop(0)
    else:
        compiler, *before = _default()
        rest = [*before, *rest]
    if not compiler:
        return _refused(
            "there is no C compiler here; install gcc (apt-get install gcc), or name one in $CUVIER_CC"
        )
    if not shutil.which(compiler):
        return _refused(f"there is no compiler {compiler!r} here; $CUVIER_CC names it")
    return wrap(compiler, rest, Settings(strict_fp, os.path.abspath(log) if log else "", limit))


def _default() -> list[str]:
    """The compiler that stands in for `cc`, with arguments that belong to its name."""
    named = words_of(os.environ.get("CUVIER_CC", ""))
    return named or [next((name for name in _COMPILERS if shutil.which(name)), "")]


def _refused(message: str) -> int:
    print(f"cuvier: error: {message}", file=sys.stderr)
    return Exit.INPUT
