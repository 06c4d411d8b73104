"""Answers that are remembered, and cost what it took to find them.

A nest pays once for every answer, whether it is found for this nest or was remembered from another one: so it
has the same steps left (species.core.budget) whatever was asked before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

from species.core.budget import in_force

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
    """The answers that are being found, the outermost first, and the file that all answers are about."""

    def __init__(self) -> None:
        self.answers: list[_Answer] = []
        self.file = ""  # that all remembered answers are about


_open = _Open()


def take(steps: int) -> None:
    """Takes so many steps; raises `GaveUp` where nothing is left for the nest that is being analysed."""
    if _open.answers:
        _open.answers[-1].steps += steps
    budget = in_force()
    if budget is not None:
        budget.take(steps)


class Remembered(Generic[P, T]):
    """A function that remembers `size` of its answers; none that a lack of steps gave."""

    def __init__(self, function: Callable[P, T], size: int) -> None:
        update_wrapper(self, function)
        self._function, self._size = function, size
        self._answers: dict[Hashable, _Answer] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        question = (self._function, args, tuple(kwargs.items()))
        paid = _paid()
        answer = paid.get(question)
        if answer is None:
            answer = self._answers.get(question)
            if answer is None or not _pay(answer, paid):
                answer = _found(question, lambda: self._function(*args, **kwargs))
            if _is_over():
                return cast(T, answer.value)
            if len(self._answers) >= self._size:
                self.forget()
            self._answers[question] = paid[question] = answer
        if _open.answers:
            _open.answers[-1].needed[answer] = None
        return cast(T, answer.value)

    def forget(self) -> None:
        """Everything."""
        self._answers.clear()


_forgetful: list[Callable[[], None]] = []  # how the functions of this process forget


def remembered(size: int) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """A decorator that makes a function a `Remembered` one."""

    def decorated(function: Callable[P, T]) -> Remembered[P, T]:
        made = Remembered(function, size)
        _forgetful.append(made.forget)
        return made

    return decorated


def kept(size: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As functools.lru_cache, for functions that take no steps; `forget_all` forgets these answers, too."""

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        made = lru_cache(maxsize=size)(function)
        _forgetful.append(made.cache_clear)
        return cast("Callable[P, T]", made)

    return decorated


def forget_all() -> None:
    """Forgets all answers: they keep the symbols and the syntax trees of the files that they are about."""
    for forget in _forgetful:
        forget()


def answers_are_about(file: str) -> None:
    """Forgets the answers about another file; texts of one file, made of each other, have much in common."""
    if _open.file != file:
        forget_all()
        _open.file = file


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
