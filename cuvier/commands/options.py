"""Arguments and options that several commands share, and what they mean to the front end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from species.source import PreprocessOptions

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="C files, or directories with C files below them.")
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A C file.")]
Include = Annotated[
    list[str] | None, typer.Option("-I", metavar="DIR", help="Search DIR for #include; repeatable.")
]
Define = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro; repeatable.")
]
Compiler = Annotated[
    str | None, typer.Option("--cc", metavar="COMMAND", help="The C compiler [default: $CC, or cc].")
]
Standard = Annotated[str | None, typer.Option("--std", metavar="STD", help="The C standard, as in -std=STD.")]
SkeletonFolders = Annotated[
    list[Path] | None,
    typer.Option("--skeletons", metavar="DIR", help="Add the skeletons in DIR, <target>/*.yaml; repeatable."),
]
TargetName = Annotated[
    str, typer.Option("--target", metavar="TARGET", help="openmp, opencl, cuda, c, or one of your own.")
]


def c_options(
    include: list[str] | None, define: list[str] | None, cc: str | None, std: str | None
) -> PreprocessOptions:
    """The front end's options for these flags."""
    from species.source import PreprocessOptions

    return PreprocessOptions(tuple(include or ()), tuple(define or ()), cc, std)
