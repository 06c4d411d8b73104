"""A loop around one inner loop whose length data decides, taken apart into texts and trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from species.core.positions import LoopSpans, Span
from species.core.refusal import Refusal
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens, matching, on_one_line

INNER = (c_ast.While, c_ast.DoWhile, c_ast.For)
_LEAVING = (c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Return, c_ast.Label, c_ast.Switch)


@dataclass(frozen=True)
class Piece:
    """A part of the source: its text, and the trees of its statements or of its one expression."""

    text: str = ""
    nodes: tuple[Any, ...] = ()

    def walk(self) -> Iterator[Any]:
        """All nodes."""
        for node in self.nodes:
            yield from walk(node)


@dataclass(frozen=True)
class Shape:
    """`for (...) { before  <inner loop>  after }`, and a step of the inner loop in parts.

    A step goes on while `test` holds and none of `leading`, the conditions of `if (...) break;` at its start.
    It consists of `first`, then perhaps `if (leave) break;` with `rest` behind it, and `update`.  `start` is
    what the header of a `for` sets, which `declares` variables or not.  `outer`: the outer loop.
    """

    outer: Any
    before: Piece
    after: Piece
    inner: str
    is_do: bool
    start: Piece
    declares: bool
    test: Piece
    leading: tuple[Piece, ...]
    first: Piece
    leave: Piece | None
    rest: Piece
    update: Piece

    @property
    def tests(self) -> tuple[Piece, ...]:
        """All that is tested between two steps."""
        return (self.test, *self.leading) if self.test.nodes else self.leading

    @property
    def step(self) -> tuple[Piece, ...]:
        """What a step does and tests, in order."""
        own = (self.first, *([self.leave] if self.leave else []), self.rest, self.update)
        return (*own, *self.tests) if self.is_do else (*self.tests, *own)


def shape_of(subject: Subject) -> Shape:
    """The loop of `subject`, taken apart; Refusal where it is no loop of this kind."""
    loop = _loop_node(subject)
    items = tuple(loop.stmt.block_items or ()) if isinstance(loop.stmt, c_ast.Compound) else ()
    inner = [item for item in items if isinstance(item, INNER)]
    every = [node for item in items for node in walk(item) if isinstance(node, INNER)]
    if len(inner) != 1 or every != inner:
        raise Refusal("it contains more than one loop, or none on its own")
    place, spans = items.index(inner[0]), _spans(subject, inner[0])
    body = subject.kernel.loops[0].spans.body
    before = Piece(subject.text[body.start + 1 : spans.whole.start], items[:place])
    after = Piece(subject.text[spans.whole.end : body.end - 1], items[place + 1 :])
    if any(isinstance(node, _LEAVING) for node in before.walk()):
        raise Refusal("iterations may end before the inner loop")
    return _with_inner(subject, loop, inner[0], before, after)


def _loop_node(subject: Subject) -> Any:
    position = subject.facts.position
    found = [n for n in subject.unit.all_of(c_ast.For) if subject.unit.loop_position(n) == position]
    if len(found) != 1:
        raise Refusal("the loop comes from a macro")
    return found[0]


def _spans(subject: Subject, node: Any) -> LoopSpans:
    spans = subject.unit.loop_spans(node)
    if spans is None:
        raise Refusal("its inner loop comes from a macro")
    return spans


def _with_inner(subject: Subject, loop: Any, node: Any, before: Piece, after: Piece) -> Shape:
    spans = _spans(subject, node)
    start, test, update = _header(subject, node)
    leading, first, leave, rest = _body(subject, node, spans.body)
    if not test.nodes and not leading and leave is None:
        raise Refusal("its inner loop does not end by a condition of its own")
    return Shape(
        outer=loop,
        before=before,
        after=after,
        inner=spans.whole.of(subject.text),
        is_do=isinstance(node, c_ast.DoWhile),
        start=start,
        declares=isinstance(getattr(node, "init", None), c_ast.DeclList),
        test=test,
        leading=leading,
        first=first,
        leave=leave,
        rest=rest,
        update=update,
    )


def _header(subject: Subject, node: Any) -> tuple[Piece, Piece, Piece]:
    """What a loop's header starts with, tests and does behind every step."""
    spans = _spans(subject, node)
    span = spans.header if not isinstance(node, c_ast.DoWhile) else Span(spans.body.end, spans.whole.end)
    texts = on_one_line(_in_parentheses(span.of(subject.text))).split(";")
    if not isinstance(node, c_ast.For):
        return Piece(), _test(texts[0], node.cond), Piece()
    if len(texts) != 3:
        raise Refusal("a macro hides the header of its inner loop")
    start, test, update = (text.strip() for text in texts)
    begin = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init] if node.init else []
    return (
        Piece(start, tuple(begin)),
        _test(test, node.cond),
        Piece(update, (node.next,) if node.next else ()),
    )


def _test(text: str, node: Any) -> Piece:
    """A condition; empty where it always holds."""
    always = isinstance(node, c_ast.Constant) and node.value.isdigit() and int(node.value) != 0
    return Piece() if node is None or always else Piece(text.strip(), (node,))


def _body(subject: Subject, node: Any, span: Span) -> tuple[tuple[Piece, ...], Piece, Piece | None, Piece]:
    """The conditions of the breaks at its start, what follows, that of one more break, and the rest."""
    bare = not isinstance(node.stmt, c_ast.Compound)
    items = [node.stmt] if bare else list(node.stmt.block_items or ())
    inside = span if bare else Span(span.start + 1, span.end - 1)
    leading: list[Piece] = []
    while items and _is_break(items[0]) and not isinstance(node, c_ast.DoWhile):
        piece, end = _break(subject, items.pop(0))
        leading, inside = [*leading, piece], Span(end, inside.end)
    place = next((k for k, item in enumerate(items) if _is_break(item)), None)
    if place is None:
        return tuple(leading), _stretch(subject, inside, items), None, Piece()
    leave, end = _break(subject, items[place])
    begin = subject.unit.statement_span(items[place])
    first = _stretch(subject, Span(inside.start, begin.start if begin else inside.start), items[:place])
    return tuple(leading), first, leave, _stretch(subject, Span(end, inside.end), items[place + 1 :])


def _stretch(subject: Subject, span: Span, items: list[Any]) -> Piece:
    piece = Piece(span.of(subject.text), tuple(items))
    if any(isinstance(node, _LEAVING) for node in piece.walk()):
        raise Refusal("its inner loop, or a step of it, is left at more places than one")
    return piece


def _is_break(item: Any) -> bool:
    """Is it `if (...) break;`?"""
    if not isinstance(item, c_ast.If) or item.iffalse is not None:
        return False
    inside = item.iftrue.block_items or [] if isinstance(item.iftrue, c_ast.Compound) else [item.iftrue]
    return len(inside) == 1 and isinstance(inside[0], c_ast.Break)


def _break(subject: Subject, item: Any) -> tuple[Piece, int]:
    """The condition of an `if (...) break;`, and where that ends."""
    span = subject.unit.statement_span(item)
    if span is None:
        raise Refusal("a macro hides where its inner loop is left")
    return Piece(on_one_line(_in_parentheses(span.of(subject.text))).strip(), (item.cond,)), span.end


def _in_parentheses(text: str) -> str:
    """What stands in the first parentheses behind a keyword."""
    tokens = code_tokens(text)
    if len(tokens) < 2 or tokens[1].text != "(":
        raise Refusal("a macro hides the header of its inner loop")
    return text[tokens[1].end : tokens[matching(tokens, 1)].start]
