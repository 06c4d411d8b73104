"""Proposals that are judged by what becomes of them: made, analysed and compiled, and taken back in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K")
P = TypeVar("P")


def settle(propose: Callable[[dict[K, str]], P | None], unserved: Callable[[P], Mapping[K, str]]) -> P | None:
    """The first proposal of which all parts serve; None where there is none.

    `propose` makes one without the parts that were refused, each with the reason why; `unserved` names those
    of a proposal that do not serve.  As each round refuses more, there is an end.
    """
    refused: dict[K, str] = {}
    while (made := propose(refused)) is not None:
        left = unserved(made)
        if not left:
            return made
        if left.keys() <= refused.keys():
            return None  # it names what it does not consist of
        refused = {**refused, **left}
    return None
