"""Words for what the facts say, shared by the terminal report and `cuvier explain`."""

from __future__ import annotations

import re

from species.facts import LoopFacts, Verdict

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
