"""The values of a skeleton's parameters: defaults, and what the user says."""

from __future__ import annotations

from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Parameters, Skeleton
from skeletons.catalogue.library import Library
from skeletons.select.api import CompileOptions
from skeletons.select.tuned import TuningKey


def check_parameters(target: str, library: Library, options: CompileOptions) -> None:
    """SkeletonError for a parameter that no skeleton of the target has."""
    known = {parameter.name for skeleton in library.skeletons(target) for parameter in skeleton.parameters}
    for name in options.parameters:
        if name not in known:
            raise SkeletonError(
                f"unknown parameter {name!r}; target {target} has {', '.join(sorted(known)) or 'none'}"
            )


def parameters_of(skeleton: Skeleton, options: CompileOptions, key: TuningKey | None = None) -> Parameters:
    """The skeleton's parameters: the user's, the tuned, or the default value; SkeletonError out of range."""
    values = {}
    tuned = options.tuned.get(key, {}) if key is not None else {}
    for parameter in skeleton.parameters:
        value = options.parameters.get(parameter.name, tuned.get(parameter.name, parameter.default))
        if not parameter.low <= value <= parameter.high:
            span = f"{parameter.low} to {parameter.high}"
            raise SkeletonError(f"{parameter.name}={value}: skeleton {skeleton.name} takes {span}")
        values[parameter.name] = value
    return Parameters(skeleton.path, values)
