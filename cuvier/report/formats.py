"""The formats of `cuvier report`, by name."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from cuvier.report.view import View


class Format(Enum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"
    CSV = "csv"
    GITHUB = "github"


def rendered(view: View, form: Format) -> str:
    """The report in a format other than TEXT and JSON: `cuvier.report.<name>` has a function `render`."""
    module = import_module(f"cuvier.report.{form.value}")
    return cast("Callable[[View], str]", module.render)(view)
