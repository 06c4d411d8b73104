"""The roofline: where loops and roofs stand, and that everything can be read at any width, in any scheme."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from cuvier.machine.store import load
from cuvier.report import html
from cuvier.report.predictions import predicted
from cuvier.report.roofline.picture import GLYPH, drawn
from cuvier.report.roofline.places import PLOT, TOP, WIDTH
from tests.support.reporting import SUM, report_of, view_of

NAME = "{http://www.w3.org/2000/svg}"
LONG = "src/" + "a_long_name_" * 12 + "<b>&.c"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    report = report_of({"sum.c": SUM, LONG: SUM}, tmp_path_factory.mktemp("roofline"))
    return predicted(report, [load("gtx-470"), load("dgx-h200")], {})


def alone(found: dict[str, Any]) -> dict[str, Any]:
    """The same of the first machine only."""
    return {**found, "machines": found["machines"][:1]}


def parts(picture: str, tag: str) -> list[dict[str, str]]:
    return [dict(each.attrib) for each in ElementTree.fromstring(picture).iter(NAME + tag)]


def texts(picture: str) -> list[tuple[float, float, str, str]]:
    """Of every text: its left and right end, about as in a browser, what it says, and where it stands."""
    ends = []
    for each in ElementTree.fromstring(picture).iter(NAME + "text"):
        glyph = GLYPH * (12 / 14 if each.get("class") == "dim" else 1)
        width, at = len(each.text or "") * glyph, float(each.get("x") or 0)
        left = at - {"middle": width / 2, "end": width}.get(each.get("text-anchor") or "", 0.0)
        ends.append((left, left + width, each.text or "", each.get("y") or ""))
    return ends


def test_there_is_a_roof_for_every_place(found: dict[str, Any]) -> None:
    one, both = (" ".join(text for *_, text, _ in texts(drawn(each))) for each in (alone(found), found))
    assert "1 thread: 12.8 GB/s, 27.2 Gop/s" in one and "4 cores: 25.6 GB/s, 108.8 Gop/s" in one
    assert "NVIDIA GeForce GTX 470: 133.9 GB/s, 136.1 Gop/s" in one
    assert "1 thread" not in both and "NVIDIA H200: 4,800 GB/s, 34,000 Gop/s" in both
    assert len([p for p in parts(drawn(found), "path") if p["class"].startswith("plain")]) == 4


def test_loops_stand_on_the_roofs_or_below(found: dict[str, Any]) -> None:
    """Of each place: the loop at every point is no higher than the line at its operations per byte."""
    picture = drawn(alone(found))
    paths = [each for each in parts(picture, "path") if each["class"].startswith("line ")]
    lines = {each["class"][-1]: each["d"] for each in paths if "L" in each["d"]}
    points = [each for each in parts(picture, "circle") if float(each["cy"]) <= TOP + PLOT]
    assert {each["class"][-1] for each in points} == set("012")
    for each in points:
        start, ridge = (
            tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.]+) ([\d.]+)", lines[each["class"][-1]])
        )
        x, y = float(each["cx"]), float(each["cy"])
        slope = start[1] + (ridge[1] - start[1]) * (x - start[0]) / (ridge[0] - start[0])
        assert y >= max(ridge[1], slope) - 0.2


def test_everything_is_in_the_picture_and_nothing_over_another(found: dict[str, Any]) -> None:
    for each in (alone(found), found):
        picture = drawn(each)
        rows: dict[str, list[tuple[float, float, str]]] = {}
        for left, right, text, y in texts(picture):
            assert left >= 0 and right <= WIDTH + GLYPH, text
            rows.setdefault(y, []).append((left, right, text))
        for row in rows.values():
            ordered = sorted(row)
            assert all(one[1] <= other[0] for one, other in pairwise(ordered)), ordered
        height = float((ElementTree.fromstring(picture).get("viewBox") or "").split()[-1])
        assert max(float(y) for *_, y in texts(picture)) < height


def test_names_are_text_and_long_ones_keep_their_end(found: dict[str, Any]) -> None:
    shown = [text for *_, text, _ in texts(drawn(found))]
    assert any(text.startswith("…") and "<b>&.c:" in text for text in shown)
    assert "prefers-color-scheme: dark" in drawn(found)


def test_a_loop_of_single_precision_is_below_the_roof_too(tmp_path: Path) -> None:
    text = "float a[99]; double b[99];\nvoid f(void) {\n"
    for name in "ab":
        text += f"  for (int i = 0; i < 99; i++)\n    {name}[i] = {name}[i] * {name}[i];\n"
    picture = drawn(predicted(report_of({"a.c": text + "}\n"}, tmp_path), [load("rtx-4090")], {}))
    assert "single precision" in picture and "1,008 GB/s, 82,575 Gop/s" in picture


def test_loops_that_compute_nothing_are_left_out(tmp_path: Path) -> None:
    text = "double a[9], b[9];\nvoid f(void) {\n  for (int i = 0; i < 9; i++)\n    a[i] = b[i];\n}\n"
    picture = drawn(predicted(report_of({"a.c": text}, tmp_path), [load("epyc-9654")], {}))
    assert "a.c" not in picture and "96 cores" in picture


def test_the_html_report_has_the_same_picture(tmp_path: Path) -> None:
    report = report_of({"sum.c": SUM}, tmp_path)
    predictions = predicted(report, [load("gtx-470")], {})
    page = html.render(view_of(report, predictions=predictions))
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert data["predictions"]["picture"] == drawn(predictions)
    (machine,) = data["predictions"]["machines"]
    assert machine["title"].startswith("gtx-470: Intel Core i7-3770")
    assert all(len(row) == 1 + len(machine["heads"]) for row in machine["loops"])
    lines = [data["loops"][row[0]]["line"] for row in machine["loops"]]
    assert lines == [each["line"] for each in predictions["machines"][0]["loops"]]


def test_the_command_draws_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sum.c").write_text(SUM)

    def run(*words: str) -> str:
        words = ("report", "sum.c", "--machine", "gtx-470", *words)
        return CliRunner().invoke(build_app(), words, catch_exceptions=False).stdout

    assert "Predicted" not in run("--roofline", "r.svg")
    picture = Path("r.svg").read_text()
    run("--format", "html", "-o", "r.html")
    assert json.dumps(picture)[1:60] in Path("r.html").read_text().replace("\\u003c", "<")
    with pytest.raises(UserError, match="--diff goes without"):
        run("--diff", "a", "b", "--roofline", "r.svg")
