"""Each line of docs/security.md names tests that there are, and each test of security is named there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.places import ROOT

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "security.md"
TESTS = {
    name
    for path in HERE.glob("test_security_*.py")
    if path != Path(__file__)
    for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
}


def test_each_line_names_a_test_that_there_is() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("- ")]
    assert len(lines) > 30
    for line in lines:
        named = re.search(r" \((`test_\w+`(?:, `test_\w+`)*)\)$", line)
        assert named, line
        assert set(re.findall(r"test_\w+", named[1])) <= TESTS, line


def test_each_test_is_named() -> None:
    assert TESTS - set(re.findall(r"test_\w+", PAGE.read_text())) == set()
