"""Variables that nothing in the host file uses any more, now that their loops are elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from skeletons.body.outline import insertion_point, start_of_function, unlisted_iterators
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts import Scop, ScopLoop, ScopNode
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens, names_in
from species.source.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from species.source import TranslationUnit

_DECLARED = re.compile(r"\bfor \((?:unsigned |long |short |signed )*\w+ (\w+) =")
_DECLARED_ALONE = re.compile(r"^ *(?:\w+ )+(\w+);$", re.MULTILINE)


def unused_variables(subject: Subject, edits: list[Edit]) -> tuple[str, ...]:
    """The kernel's private variables that the function, with `edits` made, mentions once: to declare them.

    On an accelerator, nests may have been reordered before, and have other iterators now than those declared.
    """
    private = (*subject.kernel.scalars, *unlisted_iterators(subject))
    names = [scalar.name for scalar in private if scalar.role == "private"]
    return mentioned_once(subject.text, _function_span(subject), edits, names)


def unused_before(subject: Subject, edits: list[Edit]) -> Iterator[Edit]:
    """Mentions, behind their declarations, of numbers without a value that blocks around the kernel declare
    before it, and that nothing uses now that nests have iterators of their own.
    """
    functions = (n for n in subject.unit.ast.ext if isinstance(n, c_ast.FuncDef))
    block = next((n.body for n in functions if n.decl.name == subject.facts.function), None)
    while block is not None:
        inner, items = None, block.block_items or ()
        for place, item in enumerate(items):
            at = _offset(subject, item)
            if at >= subject.span.start:
                inner = inner if at > subject.span.start else None  # the kernel itself, not a block around it
                break
            inner = item
            if _is_plain(item, subject.text[at:]) and not _is_used(
                item.name, items[place + 1 :], subject, edits
            ):
                end = next(t.end for t in code_tokens(subject.text[at:]) if t.text == ";") + at
                yield Edit(Span(end, end), f" (void){item.name};")
        block = next((n for n in walk(inner) if isinstance(n, c_ast.Compound)), None) if inner else None


def _is_plain(item: Any, text: str) -> bool:
    """Does a node declare a number, or a structure, without a value, in a text that begins with its name?"""
    plain = isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.TypeDecl) and item.init is None
    return plain and text.startswith(item.name)


def _is_used(name: str, items: Iterable[Any], subject: Subject, edits: list[Edit]) -> bool:
    """Do statements use a variable that is declared before them, or what has been put into their place?"""
    for item in items:
        if isinstance(item, c_ast.Decl) and item.name == name:
            return False
        own = item.init if isinstance(item, c_ast.For) else None
        if isinstance(own, c_ast.DeclList) and any(each.name == name for each in own.decls):
            continue
        if isinstance(item, c_ast.ID) and item.name == name:
            at = _offset(subject, item)
            around = [edit for edit in edits if edit.span.start <= at < edit.span.end]
            if not around or any(name in _names(_without_own(edit.replacement)) for edit in around):
                return True
        if _is_used(name, item, subject, edits):
            return True
    return False


def _offset(subject: Subject, node: Any) -> int:
    """Where a node begins in the file; 0 for what other files have."""
    position = subject.unit.position(node.coord)
    source = subject.unit.source
    return source.offset(position.line, position.column) if position.file == source.path else 0


def unused_iterators(scop: Scop, unit: TranslationUnit, edits: list[Edit]) -> tuple[str, ...]:
    """The iterators and other variables of nests that the function, with `edits` made, only declares."""
    text = unit.source.text
    try:
        span = _span_from(text, start_of_function(unit, scop.span.start))
    except Refusal:
        return ()
    names = [loop.iterator for loop in _loops(scop.nodes) if not loop.declared_inside]
    names += [temporary.name for statement in scop.statements() for temporary in statement.temporaries]
    names += _parameters(text, span, scop)
    return mentioned_once(text, span, edits, [*names, *scop.unnamed])


def _parameters(text: str, function: Span, scop: Scop) -> Iterator[str]:
    """The parameters of the function in the bounds of loops, which may be known to be numbers."""
    brace = next(t for t in code_tokens(text[function.start :]) if t.text == "{")
    head = set(names_in(text[function.start : function.start + brace.start]))
    bounds = (name for loop in _loops(scop.nodes) for name in names_in(f"{loop.lower}; {loop.condition}"))
    return (name for name in bounds if name in head)


def _loops(nodes: tuple[ScopNode, ...]) -> Iterator[ScopLoop]:
    for node in nodes:
        if isinstance(node, ScopLoop):
            yield node
            yield from _loops(node.children)


def mentioned_once(text: str, span: Span, edits: list[Edit], names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that a function, with `edits` made, mentions once."""
    inside = [edit for edit in edits if span.start < edit.span.start < span.end]
    counts: Counter[str] = Counter()
    at = span.start
    for edit in sorted(inside, key=lambda edit: edit.span):
        counts.update(_names(text[at : edit.span.start]) + _names(_without_own(edit.replacement)))
        at = edit.span.end
    counts.update(_names(text[at : span.end]))
    return tuple(dict.fromkeys(name for name in names if counts[name] == 1))


def unused_functions(
    subject: Subject, emitted: tuple[tuple[str, str], ...], edits: list[Edit]
) -> tuple[str, ...]:
    """Those static functions of the file that, with `edits` made, nothing in it calls any more."""
    functions = subject.declarations.functions
    static = [name for name, _ in emitted if name in functions and "static" in functions[name].decl.storage]
    static = [name for name in static if name in subject.kernel.functions]  # others may not be declared yet
    words = Counter(_names(apply_edits(subject.text, edits)))
    return tuple(name for name in static if words[name] == 1)


def _names(text: str) -> list[str]:
    return [token.text for token in code_tokens(text) if token.kind == "identifier"]


def _function_span(subject: Subject) -> Span:
    """The definition of the function around the kernel."""
    try:
        start = insertion_point(subject)
    except Refusal:
        start = subject.span.start
    return _span_from(subject.text, start)


def _span_from(text: str, start: int) -> Span:
    """From the first token of a function to its last brace."""
    depth = 0
    for token in code_tokens(text[start:]):
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.text == "}":
            return Span(start, start + token.end)
    return Span(start, len(text))


def _without_own(text: str) -> str:
    """A text without the variables that its loops and blocks declare for themselves (`for (int i ...)`)."""
    own = {match[1] for pattern in (_DECLARED, _DECLARED_ALONE) for match in pattern.finditer(text)}
    return " ".join(token.text for token in code_tokens(text) if token.text not in own)
