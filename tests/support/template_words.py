"""The words of C in templates: what generated code says itself, whatever the user's program is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path

from jinja2 import Environment

from tests.support.places import ROOT

LIBRARY = ROOT / "skeletons" / "library"
RUNTIME = ROOT / "runtime"
HEADERS = (
    "cuvier_runtime.h",
    "cuvier_data.h",
    "cuvier_collect.h",
    "cuvier_devices.h",
    "cuvier_multi.h",
    "cuvier_tables.h",
    "tables.h.j2",
    "cuvier_balance.h",
    "cuvier_energy.h",
    "cuvier_split.h",
    "cuvier_versions.h",
    "cuvier_decisions.h",
    "cuvier_units.h.j2",
    "cuvier_blas.h",
    "cuvier_tensor.h",
)  # come before anything of the user's
HOST_ONLY = frozenset(
    (
        *("Makefile.j2", "flags.mk.j2", "units.mk.j2", "places.j2", "kernels.h.j2", "call.host.j2"),
        "multi_launch.j2",  # in a CUDA file of the user's
        *HEADERS,
    )
)
FIXED = frozenset(
    (
        "atomics.j2",
        "order_functions.j2",
        "prelude.j2",
        "transpose.j2",
        "asked.j2",
        "row.j2",
        "kernels.cl.j2",
        "kernels.cu.j2",
    )
)
"""Functions of their own, with nothing of the user's in them but types."""

_NOTE = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_DIRECTIVE = re.compile(
    r"#[ \t]*(?:include|pragma|error|undef|ifndef|ifdef|if|else|endif"
    r"|define (?:CUVIER_ANY_ORDER|CUVIER_DEVICES|CUVIER_VECTORS|CUVIER_DEFAULT_POLICY|_Bool))\b[^\n]*"
)
_WORD = re.compile(r"(?<![\w])[A-Za-z_]\w*")
_NO_MEMBER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_IS_C = re.compile(r"\w\(|\w\.\w|^__|^[a-z]+[0-9]*_t$")
_IS_JINJA = re.compile(r"\.j2$|^kernel\.")
_HOLE = "\x01"  # where Jinja puts a text in
_DECLARED = re.compile(
    r"^(?:static [^;{(=]*?(\w+)[ \t]*[;(\[=]|typedef [^;{]*?(\w+);|\} *(\w+);|#define (\w+)[ (])",
    re.MULTILINE,
)


def words_of_template(text: str, members: bool) -> frozenset[str]:
    """The words of C in a template; parts of names, beside what Jinja puts in, left out."""
    data, literals = [], []
    for _, kind, value in Environment(trim_blocks=True).lex(text):
        if kind == "data":
            data.append(value)
        elif kind == "string" and _IS_C.search(value[1:-1]) and not _IS_JINJA.search(value[1:-1]):
            literals.append(re.sub(r"%[a-z]|#define|##", " ", value[1:-1]))
        elif kind == "variable_begin":
            data.append(_HOLE)
    plain = re.sub(rf"\w*{_HOLE}[\w{_HOLE}]*", " ", _QUOTED.sub(" ", _NOTE.sub(" ", "".join(data))))
    word = _WORD if members else _NO_MEMBER
    return frozenset(word.findall(" ".join([_DIRECTIVE.sub(" ", plain), *literals])))


def words_of_templates(target: str, members: bool, but: Set[str]) -> dict[str, frozenset[str]]:
    """The words of a target's templates and of the common ones, by the file's name; some files left out.

    `members`: with those that stand behind dots.
    """
    files = (file for file in _files(target) if file.name not in but)
    return {file.name: words_of_template(file.read_text(), members) for file in files}


def header_names(target: str) -> frozenset[str]:
    """What the headers of generated programs declare."""
    texts = (file.read_text() for file in _files(target) if file.name in HEADERS)
    found = (names for text in texts for names in _DECLARED.findall(_NOTE.sub(" ", text)))
    return frozenset(name for names in found for name in names if name)


def _files(target: str) -> Iterator[Path]:
    for folder in (target, "common"):
        yield from sorted((LIBRARY / folder).glob("*.j2"))
    for folder in (RUNTIME / target, RUNTIME):
        yield from sorted(folder.glob("cuvier_*.h"))
