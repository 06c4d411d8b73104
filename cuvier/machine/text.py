"""A machine's description as YAML for the file, as plain values for JSON, and as lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

from models.machine import Device, Machine, Rate

_HEAD = """\
# What this machine can do, as `cuvier machine` found it; `cuvier compile` fits programs to it.
# Correct what you know better.  Sizes are bytes; rates are bytes and operations per second, a multiply-add
# being two operations, of `one` core and of `all` together; `region` is seconds per parallel region.
"""


def as_yaml(machine: Machine, disturbances: Sequence[str] = ()) -> str:
    """The file; it says at once if the measurements were disturbed, and by what."""
    values = as_values(machine)
    lines = [f"{key}: {_flow(values[key])}" for key in ("name", "cores", "vector_bytes")]
    lines += ["caches:", *(f"  - {_flow(cache)}" for cache in values["caches"])]
    lines += [f"{key}: {_flow(values[key])}" for key in ("bandwidth", "single", "double", "region")]
    if machine.devices:
        lines.append("devices:")
    for device in values["devices"]:
        items = [f"{key}: {_flow(value)}" for key, value in device.items()]
        lines += [f"  {'- ' if k == 0 else '  '}{item}" for k, item in enumerate(items)]
    loud = [f"# MEASURED UNDER LOAD, do not trust the rates: {each}." for each in disturbances]
    return "".join(f"{line}\n" for line in loud) + _HEAD + "\n".join(lines) + "\n"


def as_json(machine: Machine) -> str:
    """The same as JSON."""
    return json.dumps(as_values(machine), indent=2, ensure_ascii=False) + "\n"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:.10f}".rstrip("0")  # YAML takes 1e-06 for a text
    return json.dumps(value, ensure_ascii=False)


def as_values(machine: Machine) -> dict[str, Any]:
    """Dictionaries, lists and numbers, valid by machine.schema.json; rates are whole numbers."""
    values = {key: value for key, value in asdict(machine).items() if key != "origin"}
    for key in ("bandwidth", "single", "double"):
        values[key] = {who: round(amount) for who, amount in values[key].items()}
    values["caches"] = list(values["caches"])
    values["region"] = round(machine.region, 10)
    return values | {"devices": [_of_device(device) for device in machine.devices]}


def _of_device(device: Device) -> dict[str, Any]:
    values = {f.name: getattr(device, f.name) for f in fields(device)}
    rounded = {key: round(v) if isinstance(v, float) else v for key, v in values.items()}
    rounded |= {key: round(values[key], 10) for key in ("launch", "latency", "opening")}
    return {key: value for key, value in rounded.items() if value != ""}


def summary(machine: Machine) -> Iterator[str]:
    """Lines for people."""
    yield f"{machine.name}: {machine.cores} cores, vectors of {machine.vector_bytes * 8} bits"
    sizes = (f"L{c.level} {_size(c.bytes)}{_shared(c.shared_by)}" for c in machine.caches)
    yield f"caches      {', '.join(sizes)}; lines of {machine.line} bytes"
    yield f"bandwidth   {_rates(machine.bandwidth, 'GB/s')}"
    yield f"single      {_rates(machine.single, 'Gflop/s')}"
    yield f"double      {_rates(machine.double, 'Gflop/s')}"
    yield f"region      {machine.region * 1e6:.2f} microseconds to start and join threads"
    for d in machine.devices:
        rates = f"{d.bandwidth / 1e9:.1f} GB/s, {d.single / 1e9:.0f} and {d.double / 1e9:.0f} Gflop/s"
        yield f"{d.api:<11} {d.name}: {d.units} units, {_size(d.shared_per_block)} shared, {rates}"
        copies = f"copies {d.latency * 1e6:.2f} and {d.copying / 1e9:.1f} GB/s"
        yield f"{'':<11} launches take {d.launch * 1e6:.2f} microseconds, {copies}"
        yield f"{'':<11} it is opened in {d.opening * 1e3:.0f} ms"


def _shared(count: int) -> str:
    return f" of {count} cores" if count > 1 else ""


def _rates(rate: Rate, unit: str) -> str:
    return f"{rate.one / 1e9:.1f} {unit} by one core, {rate.all / 1e9:.1f} by all"


def _size(count: int) -> str:
    for unit, amount in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= amount:
            return f"{count / amount:g} {unit}"
    return f"{count} bytes"
