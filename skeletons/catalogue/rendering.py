"""Jinja: where templates are found, and the filters that they may use."""

from __future__ import annotations

import os
from functools import cache
from math import prod
from pathlib import Path
from traceback import extract_tb
from typing import Any, NoReturn

from jinja2 import (
    Environment,
    StrictUndefined,
    TemplateError,
    TemplateRuntimeError,
    TemplateSyntaxError,
    UndefinedError,
)
from jinja2.utils import missing

import runtime
from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Parameters
from skeletons.catalogue.file_names import make_word
from skeletons.catalogue.read import BUILTIN
from skeletons.catalogue.sandbox import InnerLoader, Sandbox
from species.core.refusal import Refusal
from species.source.text.code import block, identifier, parenthesised


def render(template: str, folder: Path, target: str, **context: Any) -> str:
    """The text of a template of `folder`, of the target's built-in folder or of the common one; or a file of
    the run-time library, as it is.

    Raises SkeletonError with file and line for a mistake in a template.
    """
    plain = None if (folder / template).is_file() else runtime.file_for(target, template)
    if plain is not None:
        return plain.read_text(encoding="utf-8")
    environment = environment_of(folder, target)
    try:
        return environment.get_template(template).render(context)
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
        if not _is_of_template(error):
            raise
        place = _place(error, folder / template)
        if isinstance(error, _MissingParameterError):
            raise SkeletonError(f"{error}, which {place} reads: give it one under `parameters`") from None
        raise SkeletonError(f"{place}: {error}") from None


class _MissingParameterError(UndefinedError):
    """A template reads a parameter that the skeleton has not."""


class _Undefined(StrictUndefined):
    """What has no value; of a parameter it says which descriptor lacks it."""

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        if isinstance(obj, Parameters):
            hint, exc = f"{obj.descriptor}:1:1: there is no parameter '{name}'", _MissingParameterError
        super().__init__(hint, obj, name, exc)


def environment_of(folder: Path, target: str) -> Environment:
    """Jinja's sandbox with our filters, for the templates of a folder and the shipped ones of a target."""
    return _environment((str(folder), str(BUILTIN / target), str(BUILTIN / "common")))


def _is_of_template(error: Exception) -> bool:
    """Is it the template's mistake, and not one of the program behind it?"""
    last = extract_tb(error.__traceback__)[-1].filename
    return isinstance(error, TemplateError) or last.endswith((".j2", os.path.join("jinja2", "sandbox.py")))


def _place(error: Exception, file: Path) -> str:
    """File and line of the mistake, as far as they are known."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or file}:{error.lineno}"
    inside = [frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    return f"{inside[-1].filename}:{inside[-1].lineno}" if inside else str(file)


@cache
def _environment(folders: tuple[str, ...]) -> Environment:
    environment = Sandbox(
        loader=InnerLoader(list(folders)),
        undefined=_Undefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.globals["refuse"] = refuse
    environment.filters.update(
        block=block,
        parenthesised=parenthesised,
        comment=comment,
        make=make_word,
        identifier=identifier,
        prod=prod,
    )
    return environment


def refuse(reason: str) -> NoReturn:
    """For templates: the kernel does not fit after all, and `reason` is why."""
    raise Refusal(reason)


def comment(text: str) -> str:
    """`text` on one line that can stand inside a C comment."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())
