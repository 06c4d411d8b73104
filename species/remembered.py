"""Answers that are remembered, and cost what it took to find them.

A nest pays once for every answer, whether it is found for this nest or was remembered from another one: so it
has the same steps left (species.budget) whatever was asked before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from species.budget import in_force

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(eq=False)
class _Answer:
    """To a question, with the steps it took besides those for the other answers that it needed."""

    question: Hashable
    value: Any = None
    steps: int = 0
    needed: dict[_Answer, None] = field(default_factory=dict)

    def unpaid(self, paid: dict[Hashable, _Answer]) -> Iterator[_Answer]:
        """This answer, and those it needed, of which nobody has paid."""
        pending, found = [self], set()
        while pending:
            answer = pending.pop()
            if answer.question not in paid and answer.question not in found:
                found.add(answer.question)
                pending += answer.needed
                yield answer


class _Open(threading.local):
    """The answers that are being found, the outermost first."""

    def __init__(self) -> None:
        self.answers: list[_Answer] = []


_open = _Open()


def take(steps: int) -> None:
    """Takes so many steps; raises `GaveUp` where nothing is left for the nest that is being analysed."""
    if _open.answers:
        _open.answers[-1].steps += steps
    budget = in_force()
    if budget is not None:
        budget.take(steps)


def remembered(size: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Remembers so many answers of a function; none that a lack of steps gave."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        memory: dict[Hashable, _Answer] = {}

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> T:
            question = (function, args, tuple(kwargs.items()))
            paid = _paid()
            answer = paid.get(question)
            if answer is None:
                answer = memory.get(question)
                if answer is None or not _pay(answer, paid):
                    answer = _found(question, lambda: function(*args, **kwargs))
                if _is_over():
                    return cast(T, answer.value)
                if len(memory) >= size:
                    memory.clear()
                memory[question] = paid[question] = answer
            if _open.answers:
                _open.answers[-1].needed[answer] = None
            return cast(T, answer.value)

        return ask

    return decorate


def _found(question: Hashable, find: Callable[[], object]) -> _Answer:
    answer = _Answer(question)
    _open.answers.append(answer)
    try:
        answer.value = find()
    finally:
        _open.answers.pop()
    return answer


def _paid() -> dict[Hashable, _Answer]:
    """The answers that the nest has paid for."""
    budget = in_force()
    return {} if budget is None else budget.paid


def _pay(answer: _Answer, paid: dict[Hashable, _Answer]) -> bool:
    """Pays for an answer and for what it needed, if that can be afforded."""
    missing = list(answer.unpaid(paid))
    steps = sum(each.steps for each in missing)
    budget = in_force()
    if budget is not None:
        if not budget.affords(steps):
            return False
        budget.take(steps)
    paid.update((each.question, each) for each in missing)
    return True


def _is_over() -> bool:
    budget = in_force()
    return budget is not None and budget.is_over()
