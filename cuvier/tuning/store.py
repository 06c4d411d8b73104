"""What tuning found, in a file: by device, target, skeleton, species and class of sizes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.base.files import check_writable, require_file, write_text
from models.machine import Machine
from skeletons.select.tuned import Tuned, TuningKey

_VERSION = 1


@dataclass(frozen=True)
class Result:
    """The best parameters of a key on a device; `seconds` are those of one run of the program."""

    device: str
    target: str
    key: TuningKey
    parameters: dict[str, int]
    seconds: float
    before: float  # seconds with the parameters that it would have had


def default_path() -> Path:
    """`cuvier/tuned.json` where programs keep such things (XDG_CACHE_HOME, or ~/.cache)."""
    folder = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(folder) if os.path.isabs(folder) else Path.home() / ".cache") / "cuvier" / "tuned.json"


def read(path: Path) -> list[Result]:
    """All results; UserError where the file is none of ours."""
    try:
        data = json.loads(require_file(path).read_text(encoding="utf-8"))
        if data["version"] != _VERSION:
            raise UserError(f"'{path}' was written by another version of cuvier; remove it, or name another")
        return [_result(item) for item in data["results"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"'{path}' holds no results of `cuvier tune` ({type(error).__name__}); remove it, or name another"
        ) from error


def _result(item: dict[str, Any]) -> Result:
    key = TuningKey(str(item["skeleton"]), str(item["species"]), str(item["size"]))
    parameters = {str(name): int(value) for name, value in item["parameters"].items()}
    seconds, before = float(item["seconds"]), float(item["before"])
    return Result(str(item["device"]), str(item["target"]), key, parameters, seconds, before)


def values_of(result: Result) -> dict[str, Any]:
    """The result as JSON has it."""
    values = asdict(result)
    key = values.pop("key")
    return {"device": values.pop("device"), "target": values.pop("target"), **key, **values}


def check_kept(path: Path) -> None:
    """UserError unless the file has results or is none, and can be written; what it has stays."""
    if path.exists():
        read(path)
    check_writable(path)


def keep(path: Path, results: list[Result]) -> None:
    """Put results into the file, in the places of older ones with the same keys."""
    known = {_place(result): result for result in (read(path) if path.exists() else [])}
    known |= {_place(result): result for result in results}
    values = [values_of(result) for _, result in sorted(known.items())]
    write_text(path, json.dumps({"version": _VERSION, "results": values}, indent=2) + "\n")


def _place(result: Result) -> tuple[str, str, TuningKey]:
    return result.target, result.device, result.key


def tuned_for(path: Path, target: str, machine: Machine) -> Tuned:
    """The parameters for a target.

    Where there are results of several devices, the description of the machine says which is meant; UserError
    where it does not.
    """
    if not path.exists():
        raise UserError(f"no results of tuning in '{path}'; `cuvier tune FILE --target {target}` finds some")
    found = [result for result in read(path) if result.target == target]
    devices = sorted({result.device for result in found})
    if len(devices) > 1:
        devices = [device for device in devices if device == described(machine, target)]
        if not devices:
            names = ", ".join(sorted({f"'{result.device}'" for result in found}))
            raise UserError(
                f"'{path}' has results of {names} for target {target}, and the description of the machine"
                " says not which to use; `cuvier machine` writes one"
            )
    return {result.key: result.parameters for result in found if result.device in devices}


def described(machine: Machine, target: str) -> str:
    """The device of a target as results name it."""
    if target in ("opencl", "cuda"):
        return machine.device(target).name
    return on_cores(machine.name, machine.cores)


def on_cores(name: str, cores: int) -> str:
    """A processor as a device."""
    return f"{name}, {cores} cores"
