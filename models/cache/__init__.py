"""The cache model: reuse distances of traces, and misses by kind, on CPUs and GPUs (seed 003, 5.1)."""

from __future__ import annotations

from models.cache.counts import NOTHING, LevelMisses, Misses
from models.cache.machines import EXTENSIONS, CacheLevel, CacheMachine, Gpu, known_machines, read_machine
from models.cache.model import SequentialRun, Shared, Step, gpu_misses, sequential_misses
from models.cache.structures import KINDS
from models.cache.trace import Access, Trace

__all__ = [
    "EXTENSIONS",
    "KINDS",
    "NOTHING",
    "Access",
    "CacheLevel",
    "CacheMachine",
    "Gpu",
    "LevelMisses",
    "Misses",
    "SequentialRun",
    "Shared",
    "Step",
    "Trace",
    "gpu_misses",
    "known_machines",
    "read_machine",
    "sequential_misses",
]
