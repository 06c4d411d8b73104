"""docs/reasons/: every code has its page, its example shows the code, and what helps does help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from marked_c import BLOCK, check_blocks, marks

from species.reasons import REASONS, page_of

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
SECTIONS = ("Issue", "Example", "What would fix it", "If you know better")


def sections(code: str) -> dict[str, str]:
    """The parts of a code's page, by their headings."""
    text = (ROOT / page_of(code)).read_text(encoding="utf-8")
    title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    assert title.strip() == f"# {code}: {REASONS[code]}"
    return dict(part.split("\n", 1) for part in parts)


def codes_in(text: str) -> set[str]:
    """The codes that marks and sessions of a part show."""
    blocks = BLOCK.findall(text)
    marked = {mark.code for kind, content in blocks if kind == "c" for mark in marks(content) if mark.code}
    return marked | {code for kind, content in blocks if kind == "console" for code in _CODE.findall(content)}


_CODE = re.compile(r"(?<![/\w])CV\d{3}(?![.\w])")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {path.stem for path in (ROOT / "docs" / "reasons").iterdir()} == set(REASONS)


def test_the_index_lists_every_code() -> None:
    rows = re.findall(r"^\| \[(CV\d{3})\]\((\S+)\) \| (.*?) \|$", INDEX, re.MULTILINE)
    assert rows == [(code, f"reasons/{code}.md", REASONS[code]) for code in sorted(REASONS)]


@pytest.mark.parametrize("code", sorted(REASONS))
def test_page(code: str, tmp_path: Path) -> None:
    parts = sections(code)
    assert tuple(parts) == SECTIONS
    for text in parts.values():
        check_blocks(text, tmp_path)
    assert code in codes_in(parts["Example"])
    assert code not in codes_in(parts["What would fix it"])
