"""Conditions around kernels: an `if` that holds one kernel and nothing else counts as that kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast, c_generator

from species.core.positions import Span
from species.source import TranslationUnit, tokenize
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from transfers.fuse.headers import is_quiet
from transfers.fuse.names import on_one_line

if TYPE_CHECKING:
    from transfers.fuse.pairs import Neighbours, Surroundings


@dataclass(frozen=True)
class Guard:
    """An `if` around a kernel.

    `otherwise` is what its `else` runs: the kernels as they were before they became one behind a condition.
    It is empty where the `if` is the user's, which must have no `else`.
    """

    node: c_ast.If
    span: Span
    condition: str  # C, on one line
    otherwise: str

    @property
    def is_ours(self) -> bool:
        """Does it compare memory that two kernels touch?"""
        return bool(self.otherwise)


def guard(node: Any, unit: TranslationUnit, *, made: bool) -> Guard | None:
    """The guard that a statement is; `made`: a fusion has written it.  None: it is something else."""
    span = unit.statement_span(node) if isinstance(node, c_ast.If) else None
    if span is None or (node.iffalse is not None) != made:
        return None
    text = unit.source.text
    condition = _in_parentheses(span.of(text))
    otherwise = ""
    if made:
        last = unit.statement_span(node.iffalse) if isinstance(node.iffalse, c_ast.Compound) else None
        if last is None:
            return None
        otherwise = last.of(text)[1:-1].strip()
    return Guard(node, span, condition, otherwise) if condition else None


def _in_parentheses(text: str) -> str:
    """The condition of an `if`; empty where it does not begin like one."""
    tokens = [token for token in tokenize(text) if token.kind != "comment"]
    if [token.text for token in tokens[:2]] != ["if", "("]:
        return ""
    depth = 0
    for token in tokens[1:]:
        depth += (token.text == "(") - (token.text == ")")
        if not depth:
            return on_one_line(text[tokens[1].end : token.start])
    return ""


def mismatch(pair: Neighbours, around: Surroundings) -> str:
    """Why conditions keep two kernels apart; empty: they do not."""
    one, other = (None if p.guard and p.guard.is_ours else p.guard for p in (pair.first, pair.second))
    if one is None and other is None:
        return ""
    if one is None or other is None or pair.first.guard is None or pair.second.guard is None:
        return "only one of them is under a condition"
    if _spelled(one.node.cond, around.symbols) != _spelled(other.node.cond, around.symbols):
        return "they are under different conditions"
    names = {around.symbols.get(id(n)) for n in walk(one.node.cond) if isinstance(n, c_ast.ID)}
    known = all(s is None or not _is_foreign(s) for s in names)
    changed = around.written(pair.first.nodes[0])
    if not known or not is_quiet(one.node.cond) or names & changed:
        return "the condition around them may change between them"
    return ""


def _is_foreign(symbol: Symbol) -> bool:
    """May somebody else change it?"""
    return symbol.outlives_function or symbol.address_taken or symbol.ctype.volatile


def _spelled(condition: Any, symbols: Mapping[int, Symbol]) -> tuple[str, list[int]]:
    """What a condition says, and which variables its names mean."""
    named = [id(symbols.get(id(n))) for n in walk(condition) if isinstance(n, c_ast.ID)]
    return c_generator.CGenerator().visit(condition), named
