"""The library: skeletons and targets from the package and from the user's folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.descriptors import position_of
from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Skeleton, Target
from skeletons.catalogue.read import BUILTIN, TARGET_FILE, read_skeleton, read_target

DIALECT_FILE = "dialect.yaml"


@dataclass(frozen=True)
class Library:
    """All skeletons and targets; a user's skeleton replaces a built-in one of the same target and name."""

    folders: tuple[Path, ...]  # built-in first
    all_targets: tuple[Target, ...]
    all_skeletons: tuple[Skeleton, ...]

    @staticmethod
    def load(extra_dirs: Sequence[Path | str] = ()) -> Library:
        """Read the built-in library and folders of the same layout (`<target>/*.yaml`, `*.j2`).

        Raises SkeletonError with file, line and column for the first mistake.
        """
        own = _builtin()
        folders = tuple(Path(folder) for folder in extra_dirs)
        for folder in folders:
            _check_folder(folder)
        targets = {t.name: t for t in own.all_targets}
        targets |= {t.name: t for folder in folders for t in map(read_target, _target_files(folder))}
        skeletons = {(s.target, s.name): s for s in own.all_skeletons}
        skeletons |= {(s.target, s.name): s for folder in folders for s in _read_folder(folder, targets)}
        return Library((BUILTIN, *folders), tuple(targets.values()), tuple(skeletons.values()))

    def target(self, name: str) -> Target:
        """The target of that name, or SkeletonError that lists those there are."""
        for target in self.all_targets:
            if target.name == name:
                return target
        known = ", ".join(sorted(target.name for target in self.all_targets))
        raise SkeletonError(f"unknown target {name!r}; choose one of {known}")

    def skeletons(self, target: str) -> tuple[Skeleton, ...]:
        """The skeletons of a target, those of the highest priority first."""
        self.target(target)
        found = [skeleton for skeleton in self.all_skeletons if skeleton.target == target]
        return tuple(sorted(found, key=lambda skeleton: (-skeleton.priority, skeleton.name)))

    def patterns(self, target: str) -> frozenset[str]:
        """The patterns of serial loops that skeletons of a target take: scan, pack."""
        return frozenset(kind for s in self.skeletons(target) for kind in s.requires.get("pattern", []))

    @staticmethod
    def check(path: Path | str) -> Skeleton | Target:
        """Read one descriptor and its templates; SkeletonError says what is wrong and where."""
        file = Path(path)
        return read_target(file) if file.name == TARGET_FILE else read_skeleton(file)


@cache
def _builtin() -> Library:
    """What comes with the package; a process reads it once."""
    _check_folder(BUILTIN)
    targets = {t.name: t for t in map(read_target, _target_files(BUILTIN))}
    return Library((BUILTIN,), tuple(targets.values()), tuple(_read_folder(BUILTIN, targets)))


def _check_folder(folder: Path) -> None:
    """SkeletonError for a folder that is none of skeletons, such as the one of a single target."""
    if not folder.is_dir():
        raise SkeletonError(f"{folder}: no such folder of skeletons; it should hold <target>/*.yaml")
    if any(folder.glob("*/*.yaml")):
        return
    inside = any(folder.glob("*.yaml"))
    parent = f"; did you mean its parent, '{folder.resolve().parent}'?" if inside else ""
    raise SkeletonError(f"{folder}: no descriptors (<target>/*.yaml) in this folder{parent}")


def _target_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/{TARGET_FILE}"))


def _read_folder(folder: Path, targets: dict[str, Target]) -> list[Skeleton]:
    found = sorted(folder.glob("*/*.yaml"))
    files = [f for f in found if f.name not in (TARGET_FILE, DIALECT_FILE) and f.parent.name != "common"]
    skeletons = [read_skeleton(file) for file in files]
    known: dict[tuple[str, str], Skeleton] = {}
    for skeleton in skeletons:
        if skeleton.target not in targets:
            raise SkeletonError(f"{skeleton.path}: target {skeleton.target!r} has no {TARGET_FILE}")
        other = known.setdefault((skeleton.target, skeleton.name), skeleton)
        if other is not skeleton:
            place = position_of(skeleton.path, "name")
            raise SkeletonError(f"{place}: {other.path.name} describes a skeleton {skeleton.name!r} already")
    return skeletons
