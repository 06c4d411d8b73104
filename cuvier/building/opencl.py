"""Gives OpenCL C to the runtime of this machine, in a process of its own: drivers may crash or hang.

python opencl.py FILE: status 0: it takes the file; 1: it does not, and says why; 2: there is none.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

_ALL = 0xFFFFFFFF  # CL_DEVICE_TYPE_ALL
_BUILD_LOG = 0x1183
_MOST = 16


def compile_text(text: bytes) -> str | None:
    """What the runtime says of a text that it does not take; raises OSError where there is no runtime."""
    cl = ctypes.CDLL("libOpenCL.so.1")
    device, status = _device(cl), ctypes.c_int()
    cl.clCreateContext.restype = cl.clCreateProgramWithSource.restype = ctypes.c_void_p
    context = cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(status))
    lines = ctypes.c_char_p(text)
    made = cl.clCreateProgramWithSource(
        ctypes.c_void_p(context), 1, ctypes.byref(lines), None, ctypes.byref(status)
    )
    if status.value:
        raise OSError("the OpenCL runtime has no context")
    program = ctypes.c_void_p(made)
    if cl.clCompileProgram(program, 1, ctypes.byref(device), b"", 0, None, None, None, None) == 0:
        return None
    log = ctypes.create_string_buffer(1 << 16)
    cl.clGetProgramBuildInfo(program, device, _BUILD_LOG, len(log), log, None)
    return log.value.decode(errors="replace")


def _device(cl: ctypes.CDLL) -> ctypes.c_void_p:
    """The first device of the first platform that has one."""
    platforms, count, device = (ctypes.c_void_p * _MOST)(), ctypes.c_uint(), ctypes.c_void_p()
    cl.clGetPlatformIDs(_MOST, platforms, ctypes.byref(count))
    for platform in platforms[: min(count.value, _MOST)]:
        wanted = (ctypes.c_void_p(platform), ctypes.c_ulong(_ALL), 1, ctypes.byref(device), None)
        if cl.clGetDeviceIDs(*wanted) == 0:
            return device
    raise OSError("no OpenCL device")


def main() -> int:
    try:
        said = compile_text(Path(sys.argv[1]).read_bytes())
    except (OSError, AttributeError):  # no library, or an old one
        return 2
    print(said or "", end="", file=sys.stderr)
    return 0 if said is None else 1


if __name__ == "__main__":
    sys.exit(main())
