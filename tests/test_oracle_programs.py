"""The analyser against an execution of what it analysed (tests/oracle); `make fuzz` runs for longer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.oracle.memory import Machine, Pointer, UndefinedError

from species.facts import LoopFacts, Reduction, UnitFacts, Verdict
from tests.oracle import check
from tests.oracle.check import Caller, Program, filled
from tests.oracle.generator import PRELUDE, Generator, callers


@settings(
    max_examples=15, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(st.randoms(use_true_random=False), st.integers(0, 1000))
def test_no_execution_refutes_the_analyser(source: random.Random, seed: int) -> None:
    text = Generator(source).function("f")
    try:
        program = Program(PRELUDE + text)
    except UndefinedError:
        return
    assert program.check("f", callers(seed)[:3], seed) == [], text


def _pointers(_: object, machine: Machine) -> list[object]:
    return [6, Pointer(filled(machine, "p", 40, 1), 10), Pointer(filled(machine, "q", 40, 2), 10)]


def _claimed(monkeypatch: pytest.MonkeyPatch, body: str, **claims: object) -> list[str]:
    """What the oracle says where the first loop is claimed to be parallel."""
    analyse = check.analyse

    def lie(unit: object) -> UnitFacts:
        facts = analyse(unit)  # type: ignore[arg-type]
        honest = replace(facts.loops[0], conditions=(), characterisations=(), kernel=None)
        bare = replace(honest, verdict=Verdict.PARALLEL, reductions=(), private=(), lastprivate=())
        first: LoopFacts = replace(bare, **claims)  # type: ignore[arg-type]
        return replace(facts, loops=(first, *facts.loops[1:]))

    monkeypatch.setattr(check, "analyse", lie)
    program = Program(f"int f(int n, int *p, int *q) {{ int i, t = 0; {body} return t; }}")
    caller: Caller = _pointers
    return [w.message for w in program.check("f", [caller])]


@pytest.mark.parametrize(
    ("body", "claims"),
    [
        ("for (i = 1; i < n; i++) p[i] = p[i - 1];", {}),
        ("for (i = 0; i < n; i++) p[i / 2] = i;", {}),
        ("for (i = 0; i < n; i++) t += p[i];", {}),
        ("for (i = 0; i < n; i++) { t = p[i]; q[i] = t; }", {"private": ("t",)}),
        ("for (i = 0; i < n; i++) { if (i < 2) t = i; q[i] = t; }", {"private": ("t",)}),
        ("for (i = 0; i < n; i++) t = 2 * t + p[i];", {"reductions": (Reduction("+", "t"),)}),
        ("for (i = 0; i < n; i++) if (p[i] == 3) break;", {}),
    ],
)
def test_the_oracle_refutes_a_lie(
    monkeypatch: pytest.MonkeyPatch, body: str, claims: dict[str, object]
) -> None:
    assert _claimed(monkeypatch, body, **claims)


def test_the_oracle_accepts_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "for (i = 0; i < n; i++) { t += p[i]; q[i] = p[i]; }"
    assert not _claimed(monkeypatch, body, reductions=(Reduction("+", "t"),))
