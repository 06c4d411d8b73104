"""From the YAML files to `Skeleton` and `Target`: one file at a time, everything checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import TemplateSyntaxError

import runtime
from models.descriptors import position_of, read_descriptor
from models.errors import SkeletonError
from skeletons.catalogue.descriptor import CostHints, Parameter, Skeleton, Target
from skeletons.catalogue.file_names import is_inside
from skeletons.catalogue.passes import PRODUCTS
from skeletons.catalogue.patterns import parse_pattern
from skeletons.catalogue.sandbox import parser

BUILTIN = Path(__file__).parent.parent / "library"
TARGET_FILE = "target.yaml"
_REUSE = {"tile": "tile", "turn": "rows", "stage": "registers", **dict.fromkeys(PRODUCTS, "registers")}


def read_skeleton(path: Path) -> Skeleton:
    """The skeleton that `path` describes; SkeletonError with a position for every mistake."""
    data = read_descriptor(path, "skeletons/catalogue/descriptor.schema.json")
    if path.resolve().parent.name != data["target"]:
        place, folder = position_of(path, "target"), path.resolve().parent.name
        raise SkeletonError(f"{place}: the target is {data['target']!r}, but the folder is {folder!r}")
    _check_species(path, data["species"])
    _check_templates(path, data["templates"], "templates")
    return Skeleton(
        name=data["name"],
        target=data["target"],
        summary=data["summary"],
        species=data["species"],
        priority=data["priority"],
        requires=data.get("requires", {}),
        transform=data.get("transform", "none"),
        parameters=tuple(_parameter(path, n, p) for n, p in data.get("parameters", {}).items()),
        templates=data["templates"],
        folder=path.parent,
        path=path,
        cost=_cost(data),
    )


def read_target(path: Path) -> Target:
    """The target that `path` describes."""
    data = read_descriptor(path, "skeletons/catalogue/target.schema.json")
    _check_templates(path, data["files"], "files")
    for name in data["files"]:
        if not is_inside(name):
            where = position_of(path, "files", name)
            raise SkeletonError(f"{where}: {name!r} is no file below the program's folder")
    return Target(
        name=data["name"],
        summary=data["summary"],
        accelerator=data["accelerator"],
        dimensions=data["dimensions"],
        dialect=data.get("dialect"),
        schedules=data.get("schedules", False),
        cpus=data.get("cpus", False),
        features=tuple(data.get("features", ())),
        files=data["files"],
        folder=path.parent,
    )


def _check_species(path: Path, text: str) -> None:
    try:
        parse_pattern(text)
    except ValueError as error:
        raise SkeletonError(f"{position_of(path, 'species')}: {error}") from None


def _cost(data: dict[str, Any]) -> CostHints:
    """What the entry `cost` says; else what the transformation of the body tells."""
    stated = data.get("cost", {})
    reuse = _REUSE.get(data.get("transform", "none"), "cache")
    return CostHints(stated.get("reuse", reuse), stated.get("efficiency", 1.0), stated.get("threads", 1))


def _parameter(path: Path, name: str, data: dict[str, Any]) -> Parameter:
    low, high = data["range"]
    if not low <= data["default"] <= high:
        where = position_of(path, "parameters", name, "default")
        raise SkeletonError(
            f"{where}: default {data['default']} of {name} is outside its range {low}..{high}"
        )
    return Parameter(name, data["default"], low, high)


def _check_templates(path: Path, templates: dict[str, str], entry: str) -> None:
    """Every template stands beside the descriptor (or in a parent's `common`) and is valid Jinja."""
    for role, name in templates.items():
        found = [
            folder / name
            for folder in (path.parent, path.parent.parent / "common")
            if (folder / name).is_file()
        ]
        if not found and not _builtin(path.parent.name, name):
            where = position_of(path, entry, role)
            raise SkeletonError(f"{where}: no template {name!r} beside the descriptor")
        for file in found[:1]:
            if not file.is_relative_to(BUILTIN):  # ours are tested, and reading all of them takes a while
                _check_syntax(file)


def _builtin(target: str, name: str) -> bool:
    shipped = any((BUILTIN / folder / name).is_file() for folder in (target, "common"))
    return shipped or runtime.file_for(target, name) is not None


def _check_syntax(file: Path) -> None:
    try:
        parser().parse(file.read_text(encoding="utf-8"))
    except TemplateSyntaxError as error:
        raise SkeletonError(f"{file}:{error.lineno}:1: not a valid template: {error.message}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SkeletonError(f"{file}: cannot be read as text: {error}") from None
