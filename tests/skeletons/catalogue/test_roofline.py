"""Estimates: amounts, work and costs; the ranking by them; and what the user says instead."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models.machine import ASSUMED, DEFAULT, Machine
from models.sizes.amounts import SOME, Amounts
from skeletons import Choice, CompileOptions, Library, Program, SkeletonError, compile_unit
from skeletons.catalogue.read import read_skeleton
from skeletons.cost.roofline import Cost, cost_of, ranked
from skeletons.cost.work import Work
from skeletons.program.overrides import parse_overrides
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.support.machines import with_device
from tests.support.places import ROOT
from transfers import around_kernels

CPU_DEVICE = with_device(bandwidth=15e9, double=2e10)
ARRAYS = """#define N 2000
#define LAST (N - 1)
double A[N][N], B[N][N], C[N][N], R[200000][64], x[N], y[N], w[200000]; float u[N], v[N];
"""
PROGRAMS = {
    "product": """for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        double s = 0; for (int k = 0; k < N; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }""",
    "stencil": """for (int i = 1; i < LAST; i++) for (int j = 1; j < LAST; j++)
        B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);""",
    "window": """for (int i = 3; i < N - 3; i++) for (int j = 3; j < N - 3; j++)
        B[i][j] = A[i - 3][j] + A[i + 3][j] + A[i][j - 3] + A[i][j + 3];""",
    "small window": """for (int i = 3; i < 600; i++) for (int j = 3; j < 600; j++)
        B[i][j] = A[i - 3][j] + A[i + 3][j] + A[i][j - 3] + A[i][j + 3];""",
    "rows": """for (int i = 0; i < N; i++) { double s = 0;
        for (int j = 0; j < N; j++) s += A[i][j] * x[j]; y[i] = s; }""",
    "many rows": """for (int i = 0; i < 200000; i++) { double s = 0;
        for (int j = 0; j < 64; j++) s += R[i][j] * x[j]; w[i] = s; }""",
    "copy": "for (int i = 0; i < N; i++) u[i] = v[i];",
    "turned": "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) B[i][j] = A[j][i];",
}


def compiled(body: str, target: str = "cuda", machine: Machine = DEFAULT, **options: object) -> Program:
    unit = read_translation_unit(
        "p.c", PreprocessOptions(), text=f"{ARRAYS}void f(int n) {{ int r; {body} }}"
    )
    facts = analyse(unit, AnalysisOptions(scops=target == "openmp"))
    flags = CompileOptions(machine=machine, **options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), target, Library.load(), flags)


def choice(body: str, target: str = "cuda", machine: Machine = DEFAULT, **options: object) -> Choice:
    return compiled(body, target, machine, **options).choices[0]


def work(body: str) -> Work:
    found = choice(body).work
    assert found is not None
    return found


# --- amounts ---

MACROS = {"N": "(4 * M)", "M": "3", "LOOP": "LOOP + 1", "ODD": "{ }"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("0x10uL", 16),
        ("N - 2", 10),
        ("10 - 2 - 3", 5),
        ("2 + 3 * 4 % 5", 4),
        ("-(3 - 5)", 2),
        ("n", 1000),
        ("(long)n * 2", 2000),
        ("(size_t)(n) + 1", 1001),
        ("(const unsigned char *)4", 4),
        ("(n) - 1", 999),
        ("n > 0 ? n : 0", 1000),
        ("n < 0 ? 7 : n < 2 ? 8 : 9", 9),
        ("1 << 10", 1024),
        ("a[i + 1]", SOME),
        ("f(1, 2).x->y[3] - 6", SOME - 6),
        ("sizeof(int) * 2", 16),
        ("1 / 0", 1),
        ("known + 1", 8),
        ("LOOP - 20", 1000),
        ("ODD", 1000),
        ("", 1000),
        ("1 +", 1000),
        ("((1)", 1000),
        ("{ 1 }", 1000),
        ('"text"', 1000),
        ("1e400 * 10 - 1e400 * 10 & 1", 1000),
    ],
)
def test_amounts(text: str, value: float) -> None:
    amounts = Amounts(MACROS.get, 1000, {"known": 7})
    assert amounts.of(text) == value


def test_what_is_assumed_is_told() -> None:
    amounts = Amounts(MACROS.get, 50)
    assert amounts.of("n * m - N") == 2488
    assert amounts.taken == {"n": 50, "m": 50}


# --- work ---


def test_work_of_a_product() -> None:
    found = work(PROGRAMS["product"])
    assert found.iterations == 4e6
    assert found.operations == pytest.approx(2 * 8e9, rel=0.01)
    assert found.bytes == 3 * 8 * 4e6 and found.double and not found.assumed
    requested = {part.array: part.requested for part in found.traffic}
    assert requested == {"A": 8 * 8e9, "B": 8 * 8e9, "C": 8 * 4e6}


def test_work_of_a_stencil() -> None:
    found = work(PROGRAMS["stencil"])
    read, written = found.traffic
    assert (read.pattern, read.elements, read.touched) == ("neighbourhood", (3, 3), 8 * 2000.0**2)
    assert (written.pattern, written.touched) == ("element", 8 * 1998.0**2)
    assert found.operations == 4 * 1998**2
    assert found.intensity == pytest.approx(0.25, rel=0.01)


def test_single_precision_and_directions() -> None:
    assert not work(PROGRAMS["copy"]).double and work(PROGRAMS["copy"]).bytes == 16000
    assert [part.scattered for part in work(PROGRAMS["turned"]).traffic] == [True, False]
    assert next(part.scattered for part in work(PROGRAMS["rows"]).traffic if part.array == "A")


def test_a_packing_counter_says_one_place_at_a_time() -> None:
    found = work("int k = 0; for (int i = 0; i < N; i++) if (x[i] > 2) y[k++] = x[i]; r = k;")
    assert [(part.array, part.write, part.requested) for part in found.traffic] == [
        ("x", False, 16000),
        ("y", True, 16000),
    ]


def test_unknown_sizes_are_assumed() -> None:
    found = work("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) C[i][j] = i + j;")
    assert found.assumed == (("n", 1024),)
    assert found.iterations == pytest.approx(2**20)
    assert work("for (int i = 0; i < n; i++) x[i] = i;").assumed == (("n", 2**20),)


def test_triangles_and_odd_loops_count() -> None:
    triangle = work("for (int i = 0; i < N; i++) { x[i] = 0; for (int j = 0; j <= i; j++) x[i] += y[j]; }")
    assert triangle.operations == pytest.approx(2e6, rel=0.01)
    backwards = work("for (int i = 0; i < N; i++) for (int k = 9; k > 0; k -= 3) x[i] += k * 2;")
    assert backwards.operations == 2 * 3 * 2000
    unknown = work("for (int i = 0; i < N; i++) { r = i; while (r > 1) { x[i] += 1; r = r / 2; } }")
    assert math.isfinite(unknown.operations) and unknown.operations > 2000


# --- costs and the ranking ---


def seconds(found: Choice) -> dict[str, float]:
    return {name: cost.seconds for name, cost in found.costs.items()}


@pytest.mark.parametrize(
    ("program", "best"),
    [
        ("small window", "neighbourhood-2d"),
        ("window", "default"),  # a thread makes several rows, and keeps what they share
        ("stencil", "default"),
        ("rows", "team"),
        ("copy", "default"),
        ("turned", "default"),
    ],
)
def test_large_nests_on_a_gpu(program: str, best: str) -> None:
    found = choice(PROGRAMS[program])
    assert found.skeleton is not None and found.skeleton.name == best
    assert seconds(found)[best] == min(seconds(found).values())


def test_rows_are_turned_where_many_threads_share_the_bandwidth() -> None:
    """Few threads wait for memory, whatever it wastes."""
    found = {program: choice(PROGRAMS[program], "opencl").skeleton for program in ("rows", "many rows")}
    assert {program: s and s.name for program, s in found.items()} == {"rows": "default", "many rows": "rows"}


@pytest.mark.parametrize("program", ["stencil", "many rows"])
def test_on_a_cpu_fast_memory_brings_nothing(program: str) -> None:
    found = choice(PROGRAMS[program], "opencl", CPU_DEVICE)
    assert found.skeleton is not None and found.skeleton.name == "chunks"
    other = choice(PROGRAMS[program], "opencl")
    assert other.skeleton is not None and other.skeleton.name != "default"


def test_faster_memory_means_less_time() -> None:
    fast = replace(DEFAULT, devices=(replace(ASSUMED, bandwidth=3e12),))
    slow, quick = (choice(PROGRAMS["stencil"], machine=machine) for machine in (DEFAULT, fast))
    assert all(seconds(quick)[name] < value for name, value in seconds(slow).items())
    assert slow.costs["default"].bound == "memory"


def test_cpus_have_their_own_rates() -> None:
    openmp, serial = (choice(PROGRAMS["stencil"], target, without=frozenset()) for target in ("openmp", "c"))
    assert seconds(openmp)["default"] < seconds(serial)["default"]


def test_priority_decides_between_equals() -> None:
    library = Library.load()
    first, second, third = (
        replace(library.skeletons("c")[0], name=n, priority=p) for n, p in zip("abc", (1, 2, 9), strict=True)
    )
    costs = [(first, Cost(1, 0, 1.0)), (second, Cost(1, 0, 1.05)), (third, Cost(2, 0, 2.0))]
    assert [skeleton.name for skeleton, _ in ranked(costs)] == ["b", "a", "c"]
    assert ranked([]) == []


DESCRIPTOR = """name: mine
target: cuda
summary: of mine
species: "* -> *"
priority: 1
requires: {reductions: []}
templates: {host: call.host.j2, device: default.device.j2, launch: default.launch.j2}
parameters:
  width: {default: 256, range: [1, 1024]}
  block_x: {default: 32, range: [1, 1024]}
  block_y: {default: 8, range: [1, 1024]}
