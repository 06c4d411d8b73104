"""What `cuvier compile` says of its choices: as lines for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cuvier.base.shown import harmless_json
from cuvier.machine.store import BUILT_IN, SYSTEM
from cuvier.report.plan import as_values, considered, paired

if TYPE_CHECKING:
    from cuvier.pipeline.summary import Summary
    from models.machine import Machine
    from skeletons import Choice, CompileOptions, Program
    from skeletons.cost.roofline import Cost
    from skeletons.cost.work import Work


def explained(program: Program, options: CompileOptions) -> str:
    """The machine's description, and for every kernel what it does and what was said of each skeleton."""
    machine = options.machine
    first = f"machine: {machine.origin} ({_about(machine)})\n"
    fusions = "".join(f"{line}\n" for line in paired(program))
    glues = "".join(f"{line}\n" for line in considered(program))
    kernels = "".join(_lines(choice, _tuned(choice, options)) for choice in program.choices)
    return first + kernels + fusions + glues


def _about(machine: Machine) -> str:
    """Its name; and where it is not that of a file, how to get one."""
    if machine.origin == BUILT_IN:
        return f"{machine.name}; `cuvier machine` describes yours"
    if machine.origin == SYSTEM:
        vectors = f"vectors of {machine.vector_bytes * 8} bits"
        return f"{machine.name}, {machine.cores} cores, {vectors}; `cuvier machine` measures its rates"
    return machine.name


def _tuned(choice: Choice, options: CompileOptions) -> dict[str, int]:
    """The parameters that come from tuning."""
    from cuvier.tuning.subjects import tunable

    key, _ = tunable(choice)
    return dict(options.tuned.get(key, {})) if key is not None else {}


def _lines(choice: Choice, tuned: dict[str, int]) -> str:
    name = choice.skeleton.name if choice.skeleton else "none, it stays on the host"
    lines = [f"{choice.kernel.name}: {name}"]
    if choice.work is not None:
        lines.append(f"  about {_work(choice.work)}")
    if tuned:
        lines.append(f"  tuned {' '.join(f'{name}={value}' for name, value in tuned.items())}")
    lines += _considered(choice)
    return "\n".join(lines) + "\n"


def _considered(choice: Choice) -> Iterator[str]:
    """What was said of each skeleton."""
    from species.core.refusal import NOT_APPLICABLE

    for candidate, accepted, reason in choice.why:
        cost = choice.costs.get(candidate)
        estimate = f" ({_cost(cost)})" if cost else ""
        verb = "taken " if accepted else "" if reason == NOT_APPLICABLE else "not "
        yield f"  {verb}{candidate}: {reason}{estimate}"


def _work(work: Work) -> str:
    amounts = {"iterations": work.iterations, "operations": work.operations, "bytes": work.bytes}
    text = ", ".join(f"{_short(amount)} {name}" for name, amount in amounts.items())
    text += f", {work.intensity:.2g} operations per byte" if work.bytes else ""
    assumed = ", ".join(f"{name} = {value:g}" for name, value in work.assumed)
    return text + (f"; if {assumed}" if assumed else "")


def _cost(cost: Cost) -> str:
    return f"about {_time(cost.seconds)}, bound by {cost.bound}"


def _short(amount: float) -> str:
    """Two or three digits and k, M, G or T."""
    for factor, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if amount >= factor:
            return f"{amount / factor:.3g}{letter}"
    return f"{amount:.3g}"


def _time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def as_json(program: Program, options: CompileOptions, summary: Summary) -> str:
    """The same as an object with `machine`, `kernels`, `data`, `fusions`, `glues` and `summary`."""
    machine = options.machine
    kernels = [_values(choice) | {"tuned": _tuned(choice, options)} for choice in program.choices]
    about = {"name": machine.name, "origin": machine.origin}
    fusions = [asdict(fusion) for fusion in program.fusions]
    values = {"machine": about, "kernels": kernels, "data": as_values(program), "fusions": fusions}
    values["glues"] = [asdict(glue) for glue in program.glues]
    values["summary"] = summary.values
    return harmless_json(json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def _values(choice: Choice) -> dict[str, Any]:
    work = choice.work
    return {
        "kernel": choice.kernel.name,
        "skeleton": choice.skeleton.name if choice.skeleton else None,
        "work": None
        if work is None
        else {
            "iterations": work.iterations,
            "operations": work.operations,
            "bytes": work.bytes,
            "intensity": work.intensity,
            "assumed": dict(work.assumed),
        },
        "candidates": [
            {"skeleton": name, "taken": taken, "reason": reason, **_estimate(choice.costs.get(name))}
            for name, taken, reason in choice.why
        ],
    }


def _estimate(cost: Cost | None) -> dict[str, Any]:
    return {} if cost is None else {"seconds": cost.seconds, "bound": cost.bound}
