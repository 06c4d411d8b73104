"""Regions of arrays on a device that grow from launch to launch are not moved to a new buffer every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated

SIZE = 90
WRAPPED = """#include <CL/cl.h>
#include <stdio.h>
static int buffers;
cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    buffers++;
    return __real_clCreateBuffer(context, flags, size, host, error);
}
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "%d buffers\\n", buffers); }
"""
# In every step one kernel writes what lies in a row before the cell that another one writes, just behind it.
BEHIND = f"""#include <stdio.h>
static double y[{SIZE}][{SIZE}];
int main(void)
{{
    for (int i = 0; i < {SIZE}; i++) y[0][i] = i;
    for (int k = 1; k < {SIZE}; k++) {{
        for (int i = 0; i < k; i++) y[k][i] = y[k - 1][i] * 0.5 + y[k - 1][k - 1 - i];
        y[k][k] = k * 0.25;
    }}
    printf("%a %a\\n", y[{SIZE - 1}][3], y[7][7]);
    return 0;
}}
"""


def test_cells_behind_a_region(tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source, counting = tmp_path / "app.c", tmp_path / "count.c"
    source.write_text(BEHIND), counting.write_text(WRAPPED)
    program = accelerated.resident(source, "opencl", tmp_path / "out")
    assert program.skeletons.count("default") >= 3  # the single cell is a kernel of one thread
    flags = " ".join(accelerated.FLAGS)
    libraries = f"{counting} -DCL_TARGET_OPENCL_VERSION=120 -Wl,--wrap=clCreateBuffer -lm -lOpenCL"
    accelerated.run("make", "-C", program.folder, f"CFLAGS={flags}", f"LDLIBS={libraries}")
    settings = {"CUVIER_OPENCL_COPY": "1", "CUVIER_LAUNCH_ALL": "1"}
    printed = accelerated.run(program.folder / "app", **settings)
    assert printed == accelerated.run(accelerated.build_plain(source, tmp_path))
    told = accelerated.run("sh", "-c", f"{program.folder}/app 2>&1 >/dev/null", **settings)
    assert int(told.split()[0]) < SIZE / 3
