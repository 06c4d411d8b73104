"""What was built before is taken from its folder: a machine with a GPU then only runs it.

Beside each executable stands what its kernels are (`built.json`), and what the original prints stands in
`expected.json`; both say of which text and sizes, so that others are made anew.  Folders can be moved, also
to another machine that the executables run on.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .contenders import gcc
from .devices import Builder, Built, Kernel, Variant
from .programs import Program
from .running import execute

PATIENCE = 600.0  # seconds for the original


def build(builder: Builder, program: Program, variant: Variant, folder: Path) -> Built:
    """The program that was built in `folder`, or is now; BuildError where that fails."""
    file = folder / "built.json"
    kernels = _read(file, program)
    if kernels is None:
        built = builder.build(program, variant, folder)
        _write(file, program, [asdict(kernel) for kernel in built.kernels.values()])
        return built
    found = [Kernel(**kernel) for kernel in kernels]
    return Built([str(folder / "out" / program.name)], {kernel.name: kernel for kernel in found})


def expected(builder: Builder, program: Program, folder: Path) -> str:
    """What the original prints."""
    file = folder / "expected.json"
    text: str | None = _read(file, program)
    if text is None:
        folder.mkdir(parents=True, exist_ok=True)
        text = execute(gcc(builder.shop, program, folder), 0, 0.0, 1, grace=PATIENCE).outputs[0]
        _write(file, program, text)
    return text


def _of(program: Program) -> str:
    return hashlib.sha256("\n".join([program.timed(), *program.macros]).encode()).hexdigest()


def _read(file: Path, program: Program) -> Any:
    """What was kept of this very program, or None."""
    if not file.exists():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    return kept["is"] if kept["of"] == _of(program) else None


def _write(file: Path, program: Program, found: Any) -> None:
    file.write_text(json.dumps({"of": _of(program), "is": found}, indent=1), encoding="utf-8")
