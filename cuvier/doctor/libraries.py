"""The Python packages that Cuvier needs, by its own metadata."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, metadata

PACKAGE = "cuvier"
_REQUIREMENT = re.compile(r"([\w.-]+)\s*([^;]*?)\s*(?:;.*extra == [\"']([\w-]+)[\"'])?")
_COMPARISONS = {">=": operator.ge, "<": operator.lt}  # those of pyproject.toml


@dataclass(frozen=True)
class Requirement:
    """A distribution, and the bounds of its version, such as `>=3.12,<4`."""

    name: str
    bounds: str

    def __str__(self) -> str:
        return self.name + self.bounds

    @property
    def version(self) -> str | None:
        """The version that is installed."""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    @property
    def fits(self) -> bool:
        """Is a version within the bounds installed?"""
        return self.version is not None and within(self.version, self.bounds)

    def load_error(self) -> str:
        """Why its modules cannot be imported; empty: they can."""
        try:
            for name in _modules(self.name):
                import_module(name)
        except ImportError as error:
            return " ".join(str(error).split())
        return ""


def requirements(extra: str = "") -> list[Requirement]:
    """What Cuvier needs, or an extra of it; nothing where it runs without being installed."""
    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    found = filter(None, map(_REQUIREMENT.fullmatch, lines))
    return [Requirement(each[1], each[2]) for each in found if (each[3] or "") == extra]


def within(version: str, bounds: str) -> bool:
    """Does a version lie within `>=` and `<` bounds?  Others are left to pip."""
    pairs = re.findall(r"(>=|<(?!=))\s*([\d.]+)", bounds)
    return all(_COMPARISONS[sign](_numbers(version), _numbers(bound)) for sign, bound in pairs)


def _numbers(version: str) -> tuple[int, ...]:
    """`3.10.0rc1` as (3, 10): what comes behind the numbers, and zeros at the end, do not count."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(word) for word in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _modules(distribution: str) -> Iterator[str]:
    wanted = _plain(distribution)
    for module, owners in metadata.packages_distributions().items():
        if wanted in map(_plain, owners) and module.isidentifier() and not module.startswith("_"):
            yield module


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
