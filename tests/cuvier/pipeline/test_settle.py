"""`settle`: what does not serve is refused, with the reason, until all that is proposed serves."""

from __future__ import annotations

from collections.abc import Mapping

from cuvier.pipeline.base.settle import settle


def test_what_does_not_serve_is_proposed_no_more() -> None:
    rounds: list[dict[int, str]] = []

    def propose(refused: Mapping[int, str]) -> set[int] | None:
        rounds.append(dict(refused))
        return {1, 2, 3, 4} - refused.keys()

    def unserved(made: set[int]) -> Mapping[int, str]:
        worst = max(made)
        return {worst: "too large"} if worst > 2 else {}

    assert settle(propose, unserved) == {1, 2}
    assert rounds == [{}, {4: "too large"}, {4: "too large", 3: "too large"}]


def test_no_proposal_is_no_result() -> None:
    assert settle(lambda refused: None if refused else 1, lambda made: {made: "never"}) is None
