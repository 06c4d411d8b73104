"""CUDA programs for one GPU, made into programs for several: `cuvier devices`."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from skeletons.shim import build_command, translate
from tests.devices import PROGRAMS, Moves
from tests.support import accelerated

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.cu"))


@dataclass(frozen=True)
class Shared:
    """A program for several devices, what the original prints, and what was said of its kernels."""

    binary: Path
    original: Path
    said: str

    def run(self, devices: int, *arguments: str) -> Moves:
        counters = self.binary.parent / "counters.json"
        settings = {
            "CUVIER_SHIM_DEVICES": str(devices),
            "CUVIER_DEVICES": ",".join(map(str, range(devices))),
            "CUVIER_COUNTERS": str(counters),
            "ASAN_OPTIONS": "detect_leaks=0",
        }
        found = accelerated.run(self.binary, *arguments, order="random:5", **settings)
        assert found == accelerated.run(self.original, *arguments, ASAN_OPTIONS="detect_leaks=0")
        return Moves(json.loads(counters.read_text()))


def _built(source: Path, binary: Path, *flags: str) -> Path:
    """For the host shim, under sanitizers."""
    translate(source, binary.with_suffix(".cpp"))
    extra = ["-iquote", str(source.parent), "-lm", "-w", *flags]
    library = accelerated.shim_library()
    accelerated.run(
        *build_command("g++", binary.with_suffix(".cpp"), binary, extra, sanitize=True, library=library)
    )
    return binary


def _invoked(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(build_app(), ["devices", *words])
    return done.exit_code, f"{done.output}{done.exception or ''}"


def _shared(source: Path, folder: Path, *options: str) -> Shared:
    status, said = _invoked(str(source), "-o", str(folder / "out"), *options)
    assert status == 0, said
    program = folder / "out" / source.name
    return Shared(
        _built(program, folder / "shared", "-DCUVIER_POISON"), _built(source, folder / "plain"), said
    )


@pytest.mark.parametrize("name", NAMES)
def test_equal_results(name: str, tmp_path: Path) -> None:
    shared = _shared(PROGRAMS / f"{name}.cu", tmp_path)
    for count in (1, 2, 3, 4, 8, 16):
        shared.run(count)


def test_halos(tmp_path: Path) -> None:
    """Ten steps: after the first one, 2(G-1)N cells a step; each array is in one piece on each device."""
    shared = _shared(PROGRAMS / "hotspot.cu", tmp_path)
    for count in (2, 3, 4):
        moves = shared.run(count)
        assert sum(moves.across().values()) == 9 * 2 * (count - 1) * 200 * 4
        assert moves.counters["segments"] == {"next": count}


def test_matrices(tmp_path: Path) -> None:
    """The rows of A and C go to one device each, B to all of them."""
    shared = _shared(PROGRAMS / "product.cu", tmp_path)
    for count in (1, 2, 3):
        moves = shared.run(count, "96")
        assert moves.of_host("in", "A") == 96 * 96 * 4 and moves.of_host("in", "B") == count * 96 * 96 * 4


def test_what_is_said_of_kernels(tmp_path: Path) -> None:
    said = _shared(PROGRAMS / "mixed.cu", tmp_path).said
    assert "block_sums: devices share its blocks along x\n" in said
    assert "smooth: devices share its blocks along x, where its arrays do not overlap" in said
    assert "mixed.cu:55: histogram: one device runs it: it uses atomicAdd" in said
    assert "mark: devices share" in said and "scale: devices share the iterations of its loop" in said


def test_loops_over_the_grid(tmp_path: Path) -> None:
    """Their iterations are shared where no result tells which thread has made them."""
    said = dict(
        line.partition(": ")[2].split(": ", 1)
        for line in _shared(PROGRAMS / "strided.cu", tmp_path).said.splitlines()
    )
    shared = {name for name, what in said.items() if "the iterations of its loop over the grid" in what}
    assert shared == {"fill", "axpy", "blur", "rows", "reversed", "gather"}
    assert said["pick"].startswith("devices share its blocks along x")
    assert "and `LANE` besides" in said["lanes"]
    assert "and `tid` besides" in said["counted"] and "which changes `n`" in said["counted_down"]
    assert said["running"].startswith("one device runs it")


def test_models_are_written_and_read(tmp_path: Path) -> None:
    """With a kernel's axis taken out, one device runs it; a model of other kernels is refused."""
    model, source = tmp_path / "model.json", PROGRAMS / "hotspot.cu"
    assert _invoked(str(source), "-o", str(tmp_path / "out"), "--model", str(model))[0] == 0
    told = json.loads(model.read_text())
    (kernel,) = told["kernels"]
    assert kernel["axis"] == "y" and {array["name"] for array in kernel["arrays"]} == {
        "temp",
        "next",
        "power",
    }
    kernel |= {"axis": "", "refused": "by hand"}
    model.write_text(json.dumps(told))
    moves = _shared(source, tmp_path, "--use-model", str(model)).run(3)
    assert not moves.across() and moves.counters["launches"] == {"hotspot": 10}
    status, said = _invoked(str(PROGRAMS / "nbody.cu"), "-o", str(tmp_path / "x"), "--use-model", str(model))
    assert status and "do not have the same kernels: drift, forces, hotspot" in said
    model.write_text("{}")
    assert (
        "the model cannot be read"
        in _invoked(str(source), "-o", str(tmp_path / "x"), "--use-model", str(model))[1]
    )


