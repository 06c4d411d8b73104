"""Empty files in place of headers that a preprocessor does not find."""

from __future__ import annotations

import os
import re
import tempfile

MISSING = "<missing>/"  # before the names of such headers, in the preprocessor's output
MISSING_HEADER = re.compile(r"([^\s:'\"]+): No such file or directory|'([^']+)' file not found")
_DEEP = "a/b/c/d/e/f"  # so many folders up a name may lead
_AT_MOST = 200  # headers


class Placeholders:
    """A folder of empty headers, made for the first one and kept for as long as the context lasts."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._root: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Placeholders:
        return self

    def __exit__(self, *_: object) -> None:
        if self._root:
            self._root.cleanup()

    @property
    def folder(self) -> str:
        """Where the headers are."""
        if self._root is None:  # most files miss none
            self._root = tempfile.TemporaryDirectory(prefix="cuvier-")
            os.makedirs(os.path.join(self._root.name, _DEEP))
        return os.path.join(self._root.name, _DEEP)

    def add(self, errors: str) -> bool:
        """Makes the header that the messages of a preprocessor miss; False: they are of something else."""
        match = MISSING_HEADER.search(errors)
        name = (match[1] or match[2]) if match else ""
        if not name or os.path.isabs(name) or name in self.names or len(self.names) >= _AT_MOST:
            return False
        place = os.path.normpath(os.path.join(self.folder, name))
        if not place.startswith(self.folder.removesuffix(_DEEP)):
            return False
        os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb"):
            self.names.append(name)
        return True

    def named(self, output: str) -> str:
        """The output with names that do not depend on where the folder is."""
        for name in self.names:
            place = os.path.join(self.folder, name)
            for spelt in (place, os.path.normpath(place)):
                output = output.replace(f'"{spelt}"', f'"{MISSING}{name}"')
        return output
