"""What is good to have: extras, a description of the machine, a cache."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError
from cuvier.doctor.finding import Check, Finding, good, missing, of_error, problem
from cuvier.doctor.libraries import PACKAGE, requirements
from cuvier.doctor.site import Site
from cuvier.doctor.ways import pip

if TYPE_CHECKING:
    from models.machine import Machine

EXTRAS = {"lsp": "`cuvier lsp`", "ray": "`--engine ray`"}  # and what needs them


def extras() -> tuple[Check, ...]:
    """A check for each."""
    return tuple(partial(_extra, name=name) for name in EXTRAS)


def _extra(_: Site, name: str) -> Finding:
    wanted, way_out = requirements(name), pip(f"{PACKAGE}[{name}]")
    lacking = [each.name for each in wanted if each.version is None]
    if lacking or not wanted:
        return missing(name, f"{', '.join(lacking) or name}, which {EXTRAS[name]} needs", way_out)
    found = ", ".join(f"{each.name} {each.version}" for each in wanted)
    if not all(each.fits for each in wanted):
        return problem(name, f"{found}, but {', '.join(map(str, wanted))} is needed", way_out)
    return good(name, f"{found}, for {EXTRAS[name]}")


def machine(_: Site) -> Finding:
    """The description by which programs are fitted: is it there, and is it of this machine?"""
    from cuvier.machine.known_machines import path_of
    from cuvier.machine.store import BUILT_IN, SYSTEM, VARIABLE, default_path, load

    named = os.environ.get(VARIABLE) or None
    measure = f"cuvier machine{f' --output {named}' if named and not path_of(named) else ''}"
    if named == BUILT_IN:
        return good("machine file", f"the built-in description, as {VARIABLE} says")
    try:
        told = load(None)
    except UserError as error:
        return of_error("machine file", error, measure)
    if told.origin == SYSTEM:
        return missing("machine file", f"none at {default_path()}: rates are assumed", measure)
    return _compared(told, measure)


def _compared(told: Machine, measure: str) -> Finding:
    """A description beside what the system says."""
    from cuvier.machine.system import read_system

    here = read_system()
    if told.cores != here.cores or told.name != here.name:
        found = f"{told.origin} describes {told.name}, {told.cores} cores; this is {here.name}, {here.cores}"
        return problem("machine file", found, measure)
    return good("machine file", f"{told.origin}: {told.name}, {told.cores} cores")


def cache(_: Site) -> Finding:
    """May results be kept?"""
    from cuvier.batch.cache import default_folder

    folder = default_folder()
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            return good("cache", f"{folder}{'' if there == folder else ', to be made'}")
    except OSError as error:
        found = f"nothing is kept: {error.strerror} ('{there}')"
        return problem("cache", found, "set XDG_CACHE_HOME to a folder that may be written to")
