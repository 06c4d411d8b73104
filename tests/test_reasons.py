"""docs/reasons.md: every code has its paragraph, and every example shows its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from analysing import loops_of

from species.facts import Verdict
from species.reasons import REASONS

PAGE = (Path(__file__).parent.parent / "docs" / "reasons.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"### (CV\d+).*?\n\n```c\n(.*?)```", PAGE, re.DOTALL)


def test_every_code_is_explained() -> None:
    assert set(re.findall(r"CV\d{3}", PAGE)) == set(REASONS)


@pytest.mark.parametrize(("code", "text"), EXAMPLES)
def test_example(code: str, text: str) -> None:
    loop = loops_of(text)[0]
    assert loop.verdict is Verdict.SERIAL
    assert code in {reason.code for reason in loop.reasons}
