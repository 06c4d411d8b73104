"""Memory that host and device share is asked for once, however few cells the host touches at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated
from tests.support.machines import with_device

SOURCE = """#include <stdio.h>
double a[5000], b[5000];
int main(void)
{
    for (int i = 0; i < 5000; i++)
        a[i] = 0.5 * i;
    double last = 0;
    for (int i = 1; i < 5000; i++) {
        last = 0.5 * last + a[i] * a[i / 2];
        a[i / 3] = last > 9 ? 1 : last;
    }
    for (int i = 0; i < 5000; i++)
        b[i] = a[i] + last;
    printf("%g %g %g\\n", b[0], b[77], b[4999]);
    return 0;
}
"""
COUNTED = """#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static int maps;
static void tell(void) { fprintf(stderr, "%d maps\\n", maps); }
void *__real_clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                                const cl_event *, cl_event *, cl_int *);
void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, cl_map_flags flags,
                                size_t at, size_t bytes, cl_uint count, const cl_event *events,
                                cl_event *event, cl_int *status)
{
    if (maps++ == 0)
        atexit(tell);
    return __real_clEnqueueMapBuffer(queue, memory, blocks, flags, at, bytes, count, events, event, status);
}
"""
MACHINE = with_device(launch=1e-9, latency=1e-9)


@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
def test_is_mapped_once(tmp_path: Path) -> None:
    source, counted = tmp_path / "app.c", tmp_path / "counted.c"
    source.write_text(SOURCE)
    counted.write_text(COUNTED)
    options = CompileOptions(machine=MACHINE)
    made = accelerated.resident(source, "opencl", tmp_path / "out", options)
    expected = accelerated.run(accelerated.build_plain(source, tmp_path))
    libraries = f"LDLIBS={counted} -Wl,--wrap=clEnqueueMapBuffer -lm -lOpenCL"
    accelerated.run("make", "-C", made.folder, "CFLAGS=-O1 -DCL_TARGET_OPENCL_VERSION=120", libraries)
    complaints = tmp_path / "complaints"
    shell = f"{made.folder / made.name} 2> {complaints}"
    assert accelerated.run("sh", "-c", shell, CUVIER_LAUNCH_ALL="1") == expected
    assert complaints.read_text() in ("", "1 maps\n", "2 maps\n")  # not at all where memory is not shared
