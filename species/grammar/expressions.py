"""The canonical text of a C integer expression: no blanks but where two tokens would run together."""

from __future__ import annotations

import re
from itertools import pairwise

_TOKEN = re.compile(r"\w+|->|<<|>>|[<>=!]=|&&|\|\||[^\s\w]")
_HEX_WITH_EXPONENT = re.compile(r"0[xX]\w*[eE]")  # `0xE+1` is one preprocessing number in C
_LONGER_TOKENS = ("--", "++", "&&", "||", "/*", "//", "->")


def canonical(text: str) -> str:
    """`text` with the blanks that C does not need taken away: `n - -1` gives `n- -1`."""
    tokens = _TOKEN.findall(text)
    rest = (" " + right if _run_together(left, right) else right for left, right in pairwise(tokens))
    return "".join([*tokens[:1], *rest])


def _run_together(left: str, right: str) -> bool:
    if _is_word(left):
        return _is_word(right) or (right in ("+", "-") and bool(_HEX_WITH_EXPONENT.fullmatch(left)))
    return left[-1] + right[0] in _LONGER_TOKENS


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"
