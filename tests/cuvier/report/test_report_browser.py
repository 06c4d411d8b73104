"""The HTML report in a real browser, without its window; skipped where there is no Chromium."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cuvier.document.model import Report
from cuvier.report.html import render
from tests.support.reporting import SUM, report_of, view_of

sync_api = pytest.importorskip("playwright.sync_api", reason="the dev extra has playwright")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FILE = "src/<b>sum & co.c"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BOX = "e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }"
# Where the text `needle` stands in an element, as the browser has laid it out.
TEXT_BOX = """(e, needle) => {
  const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
  const all = [];
  while (walk.nextNode()) for (let k = 0; k < walk.currentNode.length; k++) all.push([walk.currentNode, k]);
  const at = all.map(([n, k]) => n.data[k]).join("").indexOf(needle);
  const range = document.createRange();
  range.setStart(...all[at]);
  range.setEnd(all[at + needle.length - 1][0], all[at + needle.length - 1][1] + 1);
  const r = range.getBoundingClientRect();
  return [r.left, r.top, r.right, r.bottom];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        path = str(own) if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)
        if path is None:
            pytest.skip("no Chromium on this machine")
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@dataclass
class Window:
    """One page of the browser for all tests, and what went wrong in it or was asked of the network."""

    page: Page
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def show(self, path: Path) -> Iterator[Page]:
        self.page.goto("about:blank")
        self.asked.clear()
        self.page.goto(path.as_uri())
        yield self.page
        assert self.wrong == []
        assert self.asked == [path.as_uri()]


@pytest.fixture(scope="module")
def window(browser: Browser) -> Window:
    return Window(browser.new_page(viewport={"width": 1300, "height": 800}))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of(
        {FILE: SUM, "bad.c": "int main(void) { return 0 }}}\n"}, tmp_path_factory.mktemp("browser")
    )


