"""Conditions under which two pointers do not reach the same memory while a loop runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from species.dependence.findings import Finding
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.kernels.condition_words import apart_in_words, in_words, start_in_words, zero_in_words
from species.kernels.data_extents import DataExtents
from species.kernels.data_tests import check_text
from species.kernels.row_overlaps import Rows, apart, enclosed, of_memory, of_table
from species.kernels.stepless import stepless
from species.kernels.trip_counts import trips_text
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.loops.moving_pointers import offset_on_entry
from species.loops.pointees import are_starts
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames, conditions_of_first
from species.regions.hull import Region, Regions
from species.regions.symbolic import condition_text
from species.sets.affine import Affine

_NUMBER = "(unsigned long long)"
_BYTES = "(char *)"  # before the name of a pointer of which the cells are bytes


def disjointness(
    model: FunctionModel,
    judge: Judge,
    judgement: Judgement,
    says_so: Callable[[str], bool] = lambda _: True,
) -> dict[str, str]:
    """C conditions that make a loop parallel that is so but for aliases and unknown start values; with words.

    Where no condition can be written down, a finding is added to the judgement instead; `says_so` tells of a
    text whether it would mean what it says.
    """
    if not judgement.is_parallel:
        return {}
    conditions = {c: start_in_words(r) for r in judgement.reductions for c in r.conditions}
    conditions |= _provisos(judgement, EntryNames(model, judgement.loop, judge.references(judgement.loop)))
    conditions |= _idle(judgement, EntryNames(model, judgement.loop, judge.references(judgement.loop)))
    conditions |= _checked(model, judge, judgement)
    if not all(map(says_so, conditions)):
        why = "what has to be tested before the loop cannot be written: a macro has one of the names"
        judgement.findings.append(Finding("CV201", why, judgement.loop.node))
        judgement.give_up()
    for first, second in judgement.overlaps:
        text = _disjoint(model, judge, judgement, first, second)
        if text is None or not says_so(text):
            message = judge.wording.alike(first, second)
            judgement.findings.append(Finding("CV205", message, first.node, (second.node,)))
            judgement.give_up()
            return {}
        conditions.setdefault(text, _words(model, judge, judgement, first, second))
    return conditions if judgement.is_parallel else {}


def _provisos(judgement: Judgement, names: EntryNames) -> dict[str, str]:
    """The conditions under which objects carry no dependence within themselves."""
    conditions = [p.condition for p in judgement.provisos]
    try:
        texts = [condition_text(c, names) for c in conditions]
    except Unprintable:
        judgement.give_up()
        return {}
    guarded = [names.guarded(f"({t})" if names.guards else t) for t in texts]
    return {text: in_words(c, names) for text, c in zip(guarded, conditions, strict=True)}


def _idle(judgement: Judgement, names: EntryNames) -> dict[str, str]:
    """That iterations store nothing which others would find."""
    found = {}
    for each in judgement.idle:
        conditions = conditions_of_first(judgement.loop, each.read)
        cell = names.cell(each.read.place)
        if conditions is None or cell is None:
            judgement.give_up()
            return {}
        reached = [condition_text(c, names) for c in conditions]
        test = f"{cell} {each.relation} 0"
        text = f"(!({' && '.join(reached)}) || {test})" if reached else f"({test})"
        found[names.guarded(text)] = zero_in_words(cell, each.relation)
    return found


def _checked(model: FunctionModel, judge: Judge, judgement: Judgement) -> dict[str, str]:
    """What is claimed of numbers in memory: that they ascend, or are distinct."""
    found, loop = {}, judgement.loop
    for claim in dict.fromkeys(check.claim for check in judgement.data_checks):
        names = EntryNames(model, loop, judge.references(loop))
        test = check_text(claim, loop, names, trips_text(Regions(model, loop, names), loop, loop))
        if test is None:
            judgement.give_up()
            return {}
        text, words = test
        found[names.guarded(text)] = words
    return found


def _words(model: FunctionModel, judge: Judge, judgement: Judgement, a: Reference, b: Reference) -> str:
    """What `_disjoint` says, for people."""
    names = EntryNames(model, judgement.loop, judge.references(judgement.loop))
    first, second = ((_said(judgement.loop, r, names), _led_to(r)) for r in (a, b))
    return apart_in_words(first, second)


def _led_to(reference: Reference) -> str:
    """What the pointers of a table lead to; empty: the reference is to no such thing."""
    if reference.symbol.table is None:
        return ""
    target = reference.symbol.ctype.element
    while target.kind == "pointer" and target.target is not None:
        target = target.target
    return "structure" if target.kind == "struct" else "row"


def _said(loop: Loop, reference: Reference, names: EntryNames) -> str:
    """The name of the memory that a reference is to, or of the table that leads to its row."""
    table: Place | None = reference.symbol.table
    if table is None and offset_on_entry(loop, reference.place) is not None:
        return reference.symbol.name
    object_ = table or Place(reference.symbol, (), reference.place.base)
    text = names.table(object_)
    member = "".join(f".{step}" for step in reference.symbol.held_in)
    return f"{text}[]{member}" if text and member else text or reference.symbol.name


def _disjoint(
    model: FunctionModel, judge: Judge, judgement: Judgement, a: Reference, b: Reference
) -> str | None:
    """`[p, p+n) and [q, q+m) are disjoint`, as C."""
    names = EntryNames(model, judgement.loop, judge.references(judgement.loop))
    if a.symbol.table is not None or b.symbol.table is not None:
        found = [_rows(model, judge, judgement, r, names) for r in ((a,) if a is b else (a, b))]
        rows = [each for each in found if each is not None]
        text = apart(rows) if len(rows) == len(found) else None
        return names.guarded(text) if text is not None else None
    if a.symbol is b.symbol and not (a.place.is_variable or b.place.is_variable):
        return None
    if are_starts(a.place, b.place):
        pointers = [_pointer(judgement.loop, r, names) for r in (a, b)]
        if None not in pointers:
            return names.guarded(_unequal(a, b, *map(str, pointers)))
    first, second = (_ends(model, judge, judgement, r, names) for r in (a, b))
    return names.guarded(_apart(first, second)) if first is not None and second is not None else None


def _pointer(loop: Loop, reference: Reference, names: EntryNames) -> str | None:
    """The pointer that leads to the memory of a reference, which the loop does not move."""
    base = reference.place.base
    if base is None or loop.number in base.loops:
        return None
    return names.pointer(Place(reference.symbol, (), base))


def _unequal(a: Reference, b: Reference, first: str, second: str) -> str:
    """That two pointers are not equal; C compares those of one type only."""
    types = [r.symbol.ctype.decayed.target for r in (a, b)]
    one, other = (t.text.removeprefix("const ") if t is not None else "" for t in types)
    is_plain = one == other and all(t is not None and t.kind != "array" for t in types)
    return f"({first} != {second})" if is_plain else f"((const void *)({first}) != (const void *)({second}))"


@dataclass(frozen=True)
class _Ends:
    """What a loop touches of an object starts at the first of `starts`, and ends at the last of `ends`."""

    start: str
    end: str
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", self.starts or (self.start,))
        object.__setattr__(self, "ends", self.ends or (self.end,))


@dataclass(frozen=True)
class Reach:
    """From where to where a loop touches an object: addresses as C, in names that are at the loop's start."""

    ends: _Ends
    names: EntryNames

    def apart(self, other: Reach) -> str:
        """That this is not the memory of the other, as C."""
        return other.names.guarded(self.names.guarded(_apart(self.ends, other.ends)))


