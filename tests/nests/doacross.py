"""`python -m tests.nests.doacross --count N`: random nests of which every loop carries a dependence.

One to three statements at random uniform distances, in two or three dimensions, with sizes that are numbers
or not, arrays or flattened ones, of ints, floats or doubles, and with what a sweep keeps beside: an extreme,
or a sum of whole numbers.  They are compiled with wavefronts for OpenMP and run on threads, under sanitizers;
results are equal to the bit, as no sum is rounded.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from skeletons import CompileOptions, Library, Program, compile_unit
from skeletons.catalogue.passes import THRESHOLD
from skeletons.schedule.transform import wavefront
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.nests.compared import printed
from transfers import around_kernels

_NAMES = ("t", "i", "j")
_SIZES = (5, 17, 40, 66, 71, 130)
OPTIONS = CompileOptions(wanted=frozenset({wavefront.NAME}), without=frozenset({THRESHOLD}))


def program(seed: int) -> str:
    """A program with one such nest, which prints a hash of its arrays' bits."""
    source = random.Random(seed)
    over_time = source.random() < 0.4  # the outermost loop repeats sweeps over the same cells
    count = 2 if not over_time or source.random() < 0.4 else 3
    loops = _NAMES[: count if over_time else 3][-count:] if not over_time else _NAMES[:count]
    ctype = source.choice(("int", "unsigned", "float", "double"))
    rank = len(loops) - over_time
    sizes = [source.choice(_SIZES) for _ in range(rank)]
    steps, reach = source.choice((3, 18, 35)), 3
    is_flat, is_known = source.random() < 0.4, source.random() < 0.5
    names = [f"n{k}" for k in range(rank)]
    ends = [str(size) if is_known else name for size, name in zip(sizes, names, strict=True)]
    places = [str(size + 2 * reach) for size in sizes]

    def at(array: str, moves: list[int]) -> str:
        parts = [f"{name} + {reach + move}" for name, move in zip(loops[-rank:], moves, strict=True)]
        if not is_flat:
            return array + "".join(f"[{part}]" for part in parts)
        text = parts[0]
        for part, place in zip(parts[1:], places[1:], strict=True):
            text = f"({text}) * {place} + {part}"
        return f"{array}[{text}]"

    def statement(k: int) -> str:
        target, others = "ab"[k % 2], source.choice(("a", "ab", "ab"))
        moves = [[source.randint(-reach, reach) if source.random() < 0.7 else 0 for _ in range(rank)]]
        moves += [[-source.randint(1, 2) if p == axis else 0 for p in range(rank)] for axis in range(rank)]
        terms = [at(source.choice(others), move) for move in moves]
        value = " + ".join(terms) if ctype in ("int", "unsigned") else f"({' + '.join(terms)}) * 0.25"
        value = f"({value}) & 1023" if ctype in ("int", "unsigned") else value
        return f"{at(target, [0] * rank)} = {value};"

    body = "\n".join(statement(k) for k in range(source.choice((1, 1, 2, 3))))
    before, after = _residual(random.Random(f"residual {seed}"), ctype, partial(at, "a", [0] * rank))
    body = f"{before}{body}{after}"
    spans = [str(steps)] if over_time else []
    spans += ends
    text = f"{{ {body} }}"
    for name, end in zip(reversed(loops), reversed(spans), strict=True):
        down = source.random() < 0.1
        header = (
            f"int {name} = {end} - 1; {name} >= 0; {name}--"
            if down
            else f"int {name} = 0; {name} < {end}; {name}++"
        )
        text = f"for ({header})\n{text}"
    cells = " * ".join(places)
    shape = f"[{cells}]" if is_flat else "".join(f"[{place}]" for place in places)
    given = ", ".join(f"int {name}" for name in names)
    return f"""#include <stdio.h>
#include <stdlib.h>
static {ctype} a{shape}, b{shape};
static double worst;
static unsigned total;
static void nest({given})
{{
{"".join(f"(void){name};" for name in names)}
{text}
}}
int main(int argc, char **argv)
{{
  {ctype} *x = ({ctype} *)a, *y = ({ctype} *)b;
  for (int k = 0; k < {cells}; k++) {{ x[k] = (k * 7 + 3) % 11; y[k] = (k * 5 + 1) % 13; }}
  nest({", ".join(f"argc > 1 ? atoi(argv[1]) : {size}" for size in sizes)});
  unsigned long hash = 17;
  const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
  for (unsigned long k = 0; k < sizeof a; k++) hash = hash * 31 + p[k] * 3 + q[k];
  printf("%lu %.17g %u\\n", hash, worst, total);
  return 0;
}}
"""


def _residual(source: random.Random, ctype: str, cell: Callable[[], str]) -> tuple[str, str]:
    """What a sweep remembers of a cell before its statements, and keeps behind them; mostly nothing."""
    kept = (
        "if (change > worst) worst = change;",
        "worst = worst < change ? change : worst;",
        "total += (unsigned)(change * 4);",
        "total += change > 1; if (change > worst) worst = change;",
        "total += (unsigned)change; total ^= 1;",  # no sum
    )
    if source.random() < 0.6:
        return "", ""
    change = f"double change = (double){cell()} - (double)old; if (change < 0) change = -change;"
    return f"{ctype} old = {cell()};\n", f"\n{change} {source.choice(kept)}"


def compiled(text: str) -> Program:
    """The OpenMP program, with wavefronts wherever they are legal."""
    unit = read_translation_unit("program.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), OPTIONS)


def tried(seed: int) -> tuple[int, bool, str]:
    """The number, whether wavefronts were made, and what is wrong."""
    text = program(seed)
    made = compiled(text)
    is_made = any(wavefront.NAME in choice.steps for choice in made.choices)
    with tempfile.TemporaryDirectory(prefix="cuvier-doacross-") as folder:
        before = printed(text, Path(folder), "-ffp-contract=off")
        after = printed(made.files["program.c"], Path(folder), "-ffp-contract=off")
    return seed, is_made, "" if before == after else f"{after.strip()} instead of {before.strip()}"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100, help="how many programs [default: 100]")
    parser.add_argument("--seed", type=int, default=0, help="the first one's number")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    options = parser.parse_args()
    tally: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for seed, is_made, wrong in pool.map(tried, range(options.seed, options.seed + options.count)):
            tally["programs"] += 1
            tally["with wavefronts"] += is_made
            tally["wrong"] += bool(wrong)
            if wrong:
                print(f"seed {seed}: {wrong}", flush=True)
    print(", ".join(f"{number} {name}" for name, number in tally.items()))
    return int(tally["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
