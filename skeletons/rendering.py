"""Jinja: where templates are found, and the filters that they may use."""

from __future__ import annotations

from functools import cache
from math import prod
from pathlib import Path
from typing import Any, NoReturn

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from skeletons.catalogue import BUILTIN
from skeletons.ctext import block, identifier, parenthesised
from skeletons.dialect import Refusal
from skeletons.errors import SkeletonError


def render(template: str, folder: Path, target: str, **context: Any) -> str:
    """The text of a template of `folder`, of the target's built-in folder or of the common one."""
    environment = _environment((str(folder), str(BUILTIN / target), str(BUILTIN / "common")))
    try:
        return environment.get_template(template).render(context)
    except TemplateError as error:
        raise SkeletonError(f"{folder / template}: {error}") from None


@cache
def _environment(folders: tuple[str, ...]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(list(folders)),
        undefined=StrictUndefined,
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


def make_word(text: str) -> str:
    """`text` as one word of a shell command in a Makefile."""
    quoted = "'" + text.replace("'", "'\\''") + "'" if any(c not in _PLAIN for c in text) else text
    return quoted.replace("$", "$$").replace("#", "\\#")


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")
