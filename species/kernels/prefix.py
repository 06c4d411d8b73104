"""What begins the names that generated code gets."""

from __future__ import annotations

import re
from pathlib import Path

from species.source import TranslationUnit, tokenize

_RUNTIME = "cuvier"  # has names of its own


def name_prefix(unit: TranslationUnit) -> str:
    """The stem of the file's name, with letters, digits and underscores only; more where names of kernels, or
    of functions that ask for data, would be the file's own.
    """
    stem = "".join(c if c.isalnum() else "_" for c in Path(unit.source.path).stem)
    while stem == _RUNTIME or _is_taken(stem, unit):
        stem += "_"
    return stem


def _is_taken(stem: str, unit: TranslationUnit) -> bool:
    ascii_ = "".join(c if c.isascii() else "_" for c in stem)
    name = re.compile(rf"(?<!\w)_?{ascii_}_(?:[ks]\d|host_)")
    texts = [source.text for source in unit.sources.values() if name.search(source.text)]
    words = (t.text for text in texts for t in tokenize(text) if t.kind in ("identifier", "directive"))
    return any(map(name.search, (*words, *unit.macros.names)))
