"""Options that several commands share are the fields of a dataclass, which is one parameter of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer wants it: with the fields of its groups as parameters in their places.

    Groups are keyword-only parameters, and dataclasses; a field without a default is a required option.
    """
    groups = {name: hint for name, hint in get_type_hints(command).items() if _is_group(hint)}

    @wraps(command)
    def run(**options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
        command(**options)

    parameters = list(_parameters(command))
    run.__signature__ = Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _parameters(command: Callable[..., None]) -> Iterator[Parameter]:
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        if not _is_group(hint):
            yield parameter.replace(annotation=hint)
            continue
        annotations = get_type_hints(hint, include_extras=True)
        for field in fields(hint):
            default = Parameter.empty if field.default is MISSING else field.default
            kind, annotation = Parameter.KEYWORD_ONLY, annotations[field.name]
            yield Parameter(field.name, kind, default=default, annotation=annotation)
