"""The analyser against executions of what it analysed (tests/oracle); `make fuzz` runs for longer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from species.facts.loops import (
    Characterisation,
    Kernel,
    KernelArray,
    KernelScalar,
    LoopFacts,
    Reduction,
    UnitFacts,
    Verdict,
)
from species.grammar.nodes import Range
from tests.oracle import check
from tests.oracle.check import Program, Seen
from tests.oracle.fuzz import explore, generated


@settings(max_examples=8, derandomize=True, deadline=None, database=None)
@given(st.integers(0, 100_000))
def test_no_execution_refutes_the_analyser(batch: int) -> None:
    outcome = explore(range(10 * batch, 10 * batch + 10))
    assert not outcome.wrong, "\n".join(f"{w.loop}: {w.message}\n{generated(s)}" for s, w in outcome.wrong)


def _program(body: str) -> Program:
    return Program(f"int f(int n, int *p, int *q) {{ int i, j, t = 0, u[9]; {body} return t; }}")


def _claimed(monkeypatch: pytest.MonkeyPatch, body: str, **claims: object) -> list[str]:
    """What the oracle says where the first loop is claimed to be parallel."""
    analyse = check.analyse

    def lie(unit: object) -> UnitFacts:
        facts = analyse(unit)  # type: ignore[arg-type]
        honest = replace(facts.loops[0], conditions=(), characterisations=(), kernel=None)
        bare = replace(honest, verdict=Verdict.PARALLEL, reductions=(), private=(), lastprivate=())
        bare = replace(bare, collapse=1, nonempty=False, base_loops=("i",))
        first: LoopFacts = replace(bare, **claims)  # type: ignore[arg-type]
        return replace(facts, loops=(first, *facts.loops[1:]))

    monkeypatch.setattr(check, "analyse", lie)
    return [w.message for w in _program(body).check().wrong if w.loop == "f/1"]


@pytest.mark.parametrize(
    ("body", "claims", "message"),
    [
        ("for (i = 1; i < n; i++) p[i] = p[i - 1];", {}, "conflict over 'p'"),
        ("for (i = 0; i < n; i++) p[i / 2] = i;", {}, "conflict over 'p'"),
        ("for (i = 0; i < n; i++) t += p[i];", {}, "conflict over 't'"),
        ("for (i = 0; i < n; i++) { t = p[i]; q[i] = t; }", {"private": ("t",)}, "needed after the loop"),
        (
            "for (i = 0; i < n; i++) { if (i < 2) t = i; q[i] = t; }",
            {"private": ("t",)},
            "before it is written",
        ),
        ("for (i = 0; i < n; i++) if (i < 2) t = i;", {"lastprivate": ("t",)}, "needed after the loop"),
        (
            "for (i = 0; i < n; i++) t = 2 * t + p[i];",
            {"reductions": (Reduction("+", "t"),)},
            "another result",
        ),
        (
            "for (i = 0; i < n; i++) { t += p[i]; q[i] = t; }",
            {"reductions": (Reduction("+", "t"),)},
            "another",
        ),
        ("for (i = 0; i < n; i++) if (p[i] == 3) break;", {}, "leaves the loop"),
        ("for (i = 0; i < n; i++) q[i] = 1; t = i;", {}, "needed after the loop: 'i'"),
        (
            "for (i = 0; i < n; i++) { q[i] = 1; i++; }",
            {"lastprivate": ("i",), "openmp_obstacle": ""},
            "is changed",
        ),
        ("for (i = 0; i < n; i++) q[i] = 1;", {"private": ("w",)}, "'w' is not visible"),
        ("for (i = 0; i < n; i++) q[i] = 1;", {"nonempty": True}, "make an iteration"),
        ("for (i = 0; i < n; i++) for (j = 0; j < i; j++) q[i] = 1;", {"collapse": 2}, "conflict"),
        (
            "for (i = 0; i < n; i++) { u[0] = i; for (j = 1; j < 9; j++) u[j] = u[j - 1]; q[i] = u[8]; }",
            {"private": ("j",)},
            "conflict over 'u'",
        ),
    ],
)
def test_the_oracle_refutes_a_lie(
    monkeypatch: pytest.MonkeyPatch, body: str, claims: dict[str, object], message: str
) -> None:
    found = _claimed(monkeypatch, body, **claims)
    assert any(message in m for m in found), found


@pytest.mark.parametrize(
    ("body", "claims"),
    [
        ("for (i = 0; i < n; i++) { t += p[i]; q[i + 60] = p[i]; }", {"reductions": (Reduction("+", "t"),)}),
        (
            "for (i = 0; i < n; i++) { u[0] = i; for (j = 1; j < 9; j++) u[j] = u[j - 1]; q[i] = u[8]; }",
            {"private": ("j", "u")},
        ),
        ("for (i = 0; i < n; i++) t = p[i]; p[0] = i;", {"lastprivate": ("t", "i")}),
        ("for (i = 1; i < n; i++) p[i] = p[i - 1];", {"conditions": ("n < 2",)}),
    ],
)
def test_the_oracle_accepts_the_truth(
    monkeypatch: pytest.MonkeyPatch, body: str, claims: dict[str, object]
) -> None:
    assert not _claimed(monkeypatch, body, **claims)


def _array(**claims: object) -> KernelArray:
    bare = KernelArray("q", "int", (None,), True, "parameter", None, (Range("0", "n-1"),), False)
    return replace(bare, **claims)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((), "no part of the kernel: 'q'"),
        ((_array(writes=(Range("1", "n-1"),)),), "written outside of the kernel's regions: 'q'"),
        ((_array(writes=(Range("0", "n"),), covered=True),), "written for certain: 'q'"),
        ((_array(writes=(Range("0-1000", "n-1"),), covered=True),), "leaves the array"),
    ],
)
def test_the_oracle_refutes_a_kernel(
    monkeypatch: pytest.MonkeyPatch, arrays: tuple[KernelArray, ...], message: str
) -> None:
    kernel = Kernel("k", (), arrays, (KernelScalar("n", "int", "in"),), (), ())
    body = "for (i = 0; i < n; i++) q[i] = 1;"
    found = _claimed(monkeypatch, body, kernel=kernel, lastprivate=("i",))
    assert any(message in m for m in found), found


@pytest.mark.parametrize("domain", [Range("1", "n-1"), Range("0", "n")])
def test_the_oracle_refutes_a_domain(monkeypatch: pytest.MonkeyPatch, domain: Range) -> None:
    wrong = Characterisation("q", "w", (domain,), ("1",), ("1",))
    body = "for (i = 0; i < n; i++) q[i] = 1;"
    assert _claimed(monkeypatch, body, characterisations=(wrong,), lastprivate=("i",))


def _seen(body: str) -> Seen:
    return _program(body).check().seen[0]


@pytest.mark.parametrize(
    ("body", "parallel"),
    [
        ("for (i = 0; i < n; i++) p[i] = i;", True),
        ("for (i = 1; i < n; i++) p[i] = p[i - 1];", False),
        ("for (i = 0; i < n; i++) t += p[i];", True),
        ("for (i = 0; i < n; i++) { t += p[i]; p[i] = t; }", False),
        ("for (i = 0; i < n; i++) { t += 2; p[i] = t; }", True),
        ("for (i = 0; i < n; i++) { u[i % 2] = i; p[i] = u[i % 2]; }", True),
        ("for (i = 0; i < n; i++) { u[i % 2] = i; p[i] = u[0]; }", False),
        ("for (i = 0; i < n; i++) if (p[i] == 3) break;", False),
    ],
)
def test_the_oracle_finds_what_is_parallel(body: str, parallel: bool) -> None:
    assert _seen(body).is_parallel == parallel
