"""What programs for OpenMP need: threads, and the vectors of this processor."""

from __future__ import annotations

import os

from cuvier.doctor.finding import Finding, good, missing, problem, untried
from cuvier.doctor.needed import version
from cuvier.doctor.site import Site
from cuvier.doctor.ways import packages
from cuvier.machine import limits

_NEWER = "name a newer compiler with --cc or CC"
_SETTINGS = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT")


def threads(site: Site) -> Finding:
    """Is a program with threads built, and how many does it have?"""
    if not site.can_build:
        return untried("OpenMP")
    trial = site.tried("openmp.c", "-fopenmp")
    if trial.not_built:
        return missing("OpenMP", f"-fopenmp does not build: {trial.not_built}", _library(site))
    if trial.not_run:
        return problem("OpenMP", f"a program with -fopenmp does not run: {trial.not_run}", _library(site))
    count, date = trial.printed.split()
    cores = limits.count(limits.cores())
    said = ", ".join(f"{name}={os.environ[name]}" for name in _SETTINGS if name in os.environ)
    found = f"{count} thread{'s' * (count != '1')} on {cores} core{'s' * (cores != 1)}"
    return good("OpenMP", f"{found}{f' ({said})' if said else ''}, version {date}")


def _library(site: Site) -> str:
    """clang's library of OpenMP is a package of its own."""
    is_clang = "clang" in version(site)
    return packages("libomp-dev") if is_clang else f"{packages('gcc', 'libgomp1')}, or name gcc with --cc"


def vectors(site: Site) -> Finding:
    """Does the compiler know this processor, and does the processor run what is made for it?"""
    if site.probes is None or not site.can_build:
        return untried("vectors")
    flags = site.probes.native
    if not flags:
        return problem("vectors", "the compiler takes no -march=native", _NEWER)
    trial = site.tried("serial.c", *flags)
    if why := trial.not_built or trial.not_run:
        return problem("vectors", f"what {flags[0]} builds does not run: {why}", _NEWER)
    return good("vectors", f"{flags[0]}, {8 * site.probes.vector_bytes()} bits")
