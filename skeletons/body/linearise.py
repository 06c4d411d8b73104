"""Arrays whose rows have no constant size: `A[i][j]` becomes `A[(i) * A_dim1 + (j)]`."""

from __future__ import annotations

from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.core.refusal import Refusal
from species.source.text.code import accesses, names_in, parenthesised
from species.source.text.edits import Edit, apply_edits


def flatten(subject: Subject, text: str, name: str, strides: list[str]) -> str:
    """`text` with one subscript for all accesses of `name`; Refusal where some use cannot be rewritten."""
    for macro_name in names_in(text):
        if name in subject.macro_names(macro_name):
            raise Refusal(f"the macro {macro_name} uses {name}, whose rows have no constant size")
    if name in subject.redeclared:
        raise Refusal(f"another {name} is declared in the loop, and the rows of {name} have no constant size")
    return _rewrite(text, name, strides)


def _rewrite(text: str, name: str, strides: list[str]) -> str:
    edits, done = [], 0
    for access in accesses(text, name):
        if access.span.start < done:
            continue  # inside a subscript that was rewritten with the access around it
        if len(access.subscripts) != len(strides) + 1:
            raise Refusal(f"{name}, whose rows have no constant size, is used with too few subscripts")
        inner = [_rewrite(subscript, name, strides) for subscript in access.subscripts]
        edits.append(Edit(Span(access.span.start, access.span.end), f"{name}[{_index(inner, strides)}]"))
        done = access.span.end
    return apply_edits(text, edits)


def _index(subscripts: list[str], strides: list[str]) -> str:
    result = subscripts[0]
    for subscript, stride in zip(subscripts[1:], strides, strict=True):
        result = f"{parenthesised(result)} * {stride} + {parenthesised(subscript)}"
    return result
