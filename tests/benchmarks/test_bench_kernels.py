"""The contest of kernels at tiny sizes: it is right, fair, and hides no failure; no times are judged."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.contest import tables
from benchmarks.contest.contenders import (
    CONTENDERS,
    PRODUCTS,
    BuildError,
    Contender,
    Workshop,
    another_compiler,
)
from benchmarks.contest.measuring import Effort, Measurement, Outcome, measure
from benchmarks.contest.programs import HOOKS, PEERS, Program, ProgramError, Region, load
from benchmarks.contest.running import RunError, difference, execute, parsed
from cuvier.bench.contenders import find_clang
from tests.support.places import ROOT

PROGRAMS = {program.name: program for program in load(at=())}
LARGE = {program.name: program for program in load()}
BY_KEY = {contender.key: contender for contender in CONTENDERS}
SHOP = Workshop(threads=2, flags=("-O1",), clang=find_clang())
ONCE = Effort(rounds=1, repeat=1, seconds=5.0)

needs_gcc = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("make")), reason="needs gcc and make"
)


@pytest.fixture(autouse=True)
def waiting_threads_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a barrier at which threads spin takes milliseconds."""
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")


def contest(
    program: Program, contenders: list[Contender], folder: Path, shop: Workshop = SHOP
) -> Measurement:
    return measure(program, contenders, shop, ONCE, folder, lambda _: None)


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def script(path: Path, text: str) -> str:
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_every_program_of_the_corpus_takes_part_and_has_a_peer() -> None:
    files = {p.stem for folder in ("polybench", "kernels") for p in (ROOT / "corpus" / folder).glob("*.c")}
    assert set(PROGRAMS) == files
    assert {p.stem for p in PEERS.glob("*.c")} == files
    assert set(PRODUCTS) < files


@pytest.mark.parametrize("name", LARGE)
def test_sizes_are_macros_and_formulas_can_be_computed(name: str) -> None:
    program = LARGE[name]
    assert set(program.sizes) == set(program.size_names)
    assert program.amount(program.operations) >= 0
    assert program.amount(program.moved) > 0
    assert program.amount(program.data) > 0
    assert PROGRAMS[name].amount(program.data) < program.amount(program.data)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_clock_runs_around_the_kernel_only(name: str) -> None:
    program = PROGRAMS[name]
    for text in (program.timed(), program.by_hand(), program.as_scop()):
        assert text.startswith(HOOKS)
        assert text.count("timing_start();\n") == text.count("timing_stop();\n") == 1
        timed = text.split("timing_start();\n")[1].split("timing_stop();")[0]
        assert "printf" not in timed
    without = program.timed().removeprefix(HOOKS)
    assert without.replace("  timing_start();\n", "").replace("  timing_stop();\n", "") == program.text
    assert program.as_scop().count("#pragma scop\n") == program.as_scop().count("#pragma endscop\n") == 1


@pytest.mark.sampled(9)
@needs_gcc
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_hand_written_peer_is_right(name: str, tmp_path: Path) -> None:
    """On one thread and on three, also in later runs of one process; it compiles without warnings."""
    program = PROGRAMS[name]
    shop = replace(SHOP, flags=("-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"))
    original, peer = (BY_KEY[key].build(shop, program, folder(tmp_path, key)) for key in ("gcc", "by-hand"))
    expected = execute(original, 1, 5.0, 1).outputs
    assert len(set(expected)) == 1
    for threads in (1, 3):
        for output in execute(peer, 1, 5.0, threads).outputs:
            assert difference(expected[0], output, program.tolerance) is None


