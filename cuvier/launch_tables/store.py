"""The tables of a program on disk, with what they were made from: `NAME_tables.json`, and `NAME_tables.h`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.launch_tables.versioned_program import VersionedProgram
from models.prediction.fitting import ranked
from models.prediction.tables import KernelTables, Points, Row, Size, Tables


@dataclass(frozen=True)
class Launches:
    """Launches of one size of a kernel's version: so many took `seconds` together, and one `fastest`."""

    kernel: str
    version: str  # "host" or "device"
    outer: float
    parallel: float
    work: float
    count: int
    fastest: float
    seconds: float

    @property
    def size(self) -> Size:
        return Size(self.outer, self.parallel, self.work)


@dataclass(frozen=True)
class Run:
    """The program with `arguments`, on the device (`threads` 0) or with so many threads of the host's."""

    arguments: tuple[str, ...]
    threads: int
    launches: tuple[Launches, ...]


@dataclass(frozen=True)
class Measured:
    """All runs of a program; `hashes` of its kernels' texts, the machine by its `processor` and `device`."""

    processor: str
    device: str = ""
    date: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    to_device: Points = ()
    to_host: Points = ()

    def run_of(self, arguments: Sequence[str], threads: int) -> Run | None:
        """A run that was made already."""
        same = (each for each in self.runs if (each.arguments, each.threads) == (tuple(arguments), threads))
        return next(same, None)

    def with_run(self, run: Run, date: str) -> Measured:
        """With one more, which takes the place of an older one."""
        others = [e for e in self.runs if (e.arguments, e.threads) != (run.arguments, run.threads)]
        return replace(self, runs=(*others, run), date=date)

    @property
    def tables(self) -> Tables:
        """What the runs come to."""
        points: dict[str, dict[int, list[tuple[Size, float]]]] = defaultdict(lambda: defaultdict(list))
        for run in self.runs:
            for each in run.launches:
                points[each.kernel][run.threads].append((each.size, each.fastest))
        kernels = {name: self._kernel(name, by_threads) for name, by_threads in sorted(points.items())}
        return Tables(self.device, kernels, self.to_device, self.to_host)

    def _kernel(self, name: str, points: Mapping[int, Sequence[tuple[Size, float]]]) -> KernelTables:
        rows = {threads: found for threads, of in sorted(points.items()) if (found := ranked(of))}
        return KernelTables(self.hashes.get(name, ""), {n: r for n, r in rows.items() if n}, rows.get(0, ()))

    def for_program(self, hashes: Mapping[str, str]) -> Measured:
        """Without what was measured of kernels that are others now."""
        kept = {name for name, value in hashes.items() if self.hashes.get(name) == value}
        runs = [replace(r, launches=tuple(x for x in r.launches if x.kernel in kept)) for r in self.runs]
        return replace(self, hashes=dict(hashes), runs=tuple(run for run in runs if run.launches))


def json_path(program: VersionedProgram) -> Path:
    """Where the tables are kept."""
    return program.folder / f"{program.name}_tables.json"


def load(program: VersionedProgram) -> Measured | None:
    """What was measured; None where nothing was. UserError for a file that is not ours."""
    path = json_path(program)
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        runs = (Run(tuple(r["arguments"]), r["threads"], _launches(r["launches"])) for r in found["runs"])
        curves = ((tuple((b, s) for b, s in found["transfers"][way])) for way in ("to_device", "to_host"))
        return Measured(
            found["processor"], found["device"], found["date"], found["hashes"], tuple(runs), *curves
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not what `cuvier profile` writes ({error}); remove it") from error


def _launches(values: Sequence[Mapping[str, Any]]) -> tuple[Launches, ...]:
    return tuple(Launches(**each) for each in values)


def save(program: VersionedProgram, measured: Measured) -> None:
    """Both files."""
    from cuvier.base.files import write_text

    tables = measured.tables
    write_text(json_path(program), json.dumps(as_json(measured), indent=1) + "\n", program.folder)
    text = tables.c_text(Path(program.manifest["source"]).name)
    write_text(program.folder / f"{program.name}_tables.h", text, program.folder)


def as_json(measured: Measured) -> dict[str, Any]:
    """The document: what was measured, and the tables that it comes to."""
    tables = measured.tables
    return {
        "processor": measured.processor,
        "device": measured.device,
        "date": measured.date,
        "hashes": dict(measured.hashes),
        "kernels": {
            name: {
                "host": {str(threads): _rows(rows) for threads, rows in kernel.host.items()},
                "device": _rows(kernel.device),
            }
            for name, kernel in tables.kernels.items()
        },
        "transfers": {"to_device": measured.to_device, "to_host": measured.to_host},
        "runs": [asdict(run) for run in measured.runs],
    }


def _rows(rows: Sequence[Row]) -> list[dict[str, float]]:
    return [asdict(row) for row in rows]
