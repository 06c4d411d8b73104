"""docs/limits.md: Cuvier cannot do more than the page says, nor less."""

from __future__ import annotations

import re

import pytest

from tests.support.marked_c import BLOCK, check_marks, marks
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
LIMITS = dict(part.split("\n", 1) for part in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:])


@pytest.mark.parametrize("limit", LIMITS)
def test_limit(limit: str) -> None:
    ((kind, text),) = BLOCK.findall(LIMITS[limit])
    assert kind == "c"
    assert marks(text)
    check_marks(text)
