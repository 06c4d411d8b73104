"""What the site is made of: README.md, the pages in docs/, and every file here that they link to.

Pages keep their paths, so that their links mean the same on GitHub and here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
CONTENTS = "docs/index.md"
_LINK = re.compile(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
_GROUP = re.compile(r"^## (.+)\n+((?:- .*\n?)+)", re.MULTILINE)
_ENTRY = re.compile(r"^- \[(.+?)\]\((.+?)\)", re.MULTILINE)
_LISTING_OR_ROW = re.compile(r"^( *)```.*?^\1```$|^\|[^\n]*\|$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]+`")
_BAR = "\ue000"  # of no text: stands for a bar in a cell's code


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation is the table of contents."""
    config.nav = [{"Contents": CONTENTS}, *_groups((ROOT / CONTENTS).read_text(encoding="utf-8"))]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, at the paths that they have in the repository."""
    for path in sorted(_reachable()):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """In tables, GitHub takes `\\|` for a bar in code, too; Python-Markdown would show the backslash."""

    def mended(found: re.Match[str]) -> str:
        if not found[0].startswith("|"):
            return found[0]
        return _CODE.sub(lambda code: code[0].replace(r"\|", _BAR), found[0])

    return _LISTING_OR_ROW.sub(mended, markdown)


def on_page_content(html: str, **_: object) -> str:
    return html.replace(_BAR, "|")


def _groups(contents: str) -> Iterator[dict[str, Any]]:
    for title, entries in _GROUP.findall(contents):
        pages: list[dict[str, Any]] = [{name: _joined(CONTENTS, to)} for name, to in _ENTRY.findall(entries)]
        if any("docs/reasons.md" in page.values() for page in pages):
            pages.append({"Reason codes": [page.relative_to(ROOT).as_posix() for page in _codes()]})
        yield {title: pages}


def _codes() -> list[Path]:
    return sorted((ROOT / "species" / "pages").glob("*.md"))


def _reachable() -> set[str]:
    """Paths from the root on, of existing files; MkDocs complains about links to others."""
    found: set[str] = set()
    left = ["README.md", *(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md"))]
    while left:
        path = left.pop()
        if path in found or path.startswith("..") or not (ROOT / path).is_file():
            continue
        found.add(path)
        if path.endswith(".md"):
            text = (ROOT / path).read_text(encoding="utf-8")
            left += [_joined(path, to) for to in _LINK.findall(text) if ":" not in to]
    return found


def _joined(page: str, link: str) -> str:
    """Where a link of a page leads, from the root on; what leads out of the repository begins with `..`."""
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / link).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
