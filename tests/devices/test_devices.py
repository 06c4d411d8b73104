"""Kernels that several devices share: equal results, and no byte moved that need not be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from tests.devices import PROGRAMS, Built, build, complaint
from tests.support import accelerated
from tests.support.accelerated import has_opencl

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
needs_opencl = pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
COUNTS = (1, 2, 3, 4, 8, 16)
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.c"))


@pytest.fixture(scope="module")
def hotspot(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(PROGRAMS / "hotspot.c", tmp_path_factory.mktemp("hotspot"))


@pytest.mark.parametrize("name", NAMES)
def test_equal_results(name: str, tmp_path: Path) -> None:
    """On any number of devices, whose memories are apart, also where sizes are no multiples of it."""
    built = build(PROGRAMS / f"{name}.c", tmp_path)
    assert any(why.startswith("every device") for why in built.said.values())
    for count in COUNTS:
        built.run(count)
    built.run(4, CUVIER_WEIGHTS="3,0,1,2")
    built.run(3, CUVIER_TRACKER="single")


@needs_opencl
@pytest.mark.parametrize("name", ["hotspot", "heat3d", "kmeans"])
def test_equal_results_of_opencl(name: str, tmp_path: Path) -> None:
    """On one device with several memories, and on several devices."""
    built = build(PROGRAMS / f"{name}.c", tmp_path, "opencl")
    moved = [built.run(3), built.run(3, POCL_DEVICES="pthread pthread pthread", CUVIER_DEVICES="0,1,2")]
    assert moved[0].across() == moved[1].across()


@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_a_stencil_sends_its_halos(count: int, tmp_path: Path) -> None:
    """A step more sends a row over each border, either way: 2(G-1)N cells (seed 002, section 9)."""
    few, many = (
        build(PROGRAMS / "hotspot.c", tmp_path / steps, defines=(f"STEPS={steps}",)).run(count)
        for steps in ("4", "5")
    )
    more = many.across() - few.across()
    assert sum(more.values()) == 2 * (count - 1) * 61 * 4
    assert set(many.counters["segments"].values()) == {count}  # one stretch of each array for each device
    assert set(more) == {(k, n) for k in range(count) for n in (k - 1, k + 1) if 0 <= n < count}
    assert many.of_host("in", "temp") == 0 and many.of_host("in", "power") == 0


def test_a_product_needs_all_of_one_matrix(tmp_path: Path) -> None:
    """B comes once to each device, but for the rows that it has made itself; A and C stay where they are."""
    built = build(PROGRAMS / "product.c", tmp_path)
    for count in COUNTS:
        moves = built.run(count)
        assert sum(moves.across("b").values()) == (count - 1) * 50 * 50 * 8
        assert sum(moves.across().values()) == sum(moves.across("b").values())
        assert moves.of_host("out", "c") == 50 * 50 * 8


def test_bodies_see_all_others(tmp_path: Path) -> None:
    """Each device gets the places of the bodies of all others in every step: (G-1)/G of them."""
    built = build(PROGRAMS / "nbody.c", tmp_path)
    for count in (2, 3, 4, 8, 16):
        moves = built.run(count)
        for array in "xyz":
            found = moves.across(array)
            assert set(found.values()) == {4 * 96 // count * 8} and len(found) == count * (count - 1)
        assert sum(moves.across("mass").values()) == (count - 1) * 96 * 8
        assert not moves.across("vx")


def test_one_owner_for_each_byte_costs_copies(tmp_path: Path) -> None:
    """Masses never change: the other devices get them once, and with one owner in each of the steps."""
    built = build(PROGRAMS / "nbody.c", tmp_path)
    once, again = (
        sum(built.run(4, CUVIER_TRACKER=way).across("mass").values()) for way in ("shared", "single")
    )
    assert once == 3 * 96 * 8 and again == 4 * once


def test_uneven_weights(hotspot: Built) -> None:
    """A device without weight has no cells, and its neighbours are each other's."""
    assert set(hotspot.run(4, CUVIER_WEIGHTS="2,0,0,1").across()) == {(0, 3), (3, 0)}


