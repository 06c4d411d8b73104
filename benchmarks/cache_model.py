"""The speed of the cache model: accesses per second on one core, for traces that are easy and hard for it.

    python benchmarks/cache_model.py

The bar is 5 million accesses per second of processor time.  `share` compares with the first line of the run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

from models.cache import CacheMachine, Shared, Trace, gpu_misses, read_machine, sequential_misses
from models.cache.structures import BLOCK, Record

COUNT = 4_000_000


def filled(address: Callable[[int], int]) -> Trace:
    return Trace((Record * COUNT)(*((address(i), 0, 8, 0) for i in range(COUNT))), COUNT)


def warps() -> Trace:
    """Blocks of 256 threads, each of which reads along a row of 16 cells."""
    records = []
    for block in range(COUNT // 4096):
        records.append((block, BLOCK, 0, 0))
        rows = ((block * 256 + thread, thread) for thread in range(256))
        records += [(8 * (row * 16 + k), 0, 8, thread) for row, thread in rows for k in range(16)]
    return Trace((Record * len(records))(*records), len(records))


def on_cpu(trace: Trace) -> None:
    sequential_misses([Shared(level) for level in read_machine("fermi-16k").levels], trace, 1)


def on_gpu(trace: Trace, machine: CacheMachine) -> None:
    gpu_misses(machine, trace, [0], [0], Shared(machine.levels[1]))


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    for name, address in (
        ("along a row", lambda i: 8 * i),
        ("down columns of 2048", lambda i: 8 * (i % 2048 * 2048 + i // 2048)),
        ("anywhere in 256 MB", lambda i: i * 2654435761 % 2**28 // 8 * 8),
    ):
        trace = filled(address)
        yield name, lambda trace=trace: on_cpu(trace)  # type: ignore[misc]
    threads = warps()
    for name in ("fermi-16k", "h100"):
        machine = read_machine(name)
        yield f"threads on {name}", lambda machine=machine: on_gpu(threads, machine)  # type: ignore[misc]


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    first = 0.0
    on_cpu(Trace((Record * 1)(), 1))  # built and loaded
    for name, run in cases():
        start = time.process_time()
        run()
        rate = COUNT / (time.process_time() - start) / 1e6
        first = first or rate
        print(f"{name:22}  {rate:6.1f} million accesses/s  share {rate / first:.2f}")


if __name__ == "__main__":
    main()
