"""Predictions for the terminal: a table for each machine, then what is gained by offloading, loop by loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuvier.document.model import Json
from cuvier.document.words import loop_name, place_name
from cuvier.report.ranking import SIZES
from cuvier.report.view import TOP, View
from models.wording import amount

if TYPE_CHECKING:
    from rich.console import Console

PLACES = (
    ("one_thread", "1 thread"),
    ("all_cores", "{} cores"),
    ("on_device", "device, data there"),
    ("with_copies", "device, with copies"),
)
_SUMS = {
    "one_thread": "1 thread",
    "all_cores": "all cores where they are faster",
    "best": "each where it is fastest",
}


def print_predictions(view: View, console: Console) -> None:
    """What was predicted, for every machine, and what sizes were taken for."""
    found = view.predictions or {"machines": ()}
    names = {(loop["file"], loop["id"]): loop_name(loop) for loop in view.report.loops}
    console.print(f"{basis(found)}\n", highlight=False, markup=False, soft_wrap=True)
    for machine in found["machines"]:
        console.print(title(machine), style="bold", highlight=False, markup=False, soft_wrap=True)
        _print_machine(machine, names, view.top or TOP, console)


def basis(found: Json) -> str:
    """What the times are of, and what sizes were given or taken for."""
    given, taken = (
        ", ".join(f"{each['name']} = {each['value']:,.10g}" for each in found[key])
        for key in ("given", "assumed")
    )
    parts = ("Predicted for one run, before any code is generated", given and f"given {given}", SIZES)
    return "; ".join(filter(None, parts)) + (f": {taken}" if taken else "") + "."


def title(machine: Json) -> str:
    """`gtx-470: Intel Core i7-3770, 4 cores; NVIDIA GeForce GTX 470`."""
    device = machine["device"] or "no device"
    return f"{machine['origin']}: {machine['name']}, {machine['cores']} cores; {device}"


def heads(machine: Json) -> list[str]:
    """What the columns behind a loop's place are called."""
    found = [head.format(machine["cores"]) for key, head in PLACES if _has(machine, key)]
    return [*found, "gain"] if machine["device"] else found


def row(machine: Json, loop: Json) -> list[str]:
    """A loop's times, and what offloading it gains, as `heads` call them."""
    found = [cell(loop[key]) for key, _ in PLACES if _has(machine, key)]
    return [*found, times(loop["gain"])] if machine["device"] else found


def _has(machine: Json, key: str) -> bool:
    return bool(machine["device"]) or key in ("one_thread", "all_cores")


def notes(machine: Json, top: int) -> list[str]:
    """What stands below the table: sums, and the loops by what offloading gains, up to `top` of each kind."""
    if not machine["loops"]:
        return ["no loops of which anything is known"]
    sums = ", ".join(f"{name} {amount(machine['together'][key])}" for key, name in _SUMS.items())
    return [f"all of them: {sums}", *(_gains(machine, top) if machine["device"] else ())]


def _print_machine(machine: Json, names: dict[tuple[str, str], str], top: int, console: Console) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for head in ("", "loop", *heads(machine)):
        table.add_column(head, justify="right" if head == "gain" else "left", overflow="fold")
    for number, each in enumerate(machine["loops"][:top], 1):
        place = f"{place_name(each)} {each['function']}  {names.get((each['file'], each['id']), '')}"
        table.add_row(f"{number}.", place, *row(machine, each))
    console.print(table)
    rest = len(machine["loops"]) - top
    more = [f"{rest} more loops; --top N shows N of them"] if rest > 0 else []
    for line in (*more, *notes(machine, top)):
        console.print(f"    {line}", highlight=False, markup=False, soft_wrap=True)
    console.print()


def _gains(machine: Json, top: int) -> list[str]:
    """The loops by what offloading with copies gains; then why others are not offloaded."""
    ranked = [machine["loops"][place] for place in machine["by_gain"]]
    better, worse = ([each for each in ranked if (each["gain"] > 1) is wanted] for wanted in (True, False))
    lines = [f"offload first: {_named(better[:top])}"] if better else ["offload nothing: it would be slower"]
    lines = lines if ranked else []
    lines += [f"leave on the host: {_named(worse[:top])}"] if worse and better else []
    why: dict[str, list[Json]] = {}
    for each in machine["loops"]:
        why.setdefault(each["obstacle"] or "", []).append(each)
    others = {reason: loops for reason, loops in why.items() if reason}
    return lines + [
        f"stays on the host, as {reason}: {_named(loops[:top])}" for reason, loops in others.items()
    ]


def _named(loops: list[Json]) -> str:
    gains = (f" ({times(each['gain'])})" if each["gain"] is not None else "" for each in loops)
    return ", ".join(f"{place_name(each)}{gain}" for each, gain in zip(loops, gains, strict=True))


def cell(time: Json | None) -> str:
    """`2 us memory`: a time, and what it is bound by."""
    return f"{amount(time['seconds'])} {time['bound']}" if time else "-"


def times(gain: float | None) -> str:
    """`12x`, in two digits."""
    return f"{float(f'{gain:.2g}'):g}x" if gain is not None else "-"
