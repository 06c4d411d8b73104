"""Shared-memory declarations of CUDA source, for the host shim."""

from __future__ import annotations

from skeletons.shim.tokens import CLOSING, OPENING, Token, in_directive, outside_brackets

Edit = tuple[int, int, str]


def shared_edits(text: str, found: list[Token]) -> list[Edit]:
    """The edits that make shared-memory declarations work in C++.

    ``extern __shared__ T x[];`` becomes a pointer to the launch's dynamic shared memory. Behind any other
    declaration in a function comes a call that fills the variables with a pattern when a block first passes.
    One that is not understood (in a macro, say) stays: the header defines ``__shared__`` as ``static``.
    """
    edits: list[Edit] = []
    for i, token in enumerate(found):
        if token.text != "__shared__" or in_directive(text, token.start):
            continue
        end = _statement_end(found, i)
        if end is not None:
            edits += _declaration_edits(found, _statement_start(found, i), end)
    return edits


def _declaration_edits(found: list[Token], start: int, end: int) -> list[Edit]:
    declaration = found[start:end]
    names = _declared(declaration)
    words = {token.text: token for token in declaration}
    if "extern" in words:
        return _dynamic([words["extern"], words["__shared__"]], names)
    return [
        *(_remove(token) for token in declaration if token.text == "static"),
        *_poisoned(found, end, names),
    ]


def _statement_end(found: list[Token], i: int) -> int | None:
    """The index of the semicolon that ends the declaration at token i."""
    return next((k for k in outside_brackets(found, i) if found[k].text == ";"), None)


def _statement_start(found: list[Token], i: int) -> int:
    while i > 0 and found[i - 1].kind == "name":
        i -= 1
    return i


def _declared(declaration: list[Token]) -> list[tuple[Token, Token]]:
    """For each declarator its name and its last token."""
    names: list[tuple[Token, Token]] = []
    name: Token | None = None
    depth = 0
    for i, token in enumerate(declaration):
        after = declaration[i + 1].text if i + 1 < len(declaration) else ","
        depth += (token.text in OPENING or token.text == "<") - (token.text in CLOSING or token.text == ">")
        if token.kind == "name" and depth == 0 and name is None and after in ("[", ","):
            name = token
        if after == "," and depth == 0 and name is not None:
            names.append((name, token))
            name = None
    return names


def _dynamic(words: list[Token], names: list[tuple[Token, Token]]) -> list[Edit]:
    edits = [_remove(word) for word in words]
    for name, last in names:
        edits.append((name.start, last.end, f"*const {name.text} = ::cuvier_shim::DynamicShared{{}}"))
    return edits


def _poisoned(found: list[Token], end: int, names: list[tuple[Token, Token]]) -> list[Edit]:
    if not _in_function(found, end):
        return []
    place = found[end].end
    calls = "".join(f" CUVIER_SHIM_SHARED({name.text});" for name, _ in names)
    return [(place, place, calls)]


def _in_function(found: list[Token], index: int) -> bool:
    """Is the token inside braces other than those of namespaces and ``extern "C"``?"""
    braces: list[bool] = []
    for i in range(index):
        if found[i].text == "{":
            before = [token.text for token in found[max(0, i - 2) : i]]
            braces.append("namespace" not in before and before[-1:] != ['"C"'])
        elif found[i].text == "}" and braces:
            braces.pop()
    return any(braces)


def _remove(token: Token) -> Edit:
    return token.start, token.end, ""
