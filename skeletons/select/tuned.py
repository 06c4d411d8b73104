"""What results of tuning belong to: a skeleton, a species without names of arrays, and a class of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

from models.errors import SkeletonError
from models.machine import Machine
from skeletons.catalogue.descriptor import Parameter
from skeletons.cost.work import Work
from skeletons.sums.contraction.tuning import LEAST_COLUMNS, TUNING, tuning_of
from species.grammar.nodes import ArraySpecies, Species

PRODUCTS = "products"  # stands for the skeleton of all matrix products of a file for OpenMP
PRODUCT_PARAMETERS = tuple(
    Parameter(name, TUNING[name], low, high)
    for name, low, high in (("KC", 64, 1024), ("MC", 24, 768), ("NC", LEAST_COLUMNS, 2048), ("TASKS", 1, 64))
)


@dataclass(frozen=True, order=True)
class TuningKey:
    """`size` is like 2^20, the iterations to a factor of four; `?` where they are not known."""

    skeleton: str
    species: str = ""
    size: str = ""


Tuned = Mapping[TuningKey, Mapping[str, int]]
PRODUCTS_KEY = TuningKey(PRODUCTS)


def product_tuning(machine: Machine, tuned: Tuned) -> dict[str, int]:
    """The sizes of blocks of products; SkeletonError for a tuned one that is out of its range."""
    values = tuned.get(PRODUCTS_KEY, {})
    for parameter in PRODUCT_PARAMETERS:
        value = values.get(parameter.name, parameter.default)
        if not parameter.low <= value <= parameter.high:
            span = f"{parameter.low} to {parameter.high}"
            raise SkeletonError(f"{parameter.name}={value}: products take {span}")
    return {**tuning_of(machine), **values}


def key_of(skeleton: str, species: Species | None, work: Work) -> TuningKey:
    """The key of a kernel with a skeleton."""
    return TuningKey(skeleton, _unnamed(species), _class(work))


def _unnamed(species: Species | None) -> str:
    """`[2]|neighbourhood(-1:1,-1:1) -> [2]|element`: dimensions and patterns."""
    if species is None:
        return ""
    return " -> ".join(" ^ ".join(map(_part, side)) or "void" for side in (species.inputs, species.outputs))


def _part(part: ArraySpecies) -> str:
    pattern = part.pattern
    ranges = ",".join(str(bound) if bound is not None else "-" for bound in pattern.ranges)
    inside = pattern.operator or (ranges if pattern.kind == "neighbourhood" else "")
    return f"[{len(part.domain)}]|{pattern.kind}" + (f"({inside})" if inside else "")


def _class(work: Work) -> str:
    if work.assumed:
        return "?"
    return f"2^{2 * round(log2(max(1.0, work.iterations)) / 2)}"
