"""docs/architecture.md shows what happens; docs/glossary.md has the words of files and texts."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from pathlib import Path

from scripts.floors import modules
from tests.support.places import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
RETIRED = {
    word
    for line in GLOSSARY.splitlines()
    for word in re.findall(r"(?<!\*)\*(\w+)\*(?!\*)", line[1:].rpartition("|")[0].rpartition("|")[2])
}
PHRASES = {
    phrase.strip()
    for line in GLOSSARY.partition("## Phrases")[2].splitlines()[6:]
    for phrase in line.strip("|").rpartition("|")[2].split(";")
}


def test_the_journey_is_as_the_page_says() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "architecture.md"), module_relative=False)
    assert tried > 20
    assert failed == 0


def test_no_file_is_named_after_a_word_that_the_glossary_retired() -> None:
    assert len(RETIRED) > 8
    assert [str(file) for file in modules().values() if file.stem in RETIRED] == []


def test_no_text_for_users_has_a_phrase_that_the_glossary_retired() -> None:
    assert len(PHRASES) > 10
    pages = {*(ROOT / "docs").glob("*.[m1]*"), *(ROOT / "species" / "pages").glob("*.md"), ROOT / "README.md"}
    texts = [(page.name, page.read_text()) for page in pages - {ROOT / "docs" / "glossary.md"}]
    texts += [(file.name, text) for file in modules().values() for text in said(file)]
    assert len(texts) > 5000
    assert [(name, phrase) for name, text in texts for phrase in PHRASES if phrase in text] == []


def said(file: Path) -> Iterator[str]:
    """The texts in a module, without its docstrings."""
    tree = ast.parse(file.read_text())
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node.value


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
