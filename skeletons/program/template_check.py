"""Mistakes in templates that only show when a kernel gets the skeleton: names that nothing gives a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables

from models.machine import Machine
from skeletons.body.ordered_reductions import Ordered
from skeletons.catalogue.descriptor import Skeleton
from skeletons.catalogue.library import Library
from skeletons.catalogue.passes import COPIED, ORDERED, SHARED
from skeletons.catalogue.read import BUILTIN
from skeletons.catalogue.rendering import environment_of
from skeletons.catalogue.template_needs import missing_parameters
from skeletons.program.array_copies import ArrayCopies
from skeletons.program.device_kernel import DeviceKernel
from skeletons.program.host import HostView
from skeletons.program.threads import Threads
from skeletons.select.feedback import Trial

Names = Mapping[str, type | frozenset[str] | None]  # what a template sees: with what fields (None: any)


def template_mistakes(skeleton: Skeleton, library: Library) -> list[str]:
    """`file:line:1: message` for each mistake in a skeleton's templates, and in those of its folder they use.

    What only some kernels get to see is no mistake: templates may be shared, and look before they ask.
    """
    checker = _Checker(skeleton, environment_of(skeleton.folder, skeleton.target), set())
    seen = _seen(skeleton, library)
    found = [m for name in skeleton.templates.values() for m in checker.mistakes(name, seen)]
    return list(dict.fromkeys((*found, *missing_parameters(skeleton, library))))


def _seen(skeleton: Skeleton, library: Library) -> Names:
    """The names that templates of the skeleton see; as parameters those of all skeletons of the target."""
    target = library.target(skeleton.target)
    parameters = (p.name for each in library.skeletons(target.name) for p in each.parameters)
    names: dict[str, type | frozenset[str] | None] = {
        "p": frozenset(parameters),
        "host": HostView,
        "strict_fp": None,
        "keeps": None,
        "machine": Machine,
    }
    if target.dialect is not None:
        return {**names, "kernel": DeviceKernel, "renames": None}
    names |= {
        "construct": None,
        "clauses": None,
        "asked": None,
        "others": None,
        "ordered": None,
        "trial": Trial,
    }
    if skeleton.transform == SHARED:
        names["threads"] = Threads
    if skeleton.transform == COPIED:
        names["copies"] = ArrayCopies
    if skeleton.transform == ORDERED:
        names["extremes"] = Ordered
    if "outline" in skeleton.templates:
        names["outline"] = None
    return names


@dataclass(frozen=True)
class _Checker:
    skeleton: Skeleton
    environment: Environment
    done: set[tuple[str, bool]]  # templates that were looked at, with names that they see or without

    def mistakes(self, name: str, seen: Names) -> Iterator[str]:
        """Those of a template, shipped ones aside, that sees these names."""
        file = self._file(name)
        if file is None or file.is_relative_to(BUILTIN) or (name, bool(seen)) in self.done:
            return
        self.done.add((name, bool(seen)))
        try:
            tree = self.environment.parse(file.read_text(encoding="utf-8"))
            self.environment.compile(tree)
        except TemplateSyntaxError as error:
            yield f"{file}:{error.lineno}:1: {error.message}"
            return
        found = [*self._undefined(tree, seen), *self._strange_fields(tree, seen), *self._imports(tree)]
        yield from (f"{file}:{line}:1: {message}" for line, message in sorted(found))
        for part, names in self._parts(tree, seen):
            yield from self.mistakes(part, names)

    def _file(self, name: str) -> Path | None:
        folders = (self.skeleton.folder, BUILTIN / self.skeleton.target, BUILTIN / "common")
        return next((folder / name for folder in folders if (folder / name).is_file()), None)

    def _undefined(self, tree: nodes.Template, seen: Names) -> Iterator[tuple[int, str]]:
        unknown = find_undeclared_variables(tree) - set(seen) - set(self.environment.globals) - _own(tree)
        for node in tree.find_all(nodes.Name):
            if node.name in unknown and node.ctx == "load":
                unknown.discard(node.name)
                known = ", ".join(sorted(seen)) or "no names of the kernel (it is imported without context)"
                yield node.lineno, f"'{node.name}' is undefined; there are {known}"

    def _strange_fields(self, tree: nodes.Template, seen: Names) -> Iterator[tuple[int, str]]:
        own, asked = _own(tree), _asked(tree)
        for node in tree.find_all(nodes.Getattr):
            if not isinstance(node.node, nodes.Name) or node.node.name in own:
                continue
            if (node.node.name, node.attr) in asked:
                continue
            view = seen.get(node.node.name)
            fields = view if isinstance(view, frozenset) else _fields(view)
            if view is not None and node.attr not in fields:
                has = ", ".join(sorted(fields)) or "nothing"
                yield node.lineno, f"'{node.node.name}' has no '{node.attr}'; it has {has}"

    def _imports(self, tree: nodes.Template) -> Iterator[tuple[int, str]]:
        for node in _taken_in(tree):
            if not isinstance(node.template, nodes.Const):
                continue
            name = str(node.template.value)
            file = self._file(name)
            if file is None:
                yield node.lineno, f"no template '{name}' beside it or among the shipped ones"
            elif isinstance(node, nodes.FromImport):
                wanted = {one if isinstance(one, str) else one[0] for one in node.names}
                for missing in sorted(wanted - self._defined(file)):
                    yield node.lineno, f"'{name}' has no macro '{missing}'"

    def _defined(self, file: Path) -> set[str]:
        """What can be imported from a template."""
        try:
            body = self.environment.parse(file.read_text(encoding="utf-8"))
        except TemplateError:
            return set()
        return _own(body)

    def _parts(self, tree: nodes.Template, seen: Names) -> Iterator[tuple[str, Names]]:
        """The templates that one takes in, with what they see."""
        for node in _taken_in(tree):
            if isinstance(node.template, nodes.Const):
                yield str(node.template.value), seen if node.with_context else {}


def _own(tree: nodes.Template) -> set[str]:
    """The names that a template gives values itself, if only in some of its branches."""
    names = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
    names |= {node.name for node in tree.find_all(nodes.Macro)}
    names |= {node.target for node in tree.find_all(nodes.Import)}
    imported = (one for node in tree.find_all(nodes.FromImport) for one in node.names)
    return names | {one if isinstance(one, str) else one[1] for one in imported}


def _asked(tree: nodes.Template) -> set[tuple[str, str]]:
    """The fields of which a template asks whether they are there."""
    found = [node.node for node in tree.find_all(nodes.Test) if node.name in ("defined", "undefined")]
    filters = (node for node in tree.find_all(nodes.Filter) if node.name in ("default", "d"))
    found += [node.node for node in filters if node.node is not None]
    fields = (node for node in found if isinstance(node, nodes.Getattr))
    return {(node.node.name, node.attr) for node in fields if isinstance(node.node, nodes.Name)}


def _taken_in(tree: nodes.Template) -> Iterator[nodes.FromImport | nodes.Import | nodes.Include]:
    """The statements that name other templates."""
    yield from tree.find_all(nodes.FromImport)
    yield from tree.find_all(nodes.Import)
    yield from tree.find_all(nodes.Include)


def _fields(view: type | frozenset[str] | None) -> frozenset[str]:
    """The fields and properties of a view."""
    if view is None or isinstance(view, frozenset):
        return frozenset()
    own = {name for name in dir(view) if not name.startswith("_")}
    return frozenset(own | set(getattr(view, "__dataclass_fields__", {})))
