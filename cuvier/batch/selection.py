"""Which files of the folders that a command names it works on: globs, and what git ignores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path, PurePath

from pathspec import GitIgnoreSpec

from cuvier.base.console import warn
from cuvier.base.errors import UserError
from cuvier.base.files import Input, read_text, require_file

DEFAULT_PATTERNS = ("*.c",)


@dataclass(frozen=True)
class Shard:
    """Part `index` (from 1 on) of `count`.

    A file's part depends on its path below the folder that was named, and on nothing else: files that come
    and go do not move others.
    """

    index: int
    count: int

    def has(self, each: Input) -> bool:
        raw = each.relative.as_posix().encode("utf-8", "surrogateescape")
        return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big") % self.count == self.index - 1

    @staticmethod
    def parsed(text: str) -> Shard:
        """The shard that `2/8` means."""
        index, _, count = text.partition("/")
        if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
            raise UserError(f"--shard takes I/N with I from 1 to N, such as 2/8, not '{text}'")
        return Shard(int(index), int(count))


@dataclass(frozen=True)
class Selection:
    """Files of folders are taken if a pattern of `include` matches, none of `exclude` does, and git does not
    ignore them (unless `gitignore` is False).  Patterns are those of .gitignore; they are matched against
    paths from `base` on, or from the folder that was named if it is not below `base`.

    Files that are named themselves are always taken.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    base: Path = field(default_factory=Path)

    def collect(self, paths: Sequence[Path]) -> list[Input]:
        """The files that the arguments stand for, each once, in the order of their paths."""
        inputs: dict[Path, Input] = {}
        for path in paths:
            for each in self._inputs(path):
                inputs.setdefault(each.path.resolve(), each)
        return sorted(inputs.values(), key=lambda each: each.path.parts)

    def _inputs(self, path: Path) -> list[Input]:
        if not path.is_dir():
            return [Input(path if path.exists() else require_file(path), Path(path.name))]
        found = [Input(each, each.relative_to(path)) for each in self._walked(path)]
        if not found:
            raise UserError(self._nothing(path))
        return found  # what cannot be read costs itself

    def _nothing(self, path: Path) -> str:
        patterns = ", ".join(self.include or DEFAULT_PATTERNS)
        rest = f"no C files ({patterns}) in or below the directory '{path}'"
        if self.exclude:
            rest += " that --exclude leaves"
        unseen = any(self._replaced(gitignore=False)._walked(path)) if self.gitignore else False
        return rest + (
            "; .gitignore names all there are: --no-gitignore takes them"
            if unseen
            else "; name another, or a file"
        )

    def _replaced(self, gitignore: bool) -> Selection:
        return Selection(self.include, self.exclude, gitignore, self.base)

    def _walked(self, top: Path) -> Iterator[Path]:
        wanted = GitIgnoreSpec.from_lines(self.include or DEFAULT_PATTERNS)
        unwanted = GitIgnoreSpec.from_lines(self.exclude)
        ignored = _Ignored(top) if self.gitignore else None
        base = self._base(top)
        for name, folders, files in os.walk(top, onerror=_passed_over):
            folder = Path(name)
            place, start = folder.resolve(), "" if (below := _below(folder, base)) == "." else below + "/"
            if ignored:
                ignored.enter(folder)

            def is_left(name: str, slash: str, place: Path = place, start: str = start) -> bool:
                return unwanted.match_file(start + name + slash) or (
                    ignored is not None and ignored.has(place, name, slash)
                )

            folders[:] = sorted(f for f in folders if f != ".git" and not is_left(f, "/"))
            for file in sorted(files):
                if wanted.match_file(start + file) and not is_left(file, "") and (folder / file).is_file():
                    yield folder / file

    def _base(self, top: Path) -> Path:
        return self.base if top.resolve().is_relative_to(self.base.resolve()) else top


class _Ignored:
    """What the .gitignore files above and below a folder say, the nearest one first."""

    def __init__(self, top: Path) -> None:
        self._specs: dict[Path, GitIgnoreSpec] = {}
        above = top.resolve()
        folders = [above, *above.parents]
        root = next((f for f in folders if (f / ".git").exists()), None)
        for folder in folders[1 : folders.index(root) + 1] if root else ():
            self.enter(folder)
        if root:
            self._add(root, root / ".git" / "info" / "exclude")

    def enter(self, folder: Path) -> None:
        self._add(folder.resolve(), folder / ".gitignore")

    def _add(self, folder: Path, file: Path) -> None:
        if file.is_file():
            before = self._specs[folder].patterns if folder in self._specs else ()
            try:
                lines = read_text(file).splitlines()
            except OSError as error:
                warn(f"'{file}' cannot be read ({error.strerror}), and is ignored")
                return
            self._specs[folder] = GitIgnoreSpec([*GitIgnoreSpec.from_lines(lines).patterns, *before])

    def has(self, folder: Path, name: str, slash: str) -> bool:
        """Is the entry `name` of a folder, of which all links are followed, to be left out?"""
        for above in (folder, *folder.parents) if self._specs else ():
            spec = self._specs.get(above)
            if spec is not None:
                said = spec.check_file(_below(folder / name, above) + slash).include
                if said is not None:
                    return said
        return False


def _passed_over(error: OSError) -> None:
    warn(f"the directory '{error.filename}' cannot be read ({error.strerror}), and is left out")


def _below(path: Path, folder: Path) -> str:
    return PurePath(os.path.relpath(path, folder)).as_posix()
