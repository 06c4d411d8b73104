"""Orders of threads, ranked by the cache model (seed 003, section 5.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.base.progress_bars import with_progress
from cuvier.misses.examine import DEFAULT_GPU, examine
from cuvier.misses.options import MissOptions
from cuvier.misses.result import KernelMisses, missed
from models.cache import read_machine
from skeletons.catalogue.passes import ORDER
from skeletons.kernel.thread_orders import parse_orders

# What a request costs at a core's cache, at the one that all share, and in memory: assumed, for bandwidths of
# about 10 to 2.5 to 1.
COSTS = (1.0, 4.0, 10.0)
DEFAULT = "default"  # the kernels as they are without an order
_TILES = ((8, 4), (8, 8), (8, 16), (16, 2), (16, 8), (16, 16), (32, 2), (32, 8), (32, 32), (64, 4), (128, 8))
CANDIDATES = (
    "sequential",
    *(f"stride({unit})" for unit in (1, 8, 32)),
    *(f"zigzag({unit})" for unit in (1, 8, 32)),
    *(f"tile({wide},{high})" for wide, high in _TILES),
    *(f"hilbert({side})" for side in (8, 16, 32)),
)
NOTABLE = 0.95
BEST = 3  # orders that are tried once more, with blocks given to cores otherwise


@dataclass(frozen=True)
class Ranked:
    """What a kernel asks of its caches in one order: requests by level, memory last, for so many accesses of
    threads, and what they cost for one of these.
    """

    order: str
    accesses: int
    requests: tuple[int, ...]
    cost: float


@dataclass(frozen=True)
class KernelOrders:
    """The orders of a kernel, the cheapest first."""

    name: str
    file: str
    line: int
    levels: tuple[str, ...]
    ranked: tuple[Ranked, ...]

    @property
    def default(self) -> Ranked:
        return next(each for each in self.ranked if each.order == DEFAULT)

    @property
    def best(self) -> Ranked:
        return self.ranked[0]


def requests(kernel: KernelMisses) -> tuple[int, ...]:
    """How many lines the levels are asked for, and memory behind them."""
    asked = [level.total.accesses for level in kernel.levels]
    return (*asked, missed(kernel.levels[-1].total))


def _seen(order: str, kernel: KernelMisses) -> Ranked:
    asked, accesses = requests(kernel), max(1, kernel.levels[0].total.asked)
    price = sum(number * each for number, each in zip(asked, COSTS, strict=False))
    return Ranked(order, accesses, asked, price / accesses)


def rank_orders(
    path: Path, options: MissOptions, candidates: Sequence[str] = CANDIDATES
) -> list[KernelOrders]:
    """Runs the program of a file with every order, on the host shim.

    UserError where it cannot be built or run.
    """
    found: dict[str, list[KernelMisses]] = {}

    def look(orders: Sequence[str]) -> None:
        for order in with_progress(orders, "Orders"):
            found[order] = list(examine(path, "cuda", _with(options, order)).kernels)

    look((DEFAULT, *candidates))
    gpu = read_machine(options.machine or DEFAULT_GPU).gpu
    best = dict.fromkeys(each.best.order for each in _ranked(path, found))
    better = [order for order in best if order not in (DEFAULT, "sequential")][:BEST]
    look([f"{order}+cores({gpu.cores})" for order in better if gpu is not None])
    return _ranked(path, found)


def _with(options: MissOptions, order: str) -> MissOptions:
    if order == DEFAULT:
        return options
    wanted, orders = options.generation.wanted | {ORDER}, {"": parse_orders(order)}
    generation = replace(options.generation, wanted=wanted, orders=orders, preferred=())
    return replace(options, generation=generation)


def _ranked(path: Path, found: Mapping[str, Sequence[KernelMisses]]) -> list[KernelOrders]:
    """In the order of the kernels; of orders that cost the same, the first of the candidates comes first."""
    kernels = []
    for kernel in found[DEFAULT]:
        seen = [
            _seen(order, each) for order, some in found.items() for each in some if each.name == kernel.name
        ]
        ranked = sorted(seen, key=lambda each: each.cost)
        levels = (*(level.name for level in kernel.levels), "memory")
        kernels.append(KernelOrders(kernel.name, kernel.file, kernel.line, levels, tuple(ranked)))
    return kernels


def as_text(path: Path, machine: str, kernels: Sequence[KernelOrders], most: int = 8) -> str:
    """For people: of every kernel the `most` cheapest orders and the default.  Ends with a newline."""
    lines = [f"{path} on {machine}: lines asked for, for 1,000 accesses of threads", ""]
    for kernel in kernels:
        lines += [f"{kernel.name}  {kernel.file}:{kernel.line}", *_table(kernel, most), _advice(kernel), ""]
    return "\n".join(lines if kernels else [*lines, "no loop of the file runs on a GPU", ""])


def _table(kernel: KernelOrders, most: int) -> Iterator[str]:
    shown = [*kernel.ranked[:most], *(() if kernel.default in kernel.ranked[:most] else (kernel.default,))]
    head = ("order", *kernel.levels, "cost")
    rows = [(each.order, *_numbers(each), f"{each.cost / (kernel.default.cost or 1):.2f}") for each in shown]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "    " + "  ".join([first.strip().ljust(widths[0]), *others])


def _numbers(each: Ranked) -> Iterator[str]:
    """Requests for a thousand accesses of threads."""
    yield from (f"{1000 * number / each.accesses:,.1f}" for number in each.requests)


def _advice(kernel: KernelOrders) -> str:
    best, default = kernel.best, kernel.default
    if len({each.cost for each in kernel.ranked}) == 1:
        return "  no order changes it"
    if best.cost > NOTABLE * default.cost:
        return "  no order is better by more than a twentieth"
    return f"  {default.cost / best.cost:.2f} times as good: --with order={kernel.name}:{best.order}"


def as_json(path: Path, machine: str, kernels: Sequence[KernelOrders]) -> str:
    """Ends with a newline."""
    found = [
        {
            "name": kernel.name,
            "file": kernel.file,
            "line": kernel.line,
            "levels": list(kernel.levels),
            "orders": [
                {"order": r.order, "accesses": r.accesses, "requests": list(r.requests), "cost": r.cost}
                for r in kernel.ranked
            ],
        }
        for kernel in kernels
    ]
    return json.dumps({"file": str(path), "machine": machine, "kernels": found}, indent=2) + "\n"
