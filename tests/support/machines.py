"""Machines that tests compile for."""

from __future__ import annotations

from dataclasses import replace

from models.machine import ASSUMED, DEFAULT, Machine

TWO_CORES = replace(ASSUMED, api="opencl", kind="cpu", units=2)  # as OpenCL has them


def with_device(**facts: float) -> Machine:
    """The default machine, whose processor OpenCL knows: two cores, of which there are `facts`."""
    return replace(DEFAULT, devices=(replace(TWO_CORES, **facts),))  # type: ignore[arg-type]


CORES = with_device()
