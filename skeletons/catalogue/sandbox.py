"""Jinja for templates that a stranger may have written: they compute texts, and nothing else.

No attribute leads out of what a template is given, only methods of views and of plain values are called, and
no link leads out of the folders of the templates.  How long a template may take is not limited.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import is_dataclass
from io import IOBase
from pathlib import PurePath
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

from jinja2 import BaseLoader, Environment, FileSystemLoader, TemplateNotFound
from jinja2.sandbox import SandboxedEnvironment

_PLAIN = (str, int, float, bool, list, tuple, dict, set, frozenset, range)  # whose methods are called
_OF_JINJA = "jinja2."
_OURS = ("skeletons.", "models.")  # whose frozen records compute texts and numbers


class Sandbox(SandboxedEnvironment):
    """Gives templates what they see, without what could reach files or code."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        shut = isinstance(obj, PurePath | ModuleType | IOBase | type)
        return not shut and super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Any) -> bool:
        return self._is_known(obj) and super().is_safe_callable(obj)

    def _is_known(self, called: Any) -> bool:
        """Is it one of Jinja's, a global of ours, or a method of a view or of a plain value?"""
        if any(called is each for each in self.globals.values()):
            return True
        owner = type(getattr(called, "__self__", called))
        plain = owner in _PLAIN and isinstance(called, BuiltinMethodType)
        return plain or owner.__module__.startswith(_OF_JINJA) or _is_view(owner, called)


def _is_view(owner: type, called: Any) -> bool:
    """Is it a method of a view, a frozen record of ours whose methods compute texts and numbers?  Or a
    function that a view or the context has, static methods among them?
    """
    if isinstance(called, FunctionType):
        return str(called.__module__).startswith(_OURS)
    frozen = is_dataclass(owner) and owner.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return isinstance(called, MethodType) and frozen and owner.__module__.startswith(_OURS)


class InnerLoader(FileSystemLoader):
    """Finds templates in folders, and none beyond a link that leads out of them."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        text, name, fresh = super().get_source(environment, template)
        place = os.path.realpath(name)
        if not any(place.startswith(os.path.join(os.path.realpath(f), "")) for f in self.searchpath):
            raise TemplateNotFound(template, f"'{name}' is a link out of the folders of the templates")
        return text, name, fresh


def parser() -> Environment:
    """An environment that only reads templates."""
    return Sandbox(loader=BaseLoader(), autoescape=False)
