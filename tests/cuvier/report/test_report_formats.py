"""Every format of a report, from one program, and from a report with too many loops."""

from __future__ import annotations

import csv as csv_reader
import io
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from cuvier.document.model import Report
from cuvier.report import csv, github, html, markdown, sarif
from species.core.reasons import REASONS
from tests.support.reporting import SUM, loop_at, report_of, view_of

BROKEN = "int main(void) { return 0 }}}\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of({"sum a.c": SUM, "b.c": BROKEN}, tmp_path_factory.mktemp("formats"))


def repeated(report: Report, times: int) -> Report:
    """The same file under so many names."""
    units = []
    for number in range(times):
        unit, file = report.units[0], f"{number}.c"
        units.append({**unit, "file": file, "loops": [{**loop, "file": file} for loop in unit["loops"]]})
    return Report({**report.document, "units": units})


# --- which loops count ---


def test_decisive_loops_are_parallel_or_have_nothing_parallel_around_or_inside(report: Report) -> None:
    assert [(loop["line"], loop["verdict"]) for loop in report.decisive] == [
        (3, "serial"),
        (8, "parallel"),
        (12, "parallel"),  # in the serial loop of line 11
        (17, "conditional"),
    ]
    assert [loop["line"] for loop in report.opportunities] == [8, 12, 17]


def test_a_loop_in_a_header_counts_once(tmp_path: Path) -> None:
    header = "static void z(double *p) {\n  for (int i = 0; i < 9; i++)\n    p[i] = 0;\n}\n"
    (tmp_path / "z.h").write_text(header)
    both = report_of(dict.fromkeys(("a.c", "b.c"), '#include "z.h"\n'), tmp_path)
    assert sum(len(unit["loops"]) for unit in both.units) == 2
    assert [Path(loop["file"]).name for loop in both.loops] == ["z.h"]
    assert header in both.sources.values()


def test_a_loop_in_a_header_is_the_worst_that_it_is_somewhere(tmp_path: Path) -> None:
    (tmp_path / "z.h").write_text(
        "static void z(double p[9][9]) {\n  for (int i = 0; i < 8; i++)\n    for (int j = 0; j < 9; j++)\n"
        "      p[i][j] = p[AT][j];\n}\n"
    )
    files = ("a.c", "i"), ("b.c", "i + 1"), ("c.c", "i")
    each = report_of({name: f'#define AT {at}\n#include "z.h"\n' for name, at in files}, tmp_path)
    assert [(loop["line"], loop["verdict"]) for loop in each.loops] == [(2, "serial"), (3, "parallel")]
    assert [(loop["line"], loop["verdict"]) for loop in each.decisive] == [(3, "parallel")]
    assert "CV203" in html.render(view_of(each))


# --- Markdown ---


def test_markdown_names_the_loops_that_matter_and_what_was_lost(report: Report) -> None:
    text = markdown.render(view_of(report))
    assert text.startswith(
        "### Cuvier: 6 loops in 1 file: 3 parallel, 1 conditional, 2 serial. Not analysed: b.c."
    )
    rows = [line for line in text.splitlines() if line.startswith("| 1 |")]
    assert "`sum a.c:8` `total` `for i` | ✅ parallel" in rows[0]
    assert "**Not analysed:**" in text
    assert "`b.c:1`" in text


def test_markdown_fits_a_comment_and_says_what_it_left_out(report: Report) -> None:
    text = markdown.render(view_of(repeated(report, 400)))
    assert 40_000 < len(text) <= markdown.LIMIT
    assert re.search(r"\d+ more lines did not fit", text)
    assert text.count("<details>") == text.count("</details>") == 1


@pytest.mark.parametrize("text", ["a|b", "`x`", "``", "<b>|*_[x]", "a\nb"])
def test_cells_of_markdown_are_one_cell(text: str) -> None:
    for cell in (markdown.cell(text), markdown.code(text)):
        assert "\n" not in cell
        assert re.sub(r"\\.", "", cell).count("|") == 0


# --- CSV ---


def test_csv_has_a_row_for_each_loop(report: Report) -> None:
    rows = list(csv_reader.DictReader(io.StringIO(csv.render(view_of(report)))))
    assert [row["line"] for row in rows] == [str(loop["line"]) for loop in report.loops]
    assert tuple(rows[0]) == csv.COLUMNS
    assert rows[0]["reasons"] == "CV203"
    assert (rows[1]["exact"], rows[1]["reductions"], rows[1]["operations"]) == ("yes", "s +", "2000000")


# --- GitHub ---


