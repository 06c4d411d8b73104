"""Where the headers are that sources include, by the names that they use."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cuvier.base.console import warn
from cuvier.base.files import read_text
from cuvier.batch.keys import own_folders
from cuvier.project.folders import left_out
from species.source import PreprocessOptions
from species.source.preprocess.pure import HEADERS

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_SUFFIXES = (".h", ".inc", ".def", ".c")  # of what is included
_PUBLIC = re.compile(r"inc(lude)?s?|headers", re.IGNORECASE)
_PASSED_OVER = ("node_modules", "__pycache__")


@dataclass(frozen=True)
class Headers:
    """All files of a tree that could be included, as paths from its top on, by their last names.

    In the folders of the `system`, a compiler finds headers by itself.
    """

    top: Path
    by_name: Mapping[str, Sequence[PurePosixPath]]
    system: Sequence[str]

    @staticmethod
    def below(top: Path) -> Headers:
        """Those in and below a folder, in hidden folders none."""
        found = defaultdict[str, list[PurePosixPath]](list)
        for name, folders, files in os.walk(top):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _PASSED_OVER)
            for file in files:
                place = PurePosixPath(Path(name, file).relative_to(top))
                if file.endswith(_SUFFIXES) and _is_text(str(place)):
                    found[file].append(place)
        return Headers(top, found, (HEADERS, *_searched()))

    def folders_for(self, files: Iterable[Path]) -> list[str]:
        """The folders that a compiler must search for what these files, and the headers there, include."""
        chosen: dict[str, None] = {}
        seen, waiting = set[Path](), list(files)
        while waiting:
            file = waiting.pop(0)
            if file in seen:
                continue
            seen.add(file)
            for bracket, name in _included(file):
                if bracket == '"' and (beside := file.parent / name).is_file():
                    waiting.append(beside)
                elif place := self._best(bracket, name, chosen):
                    chosen.setdefault(place)
                    waiting.append(self.top / place / name)
        return list(chosen)

    def _best(self, bracket: str, name: str, chosen: Iterable[str]) -> str | None:
        """A folder in which `name` is: one that is searched already, one for headers, one high up."""
        if bracket == "<" and any(Path(folder, name).is_file() for folder in self.system):
            return None  # the project has it for other systems
        places, known = self._places(name), set(chosen)
        return min(places, key=lambda place: (place not in known, *_order(place)), default=None)

    def _places(self, name: str) -> Iterator[str]:
        wanted = PurePosixPath(name).parts
        for path in self.by_name.get(wanted[-1], ()):
            if path.parts[-len(wanted) :] == wanted:
                yield "/".join(path.parts[: -len(wanted)]) or "."


def _searched() -> tuple[str, ...]:
    try:
        return own_folders(PreprocessOptions())
    except OSError:  # no compiler
        return ()


def _order(place: str) -> tuple[bool, bool, int, str]:
    return left_out(PurePosixPath(place, "x")) is not None, not _is_public(place), place.count("/"), place


def _is_text(name: str) -> bool:
    """Can settings name it?  Bytes that are no UTF-8 they cannot hold."""
    return not re.search("[\ud800-\udfff]", name)


def _is_public(place: str) -> bool:
    return _PUBLIC.fullmatch(place.rpartition("/")[2]) is not None


def _included(file: Path) -> list[tuple[str, str]]:
    try:
        return _INCLUDE.findall(read_text(file))
    except OSError as error:
        warn(f"'{file}' cannot be read ({error.strerror}); what it includes is not known")
        return []
