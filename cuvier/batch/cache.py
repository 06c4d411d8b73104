"""Results of earlier runs, by what they depend on.

A result depends on the file, on everything that it includes, on the options, and on Cuvier itself.  Two
steps find it.  The *inputs* of a file, kept under the file's text and the options, say which files and
folders the compiler looked at and what was in them: where all are as they were, the result is there without
a compiler.  Else the file is preprocessed, and the result is found by the text that comes out.

Every object is a file that is written as a whole or not at all, so that an interrupted run leaves nothing
that a later one could misread, and runs may share a cache.  It bears the user's seal (`cuvier.batch.seals`):
what somebody else has put there is not there.  Links in the cache are not followed.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from cuvier.batch.seals import default_folder, sealed, unsealed

__all__ = ["Cache", "Contents", "Inputs", "default_folder"]
VARIANTS = 4  # of one file's inputs: branches that one switches between
_FORMAT = "v2"
_FOUND = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Inputs:
    """The files and the folders that a result depends on, with digests, and the result's name."""

    files: dict[str, str]
    folders: dict[str, str]
    result: str


@dataclass(frozen=True)
class Contents:
    """What is in a cache."""

    files: int
    results: int
    size: int  # bytes


@dataclass(frozen=True)
class Cache:
    """A folder of inputs and results.

    What cannot be read is not there, and what cannot be written is not kept.
    """

    folder: Path

    @property
    def _root(self) -> Path:
        return self.folder / _FORMAT

    def inputs(self, key: str) -> list[Inputs]:
        """The inputs that the file had in earlier runs, the latest first."""
        data = self._read("inputs", key)
        try:
            found = [Inputs(**each) for each in json.loads(data)] if data else []
        except (ValueError, TypeError, RecursionError):
            return []
        return [each for each in found if isinstance(each.files, dict) and isinstance(each.folders, dict)]

    def add_inputs(self, key: str, inputs: Inputs) -> None:
        others = [each for each in self.inputs(key) if each.files != inputs.files]
        kept = [asdict(each) for each in (inputs, *others)][:VARIANTS]
        self._write("inputs", key, json.dumps(kept, separators=(",", ":")).encode("ascii"))

    def result(self, name: str) -> bytes | None:
        return self._read("results", name)

    def add_result(self, name: str, data: bytes) -> None:
        self._write("results", name, data)

    def contents(self) -> Contents:
        """How much there is."""
        sizes = {
            kind: [each.stat().st_size for each in self._objects(kind)] for kind in ("inputs", "results")
        }
        return Contents(len(sizes["inputs"]), len(sizes["results"]), sum(map(sum, sizes.values())))

    def clean(self, days: float = 0) -> None:
        """Remove what was not used for so many days; 0: everything."""
        if not days:
            shutil.rmtree(self._root, ignore_errors=True)  # which removes no link, and follows none
            return
        oldest = time.time() - days * 86400
        for kind in ("inputs", "results"):
            for each in list(self._objects(kind)):
                if each.stat().st_mtime < oldest:
                    each.unlink(missing_ok=True)

    def _objects(self, kind: str) -> Iterator[Path]:
        for folder in _entries(self._root / kind) if self._is_own(self._root / kind) else ():
            if folder.is_dir(follow_symlinks=False):
                files = _entries(folder.path)
                yield from (Path(each.path) for each in files if each.is_file(follow_symlinks=False))

    def _place(self, kind: str, key: str) -> Path:
        return self._root / kind / key[:2] / key[2:]

    def _is_own(self, place: Path) -> bool:
        """Does no link on the way lead out of the cache?"""
        within = [place, *place.parents]
        return not any(each.is_symlink() for each in within[: within.index(self.folder)])

    def _read(self, kind: str, key: str) -> bytes | None:
        try:
            with os.fdopen(os.open(self._place(kind, key), _FOUND), "rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    return None
                os.utime(stream.fileno())  # it is in use
                return unsealed(f"{kind}/{key}", stream.read())
        except OSError:
            return None

    def _write(self, kind: str, key: str, data: bytes) -> None:
        place, whole = self._place(kind, key), sealed(f"{kind}/{key}", data)
        if whole is None or not self._is_own(place.parent):
            return
        with suppress(OSError):  # a full or read-only disk: the next run does the work again
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as stream:
                try:
                    stream.write(whole)
                    stream.close()
                    os.replace(stream.name, place)
                except BaseException:  # an interrupt, too
                    os.unlink(stream.name)
                    raise


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []
