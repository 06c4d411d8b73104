"""Properties that are computed once: functools.cached_property without its lock, which costs most of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):
    """As functools.cached_property since Python 3.12."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function, self.__doc__ = function, function.__doc__
        self._name = function.__name__

    def __get__(self, instance: Any, owner: Any = None) -> T:
        value = instance.__dict__[self._name] = self._function(instance)
        return value
