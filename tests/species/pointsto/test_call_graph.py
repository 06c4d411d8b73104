"""What calls execute, joined over groups of functions that lead to each other: what walks from each find."""

from __future__ import annotations

from random import Random

import pytest

from species.pointsto.call_graph import CallGraph

Instance = tuple[str, tuple[()]]


def _graph(random: Random) -> dict[Instance, set[Instance] | None]:
    nodes: list[Instance] = [(f"f{k}", ()) for k in range(random.randint(1, 9))]
    edges = {node: {other for other in nodes if random.random() < 0.2} for node in nodes}
    return {node: None if random.random() < 0.1 else inner for node, inner in edges.items()}


def _walked(graph: dict[Instance, set[Instance] | None], start: Instance) -> set[Instance] | None:
    found, pending = {start}, [start]
    while pending:
        inner = graph[pending.pop()]
        if inner is None:
            return None
        pending += inner - found
        found |= inner
    return found


@pytest.mark.parametrize("seed", range(40))
def test_what_is_joined_is_what_is_executed(seed: int) -> None:
    random = Random(seed)
    graph = _graph(random)
    bits = {node: None if random.random() < 0.1 else 1 << k for k, node in enumerate(graph)}
    found = CallGraph(graph, graph.__getitem__)
    joined = found.joined(bits.__getitem__)
    for node in graph:
        executed = _walked(graph, node)
        assert found.executed([node]) == executed
        values = None if executed is None else [bits[each] for each in executed]
        assert joined[node] == (None if values is None or None in values else sum(v or 0 for v in values))
        inner = graph[node]
        further = None if inner is None else [_walked(graph, each) for each in inner]
        unknown = further is None or None in further
        assert found.leads_back(node) is (unknown or any(node in (each or ()) for each in further or ()))


def test_long_chains_are_no_matter() -> None:
    chain: dict[Instance, set[Instance] | None] = {
        (f"f{k}", ()): {(f"f{k + 1}", ())} if k < 5_000 else set() for k in range(5_001)
    }
    joined = CallGraph(chain, chain.__getitem__).joined(lambda each: int(each[0][1:]) == 5_000)
    assert set(joined.values()) == {1}