def test_more_than_one_memory_holds(tmp_path: Path) -> None:
    """Devices have room for what they touch only: three arrays that one cannot hold run on two of them."""
    built = build(PROGRAMS / "hotspot.c", tmp_path, defines=("N=400",))
    most = str(3 * 400 * 400 * 4 * 2 // 3)
    built.run(2, CUVIER_SHIM_MEMORY=most)
    alone = complaint(built, CUVIER_SHIM_MEMORY=most, CUVIER_DEVICES="0")
    assert "hotspot_k1: the device has no memory left for 640000 bytes of" in alone


def test_a_device_fails_in_the_middle(hotspot: Built) -> None:
    """One message says in which kernel, and the program ends."""
    said = complaint(hotspot, CUVIER_SHIM_DEVICES="3", CUVIER_SHIM_FAIL="8").splitlines()
    assert len(said) == 2 and "device 1 fails in kernel hotspot_k1_device" in said[0]
    assert said[1].startswith("cuvier: hotspot_k1: ") and "launch" in said[1]


def test_overhead(hotspot: Built) -> None:
    """What is left out moves nothing, and all kernels run; with alpha nothing is left out."""
    assert hotspot.run(3, CUVIER_OVERHEAD="alpha").across()
    for what in ("beta", "gamma"):
        settings = {"CUVIER_OVERHEAD": what, "CUVIER_SHIM_DEVICES": "3", "CUVIER_DEVICES": "0,1,2"}
        counters = hotspot.binary.parent / "none.json"
        accelerated.run(
            hotspot.binary, ASAN_OPTIONS="detect_leaks=0", CUVIER_COUNTERS=str(counters), **settings
        )
        launches = json.loads(counters.read_text())["launches"]
        assert launches == {"hotspot_k3": 3, "hotspot_k1": 18}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"CUVIER_DEVICES": "0,7"}, "there is no device number 7 for a program on 2: there is 1"),
        ({"CUVIER_DEVICES": "0,x"}, "CUVIER_DEVICES=0,x: expected at most 64 numbers"),
        ({"CUVIER_WEIGHTS": "1,2"}, "CUVIER_WEIGHTS=1,2: 2 weights for 1 devices"),
        ({"CUVIER_WEIGHTS": "0"}, "CUVIER_WEIGHTS: no device has any weight"),
        ({"CUVIER_OVERHEAD": "delta"}, "CUVIER_OVERHEAD=delta: expected alpha, beta or gamma"),
        ({"CUVIER_TRACKER": "none"}, "CUVIER_TRACKER=none: expected shared or single"),
        ({"CUVIER_WEIGHTS": "1,-2"}, "CUVIER_WEIGHTS=1,-2: expected"),
    ],
)
def test_wrong_settings(settings: dict[str, str], expected: str, hotspot: Built) -> None:
    assert expected in complaint(hotspot, **settings)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--devices", "0"], "--devices 0: expected a number from 1 to 64, or all"),
        (["--devices", "2", "--target", "openmp"], "devices share the kernels of --target opencl or cuda"),
        (["--devices", "2", "--comm", "auto"], "--devices 2 needs --comm static"),
        (["--partition", "jacobi_k1=x"], "--partition jacobi_k1=x needs --devices"),
        (["--devices", "2", "--partition", "jacobi_k3"], "expected a kernel and x, y or z"),
        (["--devices", "2", "--partition", "jacobi_k1=z"], "--partition jacobi_k1=z: it has no axis z"),
        (["--devices", "2", "--partition", "jacobi_k9=x"], "no kernel 'jacobi_k9'"),
    ],
)
def test_wrong_options(options: list[str], expected: str, tmp_path: Path) -> None:
    words = ["compile", str(PROGRAMS / "jacobi.c"), "--target", "cuda", "-o", str(tmp_path / "out"), *options]
    done = CliRunner().invoke(build_app(), words)
    assert done.exit_code and expected in f"{done.exception}"
    assert not (tmp_path / "out").exists()


def test_partitions(tmp_path: Path) -> None:
    """Columns instead of rows, where the user says so, at the price of more copies."""
    whole = build(PROGRAMS / "jacobi.c", tmp_path / "rows")
    other = build(PROGRAMS / "jacobi.c", tmp_path / "columns", partition={"jacobi_k1": "x"})
    assert whole.said["jacobi_k1"].endswith("over i") and other.said["jacobi_k1"].endswith("over j")
    rows, columns = (sum(built.run(3).across().values()) for built in (whole, other))
    assert 0 < rows < columns


NAMES_OF_OURS = """#include <stdio.h>
#include <stdlib.h>
static void f(double *own, const double *device, int launch, int part, int first) {
  for (int i = 0; i < launch; i++) own[i] = device[i] * part + first;
}
static double g(const double *value, int device) {
  double own = 0;
  for (int i = 0; i < device; i++) own += value[i];
  return own;
}
static void h(double *to, const double *own, int device) {
  for (int i = 0; i < 1000; i++) to[i] = own[i] + device;
}
int main(void) {
  double *a = malloc(1000 * sizeof *a), *b = malloc(1000 * sizeof *b);
  for (int i = 0; i < 1000; i++) b[i] = i;
  f(a, b, 1000, 2, 5);
  h(b, a, 7);
  printf("%g\\n", g(b, 1000));
  free(a); free(b);
  return 0;
}
"""


@pytest.mark.parametrize("target", ["cuda", pytest.param("opencl", marks=needs_opencl)])
def test_names_that_launches_use(target: str, tmp_path: Path) -> None:
    source = tmp_path / "names.c"
    source.write_text(NAMES_OF_OURS)
    built = build(source, tmp_path, target)
    built.run(3)
    assert sum(why.startswith("every device") for why in built.said.values()) == 3
