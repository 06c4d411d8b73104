#!/usr/bin/env python3
"""The example programs of Bones, with their own species in place, on three targets.

    python benchmarks/bones.py CHECKOUT [--json FILE] [--output docs/bones-examples.md]

CHECKOUT is a checkout of https://github.com/tue-es/bones (third-party: nothing of it is kept here).  Every
program below its examples/ is read, and verified with `cuvier verify` on OpenMP, OpenCL and CUDA, kernels of
which the host shim runs.  FILE keeps what is known already, so that a run that was stopped goes on; with
`--again GLOB` programs are done anew.  With `--small` those of PolyBench have the sizes that their own header
calls small: a machine that others use does not multiply matrices of 2048 by 2048, column by column, in time.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.field.verified import TARGETS, ReadSpecies, Verified, read_species, verify  # noqa: E402

# What a program needs to be C at all.
FLAGS = {"benchmarks/other/dct.c": ("-DPI=3.14159265358979f",)}
Results = dict[str, dict[str, Any]]


def main() -> int:
    options = _options()
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))  # the programs have large arrays on the stack
    with tempfile.TemporaryDirectory() as folder:
        examples = options.checkout / "examples"
        return _run(_small(examples, Path(folder)) if options.small else examples, options)


def _small(examples: Path, folder: Path) -> Path:
    """A copy of the programs in which PolyBench has its small data."""
    copy = Path(shutil.copytree(examples, folder / "examples"))
    header = copy / "benchmarks" / "PolyBench" / "common.h"
    text = header.read_text().replace("#define LARGE_DATASET", "//")
    header.write_text(text.replace("//#define SMALL_DATASET", "#define SMALL_DATASET"))
    return copy


def _run(examples: Path, options: argparse.Namespace) -> int:
    programs = sorted(str(path.relative_to(examples)) for path in examples.rglob("*.c"))
    if not programs:
        print(f"{sys.argv[0]}: no programs below {examples}", file=sys.stderr)
        return 2
    results: Results = json.loads(options.json.read_text()) if options.json.exists() else {}
    wanted = [name for name in programs if fnmatch(name, options.only)]
    for name in sorted(wanted, key=lambda name: name.startswith("benchmarks/")):  # these take longer
        if options.again and fnmatch(name, options.again):
            results.pop(name, None)
        _fill(examples, name, results.setdefault(name, {}), options)
        options.json.write_text(json.dumps(results, indent=1))
    options.output.write_text(
        document({name: results[name] for name in programs if name in results}, small=options.small),
        encoding="utf-8",
    )
    return 0


def _fill(examples: Path, name: str, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Adds what is not known yet of a program."""
    flags = FLAGS.get(name, ())
    if "species" not in result:
        result["species"] = asdict(read_species(examples / name, flags))
    for target in options.targets:
        if target not in result:
            started = time.monotonic()
            found = verify(examples / name, target, options.timeout, flags)
            result[target] = asdict(replace(found, seconds=round(time.monotonic() - started, 1)))
            print(f"{name} {target}: {found.word} {found.note}", file=sys.stderr, flush=True)


def document(results: Results, *, small: bool = False) -> str:
    """The table, as docs/bones-examples.md has it; `small`: PolyBench had its small data."""
    rows = [_row(name, result) for name, result in results.items()]
    lines = ["| program | species read | " + " | ".join(TARGETS) + " | note |", "|---|---|---|---|---|---|"]
    head = _HEAD.format(sizes=_SMALL if small else "", summary=_summary(results.values()))
    return "\n".join([head, *lines, *rows, ""])


def _row(name: str, result: dict[str, Any]) -> str:
    species = ReadSpecies(**result["species"])
    cells = [Verified(**result[target]) if target in result else Verified("not run") for target in TARGETS]
    read = "no" if species.failure else f"{species.right} of {species.stated}"
    notes = [species.failure, *species.complaints, *(cell.note for cell in cells)]
    if FLAGS.get(name):
        notes.insert(0, f"read with `{' '.join(FLAGS[name])}`")
    note = "; ".join(dict.fromkeys(note for note in notes if note)).replace("|", "\\|")
    return f"| {name.removesuffix('.c')} | {read} | {' | '.join(cell.word for cell in cells)} | {note} |"


def _summary(results: Iterable[dict[str, Any]]) -> str:
    results = list(results)
    species = [ReadSpecies(**result["species"]) for result in results]
    read = sum(not each.failure for each in species)
    right, stated = sum(each.right for each in species), sum(each.stated for each in species)
    lines = [
        f"{read} of {len(results)} programs are read with their own pragmas in place; of the {stated} species"
        f" in them {right} mean what the analysis finds."
    ]
    for target in TARGETS:
        words = Counter(result[target]["word"] if target in result else "not run" for result in results)
        counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
        lines.append(f"- {target}: {counts}")
    return "\n".join([lines[0], "", *lines[1:]])


_SMALL = " The programs of PolyBench had the sizes that their header calls small (`--small`)."
_HEAD = """# The examples of Bones

The 80 example programs of [Bones](https://github.com/tue-es/bones), the compiler that Cuvier has its
species from, as `python benchmarks/bones.py CHECKOUT` found them. *Species read* says how many of the species
in the file mean what the analysis finds; the others are warnings (CV005), and cost nothing else. *equal* is
what `cuvier verify` says.

Other words tell apart what is no error of the generated program:

- *equal but for ...*: what differs is explained, as docs/verification.md says: sums in another order are
  rounded in another way, functions of a device differ from those of the host;
- *undefined*: the original program does what C does not define; gcc's sanitizers say what they stop it for;
- *time*: a program did not end within the limit, on this machine at that time;
- *not done*: the note says why;
- *not run*: this table was made without.

*DIFFERENT* is an error.{sizes}

{summary}
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/bones.py", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--json", type=Path, default=Path("bones.json"), metavar="FILE")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "bones-examples.md", metavar="FILE")
    parser.add_argument("--timeout", type=float, default=120.0, metavar="S", help="that a program may run")
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--small", action="store_true", help="PolyBench with its small data")
    parser.add_argument("--only", metavar="GLOB", default="*", help="run these programs")
    parser.add_argument("--again", metavar="GLOB", help="run these programs anew")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