@pytest.fixture(scope="module")
def written(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(report, tmp_path_factory.mktemp("page"))


def write(report: Report, folder: Path) -> Path:
    path = folder / "report.html"
    path.write_text(render(view_of(report)), encoding="utf-8")
    return path


@pytest.fixture
def page(window: Window, written: Path) -> Iterator[Page]:
    yield from window.show(written)


def open_loop(page: Page, line: int) -> None:
    page.locator("nav a", has_text="Loops").click()
    page.locator("#list a.row", has_text=f"{FILE}:{line}").click()
    page.locator("#details h2").wait_for()


def test_the_overview_says_what_there_is_what_matters_and_what_was_lost(page: Page) -> None:
    assert page.locator(".summary").inner_text().startswith("6 loops in 1 file: 3 parallel, 1 conditional")
    assert "bad.c:1" in page.locator(".lost").inner_text()
    assert page.locator("#rewarding a.row").count() == 4
    rows = page.locator("#rewarding a.row").all_inner_texts()
    assert f"{FILE}:8" in rows[0] and "parallel" in rows[0]  # names are text, whatever is in them
    assert "serial" in rows[3] and "CV203" in rows[3]  # what is to be won first, then what is in the way
    assert page.locator("#rewarding h3").count() == 2
    assert page.locator("text=CV203 an array carries a value").count() == 1


def test_a_loop_that_is_included_into_several_functions_stands_once_among_those_that_matter(
    window: Window, tmp_path: Path
) -> None:
    (tmp_path / "f.h").write_text("void F(double *p) {\n  for (int i = 0; i < 99; i++)\n    p[i] = 0;\n}\n")
    text = "".join(f'#define F {name}\n#include "f.h"\n#undef F\n' for name in ("f", "g", "h"))
    for page in window.show(write(report_of({"a.c": text}, tmp_path), tmp_path)):
        (row,) = page.locator("#rewarding a.row").all_inner_texts()
        assert "f.h:2" in row and "f and 2 more" in row
        page.locator("#rewarding a", has_text="All 3 loops").click()
        page.locator("#count", has_text="3 of 3 loops").wait_for()
        assert "more" not in page.locator("#list").inner_text()


def test_verdicts_differ_in_words_and_patterns_too(page: Page) -> None:
    page.locator("nav a", has_text="Files").click()
    page.locator("a.row.file", has_text="sum").click()
    looks = page.locator(".lane").evaluate_all("all => all.map(e => getComputedStyle(e).backgroundImage)")
    kinds = page.locator(".lane").evaluate_all("all => all.map(e => e.classList[1])")
    assert len({(kind, look) for kind, look in zip(kinds, looks, strict=True)}) == len(set(looks)) == 3
    assert "serial" in page.locator("button.mark").first.inner_text()


def test_a_dependence_is_drawn_from_one_end_to_the_other(page: Page) -> None:
    open_loop(page, 3)
    boxes = [box.evaluate(BOX) for box in page.locator(".arrows rect").all()]
    line = page.locator(".line[data-line='4'] code")
    for box, needle in zip(boxes, ("a[i]", "a[i - 1]"), strict=True):
        text = line.evaluate(TEXT_BOX, needle)
        assert all(abs(drawn - laid) <= 6 for drawn, laid in zip(box, text, strict=True)), (needle, box, text)
    arrow = page.locator(".arrows path.arrow").evaluate(BOX)
    assert arrow[0] >= boxes[0][0] and arrow[2] <= boxes[1][2]
    assert page.locator(".arrows text").text_content() == "distance 1 in i"
    lane, top = (
        page.locator(".lane.current").evaluate(BOX),
        page.locator(".line[data-line='3']").evaluate(BOX),
    )
    assert abs(lane[1] - top[1]) <= 1 and lane[3] - lane[1] == 40


def test_the_page_of_a_reason_opens_beside_the_loop(page: Page) -> None:
    open_loop(page, 3)
    page.locator(".reason summary").click()
    assert page.locator(".reason .page h1").inner_text().startswith("CV203: an array carries")
    assert page.locator(".reason .page pre").count() >= 2


def test_a_mark_tells_what_the_loop_is(page: Page) -> None:
    open_loop(page, 3)
    for show in ("hover", "focus"):
        getattr(page.locator("button.mark.parallel").first, show)()
        assert "a[0:999]|" in page.locator("#tip").inner_text()
        page.locator("button.jump").first.focus()
        page.mouse.move(1200, 700)
        assert not page.locator("#tip").is_visible()


def test_all_of_it_by_keys(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("smooth cv203")
    page.locator("#count", has_text="1 of 6 loops").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator("#details h2", has_text="smooth").wait_for()
    page.keyboard.press("j")
    page.locator("#details h2", has_text="total, lines 8").wait_for()
    page.keyboard.press("k")
    page.locator("#details h2", has_text="smooth").wait_for()
    page.keyboard.press("n")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()
    page.keyboard.press("o")
    page.locator("#rewarding").wait_for()


def test_filters_stand_in_the_address(page: Page) -> None:
    page.locator(".legend a", has_text="conditional").click()
    page.locator("#count", has_text="1 of 6 loops").wait_for()
    assert page.url.endswith("#/loops?verdict=conditional")
    page.locator("select[name=verdict]").select_option("parallel")
    page.locator("#count", has_text="3 of 6 loops").wait_for()
    page.go_back()
    page.locator("#count", has_text="1 of 6 loops").wait_for()


def test_every_control_has_a_name(page: Page) -> None:
    open_loop(page, 8)
    names = page.locator("button, a, input, select").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || '')"
    )
    assert all(name.strip() for name in names)


def test_five_thousand_loops_and_a_long_file(window: Window, report: Report, tmp_path: Path) -> None:
    unit = report.units[0]
    text = SUM + "\n" * 3 + "int x;\n" * 20_000
    source = {**unit["sources"][0], "text": text}
    last = {**unit["loops"][-1], "id": "far/1", "line": 20_010, "end_line": 20_012, "function": "far"}
    units = [{**unit, "sources": [source], "loops": [*unit["loops"], last]}]
    for number in range(834):
        file = f"{number}.c"
        units.append(
            {**unit, "file": file, "sources": [], "loops": [{**each, "file": file} for each in unit["loops"]]}
        )
    page = next(pages := window.show(write(Report({**report.document, "units": units}), tmp_path)))
    page.locator("nav a", has_text="Loops").click()
    page.locator("#count", has_text="5011 of 5011 loops").wait_for()
    assert page.locator("#list a.row").count() <= 300
    page.keyboard.press("/")
    page.keyboard.type("far")
    page.locator("#count", has_text=re.compile(r"^1 of 5011 loops")).wait_for()
    page.locator("#list a.row").first.click()
    page.locator(".line[data-line='20010']").wait_for()
    assert page.locator(".line[data-line='20010']").is_visible()
    assert page.locator(".line").count() < 2000
    assert next(pages, None) is None
