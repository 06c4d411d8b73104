"""docs/architecture.md shows what happens; docs/glossary.md has the words that files are named after."""

from __future__ import annotations

import doctest
import re

from scripts.floors import modules
from tests.support.places import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
RETIRED = {
    word
    for line in GLOSSARY.splitlines()
    for word in re.findall(r"(?<!\*)\*(\w+)\*(?!\*)", line[1:].rpartition("|")[0].rpartition("|")[2])
}


def test_the_journey_is_as_the_page_says() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "architecture.md"), module_relative=False)
    assert tried > 20
    assert failed == 0


def test_no_file_is_named_after_a_word_that_the_glossary_retired() -> None:
    assert len(RETIRED) > 8
    assert [str(file) for file in modules().values() if file.stem in RETIRED] == []


def test_the_paths_in_the_pages_for_contributors_are_there() -> None:
    pages = (ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md")
    named = {
        path
        for page in pages
        for path in re.findall(
            r"`((?:species|models|skeletons|transfers|cuvier|tests|scripts)/[\w./]+)`", page.read_text()
        )
    }
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
