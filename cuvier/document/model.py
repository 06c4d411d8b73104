"""A report's document as renderers see it: its loops, which of them decide, and what was lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.document.words import STANDINGS, standing, standing_word

Json = dict[str, Any]
Key = tuple[str, int, int, str]
PARALLEL = ("parallel", "conditional")
VERDICTS = ("parallel", "conditional", "serial", "unknown")  # from the best to the worst
NAMED = 10  # files that a summary names


@dataclass(frozen=True)
class Report:
    """The document, checked, and questions to it.

    A loop in a header that several files include stands in all of them; it counts once here, as the worst
    that it is in one of them.
    """

    document: Json

    @property
    def units(self) -> list[Json]:
        """The files, in the document's order."""
        units: list[Json] = self.document["units"]
        return units

    @cached_property
    def loops(self) -> list[Json]:
        """All loops, each once, in the order of the files."""
        return list(self._each_once.values())

    @cached_property
    def _each_once(self) -> dict[Key, Json]:
        found: dict[Key, Json] = {}
        for loop in (loop for unit in self.units for loop in unit["loops"]):
            known = found.setdefault(loop_key(loop), loop)
            if VERDICTS.index(loop["verdict"]) > VERDICTS.index(known["verdict"]):
                found[loop_key(loop)] = loop
        return found

    @cached_property
    def sources(self) -> dict[str, str]:
        """The texts of files, by their names."""
        return {each["file"]: each["text"] for unit in self.units for each in unit["sources"]}

    @cached_property
    def decisive(self) -> list[Json]:
        """The loops that time is won with, or not: see `decisive_in`."""
        units = ([self._each_once[loop_key(loop)] for loop in unit["loops"]] for unit in self.units)
        found = (loop for loops in units for loop in decisive_in(loops))
        return list({loop_key(loop): loop for loop in found}.values())

    @cached_property
    def opportunities(self) -> list[Json]:
        """Parallel loops that are in no other one, and that the user has not dealt with."""
        return [loop for loop in self.decisive if loop["verdict"] in PARALLEL and loop["users"] is None]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many loops have which verdict."""
        return Counter(loop["verdict"] for loop in self.loops)


def loop_key(loop: Json) -> Key:
    """What tells the loops of a report apart."""
    return (loop["file"], loop["line"], loop["column"], loop["id"])


def decisive_in(loops: Sequence[Json]) -> Iterator[Json]:
    """Of the loops of one file, those in no parallel loop, unless a loop around or inside speaks for them.

    That is the outermost parallel loops, and of the others the outermost that have none inside.
    """
    parent = {loop["id"]: loop["parent"] for loop in loops}
    parallel = {loop["id"] for loop in loops if loop["verdict"] in PARALLEL}
    with_parallel = {outer for name in parallel for outer in _around(name, parent)}
    for loop in loops:
        outer = list(_around(loop["id"], parent))
        if parallel.intersection(outer):
            continue
        hopeless = loop["id"] not in with_parallel and all(each in with_parallel for each in outer)
        if loop["id"] in parallel or hopeless:
            yield loop


def _around(name: str, parent: dict[str, str | None]) -> Iterator[str]:
    outer = parent.get(name)
    while outer is not None:
        yield outer
        outer = parent.get(outer)


def summary(units: Sequence[Json]) -> str:
    """How many loops have which verdict, and which files were lost or lost something."""
    loops = Report({"units": list(units)}).loops
    analysed = sum(unit["status"] != "failed" for unit in units)
    counts = Counter(map(standing, loops))
    verdicts = ", ".join(f"{counts[name]} {standing_word(name)}" for name in STANDINGS if counts[name])
    line = f"{counted(len(loops), 'loop')} in {counted(analysed, 'file')}" + (
        f": {verdicts}" if verdicts else ""
    )
    return f"{line}.{_losses(units)}"


def _losses(units: Sequence[Json]) -> str:
    failed = [unit["file"] for unit in units if unit["status"] == "failed"]
    partial = [unit["file"] for unit in units if unit["status"] == "partial"]
    text = f" Not analysed: {_named(failed)}." if failed else ""
    if partial:
        text += f" Analysed in part, loops of the rest are not counted: {_named(partial)}."
    return text


def _named(files: list[str]) -> str:
    more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


def counted(number: int, noun: str) -> str:
    """`1 loop`, `2 loops`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def losses(units: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    """What was not analysed, and why: the unit, and the diagnostic that says so."""
    for unit in units:
        if unit["status"] != "ok":
            yield from ((unit, each) for each in unit["diagnostics"] if each["severity"] != "note")


def read_report(path: Path) -> Json:
    """The document of a JSON report; UserError where the file is none."""
    from cuvier.base.files import read_text, require_file

    try:
        document = json.loads(read_text(require_file(path)))
    except (ValueError, RecursionError) as error:
        raise UserError(f"'{path}' is no JSON ({error}); {_WAY_OUT}") from error
    if (wrong := _mistake(document)) is not None:
        raise UserError(f"'{path}' is no report of this version of Cuvier: {wrong}; {_WAY_OUT}")
    checked: Json = document
    return checked


_WAY_OUT = "write it with `cuvier report --format json -o FILE`"


def _mistake(document: Any) -> str | None:
    """What in the document is not as the schema says; only if fields are missing is it looked at closely."""
    from cuvier.document.json import schema_text

    schema = json.loads(schema_text())
    if _is_complete(document, schema["$defs"]):
        return None
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(document))
    return None if error is None else f"{error.json_path}: {error.message[:200]}"


def _is_complete(document: Any, definitions: Json) -> bool:
    """Have all files and all loops their fields, and no others?"""
    unit_fields, loop_fields = (set(definitions[name]["required"]) for name in ("unit", "loop"))
    try:
        return set(document) == {"cuvier", "units", "predictions"} and all(
            set(unit) == unit_fields and all(set(loop) == loop_fields for loop in unit["loops"])
            for unit in document["units"]
        )
    except TypeError:
        return False
