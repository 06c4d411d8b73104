"""Words for what the facts say, shared by the terminal report and `cuvier explain`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from species.facts import Characterisation, LoopFacts, Verdict

_INITIALISED = re.compile(r"for\s*\(\s*(?:[A-Za-z_][\w\s]*[\s*])?([A-Za-z_]\w*)\s*=[^=]")

VERDICTS = {
    Verdict.PARALLEL: "parallel: its iterations may run in any order",
    Verdict.CONDITIONAL: "parallel on condition: its iterations may run in any order where this holds",
    Verdict.SERIAL: "serial: its iterations must run in the order in which they are written",
    Verdict.UNKNOWN: "not decided: the analysis gave up, and it is left as it is",
}


def own_iterator(loop: LoopFacts, text: str) -> str | None:
    """The variable that a `for` loop counts with, as far as its header in `text` shows."""
    if loop.spans is None:
        return loop.base_loops[0] if loop.base_loops and loop.verdict.is_parallel else None
    found = _INITIALISED.match(loop.spans.header.of(text))
    return found.group(1) if found else None


def enumerated(words: tuple[str, ...] | list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


def tuple_text(each: Characterisation) -> str:
    """`(M, r, <[0..31],[0..63]>, <1,64>, <1,0>)`: array, access, domain, elements and step."""
    domain = [f"[{interval.low}..{interval.high}]" for interval in each.domain]
    step = each.step or ("∅",) * len(domain)  # a statement: no loop is considered
    parts = [each.name, each.access, *map(_bracketed, (domain, each.elements, step))]
    return f"({', '.join(parts)})" + ("" if each.exact else " over-approximated")


def _bracketed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<{','.join(parts)}>"


def distances_text(loop: LoopFacts) -> str:
    """`(1,-1), (1,0) over j, i`; the vectors over other loops follow after a semicolon."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for each in loop.distances:
        groups.setdefault(each.loops, []).append(str(each))
    return "; ".join(f"{', '.join(vectors)} over {', '.join(loops)}" for loops, vectors in groups.items())
