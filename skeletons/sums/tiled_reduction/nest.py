"""A loop body in three parts: what stands before the loops that sum, these loops, and what stands after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from skeletons.sums.contraction.ranges import check_bound
from skeletons.sums.tiled_reduction.choices import alone, one_assignment
from skeletons.sums.tiled_reduction.model import DepthLoop
from species.source.syntax.expressions import NotPlain, canonical, text_of, walk
from species.source.text.code import code_tokens, matching
from species.source.text.tokens import Token


@dataclass(frozen=True)
class Parts:
    """The texts around a loop at the top level of a body."""

    before: str
    nest: str
    after: str
    number: int  # of the loop among those at the top level


def parts(body: str) -> Iterator[Parts]:
    """Every way to take one of the loops at the top level of `body` for the one that sums."""
    tokens = code_tokens(body)
    braced = bool(tokens) and tokens[0].text == "{"
    start, end = (tokens[0].end, tokens[-1].start) if braced else (0, len(body))
    at, number = int(braced), 0
    while at < len(tokens) - braced:
        last = _last_of_statement(tokens, at)
        if tokens[at].text == "for":
            first, stop = tokens[at].start, tokens[last].end
            yield Parts(body[start:first].strip(), body[first:stop], body[stop:end].strip(), number)
            number += 1
        at = last + 1


def _last_of_statement(tokens: list[Token], at: int) -> int:
    """The index of the last token of the statement that begins at `at`."""
    match tokens[at].text:
        case "{":
            return matching(tokens, at)
        case "for" | "while" | "switch" | "if":
            end = _last_of_statement(tokens, min(matching(tokens, at + 1) + 1, len(tokens) - 1))
            has_else = tokens[at].text == "if" and end + 1 < len(tokens) and tokens[end + 1].text == "else"
            return _last_of_statement(tokens, end + 2) if has_else else end
        case "do":
            at = _last_of_statement(tokens, at + 1) + 1
    while at < len(tokens) - 1 and tokens[at].text != ";":
        at = matching(tokens, at) + 1 if tokens[at].text in ("(", "[", "{") else at + 1
    return min(at, len(tokens) - 1)


def read_nest(text: str, types: dict[str, str]) -> tuple[tuple[DepthLoop, ...], Any]:
    """The loops of `text`, perfectly nested, and the one assignment in them; NotPlain for anything else.

    What an `if` assigns either way is one assignment, see `one_assignment`.
    `types` gives the canonical types of iterators that are declared elsewhere.
    """
    node = _parse(text)
    loops = []
    while isinstance(node, c_ast.For):
        loops.append(_loop(node, types))
        node = alone(node.stmt)
    return tuple(loops), one_assignment(node)


def read_loop(text: str, types: dict[str, str]) -> tuple[DepthLoop, tuple[Any, ...]]:
    """The loop of `text`, and the assignments that it consists of; NotPlain for anything else."""
    node = _parse(text)
    if not isinstance(node, c_ast.For):
        raise NotPlain("there is no inner loop")
    statements = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
    found = tuple(each for each in statements or () if isinstance(each, c_ast.Assignment))
    if not found or len(found) != len(statements):
        raise NotPlain("the inner loop does not consist of assignments")
    return _loop(node, types), found


def assignments(text: str) -> list[Any]:
    """What the statements of `text` assign to; NotPlain where functions may do so, or it does not parse."""
    found = []
    for node in walk(_block(text)):
        if isinstance(node, c_ast.FuncCall) or (isinstance(node, c_ast.UnaryOp) and node.op == "&"):
            raise NotPlain("it may assign to anything")
        if isinstance(node, c_ast.Assignment):
            found.append(node.lvalue)
        if isinstance(node, c_ast.UnaryOp) and node.op.strip("p") in ("++", "--"):
            found.append(node.expr)
    return found


def _parse(text: str) -> Any:
    return _block(text).block_items[0]


def _block(text: str) -> Any:
    plain = " ".join(token.text for token in code_tokens(text))
    try:
        unit = CParser().parse("void f(void)\n{\n" + plain + "\n}")
    except (ParseError, AssertionError) as error:
        raise NotPlain(f"`{plain}` does not parse: {error}") from None
    return unit.ext[0].body


def _loop(node: Any, types: dict[str, str]) -> DepthLoop:
    iterator, ctype, lower = _start(node.init, types)
    condition = node.cond
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">="):
        raise NotPlain(f"the inner loop over {iterator} has no plain condition")
    if not isinstance(condition.left, c_ast.ID) or condition.left.name != iterator:
        raise NotPlain(f"the inner loop over {iterator} has no plain condition")
    step = _step(node.next, iterator)
    if (step > 0) != (condition.op in ("<", "<=")):
        raise NotPlain(f"the inner loop over {iterator} moves away from its bound")
    bounds = text_of(lower), text_of(condition.right)
    for bound in bounds:
        check_bound(bound)
    return DepthLoop(iterator, ctype, bounds[0], condition.op, bounds[1], step)


def _start(init: Any, types: dict[str, str]) -> tuple[str, str, Any]:
    """Iterator, its type and its first value."""
    if isinstance(init, c_ast.DeclList) and len(init.decls) == 1:
        declared = init.decls[0]
        inner = declared.type
        plain = isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.IdentifierType)
        if plain and declared.init is not None and not declared.quals:
            return declared.name, canonical(" ".join(inner.type.names)), declared.init
    elif isinstance(init, c_ast.Assignment) and init.op == "=" and isinstance(init.lvalue, c_ast.ID):
        name = init.lvalue.name
        if name in types:
            return name, types[name], init.rvalue
    raise NotPlain("an inner loop does not start with one iterator")


def _step(update: Any, iterator: str) -> int:
    """What every iteration adds to the iterator."""
    target = getattr(update, "expr", None) or getattr(update, "lvalue", None)
    if isinstance(target, c_ast.ID) and target.name == iterator:
        if isinstance(update, c_ast.UnaryOp) and update.op.strip("p") in ("++", "--"):
            return 1 if "++" in update.op else -1
        if isinstance(update, c_ast.Assignment) and update.op in ("+=", "-=") and _is_number(update.rvalue):
            size = int(update.rvalue.value)
            return size if update.op == "+=" else -size
    raise NotPlain(f"the step of the inner loop over {iterator} is no number")


def _is_number(node: Any) -> bool:
    """A decimal number from 1 on."""
    return isinstance(node, c_ast.Constant) and node.value.isdecimal() and not node.value.startswith("0")
