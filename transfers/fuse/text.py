"""The text of a fused loop.  Every line of the two loops stays where it is: messages name the right ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from species.positions import Span
from species.source import tokenize
from transfers.fuse.contraction import Contraction
from transfers.fuse.headers import Level, guard, joined_header
from transfers.fuse.names import fresh, on_one_line
from transfers.fuse.pairs import Neighbours, Surroundings


def region(pair: Neighbours) -> Span:
    """From the first loop to the end of the second."""
    return Span(pair.first.span.start, pair.second.span.end)


@dataclass(frozen=True)
class Trial:
    """Two kernels, and one way to make them one: where `conditions` (C expressions) hold."""

    pair: Neighbours
    way: tuple[Level, ...]
    conditions: tuple[str, ...] = ()
    contractions: tuple[Contraction, ...] = ()


def fused_text(trial: Trial, around: Surroundings) -> str:
    """What stands in the place of both loops, and of what is between them.

    Where the trial has conditions, the two loops follow, for where one of them does not hold.
    """
    pair, conditions = trial.pair, trial.conditions
    text = around.unit.source.text
    moved = " ".join(on_one_line(span.of(text)) for span in _moved(pair, around))
    loop = _head(trial, around) + between(pair, around) + _tail(trial, around)
    unused = "".join(f"(void){c.symbol.name}; " for c in trial.contractions if c.loose)
    moved = f"{moved} {unused}".strip()
    if not conditions:
        return f"{moved} {loop}".lstrip()
    holds = " && ".join(f"({condition})" for condition in conditions)
    original = "".join(f" {on_one_line(part.span.of(text))}" for part in (pair.first, pair.second))
    return f"{moved} if ({holds}) {{ {loop} }} else {{{original} }}".lstrip()


def _moved(pair: Neighbours, around: Surroundings) -> list[Span]:
    """Where the statements stand that move in front of the loop; several declarators are one."""
    spans = (around.unit.statement_span(statement) for statement in pair.between)
    return list(dict.fromkeys(span for span in spans if span is not None))


def _head(trial: Trial, around: Surroundings) -> str:
    """The first loop without the ends of its braces."""
    pair, way = trial.pair, trial.way
    text, kernel = around.unit.source.text, pair.first.kernel
    body, pieces = kernel.loops[-1].spans.body, []
    at = pair.first.span.start
    for level, loop in zip(way, kernel.loops, strict=True):
        header = loop.spans.header
        pieces.append(text[at : header.start])
        old = header.of(text)
        pieces.append(old if not level.guarded else joined_header(level) + _lines(old))
        at = header.end
    pieces.append(text[at : body.start])
    conditions = [c for level in way for c in guard(level, first=True)]
    only = f"if ({' && '.join(conditions)}) " if conditions else ""
    declared = "".join(f"{c.declaration} " for c in trial.contractions)
    inner = _block(_body(trial, body.of(text)))
    return f"{''.join(pieces)}{{ {declared}{only}{inner}{_lines(text[body.end : pair.first.span.end])}"


def _block(text: str) -> str:
    return text if text.startswith("{") else f"{{ {text} }}"


def _body(trial: Trial, text: str) -> str:
    for contraction in trial.contractions:
        text = contraction.applied(text)
    return text


def between(pair: Neighbours, around: Surroundings) -> str:
    """What stands between two loops but for the statements there: comments and line ends."""
    text, at, pieces = around.unit.source.text, pair.first.span.end, []
    for span in _moved(pair, around):
        pieces += [text[at : span.start], _lines(span.of(text))]
        at = span.end
    return "".join([*pieces, text[at : pair.second.span.start]])


def _tail(trial: Trial, around: Surroundings) -> str:
    """What the second loop repeats, and the ends of all braces."""
    pair, way = trial.pair, trial.way
    text, kernel = around.unit.source.text, pair.second.kernel
    body, whole = kernel.loops[-1].spans.body, pair.second.span
    conditions = [c for level in way for c in guard(level, first=False)]
    only = f"if ({' && '.join(conditions)}) " if conditions else ""
    opened = pair.first.kernel.loops[-1].spans.body.start
    braces = _depth(text[pair.first.span.start : opened])
    opening, closing = _iterators(way, around)
    repeated = _body(trial, body.of(text))
    inner = f"{{ {opening}{repeated}{closing} }}" if opening else _block(repeated)
    ends = f"{_lines(text[body.end : whole.end])} }}{' }' * braces}"
    return f"{_lines(text[whole.start : body.start])}{only}{inner}{ends}"


def _iterators(way: tuple[Level, ...], around: Surroundings) -> tuple[str, str]:
    """What gives the second loop's iterators their values, and what ends their scope."""
    first, last = [], []
    for level in way:
        one, other = level.first.loop, level.second.loop
        value = f"{one.iterator} {'-' if level.shift < 0 else '+'} {abs(level.shift)}"
        value = value if level.shift else one.iterator
        if one.iterator == other.iterator and level.shift:
            name = fresh(one.iterator, around.unit)
            first.append(f"{one.ctype} {name} = {value};")
            last.append(f"{one.ctype} {one.iterator} = {name};")
        elif one.iterator != other.iterator:
            declared = f"{other.ctype} " if other.declared_inside else ""
            first.append(f"{declared}{other.iterator} = {value};")
    opening = "".join(f"{text} " for text in first)
    return (f"{opening}{{ {' '.join(last)} ", " }") if last else (opening, "")


def _depth(text: str) -> int:
    """How many braces a text leaves open."""
    tokens = [token.text for token in tokenize(text) if token.kind == "punctuation"]
    return tokens.count("{") - tokens.count("}")


def _lines(text: str) -> str:
    """The line ends of a text."""
    return "".join(re.findall(r"\r?\n", text))
