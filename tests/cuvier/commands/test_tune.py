"""`cuvier tune`: the search, the clocks, the file of results, and the command from end to end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import inf, log2
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome
from cuvier.tuning.clocks import running, with_clocks
from cuvier.tuning.report import Item, Report
from cuvier.tuning.search import Search, Values
from cuvier.tuning.session import Session
from cuvier.tuning.store import Result, keep, read, tuned_for
from cuvier.tuning.subjects import Subject, chosen
from cuvier.verification.devices import opencl_device
from cuvier.verification.toolchain import Toolchain
from models.machine import ASSUMED, DEFAULT
from skeletons import CompileOptions, Library, SkeletonError, compile_unit
from skeletons.catalogue.descriptor import Parameter
from skeletons.select.tuned import PRODUCTS_KEY, TuningKey
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT
from transfers import around_kernels

WIDTH, HEIGHT = Parameter("width", 64, 1, 1024), Parameter("height", 4, 1, 1024)
KEY, OTHER = TuningKey("default", "[1]|element -> [1]|element", "2^20"), TuningKey("rows", "x", "?")


# --- the search ---


def searched(seconds: Callable[[Values], float], start: Values, *parameters: Parameter) -> Search:
    search = Search(parameters or (WIDTH, HEIGHT), start)
    while (values := search.propose()) is not None:
        search.tell(seconds(values))
        assert search.tried < 200
    return search


def bowl(width: int, height: int) -> Callable[[Values], float]:
    return lambda v: 1 + abs(log2(v["width"] / width)) + abs(log2(v["height"] / height))


@pytest.mark.parametrize(("width", "height"), [(64, 4), (512, 4), (1, 1), (1024, 1024), (8, 32)])
def test_the_bottom_is_found(width: int, height: int) -> None:
    search = searched(bowl(width, height), {"width": 64, "height": 4})
    assert search.best == {"width": width, "height": height} and search.seconds == 1
    assert search.first == bowl(width, height)({"width": 64, "height": 4})
    assert search.tried < 25


def test_noise_is_no_gain() -> None:
    search = searched(lambda v: 1 - v["width"] / 1e5, {"width": 64}, WIDTH)
    assert search.best == {"width": 64} and search.tried == 3


def test_ranges_are_kept_and_failures_avoided() -> None:
    seen: list[int] = []

    def seconds(values: Values) -> float:
        seen.append(values["n"])
        return inf if values["n"] > 20 else 100 / values["n"]

    assert searched(seconds, {"n": 5}, Parameter("n", 5, 3, 40)).best == {"n": 20}
    assert set(seen) <= {5, 10, 20, 40} and len(seen) == len(set(seen))


def test_what_does_not_run_at_all_ends_at_once() -> None:
    search = searched(lambda _: inf, {"width": 64, "height": 4})
    assert search.tried == 1 and search.seconds == inf


# --- all searches of a program ---


class FakeBench:
    """Programs in which kernels of KEY want a width of 256, and those of OTHER fail beyond 64."""

    def __init__(self) -> None:
        self.programs: list[dict[TuningKey, Values]] = []

    def start(self, subject: Subject) -> Values:
        return {p.name: p.default for p in subject.parameters}

    def reference(self, arguments: tuple[str, ...], timeout: float) -> Outcome:
        return Outcome(0, b"", b"")

    def measure(self, tuned: dict[TuningKey, Values], *_: object) -> dict[TuningKey, float] | str:
        self.programs.append(tuned)
        if tuned.get(OTHER, {"width": 1})["width"] > 64:
            return "it crashes"
        wanted = tuned.get(KEY, {"width": 64})["width"]
        return {KEY: 1 + abs(log2(wanted / 256)), OTHER: tuned.get(OTHER, {"width": 64})["width"] / 8}


def session(bench: FakeBench, budget: float = 60) -> Session:
    subjects = [Subject(KEY, (WIDTH,), ("k1", "k3")), Subject(OTHER, (WIDTH,), ("k2",))]
    return Session(bench, subjects, (), 1, budget, lambda *_: None)  # type: ignore[arg-type]


def test_kernels_are_tuned_together_and_do_not_spoil_each_other() -> None:
    made = session(FakeBench())
    made.run()
    assert made.best() == {KEY: {"width": 256}, OTHER: {"width": 1}}
    assert made.programs == len(made.bench.programs) < 16  # type: ignore[attr-defined]


def test_an_interrupt_keeps_what_was_found() -> None:
    class Interrupted(FakeBench):
        def measure(self, tuned: dict[TuningKey, Values], *_: object) -> dict[TuningKey, float] | str:
            if len(self.programs) == 3:
                raise KeyboardInterrupt
            return super().measure(tuned)

    made = session(Interrupted())
    made.run()
    assert made.interrupted and made.best()[KEY]["width"] > 64


def test_the_budget_ends_the_search() -> None:
    made = session(FakeBench(), budget=0)
    made.run()
    assert made.programs == 0 and made.best() == {}


def test_a_program_that_fails_from_the_start_is_an_error() -> None:
    class Broken(FakeBench):
        def measure(self, *_: object) -> str:
            return "it does not build: error: x"

    with pytest.raises(UserError, match="does not build: error: x; `cuvier verify` says more"):
        session(Broken()).run()


def test_one_kernel_is_chosen() -> None:
    subjects = [Subject(KEY, (WIDTH,), ("k1", "k3")), Subject(OTHER, (), ("k2",))]
    assert chosen(subjects, None, "cuda") == subjects[:1] == chosen(subjects, "k3", "cuda")
    with pytest.raises(UserError, match=r"kernel 'k2' has no parameters for target cuda; .*: k1, k3"):
        chosen(subjects, "k2", "cuda")
    with pytest.raises(UserError, match="nothing to tune"):
        chosen([], None, "c")


# --- clocks ---

TEXT = """double a[9], b[9];
void f(int n) {
  if (n)
    /* one */
    #pragma vendor hint
    for (int i = 0; i < 9; i++) a[i] = i;
  for (int t = 0; t < n; t++)
    for (int i = 1; i < 9; i++) b[i] = a[i - 1] + b[i];
}
"""


def test_clocks_stand_around_kernels() -> None:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=TEXT)
    loops = [loop for loop in analyse(unit).loops if loop.kernel and loop.verdict.is_parallel]
    marked = with_clocks(TEXT, loops)
    assert marked.count("\n") == TEXT.count("\n")
    names = [loop.kernel.name for loop in loops if loop.kernel]
    text = running(marked, {names[0]: 0})
    assert f"if (n) {{double cuvier_since_{names[0]} = cuvier_timer_now();" in text
    assert f"a[i] = i; cuvier_timer_add(0, cuvier_timer_now() - cuvier_since_{names[0]});}}" in text
    assert "cuvier:" not in text and text.count("cuvier_timer_add") == 1
    assert running(marked, {}).replace(" {\n", "\n").count("}") == TEXT.count("}") + len(names)


# --- results ---


def result(device: str = "gpu", target: str = "cuda", key: TuningKey = KEY, width: int = 64) -> Result:
    return Result(device, target, key, {"width": width}, 0.5, 0.75)


def test_results_are_kept_beside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "deep/tuned.json"
    keep(path, [result(), result(key=OTHER)])
    keep(path, [result(width=128), result(target="opencl")])
    found = read(path)
    assert len(found) == 3 and result(width=128) in found and result() not in found
    assert tuned_for(path, "cuda", DEFAULT) == {KEY: {"width": 128}, OTHER: {"width": 64}}
    assert tuned_for(path, "openmp", DEFAULT) == {}


def test_of_several_devices_the_described_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    keep(path, [result("one"), result("two", width=8)])
    with pytest.raises(UserError, match=r"results of 'one', 'two' for target cuda.*`cuvier machine`"):
        tuned_for(path, "cuda", DEFAULT)
    machine = replace(DEFAULT, devices=(replace(ASSUMED, name="two"),))
    assert tuned_for(path, "cuda", machine) == {KEY: {"width": 8}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"version": 1, "results": [{}]}',
        '{"version": 1, "results": 3}',
        '{"version": 9}',
    ],
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    path.write_text(text)
    with pytest.raises(UserError, match="remove it, or name another"):
        read(path)
    with pytest.raises(UserError):
        keep(path, [result()])
    assert path.read_text() == text


def test_no_results_yet(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="`cuvier tune FILE --target cuda` finds some"):
        tuned_for(tmp_path / "none.json", "cuda", DEFAULT)


def test_the_report_says_what_is_wrong() -> None:
    items = (Item(result(), ("k1",), 7),)
    good = Report("p.c", Path("t.json"), items, 7, True)
    assert good.ok and "1.50 times as fast, 7 tried" in good.as_text() and "interrupted" in good.as_text()
    bad = replace(good, wrong="k1: a differs")
    assert not bad.ok and "not kept" in bad.as_text() and json.loads(bad.as_json())["kept"] is None
    assert not replace(good, items=()).ok


# --- what compiling makes of them ---

PROGRAM = """#include <stdio.h>
#define N 96
static double a[N][N], b[N][N], c[N][N];
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) { a[i][j] = (i * 7 + j * 3) % 11; b[i][j] = (i + j) % 5; }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
  double s = 0;
  for (int i = 0; i < N; i++)
    s += c[i][(i * 7) % N];
  printf("%.6f\\n", s);
  return 0;
}
"""


def test_tuned_parameters_are_used_where_the_key_is_the_same() -> None:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=PROGRAM)
    facts = analyse(unit, AnalysisOptions())
    made = (unit, facts, around_kernels(facts), "cuda", Library.load())
    first = compile_unit(*made, CompileOptions()).choices[0]
    assert first.key == TuningKey("default", "void -> [2]|element ^ [2]|element", "2^14")
    values = {"width": 64, "block_x": 128, "block_y": 2}
    tuned = compile_unit(*made, CompileOptions(tuned={first.key: values})).files["p_kernels.cu"]
    assert "block(128, 2, 1)" in tuned
    other = CompileOptions(tuned={replace(first.key, size="2^16"): values})
    assert compile_unit(*made, other).files == compile_unit(*made, CompileOptions()).files
    wanted = CompileOptions(tuned={first.key: values}, parameters={"block_x": 16})
    assert "block(16, 2, 1)" in compile_unit(*made, wanted).files["p_kernels.cu"]
    products = CompileOptions(tuned={PRODUCTS_KEY: {"NC": 0}})
    scops = analyse(unit, AnalysisOptions(scops=True))
    with pytest.raises(SkeletonError, match="NC=0: products take 128 to 2048"):
        compile_unit(unit, scops, around_kernels(scops), "openmp", Library.load(), products)


# --- from end to end ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(PROGRAM)
    return tmp_path


def cuvier(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(folder),
    }
    words = [sys.executable, "-m", "cuvier", *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.long
def test_products_for_openmp(folder: Path) -> None:
    done = cuvier(folder, "tune", "p.c", "--target", "openmp", "--budget", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ok"] and told["kept"] == str(folder / "cuvier/tuned.json")
    (found,) = told["results"]
    assert found["skeleton"] == PRODUCTS_KEY.skeleton and found["seconds"] <= found["before"]
    (kept,) = read(folder / "cuvier/tuned.json")
    assert kept.parameters == found["parameters"]
    kept.parameters["KC"] = 192
    keep(folder / "cuvier/tuned.json", [kept])
    done = cuvier(folder, "compile", "p.c", "--target", "openmp", "--tuned", "-o", "out", "--explain")
    assert done.returncode == 0 and "\n  tuned KC=192 " in done.stdout, done.stderr
    assert "BLOCK_DEPTH = 192" in (folder / "out/p.c").read_text()
    assert cuvier(folder, "verify", "p.c", "--target", "openmp", "--tuned").returncode == 0


def has_opencl(folder: Path) -> bool:
    try:
        return bool(opencl_device(Toolchain.find(PreprocessOptions()), folder))
    except UserError:
        return False


@pytest.mark.long
def test_one_kernel_on_opencl(folder: Path) -> None:
    if not has_opencl(folder):
        pytest.skip("no OpenCL device")
    words = ["tune", "p.c", "--target", "opencl", "--budget", "2", "--kernel", "p_k1", "--output", "t.json"]
    done = cuvier(folder, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("p_k1: default block_x=") and "kept in t.json" in done.stdout
    words = ["compile", "p.c", "--target", "opencl", "--tuned-from", "t.json", "-o", "out", "--explain"]
    explained = cuvier(folder, *words)
    assert "\n  tuned block_x=" in explained.stdout
    assert all(r.target == "opencl" and "width" not in r.parameters for r in read(folder / "t.json"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["p.c", "--target", "c"], "nothing to tune"),
        (["p.c", "--target", "abacus"], "unknown target"),
        (["none.c", "--target", "openmp"], "no such file"),
        (["p.c", "--target", "openmp", "--kernel", "p_k77"], "kernel 'p_k77' has no parameters"),
        (["lib.c", "--target", "openmp"], "defines no function main"),
        (["bad.c", "--target", "openmp"], "original program bad.c"),
    ],
)
def test_what_cannot_be_tuned(words: list[str], complaint: str, folder: Path) -> None:
    (folder / "lib.c").write_text("double a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n")
    (folder / "bad.c").write_text(PROGRAM.replace("double s = 0;", "double s = 0; __builtin_trap();"))
    done = cuvier(folder, "tune", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert complaint in done.stderr


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a GPU")
def test_cuda_needs_a_device(folder: Path) -> None:
    done = cuvier(folder, "tune", "p.c", "--target", "cuda")
    assert done.returncode == 2 and "no CUDA device on this machine" in done.stderr
