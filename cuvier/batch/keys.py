"""What a result depends on, and whether it is as it was."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath

from cuvier.base.files import read_text
from cuvier.base.version import __version__
from cuvier.batch.cache import Inputs
from cuvier.batch.job import Job, digest
from cuvier.pipeline.driver import Way
from species.source import PreprocessOptions, find_compiler
from species.source.preprocess.placeholders import MISSING

_MARKER = re.compile(r'^# \d+ "((?:[^"\\]|\\.)*)"((?: \d)*)', re.MULTILINE)
_SEARCHED = re.compile(r"<\.\.\.> search starts here:\n(.*?)\n\S", re.DOTALL)
_FOLDER = re.compile(r"-(?:isystem|iquote|idirafter|I|F)(.+)")
_PRODUCTS = (".o", ".d", ".lo", ".la", ".a", ".so", ".gcda", ".gcno")
_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT")
_PACKAGES = ("species", "skeletons", "transfers", "models", "cuvier")
_LIBRARIES = ("pycparser", "islpy", "lark")


def job_key(job: Job, source: str) -> str:
    """The key of a job's inputs; `source` is the digest of its file."""
    surroundings = [os.environ.get(name, "") for name in _ENVIRONMENT]
    return digest(own_digest(), _compiler(job.preprocess), repr(surroundings), repr(job), source)


def result_key(job: Job, source: str, ways: Sequence[Way]) -> str:
    """The name of a result: of its job, the texts that the preprocessor gives, and the user's files."""
    texts = [way.preprocessed or "" for way in ways]
    inputs = sorted({each for text in texts for each in user_files(job, text)})
    return digest(job_key(job, source), repr(inputs), *texts)


@cache
def own_digest() -> str:
    """Names this Cuvier, its sources included, and the libraries that results depend on."""
    root = Path(__file__).parent.parent.parent
    sources = sorted(p for name in _PACKAGES for p in (root / name).rglob("*") if _is_source(p))
    parts = [part for path in sources for part in (str(path.relative_to(root)), path.read_bytes())]
    return digest(__version__, sys.version, *map(_version, _LIBRARIES), *parts)


def _is_source(path: Path) -> bool:
    return path.suffix in (".py", ".yaml", ".lark", ".h") and path.is_file()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _compiler(options: PreprocessOptions) -> str:
    command = find_compiler(options)
    return _identity(tuple(command)) if command else ""


@cache
def _identity(command: tuple[str, ...]) -> str:
    """Names a compiler: its place, size and what it says of itself."""
    place = shutil.which(command[0])
    if place is None:
        return repr(command)
    told = subprocess.run([place, "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return digest(repr(command), place, str(os.stat(place).st_size), told.stdout)


def settled(paths: Iterable[str], since: float) -> bool:
    """Has none of the files changed between the time `since` and now?"""
    now = time.time()
    return not any(since <= changed <= now for changed in map(_changed, paths))


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


class Looked:
    """What files and folders hold, each looked at once in a run."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def file(self, path: str) -> str:
        """The digest of a regular file; empty where there is none, and for pipes and devices."""
        if path not in self._files:
            try:
                self._files[path] = digest(read_text(Path(path)))
            except (OSError, ValueError):
                self._files[path] = ""
        return self._files[path]

    def folder(self, path: str) -> str:
        """The digest of a folder's names, products of builds apart; empty where there is none."""
        if path not in self._folders:
            try:
                names = sorted(name for name in os.listdir(path) if not name.endswith(_PRODUCTS))
                self._folders[path] = digest(repr(names))
            except (OSError, ValueError):
                self._folders[path] = ""
        return self._folders[path]

    def unchanged(self, inputs: Inputs) -> bool:
        """Is everything as it was?"""
        return all(self.file(path) == then for path, then in inputs.files.items()) and all(
            self.folder(path) == then for path, then in inputs.folders.items()
        )


def looked_at(path: str, ways: Sequence[Way], result: str) -> Inputs:
    """What the result depends on, besides the file at `path`, in all ways of compiling it.

    These are the files that the preprocessor read, and the names in the folders where it would have found
    another one first: those that are searched, and their subfolders that headers are named by.  Headers that
    it did not find are files that are not there, wherever it would look.
    """
    looked, files, folders = Looked(), dict[str, str](), dict[str, str]()
    for way in ways:
        text = way.preprocessed or ""
        read = [each for each in read_files(text) if each != path]
        searched = dict.fromkeys([os.path.dirname(path) or ".", *_given(way.preprocess)])
        users = dict.fromkeys([*searched, *(os.path.dirname(each) or "." for each in _users(text))])
        below = {PurePath(each).parent.name for each in read} - {""}
        around = [*users, *(os.path.join(folder, name) for folder in searched for name in below)]
        places = [*users, *own_folders(way.preprocess)] if MISSING in text else []
        absent = [os.path.join(folder, name) for name in _missing(text) for folder in places]
        files |= {each: looked.file(each) for each in (*read, *_first(way.preprocess), *absent)}
        folders |= {each: looked.folder(each) for each in around}
    return Inputs(files, folders, result)


def read_files(preprocessed: str) -> list[str]:
    """The files that line markers name, each once."""
    return list(dict.fromkeys(name for name, _ in _marked(preprocessed)))


def _users(preprocessed: str) -> list[str]:
    """Those that are not headers of the system."""
    return list(dict.fromkeys(name for name, flags in _marked(preprocessed) if "3" not in flags))


def user_files(job: Job, preprocessed: str) -> Iterator[tuple[str, str]]:
    """The user's files with digests: results tell of places in their texts, comments and all."""
    looked = Looked()
    yield from ((path, looked.file(path)) for path in _users(preprocessed) if path != job.path)


def _missing(preprocessed: str) -> list[str]:
    """The headers that were not found, as they are named."""
    found = (match[1] for match in _MARKER.finditer(preprocessed) if match[1].startswith(MISSING))
    return [name.removeprefix(MISSING) for name in dict.fromkeys(found)]


def own_folders(options: PreprocessOptions) -> tuple[str, ...]:
    """The folders that a compiler searches by itself; raises OSError where it cannot be run."""
    command = find_compiler(options)
    return _own_places(tuple(command)) if command else ()


@cache
def _own_places(command: tuple[str, ...]) -> tuple[str, ...]:
    told = subprocess.run(
        [*command, "-E", "-v", "-x", "c", "-"], capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    listed = _SEARCHED.search(told.stderr.decode("utf-8", "surrogateescape"))
    return tuple(line.strip() for line in listed[1].splitlines()) if listed else ()


def _marked(preprocessed: str) -> Iterator[tuple[str, str]]:
    for match in _MARKER.finditer(preprocessed):
        name = match[1].replace("\\\\", "\\").replace('\\"', '"')
        if not name.startswith("<") and not name.endswith("//"):
            yield name, match[2]


def _given(options: PreprocessOptions) -> Iterator[str]:
    yield from options.include_dirs
    yield from (match[1] for match in map(_FOLDER.fullmatch, options.flags) if match)


def _first(options: PreprocessOptions) -> Iterator[str]:
    """Files that flags name, which may leave no marker."""
    flags = options.flags
    yield from (flags[at + 1] for at, f in enumerate(flags[:-1]) if f in ("-include", "-imacros"))
