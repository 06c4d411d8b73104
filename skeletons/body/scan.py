"""Scans and packs on the host: what an iteration combines into the variable, as the source says it.

The analysis has shown that one statement of the body combines a term into the variable, that the term can be
computed before the iteration runs, and that nothing else ties the iterations together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skeletons.body.branchless_pack import Packing, packing
from skeletons.kernel.chunks import SplitLoop, is_outside
from skeletons.kernel.context import Subject
from skeletons.kernel.updates import only_update
from species.core.refusal import Refusal
from species.facts.loops import KernelPattern
from species.source.text.code import code_tokens, matching, on_one_line
from species.source.text.tokens import Token

_UNSIGNED = {"long": "unsigned long", "long long": "unsigned long long"}
_LANES_PAY = 4  # lines of a body that is so short that it waits for its own sum


@dataclass(frozen=True)
class Prefix:
    """Every iteration combines `term` into `name`, where `condition` says so (empty: always).

    `part_type` is the type in which a part of the iterations is combined: sums and products of signed numbers
    are made of unsigned ones, which wrap around, as a part may overflow where the whole does not.
    """

    kind: str
    name: str
    operator: str
    part_type: str
    term: str
    condition: str
    reorders: bool  # floating-point values are added or multiplied in another order
    lanes: int  # so many iterations at a time are added up on their own
    packing: Packing | None  # of a pack that needs no branch

    @property
    def neutral(self) -> str:
        """What a part starts from; empty: from the variable's value before the loop, which does no harm."""
        return {"+": "0", "*": "1", "^": "0"}.get(self.operator, "")

    @property
    def operand(self) -> str:
        """The term as an operand of any operator; 0 where the condition does not hold."""
        whole = f"{_operand(self.condition)} ? {self.term} : 0" if self.condition else self.term
        return _operand(whole)

    @property
    def relation(self) -> str:
        """Of min and max: how a better value relates to the old one."""
        return {"min": "<", "max": ">"}.get(self.operator, "")


def prefix(subject: Subject, loop: SplitLoop) -> Prefix:
    """The kernel's pattern; Refusal where it is not found in the text."""
    found = subject.kernel.pattern
    assert found is not None
    if found.variable in subject.redeclared or found.variable in subject.macro_names(loop.body):
        raise Refusal(f"{found.variable} is used under another name, or another {found.variable} is declared")
    scalar = next(scalar for scalar in subject.kernel.scalars if scalar.name == found.variable)
    canonical = subject.canonical(scalar.ctype, scalar.name)
    condition, term = _parts(subject, loop.body, found)
    packs = found.kind == "pack"
    is_float = canonical in ("float", "double", "long double")
    reorders = is_float and found.operator in ("+", "*")
    part_type = _part_type(canonical, found.operator)
    if packs:
        condition, term = "", _truth(condition)
    elif part_type != canonical:
        term = f"({part_type}){_operand(term)}"
    return Prefix(
        kind=found.kind,
        name=found.variable,
        operator=found.operator,
        part_type=part_type,
        term=term,
        condition=condition,
        reorders=reorders,
        lanes=4 if reorders and found.operator == "+" and _is_short(loop.body) else 1,
        packing=packing(subject, loop.body, found.variable) if packs else None,
    )


def _part_type(canonical: str, operator: str) -> str:
    if operator not in ("+", "*") or canonical in ("float", "double", "long double"):
        return canonical
    wide = {"unsigned long", "unsigned long long"}
    return canonical if canonical in wide else _UNSIGNED.get(canonical, "unsigned")


def _operand(term: str) -> str:
    tokens = code_tokens(term)
    element = len(tokens) > 3 and tokens[0].kind == "identifier" and tokens[1].text == "["
    alone = len(tokens) == 1 or (element and matching(tokens, 1) == len(tokens) - 1)
    return term if alone else f"({term})"


def _truth(condition: str) -> str:
    """A condition as 0 or 1."""
    tokens = code_tokens(condition)
    outside = {token.text for k, token in enumerate(tokens) if is_outside(tokens, k)}
    joined = outside & {"&&", "||"}
    compared = outside & {"<", "<=", ">", ">=", "==", "!="} and not outside & {"&", "|", "^"}
    is_truth = (joined or compared) and not outside & {"?", ","}
    return condition if is_truth else f"({condition}) != 0"


def _is_short(body: str) -> bool:
    words = {token.text for token in code_tokens(body)}
    return body.count("\n") <= _LANES_PAY and not words & {"for", "while", "do"}


def _parts(subject: Subject, body: str, found: KernelPattern) -> tuple[str, str]:
    """The condition (empty: there is none) and the term."""
    tokens = code_tokens(body)
    if found.kind == "pack":
        start, term = _counted(tokens, found.variable), "1"
    else:
        update = only_update(body, found.variable, found.operator, subject.macro_body)
        start = next(k for k, token in enumerate(tokens) if token.start == update.span.start)
        term = on_one_line(update.operand)
    condition = condition_around(body, tokens, start)
    if bool(condition) != found.conditional:
        raise Refusal(f"the condition under which {found.variable} is combined is not understood")
    return condition, term


def _counted(tokens: Sequence[Token], name: str) -> int:
    """Where the statement begins in which a packing counter is used first."""
    k = next(k for k, token in enumerate(tokens) if token.text == name)
    while k > 0 and tokens[k - 1].text not in (";", "{", "}", ")", "else"):
        k -= 1
    return k


def condition_around(body: str, tokens: Sequence[Token], start: int) -> str:
    """The condition of the `if` that the statement at token `start` stands under; Refusal for all else.

    Empty: the statement stands in the body itself.
    """
    opening = _if_before(tokens, start)
    if opening is None:
        block = _block_around(tokens, start)
        opening = None if block <= 0 else _if_before(tokens, block)
        if block > 0 and opening is None:
            raise Refusal("a statement stands too deep in the loop")
    if opening is None:
        return ""
    if _if_before(tokens, opening - 1) is not None or _block_around(tokens, opening) > 0:
        raise Refusal("a statement stands under several conditions")
    return on_one_line(body[tokens[opening].end : tokens[matching(list(tokens), opening)].start])


def _if_before(tokens: Sequence[Token], start: int) -> int | None:
    """The bracket opening the condition of an `if` right before token `start`; Refusal after other words."""
    before = tokens[start - 1].text if start > 0 else "{"
    if before == ")":
        brackets = (k for k in range(start) if tokens[k].text == "(")
        opening = next(k for k in brackets if matching(list(tokens), k) == start - 1)
        if opening > 0 and tokens[opening - 1].text == "if":
            return opening
        raise Refusal("a statement stands in an inner loop")
    if before in ("else", "do"):
        raise Refusal(f"a statement stands after `{before}`")
    return None


def _block_around(tokens: Sequence[Token], start: int) -> int:
    """The brace that opens the block around token `start`: 0 for the body's own, -1 where there is none."""
    depth = 0
    for k in range(start - 1, -1, -1):
        depth += (tokens[k].text == "}") - (tokens[k].text == "{")
        if depth < 0:
            return k
    return -1
