"""`python -m tests.oracle.fuzz --count N [--seed S]`: looks for claims that an execution refutes."""

from __future__ import annotations

import argparse
import collections
import random
import sys
from collections.abc import Iterator

from pycparser.c_parser import CParser

from tests.oracle.check import Program, Wrong
from tests.oracle.generator import PRELUDE, Generator, callers
from tests.oracle.memory import UndefinedError
from tests.oracle.statements import Compiler

BATCH = 20


def generated(seed: int) -> str:
    """The text of one function, `f<seed>`."""
    return Generator(random.Random(seed)).function(f"f{seed}")


def disagreements(seeds: range, counts: collections.Counter[str]) -> Iterator[tuple[int, Wrong]]:
    """The wrong claims about the functions of some seeds, analysed as one file."""
    texts = {}
    for seed in seeds:
        text = generated(seed)
        try:
            Compiler().file(CParser().parse(PRELUDE + text))
        except UndefinedError as error:
            counts[f"not executable: {error}"] += 1
            continue
        texts[seed] = text
    try:
        program = Program(PRELUDE + "".join(texts.values()))
    except Exception as error:
        yield seeds.start, Wrong(f"f{seeds.start}", f"crash: {error!r}")
        return
    for loop in program.facts.loops:
        counts[loop.verdict.value] += 1
    for seed in texts:
        for wrong in program.check(f"f{seed}", callers(seed), seed):
            yield seed, wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    counts: collections.Counter[str] = collections.Counter()
    found = 0
    for start in range(options.seed, options.seed + options.count, BATCH):
        for seed, wrong in disagreements(
            range(start, min(start + BATCH, options.seed + options.count)), counts
        ):
            found += 1
            print(f"{wrong.loop}: {wrong.message}\n{generated(seed)}", flush=True)
    print(f"{options.count} functions, {dict(counts)}, {found} wrong claims")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
