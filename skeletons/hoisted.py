"""Conditions of directives that compilers take in a variable only.

gcc 12 ends with an internal error where an `if` clause has a compound literal, in functions whose parameters
are arrays of a length that only the run knows.
"""

from __future__ import annotations

from species.source.tokens import code_tokens

_LITERAL = "(void *[])"
_CLAUSE = " if("


def hoisted(text: str, name: str, indent: str) -> tuple[str, str]:
    """What stands before a loop, with the directive's condition in a variable, where that is needed; and what
    ends the block that it then needs.
    """
    start = text.find(_CLAUSE)
    if start < 0 or _LITERAL not in text:
        return text, ""
    at = start + len(_CLAUSE)
    depth, end = 1, at
    for token in code_tokens(text[at:]):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            end = at + token.start
            break
    first = f"{{\n{indent}const int {name} = {text[at:end]};\n{indent}"
    return f"{first}{text[:at]}{name}{text[end:]}", f"\n{indent}}}"
