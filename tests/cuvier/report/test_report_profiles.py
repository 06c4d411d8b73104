"""Profiles: each kind is told apart, read, and mapped to loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.document.model import Report
from cuvier.profiles import Profile, read_profile
from cuvier.profiles.callgrind import read_callgrind
from cuvier.profiles.gprof import read_gprof
from cuvier.profiles.perf import read_perf
from cuvier.profiles.profile import Frame, Sample, plain_name
from tests.support.batch_trees import cuvier
from tests.support.reporting import report_of, view_of

PROGRAM = """\
double a[100], b[100];
static double work(double x) { return x * x; }
void carried(void) {
  for (int i = 1; i < 100; i++)
    a[i] += a[i - 1];
}
void free_of_it(void) {
  for (int i = 0; i < 100; i++)
    b[i] = work(a[i]);
  for (int i = 0; i < 10; i++)
    b[i] += 1;
}
"""
GPROF = """\
Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 60.00      0.03     0.03        1    30.05    30.05  free_of_it
 40.00      0.05     0.02   150000     0.00     0.00  carried
  0.00      0.05     0.00                             main

 %         the percentage of the total running time
 90.00     of this is no row
"""
GPROF_LINES = """\
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ns/call  ns/call  name
 75.12      0.03     0.03                             carried (app.c:5 @ 122a)
 25.04      0.04     0.01   150000    66.77    66.77  free_of_it (app.c:11 @ 11c9)
"""
PERF = """\
app  4980/4980 [001]  2520.429654:     300 cpu-clock:pppH:      55ac137de1b9 carried+0x80 (/tmp/app)
  app.c:5
app x  4980  2520.429881:     100 cycles:u:      7fc14f199f02 puts+0x12 (/usr/lib/libc.so.6)
"""
PERF_CALLERS = """\
app  5046  2522.582703:     100 cycles:
\t    55ac150af work (inlined)
  app.c:2
\t    55ac150b0 free_of_it+0x2f (/tmp/app)
  app.c:9
\t    7f00 main+0x1 (/tmp/app)

app  5046  2522.583202:     100 cycles:
\t    55ac150b9 carried.constprop.0+0x1 (/tmp/app)
  /src/app.c:5
"""
CALLGRIND = """\
# callgrind format
version: 1
positions: line
events: Ir Dr
summary: 1000 10

fl=(1) /home/me/app.c
fn=(1) carried
4 100 5
+1 500 5
jump=3 4
*
fn=(2) free_of_it
cfn=(3) work
calls=100 2
9 300
-1 50
fn=(3)
2 300
fi=(2) /usr/include/other.h
7 50
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of({"app.c": PROGRAM}, tmp_path_factory.mktemp("profiles"))


def shares(report: Report, profile: Profile | None) -> dict[int, float]:
    """In per cent, by the line of the loop."""
    assert profile is not None
    order = view_of(report, profile=profile).ranking.order
    return {each.loop["line"]: round(100 * (each.share or 0), 1) for each in order}


def test_functions_share_their_time_out_by_estimates(report: Report) -> None:
    found = shares(report, read_gprof("x", GPROF))
    assert found[4] == 40
    assert found[8] + found[10] == pytest.approx(60)
    assert found[8] > found[10] > 0


def test_lines_of_gprof(report: Report) -> None:
    assert shares(report, read_gprof("x", GPROF_LINES)) == {4: 75, 10: 25, 8: 0}


def test_gprof_without_seconds_counts_percents(report: Report) -> None:
    title = "  %   cumulative   self\n time   seconds   seconds    calls  name\n"
    text = title + " 100.00      0.00     0.00    1  carried\n"
    assert shares(report, read_gprof("x", text))[4] == 100


def test_perf_by_lines(report: Report) -> None:
    assert shares(report, read_perf("x", PERF)) == {4: 75, 8: 0, 10: 0}


def test_a_parallel_loop_has_what_it_calls(report: Report) -> None:
    assert shares(report, read_perf("x", PERF_CALLERS)) == {8: 50, 4: 50, 10: 0}
    assert shares(report, read_callgrind("x", CALLGRIND)) == {4: 60, 8: 35, 10: 0}


def test_the_order_is_that_of_the_profile(report: Report) -> None:
    profile = read_callgrind("x.out", CALLGRIND)
    ranking = view_of(report, profile=profile).ranking
    assert [each.loop["line"] for each in ranking.order] == [4, 8, 10]
    assert ranking.basis == "measured, callgrind, x.out"


def test_positions_with_addresses(report: Report) -> None:
    text = CALLGRIND.replace("positions: line", "positions: instr line")
    text = (
        text.replace("\n4 100", "\n0x400 4 100")
        .replace("\n+1 500", "\n+4 +1 500")
        .replace("\n*\n", "\n* *\n")
    )
    text = (
        text.replace("\n9 300", "\n+8 9 300").replace("\n-1 50", "\n* -1 50").replace("\n2 300", "\n+3 2 300")
    )
    assert shares(report, read_callgrind("x", text.replace("\n7 50", "\n0x9 7 50"))) == {4: 60, 8: 35, 10: 0}


def test_files_of_one_name_are_told_apart_by_their_folders_or_functions(tmp_path: Path) -> None:
    loop = "void {}(double *p) {{\n  for (int i = 0; i < 9; i++)\n    p[i] = 0;\n}}\n"
    both = report_of({"x/a.c": loop.format("f"), "y/a.c": loop.format("g")}, tmp_path)

    def files(*samples: Sample) -> list[str]:
        order = view_of(both, profile=Profile("perf", "x", samples)).ranking.order
        return [each.loop["file"] for each in order if each.share]

    assert files(Sample(1, (Frame("g", "/home/y/a.c", 3),))) == ["y/a.c"]
    assert files(Sample(1, (Frame("f", "a.c", 3),))) == ["x/a.c"]
    assert files(Sample(1, (Frame("f", "b.c", 3),))) == []


@pytest.mark.parametrize(
    "name", ["main._omp_fn.0", "main.constprop.0", "main'2", "main.part.1.isra.0", "main.cold"]
)
def test_clones_have_the_name_of_their_function(name: str) -> None:
    assert plain_name(name) == "main"


@pytest.mark.parametrize(("text", "kind"), [(GPROF, "gprof"), (PERF, "perf"), (CALLGRIND, "callgrind")])
def test_kinds_are_told_apart(text: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(text)
    assert read_profile(tmp_path / "p").kind == kind


@pytest.mark.parametrize("text", ["", "int main;", "events:\n", "  %   cumulative\n"])
def test_what_is_no_profile(text: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(text)
    with pytest.raises(UserError, match="no profile that Cuvier knows"):
        read_profile(tmp_path / "p")


def test_a_profile_without_time(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("events: Ir\nfn=main\n")
    with pytest.raises(UserError, match="without any time in it"):
        read_profile(tmp_path / "p")


@pytest.mark.parametrize(("function", "warned"), [("carried", False), ("elsewhere", True)])
def test_a_profile_of_another_program_is_said_to_be_one(function: str, warned: bool, tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(PROGRAM)
    (tmp_path / "profile").write_text(GPROF.replace("carried", function).replace("free_of_it", function))
    done = cuvier(tmp_path, "report", "--profile", "profile", "app.c")
    assert ("only 0.0 % of its time is in loops of these files" in done.stderr) is warned
