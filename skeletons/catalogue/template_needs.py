"""Parameters that templates read, and that the skeleton which uses them does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, TemplateError, nodes

from skeletons.catalogue.descriptor import Skeleton
from skeletons.catalogue.library import Library
from skeletons.catalogue.passes import ORDER
from skeletons.catalogue.read import BUILTIN
from skeletons.catalogue.rendering import environment_of

_ASKING = ("defined", "undefined", "default", "d")  # tests and filters that say whether it is there
_BRANCHES = (nodes.If, nodes.CondExpr, nodes.For, nodes.Macro, nodes.List)  # a list may be chosen from


def missing_parameters(skeleton: Skeleton, library: Library) -> list[str]:
    """`file:line:1: message` for each parameter without which the skeleton's templates certainly fail.

    Of what a shipped template reads, it needs what all shipped skeletons have that use it for kernels of
    as many base loops: the rest is for kernels of other kinds.
    """
    needs = _Needs(skeleton, library, environment_of(skeleton.folder, skeleton.target))
    return list(dict.fromkeys(m for name in skeleton.templates.values() for m in needs.of_role(name)))


@dataclass(frozen=True)
class _Needs:
    skeleton: Skeleton
    library: Library
    environment: Environment

    @property
    def _own(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self.skeleton.parameters)

    def of_role(self, name: str) -> Iterator[str]:
        """What is missing for the template of a role."""
        file = self._file(name)
        if file is None:
            return
        if not file.is_relative_to(BUILTIN):
            tree = self._tree(file)
            for line, parameter in sorted(_always_read(tree)):
                if parameter not in self._own:
                    yield f"{file}:{line}:1: {self._missing(parameter)}"
        for shipped in self._shipped(name):
            for parameter in sorted(self._needed(shipped) - self._own):
                yield f"{self._place(name)}: {self._missing(parameter)}, which '{shipped}' reads"

    def _missing(self, parameter: str) -> str:
        return f"skeleton {self.skeleton.name} has no parameter '{parameter}'"

    def _place(self, name: str) -> str:
        """Where the descriptor names a template."""
        lines = self.skeleton.path.read_text(encoding="utf-8").split("\n")
        line = next((k for k, text in enumerate(lines, 1) if name in text), 1)
        return f"{self.skeleton.path}:{line}:1"

    def _shipped(self, name: str) -> list[str]:
        """The shipped templates that see the parameters: this one, or those that it hands them to."""
        file = self._file(name)
        if file is not None and file.is_relative_to(BUILTIN):
            return [name]
        tree = self._tree(file)
        handed = any(
            isinstance(a, nodes.Name) and a.name == "p" for c in tree.find_all(nodes.Call) for a in c.args
        )
        parts = [(str(n.template.value), n) for n in _parts(tree) if isinstance(n.template, nodes.Const)]
        return [part for part, node in parts if handed or isinstance(node, nodes.Include)]

    def _needed(self, name: str) -> set[str]:
        dimensions = self.library.target(self.skeleton.target).dimensions
        every = [s for s in self.library.skeletons(self.skeleton.target) if self._is_like(s, name)]
        found = set[str]()
        for count in range(1, dimensions + 1):
            alike = [s for s in every if _takes(s, count)] if _takes(self.skeleton, count) else []
            sets = [{p.name for p in s.parameters} for s in alike]
            found |= set.intersection(*sets) if sets else set()
        return found & self._read(name)

    def _is_like(self, other: Skeleton, name: str) -> bool:
        """Is it a shipped one, which uses a template as well?  Those that stage, or have one row of threads,
        have blocks of their own.
        """
        kinds = {(each.stages, each.transform == ORDER) for each in (self.skeleton, other)}
        alike = len(kinds) == 1
        shipped = alike and other.path.is_relative_to(BUILTIN)
        return shipped and any(name in self._closure(each) for each in other.templates.values())

    def _closure(self, name: str) -> frozenset[str]:
        """A shipped template, and those that it takes in."""
        pending, found = [name], set[str]()
        while pending:
            one = pending.pop()
            if one not in found:
                found.add(one)
                parts = _parts(self._tree(self._file(one)))
                pending += [str(n.template.value) for n in parts if isinstance(n.template, nodes.Const)]
        return frozenset(found)

    def _read(self, name: str) -> frozenset[str]:
        trees = (self._tree(self._file(one)) for one in self._closure(name))
        return frozenset(n.attr for tree in trees for n in _parameters(tree) if id(n) not in _asked_for(tree))

    def _file(self, name: str) -> Path | None:
        folders = (self.skeleton.folder, BUILTIN / self.skeleton.target, BUILTIN / "common")
        return next((folder / name for folder in folders if (folder / name).is_file()), None)

    def _tree(self, file: Path | None) -> nodes.Template:
        """A template; an empty one for what is not there or does not parse, which others complain of."""
        return _parsed(self.environment, file.read_text(encoding="utf-8") if file is not None else "")


@lru_cache(maxsize=256)
def _parsed(environment: Environment, text: str) -> nodes.Template:
    """The template, which nobody changes; skeletons have most of theirs in common."""
    try:
        return environment.parse(text)
    except TemplateError:
        return environment.parse("")


def _takes(skeleton: Skeleton, count: int) -> bool:
    """Does it take kernels of so many base loops?"""
    low, high = skeleton.requires.get("base_loops", (count, count))
    return bool(low <= count <= high)


def _parts(tree: nodes.Template) -> Iterator[nodes.FromImport | nodes.Import | nodes.Include]:
    yield from tree.find_all(nodes.FromImport)
    yield from tree.find_all(nodes.Import)
    yield from tree.find_all(nodes.Include)


def _parameters(tree: nodes.Node) -> Iterator[nodes.Getattr]:
    """Where a template reads `p.NAME`."""
    for node in tree.find_all(nodes.Getattr):
        if isinstance(node.node, nodes.Name) and node.node.name == "p":
            yield node


def _always_read(tree: nodes.Template) -> set[tuple[int, str]]:
    """The parameters that a template reads whatever the kernel, with their lines."""
    inside = {id(n) for kind in _BRANCHES for branch in tree.find_all(kind) for n in _parameters(branch)}
    inside |= _asked_for(tree)
    return {(node.lineno, node.attr) for node in _parameters(tree) if id(node) not in inside}


def _asked_for(tree: nodes.Template) -> set[int]:
    """The reads, by identity, that do without a parameter."""
    asked = (n for n in tree.find_all((nodes.Test, nodes.Filter)) if n.name in _ASKING)
    return {id(n) for each in asked for n in _parameters(each)}
