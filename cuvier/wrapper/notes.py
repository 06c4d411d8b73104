"""What object files say of their loops that run on threads: strings in a section that no program loads.

Linkers keep it, as they do the compiler's own in `.comment`; the summary of a link needs no other record, in
whatever archives the objects are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from cuvier.document.model import counted

_NOTE = re.compile(rb"cuvier-threads: ([^\0\n]*): (\d+) of (\d+)\0")
_RUNTIME = b"GOMP_parallel"  # what objects call that share loops


def note(file: str, run: int, loops: int) -> str:
    """C that leaves the note (GNU C, for ELF)."""
    name = re.sub(r"[^\w.+/-]", "_", file)
    said = f"cuvier-threads: {name}: {run} of {loops}"
    lines = ('.pushsection .cuvier,\\"MS\\",%progbits,1', f'.string \\"{said}\\"', ".popsection")
    code = "".join(f'    "{line}\\n"\n' for line in lines)
    return f"\n#ifdef __ELF__\n__asm__(\n{code});\n#endif\n"


def notes_in(files: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """The notes in files: of a source, its loops that run on threads, and all its loops."""
    for file in files:
        for name, run, loops in dict.fromkeys(_NOTE.findall(_bytes(file))):
            yield name.decode(), int(run), int(loops)


def needs_runtime(files: Iterable[str]) -> bool:
    """Does one of the object files, archives and shared libraries call OpenMP's run-time library?"""
    return any(_RUNTIME in _bytes(file) for file in files)


def _bytes(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


def summary(output: str, found: Iterable[tuple[str, int, int]]) -> str:
    """A line for people; empty where no loop runs on threads."""
    files = list(found)
    run, loops = sum(each[1] for each in files), sum(each[2] for each in files)
    if not run:
        return ""
    where = f"{counted(loops, 'loop')} in {counted(len(files), 'file')}"
    return f"cuvier: {output}: {run} of {where} run on threads"
