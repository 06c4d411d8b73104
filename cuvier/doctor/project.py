"""What a project says of itself: its settings and its build.  Nothing that it names is run."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError
from cuvier.doctor.finding import Finding, good, missing, of_error, problem
from cuvier.doctor.site import Site

if TYPE_CHECKING:
    from cuvier.batch.compile_commands import Build
    from cuvier.batch.config import Config

_WRITE = "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or `bear -- make`, writes one"
_AGAIN = "let your build write it again"
_TRUE = ("1", "true", "t", "yes", "y", "on")  # as the command line reads a variable


def settings(site: Site) -> Finding:
    """Are there some, and are they valid?"""
    from cuvier.batch import config

    try:
        found = config.find(site.project)
        cc = _permitted_compiler(found)
    except UserError as error:
        return of_error("settings", error, "correct it (docs/batch.md lists the keys)")
    if found.path is None:
        return missing("settings", f"no {config.NAMES[0]} in or above {_place(site)}", "cuvier init")
    if cc and not shutil.which(cc):
        return problem("settings", f"{found.place_of('cc')}: 'cc' is '{cc}', which is not here", "install it")
    return good("settings", f"{found.path}, {len(found.values)} key{'s' * (len(found.values) != 1)}")


def _permitted_compiler(found: Config) -> str:
    """The program that the settings name as compiler, if any; UserError for what they may not decide."""
    from cuvier.batch.permitted import permitted
    from species.source.preprocess.run import NO_COMPILER

    is_trusted = os.environ.get("CUVIER_TRUST", "").lower() in _TRUE
    values = permitted(found, lambda: is_trusted)
    checked = {name: values[name]() for name in ("cc", "cache_dir") if name in values}
    words = shlex.split(checked.get("cc", ""))
    return words[0] if words and words[0] != NO_COMPILER else ""


def _place(site: Site) -> str:
    return f"'{os.path.abspath(site.project)}'"


def build(site: Site) -> Finding:
    """Is it known how the project's files are compiled?"""
    from cuvier.batch import compile_commands

    place = _named_build(site) or compile_commands.find(site.project)
    if place is None:
        what = f"no {compile_commands.NAME} in or above {_place(site)}, or in build there"
        return missing("build", what, _WRITE)
    try:
        return _of_commands(compile_commands.read(place))
    except UserError as error:
        return of_error("build", error, _AGAIN)


def _named_build(site: Site) -> Path | None:
    """The one that the settings name."""
    from cuvier.batch import config

    try:
        named = config.find(site.project).values.get("compile_commands")
    except UserError:  # `settings` tells
        return None
    return Path(named) if named else None


def _of_commands(found: Build) -> Finding:
    """Are the files and the compilers that a build names there, and would the compilers be run?"""
    from cuvier.batch.trust import WAY_OUT
    from species.source import PreprocessOptions

    for commands in found.commands.values():
        found.options(commands[0], PreprocessOptions())
    told = f"{found.path}: {len(found.commands)} file{'s' * (len(found.commands) != 1)}"
    gone = [file for file in found.commands if not os.path.exists(file)]
    if gone:
        return problem("build", f"{told}; {len(gone)} gone, such as {gone[0]}", _AGAIN)
    if found.unknown:
        return problem("build", f"{told}; '{min(found.unknown)}' is not run, another compiler is", WAY_OUT)
    if found.missing:
        return problem("build", f"{told}; there is no '{min(found.missing)}' here", "install it")
    return good("build", told)
