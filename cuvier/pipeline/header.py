"""Headers of loops `for (int i = lower; condition; i++)`, as they stand in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.source import Token, tokenize
from species.source.syntax.tree import variables
from species.source.text.edits import Edit, apply_edits
from species.symbols.symbols import Symbol
from transfers.fuse.headers import form
from transfers.fuse.names import on_one_line

SHORT = 4096  # iterations; parts of a scan for threads have 8,192
_DIFFERENCE = re.compile(r"\[([1-9]\d*|0) - ([1-9]\d*|0)\]")


@dataclass(frozen=True)
class Header:
    """Of `for (int i = lower; condition; ...)`."""

    iterator: Symbol
    is_declared: bool
    lower: str
    condition: str

    def is_plain(self, node: Any, text: str) -> bool:
        """Does the text name the iterator wherever the code does, in no macro?"""
        return [t.text for t in code_in(text)].count(self.iterator.name) == count(node, self.iterator.name)

    def first(self, text: str, *, compared: bool = False) -> str:
        """An expression for the first iteration; where values are `compared`, signs count."""
        is_number = self.lower.isdecimal() and (not compared or self.iterator.ctype.text == "int")
        start = self.lower if is_number else f"({self.iterator.ctype.text})({self.lower})"
        edits = [Edit(Span(t.start, t.end), start) for t in code_in(text) if t.text == self.iterator.name]
        found = on_one_line(apply_edits(text, edits))
        return _DIFFERENCE.sub(lambda numbers: f"[{int(numbers[1]) - int(numbers[2])}]", found)


def is_short(loop: c_ast.For) -> bool:
    """Is it known to make few iterations, which one thread has sooner?"""
    start = loop.init.decls[0].init if isinstance(loop.init, c_ast.DeclList) else loop.init.rvalue
    if not isinstance(loop.cond, c_ast.BinaryOp):
        return False
    lengths = [form(side, {}).minus(form(start, {})) for side in (loop.cond.left, loop.cond.right)]
    return any(length is not None and abs(length) < SHORT for length in lengths)


def step_of(node: Any, iterator: str) -> int | None:
    """How far `i++` or `i--` takes the iterator; None: anything else."""
    match node:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=name)) if name == iterator:
            return 1
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=name)) if name == iterator:
            return -1
    return None


def code_in(text: str) -> list[Token]:
    """The tokens without comments and directives."""
    return [token for token in tokenize(text) if token.kind not in ("comment", "directive")]


def count(node: Any, name: str) -> int:
    """How often the code names a variable."""
    return sum(n.name == name for n in variables(node))
