"""Verification of programs whose generated code a test has made wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.verification import verify as module
from cuvier.verification.programs import Programs, make_programs
from cuvier.verification.result import VerificationResult
from cuvier.verification.verify import VerifyOptions, verify
from species.source import PreprocessOptions

Change = tuple[str, str]
SHIM = "host-shim"


def checked(folder: Path, text: str, target: str, **more: object) -> VerificationResult:
    """What becomes of a program; skips where the target has no device."""
    source = folder / "app.c"
    source.write_text(text)
    device = SHIM if target == "cuda" else None
    options = VerifyOptions(PreprocessOptions(), device=device, **more)  # type: ignore[arg-type]
    try:
        return verify(source, target, options)
    except UserError as error:
        if "no OpenCL" in str(error) or "no C++ compiler" in str(error):
            pytest.skip(str(error))
        raise


def spoil(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """From now on, generated programs have `new` for the first `old` in kernels, or else on the host."""
    make: Callable[..., Programs] = make_programs

    def made(*arguments: object) -> Programs:
        programs = make(*arguments)
        return replace(
            programs,
            generated=_changed(programs.generated, old, new),
            unwatched=_changed(programs.unwatched, old, new) if programs.unwatched else {},
        )

    monkeypatch.setattr(module, "make_programs", made)


def _changed(texts: object, old: str, new: str) -> dict[str, str]:
    files = dict(texts)  # type: ignore[call-overload]
    kernels = [name for name in files if name.endswith((".cl", ".cu")) and old in files[name]]
    place = next((name for name in [*kernels, *files] if old in files[name]), None)
    assert place is not None, "\n".join(files.values())
    return {**files, place: files[place].replace(old, new, 1)}
