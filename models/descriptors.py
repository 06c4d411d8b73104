"""Reading YAML descriptors: checked against a JSON Schema, with positions for every complaint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from models.errors import SkeletonError

_QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML was built with libyaml
_POWER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+")


def read_descriptor(path: Path, schema: str) -> dict[str, Any]:
    """The mapping in `path`, valid by `schema` (a file in a package: `models/machine.schema.json`).

    Raises SkeletonError `file:line:column: ...` for bad YAML and for every breach of the schema.
    """
    text = _read_text(path)
    try:
        value = yaml.load(text, Loader=_QUICK)
    except yaml.YAMLError as error:
        raise _invalid(path, error) from None
    errors = sorted(_validator(schema).iter_errors(value), key=lambda error: list(map(str, error.path)))
    if errors:
        raise SkeletonError(_locate(path, _compose(path, text), errors[0]))
    for keys in _not_numbers(value, ()):
        name, root = ".".join(map(str, keys)), _compose(path, text)
        raise SkeletonError(f"{_at(path, _descend(root, list(keys)))}: {name}: is no number")
    return dict(value)


def _not_numbers(value: Any, keys: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Where `.nan` stands, which no comparison in a schema refuses."""
    if isinstance(value, float) and value != value:
        yield keys
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from _not_numbers(part, (*keys, key))


def position_of(path: Path, *keys: str) -> str:
    """`file:line:column` of the value under `keys` in the YAML file `path`."""
    return _at(path, _descend(_compose(path, _read_text(path)), list(keys)))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SkeletonError(f"{path}: cannot be read as text: {error}") from None


def _compose(path: Path, text: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _invalid(path, error) from None


def _invalid(path: Path, error: yaml.YAMLError) -> SkeletonError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return SkeletonError(f"{path}: not valid YAML: {' '.join(str(error).split())}")
    mark = error.problem_mark or error.context_mark
    where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
    return SkeletonError(f"{where}: not valid YAML: {error.problem}")


@cache
def _validator(schema: str) -> Draft202012Validator:
    package, _, name = schema.partition("/")
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def _locate(path: Path, root: yaml.Node | None, error: ValidationError) -> str:
    keys = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        extra = [key for key in error.instance if key not in known]
        keys += extra[:1]
        return (
            f"{_at(path, _descend(root, keys, key=True))}: unknown entry {extra[0]!r}; known: {_join(known)}"
        )
    name = ".".join(map(str, keys)) or "the descriptor"
    return f"{_at(path, _descend(root, keys))}: {name}: {error.message}{_hint(error)}"


def _hint(error: ValidationError) -> str:
    """For a text that looks like a number: what YAML 1.1 asks of one."""
    value = error.instance
    if error.validator != "type" or not isinstance(value, str) or not _POWER.fullmatch(value):
        return ""
    mantissa, exponent = re.split("[eE]", value)
    mantissa += "" if "." in mantissa else ".0"
    sign = "" if exponent[0] in "+-" else "+"
    return f"; in YAML it is a number only with a point and a sign: {mantissa}e{sign}{exponent}"


def _join(names: dict[str, Any]) -> str:
    return ", ".join(sorted(names))


def _at(path: Path, node: yaml.Node | None) -> str:
    if node is None:
        return f"{path}:1:1"
    return f"{path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"


def _descend(node: yaml.Node | None, keys: list[Any], key: bool = False) -> yaml.Node | None:
    """The node under `keys`, as deep as it exists; with `key`, the last key itself."""
    for depth, name in enumerate(keys):
        found = _child(node, name, key and depth == len(keys) - 1)
        if found is None:
            return node
        node = found
    return node


def _child(node: yaml.Node | None, name: Any, key: bool) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        pairs = [(k, v) for k, v in node.value if k.value == str(name)]
        return (pairs[0][0] if key else pairs[0][1]) if pairs else None
    if isinstance(node, yaml.SequenceNode) and isinstance(name, int):
        return node.value[name] if name < len(node.value) else None
    return None