def test_annotations_of_github_are_single_lines_with_their_places(report: Report) -> None:
    lines = github.render(view_of(report, serial=True)).splitlines()
    assert lines[0].startswith(
        "::notice file=sum a.c,line=8,endLine=10,title=Parallel loop::for i: parallel, doall%0A"
    )
    assert any(
        line.startswith("::warning file=sum a.c,line=3,endLine=4,title=Loop stays serial::") for line in lines
    )
    assert lines[-1].startswith("::warning file=b.c,line=1,endLine=1,title=Not analysed::")


def test_github_shows_ten_of_a_level_and_counts_the_rest(report: Report) -> None:
    lines = github.render(view_of(repeated(report, 9))).splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::notice title=Cuvier::18 more loops; `cuvier report` lists them all"


def test_nothing_ends_an_annotation_early() -> None:
    text = github.annotation("notice", "a,b:c.c", 1, 2, "x", "50 %\nmore")
    assert text == "::notice file=a%2Cb%3Ac.c,line=1,endLine=2,title=x::50 %25%0Amore\n"


# --- SARIF ---


def run_of(report: Report, **wishes: Any) -> dict[str, Any]:
    log = json.loads(sarif.render(view_of(report, **wishes)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def test_sarif_has_opportunities_and_on_demand_serial_loops(report: Report) -> None:
    lines = [
        each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in run_of(report)["results"]
    ]
    assert sorted(lines) == [8, 12, 17]
    run = run_of(report, serial=True)
    (serial,) = (each for each in run["results"] if each["ruleId"] == "CV203")
    assert serial["level"] == "note"
    columns = [each["physicalLocation"]["region"]["startColumn"] for each in serial["relatedLocations"]]
    assert sorted(columns) == [5, 12]  # a[i], a[i - 1]


def test_sarif_is_consistent(report: Report) -> None:
    run = run_of(report, serial=True)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("warning", "note")
        assert result["message"]["text"]
        location = result["locations"][0]["physicalLocation"]
        assert unquote(location["artifactLocation"]["uri"]) == "sum a.c"
        assert " " not in location["artifactLocation"]["uri"]
        assert location["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert location["region"]["startLine"] <= location["region"]["endLine"]
    for rule in rules:
        assert rule["help"]["markdown"] and rule["shortDescription"]["text"]
        assert rule["id"] in REASONS or rule["id"].startswith("loop/")
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == "error"


def test_sarif_stays_within_the_limits_of_hosts(report: Report) -> None:
    run = run_of(repeated(report, 1700))
    assert len(run["results"]) == sarif.MOST
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("100 more results are left out")
    ranks = [each["rank"] for each in run["results"]]
    assert ranks == sorted(ranks, reverse=True)


def test_fingerprints_survive_what_does_not_change_the_loop(report: Report, tmp_path: Path) -> None:
    moved = "/* a\n licence */\n" + SUM.replace("    a[i] = a[i - 1] +", "    a[i]  =  a[i-1] /* x */ +")
    again = report_of({"other.c": moved}, tmp_path)
    assert [loop["fingerprint"] for loop in again.loops] == [loop["fingerprint"] for loop in report.loops]
    changed = report_of({"other.c": SUM.replace("a[i - 1]", "a[i - 2]")}, tmp_path)
    differ = [
        a["line"]
        for a, b in zip(report.loops, changed.loops, strict=True)
        if a["fingerprint"] != b["fingerprint"]
    ]
    assert differ == [3]


def test_equal_loops_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    loop = "  for (int i = 0; i < 9; i++)\n    p[i] = 0;\n"
    twice = report_of({"a.c": f"void f(double *p) {{\n{loop}{loop}}}\n"}, tmp_path)
    assert len({each["fingerprint"] for each in twice.loops}) == 2


def test_annotations_do_not_change_fingerprints(report: Report, tmp_path: Path) -> None:
    marked = SUM.replace("  for (int j", "    #pragma omp parallel for /* cuvier */\n  for (int j")
    assert (
        loop_at(report_of({"a.c": marked}, tmp_path), 8)["fingerprint"] == loop_at(report, 8)["fingerprint"]
    )


# --- HTML ---


def test_the_page_is_one_file_without_addresses_of_the_network(report: Report) -> None:
    page = html.render(view_of(report))
    assert page.count("<script") == 2
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "default-src 'none'" in page


def test_no_text_of_a_file_ends_the_data(tmp_path: Path) -> None:
    nasty = SUM + "/* </script><script>alert(1)</script> <!-- */\n"
    page = html.render(view_of(report_of({"a.c": nasty}, tmp_path)))
    assert page.count("</script>") == 2
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert inside is not None
    data = json.loads(inside[1])
    assert data["files"][0]["text"] == nasty
    assert data["reasons"]["CV203"]["page"].startswith("<h1>CV203")
