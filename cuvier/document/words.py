"""Words for what the facts, or a report's document, say: shared by all reports and `cuvier explain`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from species.facts.loops import Characterisation, LoopFacts, Verdict

Json = dict[str, Any]
_INITIALISED = re.compile(r"for\s*\(\s*(?:[A-Za-z_][\w\s]*[\s*])?([A-Za-z_]\w*)\s*=[^=]")

VERDICTS = {
    Verdict.PARALLEL: "parallel: its iterations may run in any order",
    Verdict.CONDITIONAL: "parallel on condition: its iterations may run in any order where this holds",
    Verdict.SERIAL: "serial: its iterations must run in order",
    Verdict.UNKNOWN: "not decided: the analysis gave up, and it is left as it is",
}
UNPROVEN = {  # what is not excluded, by the code of the first reason
    "CV204": "two iterations may access the same element",
    "CV205": "these pointers may overlap",
    "CV301": "it may be left early",
    "CV302": "it may be left early",
    "CV303": "it may be left early",
    "CV304": "it may access a volatile object",
    "CV305": "a call may have side effects",
    "CV306": "a construct in it is not analysed",
    "CV307": "it is not a counted loop",
    "CV308": "it is not a counted loop",
}
_DEPENDENT = "its iterations may depend on each other"
STANDINGS = ("parallel", "conditional", "serial", "unproven", "unknown")
_WORDS = {"unproven": "not proven parallel"}
LENGTH = 120  # of a reason or a condition where space is dear


def verdict_sentence(loop: LoopFacts) -> str:
    """`parallel: its iterations may run in any order`."""
    if loop.verdict is not Verdict.SERIAL or loop.proven:
        return VERDICTS[loop.verdict]
    code = loop.reasons[0].code if loop.reasons else ""
    return f"not proven parallel: {UNPROVEN.get(code, _DEPENDENT)}"


def standing(loop: Json) -> str:
    """The verdict, or "unproven" for a loop that is serial only because nothing shows that it is parallel."""
    return "unproven" if loop["verdict"] == "serial" and not loop["proven"] else str(loop["verdict"])


def standing_word(name: str) -> str:
    """A standing as it is called in reports."""
    return _WORDS.get(name, name)


def own_iterator(loop: LoopFacts, text: str) -> str | None:
    """The variable that a `for` loop counts with, as far as its header in `text` shows."""
    if loop.spans is None:
        return loop.base_loops[0] if loop.base_loops and loop.verdict.is_parallel else None
    found = _INITIALISED.match(loop.spans.header.of(text))
    return found.group(1) if found else None


def enumerated(words: tuple[str, ...] | list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


def shortened(text: str, length: int = LENGTH) -> str:
    """The text, or its beginning up to a blank."""
    return text if len(text) <= length else text[: length - 1].rsplit(" ", 1)[0] + "…"


def tuple_text(each: Characterisation) -> str:
    """`(M, r, <[0..31],[0..63]>, <1,64>, <1,0>)`: array, access, domain, elements and step."""
    domain = [(interval.low, interval.high) for interval in each.domain]
    return _tuple(each.name, each.access, domain, each.elements, each.step, each.exact)


def tuple_of(each: Json) -> str:
    """The same of a document's characterisation."""
    return _tuple(each["name"], each["access"], each["domain"], each["elements"], each["step"], each["exact"])


def _tuple(
    name: str,
    access: str,
    domain: Sequence[Sequence[str]],
    elements: Sequence[str],
    step: Sequence[str],
    exact: bool,
) -> str:
    intervals = [f"[{low}..{high}]" for low, high in domain]
    moves = step or ("∅",) * len(domain)  # a statement: no loop is considered
    parts = [name, access, *map(_bracketed, (intervals, elements, moves))]
    return f"({', '.join(parts)})" + ("" if exact else " over-approximated")


def _bracketed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<{','.join(parts)}>"


def distances_text(loop: LoopFacts) -> str:
    """`(1,-1), (1,0) over j, i`; the vectors over other loops follow after a semicolon."""
    return _distances([(each.loops, each.distance) for each in loop.distances])


def distances_of(loop: Json) -> str:
    """The same of a document's loop."""
    return _distances([(tuple(each["loops"]), each["distance"]) for each in loop["distances"]])


def _distances(vectors: list[tuple[tuple[str, ...], Sequence[int | None]]]) -> str:
    groups: dict[tuple[str, ...], list[str]] = {}
    for loops, distance in vectors:
        text = f"({','.join('*' if d is None else str(d) for d in distance)})"
        groups.setdefault(loops, []).append(text)
    return "; ".join(f"{', '.join(texts)} over {', '.join(loops)}" for loops, texts in groups.items())


def loop_name(loop: Json) -> str:
    """`for i`, `while`."""
    return f"{loop['kind']} {loop['iterator'] or ''}".rstrip()


def place_name(loop: Json) -> str:
    """`app.c:3`."""
    return f"{loop['file']}:{loop['line']}"


