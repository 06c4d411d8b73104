"""The text pass of the host shim: CUDA's launches and shared-memory declarations, written in C++.

No line is added or removed, so positions in messages stay those of the CUDA file. Everything that is not a
launch or a declaration with ``__shared__`` is kept byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.shim.shared import shared_edits
from skeletons.shim.tokens import Token, matching, opening, outside_brackets, tokens

Edit = tuple[int, int, str]

_NOT_A_KERNEL = {"operator", "return", "else", "do", "case", "goto", "if", "while", "for", "switch"}


@dataclass(frozen=True)
class _Launch:
    """Token indices: the kernel's first token, the first `<` of `<<<`, the first `>` of `>>>`."""

    kernel: int
    left: int
    right: int


def rewrite(text: str) -> str:
    """CUDA source as C++ for the shim's headers: launches and shared-memory declarations rewritten."""
    found = tokens(text)
    return _apply(text, [*_launch_edits(found), *shared_edits(text, found)])


def rewrite_launches(text: str) -> str:
    """The text with every ``kernel<<<grid, block[, shared[, stream]]>>>(arguments)`` turned into a C++ call.

    The result is ``::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL(kernel), grid, block[, ...])(arguments)``;
    an argument that is just ``NULL`` becomes ``nullptr``, which a template can pass on. The lines
    stay the same.
    """
    return _apply(text, _launch_edits(tokens(text)))


def _apply(text: str, edits: list[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _launch_edits(found: list[Token]) -> list[Edit]:
    edits: list[Edit] = []
    for i in range(len(found)):
        launch = _launch_at(found, i)
        if launch is not None:
            edits += _edits_of(found, launch)
    return edits


def _edits_of(found: list[Token], launch: _Launch) -> list[Edit]:
    first, left, right = found[launch.kernel], found[launch.left], found[launch.right]
    edits: list[Edit] = [
        (first.start, first.start, "::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL("),
        (found[launch.left - 1].end, found[launch.left - 1].end, ")"),
        (left.start, left.start + 3, ","),
        (right.start, right.start + 3, ")"),
    ]
    return edits + _null_arguments(found, launch.right + 3)


def _null_arguments(found: list[Token], call: int) -> list[Edit]:
    close = matching(found, call)
    end = len(found) - 1 if close is None else close
    return [
        (found[i].start, found[i].end, "nullptr")
        for i in range(call + 1, end)
        if found[i].text == "NULL" and found[i - 1].text in "(," and found[i + 1].text in "),"
    ]


def _launch_at(found: list[Token], i: int) -> _Launch | None:
    """The launch whose ``<<<`` starts at token i."""
    if not _triple(found, i, "<") or i == 0:
        return None
    kernel = _kernel_start(found, i - 1)
    right = _launch_end(found, i + 3)
    return None if kernel is None or right is None else _Launch(kernel, i, right)


def _triple(found: list[Token], i: int, text: str) -> bool:
    run = found[i : i + 3]
    if [token.text for token in run] != [text] * 3:
        return False
    return run[0].end == run[1].start and run[1].end == run[2].start


def _launch_end(found: list[Token], i: int) -> int | None:
    """The first ``>>>`` outside brackets that a call's parenthesis follows, before the statement ends."""
    for k in outside_brackets(found, i):
        if found[k].text == ";":
            return None
        if _triple(found, k, ">") and k + 3 < len(found) and found[k + 3].text == "(":
            return k
    return None


def _kernel_start(found: list[Token], last: int) -> int | None:
    """The first token of the postfix expression that ends at token `last`; None if it can name no kernel."""
    start = _operand_start(found, last)
    while start is not None and start > 0 and found[start - 1].text in ("::", "->", "."):
        qualifier = _operand_start(found, start - 2) if start > 1 else None
        if qualifier is None:
            return start - 1 if found[start - 1].text == "::" else None
        start = qualifier
    return start


def _operand_start(found: list[Token], last: int) -> int | None:
    """The start of a name (with template arguments, an index or a call, perhaps) or of a parenthesis."""
    token = found[last]
    if token.kind == "name":
        return None if token.text in _NOT_A_KERNEL else last
    if token.text not in (">", ")", "]"):
        return None
    open_ = opening(found, last)
    if open_ is None:
        return None
    inner = _operand_start(found, open_ - 1) if open_ > 0 else None
    if inner is None:
        return open_ if token.text == ")" else None
    return inner
