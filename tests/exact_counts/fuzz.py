"""`python -m tests.exact_counts.fuzz --count N --seed S`: symbolic counts against counting one by one."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import islpy as isl

from models.counting.counts import Count
from models.counting.loops import CountingLoops
from models.counting.sets import counted
from tests.exact_counts.generator import Nest, nest

VALUES = tuple({"n": n, "m": m} for n, m in ((0, 0), (1, 2), (2, 5), (4, 1), (5, 5), (7, 3), (-3, 4)))
TOGETHER = 100  # nests in one C program


@dataclass(frozen=True)
class Trial:
    """A count, and how many points there are for each of VALUES."""

    count: Count | CountingLoops
    expected: tuple[int, ...]
    what: str

    def mistake(self) -> str:
        """What the formulas come to otherwise; empty: nothing."""
        function = self.count.python_function()
        for values, expected in zip(VALUES, self.expected, strict=True):
            found = self.count.value(values), function(*(values[name] for name in self.count.parameters))
            if set(found) != {expected}:
                return f"{self.what} for {values}: {found} instead of {expected}"
        return ""


def trials(one: Nest) -> list[Trial]:
    """The iterations of a nest, and the cells that it touches."""
    domain, cells = isl.Set(one.domain()), isl.Map(one.accesses())
    iterations = tuple(sum(1 for _ in one.iterations(values)) for values in VALUES)
    touched = tuple(len(one.cells(values)) for values in VALUES)
    return [
        Trial(counted(domain), iterations, f"iterations of {one.domain()}"),
        Trial(counted(domain.apply(cells)), touched, f"cells of {one.accesses()} from {one.domain()}"),
    ]


def mistakes_in_c(found: list[Trial], folder: Path, *flags: str) -> list[str]:
    """What compiled C functions come to otherwise; with a sanitizer in `flags`, what that says, too."""
    functions = "".join(trial.count.c_function(f"count_{k}") for k, trial in enumerate(found))
    lines = list[str]()
    for k, trial in enumerate(found):
        for values, expected in zip(VALUES, trial.expected, strict=True):
            given = ", ".join(str(values[name]) for name in trial.count.parameters)
            lines.append(f'  if (count_{k}({given}) != {expected}LL) printf("{k}\\n");')
    source, binary = folder / "counts.c", folder / "counts"
    source.write_text("#include <stdio.h>\n" + functions + "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run(["gcc", "-w", "-O0", *flags, str(source), "-o", str(binary)], check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=False)
    wrong = [found[int(line)].what for line in dict.fromkeys(done.stdout.split())]
    return wrong + ([done.stderr] if done.returncode else [])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes, waiting, wrong = Counter[str](), list[Trial](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.seed, options.seed + options.count):
            found = trials(nest(random.Random(number)))
            outcomes["domains"] += len(found)
            outcomes["empty"] += sum(not any(trial.expected) for trial in found)
            outcomes["by loops"] += sum(isinstance(trial.count, CountingLoops) for trial in found)
            wrong += [f"seed {number}: {told}" for trial in found if (told := trial.mistake())]
            waiting += found
            if len(waiting) >= 2 * TOGETHER:
                wrong += mistakes_in_c(waiting, Path(folder))
                waiting = []
                print(f"{outcomes['domains']} domains, {len(wrong)} mistakes", file=sys.stderr)
        wrong += mistakes_in_c(waiting, Path(folder)) if waiting else []
    print(
        ", ".join(f"{count} {name}" for name, count in outcomes.items()), f"{len(wrong)} mistakes", sep=", "
    )
    print(*wrong[:20], sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
