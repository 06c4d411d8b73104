"""Loops that compilers interchange, but not in a region.

    for (i) for (j) { c[i][j] = 0; for (k) c[i][j] += a[i][k] * b[k][j]; }

Compilers make j the innermost loop, along the rows of b and c, where they see that the arrays are apart: by
`restrict`, or because they are variables of the function.  A region's body becomes a function that gets
pointers to them, and they see it no more (gcc 12: three to six times as long for products of matrices whose
rows have a number as their length; others it leaves as they are).
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from models.sizes.amounts import Amounts
from models.sizes.headers import c_text, header_of
from species.source.syntax.tree import subscripted, variables, walk

# Times as fast are such loops, about, where compilers may interchange them: products, whose columns would
# each be read again and again, and two loops, which go through an array once.
_PRODUCT, _TWO_LOOPS = 5.0, 2.0


def faster(node: c_ast.Node, function: c_ast.FuncDef) -> float:
    """How many times as fast compilers make a loop by interchanging it, or loops inside of it, as long as no
    region is around; 1 where they do not.
    """
    hidden = apart(function)
    loops = [part for part in walk(function.body) if isinstance(part, c_ast.For)]
    iterators = {header.iterator for header in map(header_of, loops) if header is not None}
    nest = [part for part in walk(node) if isinstance(part, c_ast.For)] if hidden else []
    found = next((outer for outer in nest if _is_interchanged(outer, hidden, iterators)), None)
    if found is None:
        return 1.0
    is_alone = found is node and not any(node is part for loop in loops for part in walk(loop.stmt))
    return _TWO_LOOPS if is_alone else _PRODUCT


def _is_interchanged(outer: c_ast.For, hidden: set[str], iterators: set[str]) -> bool:
    """Does a loop inside of `outer` add up along columns of arrays that go along rows with the outer one?"""
    along = header_of(outer)
    for inner in (part for part in walk(outer.stmt) if isinstance(part, c_ast.For)):
        down = header_of(inner)
        if down is None or along is None:
            continue
        sums = [part for part in walk(inner.stmt) if isinstance(part, c_ast.Assignment)]
        found = [element for each in sums for element in elements(each)]
        if (
            sums
            and not any(isinstance(part, c_ast.For | c_ast.FuncCall) for part in walk(inner.stmt))
            and all(is_sum(each, down.iterator) for each in sums)
            and all(base(each) in hidden and _names(each) <= iterators for each in found)
            and any(_goes_down(each, down.iterator, along.iterator) for each in found)
        ):
            return True
    return False


def is_sum(statement: c_ast.Assignment, iterator: str) -> bool:
    """Does it add to an element that stays the same in the loop of the iterator?"""
    place = statement.lvalue
    return (
        statement.op != "="
        and isinstance(place, c_ast.ArrayRef)
        and iterator not in {each.name for each in variables(place)}
    )


def elements(statement: c_ast.Assignment) -> Iterator[c_ast.ArrayRef]:
    """The elements of arrays that a statement names, each as a whole."""
    inside: set[int] = set()
    for part in walk(statement):
        if isinstance(part, c_ast.ArrayRef) and id(part) not in inside:
            inside |= {id(each) for each in subscripted(part)}
            yield part


def base(element: c_ast.ArrayRef) -> str:
    *_, last = subscripted(element)
    return str(getattr(last.name, "name", ""))


def _names(element: c_ast.ArrayRef) -> set[str]:
    """The variables in its subscripts."""
    return {each.name for part in subscripted(element) for each in variables(part.subscript)}


def _goes_down(element: c_ast.ArrayRef, down: str, along: str) -> bool:
    """Is it `b[down][along]`, or `b[down * 9 + along]`?"""
    last, *others = (part.subscript for part in subscripted(element))
    if _step(last, along) != 1:
        return False
    return _step(last, down) > 1 or any(_step(each, down) for each in others)


def _step(subscript: c_ast.Node, iterator: str) -> float:
    """By how much a subscript grows with an iterator."""
    still = {each.name: 0.0 for each in variables(subscript)}
    amounts = Amounts(lambda _: None, 0.0, still)
    text = c_text(subscript)
    return amounts.knowing({**still, iterator: 1.0}).of(text) - amounts.of(text)


def apart(function: c_ast.FuncDef) -> set[str]:
    """The arrays of a function that are known to be apart from all others, with rows of a known length."""
    listed = function.decl.type.args.params if function.decl.type.args else []
    found = {each.name for each in listed if isinstance(each, c_ast.Decl) and _is_restricted(each.type)}
    for node in walk(function.body):
        if isinstance(node, c_ast.Decl) and "static" not in (node.storage or []) and _is_own(node):
            found.add(node.name)
    return found


def _is_restricted(ctype: c_ast.Node) -> bool:
    """`double a[restrict 9][9]`, `double (*restrict a)[9]`, `double *restrict a`"""
    match ctype:
        case c_ast.ArrayDecl(dim_quals=qualifiers, type=row):
            return "restrict" in (qualifiers or ()) and _is_numbered(row)
        case c_ast.PtrDecl(quals=qualifiers, type=row):
            return "restrict" in (qualifiers or ()) and _is_numbered(row)
    return False


def _is_own(variable: c_ast.Decl) -> bool:
    """An array, or a pointer to new memory."""
    match variable.type:
        case c_ast.ArrayDecl(type=row):
            return _is_numbered(row)
        case c_ast.PtrDecl(type=row):
            return _is_numbered(row) and any(isinstance(n, c_ast.FuncCall) for n in walk(variable.init or ()))
    return False


def _is_numbered(row: c_ast.Node) -> bool:
    """A number, or a row of them whose length is one; no pointers."""
    while isinstance(row, c_ast.ArrayDecl):
        if row.dim is None or any(variables(row.dim)):
            return False
        row = row.type
    return isinstance(row, c_ast.TypeDecl)
