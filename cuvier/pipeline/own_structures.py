"""Copies of structures that iterations have of their own, made member by member.

    struct plan p_own = { .len = p->len, .in = { .table = p->in.table, .work = own }, .hits = 0 };

Members into which iterations combine values start from nothing, and go into variables at the end of each
(array privatisation, Tu and Padua 1993, of whole structures).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cuvier.pipeline.member_sums import combination
from models.estimate import Estimate
from models.machine import core_seconds
from skeletons import CompileOptions
from skeletons.catalogue.passes import THRESHOLD
from skeletons.kernel.names import FreshNames
from species.facts.loop_forms import MemberSum, OwnStructure, WorkArea

COPIED = 4096  # bytes of a structure, at most, that an iteration copies
SMALL = 32  # of those that it may copy whatever it does
COPY_RATE, SHARE = 8e9, 0.25  # bytes a second; the part of an iteration's time that copies may take


def is_cheap(structures: Iterable[OwnStructure], estimate: Estimate | None, options: CompileOptions) -> bool:
    """Does copying structures take a small part of an iteration of the loop that an estimate is of?"""
    copied = sum(each.bytes or COPIED for each in structures)
    if copied <= SMALL or THRESHOLD in options.without:
        return True
    if estimate is None:
        return False
    seconds = core_seconds(estimate.operations, estimate.bytes, options.machine)
    return copied / COPY_RATE < SHARE * seconds / max(1.0, estimate.iterations)


@dataclass(frozen=True)
class MemberTotal:
    """A variable for what iterations combine into a member of their copies; `reach` leads to it."""

    member: MemberSum
    name: str
    own: str
    reach: str

    @property
    def declared(self) -> str:
        return f"{self.member.ctype} {self.name} = {self.member.neutral}; "

    @property
    def added(self) -> str:
        """At the end of an iteration."""
        return f"{combination(self.member.operator, self.name, f'{self.own}{self.member.text}')} "

    @property
    def combined(self) -> str:
        """Behind the loop."""
        whole = combination(self.member.operator, f"{self.reach}{self.member.text[1:]}", self.name)
        return f"if ({self.name} != {self.member.neutral}) {{ {whole} }} "


@dataclass(frozen=True)
class StructureCopy:
    """A structure of which every iteration has a copy: the variable `name`; `origin` points to the other."""

    structure: OwnStructure
    name: str
    origin: str
    sums: tuple[MemberTotal, ...]

    @staticmethod
    def of(structure: OwnStructure, names: FreshNames) -> StructureCopy:
        variable = structure.variable
        own, origin = (
            (names.fresh(f"{variable}_own"), variable)
            if structure.is_pointer
            else (variable, names.fresh(f"{variable}_from"))
        )
        reach = f"{variable}->" if structure.is_pointer else f"{variable}."
        sums = (
            MemberTotal(s, names.fresh(f"{variable}_{word_of(s.text)}"), own, reach) for s in structure.sums
        )
        return StructureCopy(structure, own, origin, tuple(sums))

    @property
    def fits(self) -> str:
        return f"sizeof({self.structure.ctype}) <= {COPIED}"

    @property
    def found(self) -> str:
        """Before the loop: where the structure is."""
        if self.structure.is_pointer:
            return ""
        return f"const {self.structure.ctype} *const {self.origin} = &{self.structure.variable}; "

    def made(self, areas: Mapping[WorkArea, str], names: FreshNames) -> str:
        """Its declaration, member by member, so that no area of others seems to be behind one."""
        own, there = self.structure, f"{self.origin}->"
        members = {m: f"{there}{m[1:]}" for m in own.members}
        members |= {each.member.text: each.member.neutral for each in self.sums}
        members |= {a.member: name for a, name in areas.items() if a.owner == own.variable}
        arrays = "".join(_elements(self.name, there, each, names) for each in own.arrays)
        declared = f"{own.ctype} {self.name} = {_braces(members) if members else '{ 0 }'}; {arrays}"
        if not own.is_pointer:
            return declared
        const = "const " * own.is_const
        return f"{declared}{const}{own.ctype} *{own.variable} = &{self.name}; (void){own.variable}; "


def _elements(own: str, there: str, array: str, names: FreshNames) -> str:
    """Loops that copy an array which is a member (`.m[][]`), so that types of what is written are known."""
    member, loops = array.replace("[]", ""), ""
    for _ in range(array.count("[]")):
        k, row = names.fresh("k"), f"{own}{member}"
        loops += f"for (int {k} = 0; {k} < (int)(sizeof({row}) / sizeof({row}[0])); {k}++) "
        member += f"[{k}]"
    return f"{loops}{own}{member} = {there}{member[1:]}; "


def word_of(text: str) -> str:
    """A member as a part of a name."""
    return "_".join(re.findall(r"\w+", text))


def _braces(members: Mapping[str, str]) -> str:
    """An initialiser that gives values to members, by their paths (`.a.b`)."""
    parts: dict[str, dict[str, str]] = {}
    for path, value in members.items():
        _, name, *rest = path.split(".", 2)
        parts.setdefault(name, {})["".join(f".{each}" for each in rest)] = value
    listed = (f".{name} = {inner.get('') or _braces(inner)}" for name, inner in parts.items())
    return f"{{ {', '.join(listed)} }}"
