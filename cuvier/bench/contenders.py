"""Who takes part in a race: compilers that get the original, other versions of it, and Cuvier's program."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome, run
from cuvier.verification.toolchain import BUILD_TIMEOUT, Toolchain, check_built
from species.core.command_lines import words_of

FLAGS = ("-O3", "-march=native")
LIBRARIES = ("-lm",)
CUVIER = "cuvier"
POLLY = ("-mllvm", "-polly", "-mllvm", "-polly-parallel", "-lgomp")
_OPENMP = "-fopenmp"
_LIBRARIES = re.compile(r"^LDLIBS = (.*)$", re.M)


class NotBuilt(Exception):
    """A contender has nothing to run; the message says why."""


@dataclass(frozen=True)
class Contender:
    """`build` writes into a folder of its own, which exists, and gives the executable; raises NotBuilt."""

    key: str
    title: str
    build: Callable[[Path], Path]


@dataclass(frozen=True)
class Workshop:
    """What all contenders are built with; `openmp` is the flag for directives that the original has."""

    source: Path
    toolchain: Toolchain
    flags: tuple[str, ...] = FLAGS
    linked: tuple[str, ...] = ()  # objects, and words for the linker
    openmp: tuple[str, ...] = ()

    def compiled(self, compiler: Sequence[str], source: Path, folder: Path, *more: str) -> Path:
        """Compile and link one source."""
        executable, beside = folder / self.source.stem, ("-iquote", str(self.source.resolve().parent))
        words = (*compiler, "-w", *self.flags, *self.openmp, *self.toolchain.language, *beside)
        what: tuple[str | Path, ...] = (
            "-x",
            "c",
            source.resolve(),
            "-x",
            "none",
            *self.linked,
            *LIBRARIES,
            *more,
        )
        built((*words, *what, "-o", executable))
        return executable

    def made(self, folder: Path) -> Path:
        """Build what stands in a folder by its Makefile."""
        libraries = _LIBRARIES.search((folder / "Makefile").read_text(encoding="utf-8", errors="replace"))
        words = [shlex.quote(word).replace("$", "$$") for word in self.linked]
        words += [libraries[1]] if libraries else []
        settings = [f"CC={shlex.join(self.toolchain.cc)}", f"LDLIBS={' '.join(words)}"]
        settings += [f"CFLAGS={shlex.join(self.flags)}"] if self.flags != FLAGS else []
        built(("make", "-s", "-C", folder, *settings))
        return folder / self.source.stem


def built(command: Sequence[str | Path]) -> None:
    """Run a step of a build; NotBuilt with the first line of complaint where it fails."""
    try:
        outcome = run(command, Path.cwd(), BUILD_TIMEOUT)
    except OSError as error:
        raise NotBuilt(f"{command[0]}: {error.strerror}") from error
    if outcome.timed_out or outcome.status:
        raise NotBuilt(_first_error(outcome) or outcome.ending)


def _first_error(outcome: Outcome) -> str:
    lines = [line.strip() for line in outcome.stderr.decode(errors="replace").splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"error|undefined", line, re.I)), "".join(lines[:1]))


def objects(
    words: Sequence[str], toolchain: Toolchain, flags: Sequence[str], folder: Path
) -> tuple[str, ...]:
    """What to link: C sources are compiled, other files and words for the linker stay.  UserError."""
    found = []
    for number, word in enumerate(words):
        path = Path(word)
        if word.startswith("-"):
            found.append(word)
        elif not path.is_file():
            raise UserError(f"--link {word}: there is no such file (words for the linker begin with -)")
        elif path.suffix != ".c":
            found.append(str(path.resolve()))
        else:
            target = folder / f"{number}.o"  # whatever its name is, to make and its shell
            source = str(path.resolve())
            command = (*toolchain.cc, "-w", *flags, *toolchain.language, "-c", source, "-o", str(target))
            check_built(run(command, Path.cwd(), BUILD_TIMEOUT), word, "see -I, -D, --std and --cc")
            found.append(str(target))
    return tuple(found)


def default_names() -> tuple[str, ...]:
    """The compilers that are there."""
    clang = find_clang()
    found = ["gcc"] if shutil.which("gcc") else []
    if clang is not None:
        found += ["clang", "polly"] if has_polly(clang) else ["clang"]
    return tuple(found) or ("cc",)


def named(name: str, shop: Workshop) -> Contender:
    """`gcc`, `clang`, `polly`, another compiler's command, or a C file.  UserError for what is none."""
    clang = find_clang()
    if name in ("clang", "polly"):
        if clang is None or (name == "polly" and not has_polly(clang)):
            raise UserError(f"--against {name}: there is no {name}; apt-get install clang has both on Debian")
        more = POLLY if name == "polly" else ()
        return _compiler(shop, name, f"Polly ({clang})" if more else _told(clang, shop), (clang, *more))
    if name.endswith(".c"):
        return version(shop, name, name, Path(name))
    command = tuple(words_of(name))
    if not command or not shutil.which(command[0]):
        raise UserError(f"--against {name}: no such compiler; name gcc, clang, polly, a command or a C file")
    return _compiler(shop, name, _told(name, shop), command)


def version(shop: Workshop, key: str, title: str, source: Path) -> Contender:
    """Another version of the program, with its own directives."""
    if not source.is_file():
        raise UserError(f"{source}: there is no such file")
    more = () if _OPENMP in shop.openmp else (_OPENMP,)
    return Contender(key, title, lambda folder: shop.compiled(shop.toolchain.cc, source, folder, *more))


def _compiler(shop: Workshop, key: str, title: str, command: tuple[str, ...]) -> Contender:
    def build(folder: Path) -> Path:
        return shop.compiled(command[:1], shop.source, folder, *command[1:])

    return Contender(key, title, build)


def _told(compiler: str, shop: Workshop) -> str:
    return f"{compiler} {shop.flags[0] if shop.flags else ''}".rstrip()


def find_clang() -> str | None:
    """clang, or the newest clang-N."""
    names = ("clang", *(f"clang-{number}" for number in range(40, 10, -1)))
    return next((name for name in names if shutil.which(name)), None)


def has_polly(clang: str) -> bool:
    command = (clang, "-O3", "-mllvm", "-polly", "-x", "c", "-c", "/dev/null", "-o", "/dev/null")
    return run(command, Path.cwd(), BUILD_TIMEOUT).status == 0
