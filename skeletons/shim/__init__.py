"""The CUDA host shim: runs CUDA programs on the CPU, compiled with g++, with no GPU (docs/host-shim.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skeletons.shim.rewrite import rewrite, rewrite_launches

__all__ = [
    "build_command",
    "library_command",
    "rewrite",
    "rewrite_launches",
    "shim_include_dir",
    "translate",
]

_SANITIZE = ("-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def shim_include_dir() -> Path:
    """The folder with the shim's ``cuda_runtime.h``."""
    return Path(__file__).resolve().parent


def translate(source: Path, output: Path) -> None:
    """Writes the CUDA file `source` as C++ to `output`; messages of compiler and shim name its lines.

    Raises OSError where a file cannot be read or written. Bytes that are no UTF-8 are kept.
    """
    text = source.read_bytes().decode("utf-8", "surrogateescape")
    name = str(source).replace("\\", "\\\\").replace('"', '\\"')
    result = f'#line 1 "{name}"\n{rewrite(text)}'
    output.write_bytes(result.encode("utf-8", "surrogateescape"))


def build_command(
    cxx: str,
    source: Path,
    output: Path,
    extra_flags: Sequence[str] = (),
    sanitize: bool = False,
    library: Path | None = None,
) -> list[str]:
    """The command that compiles and links `source`, which `translate` wrote, to the program `output`.

    `sanitize` adds AddressSanitizer and UndefinedBehaviorSanitizer; their first finding ends the program.
    `library` is what `library_command` has made with the same `sanitize`: where many programs are built, each
    takes a quarter of the time.
    """
    return [
        cxx,
        *_flags(sanitize, library is not None),
        *("-x", "c++", "-include", "cuda_runtime.h"),
        str(source),
        *("-x", "none"),
        *extra_flags,
        *([] if library is None else [str(library)]),
        *("-o", str(output)),
        "-lm",
    ]


def library_command(
    cxx: str, output: Path, extra_flags: Sequence[str] = (), sanitize: bool = False
) -> list[str]:
    """The command that compiles the shim's definitions to the object `output`, for `build_command`."""
    source = shim_include_dir() / "shim.cpp"
    return [cxx, *_flags(sanitize, library=True), *extra_flags, "-c", str(source), "-o", str(output)]


def _flags(sanitize: bool, library: bool) -> list[str]:
    """Those in which a program and its library agree."""
    mode = ["-DCUVIER_SHIM_LIBRARY"] if library else []
    return ["-std=c++17", f"-I{shim_include_dir()}", *mode, *(_SANITIZE if sanitize else ())]
