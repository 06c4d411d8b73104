"""Machines for the cache model: their caches, and what runs threads on a GPU, as YAML files."""

from __future__ import annotations

from models.cache.machines.machine import (
    EXTENSIONS,
    CacheLevel,
    CacheMachine,
    Gpu,
    known_machines,
    read_machine,
)

__all__ = ["EXTENSIONS", "CacheLevel", "CacheMachine", "Gpu", "known_machines", "read_machine"]