def test_partitions(tmp_path: Path) -> None:
    """Along the axis that the user says, where blocks then write apart; else it is an error."""
    source = str(PROGRAMS / "hotspot.cu")
    assert "along y" in _invoked(source, "-o", str(tmp_path / "o"), "--partition", "hotspot=y")[1]
    for axis in "xz":
        status, said = _invoked(source, "-o", str(tmp_path / axis), "--partition", f"hotspot={axis}")
        assert status and f"--partition hotspot={axis}: the cells that ranges of its blocks write" in said
    assert "no kernel 'step'" in _invoked(source, "-o", str(tmp_path / "o"), "--partition", "step=x")[1]


KERNEL = """__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = i; }
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int main(void) { return 0; }\n", "there is no kernel"),
        (
            KERNEL + "int main(void) { float *a; cudaMallocManaged(&a, 4); }\n",
            "a.cu:2:28: error: `cudaMallocManaged` is not known",
        ),
        (KERNEL + "int main(void) { j<<<1, 2>>>(0); }\n", "`j` is launched, and is no kernel of this file"),
        (
            "template <class T> __global__ void k(T *a) { a[0] = 1; }\n",
            "a.cu:1:1: error: a template of kernels",
        ),
        (
            "struct s { float *p; };\n__global__ void k(struct s a) { a.p[0] = 1; }\n",
            "`s` has pointers in it",
        ),
        ("__global__ void k(float **a) { a[0][0] = 1; }\n", "the parameter `float **a` is not understood"),
        ("__device__ int count;\n" + KERNEL, "a.cu:1:1: error: a variable of the device"),
        ("#define RUN k<<<1, 2>>>(0, 1)\n" + KERNEL, "a.cu:1:14: error: a launch in a macro"),
        (KERNEL + KERNEL, "a.cu:2:1: error: the kernel `k` is defined more than once here"),
        ("#define CU(f) cuda##f\n" + KERNEL, "a name of CUDA's that a macro makes of `cuda`"),
        ("__global__ void k(float &a) { a = 1; }\n", "the parameter `float &a` is not understood"),
    ],
)
def test_what_is_not_taken(text: str, expected: str, tmp_path: Path) -> None:
    """File, line and construct are said, and nothing is written."""
    source = tmp_path / "a.cu"
    source.write_text(text)
    status, said = _invoked(str(source), "-o", str(tmp_path / "out"))
    assert status and expected in said
    assert not (tmp_path / "out").exists()


STYLES = """#include <cuda_runtime.h>
#include <stdio.h>
#if defined(__cplusplus) && defined(__CUDACC__)
#define SHIFT 40
#else
#define SHIFT 0
#endif
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void late(int *a, const int *b, int n);
static int calls = 0;
static int blocks() { return 4 + 0 * (calls = 10 * calls + 1); }
static int *given(int *a) { calls = 10 * calls + 2; return a; }
int main() {
  int h[400], *a, *b;
  for (int i = 0; i < 400; i++) h[i] = i * 7 % 31;
  cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
  late<<<blocks(), 64>>>(given(a), b, 200);
  late<<<0, 64>>>(a, b, 200);
  printf("%d %d\\n", calls, cudaGetLastError() != cudaSuccess);
  late<<<1, 5000>>>(a, b, 200);
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 400; i += 9) printf("%d ", h[i]);
  cudaFree(a); cudaFree(b);
}
__global__ void late(int *a, const int *b, int n) { if (ME < n) a[ME] = b[ME + SHIFT] + (int)gridDim.x; }
"""


def test_styles(tmp_path: Path) -> None:
    """A kernel that is defined last, conditions of the preprocessor, macros that number threads, the order of
    evaluation at a launch, and launches that fail.
    """
    source = tmp_path / "styles.cu"
    source.write_text(STYLES.replace("defined(__cplusplus) && defined(__CUDACC__)", "defined(__cplusplus)"))
    shared = _shared(source, tmp_path)
    assert "late: devices share its blocks along x" in shared.said
    for count in (1, 2, 4):
        shared.run(count)


def test_overhead_is_of_programs(tmp_path: Path) -> None:
    assert "has no program for several devices" in _invoked(str(tmp_path), "--overhead")[1]
    _shared(PROGRAMS / "product.cu", tmp_path)
    assert "0 executables: build it first" in _invoked(str(tmp_path / "out"), "--overhead")[1]
    shutil.move(tmp_path / "shared", tmp_path / "out" / "product")
    status, said = _invoked(str(tmp_path / "out"), "--overhead")
    assert status == 0 and "transfers" in said and "account" in said
    status, said = _invoked(str(tmp_path / "out"), "--model-gpus", "6", "--latency", "0", "--bandwidth", "1")
    rows = [line.split() for line in said.splitlines()[2:]]
    assert status == 0 and "(modelled: 1 GB/s, 0 us a copy)" in said
    assert [row[0] for row in rows] == ["1", "2", "4", "6"] and [rows[0][1], rows[0][5]] == ["0", "1.00"]
    moved = [int(row[1]) for row in rows]
    assert moved == sorted(moved) and moved[1] > 0
