"""What a user does with threads elsewhere: in functions that a loop calls, ours would be another team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from species.source.preprocess.directives import Directives
from species.source.syntax.tree import variables
from species.symbols.symbols import Resolution


def directive_obstacle(node: Any, function: str, resolution: Resolution, found: Directives) -> str:
    """Why no `parallel for` may stand before a loop of the function; empty: nothing is in its way."""
    if found.mode:
        return f"the file calls '{found.mode}': threads that there are already keep their own mode"
    if function in found.unseen:
        return f"a macro makes an OpenMP directive somewhere in '{function}'"
    if not found.bound:
        return ""
    named = next((name for name in _reached(node, resolution) if name in found.bound), None)
    return f"it calls '{named}', which has an OpenMP directive of its own" if named is not None else ""


def _reached(node: Any, resolution: Resolution) -> Iterator[str]:
    """The functions of the file that the code names, and those that they name."""
    seen: set[str] = set()
    open_ = [node]
    while open_:
        names = {part.name for part in variables(open_.pop())}
        fresh = sorted(name for name in names - seen if name in resolution.functions)
        seen.update(fresh)
        open_ += [resolution.functions[name].body for name in fresh]
        yield from fresh
