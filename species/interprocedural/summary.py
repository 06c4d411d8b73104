"""What a file tells other files of the program: its functions, as far as others can understand them."""

from __future__ import annotations

import copy
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from pycparser import c_ast

from species.facts.loops import LoopFacts, Verdict
from species.interprocedural.needs import Collector, Needs, Unfit, is_static
from species.interprocedural.outside import Outside
from species.interprocedural.trees import Tree, encoded
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.symbols.effect_table import library
from species.symbols.symbols import Symbol

BY_WAY = "by way of a static function, "


@dataclass(frozen=True)
class Exported:
    """A function that others may take in, under a name that is its own in the whole program.

    `type` is that of a function with external linkage, None of a static one.  `calls` are functions with
    external linkage and the types that its file gives them; `inner` static ones, by their names in the
    program; `library` those that its file takes for functions of libraries.
    `types` names those of the summary that it needs.  `body` is for `species.interprocedural.link`.
    """

    name: str
    type: str | None
    calls: Mapping[str, str | None]
    inner: tuple[str, ...]
    library: tuple[str, ...]
    types: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class Summary:
    """What is known of a file's functions.

    It `defines` functions with external linkage; of those that are `doubtful` it cannot say which definition
    is meant where it names them.  It `calls` functions of others, with the types that it gives them, where
    knowing them may help a loop.  Of its functions that are `unfit` for others, it says why.
    """

    file: str
    defines: tuple[str, ...]
    doubtful: tuple[str, ...]
    calls: Mapping[str, str | None]
    functions: tuple[Exported, ...] = ()
    types: Mapping[str, str] | None = None
    unfit: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """For `Summary.read`."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Summary:
        """The summary that has this text."""
        said = json.loads(text)
        functions = tuple(Exported(**_with_tuples(each)) for each in said["functions"])
        return cls(**_with_tuples({**said, "functions": functions}))


def summary(
    unit: TranslationUnit, names: Names, loops: Iterable[LoopFacts], *, strict_aliasing: bool
) -> Summary:
    """The summary of a file that has been analysed."""
    return _Summarising(unit, names, strict_aliasing).summary(loops)


class _Summarising:
    def __init__(self, unit: TranslationUnit, names: Names, strict_aliasing: bool) -> None:
        self._unit, self._names = unit, names
        self._strict = strict_aliasing and not unit.options.mixes_types
        self._outside = Outside(unit.ast)
        self._definitions = [f for f in unit.ast.ext if isinstance(f, c_ast.FuncDef)]
        peculiar = unit.hidden | unit.doubtful | unit.assembly
        self._collector = Collector(self._outside, names, frozenset(unit.promises), peculiar)
        self._types: dict[str, str] = {}
        self._unfit: dict[str, str] = {}

    def summary(self, loops: Iterable[LoopFacts]) -> Summary:
        shared = [f.decl for f in self._definitions if not self._is_static(f)]
        weak = {name for name, promise in self._unit.promises.items() if promise == "weak"}
        inline = {decl.name for decl in shared if decl.funcspec}
        exported = _reached(self._exported(), self._unfit) if self._unit.status == "ok" else []
        needed = {key for each in exported for key in each.types}
        return Summary(
            self._unit.source.path,
            tuple(sorted({decl.name for decl in shared} - inline)),
            tuple(sorted(weak | self._unit.hidden | inline)),
            self._wanted(loops),
            tuple(exported),
            {key: text for key, text in self._types.items() if key in needed},
            self._unfit,
        )

    def _is_static(self, function: c_ast.FuncDef) -> bool:
        return is_static(self._names.resolution, function.decl.name)

    def _wanted(self, loops: Iterable[LoopFacts]) -> dict[str, str | None]:
        """Functions of others, with their types: those that loops which are not parallel may call, and those
        that are a library's, if they are not the program's.
        """
        listed = list(loops)
        stuck = self._called_from({x.function for x in listed if x.verdict is not Verdict.PARALLEL})
        named = stuck | (self._called_from({loop.function for loop in listed}) & library().keys())
        found = ((name, self._outside.signature(name)) for name in sorted(named - self._unit.hidden))
        return {name: signature for name, signature in found if signature is not None}

    def _called_from(self, functions: set[str]) -> set[str]:
        """Functions of other files that those call, by way of others of this one."""
        summaries = self._names.effects.summaries
        bodies = [f.body for f in self._definitions if f.decl.name in functions]
        calls = [node for body in bodies for node in walk(body) if isinstance(node, c_ast.FuncCall)]
        inside = {n for c in calls if (name := summaries.called(c)) for n in summaries.reach(name)}
        calls += [call for name in inside for call in summaries.calls(name)]
        return {c.name.name for c in calls if isinstance(c.name, c_ast.ID) and summaries.called(c) is None}

    # What it exports

    def _exported(self) -> list[Exported]:
        found = []
        for function in self._definitions:
            name = function.decl.name
            signature = self._outside.signature(name)
            is_known = self._unit.is_users(function.decl) and name not in self._unit.hidden
            if signature is None or not is_known:
                continue
            try:
                if self._has_directive(function):
                    raise Unfit("it has a directive")
                found.append(self._one(function, self._collector.needs(function), signature))
            except Unfit as unfit:
                self._unfit[self._unique(name) if self._is_static(function) else name] = str(unfit)
        return found

    def _has_directive(self, function: c_ast.FuncDef) -> bool:
        """Is there a `#pragma` from its first line to the next declaration?"""
        first = function.decl.coord.line
        behind = bisect_right(self._starts, first)
        last = self._starts[behind] if behind < len(self._starts) else len(self._lines) + 1
        return any(line.startswith("#pragma") for line in self._lines[first - 1 : last - 1])

    @cached_property
    def _lines(self) -> list[str]:
        return self._unit.preprocessed.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        """Where external declarations begin, in the text without macros."""
        return sorted(item.coord.line for item in self._unit.ast.ext if item.coord is not None)

    def _one(self, function: c_ast.FuncDef, needs: Needs, signature: str) -> Exported:
        own = self._is_static(function)
        body = {
            "file": self._unit.source.path,
            "strict": self._strict,
            "tree": self._tree(function, needs.renamed, own),
            "variables": dict(self._variable(v, s) for v, s in sorted(needs.variables.items())),
            "library": {name: self._prototype(name) for name in sorted(needs.library)},
            "calls": sorted(needs.calls),
        }
        return Exported(
            self._unique(function.decl.name) if own else function.decl.name,
            None if own else signature,
            {name: self._outside.signature(name) for name in sorted(needs.calls)},
            tuple(sorted(map(self._unique, needs.inner))),
            tuple(sorted(needs.library)),
            self._typed(needs),
            json.dumps(body, separators=(",", ":")),
        )

    def _unique(self, name: str) -> str:
        """A name for something static that nothing else in the program has."""
        return f"{name}_of_{name_of(self._unit.source.path)}"

    def _place(self, coord: Any) -> list[Any] | None:
        """Line and column, and the file, if that is another one than the unit's own."""
        if coord is None:
            return None
        position = self._unit.position(coord)
        elsewhere = [position.file] if position.file != self._unit.source.path else []
        return [position.line, position.column, *elsewhere]

    def _tree(self, function: c_ast.FuncDef, renamed: list[c_ast.ID], own: bool) -> Tree:
        """The definition, as that of a function with external linkage, static names replaced."""
        shared = _as_shared(function, self._unique(function.decl.name) if own else None)
        return encoded(shared, self._place, {id(node): self._unique(node.name) for node in renamed})

    def _variable(self, name: str, symbol: Symbol) -> tuple[str, dict[str, Any]]:
        """A declaration without a value, and the variable's name in the program."""
        node, own = copy.copy(symbol.node), symbol.storage == "static"
        node.storage = ["extern", *(word for word in node.storage or () if word == "auto")]
        node.init = None
        node = _renamed(node, self._unique(name)) if own else node
        type_ = None if own else self._outside.variable(name)
        return node.name, {"type": type_, "tree": encoded(node, self._place)}

    def _prototype(self, name: str) -> dict[str, Any] | None:
        declared = self._outside.functions.get(name)
        if not declared:
            return None
        return {"type": self._outside.signature(name), "tree": encoded(declared[0], self._place)}

    def _typed(self, needs: Needs) -> tuple[str, ...]:
        """The types that are needed, by digests; those in the summary have their texts."""
        keys: dict[int, list[str]] = {}
        for key, node in needs.types.items():
            keys.setdefault(id(node), []).append(key)
        nodes = {id(node): node for node in needs.types.values()}
        found = []
        for number, named in keys.items():
            text = json.dumps([named, encoded(nodes[number], lambda _: None)], separators=(",", ":"))
            digest = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
            self._types[digest] = text
            found.append(digest)
        return tuple(found)


