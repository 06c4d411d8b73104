"""The program for several devices: the user's file with clones of its kernels, functions that launch them in
its launches' places, and other functions in the place of CUDA's (M6, M7, M11).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cuvier.multi_gpu.model import KernelModel
from cuvier.multi_gpu.source import CudaKernel, CudaSource, Launch
from cuvier.multi_gpu.strided import StridedLoop, strided_loop
from skeletons.catalogue.library import Library
from skeletons.catalogue.rendering import render
from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits

HEADERS = ("cuvier_multi.h", "cuvier_runtime.h", "cuvier_data.h", "cuvier_collect.h", "cuvier_devices.h")


def rewritten(source: CudaSource, models: Sequence[KernelModel], devices: int | None) -> dict[str, str]:
    """The files of the program, by name; SkeletonError with its place for what is not understood."""
    source.check_variables()
    library = Library.load()
    folder = library.target("cuda").folder
    stem = Path(source.path).stem
    by_name = {model.name: model for model in models}
    edits = [Edit(Span(token.start, token.end), f"cuvier_{token.text}") for token in source.calls]
    edits += [edit for launch in source.launches for edit in _launch(launch)]
    kernels = source.kernels
    places = {n: end for n, end in reversed(source.declared) if n in kernels and end < kernels[n].start}
    for name, end in places.items():
        edits.append(Edit(Span(end, end), f"\n{_launcher(source.kernels[name])}\n"))
    for kernel in source.kernels.values():
        context = _context(source, kernel, by_name[kernel.name], is_new=kernel.name not in places)
        text = render("multi_launch.j2", folder, "cuda", **context)
        edits.append(Edit(Span(kernel.body[1], kernel.body[1]), text.rstrip("\n") + "\n"))
    head = f'#define CUVIER_DEVICES {devices or 0}\n#include "cuvier_multi.h"\n'
    program = head + apply_edits(source.text, sorted(edits, key=lambda edit: edit.span.start))
    headers = {name: render(name, folder, "cuda") for name in HEADERS}
    return {f"{stem}.cu": program, **headers, "Makefile": _makefile(stem, source)}


def _launcher(kernel: CudaKernel) -> str:
    """What launches a kernel; `<<<...>>>` is evaluated before the arguments."""
    name, given = f"cuvier_launch_{kernel.name}", ", ".join(p.declaration for p in kernel.parameters)
    return (
        f"struct {name} {{\n    dim3 cuvier_grid, cuvier_block;\n    size_t cuvier_shared;\n\n"
        f"    {name}(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = 0)\n"
        "        : cuvier_grid(grid), cuvier_block(block), cuvier_shared(shared) {}\n"
        f"    void operator()({given}) const;\n}};"
    )


def _launch(launch: Launch) -> Iterator[Edit]:
    """`k<<<g, b>>>(x)` as a call of what launches it."""
    yield Edit(Span(launch.name.start, launch.name.end), f"cuvier_launch_{launch.kernel}")
    yield Edit(Span(launch.left.start, launch.left.start + 3), "(")
    yield Edit(Span(launch.right.end - 3, launch.right.end), ")")


def _context(
    source: CudaSource, kernel: CudaKernel, model: KernelModel, *, is_new: bool
) -> dict[str, object]:
    pointers = [p for p in kernel.parameters if p.is_pointer]
    offsets = {p.name: f"cuvier_at_{p.name}" for p in pointers}
    sizes = [f"(int)cuvier_block.{axis} == ({size})" for axis, size in sorted(model.block.items())]
    passed = [
        f"({_type(p.declaration, p.name)})cuvier_multi_cells(cuvier_cells_{p.name})"
        if p.is_pointer
        else p.name
        for p in kernel.parameters
    ]
    passed += ["cuvier_first", "cuvier_grid", *(["cuvier_from", "cuvier_to"] if model.trips else [])]
    passed += [f"(long)(cuvier_cells_{p.name}.begin - (const char *){p.name})" for p in pointers]
    return {
        "name": kernel.name,
        "model": model,
        "pointers": pointers,
        "launcher": _launcher(kernel) if is_new else "",
        "declarations": [p.declaration for p in kernel.parameters],
        "asked": [*sizes, *(f"({condition})" for condition in model.conditions)],
        "loops": [] if model.trips else list(model.units.items()),
        "by_threads": model.units.get(model.axis) == "threads",
        "passed": passed,
        "nothing": [
            f"({_type(p.declaration, p.name)})NULL" if p.is_pointer else p.name for p in kernel.parameters
        ]
        + ["dim3(0, 0, 0)", "cuvier_grid", *(["0", "-1"] if model.trips else []), *("0L" for _ in pointers)],
        "clone": _clone(source, kernel, offsets, strided_loop(source, kernel) if model.trips else None),
    }


def _type(declaration: str, name: str) -> str:
    return declaration.replace("__restrict__", "").replace("__restrict", "").rpartition(name)[0].strip()


def _clone(source: CudaSource, kernel: CudaKernel, offsets: dict[str, str], loop: StridedLoop | None) -> str:
    """The kernel over some of its blocks, counted as if it ran all, or over iterations of its loop."""
    head = source.text[kernel.start : kernel.body[0]]
    before = head[: head.index("__global__")]
    bounds = head[head.index("__global__") + len("__global__") :].partition(kernel.name)[0]
    given = [
        p.declaration.rpartition(p.name)[0] + offsets[p.name] if p.is_pointer else p.text
        for p in kernel.parameters
    ]
    given += ["dim3 cuvier_first", "dim3 cuvier_grid"]
    given += ["long cuvier_from", "long cuvier_to"] if loop else []
    given += [f"long {name}_bytes" for name in offsets.values()]
    numbers = ", ".join(f"blockIdx.{axis} + cuvier_first.{axis}" for axis in "xyz")
    lines = [f"const dim3 cuvier_block({numbers});", "(void)cuvier_block, (void)cuvier_grid;"]
    for p in kernel.parameters:
        if p.is_pointer:
            at = offsets[p.name]
            lines.append(f"{p.declaration} = ({_type(p.declaration, p.name)})((uintptr_t){at} - {at}_bytes);")
    body = apply_edits(source.text[: kernel.body[1]], _stretch(loop) if loop else [])[kernel.body[0] + 1 :]
    is_c = 'extern "C"' in before
    linkage = "" if "static" in before.split() else "static "
    before = before.replace('extern "C"', "") if is_c else before
    names = {"blockIdx": "cuvier_block", "gridDim": "cuvier_grid"}  # also where macros have them
    saved = "".join(
        f'#pragma push_macro("{name}")\n#undef {name}\n#define {name} {new}\n' for name, new in names.items()
    )
    back = "".join(f'\n#pragma pop_macro("{name}")' for name in names)
    prologue = "".join(f"\n    {line}" for line in lines)
    head = f"{linkage}{before}__global__{bounds}cuvier_part_{kernel.name}({', '.join(given)})"
    return f"{head}\n{{{prologue}\n{saved}{body}{back}"


def _stretch(loop: StridedLoop) -> list[Edit]:
    """The loop over its iterations from `cuvier_from` to `cuvier_to`."""
    start, end = loop.start
    return [
        Edit(Span(start, start), "cuvier_from + ("),
        Edit(Span(end, end), ")"),
        Edit(Span(*loop.condition), f"{loop.variable} <= cuvier_to"),
    ]


def _makefile(stem: str, source: CudaSource) -> str:
    return (
        f"# Builds {stem} for several GPUs.  NVCC, ARCH and NVCCFLAGS can be overridden: make ARCH=sm_90\n"
        "NVCC = nvcc\nNVCCFLAGS = -O3\nARCH = native\n"
        f"SOURCE_FLAGS = -I {Path(source.path).resolve().parent}\n\n"
        f"{stem}: {stem}.cu {' '.join(HEADERS)}\n"
        f"\t$(NVCC) $(NVCCFLAGS) -arch=$(ARCH) $(SOURCE_FLAGS) -o $@ {stem}.cu\n\n"
        f"clean:\n\trm -f {stem}\n\n.PHONY: clean\n"
    )
