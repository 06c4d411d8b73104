"""Names of kernels as others see them: the linker, and the macros of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from skeletons.select.api import CompileOptions

if TYPE_CHECKING:
    from skeletons.program.device_kernel import DeviceKernel
    from species.source import TranslationUnit


def mark_of(unit: TranslationUnit, options: CompileOptions) -> str:
    """What tells files of one name apart: their texts, and what they are compiled with."""
    told = "\0".join((unit.source.text, *options.defines))
    return sha256(told.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def hidden_parameters(unit: TranslationUnit, kernels: Iterable[DeviceKernel]) -> list[str]:
    """The parameters of kernels that are macros before the file begins, where they are declared."""
    names = set[str]()
    for kernel in kernels:
        names |= {array.name for array in kernel.arrays} | {scalar.name for scalar in kernel.scalars}
        names |= {table.name for table in kernel.tables}
    return sorted(name for name in names if unit.macros.definition(name, 0) is not None)
