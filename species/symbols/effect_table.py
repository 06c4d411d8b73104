"""Reads tables of what functions do besides returning a value: effects.yaml, and files like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

KINDS = ("pure", "errno", "reading", "output", "input", "state", "allocation", "exit", "unknown")
_KEYS = (
    *("functions", "type", "effect", "reads", "writes", "may_write", "returns", "gives", "calls", "format"),
    "names",
)
_TYPES = ("void", "int", "long", "size", "real", "double", "float", "pointer", "any", "...")

# "one" element (the bytes of it), one "element" as what it is, "any" number, or the arguments whose product
# is the bytes
Extent = str | tuple[int, ...]


class EffectsError(Exception):
    """A table cannot be used; the text says where, why, and what to do."""


@dataclass(frozen=True)
class Touched:
    """Memory that a function reads or writes: that which argument `argument` (from 1 on) points to.

    With `rest`, what the arguments after it point to as well.  Unless it is `certain`, some of it may
    stay as it is.  There are `count` of what is an "element".
    """

    argument: int
    extent: Extent
    rest: bool = False
    certain: bool = True
    count: int = 1


@dataclass(frozen=True)
class Effect:
    """What a function does.  `kind` is one of KINDS; pure says nothing of `reads` and `writes`.

    `signature` has the kinds of the result and of the parameters, None where anything goes; `returns`
    is the argument that is the result; `calls` the argument that is a function which is called; `format`
    the argument without whose `%n` nothing after it is written.  The name is `free` where users may give
    it to a function of their own.  It `gives_constants` if its result leads to memory that nobody writes.
    """

    name: str
    kind: str
    signature: tuple[str, ...] | None = None
    reads: tuple[Touched, ...] = ()
    writes: tuple[Touched, ...] = ()
    returns: int | None = None
    calls: int | None = None
    format: int | None = None
    free: bool = False
    gives_constants: bool = False

    @property
    def is_plain(self) -> bool:
        """Does it work on its arguments' values alone?"""
        return self.kind == "pure" and not self.reads and not self.writes and self.calls is None


ELEMENTS = "elements"  # the kind of functions of a file that write nothing but elements which they are given
UNKNOWN = Effect("", "unknown")
PURE = Effect("", "pure")
READING = Effect("", "reading")


@cache
def library() -> dict[str, Effect]:
    """The functions of C's library and the compiler's own."""
    text = (files("species.symbols") / "effects.yaml").read_text(encoding="utf-8")
    return {effect.name: effect for effect in read_table(text, "effects.yaml")}


def read_table(text: str, file: str) -> tuple[Effect, ...]:
    """The entries of a table; raises EffectsError."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise EffectsError(f"{file}:{line}: error: not YAML: {error.problem}; see effects.yaml") from error
    if root is None:
        return ()
    reader = _Reader(file)
    if not isinstance(root, yaml.SequenceNode):
        raise reader.error(root, "not a list", "write a list of groups: - functions: [f]")
    return tuple(effect for group in root.value for effect in reader.group(group))


class _Reader:
    """Turns the nodes of one file into effects."""

    def __init__(self, file: str) -> None:
        self._file = file

    def error(self, node: Any, problem: str, way_out: str) -> EffectsError:
        return EffectsError(f"{self._file}:{node.start_mark.line + 1}: error: {problem}; {way_out}")

    def group(self, node: Any) -> Iterator[Effect]:
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, "a group is no mapping", f"give it keys out of {', '.join(_KEYS)}")
        entries: dict[str, Any] = {}
        for key, value in node.value:
            if key.value not in _KEYS:
                raise self.error(key, f"unknown key '{key.value}'", f"use one of {', '.join(_KEYS)}")
            if key.value in entries:
                raise self.error(key, f"key '{key.value}' given twice", "keep one of them")
            entries[key.value] = value
        for required in ("functions", "effect"):
            if required not in entries:
                raise self.error(node, f"key '{required}' is missing", "every group needs it")
        yield from self._effects(entries)

    def _effects(self, entries: dict[str, Any]) -> Iterator[Effect]:
        kind = self._scalar(entries["effect"])
        if kind not in KINDS:
            raise self.error(entries["effect"], f"unknown effect '{kind}'", f"use one of {', '.join(KINDS)}")
        effect = Effect(
            "",
            "pure" if kind == "errno" else kind,
            reads=self._touched(entries.get("reads")),
            writes=self._touched(entries.get("writes"))
            + tuple(replace(t, certain=False) for t in self._touched(entries.get("may_write"))),
            returns=self._position(entries["returns"]) if "returns" in entries else None,
            calls=self._position(entries["calls"]) if "calls" in entries else None,
            format=self._position(entries["format"]) if "format" in entries else None,
            free="names" in entries and self._is_free(entries["names"]),
            gives_constants="gives" in entries and self._is_word(entries["gives"], "constants", "result"),
        )
        for name in self._names(entries["functions"]):
            yield from _variants(name, self._signature(entries.get("type")), effect)

    def _scalar(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.error(node, "a list or mapping where a word is expected", "write one word")
        return str(node.value)

    def _is_free(self, node: Any) -> bool:
        return self._is_word(node, "free", "kind of names")

    def _is_word(self, node: Any, word: str, what: str) -> bool:
        """Is it the only word that may stand there?"""
        if self._scalar(node) != word:
            raise self.error(node, f"unknown {what} '{node.value}'", f"use {word}, or leave it out")
        return True

    def _names(self, node: Any) -> list[str]:
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        names = [self._scalar(item) for item in items]
        for item, name in zip(items, names, strict=True):
            if not name.isidentifier():
                raise self.error(item, f"'{name}' is no name of a function", "write a list of C identifiers")
        return names

    def _signature(self, node: Any) -> tuple[str, ...] | None:
        if node is None:
            return None
        result, _, rest = self._scalar(node).rstrip(")").partition("(")
        words = (result, *(w.strip() for w in rest.split(",") if w.strip() not in ("", "void")))
        for word in words:
            if word not in _TYPES:
                raise self.error(node, f"unknown type '{word}'", f"use {', '.join(_TYPES)}")
        return words

    def _position(self, node: Any) -> int:
        text = self._scalar(node)
        if not text.isdigit() or not 1 <= int(text) <= 99:
            raise self.error(node, f"'{text}' is no argument", "count arguments from 1 on")
        return int(text)

    def _touched(self, node: Any) -> tuple[Touched, ...]:
        if node is None:
            return ()
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, "no mapping", "write {argument: one, any, or [arguments]}")
        return tuple(self._region(key, value) for key, value in node.value)

    def _region(self, key: Any, value: Any) -> Touched:
        rest = self._scalar(key).endswith("+")
        key.value = key.value.rstrip("+")
        argument = self._position(key)
        if isinstance(value, yaml.SequenceNode):
            return Touched(argument, tuple(self._position(each) for each in value.value), rest)
        if self._scalar(value) not in ("one", "any"):
            raise self.error(value, f"unknown region '{value.value}'", "use one, any, or [arguments]")
        return Touched(argument, str(value.value), rest)


def _variants(name: str, signature: tuple[str, ...] | None, effect: Effect) -> Iterable[Effect]:
    """The function, and for `real` in its type those for float and long double."""
    if signature is None or "real" not in signature:
        return [replace(effect, name=name, signature=signature)]
    versions = (("", "double"), ("f", "float"), ("l", "any"))
    return [
        replace(effect, name=name + suffix, signature=tuple(real if w == "real" else w for w in signature))
        for suffix, real in versions
    ]
