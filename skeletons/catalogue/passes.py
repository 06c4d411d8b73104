"""What `--with` asks for beyond what is done by itself: names, and which targets have them.

A transformation that is asked for is made wherever that is legal, whatever its measure says.
"""

from __future__ import annotations

DETERMINISTIC = "deterministic"
LIBRARY = "library"
TENSOR_CORES = "tensor-cores"
FUSE = "fuse"  # of whole nests, a transformation has this name, too
GLUE = "glue"
FEATURES = {
    DETERMINISTIC: "combine floating-point numbers of different threads in a fixed order",
    LIBRARY: "call a library (BLAS) for products that it computes",
    TENSOR_CORES: "make products of doubles on tensor cores",
    FUSE: "make kernels that stand one after the other one kernel",
    GLUE: "make kernels of one thread of host statements between kernels",
}
MEMBERS = "members"
BLOCK = "block"
CARRY = "carry"
SCAN = "scan"  # the pattern that skeletons for scans serve
# What is done without being asked for where a target has skeletons for scans, and can be left out.
FOR_SCANS = {CARRY: "what the iteration before wrote becomes a variable: b[i] = b[i-1] + a[i] is a scan"}
LANES = "lanes"
# What is done without being asked for where loops stay in the host file (OpenMP), and can be left out; CPUs
# through OpenCL have it, too.
FOR_HOSTS = {LANES: "iterations whose inner loops end when data says so run side by side, in vectors"}
# What is done for accelerators without being asked for, and can be left out.
FOR_ACCELERATORS = {
    MEMBERS: "members of structures that a nest reads become variables",
    GLUE: FEATURES[GLUE],
    BLOCK: "sums that change rows in place come in blocks of rows: what one adds to another is a product",
}
OF_SKELETONS = (LIBRARY, TENSOR_CORES)  # skeletons with a transformation of this name are taken only then
_INTEGER_WORDS = frozenset(("char", "short", "int", "long", "signed", "unsigned", "_Bool", "const"))


def may_be_rounded(ctype: str | None) -> bool:
    """May values of a type (None: unknown) be rounded, so that their sums depend on the order?"""
    return ctype is None or not set(ctype.split()) <= _INTEGER_WORDS
