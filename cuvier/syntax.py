"""The C compiler's opinion of OpenMP pragmas before they reach a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cuvier.errors import UserError
from species.source import PreprocessOptions, find_compiler


def check_openmp(path: Path, annotated: str, plain: str, options: PreprocessOptions) -> None:
    """Raise `UserError` if the compiler refuses `annotated`, the text for `path`; `plain` has no pragmas."""
    complaint = None if annotated == plain else _complaint(path, annotated, options)
    if complaint is None:
        return
    if _complaint(path, plain, options) is not None:
        raise UserError(f"the file does not compile even without pragmas and is left as it is: {complaint}")
    raise UserError(f"the compiler refuses the OpenMP pragmas, the file is left as it is: {complaint}")


def _complaint(path: Path, text: str, options: PreprocessOptions) -> str | None:
    """The compiler's first error, or None; the text goes through stdin, under the file's own name."""
    name = str(path).replace("\\", "\\\\").replace('"', '\\"')
    source = f'# 1 "{name}"\n{text}'.encode("utf-8", "surrogateescape")
    english = {**os.environ, "LC_ALL": "C"}
    result = subprocess.run(_command(path, options), input=source, capture_output=True, env=english)
    if result.returncode == 0:
        return None
    lines = result.stderr.decode("utf-8", "replace").splitlines() or ["no message"]
    return next((line for line in lines if "error" in line), lines[0])


def _command(path: Path, options: PreprocessOptions) -> list[str]:
    command = find_compiler(options) or ["cc"]
    flags = [f"-I{each}" for each in options.include_dirs] + [f"-D{each}" for each in options.defines]
    standard = [f"-std={options.std}"] if options.std else []
    return [
        *command, *standard, *flags, "-iquote", str(path.parent),
        "-fopenmp", "-fsyntax-only", "-x", "c", "-",
    ]  # fmt: skip
