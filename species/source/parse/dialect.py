"""Takes GNU's extensions out of preprocessed text, as far as that changes no meaning that we rely on.

Every rewriting keeps the length and the line breaks of the text, so that places in it stay valid.  What must
not be ignored in a user's file (inline assembly, aliases, clean-ups) is made an unknown call or
is left for the parser to refuse.
"""

from __future__ import annotations

import re
from functools import lru_cache

from species.source.parse.assembly import as_call
from species.source.text.tokens import DIGRAPHS

VECTOR = "__vector"  # makes a type one of which nothing is known
_WORDS = {
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__inline": "inline",
    "__inline__": "inline",
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__signed": "signed",
    "__signed__": "signed",
    "__complex__": "_Complex",
    "__alignof": "_Alignof",
    "__alignof__": "_Alignof",
    "__builtin_offsetof": "offsetof",
    "__builtin_va_list": "void*",
    "__int128_t": "__int128",
    "__uint128_t": "_Complex",  # 128 bits, of which nothing is known
    "__int64": "long",
    "_int64": "long",
    "__int32": "int",
    "__int16": "short",
    "__int8": "char",
    "__forceinline": "inline",
    "__cdecl": "",
    "_cdecl": "",
    "__stdcall": "",
    "_stdcall": "",
    "__fastcall": "",
    "__thiscall": "",
    "__vectorcall": "",
    "__unaligned": "",
    "__w64": "",
    "__ptr32": "",
    "__ptr64": "",
    "__extension__": "",
    "_Float16": "_Complex",  # a type of which nothing is known: of no width that we have
    "_Float32": "float",
    "_Float64": "double",
    "_Float128": "_Complex",
    "__float128": "_Complex",
    "_Float32x": "double",
    "_Float64x": "_Complex",
    # with `static`, `extern` or at file level, where C has no `auto`: see `loops.symbols.is_per_thread`
    "__thread": "auto",
    "_Thread_local": "auto",
}
_GROUPS = (
    "__attribute__",
    "__attribute",
    "__declspec",
    "__asm__",
    "__asm",
    "asm",
    "__typeof__",
    "__typeof",
    "typeof",
)
_MATTERS = re.compile(r"\balias\b|__alias__|weakref|ifunc|\bthread\b|cleanup")
# Types that are other ones than what they are made of.
_VECTOR = re.compile(r"\b(?:__)?(?:vector_size|ext_vector_type|mode|transparent_union)(?:__)?\b")
_PACKED = re.compile(r"\b(?:__)?packed(?:__)?\b")
_WORDS_BETWEEN = r"(?:[\s\w]|\(\(.*?\)\))*"  # with attributes among them
_OF_ENUMERATION = re.compile(rf"\benum\b{_WORDS_BETWEEN}(?:\{{[^{{}}]*\}}{_WORDS_BETWEEN})?$", re.DOTALL)
_INTEREST = re.compile(
    r"""(?P<quoted>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    rf"|\b(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b"
    rf"|\b(?P<group>{'|'.join(_GROUPS)})\b"
    r"|(?P<imaginary>\b(?:[0-9]+\.?[0-9]*|(?<!\w)\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFlL]?[ij][fFlL]?\b)"
    r"|(?P<digraph><[:%]|[:%]>)"
    r"|(?P<brace>[{}])"
)
_SKIP = re.compile(r"""[^()"']+|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|["']""")
_JUMPS = re.compile(r"\bgoto\b")
_QUALIFIERS = re.compile(r"(?:\s|\b(?:volatile|__volatile__|__volatile|goto|inline|__inline__)\b)*")


def plain_c(text: str, *, system: bool) -> str:
    """`text`, whole declarations of a system header or of the user's, in the language of pycparser."""
    return _headers_in_plain_c(text) if system else _in_plain_c(text, system=False)


@lru_cache(maxsize=64)  # the same headers come again with every file
def _headers_in_plain_c(text: str) -> str:
    return _in_plain_c(text, system=True)


def _in_plain_c(text: str, *, system: bool) -> str:
    pieces: list[str] = []
    done, at, depth = 0, 0, 0
    while (match := _INTEREST.search(text, at)) is not None:
        at = match.end()
        if match["brace"]:
            depth += 1 if match["brace"] == "{" else -1
            continue
        if match["group"]:
            at, replacement = _group(text, match, system, depth)
        else:
            replacement = _word(match)
            depth += {"<%": 1, "%>": -1}.get(match.group(), 0)
        if replacement is not None:
            pieces += [text[done : match.start()], _fit(replacement, text[match.start() : at])]
            done = at
    return "".join([*pieces, text[done:]])


def _word(match: re.Match[str]) -> str | None:
    if match["word"]:
        return _WORDS[match["word"]]
    if match["digraph"]:
        return DIGRAPHS[match["digraph"]]
    # an imaginary constant: a name that nobody knows, so that nobody takes it for a number
    return "__" if match["imaginary"] else None


def _fit(replacement: str, replaced: str) -> str:
    """Blanks after `replacement` fill the place, with the line breaks where they were."""
    rest = replaced[len(replacement) :]
    return replacement + "".join(c if c == "\n" else " " for c in rest)


def _group(text: str, match: re.Match[str], system: bool, depth: int) -> tuple[int, str | None]:
    word = match["group"].strip("_")
    qualifiers = _QUALIFIERS.match(text, match.end())
    start = qualifiers.end() if qualifiers and word == "asm" else match.end()
    end = _parenthesised(text, start)
    if end is None:
        return match.end(), None
    if word == "typeof":
        return (end, "int") if system else (match.end(), None)
    if word in ("attribute", "declspec"):
        matters = _MATTERS.search(text, match.start(), end) or _narrows(text, match.start(), end)
        if matters and not system:
            return match.end(), None
        return end, VECTOR if _VECTOR.search(text, match.start(), end) else ""
    if _is_statement(text, match.start(), depth):
        if _JUMPS.search(text, match.end(), start):
            return match.end(), None
        return end, as_call(text[match.start() : end], lambda operand: plain_c(operand, system=system))
    renames = not system and _renames_variable(text, match.start(), depth)
    return (match.end(), None) if renames else (end, "")


def _parenthesised(text: str, start: int) -> int | None:
    """The end of the parenthesised group that begins at or after `start`, None where there is none."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth <= 0:
                return at + 1 if depth == 0 else None
        else:
            skip = _SKIP.match(text, at)
            assert skip is not None
            if depth == 0 and not skip.group().isspace():
                return None
            at = skip.end()
            continue
        at += 1
    return None


def _narrows(text: str, start: int, end: int) -> bool:
    """Does the attribute make an enumeration as small as its values allow?"""
    if not _PACKED.search(text, start, end):
        return False
    return _OF_ENUMERATION.search(text[text.rfind(";", 0, start) + 1 : start]) is not None


def _renames_variable(text: str, start: int, depth: int) -> bool:
    """Does the assembly give a variable the name of, perhaps, another one?

    So it does in memory, and in a register that all functions share (and no two threads).
    """
    declaration = re.split(r"[;{}]", text[:start])[-1]
    return not declaration.rstrip().endswith(")") and (depth == 0 or "register" not in declaration.split())


def _is_statement(text: str, start: int, depth: int) -> bool:
    """Is the assembly a statement of a function, and not the label of a declaration?"""
    before = text[:start].rstrip() if depth > 0 else ""
    return before.endswith((";", "{", "}", ")", ":", "else", "do"))
