"""The comments of the source, carried over to the loops and statements that they stand before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band, Tree, bands, statements
from species.core.positions import Span
from species.facts import ScopLoop
from species.facts.scops import ScopNode, statements_in
from species.source.text.tokens import tokenize

Comments = Mapping[object, list[str]]  # by the name of a statement, or by the identity of a loop of the tree


def comments_of(model: ScopModel, tree: Tree, text: str) -> Comments:
    """The comments that stand directly before loops and statements inside the nests.

    That of a loop goes to the outermost loop of the tree that begins with the same statement and holds
    nothing else, or else to the statement.
    """
    found: dict[object, list[str]] = {}
    present = set(statements(tree))
    for node, before in _nodes(model, text):
        inside = [s.name for s in statements_in(node) if s.name in present]
        if not inside:
            continue
        owner = _owner(tree, inside) if isinstance(node, ScopLoop) else None
        key: object = inside[0] if owner is None else id(owner)
        found[key] = found.get(key, []) + before
    return found


def _nodes(model: ScopModel, text: str) -> Iterator[tuple[ScopNode, list[str]]]:
    """Loops and statements that have comments before them, with the comments."""
    comments = [t for t in tokenize(text[: model.scop.span.end]) if t.kind == "comment"]
    pending = list(model.scop.nodes)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ScopLoop):
            pending = [*node.children, *pending]
        start = _span(node).start
        before: list[str] = []
        for comment in reversed(comments):
            if model.scop.span.start <= comment.start < start and not text[comment.end : start].strip():
                before.insert(0, comment.text)
                start = comment.start
        if before:
            yield node, before


def _span(node: ScopNode) -> Span:
    return node.spans.whole if isinstance(node, ScopLoop) else node.span


def _owner(tree: Tree, inside: list[str]) -> Band | None:
    return next(
        (
            band
            for band in bands(tree)
            if next(statements(band)) == inside[0] and set(statements(band)) <= set(inside)
        ),
        None,
    )
