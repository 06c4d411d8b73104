"""Argmin and argmax on accelerators: every thread finds the extreme of its iterations, and where it was.

Of equal values the loop keeps those of the first iteration, or of the last.  So a thread also notes the
number of the iteration that an extreme is from: `best = a[i];` becomes `{ best = a[i]; best_at = i_t; }`.
"""

from __future__ import annotations

from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts.loops import Reduction
from species.source.text.code import code_tokens, matching, on_one_line
from species.source.text.edits import Edit, apply_edits
from species.source.text.tokens import Token


def extremes(subject: Subject) -> tuple[Reduction, ...]:
    """The reductions that remember where the extreme was."""
    return tuple(r for r in subject.facts.reductions if r.keeps)


def noting(subject: Subject, text: str, notes: dict[str, str]) -> str:
    """`text` in which every assignment to an extreme is followed by a note; Refusal where it is not plain.

    `notes` has a statement without semicolon for every extreme, by name.
    """
    edits = [Edit(*_noted(subject, text, name, note)) for name, note in notes.items()]
    return apply_edits(text, sorted(edits, key=lambda edit: edit.span))


def screened(subject: Subject, text: str, name: str, flag: str) -> str:
    """`text` in which the `if` that sets an extreme only notes, in `flag`, whether its condition holds.

    Refusal where it is not plain.  Nothing else of a kernel with an extreme may have an effect.
    """
    span, _ = _noted(subject, text, name, "")
    tokens = code_tokens(text)
    start = next(k for k, token in enumerate(tokens) if token.start == span.start)
    if tokens[start - 1].text != ")":
        start = _opening(tokens, start)
    if tokens[start - 1].text != ")":
        raise Refusal(f"{name} is not assigned right under an `if`")
    closing = start - 1
    opening = next(k for k in range(closing) if tokens[k].text == "(" and matching(tokens, k) == closing)
    end = tokens[matching(tokens, start)].end if tokens[start].text == "{" else span.end
    if opening == 0 or tokens[opening - 1].text != "if":
        raise Refusal(f"{name} is not assigned right under an `if`")
    condition = on_one_line(text[tokens[opening].end : tokens[closing].start])
    edit = Edit(Span(tokens[opening - 1].start, end), f"{flag} |= {condition};")
    return apply_edits(text, [edit])


def _opening(tokens: list[Token], k: int) -> int:
    """The brace that opens the block around token `k`."""
    depth = 0
    while k > 0:
        k -= 1
        depth += (tokens[k].text == "}") - (tokens[k].text == "{")
        if depth < 0:
            return k
    raise Refusal("an extreme is assigned outside of any block")


def _noted(subject: Subject, text: str, name: str, note: str) -> tuple[Span, str]:
    if name in subject.redeclared or name in subject.macro_names(text):
        raise Refusal(f"{name} is used under another name, or another {name} is declared")
    tokens = code_tokens(text)
    starts = [
        k
        for k in range(1, len(tokens) - 1)
        if tokens[k].text == name
        and tokens[k + 1].text == "="
        and tokens[k - 1].text in (";", "{", "}", ")", "else")
    ]
    assigned = [k for k in range(len(tokens) - 1) if tokens[k].text == name and tokens[k + 1].text == "="]
    if len(assigned) != 1 or starts != assigned:
        raise Refusal(f"{name} is not assigned in one statement of its own")
    semicolon = next(t for t in tokens[starts[0] :] if t.text == ";")
    span = Span(tokens[starts[0]].start, semicolon.end)
    noted = f"{span.of(text)} {note};"
    return span, f"{{ {noted} }}" if tokens[starts[0] - 1].text in (")", "else") else noted