def reason_text(reason: Json, loop: Json, length: int = LENGTH) -> str:
    """Its code, its line unless the sentence names it, and the sentence."""
    elsewhere = "" if reason["file"] == loop["file"] else f"{reason['file']}:"
    line = f"line {elsewhere}{reason['line']}"
    prefix = "" if f"{line} " in f"{reason['message']} " else f"{line}: "
    return f"{reason['code']} {prefix}{shortened(reason['message'], length)}"


def why_text(loop: Json, length: int = LENGTH) -> str:
    """In one line: what a parallel loop is, or the first reason why another one is none."""
    if loop["verdict"] in ("parallel", "conditional"):
        return shortened(loop["species"] or "no species: array bounds unknown", length)
    return reason_text(first_reason(loop), loop, length) if loop["reasons"] else "no known reason"


def first_reason(loop: Json) -> Json:
    """The reason that says most: one that proves the verdict, if there is one."""
    reasons: list[Json] = loop["reasons"]
    return next((each for each in reasons if each["proven"]), reasons[0])


def conditions_of(loop: Json, verbose: bool = False) -> Iterator[str]:
    """The conditions in words and, with `verbose`, as C."""
    for condition, words in zip(loop["conditions"], loop["condition_words"], strict=True):
        yield f"if {shortened(words)}"
        if verbose:
            yield f"  {condition}"


# Words for nests that reports leave out: distances and wavefronts tell more.
_DEEPEST_TILED = 3  # loops: `skeletons.schedule.transform.wavefront`
_SHAPES = ("perfect", "imperfect", "uniform", "wavefront")


def details(loop: Json, verbose: bool = False) -> Iterator[str]:
    """All that a line of a report says of a loop, part by part; with `verbose`, conditions as C, too."""
    if loop["species"]:
        yield loop["species"] + ("" if loop["exact"] else "  (over-approximated)")
    if loop["verdict"] in ("parallel", "conditional"):
        for operator in dict.fromkeys(each["operator"] for each in loop["reductions"]):
            variables = [each["variable"] for each in loop["reductions"] if each["operator"] == operator]
            yield f"reduction({operator}: {', '.join(variables)})"
        yield from (f"linear({each['variable']}: {each['step'] or 'unnamed'})" for each in loop["linear"])
        yield from conditions_of(loop, verbose)
    else:
        yield from (reason_text(each, loop) for each in loop["reasons"])
    if loop["unprofitable"] and loop["verdict"] in ("parallel", "conditional"):
        yield f"not worth threads: {loop['unprofitable']}"
    if loop["users"] and loop["verdict"] in ("parallel", "conditional"):
        yield f"stays as it is: {shortened(loop['users'])}"
    tags = [tag for tag in loop["tags"] if tag not in _SHAPES]
    if tags:
        yield ", ".join(tags)
    if loop["distances"]:
        yield f"distances {distances_of(loop)}"
    if (found := loop["traversal"]) and found["independent"]:
        yield traversal_way(found["variable"])
    if found := loop["stages"]:
        yield stages_way(found["before"], found["behind"])
    if found := loop["own_copies"]:
        yield own_copies_way([(each["variable"], each["operator"]) for each in found])
    if planes := loop["wavefront"]:
        named = ", ".join(planes)
        yield f"a wavefront along the hyperplanes {named} makes it parallel{wavefront_way(len(planes))}"


def traversal_way(variable: str) -> str:
    """What threads need to share a loop along a list."""
    nodes = f"the nodes that '{variable}' visits"
    return f"threads can share it once {nodes} are looked up (cuvier compile --target openmp)"


def stages_way(before: bool, behind: bool) -> str:
    """What of a loop threads can share."""
    if before and behind:
        what = "the statements between the first and the last ones"
    else:
        what = "all but its first statements" if before else "all but its last statements"
    return f"threads can share {what} (cuvier compile --target openmp)"


def own_copies_way(copies: Sequence[tuple[str, str | None]]) -> str:
    """What threads need to share a loop whose functions use variables with static storage."""
    names = enumerated([f"'{variable}'" for variable, _ in copies])
    combined = enumerated([f"'{variable}'" for variable, operator in copies if operator])
    all_of_them = all(operator for _, operator in copies)
    then = f", with {'these' if all_of_them else combined} combined behind it" if combined else ""
    return f"threads can share it if each has its own {names}{then} (cuvier compile --target openmp)"


def wavefront_way(loops: int) -> str:
    """What makes tiles of a nest of so many loops, in parentheses; nothing does of deep ones."""
    return " (cuvier compile --target openmp)" if loops <= _DEEPEST_TILED else ""


def tuples(loop: Json) -> Iterator[str]:
    """The characterisations of a loop and, where it has them, of its statements."""
    yield from map(tuple_of, loop["characterisations"])
    for statement in loop["statements"]:
        yield f"line {statement['line']}:"
        yield from (f"  {tuple_of(each)}" for each in statement["characterisations"])


def percent(share: float | None) -> str:
    """`12 %`; below one, with a digit more."""
    if share is None:
        return "?"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    digits = 0 if share >= 0.0995 or not share else 1
    return f"{100 * share:.{digits}f} %"
