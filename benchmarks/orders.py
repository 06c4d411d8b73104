"""Orders of threads for the kernels of seed 003, section 5.2, ranked by the cache model.

    python benchmarks/orders.py --machine fermi-16k -o build/orders.md

One thread makes one point, as in the seed, with `--skeleton default`; of the seed's two copies, which have no
dependence here and so a point for each thread, there are running sums instead.  Costs are the model's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # before this folder, which has a transfers.py
from cuvier.misses import MissOptions  # noqa: E402
from cuvier.misses.orders import KernelOrders, rank_orders  # noqa: E402
from skeletons import CompileOptions  # noqa: E402
from species.analysis.options import AnalysisOptions  # noqa: E402
from species.source import PreprocessOptions  # noqa: E402

PROGRAMS = Path(__file__).parent / "orders"


def rows(machine: str, options: MissOptions) -> Iterator[str]:
    yield f"| program on {machine} | best order | cost of the best against the default | sequential | worst |"
    yield "|---|---|---|---|---|"
    for program in sorted(PROGRAMS.glob("*.c")):
        (kernel,) = rank_orders(program, options)
        yield _row(program.stem, kernel)


def _row(name: str, kernel: KernelOrders) -> str:
    default = kernel.default.cost
    plain = next(each for each in kernel.ranked if each.order == "sequential")
    costs = (kernel.best.cost, plain.cost, kernel.ranked[-1].cost)
    best, sequential, worst = (f"{each / default:.2f}" for each in costs)
    return (
        f"| {name} | `{kernel.best.order}` | {best} | {sequential} | {worst} (`{kernel.ranked[-1].order}`) |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", default="fermi-16k", help="as for cuvier cache [fermi-16k]")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the table there too")
    given = parser.parse_args()
    plain = CompileOptions(preferred=("default",))
    options = MissOptions(PreprocessOptions(), AnalysisOptions(), plain, machine=given.machine, launches=1)
    lines = []
    for line in rows(given.machine, replace(options, limit=5_000_000)):
        print(line, flush=True)
        lines.append(line)
    if given.output:
        given.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
