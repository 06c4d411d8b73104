"""What a loop of a report computes, moves and copies in one run, as the boat hull model is given it."""

from __future__ import annotations

from cuvier.document.model import PARALLEL, Json
from models.prediction.boat_hull import Work


def work_of(loop: Json) -> Work | None:
    """None where nothing is known.

    What a parallel loop calls and has inside of it counts with it; of any other loop, only what is in no
    other loop and in no function that has loops of its own.
    """
    told = loop["estimate"]
    if told is None:
        return None
    part = 1.0 if loop["verdict"] in PARALLEL else _own_part(told)
    calls = told["calls"]
    return Work(
        operations=told["operations"] * calls * part,
        bytes=told["bytes"] * calls * part,
        launches=told["executions"] * calls,
        parallel=told["parallel"],
        copied=(told["copied_in"] + told["copied_out"]) * calls,
        copies=told["copies"] * calls,
        double=told["double"],
    )


def _own_part(told: Json) -> float:
    """The part of a loop's operations that no other loop makes."""
    own: float = told["own"]
    total: float = told["operations"]
    return own / total if total else 1.0
