"""What is tuned: the skeletons of a program that have parameters, with the kernels that share them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuvier.base.errors import UserError
from skeletons.catalogue.descriptor import Parameter
from skeletons.schedule.transform import contract
from skeletons.select.api import Choice
from skeletons.select.tuned import PRODUCT_PARAMETERS, PRODUCTS_KEY, TuningKey


@dataclass(frozen=True)
class Subject:
    """What is tuned: all kernels with one key, which have their parameters in common."""

    key: TuningKey
    parameters: tuple[Parameter, ...]
    kernels: tuple[str, ...]


def subjects_of(choices: tuple[Choice, ...]) -> list[Subject]:
    """The skeletons of a program that have parameters, with their kernels."""
    found: dict[TuningKey, Subject] = {}
    for choice in choices:
        key, parameters = tunable(choice)
        if key is None or not parameters:
            continue
        known = found.get(key, Subject(key, parameters, ()))
        found[key] = replace(known, kernels=(*known.kernels, choice.kernel.name))
    return list(found.values())


def tunable(choice: Choice) -> tuple[TuningKey | None, tuple[Parameter, ...]]:
    """What results for a kernel belong to, and the parameters that it has; None for one without any."""
    if choice.skeleton is None:
        return None, ()
    if choice.key is not None:
        return choice.key, choice.skeleton.parameters
    steps = " ".join(text for _, taken, text in choice.why if taken)
    return (PRODUCTS_KEY, PRODUCT_PARAMETERS) if contract.NAME in steps else (None, ())


def chosen(subjects: list[Subject], kernel: str | None, target: str) -> list[Subject]:
    """Those with parameters, or that of one kernel; UserError where there is none."""
    subjects = [subject for subject in subjects if subject.parameters]
    if kernel is not None:
        names = [name for subject in subjects for name in subject.kernels]
        subjects = [subject for subject in subjects if kernel in subject.kernels]
        if not subjects:
            raise UserError(
                f"kernel '{kernel}' has no parameters for target {target}; those that have some:"
                f" {', '.join(names) or 'none'}"
            )
    if not subjects:
        raise UserError(
            f"nothing to tune: no skeleton of these kernels has parameters for target {target};"
            " `cuvier compile --explain` says which they got"
        )
    return subjects