def reach(model: FunctionModel, judge: Judge, loop: Loop, reference: Reference) -> Reach | None:
    """What a loop touches of the object that a reference is to; None where that has no text."""
    names = EntryNames(model, loop, judge.references(loop))
    ends = _ends(model, judge, Judgement(loop), reference, names)
    return Reach(ends, names) if ends is not None and reference.symbol.table is None else None


def _apart(first: _Ends, second: _Ends) -> str:
    ways = [
        [f"{end} <= {start}" for end in a.ends for start in b.starts]
        for a, b in ((first, second), (second, first))
    ]
    return f"({' || '.join(_all(way) for way in ways)})"


def _all(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' && '.join(conditions)})"


def _rows(
    model: FunctionModel, judge: Judge, judgement: Judgement, reference: Reference, names: EntryNames
) -> Rows | None:
    if reference.symbol.table is not None:
        return of_table(model, judge, judgement, reference, names)
    ends = _ends(model, judge, judgement, reference, names)
    return of_memory(ends.start, ends.end) if ends is not None else None


def _in_one_row(place: Place) -> Place:
    """The place as if its array were one row."""
    number = place.linear
    return replace(place, path=(number,) if number is not None else (), loose=False, flat=None, lengths=())


def _ends(
    model: FunctionModel, judge: Judge, judgement: Judgement, reference: Reference, names: EntryNames
) -> _Ends | None:
    """The address of the first cell that is touched, and the one behind the last, as C.

    Right where the provisos hold, which are tested before it.  Addresses are numbers: a loop that makes no
    iteration may have null pointers, and there is no cell `p + n` then.
    """
    loop, provided = judgement.loop, judgement.provided
    symbol, object_ = reference.symbol, Place(reference.symbol, (), reference.place.base)
    is_moved = offset_on_entry(loop, reference.place) is not None and loop.sees(symbol)
    name = symbol.name if is_moved else names.pointer(object_)
    if symbol in model.open_ended:
        return None  # it ends behind its last structure
    if name is None or loop.number in (reference.place.base.loops if reference.place.base else ()):
        return None
    single = (reference.place.is_variable and symbol.is_scalar) or (
        reference.place.base is None and (symbol.ctype.kind in ("struct", "union") or symbol.ctype.unclear)
    )
    if single:
        return _Ends(f"{_NUMBER}&{name}", f"{_NUMBER}&{name} + sizeof({name})")
    own = [r for r in judge.references(loop) if r.symbol is symbol and r.place.base == reference.place.base]
    if any(not isinstance(step, Affine) for r in own for step in r.place.path[:1]):
        return None
    in_bytes = any(r.place.byte is not None for r in own)
    size = (model.extents.get(symbol) or (None,))[0] if not in_bytes else None
    name = _BYTES + enclosed(name) if in_bytes else name
    if size is not None and not is_moved and _is_copied_whole(Regions(model, loop, None, provided), own):
        try:
            return _Ends(_address(name), _address(name, names.text(size)))
        except Unprintable:
            return None
    if any(r.place.flat is not None for r in own):
        cell = (symbol.ctype.target or symbol.ctype).element
        if not cell.is_number or any(r.place.linear is None for r in own):
            return None
        if not names.means_the_same(cell.text):
            return None
        name = f"(({cell.text} *)({name}))"
        own = [replace(r, place=_in_one_row(r.place)) for r in own]
    # Of rows and structures, whole ones.
    touching = [replace(r, place=replace(r.place, path=r.place.path[:1])) for r in own]
    regions = Regions(model, loop, names, provided)
    region = _hull(regions, touching, names)
    if region is None:
        relaxed = [stepless(model, reference) or reference for reference in touching]
        region = _hull(regions, relaxed, names) if relaxed != touching else None
    if region is None:
        region = DataExtents(model, loop, names, judge.references(loop)).hull(touching, provided)
    if region is None:
        return None
    rows, (least, greatest) = region.ranges[0], region.rows
    starts, ends = [_address(name, low) for low in least], [_behind(name, high) for high in greatest]
    return _Ends(_address(name, rows.low), _behind(name, rows.high), tuple(starts), tuple(ends))


