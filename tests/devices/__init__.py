"""Programs for several devices: how they are built and run, and what they moved."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support import accelerated
from tests.support.places import TESTS

PROGRAMS = TESTS / "devices"
QUIET = ("-Wno-unused-parameter", "-Wno-unused-function")


@dataclass(frozen=True)
class Built:
    """A program for several devices, and what the original prints."""

    target: str
    binary: Path
    printed: str
    said: dict[str, str]  # of each kernel: how devices share it, or why they do not

    def run(self, devices: int, **settings: str) -> Moves:
        """Its moves on so many devices; AssertionError where it prints something else than the original."""
        counters = self.binary.parent / "counters.json"
        numbers = range(devices) if self.target == "cuda" else [0] * devices
        environment = {
            "CUVIER_DEVICES": ",".join(map(str, numbers)),
            "CUVIER_SHIM_DEVICES": str(devices),
            "CUVIER_COUNTERS": str(counters),
            "CUVIER_LAUNCH_ALL": "1",
            "ASAN_OPTIONS": "detect_leaks=0",
            **settings,
        }
        assert accelerated.run(self.binary, **environment) == self.printed
        return Moves(json.loads(counters.read_text()))


@dataclass(frozen=True)
class Moves:
    """The counters of a run."""

    counters: dict[str, Any]

    def across(self, array: str = "") -> Counter[tuple[int, int]]:
        """Bytes from device to device, of an array or of all."""
        found: Counter[tuple[int, int]] = Counter()
        for copy in self.counters["copies"]:
            if copy["direction"] == "across" and array in ("", copy["array"]):
                found[copy["from"], copy["to"]] += copy["bytes"]
        return found

    def of_host(self, direction: str, array: str) -> int:
        """Bytes from the host ("in") or to it ("out")."""
        copies = self.counters["copies"]
        return sum(c["bytes"] for c in copies if (c["direction"], c["array"]) == (direction, array))


def build(
    source: Path, folder: Path, target: str = "cuda", defines: tuple[str, ...] = (), **settings: Any
) -> Built:
    """The program of a file for all devices that there are, under sanitizers where it is one for the shim;
    what must not be looked at is poisoned.
    """
    folder.mkdir(exist_ok=True)
    text = "".join(f"#define {name.replace('=', ' ')}\n" for name in defines) + source.read_text()
    source = folder / source.name
    source.write_text(text)
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True, parts=True)
    unit = read_translation_unit(str(source), flags)
    options = CompileOptions(devices=None, strict_fp=True, **settings)
    program = generate(unit, analyse(unit, analysis), target, Library.load(), flags, analysis, options)
    out = folder / "out"
    write_program(program, out)
    written = accelerated.Written(source.stem, out, program.choices)
    builder = accelerated.build_shim if target == "cuda" else accelerated.build_opencl
    plain = accelerated.run(accelerated.build_plain(source, folder, QUIET))
    said = {c.kernel.name: why for c in program.choices for name, _, why in c.why if name == "devices"}
    return Built(target, builder(written, (*QUIET, "-DCUVIER_POISON")), plain, said)


def complaint(built: Built, **settings: str) -> str:
    """What a program says that ends with status 1."""
    environment = {"PATH": "/usr/bin:/bin", **settings}
    done = subprocess.run([built.binary], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1, done
    return done.stderr


__all__ = ["PROGRAMS", "Built", "Moves", "build", "complaint"]
