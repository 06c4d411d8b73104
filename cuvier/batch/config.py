"""Settings of a project: `cuvier.toml`, or `[tool.cuvier]` in `pyproject.toml`.

The keys are the long names of options, as they are on the command line, which has the last word.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.base.files import read_text
from species.core.positions import Position

NAMES = ("cuvier.toml", "pyproject.toml")


@dataclass(frozen=True)
class Key:
    """A setting: the parameter of the commands that it sets, and what its value is.

    `kind` is "text", "number" (texts such as "2G" are too), "switch" or "list" (of texts); those that are
    `paths` are meant from the file's folder on.
    """

    parameter: str
    kind: str
    paths: bool = False
    choices: tuple[str, ...] = ()


KEYS: Mapping[str, Key] = {
    "include": Key("include_globs", "list"),
    "exclude": Key("exclude_globs", "list"),
    "gitignore": Key("gitignore", "switch"),
    "compile-commands": Key("compile_commands", "text", paths=True),
    "drop-flags": Key("drop_flags", "list"),
    "include-dirs": Key("include", "list", paths=True),
    "define": Key("define", "list"),
    "undefine": Key("undefine", "list"),
    "cc": Key("cc", "text"),
    "std": Key("std", "text"),
    "effects": Key("effects", "text", paths=True),
    "strict-aliasing": Key("strict_aliasing", "switch"),
    "error-order": Key("error_order", "switch"),
    "theory": Key("theory", "text", choices=("references", "polyhedral")),
    "tests": Key("tests", "text"),
    "budget": Key("budget", "number"),
    "whole-program": Key("whole_program", "switch"),
    "jobs": Key("jobs", "number"),
    "time-limit": Key("time_limit", "number"),
    "memory-limit": Key("memory_limit", "number"),
    "cache": Key("cache", "switch"),
    "cache-dir": Key("cache_dir", "text", paths=True),
    "style": Key("style", "text", choices=("species", "comment", "openmp")),
    "nested": Key("nested", "switch"),
    "strict-fp": Key("strict_fp", "switch"),
    "all": Key("everything", "switch"),
}


@dataclass(frozen=True)
class Config:
    """The settings of the file at `path`: values by the commands' parameters; none without a file."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def base(self) -> Path:
        """What patterns of files are relative to."""
        return self.path.parent if self.path else Path()

    def place_of(self, key: str) -> Position:
        """Where a key stands in the file."""
        return _place(self.path, key) if self.path else Position("cuvier.toml", 1, 1)


def find(start: Path) -> Config:
    """The settings that hold for `start`: of the nearest folder above it, or itself, that has some."""
    start = Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        for name in NAMES:
            path = folder / name
            if path.is_file() and (table := _table(path)) is not None:
                path = Path(os.path.relpath(path))
                return Config(path, {KEYS[k].parameter: _checked(path, k, v) for k, v in table.items()})
    return Config()


def _table(path: Path) -> dict[str, Any] | None:
    """The settings' table; None where a pyproject.toml has none."""
    shown = Path(os.path.relpath(path))
    try:
        document = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"not TOML: {error}", _position(shown, str(error))) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"cannot be read ({error})", Position(str(shown), 1, 1)) from error
    if path.name == NAMES[0]:
        table: Any = document
    else:
        tools = document.get("tool")
        table = tools.get("cuvier") if isinstance(tools, dict) else None
    if table is None or isinstance(table, dict):
        return _known(shown, table)
    raise UserError("tool.cuvier is no table; write [tool.cuvier]", Position(str(shown), 1, 1))


def _known(path: Path, table: dict[str, Any] | None) -> dict[str, Any] | None:
    for key in table or ():
        if key not in KEYS:
            close = get_close_matches(key, KEYS, 1)
            hint = f"is '{close[0]}' meant?" if close else f"there are {', '.join(KEYS)}"
            raise UserError(f"there is no setting '{key}'; {hint}", _place(path, key))
    return table


def _checked(path: Path, key: str, value: Any) -> Any:
    """The value as an option has it; paths are from the current directory on."""
    setting = KEYS[key]
    wanted = _wanted(setting, value)
    if wanted:
        raise UserError(f"'{key}' is {value!r}; it takes {wanted}", _place(path, key))
    if setting.paths:
        value = [_moved(path, each) for each in value] if isinstance(value, list) else _moved(path, value)
    return str(value) if setting.kind == "number" else value


def _wanted(setting: Key, value: Any) -> str:
    """What the value should be instead; empty: it is right."""
    if any("\0" in each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)):
        return "no null characters"
    if setting.choices and value not in setting.choices:
        return "one of " + ", ".join(setting.choices)
    if setting.kind == "switch":
        return "" if isinstance(value, bool) else "true or false"
    if setting.kind == "list":
        right = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return "" if right else 'a list of texts, such as ["a", "b"]'
    if setting.kind == "number":
        right = isinstance(value, int | float | str) and not isinstance(value, bool)
        return "" if right else "a number"
    return "" if isinstance(value, str) else "a text"


def _moved(path: Path, name: str) -> str:
    return os.path.normpath(path.parent / name)


def _place(path: Path, key: str) -> Position:
    """Where a key of the settings stands in the file."""
    inside = path.name == NAMES[0]
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            inside = header[1].replace('"', "").replace(" ", "") == "tool.cuvier" or header[1] == key
        if inside and (found := re.match(rf"\s*\[*\s*[\"']?({re.escape(key)})[\"']?\s*[=.\]]", line)):
            return Position(str(path), number, found.start(1) + 1)
    return Position(str(path), 1, 1)


def _position(path: Path, message: str) -> Position:
    found = re.search(r"at line (\d+), column (\d+)", message)
    return Position(str(path), *map(int, found.groups())) if found else Position(str(path), 1, 1)
