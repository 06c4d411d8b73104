"""`python -m tests.styles.fuzz --count N`: the style matrix.

Nests that are written in random styles keep their verdicts: the way a program is written does not matter.

Prints the share of loops that keep theirs, whole and by what they are written with; exits with 1 where a
serial loop is called parallel, where threads compute something else, or below `--least`.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.styles.check import Cell, check
from tests.styles.nests import NESTS
from tests.styles.style import Style

LEAST = 0.97


def cell(seed: int) -> Cell:
    """The nest and the style of a number."""
    source = random.Random(seed)
    nest = NESTS[seed % len(NESTS)]
    with tempfile.TemporaryDirectory(prefix="cuvier-style-") as folder:
        return check(nest, Style.draw(source), Path(folder))


def share(cells: Iterable[Cell]) -> float:
    """Of the loops, how many keep their verdicts."""
    kept = [each for one in cells for each in one.kept.values()]
    return sum(kept) / max(1, len(kept))


def table(cells: list[Cell]) -> str:
    """Shares by axis, the worst first."""
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for each in cells:
        for axis, value in {"nest": each.nest.name, **each.style.parts()}.items():
            groups[axis, value].append(each)
    rows = sorted((share(found), axis, value, len(found)) for (axis, value), found in groups.items())
    return "".join(
        f"{part:.3f}  {axis}: {value} ({count})\n" for part, axis, value, count in rows if part < 1
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, help="how many cells of the matrix [default: 200]")
    parser.add_argument("--seed", type=int, default=0, help="the first one's number")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--least", type=float, default=LEAST, help=f"share of verdicts [default: {LEAST}]")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    cells, wrong = [], 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for seed, found in zip(seeds, pool.map(partial(cell), seeds), strict=True):
            cells.append(found)
            missed = [name for name, kept in found.kept.items() if not kept]
            if found.wrong or missed:
                wrong += bool(found.wrong)
                print(
                    f"seed {seed}: {found.nest.name}, {found.style}: {found.wrong or f'missed {missed}'}",
                    flush=True,
                )
    print(
        table(cells)
        + f"{len(cells)} cells, {wrong} wrong, {share(cells):.3f} of the loops keep their verdicts"
    )
    return int(wrong > 0 or share(cells) < options.least)


if __name__ == "__main__":
    sys.exit(main())