"""


def mine(folder: Path, more: str) -> Library:
    (folder / "cuda").mkdir(exist_ok=True)
    (folder / "cuda/mine.yaml").write_text(DESCRIPTOR + more)
    return Library.load([folder])


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ("", "mine"),
        ("cost: {efficiency: 0.5}\n", "default"),
        ("cost: {efficiency: 1}\n", "mine"),
        ("cost: {reuse: registers}\n", "mine"),
    ],
)
def test_descriptors_say_how_they_differ(more: str, taken: str, tmp_path: Path) -> None:
    text = f"{ARRAYS}void f(void) {{ {PROGRAMS['turned']} }}"
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions())
    library = mine(tmp_path, more)
    program = compile_unit(unit, facts, around_kernels(facts), "cuda", library, CompileOptions())
    assert program.choices[0].skeleton is not None and program.choices[0].skeleton.name == taken


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("cost: {reuse: magic}\n", "12:15: cost.reuse: 'magic' is not one of"),
        ("cost: {efficiency: 2}\n", "cost.efficiency: 2 is greater than the maximum of 1"),
        ("cost: {efficiency: 0}\n", "cost.efficiency: 0 is less than or equal to the minimum of 0"),
        ("cost: {speed: 1}\n", "12:8: unknown entry 'speed'; known: efficiency, reuse"),
    ],
)
def test_mistakes_in_cost_are_placed(more: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(SkeletonError) as caught:
        mine(tmp_path, more)
    assert complaint in str(caught.value)


def test_transformations_tell_what_is_kept() -> None:
    library = ROOT / "skeletons/library/cuda"
    kept = {name: read_skeleton(library / f"{name}.yaml").cost.reuse for name in ("default", "rows")}
    assert kept == {"default": "coarse", "rows": "rows"}
    assert read_skeleton(library / "neighbourhood-3d.yaml").cost.reuse == "tile"


def test_costs_are_finite_for_empty_and_odd_work() -> None:
    library = Library.load()
    nothing = Work(0, 0, True, (), (), frozenset())
    for target in ("cuda", "opencl", "openmp", "c"):
        for skeleton in library.skeletons(target):
            cost = cost_of(nothing, skeleton, library.target(target), DEFAULT)
            assert 0 <= cost.seconds < 1 and cost.bound


# --- what the user says ---


def test_overrides_are_parsed() -> None:
    assert parse_overrides(["a", "k=b", "a", "c"]) == (("a", "c"), {"k": "b"})


def test_one_kernel_gets_another_skeleton() -> None:
    body = PROGRAMS["small window"] + PROGRAMS["small window"].replace("B[i][j] =", "C[i][j] =")
    found = compiled(body, forced={"p_k1": "default"}).choices
    names = [c.skeleton.name for c in found if c.skeleton]
    assert names[0] == "default" and "neighbourhood-2d" in names[1:]
    everywhere = compiled(body, preferred=("default",)).choices
    assert {c.skeleton.name for c in everywhere if c.skeleton} == {"default"}


def test_preferred_skeletons_are_taken_where_they_fit() -> None:
    body = PROGRAMS["rows"] + "for (int i = 0; i < N; i++) y[0] += x[i];" + PROGRAMS["copy"]
    names = [c.skeleton.name for c in compiled(body, preferred=("default",)).choices if c.skeleton]
    assert "default" in names and "rows" not in names


def test_nests_give_way() -> None:
    nests = choice(PROGRAMS["product"], "openmp")
    assert nests.skeleton is not None and nests.skeleton.name == "nests"
    for options in ({"preferred": ("default",)}, {"forced": {"p_k1": "default"}}):
        loop = choice(PROGRAMS["product"], "openmp", **options)
        assert loop.kernel.name == "p_k1" and loop.skeleton is not None and loop.skeleton.name == "default"
    kept = choice(PROGRAMS["product"], "openmp", preferred=("nests",), forced={"p_n1": "nests"})
    assert kept.skeleton is not None and kept.skeleton.name == "nests"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"preferred": ("magic",)}, "no skeleton 'magic'; target cuda has"),
        ({"preferred": ("nests",)}, "no skeleton 'nests'; target cuda has"),
        ({"forced": {"p_k9": "default"}}, "no kernel 'p_k9'; there are p_k1"),
        (
            {"forced": {"p_k1": "reduction"}},
            r"p.c:4:\d+: skeleton reduction does not fit kernel p_k1: no scalar is",
        ),
        (
            {"forced": {"p_k1": "neighbourhood-2d"}},
            "does not fit kernel p_k1: the species is not of the form",
        ),
        ({"forced": {"p_k2": "default"}}, "does not fit kernel p_k2: it lies in another one"),
        ({"preferred": ("reduction",)}, "skeleton reduction fits no kernel: p_k1: no scalar is reduced"),
    ],
)
def test_what_does_not_fit_is_an_error_with_the_reason(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(SkeletonError, match=complaint):
        compiled(PROGRAMS["product"], **options)


def test_a_whole_nest_has_no_other_skeleton() -> None:
    with pytest.raises(SkeletonError, match="p_n1: it is a whole nest; name one of its loops"):
        compiled(PROGRAMS["product"], "openmp", forced={"p_n1": "default"})


# --- on the command line ---


def cuvier(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "cuvier", *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_the_numbers_are_shown(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(f"{ARRAYS}void f(void) {{ {PROGRAMS['stencil']} }}\n")
    words = ["compile", "p.c", "--target", "cuda", "-o", "out"]
    lines = cuvier(*words, "--explain", folder=tmp_path).stdout.splitlines()
    assert lines[1:3] == ["p_k1: default", f"  about {ABOUT}"]
    assert any(line.startswith("  not neighbourhood-2d: ") and "bound by memory" in line for line in lines)
    told = json.loads(cuvier(*words, "--json", folder=tmp_path).stdout)
    assert told["machine"] == {"name": DEFAULT.name, "origin": "built-in"}
    kernel = told["kernels"][0]
    assert kernel["skeleton"] == "default" and kernel["work"]["operations"] == 4 * 1998**2
    assert {c["skeleton"] for c in kernel["candidates"] if "seconds" in c} == {"neighbourhood-2d", "default"}
    refused = cuvier(*words, "--skeleton", "p_k1=scan", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "") and refused.stderr.startswith("p.c:4:")


ABOUT = "3.99 M iterations, 16 M operations, 63.9 M bytes, 0.25 operations per byte"
