"""How fast is a run over a tree, cold and from the cache, and how much memory does a worker take?

    python benchmarks/batch.py [DIRECTORY or NUMBER [OPTION ...]]

Without a directory, it generates so many files [2,000].  Options are those of `cuvier report`, such as
-p build or --jobs 1.  Lines are those of the files that were analysed, not of what they include.  A core's
time is processor time, that of the preprocessor included, so that a busy machine does not distort it; the
time of the warm run is by the clock.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FILES = 2000
BARS = "bars: 20,000 lines a minute per core cold, 5 s warm for 2,000 files, 500 MB per worker"

HEADER = """#ifndef SIZES_H
#define SIZES_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
enum {{ ROWS = {0}, COLUMNS = 64 }};
struct grid {{ double cells[ROWS][COLUMNS]; int used; }};
double norm(const struct grid *g);
#endif
"""
SOURCE = """/* Part {0} of a program that does what programs do. */
#include "../sizes.h"

static double weights_{0}[COLUMNS];

static int limited(int value, int low, int high)
{{
  if (value < low)
    return low;
  return value > high ? high : value;
}}

int parse_{0}(const char *text, int *numbers, int most)
{{
  int count = 0;
  while (*text && count < most) {{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text) {{
      text++;
      continue;
    }}
    numbers[count++] = limited((int)value, -{0}, {0});
    text = end;
  }}
  return count;
}}

void smooth_{0}(struct grid *to, const struct grid *from)
{{
  for (int i = 1; i < ROWS - 1; i++)
    for (int j = 1; j < COLUMNS - 1; j++)
      to->cells[i][j] = 0.25 * (from->cells[i - 1][j] + from->cells[i + 1][j]
                              + from->cells[i][j - 1] + from->cells[i][j + 1]);
  to->used = from->used;
}}

double norm_{0}(const struct grid *g)
{{
  double sum = 0;
  for (int j = 0; j < COLUMNS; j++)
    sum += weights_{0}[j] * fabs(g->cells[{0} % ROWS][j]);
  return sqrt(sum);
}}

void print_{0}(FILE *to, const struct grid *g)
{{
  for (int i = 0; i < ROWS; i++)
    fprintf(to, "%d %g\\n", i, g->cells[i][0]);
}}
"""


def generate(folder: Path, files: int) -> None:
    """A tree of so many files, in folders of a hundred."""
    (folder / "sizes.h").write_text(HEADER.format(128))
    for number in range(files):
        path = folder / f"part{number // 100}" / f"file{number}.c"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SOURCE.format(number))


@dataclass(frozen=True)
class Measurement:
    """A run: seconds by the clock and of processors, and the most memory of any process of it in bytes."""

    clock: float
    processor: float
    memory: int
    document: dict[str, list[dict[str, str]]]


def measure(tree: Path, cache: Path, options: list[str]) -> Measurement:
    """Report on the tree; the document is that of the report."""
    output = cache.parent / "report.json"
    command = [sys.executable, "-m", "cuvier", "report", "--format", "json", "-o", str(output)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([*command, "--cache-dir", str(cache), *options, str(tree)], stderr=subprocess.PIPE)
    clock, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode("utf-8", "replace"))
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measurement(clock, processor, after.ru_maxrss * 1024, json.loads(output.read_bytes()))


def lines_of(document: dict[str, list[dict[str, str]]]) -> tuple[int, int]:
    """Files that were analysed, and lines in them."""
    files = [unit["file"] for unit in document["units"] if unit["status"] != "failed"]
    return len(files), sum(Path(file).read_bytes().count(b"\n") for file in files)


def main() -> None:
    if {"-h", "--help"} & set(sys.argv[1:2]):
        print(__doc__)
        return
    with tempfile.TemporaryDirectory(prefix="cuvier-bench-") as name:
        work = Path(name)
        named = sys.argv[1] if len(sys.argv) > 1 else str(FILES)
        tree = Path(named)
        if named.isdecimal():
            tree = work / "tree"
            tree.mkdir()
            generate(tree, int(named))
        cold = measure(tree, work / "cache", sys.argv[2:])
        warm = measure(tree, work / "cache", sys.argv[2:])
        assert warm.document == cold.document
        files, lines = lines_of(cold.document)
        lost = len(cold.document["units"]) - files
        print(f"{files:,} files ({lost} could not be analysed), {lines:,} lines")
        speed = lines / cold.processor * 60
        print(
            f"cold: {cold.clock:.1f} s, {cold.processor:.1f} s of processors:"
            f" {speed:,.0f} lines a minute per core"
        )
        print(f"warm: {warm.clock:.2f} s, {warm.processor:.2f} s of processors")
        print(f"the most memory of a process: {cold.memory / 2**20:.0f} MB")
        print(BARS)


if __name__ == "__main__":
    main()
