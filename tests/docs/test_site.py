"""The web site: `make site` builds it without a warning, links lead somewhere, and it needs no network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from tests.support.places import ROOT

pytest.importorskip("material", reason="the dev extra has mkdocs-material: pip install -e '.[dev]'")

CONFIG = Path("docs", "site", "mkdocs.yml")
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
COMPARED = {"pre", "ul", "ol", "li", "table", "tr", "td", "th", "h1", "h2", "h3", "h4"}


class Page(HTMLParser):
    """Links, anchors, what is loaded, and the text of an article, with the tags that give it its form."""

    def __init__(self, html: str, inside: bool = False) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.text: list[str] = []
        self._inside = inside  # an article
        self._permalink = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get(LOADED.get(tag, "")):
            self.loaded.append(values[LOADED[tag]])
        self._inside |= tag == "article"
        self._permalink |= values.get("class") == "headerlink"
        if self._inside and tag in COMPARED:
            self.text.append(f"\n{tag}: ")

    def handle_endtag(self, tag: str) -> None:
        self._inside &= tag != "article"
        self._permalink &= tag != "a"

    def handle_data(self, data: str) -> None:
        if self._inside and not self._permalink:
            self.text.append("".join(data.split()))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(root / CONFIG),
        "-d",
        str(folder),
    ]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=quiet)


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def sources(site: Path) -> Iterator[tuple[Path, Path]]:
    """Pages, and what they were made of."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).with_suffix(".md")
        source = ROOT / ("README.md" if str(name) == "index.md" else name)
        if source.exists():
            yield path, source


def test_all_pages_are_there(site: Path) -> None:
    there = {source for _, source in sources(site)}
    wanted = {*(ROOT / "docs").glob("*.md"), *(ROOT / "species" / "pages").glob("*.md")}
    wanted |= {ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")}
    assert wanted - there == set()


def test_links_lead_to_files_and_anchors_that_there_are(site: Path) -> None:
    broken = [
        f"{path.relative_to(site)}: {link}"
        for path in site.rglob("*.html")
        for link in page(path).links + page(path).loaded
        if not leads_somewhere(link, path, site)
    ]
    assert broken == []


def leads_somewhere(link: str, path: Path, site: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    name = unquote(parts.path)
    target = site / name.lstrip("/") if name.startswith("/") else path.parent / name if name else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    return not parts.fragment or target.suffix != ".html" or unquote(parts.fragment) in page(target).anchors


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    loaded = {link for path in site.rglob("*.html") for link in page(path).loaded}
    assert len(loaded) > 5
    assert [link for link in loaded if urlsplit(link).netloc] == []
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"url\([\"']?(?:https?:)?//[^)]*|@import[^;]*//[^;]*", styles) == []


def test_pages_can_be_searched_from_files_and_have_both_colours(site: Path) -> None:
    assert (site / "search" / "search_index.js").stat().st_size > 100_000
    text = (site / "index.html").read_text()
    assert text.count('name="__palette"') == 3 and "prefers-color-scheme: dark" in text
    assert '"content.code.copy"' in text


def test_pages_read_as_they_do_on_github(site: Path) -> None:
    """Lists, tables and listings have the same form there, and the same text."""
    github = MarkdownIt("commonmark").enable("table")
    for path, source in sources(site):
        there = Page(github.render(source.read_text(encoding="utf-8")), inside=True)
        assert "".join(page(path).text).strip() == "".join(there.text).strip(), source


def test_links_that_lead_nowhere_are_errors(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "docs" / "site", tmp_path / "docs" / "site", ignore=shutil.ignore_patterns("__py*")
    )
    (tmp_path / "README.md").write_text("# Title\n\n[contents](docs/index.md)\n")
    contents = tmp_path / "docs" / "index.md"
    contents.write_text(
        "# Contents\n\n## Start here\n\n- [README](../README.md): a page\n\n[top](../README.md#title)\n"
    )
    assert build(tmp_path, tmp_path / "right").returncode == 0
    links = ("missing.md", "../README.md#missing", "../LICENSE", "/absolute.md")
    contents.write_text(contents.read_text() + "".join(f"\n[link]({link})\n" for link in links))
    done = build(tmp_path, tmp_path / "wrong")
    assert done.returncode == 1
    assert [link for link in links if f"'{link}'" not in done.stderr] == []
