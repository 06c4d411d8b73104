"""The structures of native/*.h, for ctypes: the same fields in the same order."""

from __future__ import annotations

from ctypes import Structure, c_uint16, c_uint32, c_uint64

KINDS = ("compulsory", "capacity", "associativity", "mshr", "latency")
BUCKETS, GROUPS = 34, 16
NEVER = 0xFFFFFFFF
BLOCK, BARRIER = 0xFFFFFFFF, 0xFFFFFFFE
WRITE, INSTRUCTION = 0x8000, 0x4000
WRITES = ("allocate", "through", "evict")


class Record(Structure):
    """One access, its kind the size in bytes with WRITE or INSTRUCTION; or a block's start; or a barrier."""

    _fields_ = (
        ("address", c_uint64),
        ("reference", c_uint32),
        ("kind", c_uint16),
        ("thread", c_uint16),
    )


class Shape(Structure):
    """A cache."""

    _fields_ = (
        *((name, c_uint32) for name in ("line_bytes", "sector_bytes", "lines", "sets", "ways")),
        *((name, c_uint32) for name in ("hashed", "writes", "sampled")),
        ("parities", c_uint64 * 16),
    )


class Machine(Structure):
    """What runs the threads of a GPU."""

    _fields_ = (
        *((name, c_uint32) for name in ("cores", "simulated", "lanes", "active_blocks", "active_threads")),
        *((name, c_uint32) for name in ("registers", "registers_of_warp", "hit_latency", "miss_latency")),
        *((name, c_uint32) for name in ("deviation", "clips", "diverges", "coalesces")),
        ("seed", c_uint64),
    )


class Tally(Structure):
    """What is counted for a reference."""

    _fields_ = (
        ("turns", c_uint64),
        ("asked", c_uint64),
        ("accesses", c_uint64),
        ("misses", c_uint64 * len(KINDS)),
        ("distances", c_uint64 * BUCKETS),
    )


class StepNoted(Structure):
    """What one request did."""

    _fields_ = (
        *((name, c_uint64) for name in ("time", "number", "effect")),
        *((name, c_uint32) for name in ("distance", "kind")),
    )


Groups = c_uint64 * 2 * GROUPS
