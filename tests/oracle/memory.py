"""Memory as cells: objects, pointers, C types, and the machine that watches every access."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any


class UndefinedError(Exception):
    """The program's behaviour is undefined or too long to wait for: the run says nothing."""


class DisagreementError(Exception):
    """The program does what the analyser excluded."""


class _Marker:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


UNINITIALISED = _Marker("uninitialised")
POISON = _Marker("poison")  # what a thread finds in a private variable that it has not written


@dataclass(frozen=True)
class Type:
    """A C type; `kind` is int, float, pointer, array, struct or void."""

    kind: str
    bits: int = 32
    signed: bool = True
    target: Any = None  # a Type
    size: Any = None  # of an array: a closure, or None
    members: tuple[tuple[str, Any], ...] = ()


INT = Type("int")
LONG = Type("int", 64)
DOUBLE = Type("float", 64)
VOID = Type("void", 8)

_addresses = count(1 << 20, 1 << 20)


@dataclass(eq=False)
class Object:
    """One variable, array or allocation."""

    name: str
    cells: list[Any]
    address: int = field(default_factory=lambda: next(_addresses))


@dataclass(frozen=True)
class Pointer:
    """The cell `index` of an object; None is the null pointer."""

    target: Object | None
    index: int = 0

    @property
    def address(self) -> int:
        return self.index + (self.target.address if self.target else 0)


@dataclass(frozen=True)
class Bytes:
    """What malloc gives, until it is known what it holds."""

    amount: int
    zero: bool = False


class Machine:
    """Cells are read and written through here; `watches` are told of it."""

    def __init__(self, budget: int = 4000) -> None:
        self.globals: dict[str, Object] = {}
        self.watches: list[Any] = []
        self.budget = budget
        self.created: list[Object] = []  # allocations, in order
        self.parallel: Callable[..., Any] | None = None  # executes a loop that was called parallel

    def new(self, name: str, cells: int, value: Any = UNINITIALISED) -> Object:
        if not 0 <= cells <= 1_000_000:
            raise UndefinedError(f"size of {name}")
        return Object(name, [value] * cells)

    def spend(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise UndefinedError("too long")

    def check(self, target: Object | None, index: int) -> Object:
        if target is None or not 0 <= index < len(target.cells):
            raise UndefinedError("out of bounds")
        return target

    def load(self, target: Object | None, index: int) -> Any:
        found = self.check(target, index)
        value = found.cells[index]
        for watch in self.watches:
            watch.read(found, index)
        if value is UNINITIALISED:
            raise UndefinedError("uninitialised")
        if value is POISON:
            raise DisagreementError(f"a private value of '{found.name}' is read before it is written")
        return value

    def store(self, target: Object | None, index: int, value: Any) -> None:
        found = self.check(target, index)
        for watch in self.watches:
            watch.write(found, index)
        found.cells[index] = value


def convert(value: Any, ctype: Type) -> Any:
    """A value as C converts it on assignment; unsigned and narrow integers wrap, others never overflow."""
    if ctype.kind == "int":
        if isinstance(value, Fraction | float):
            value = int(value)
        if isinstance(value, Pointer):
            raise UndefinedError("pointer as integer")
        return wrapped(value, ctype)
    if ctype.kind == "pointer" and isinstance(value, int):
        return Pointer(None, value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    if isinstance(value, Fraction) and value.denominator.bit_length() > 4000:
        raise UndefinedError("too large")
    return value


def wrapped(value: int, ctype: Type) -> int:
    if ctype.signed and ctype.bits >= 32:
        if value.bit_length() > 4000:
            raise UndefinedError("too large")
        return value
    value &= (1 << ctype.bits) - 1
    return value - (1 << ctype.bits) if ctype.signed and value >> (ctype.bits - 1) else value
