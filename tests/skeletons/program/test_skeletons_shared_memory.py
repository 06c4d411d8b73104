"""OpenCL devices that share the host's memory use arrays where they are; the others copy them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "shared_memory.c"
SIZES = (0, 1, 4, 5, 40, 64)
SPY = """#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

typedef cl_int (*writer)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                         const cl_event *, cl_event *);

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t at, size_t size,
                            const void *from, cl_uint count, const cl_event *events, cl_event *event)
{
    const writer write = (writer)dlsym(RTLD_NEXT, "clEnqueueWriteBuffer");
    printf("copy\\n");
    return write(queue, buffer, wait, at, size, from, count, events, event);
}
"""


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    return accelerated.build_opencl(accelerated.written(SOURCE, "opencl", tmp_path_factory.mktemp("out")))


@pytest.mark.parametrize("copies", ["0", "1"])
def test_same_values(copies: str, binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = accelerated.build_plain(SOURCE, tmp_path)
    monkeypatch.setenv("CUVIER_OPENCL_COPY", copies)
    for size in SIZES:
        assert accelerated.run(binary, str(size)) == accelerated.run(plain, str(size))


def test_what_is_copied(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spy.c").write_text(SPY)
    accelerated.run("gcc", "-shared", "-fPIC", tmp_path / "spy.c", "-o", tmp_path / "spy.so", "-ldl")
    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "spy.so"))
    # on PoCL: nothing, not even the array that has two names in a launch
    assert accelerated.run(binary, "40").count("copy\n") == 0
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    assert accelerated.run(binary, "40").count("copy\n") == 8
