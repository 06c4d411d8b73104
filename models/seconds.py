"""Time from amounts: what one core takes for operations and bytes."""

from __future__ import annotations

from models.machine import Machine

SCALAR = 16  # times as many operations as other code make vectors of multiply-adds


def core_seconds(operations: float, moved: float, machine: Machine, *, double: bool = True) -> float:
    """What one core takes for so many operations, without vectors, and bytes."""
    peak = (machine.double if double else machine.single).one / SCALAR
    return max(operations / peak, moved / machine.bandwidth.one)
