"""A statement as a sum of products: `C[i][j] += alpha * A[i][k] * B[k][j]` in signed lists of factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.source.syntax.expressions import NotPlain, check_plain, text_of, type_of
from species.source.text.code import rename

Fits = Callable[[tuple[Any, ...]], bool]


@dataclass(frozen=True)
class Term:
    """Factors that are multiplied, and then added or taken away."""

    factors: tuple[Any, ...]
    negative: bool
    regrouped: bool = False  # C multiplies them in another order


@dataclass(frozen=True)
class Update:
    """An output element and what one iteration adds to it."""

    output: Any
    terms: tuple[Term, ...]

    def is_symmetric(self, one: str, other: str) -> bool:
        """Are the same terms added where two iterators change places?"""
        return self._added({}) == self._added({one: other, other: one})

    def _added(self, names: Mapping[str, str]) -> list[tuple[bool, list[str]]]:
        """The terms in an order of their own, as are their factors; with other names."""
        return sorted(
            (term.negative, sorted(rename(text_of(factor), names) for factor in term.factors))
            for term in self.terms
        )


def read_update(statement: Any, types: Mapping[str, str], fits: Fits) -> Update:
    """The parts of `x += ...`, `x -= ...` or `x = x + ...`; NotPlain for any other statement.

    A factor that is a sum is multiplied out only where the product does not fit (`fits`) as it is.
    """
    if not isinstance(statement, c_ast.Assignment):
        raise NotPlain(f"`{text_of(statement)}` is no assignment")
    check_plain(statement.lvalue)
    check_plain(statement.rvalue)
    if not isinstance(statement.lvalue, c_ast.ArrayRef):
        raise NotPlain(f"`{text_of(statement.lvalue)}` is no element of an array")
    reader = _Reader(types, type_of(statement.lvalue, types), fits)
    if statement.op in ("+=", "-="):
        terms = reader.terms(statement.rvalue, statement.op == "-=")
    elif statement.op == "=":
        terms = _without_output(statement, reader)
    else:
        raise NotPlain(f"it updates with {statement.op}")
    return Update(statement.lvalue, tuple(terms))


def _without_output(statement: Any, reader: _Reader) -> list[Term]:
    """The terms of `x = x + ...` but for the `x`."""
    output = text_of(statement.lvalue)
    terms = reader.terms(statement.rvalue, False, output)
    own = [term for term in terms if [text_of(factor) for factor in term.factors] == [output]]
    if len(own) != 1 or own[0].negative:
        raise NotPlain(f"`{text_of(statement)}` does not add to {output}")
    return [term for term in terms if term is not own[0]]


@dataclass(frozen=True)
class _Reader:
    types: Mapping[str, str]
    element: str  # everything is to be computed in this type
    fits: Fits

    def terms(self, node: Any, negative: bool, output: str | None = None) -> list[Term]:
        """The signed products whose sum `node` is; `output` is left whole."""
        if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
            self._check_type(node)
            right = negative != (node.op == "-")
            return self.terms(node.left, negative, output) + self.terms(node.right, right, output)
        if isinstance(node, c_ast.UnaryOp):
            self._check_type(node)
            return self.terms(node.expr, negative != (node.op == "-"), output)
        if output is not None and text_of(node) == output:
            return [Term((node,), negative)]
        self._check_type(node)
        return self._multiplied_out(Term(tuple(self._factors(node)), negative, self._regroups(node)))

    def _check_type(self, node: Any) -> None:
        found = type_of(node, self.types)
        if found != self.element:
            raise NotPlain(f"`{text_of(node)}` is computed in {found} and added up in {self.element}")

    def _factors(self, node: Any) -> list[Any]:
        """The factors of a product in the order of the text; one of another type is not taken apart."""
        if self._is_product(node):
            return self._factors(node.left) + self._factors(node.right)
        return [node]

    def _is_product(self, node: Any) -> bool:
        product = isinstance(node, c_ast.BinaryOp) and node.op == "*"
        return product and type_of(node, self.types) == self.element

    def _regroups(self, node: Any) -> bool:
        """Has `node` a product as its right factor, which C would multiply first?"""
        if not self._is_product(node):
            return False
        return self._is_product(node.right) or self._regroups(node.left)

    def _multiplied_out(self, term: Term) -> list[Term]:
        if self.fits(term.factors):
            return [term]
        for at, factor in enumerate(term.factors):
            if isinstance(factor, c_ast.BinaryOp) and factor.op in ("+", "-"):
                self._check_type(factor)
                parts = [_put(term, at, inner) for inner in self._summands(factor)]
                return [product for part in parts for product in self._multiplied_out(part)]
        return [term]

    def _summands(self, factor: Any) -> tuple[Term, Term]:
        """Both sides of a sum, each as a list of its factors."""
        left, right = (tuple(self._factors(side)) for side in (factor.left, factor.right))
        return Term(left, False), Term(right, factor.op == "-")


def _put(term: Term, at: int, inner: Term) -> Term:
    """`term` with `inner` in the place of its factor number `at`."""
    factors = (*term.factors[:at], *inner.factors, *term.factors[at + 1 :])
    return replace(term, factors=factors, negative=term.negative != inner.negative, regrouped=True)
