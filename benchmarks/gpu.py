"""Build, check and time all kernels of the corpus on an accelerator, in one call, into one table.

    python benchmarks/gpu.py                                  (CUDA, sizes that keep a GPU busy)
    python benchmarks/gpu.py --device opencl --programs gemm,saxpy
    python benchmarks/gpu.py --device host-shim --sizes own --programs saxpy    (no GPU: all but the speed)
    python benchmarks/gpu.py --folder built --build-only --arch sm_90       (no GPU: to be run elsewhere)

`cuvier verify` checks every program at its own small sizes first.  Then it is compiled three times, in double
and in single precision: as Cuvier chooses, with `--skeleton default`, and matrix products with `--with
library` (cuBLAS).  The programs write how long their kernels ran (CUVIER_TIMES, from events on the device); a
time is the sum of a kernel's launches in one run, the median of the runs but the first.  What a program
prints is compared with what the original does.  The limit of a kernel is its species' bytes at the bandwidth
of the device, or its operations at the peak, as `cuvier machine` measures both in the same call.

CUBLAS_FLAGS and CUBLAS_LIBS name a cuBLAS that nvcc does not find by itself, or a stand-in for the host shim.
Building uses all cores; where that ends in time, nothing else runs while kernels are timed.  The page is
written anew after each program, and no new one is begun when the time is up.

With --folder, what is built is kept there, and what is there is not built again.  The folder can be built on
a machine that has no GPU, and be moved to one that has: copy at least `*/*/*/*.json` and the executables,
`*/*/*/out/PROGRAM`.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from contest.contenders import BuildError, Workshop
from contest.devices import DEVICES, SHIM, Builder
from contest.gpu_run import PRECISIONS, Session
from contest.gpu_table import page
from contest.programs import Program, load
from contest.shares import Result

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # this tree's packages, whatever is installed

from models.machine import DEFAULT, Machine, read_machine  # noqa: E402

SIZES: dict[str, tuple[str, ...]] = {"gpu": ("gpu", "sizes"), "large": ("sizes",), "own": ()}
RESULTS = Path(__file__).parent / "results"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=sorted(DEVICES), default="cuda")
    parser.add_argument("--programs", help="the programs to run, with commas [default: all]")
    parser.add_argument("--precision", choices=("double", "single"), help="only this one")
    parser.add_argument(
        "--sizes",
        choices=SIZES,
        default="gpu",
        help="of the arrays: gpu keeps a GPU busy, large is what benchmarks/kernels.py has, own is small, to "
        "try it out [default: gpu]",
    )
    parser.add_argument("--runs", type=int, default=3, help="runs after the first [default: 3]")
    parser.add_argument(
        "--seconds", type=float, default=1.5, help="begin no new run of a program after this [default: 1.5]"
    )
    parser.add_argument(
        "--limit", type=float, default=520.0, help="begin no new program after this many seconds [520]"
    )
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--flags", default="-O3 -march=native", help="of the C compiler [%(default)s]")
    parser.add_argument("--nvcc-flags", default="-O3", help="of nvcc [%(default)s]")
    parser.add_argument("--machine", help="what `cuvier machine` wrote, or built-in [default: written anew]")
    parser.add_argument("--folder", type=Path, help="where programs are built and kept [default: nowhere]")
    parser.add_argument("--build-only", action="store_true", help="run nothing on the device")
    parser.add_argument("--no-verify", action="store_true", help="leave out `cuvier verify` at small sizes")
    parser.add_argument("--arch", help="of the GPU, sm_90 for one [default: the GPU of this machine]")
    parser.add_argument(
        "-o", "--output", type=Path, help="the page [default: benchmarks/results/gpu-DATE.md]"
    )
    return parser.parse_args()


def chosen(names: str | None, at: tuple[str, ...]) -> list[Program]:
    programs = {program.name: program for program in load(at=at)}
    wanted = [name.strip() for name in names.split(",")] if names else list(programs)
    unknown = sorted(set(wanted) - set(programs))
    if unknown:
        sys.exit(f"no such program: {', '.join(unknown)}; there are {', '.join(programs)}")
    return [programs[name] for name in wanted]


def described(shop: Workshop, named: str | None, scratch: Path) -> tuple[Workshop, Machine]:
    """The description of the machine, which is written anew where none is named."""
    if named == "built-in":
        return shop, DEFAULT
    file = Path(named) if named else scratch / "machine.yaml"
    if not named:
        try:
            shop.run(sys.executable, "-m", "cuvier", "machine", "-o", file)
        except BuildError as error:
            tell(f"cuvier machine: {error}; the built-in description it is")
            return shop, DEFAULT
    return replace(shop, machine=file.resolve()), read_machine(file)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def built_only(session: Session, programs: list[Program]) -> None:
    """Build, and tell what failed."""
    for job in session.build(programs):
        for key, future in job.builds.items():
            if future.exception():
                tell(f"{job.program.name}, {job.result.precision}, {key}: {future.exception()}")


def timed(session: Session, programs: list[Program], machine: Machine, options: argparse.Namespace) -> None:
    """Run everything, and write and print the page."""
    builder, today = session.builder, datetime.date.today().isoformat()
    output = options.output or RESULTS / f"gpu-{today}.md"
    device = machine.device(builder.target)
    name = builder.name() if options.device != "opencl" else device.name
    title = f"Kernels on {name}, {today}"
    sizes = f"sizes: {options.sizes} (benchmarks/sizes.yaml)"
    notes = [f"{options.device}, {sizes}, medians of {options.runs} runs, nvcc {options.nvcc_flags}"]
    notes += ["the times are those of a CPU: nothing here says how fast a GPU is"] * (options.device == SHIM)

    def save(results: list[Result]) -> None:
        output.write_text(page(results, device, title, notes), encoding="utf-8")

    print(page(session.results(programs, save), device, title, notes))


def main() -> None:
    options = parsed()
    programs = chosen(options.programs, SIZES[options.sizes])
    with tempfile.TemporaryDirectory(prefix="cuvier-gpu-", ignore_cleanup_errors=True) as scratch:
        folder = options.folder.resolve() if options.folder else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        shop = Workshop(options.threads, tuple(options.flags.split()))
        named = options.machine or ("built-in" if options.build_only else None)
        shop, machine = described(shop, named, folder)
        builder = Builder(shop, options.device, options.nvcc_flags, options.arch)
        verify = not (options.no_verify or options.build_only)
        limits = (options.runs, options.seconds, options.limit, verify)
        wanted = (options.precision,) if options.precision else PRECISIONS
        session = Session(builder, folder, *limits, tell, wanted)
        if options.build_only:
            built_only(session, programs)
        else:
            timed(session, programs, machine, options)


if __name__ == "__main__":
    main()
