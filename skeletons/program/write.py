"""Programs on disk: complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from models.errors import SkeletonError
from skeletons.select.api import Program


def write_program(program: Program, directory: Path | str, source: Path | str | None = None) -> None:
    """Write all files into `directory`, which is made if need be; other files in it stay.

    They are written beside it first and moved one by one, so that no file is ever half there.
    Raises SkeletonError where the file system refuses, or `source` or somebody's Makefile is in the way.
    """
    target = Path(directory)
    _check_overwriting(program, target, source)
    staging: Path | None = None
    try:
        target.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name or 'program'}-", dir=target.resolve().parent))
        _write_into(program, staging)
        for name in program.files:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / name, target / name)
    except OSError as error:
        raise SkeletonError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def _check_overwriting(program: Program, target: Path, source: Path | str | None) -> None:
    for name in program.files:
        file = target / name
        if not f"{os.path.realpath(file.parent)}/".startswith(os.path.join(os.path.realpath(target), "")):
            raise SkeletonError(f"{file}: a link leads out of the folder; name another one for the program")
        if source is not None and file.exists() and os.path.exists(source) and file.samefile(source):
            raise SkeletonError(f"{file}: is the source itself; name another folder for the program")
        if file.name == "Makefile" and file.is_file() and not _is_ours(file):
            raise SkeletonError(f"{file}: is not one that Cuvier wrote; name another folder for the program")


def _is_ours(makefile: Path) -> bool:
    try:
        return makefile.read_bytes().startswith(b"# Builds ")
    except OSError:
        return False


def _write_into(program: Program, folder: Path) -> None:
    for name, text in program.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
