"""What every use needs: Python, the packages, a C compiler, and make."""

from __future__ import annotations

import os
import platform
import shutil
import sys

from cuvier.base.processes import run
from cuvier.doctor.finding import Finding, good, missing, problem
from cuvier.doctor.libraries import Requirement, requirements
from cuvier.doctor.site import Site, complaint
from cuvier.doctor.ways import packages, pip
from cuvier.machine.probes import TIMEOUT

OLDEST = (3, 11)
ISLPY = "islpy"
_NOT_RUN = "name another with --cc, or with TMPDIR a folder whose programs may be run"


def python(_: Site) -> Finding:
    """Is it new enough?"""
    found = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < OLDEST:
        return problem("Python", found, "install Python {}.{} or later".format(*OLDEST))
    return good("Python", found)


def islpy(_: Site) -> Finding:
    """The integer set library: compiled code, that may be there and not load."""
    (wanted,) = [each for each in requirements() if each.name == ISLPY] or [Requirement(ISLPY, "")]
    return _package(wanted) or good(ISLPY, f"{wanted.version}, loads")


def libraries(_: Site) -> Finding:
    """The other packages: all of them, or the first that is not as it must be."""
    others = [each for each in requirements() if each.name != ISLPY]
    if not others:
        return problem("packages", "Cuvier runs without being installed", "pip install . in its folder")
    bad = next((found for each in others if (found := _package(each))), None)
    return bad or good("packages", ", ".join(f"{each.name} {each.version}" for each in others))


def _package(wanted: Requirement) -> Finding | None:
    """What is wrong with a package, if anything is."""
    name, way_out = wanted.name, pip(str(wanted))
    if wanted.version is None:
        return missing(name, "not installed", way_out)
    if not wanted.fits:
        return problem(name, f"{wanted.version}, but {wanted.bounds} is needed", way_out)
    if why := wanted.load_error():
        return problem(name, f"{wanted.version} cannot be loaded ({why})", f"{way_out} --force-reinstall")
    return None


def compiler(site: Site) -> Finding:
    """Which one it is, and whether it builds a program that runs."""
    name, install = "C compiler", packages("gcc", "libc6-dev")
    if site.probes is None:
        what = f"there is no '{site.command[0]}'" if site.command else "none: nothing can be built"
        return missing(name, what, f"{install}, or name one with --cc or CC")
    trial, command = site.first_trial, site.command[0]
    if trial.not_built:
        return problem(name, f"{command} does not compile: {trial.not_built}", install)
    if trial.not_run:
        return problem(name, f"what {command} builds does not run: {trial.not_run}", _NOT_RUN)
    if command != "cc" and not (site.cc or os.environ.get("CC")):  # which `verify` and others look for
        return problem(name, f"{command}, but no 'cc', by which programs are built", f"export CC={command}")
    return good(name, f"{version(site)} ({shutil.which(command)}): compiles")


def version(site: Site) -> str:
    """The first line in which the compiler says what it is."""
    done = run([*site.command, "--version"], site.folder, TIMEOUT)
    lines = done.stdout.decode(errors="replace").splitlines()
    return lines[0].strip() if done.status == 0 and lines else f"of unknown version ({complaint(done)})"


def make(site: Site) -> Finding:
    """With which programs are built."""
    place = shutil.which("make")
    if place is None:
        return missing("make", "none, with which programs are built", packages("make"))
    done = run([place, "--version"], site.folder, TIMEOUT)
    lines = done.stdout.decode(errors="replace").splitlines() or ["of unknown version"]
    return good("make", f"{lines[0].strip()} ({place})")