def _hull(regions: Regions, references: list[Reference], names: EntryNames) -> Region | None:
    """The box around references; where it takes a stride that is not negative, that is asked for as well."""
    found = regions.hull(references)
    if found is not None:
        return found
    signed, texts = regions.with_signs(references)
    found = signed.hull(references) if texts else None
    names.guards += [text for text in texts if found is not None and text not in names.guards]
    return found


def _is_copied_whole(regions: Regions, references: list[Reference]) -> bool:
    """Do kernels or threads take more than what is touched, since that is not exactly known?"""
    kinds = ([r for r in references if r.write is write] for write in (False, True))
    found = [regions.hull(kind, references) for kind in kinds if kind]
    return not all(region is not None and region.exact for region in found)


def _address(name: str, cells: str = "0") -> str:
    """The address so many cells behind a pointer, as a number."""
    start = _NUMBER + enclosed(name.removeprefix(_BYTES))
    if cells == "0":
        return start
    factors = [each for each in (enclosed(cells), _size(name)) if each != "1"]
    return f"{start} + {'*'.join(factors) or '1'}"


def _behind(name: str, last: str) -> str:
    """The address behind this cell; nothing is added to its number, which may be the largest there is."""
    if last.isdecimal():
        return _address(name, str(int(last) + 1))
    if found := re.search(r"(?<=[\w)\]])-(\d+)$", last):
        less = int(found[1]) - 1
        return _address(name, last[: found.start()] + (f"-{less}" if less else ""))
    return f"{_address(name, last)} + {_size(name)}"


def _size(name: str) -> str:
    return "1" if name.startswith(_BYTES) else f"sizeof(*{enclosed(name)})"