def _with_tuples(said: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}


def _reached(functions: list[Exported], unfit: dict[str, str]) -> list[Exported]:
    """Those that other files may come to, and that call no static one that is not among them.

    The others are added to those that are unfit.
    """
    known = {each.name: each for each in functions}
    while lost := [each.name for each in known.values() if not known.keys() >= set(each.inner)]:
        for name in lost:
            inner = next(each for each in known[name].inner if each not in known)
            unfit[name] = BY_WAY + unfit.get(inner, "it calls what is not known").removeprefix(BY_WAY)
        for name in lost:
            del known[name]
    open_ = [each.name for each in known.values() if each.type is not None]
    reached: set[str] = set()
    while open_:
        name = open_.pop()
        open_ += set(known[name].inner) - reached - {name}
        reached.add(name)
    return [each for each in known.values() if each.name in reached]


def name_of(file: str) -> str:
    """What stands for a file in the names of what it does not share."""
    return re.sub(r"[^A-Za-z0-9]", "_", file)


def _as_shared(function: c_ast.FuncDef, name: str | None) -> c_ast.FuncDef:
    """The definition without `static` and `inline`, under another name if one is given."""
    twin, declared = copy.copy(function), copy.copy(function.decl)
    declared.storage, declared.funcspec = [], []
    twin.decl = _renamed(declared, name) if name else declared
    return twin


def _renamed(declared: c_ast.Decl, name: str) -> c_ast.Decl:
    """A copy of a declaration with another name."""
    twin = copy.copy(declared)
    twin.name = name
    at = twin
    while not isinstance(at, c_ast.TypeDecl):
        at.type = copy.copy(at.type)
        at = at.type
    at.declname = name
    return twin
