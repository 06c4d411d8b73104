"""What every loop that decides would take on each machine, before any code is generated, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cuvier.document.json import sizes_json
from cuvier.document.model import PARALLEL, Json, Report
from cuvier.report.work import work_of
from models.machine import Device, Machine
from models.prediction.boat_hull import (
    TERMS,
    Time,
    Work,
    all_cores,
    obstacle,
    on_device,
    one_thread,
    roof_of,
    roof_of_cores,
)

MOST = 50  # sizes of which a report says what they were taken for


def predicted(report: Report, machines: Sequence[Machine], sizes: Mapping[str, float]) -> Json:
    """The `predictions` of a report's document (`cuvier schema`); `sizes` are those that the user gave."""
    works = [(loop, work) for loop in report.decisive if (work := work_of(loop)) is not None]
    taken = {each["name"]: each["value"] for loop, _ in works for each in loop["estimate"]["sizes"]}
    return {
        "given": sizes_json(sizes.items()),
        "assumed": sizes_json(sorted(taken.items())[:MOST]),
        "machines": [_on(machine, works) for machine in machines],
    }


def device_of(machine: Machine) -> Device | None:
    """The device that loops would be offloaded to: the first graphics processor, or else the first one."""
    gpus = (device for device in machine.devices if device.kind == "gpu")
    return next(gpus, machine.devices[0] if machine.devices else None)


def _on(machine: Machine, works: Sequence[tuple[Json, Work]]) -> Json:
    device = device_of(machine)
    loops = [_loop(loop, work, machine, device) for loop, work in works]
    loops.sort(key=lambda each: (-each["one_thread"]["seconds"], each["file"], each["line"], each["column"]))
    return {
        "name": machine.name,
        "origin": machine.origin,
        "cores": machine.cores,
        "device": device.name if device else None,
        "roofs": _roofs(machine, device),
        "loops": loops,
        "by_gain": _by_gain(loops),
        "together": _together(loops),
    }


def _roofs(machine: Machine, device: Device | None) -> list[Json]:
    """What limits each place: the bandwidth, the peak, and what code without multiply-adds reaches."""
    plain = roof_of_cores(machine)
    rows = [
        ("one_thread", machine.bandwidth.one, machine.single.one, machine.double.one, plain.one, plain.one),
        ("all_cores", machine.bandwidth.all, machine.single.all, machine.double.all, plain.all, plain.all),
    ]
    if device:
        single, double = (roof_of(device, double=double) for double in (False, True))
        rows.append(("on_device", device.bandwidth, device.single, device.double, single, double))
    names = ("place", "bandwidth", "single", "double", "plain_single", "plain_double")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _by_gain(loops: Sequence[Json]) -> list[int]:
    """The places in `loops` of those that a device can run, the one first that gains most by that."""
    able = [(each["gain"], place) for place, each in enumerate(loops) if each["gain"] is not None]
    return [place for _, place in sorted(able, key=lambda pair: (-pair[0], pair[1]))]


def _loop(loop: Json, work: Work, machine: Machine, device: Device | None) -> Json:
    one, is_parallel = one_thread(work, machine), loop["verdict"] in PARALLEL
    cores = all_cores(work, machine) if is_parallel else None
    why = obstacle(work, device) if device and is_parallel else ""
    able = device if is_parallel and not why else None
    there, copied = (on_device(work, able, copying=each) if able else None for each in (False, True))
    on_host = min(time.seconds for time in (one, cores) if time)
    return {
        **{key: loop[key] for key in ("id", "file", "function", "line", "column")},
        "operations": work.operations,
        "bytes": work.bytes,
        "double": work.double,
        "one_thread": _time(one),
        "all_cores": _time(cores),
        "on_device": _time(there),
        "with_copies": _time(copied),
        "gain": on_host / copied.seconds if copied else None,
        "obstacle": "it is not parallel" if not is_parallel else why or None,
    }


def _time(time: Time | None) -> Json | None:
    if time is None:
        return None
    return {"seconds": time.seconds, "bound": time.bound, "terms": {t: time.terms.get(t, 0.0) for t in TERMS}}


def _together(loops: Sequence[Json]) -> Json:
    """Of all loops: with one thread, with all cores where they are faster, and each at its fastest place."""
    ways = {
        "one_thread": ("one_thread",),
        "all_cores": ("one_thread", "all_cores"),
        "best": ("one_thread", "all_cores", "with_copies"),
    }
    return {
        name: sum(min(each[key]["seconds"] for key in keys if each[key]) for each in loops)
        for name, keys in ways.items()
    }
