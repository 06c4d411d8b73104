"""What pragmas and attributes say of variables and of C's rules, for which the parser has no place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from species.source.preprocess.output import Pragma
from species.source.text.tokens import tokenize

_WEAK = re.compile(r"weak\s+(\w+)\s*(?:=\s*(\w+))?")
_RENAMED = re.compile(r"redefine_extname\s+(\w+)\s+(\w+)")
_RESTORED = re.compile(r"\bpop_macro\s*\(\s*\\?\"(\w+)")
_OPTIONS = re.compile(r"(?:GCC|clang)\s+optimize\b(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b(?:__)?optimize(?:__)?\s*\(((?:[^()\"]|\"[^\"\n]*\")*)\)")
_WEAK_ATTRIBUTE = re.compile(r"\b(?:weak|__weak__)\b")
_MAY_ALIAS = re.compile(r"__attribute[^;{}]*\b(?:__)?may_alias(?:__)?\b")
_VECTORS = re.compile(r"\b(?:__)?(?:vector_size|ext_vector_type)(?:__)?\b")
_WRAPS = re.compile(r"wrapv|trapv")


@dataclass(frozen=True)
class FileOptions:
    """`mixes_types`: cells of one type may be those of another; `wraps_around`: signed numbers may.

    Of variables that are `weak`, another file may have the definition that counts; so it may of functions, of
    which a pragma says so of `weak_functions`.  What is `aliased` may be the same variable, or function, as
    another one of these names.  A pragma gives the macros in `restored` an earlier definition.
    """

    mixes_types: bool = False
    wraps_around: bool = False
    weak: frozenset[str] = frozenset()
    weak_functions: frozenset[str] = frozenset()
    aliased: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()


def file_options(text: str, pragmas: Iterable[Pragma], sources: Iterable[str]) -> FileOptions:
    """The options in a preprocessed text, in its pragmas, and in those that the preprocessor takes out."""
    said = [pragma.text for pragma in pragmas]
    options = [match[1] for match in map(_OPTIONS.match, said) if match]
    options += _ATTRIBUTE.findall(text) if "optimize" in text else []
    words = " ".join("".join(t.text[1:-1] for t in tokenize(o) if t.kind == "string") for o in options)
    weak = [match for match in map(_WEAK.match, said) if match]
    by_pragma = frozenset(match[1] for match in weak)
    renamed = [match for match in map(_RENAMED.match, said) if match]
    return FileOptions(
        mixes_types="strict-aliasing" in words
        or _MAY_ALIAS.search(text) is not None
        or _VECTORS.search(text) is not None,
        wraps_around=_WRAPS.search(words) is not None,
        weak=_weak_names(text) | by_pragma,
        weak_functions=by_pragma,
        aliased=frozenset(name for m in (*weak, *renamed) if m[2] for name in m.groups()),
        restored=frozenset(name for source in sources for name in _RESTORED.findall(source)),
    )


def _weak_names(text: str) -> frozenset[str]:
    """All names of the declarations that have the attribute."""
    stretches = re.split(r"[;{}]", text) if _WEAK_ATTRIBUTE.search(text) else []
    found = (stretch for stretch in stretches if _WEAK_ATTRIBUTE.search(stretch))
    return frozenset(t.text for stretch in found for t in tokenize(stretch) if t.kind == "identifier")