@pytest.mark.sampled(3)
@needs_gcc
@pytest.mark.parametrize("name", ["argmin", "pack", "jacobi-2d", "smooth-2d", "scan", "transpose", "trmm"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_peers_at_sizes_that_do_not_divide(name: str, size: int, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    odd = replace(program, sizes=dict.fromkeys(program.size_names, size + 2))
    found = contest(odd, [BY_KEY["by-hand"]], tmp_path, replace(SHOP, threads=3))
    assert found.outcomes["by-hand"].status == "ok", found.outcomes["by-hand"].note


@pytest.mark.sampled(3)
@needs_gcc
@pytest.mark.parametrize("name", ["gemm", "jacobi-2d", "saxpy"])
def test_all_that_is_installed(name: str, tmp_path: Path) -> None:
    present = [c for c in CONTENDERS if not c.optional and c.missing(SHOP) is None]
    found = contest(PROGRAMS[name], present, tmp_path)
    for key, outcome in found.outcomes.items():
        wrong = key == "polly" and outcome.status == "wrong result"  # that of LLVM 14, for products
        assert outcome.status == "ok" or wrong, (key, outcome.note)
    assert {"gcc", "gcc-parallel", "by-hand", "openmp"} <= set(found.outcomes)


@needs_gcc
def test_source_to_source_compilers_are_called_by_their_path(tmp_path: Path) -> None:
    """The stand-in copies its input, and checks that the kernel is marked."""
    text = """
import sys
source = next(a for a in sys.argv[1:] if a.endswith(".c"))
text = open(source).read()
assert "#pragma scop" in text and "#pragma endscop" in text
open(sys.argv[sys.argv.index("-o") + 1], "w").write(text)
"""
    compiler = script(tmp_path / "compiler", text)
    shop = replace(SHOP, pluto=compiler, ppcg=compiler)
    found = contest(PROGRAMS["atax"], [BY_KEY["pluto"], BY_KEY["ppcg"]], tmp_path / "out", shop)
    assert [outcome.status for outcome in found.outcomes.values()] == ["ok", "ok"]
    assert BY_KEY["pluto"].missing(SHOP) and not BY_KEY["pluto"].missing(shop)


@needs_gcc
def test_another_compiler_takes_part_as_a_peer(tmp_path: Path) -> None:
    contender = another_compiler("small", ("gcc", "-Os"))
    found = contest(PROGRAMS["atax"], [contender], tmp_path)
    best = found.best_peer()
    assert best is not None and best[0] == "small"
    assert contender.missing(SHOP) is None
    assert another_compiler("none", ("no-such-compiler",)).missing(SHOP) == "no no-such-compiler"


@needs_gcc
def test_failures_are_shown(tmp_path: Path) -> None:
    """One does not build, one does not run, one is wrong, one never ends its kernel: none has a time."""
    printing = script(tmp_path / "wrong", "print('y 1.0\\n@ 0.000001')")
    failing = script(tmp_path / "failing", "import sys\nsys.exit('it broke')")
    silent = script(tmp_path / "silent", "pass")

    def refuse(*_: object) -> list[str]:
        raise BuildError("no such thing")

    contenders = [
        BY_KEY["gcc"],
        Contender("refuse", "", refuse),
        Contender("failing", "", lambda *_: [failing]),
        Contender("wrong", "", lambda *_: [printing]),
        Contender("silent", "", lambda *_: [silent]),
    ]
    found = contest(PROGRAMS["atax"], contenders, tmp_path / "out")
    states = {key: (outcome.status, outcome.median is not None) for key, outcome in found.outcomes.items()}
    assert states["gcc"] == ("ok", True)
    assert states["refuse"] == ("does not build", False)
    assert states["failing"] == ("does not run", False)
    assert states["wrong"] == ("wrong result", False)
    assert states["silent"] == ("does not run", False)
    assert tables.time_cell(found, "wrong") == "wrong result"
    assert any("no such thing" in line for line in tables.failures([found]))


@needs_gcc
def test_a_peer_with_a_defect_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (PEERS / "dot.c").read_text().replace("sum += x[i]", "sum += 1.0001 * x[i]")
    (tmp_path / "dot.c").write_text(text)
    monkeypatch.setattr("benchmarks.contest.programs.PEERS", tmp_path)
    found = contest(PROGRAMS["dot"], [BY_KEY["by-hand"]], tmp_path / "out")
    assert found.outcomes["by-hand"].status == "wrong result"


def test_the_best_peer_is_a_peer_with_a_right_result() -> None:
    outcomes = {
        "gcc": Outcome(seconds=[3.0, 1.0, 2.0]),
        "by-hand": Outcome(status="wrong result", seconds=[0.1]),
        "blas": Outcome(seconds=[0.01]),
        "openmp": Outcome(seconds=[1.0]),
    }
    found = Measurement(PROGRAMS["gemm"], outcomes, limit=0.5)
    assert found.best_peer() == ("gcc", 2.0)
    assert found.ratio("openmp") == 2.0
    assert found.ratio("by-hand") is None
    assert found.share("openmp") == 0.5
    assert tables.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_opencl_is_compared_with_openmp_and_products_with_the_library() -> None:
    def of(name: str, **seconds: float) -> Measurement:
        return Measurement(PROGRAMS[name], {key: Outcome(seconds=[time]) for key, time in seconds.items()})

    found = [
        of("gemm", gcc=9.0, blas=0.5, openmp=1.0, opencl=2.0),
        of("saxpy", gcc=9.0, openmp=1.0, opencl=0.5),
    ]
    found[1].outcomes["blas"] = Outcome(status="does not run")
    shown = [BY_KEY[key] for key in ("gcc", "blas", "openmp", "opencl")]
    assert len(tables.heads(shown)) == len(tables.cells(found[0], shown))
    assert tables.cells(found[0], shown)[-2] == "2.00"
    words = "\n".join(tables.summary(found, shown))
    assert "takes 1.00 times as long as Cuvier OpenMP (geometric mean of 2, worst 2.00 in gemm)" in words
    assert "has 50% of OpenBLAS's speed (geometric mean; gemm 50%)" in words


def test_serial_programs_do_not_count_for_the_mean() -> None:
    def of(name: str, ours: float) -> Measurement:
        outcomes = {"gcc": Outcome(seconds=[1.0]), "openmp": Outcome(seconds=[ours])}
        return Measurement(PROGRAMS[name], outcomes)

    found = [of("gemm", 0.5), of("seidel-2d", 2.0)]
    assert tables.ratios(found, "openmp", serial=False) == [2.0]
    assert tables.ratios(found, "openmp", serial=True) == [2.0, 0.5]


def test_the_protocol() -> None:
    runs = parsed("a 1\n@ 0.5\na 1\n@ 0.25\na 2\n@ 0.125\n")
    assert runs.outputs == ("a 1", "a 1", "a 2")
    assert runs.measured == (0.25, 0.125)
    assert parsed("@ 4.0\n").measured == (4.0,)
    with pytest.raises(RunError):
        parsed("a 1\n")


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("A 1.0", "A 1.000000001", True),
        ("A 1.0", "A 1.001", False),
        ("A 1.0", "B 1.0", False),
        ("A 1.0", "A 1.0 2.0", False),
        ("A 1.0", "A nan", False),
        ("A inf", "A inf", False),
    ],
)
def test_outputs_are_compared_within_a_tolerance(expected: str, got: str, same: bool) -> None:
    assert (difference(expected, got, 1e-8) is None) == same


def test_a_program_that_fails_has_its_last_words(tmp_path: Path) -> None:
    command = script(tmp_path / "p", "import sys\nprint('x', file=sys.stderr)\nsys.exit('last words')")
    with pytest.raises(RunError, match="last words"):
        execute([command], 1, 1.0, 1)


def test_a_region_that_is_not_there() -> None:
    program = replace(PROGRAMS["syrk"], region=Region("  nothing", "  like it", ""))
    with pytest.raises(ProgramError):
        program.timed()


@pytest.mark.long
@needs_gcc
def test_the_command(tmp_path: Path) -> None:
    """Table, summary and JSON of a run; unknown names are refused."""
    numbers = tmp_path / "out.json"
    command = [sys.executable, "benchmarks/kernels.py", "--small", "--rounds", "1", "--repeat", "1"]
    chosen = ["--programs", "atax,trisolv", "--contenders", "gcc,by-hand,pluto,openmp"]
    done = subprocess.run(
        [*command, *chosen, "--json", str(numbers)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for words in ("atax", "trisolv", "OpenMP by hand", "STREAM triad", "without pluto: no --pluto"):
        assert words in done.stdout
    found = json.loads(numbers.read_text())
    assert set(found["programs"]) == {"atax", "trisolv"}
    assert found["machine"]["triad"] > 0 and found["machine"]["double"] > 0
    ours = found["programs"]["atax"]["contenders"]["openmp"]
    assert ours["status"] == "ok" and ours["ratio"] > 0 and ours["share"] > 0
    unknown = subprocess.run([*command, "--programs", "nothing"], cwd=ROOT, capture_output=True, check=False)
    assert unknown.returncode == 1 and b"there are" in unknown.stderr
