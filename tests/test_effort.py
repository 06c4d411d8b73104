"""Nests that are too much work are not read: nothing is said of them, and nothing wrong of what follows."""

from __future__ import annotations

import pytest

from species.analysis import analyse
from species.facts import LoopFacts, UnitFacts, Verdict
from species.loops import effort
from species.source import PreprocessOptions, read_translation_unit

LARGE = " ".join(f"a[{k}] += b[n + {k}] * k;" for k in range(300))
TEXT = """int a[1000], b[1000], c[1000];
int f(int n) {{
  int k = 1;
  for (int i = 0; i < n; i++) {{ {body} for (int j = 0; j < n; j++) c[j] = 0; }}
  {between}
  for (int i = 0; i < 100; i++)
    c[i * k] = i;
  for (int i = 0; i < 100; i++)
    c[i] = i;
  return k;
}}
"""


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "PER_SECOND", 200)


def facts_of(text: str) -> UnitFacts:
    return analyse(read_translation_unit("test.c", PreprocessOptions(), text=text))


def loops_of(body: str, between: str = "") -> list[LoopFacts]:
    return list(facts_of(TEXT.format(body=body, between=between)).loops)


def test_a_nest_that_is_too_large_is_unknown() -> None:
    first, inner, *others = loops_of(LARGE)
    assert [loop.verdict for loop in (first, inner)] == [Verdict.UNKNOWN] * 2
    assert [reason.code for reason in (*first.reasons, *inner.reasons)] == ["CV309"] * 2
    assert inner.parent == first.id and inner.kind == "for" and inner.position.line == 4
    assert all(loop.verdict.is_parallel for loop in others)


def test_what_it_changes_is_not_known_after_it() -> None:
    changed = loops_of(LARGE + "k = 0;")[2]
    assert changed.verdict is Verdict.CONDITIONAL


@pytest.mark.parametrize("jump", ["if (b[i]) goto out;", "if (b[i]) return 0;"])
def test_nor_where_it_jumps_to(jump: str) -> None:
    label = "out:;" if "goto" in jump else ""
    *_, target, last = loops_of(LARGE + "k = 0;" + jump, "k = 2; " + label)
    assert target.verdict is (Verdict.CONDITIONAL if label else Verdict.PARALLEL)
    assert last.verdict.is_parallel


def test_a_function_that_is_too_large_has_its_loops_listed() -> None:
    facts = facts_of(
        TEXT.format(body="", between=LARGE * 3) + "void g(void) { for (int i = 0; i < 9; i++) a[i] = 0; }"
    )
    assert [loop.verdict for loop in facts.loops] == [Verdict.UNKNOWN] * 4 + [Verdict.PARALLEL]
    assert facts.status == "ok"
