"""The text of a fused loop.  Every line of the two loops stays where it is: messages name the right ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from species.core.positions import Span
from species.source import Edit, tokenize
from transfers.fuse.contraction import Contraction
from transfers.fuse.headers import Level, guard, joined_header
from transfers.fuse.names import fresh, line_ends, on_one_line
from transfers.fuse.pairs import Neighbours, Part, Surroundings
from transfers.fuse.ranges import Range, values


@dataclass(frozen=True)
class Trial:
    """Two kernels, and one way to make them one: where `conditions` (C expressions) hold.

    `way`: their iterations fall together.  Where it is empty, they follow one another, as `ranges` say.
    """

    pair: Neighbours
    way: tuple[Level, ...] = ()
    ranges: tuple[Range, ...] = ()
    conditions: tuple[str, ...] = ()
    contractions: tuple[Contraction, ...] = ()


def edits_of(trial: Trial, around: Surroundings) -> list[Edit]:
    """What stands in the place of both loops, and of what is between them.

    The second one comes to the first, past what stays between them.
    """
    pair, text = trial.pair, around.unit.source.text
    places = [*_places(pair.moved, around), *([pair.second.region] if pair.staying else [])]
    if not pair.staying:
        return [Edit(pair.region, _fused_text(trial, around))]
    left = [Edit(span, line_ends(span.of(text))) for span in places]
    return [Edit(pair.first.region, _fused_text(trial, around)), *left]


def _fused_text(trial: Trial, around: Surroundings) -> str:
    """The fused loop, in the user's condition if there is one, with what moves in front of it.

    Where the trial has conditions, the two loops follow, for where one of them does not hold.
    """
    pair, text = trial.pair, around.unit.source.text
    moved = [on_one_line(span.of(text)) for span in _places(pair.moved, around)]
    moved += [f"(void){c.symbol.name};" for c in trial.contractions if c.loose]
    last = pair.first if pair.staying else pair.second  # what stands there to its end
    loop = _beside(trial, around) if trial.ranges else _merged(trial, around)
    loop += line_ends(text[last.span.end : last.region.end])
    if trial.conditions:
        holds = " && ".join(f"({condition})" for condition in trial.conditions)
        # the comparison with 0 spares the analyser all the ways in which the condition may come about
        loop = f"if (({holds}) != 0) {{ {loop} }} else {{{_original(pair, around)} }}"
    first = pair.first
    before = line_ends(text[first.region.start : first.span.start])
    if first.guard is not None and not first.guard.is_ours:
        loop = f"if ({first.guard.condition}) {{{before} {loop} }}"
    else:
        loop = before + loop
    return " ".join([*moved, loop])


def _original(pair: Neighbours, around: Surroundings) -> str:
    """Both loops, as they were before any of them were made one."""
    text = around.unit.source.text
    ours = [part.guard if part.guard and part.guard.is_ours else None for part in (pair.first, pair.second)]
    parts = zip(ours, (pair.first, pair.second), strict=True)
    return "".join(f" {g.otherwise if g else on_one_line(part.span.of(text))}" for g, part in parts)


def _places(statements: tuple[Any, ...], around: Surroundings) -> list[Span]:
    """Where statements stand; several declarators are one."""
    spans = (around.unit.statement_span(statement) for statement in statements)
    return list(dict.fromkeys(span for span in spans if span is not None))


def between(pair: Neighbours, around: Surroundings) -> str:
    """What stands between two kernels but for the statements there: comments and line ends."""
    text, at, pieces = around.unit.source.text, pair.first.region.end, []
    for span in sorted(_places((*pair.moved, *pair.staying), around)):
        pieces += [text[at : span.start], line_ends(span.of(text))]
        at = span.end
    return "".join([*pieces, text[at : pair.second.region.start]])


def _middle(pair: Neighbours, around: Surroundings) -> str:
    """What stands between two loops that are put together, the ends of their conditions left out."""
    text, first, second = around.unit.source.text, pair.first, pair.second
    ends = (text[first.span.end : first.region.end], text[second.region.start : second.span.start])
    return between(pair, around).join(map(line_ends, ends))


def _merged(trial: Trial, around: Surroundings) -> str:
    """The loop of which each iteration runs one of the first, and one of the second loop."""
    head, tail = _head(trial, around), _tail(trial, around)
    if trial.pair.staying:
        return f"{head} {on_one_line(tail)}"
    return head + _middle(trial.pair, around) + tail


def _beside(trial: Trial, around: Surroundings) -> str:
    """The loop of which some iterations run those of the first, and the others those of the second loop."""
    (one, other), pair = trial.ranges, trial.pair
    at = fresh("t", around.unit)
    header = f"for (int {at} = 0; {at} < {one.count} + {other.count}; {at}++)"
    first = _spread(pair.first, values(one, at), around)
    second = _spread(pair.second, values(other, f"({at} - {one.count})"), around)
    middle = _middle(pair, around)
    return f"{header} {{ if ({at} < {one.count}) {{ {first} }}{middle} else {{ {second} }} }}"


def _spread(part: Part, given: list[str], around: Surroundings) -> str:
    """A nest with the values of its iterators for its headers."""
    text, at, pieces = around.unit.source.text, part.span.start, []
    for loop, value in zip(part.kernel.loops, given, strict=True):
        header = loop.spans.header
        declared = f"{loop.ctype} " if loop.declared_inside else ""
        pieces += [text[at : header.start], f"{declared}{loop.iterator} = {value};"]
        pieces += [line_ends(header.of(text)), " "]
        at = header.end
    body = part.kernel.loops[-1].spans.body
    pieces += [text[at : body.start], _block(body.of(text)), text[body.end : part.span.end]]
    return "".join(pieces)


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
        pieces.append(old if not level.guarded else joined_header(level) + line_ends(old))
        at = header.end
    pieces.append(text[at : body.start])
    conditions = [c for level in way for c in guard(level, first=True)]
    only = f"if ({' && '.join(conditions)}) " if conditions else ""
    declared = "".join(f"{c.declaration} " for c in trial.contractions)
    inner = _block(_body(trial, body.of(text)))
    return f"{''.join(pieces)}{{ {declared}{only}{inner}{line_ends(text[body.end : pair.first.span.end])}"


def _block(text: str) -> str:
    return text if text.startswith("{") else f"{{ {text} }}"


def _body(trial: Trial, text: str) -> str:
    for contraction in trial.contractions:
        text = contraction.applied(text)
    return text


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
    ends = f"{line_ends(text[body.end : whole.end])} }}{' }' * braces}"
    return f"{line_ends(text[whole.start : body.start])}{only}{inner}{ends}"


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
