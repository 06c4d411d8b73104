"""What programs for OpenCL need: headers, a library, and a device that runs a kernel."""

from __future__ import annotations

from cuvier.doctor.finding import Finding, good, missing, problem, untried
from cuvier.doctor.site import Site
from cuvier.doctor.ways import packages

_DEVELOPMENT = ("ocl-icd-opencl-dev",)
_POCL = ("pocl-opencl-icd", *_DEVELOPMENT)
_LINK = "-lOpenCL"
_OTHERS = "CUVIER_OPENCL_PLATFORM and CUVIER_OPENCL_DEVICE name another"


def headers(site: Site) -> Finding:
    """CL/cl.h."""
    return _part(site, "headers", "CL/cl.h", "header.c")


def library(site: Site) -> Finding:
    """The loader, which finds the platforms."""
    return _part(site, "library", "libOpenCL", "serial.c", _LINK)


def _part(site: Site, name: str, what: str, source: str, *flags: str) -> Finding:
    if not site.can_build:
        return untried(name)
    trial = site.tried(source, *flags)
    if trial.not_built:
        return missing(name, f"no {what} ({trial.not_built})", packages(*_DEVELOPMENT))
    if trial.not_run:
        return problem(name, f"{what}: {trial.not_run}", packages(*_DEVELOPMENT))
    return good(name, what)


def devices(site: Site) -> Finding:
    """Those of all platforms; does the one that programs take run a kernel?"""
    if not site.can_build:
        return untried("devices")
    trial, install = site.tried("opencl.c", _LINK), packages(*_POCL)
    if trial.not_built:
        return missing("devices", "not asked, for want of headers or library", install)
    if trial.not_run:
        return problem("devices", f"a driver fails: {trial.not_run}", f"{install}, or {_OTHERS}")
    return _told(trial.printed, install)


def _told(printed: str, install: str) -> Finding:
    """What the lines of opencl.c mean."""
    lines = [line.partition(" ") for line in printed.splitlines()]
    found = [value for key, _, value in lines if key == "device"]
    chosen = next((value for key, _, value in lines if key == "chosen"), None)
    shown = "; ".join(found)
    if not found:
        return missing("devices", "no platform has one", install)
    if chosen is None:
        return problem("devices", f"{shown}, and none that the environment names", _OTHERS)
    if not any(key == "ran" for key, _, _ in lines):
        return problem("devices", f"{shown}; {chosen} runs no kernel", f"{install}, or {_OTHERS}")
    return good("devices", shown if len(found) == 1 else f"{shown}; programs take {chosen}")
