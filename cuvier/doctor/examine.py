"""All checks, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cuvier.doctor import cuda, needed, opencl, openmp, optional, project
from cuvier.doctor.finding import Check, Finding, Mark, problem
from cuvier.doctor.site import Site

NEEDED = "needed"
SECTIONS: tuple[tuple[str, tuple[Check, ...]], ...] = (
    (NEEDED, (needed.python, needed.islpy, needed.libraries, needed.compiler, needed.make)),
    ("for OpenMP", (openmp.threads, openmp.vectors)),
    ("for OpenCL", (opencl.headers, opencl.library, opencl.devices)),
    ("for CUDA", (cuda.nvcc, cuda.gpu, cuda.host_shim)),
    (
        "optional",
        (*optional.extras(), optional.machine, optional.cache, project.settings, project.build),
    ),
)
Found = tuple[str, Finding]  # with the title of its section


def examination(site: Site) -> Iterator[Found]:
    """What all checks find, one after the other."""
    for title, checks in SECTIONS:
        for check in checks:
            yield title, carried_out(check, site)


def carried_out(check: Check, site: Site) -> Finding:
    """What a check finds; where it needs a package that does not load, that."""
    try:
        return check(site)
    except ImportError as error:
        name = getattr(check, "__name__", "a check").replace("_", " ")
        package = (error.name or "a package").partition(".")[0]
        return problem(name, f"not tried: '{package}' cannot be loaded", "see 'needed' above")


def lacking(found: Iterable[Found]) -> list[str]:
    """The names of what is needed and is not there, or does not work."""
    return [each.name for title, each in found if title == NEEDED and each.mark is not Mark.OK]
