"""The text of cuvier.toml for a project."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

from cuvier.base.shown import shown_line
from cuvier.project.survey import Project

HEAD = """\
# Settings of Cuvier for this folder and those below it, as `cuvier init` found them.  `cuvier report` and
# `cuvier annotate` take them where the command line says nothing else.  Paths are meant from this folder on.
"""
NO_BUILD = (
    "There is no compile_commands.json, by which each file would be read with its own flags.  CMake writes"
    " one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and `bear -- make` does beside any Makefile."
)
MORE = """\
# Some of the other keys, with the values that they have anyhow (docs/batch.md has them all):
# define = []             # macros, such as "N=1000"
# whole-program = false   # true: the files are one program, whose functions are known to each other
# style = "species"       # of annotations: "species", "comment" or "openmp"
# time-limit = 600        # seconds for a file
"""


def settings_text(project: Project) -> str:
    """A file that the reader of settings (`cuvier.batch.config`) takes, with a comment for each entry."""
    parts = [HEAD, *_files(project), *_build(project), MORE]
    return "\n".join(parts)


def _files(project: Project) -> Iterator[str]:
    below = ", ".join(f"{count} in {_named(folder)}" for folder, count in project.sources.items())
    yield _comment(f"Which files of directories are read: {below}.") + 'include = ["*.c"]\n'
    if project.excluded:
        lines = "".join(
            f"    {_pattern(folder)},{_of(count)}\n" for folder, count in project.excluded.items()
        )
        yield f"# Left out are other people's code, and what a build writes.\nexclude = [\n{lines}]\n"


def _build(project: Project) -> Iterator[str]:
    if project.build is not None:
        covered = f"has {project.built} of the {project.count} files."
        how = _comment(f"How each file is compiled: the build in '{shown_line(project.build)}' {covered}")
        yield f"{how}compile-commands = {_text(project.build)}\n"
        return
    yield _comment(NO_BUILD) + '# compile-commands = "build"\n'
    if project.include_dirs:
        lines = "".join(f"    {_text(folder)},\n" for folder in project.include_dirs)
        yield f"# Folders of the headers that the sources include.\ninclude-dirs = [\n{lines}]\n"


def _comment(text: str) -> str:
    return textwrap.fill(text, 104, initial_indent="# ", subsequent_indent="# ") + "\n"


def _named(folder: str) -> str:
    return "this folder" if folder == "." else shown_line(folder)


def _of(count: int) -> str:
    return f"  # {count} C file{'s' * (count != 1)}" if count else ""


def _pattern(folder: str) -> str:
    """A pattern of .gitignore files for this folder alone."""
    plain = re.sub(r"([\\*?[\]!# ])", r"\\\1", folder)
    return _text("/" + re.sub("[\ud800-\udfff]", "?", plain) + "/")  # bytes that are no UTF-8


def _text(value: str) -> str:
    """A basic string of TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
