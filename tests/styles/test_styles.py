"""The style matrix, in part: however a nest is written, its loops are what they are (`tests.styles.fuzz`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.styles.check import check
from tests.styles.fuzz import LEAST, cell, share
from tests.styles.nests import NESTS, SERIAL, Loop, Nest
from tests.styles.style import Style

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
PLAIN = Style("file", "literal", "int", "for", "plain", "function", restrict=False)


@pytest.mark.parametrize("nest", NESTS, ids=lambda nest: nest.name)
def test_the_plainest_style_keeps_all_verdicts(nest: Nest, tmp_path: Path) -> None:
    found = check(nest, PLAIN, tmp_path)
    assert not found.wrong and all(found.kept.values())


def test_random_styles_keep_verdicts() -> None:
    cells = [cell(seed) for seed in range(5 * len(NESTS), 7 * len(NESTS))]
    assert [each.wrong for each in cells if each.wrong] == []
    assert share(cells) >= LEAST


def test_a_wrong_verdict_is_seen(tmp_path: Path) -> None:
    lying = Nest(
        "copy", (Loop("i", "0", "{R}", SERIAL), Loop("j", "0", "{C}", SERIAL)), "{b i j}", "", "1", ("b",)
    )
    found = check(lying, PLAIN, tmp_path)
    assert "loop i is called parallel" in found.wrong and not any(found.kept.values())
