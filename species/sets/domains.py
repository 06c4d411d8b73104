"""Conditions as integer sets: may they hold together?  (isl, through islpy.)"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TypeVar

import islpy as isl

from species.core.budget import STEPS, conservatively
from species.core.memo import kept, remembered, take
from species.core.subprocess_trial import UNTOLD, Failed, tried
from species.sets.affine import Affine, Atom, Counter, Division, Value, is_natural
from species.sets.conditions import Both, Compare, Condition, Either, atoms, leaves
from species.sets.elimination import System, Undecided, alternatives, has_solution
from species.sets.products import factors, product
from species.sets.relevance import relevant
from species.sets.witness import refuted

T = TypeVar("T")

# Bounds on isl's internal operations, so that a query that explodes ends.  Operations take the longer the
# larger the numbers are, all of a sudden minutes: so many that this may come are first tried elsewhere, for
# PATIENCE seconds, many times what other queries take.  A query that has taken longer gets no further, higher
# bound.
EFFORTS = (9_000, 27_000, 243_000)
PER_STEP = 10  # operations
PER_LOOK, PER_SEARCH = 50, 300  # steps
TRIED = 50_000
PATIENCE = 1.0
# With large coefficients of many variables, even a few operations take minutes: such queries are not made.
LARGE = 2**8
MOST_LARGE = 6  # variables with them
TOO_LARGE = 2**40
MOST_MULTIPLES = 24
MOST_DIGIT = 3
REFUSED = "?"  # isl takes no text with it, so that the query has no answer


class Names:
    """Names for atoms in isl's notation.  `primed` atoms get a name of their own (second iteration)."""

    def __init__(self) -> None:
        self._names: dict[tuple[Atom, bool], str] = {}
        self._large: set[str] = set()

    def name(self, atom: Atom, primed: bool = False) -> str:
        return self._names.setdefault((atom, primed), f"{_letter(atom)}{len(self._names)}")

    def items(self) -> list[tuple[tuple[Atom, bool], str]]:
        return list(self._names.items())

    def natural(self) -> list[str]:
        """That the atoms named so far are at least zero, of those that never are negative."""
        return [f"{name} >= 0" for (atom, _), name in self._names.items() if is_natural(atom)]

    def product(self, coefficient: int, name: str) -> str:
        """`coefficient * name`, unless numbers get too large."""
        if abs(coefficient) >= LARGE:
            self._large.add(name)
        bearable = abs(coefficient) < TOO_LARGE and len(self._large) <= MOST_LARGE
        return f"{coefficient if bearable else REFUSED}*{name}"


def _letter(atom: Atom) -> str:
    return "t" if isinstance(atom, Counter) else "v"


class Printer:
    """Prints expressions and conditions in isl's notation; `varying` loops' atoms are primed."""

    def __init__(self, names: Names, varying: frozenset[int] = frozenset()) -> None:
        self.names = names
        self._varying = varying

    def expression(self, affine: Affine) -> str:
        terms = [self.names.product(c, self.atom(a)) for a, c in affine.ordered]
        return " + ".join([*terms, str(affine.constant)]).replace("+ -", "- ")

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Division):
            inner = self.expression(atom.numerator)
            return f"(({inner}) mod {atom.divisor})" if atom.remainder else f"floor(({inner})/{atom.divisor})"
        return self.names.name(atom, bool(atom.loops & self._varying))

    def condition(self, condition: Condition) -> str:
        match condition:
            case Compare(expression, equal):
                return f"{self.expression(expression)} {'=' if equal else '>='} 0"
            case Both(parts):
                return f"({all_hold(self.condition(p) for p in parts)})"
            case Either(parts):
                return f"({' or '.join(dict.fromkeys(self.condition(p) for p in parts)) or '1 = 0'})"
        return "1 = 1"


def value_ranges(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """What the types of the values in `conditions` say of them, as further conditions."""
    found: dict[Value, None] = {}
    for condition in conditions:
        found.update((a, None) for a in atoms(condition) if isinstance(a, Value))
    return tuple(c for value in found for c in _range(value, *value.ctype.value_range))


@kept(20_000)
def _range(value: Value, low: int, high: int) -> tuple[Condition, ...]:
    """That the value is in the range of its type, which equal values need not have in common."""
    one = Affine.of(value)
    if high >= 2**64:  # a product: wider than any machine integer
        return (Compare(one),) if low == 0 else ()
    return (Compare(one - low), Compare(-one + high))


def solution_set(conditions: Iterable[Condition]) -> isl.Set:
    """The solutions of all conditions together, over the atoms in them, as an isl set."""
    names = Names()
    printer = Printer(names)
    text = printer.condition(Both(tuple(conditions)))
    variables = ", ".join(name for _, name in names.items())
    return isl.Set(f"{{ [{variables}] : {text} }}")


def all_hold(parts: Iterable[str]) -> str:
    """Conditions in isl's notation as one; those with a choice last, with less to choose from."""
    return " and ".join(sorted(dict.fromkeys(parts), key=lambda part: " or " in part)) or "1 = 1"


def limited(query: Callable[[], T], when_exhausted: T) -> T:
    """The answer of an isl query; `when_exhausted` if there is none, or none within the last of `EFFORTS`.

    Raises `GaveUp` where nothing is left for the nest.
    """
    for operations in EFFORTS:
        take(operations // PER_STEP)
        attempt = partial(_within, operations, query)
        try:
            found = tried(attempt, PATIENCE) if operations > TRIED else UNTOLD
        except Failed:
            return when_exhausted  # there is no higher bound
        except TimeoutError:
            return _impatiently(when_exhausted)
        started = time.thread_time()
        try:
            return attempt() if found is UNTOLD else found
        except _Exhausted:
            if time.thread_time() - started > PATIENCE:
                return _impatiently(when_exhausted)
        except (isl.Error, TypeError):  # islpy makes None of a number that isl could not finish
            break
    return when_exhausted


def _impatiently(answer: T) -> T:
    """The answer, after the time of our patience."""
    take(int(PATIENCE * STEPS))
    return answer


class _Exhausted(Exception):
    """There are no operations left."""


def _within(operations: int, query: Callable[[], T]) -> T:
    """The answer of an isl query after at most so many operations; raises `_Exhausted`."""
    context = isl.DEFAULT_CONTEXT
    before = context.get_max_operations()  # a query may ask another one
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        return query()
    except (isl.Error, TypeError):
        if is_used_up():
            raise _Exhausted from None
        raise
    finally:
        context.reset_operations()
        context.set_max_operations(before)


def is_used_up() -> bool:
    """Are there no operations left?  Then not even this works."""
    try:
        isl.Set("{ [] }")
    except isl.Error:
        return True
    return False


def satisfiable(conditions: tuple[Condition, ...]) -> bool:
    """May all conditions hold together?  True also when that cannot be found out."""
    return conservatively(lambda: _satisfiable(conditions), otherwise=True)


@remembered(20_000)
def _satisfiable(conditions: tuple[Condition, ...]) -> bool:
    """As `satisfiable`; raises `GaveUp`."""
    try:
        return _has_solution(conditions)
    except Undecided:
        return limited(lambda: not solution_set(conditions).is_empty(), when_exhausted=True)


def _has_solution(conditions: tuple[Condition, ...]) -> bool:
    """The quick path; raises `Undecided`."""
    undecided = False
    for case in alternatives(conditions):
        system = System()
        try:
            for condition in case:
                system.add(condition, _itself)
            if has_solution(system):
                return True
        except Undecided:
            undecided = True
    if undecided:
        raise Undecided
    return False


def _itself(atom: Atom) -> Atom:
    return atom


def implied(claim: Compare, conditions: tuple[Condition, ...]) -> bool:
    """Is `claim` (an inequality) true wherever all of `conditions` hold?"""
    if _is_plain(claim.expression) or not claim.expression.terms:
        return claim.expression.constant >= 0
    conditions = relevant((claim.expression,), conditions)
    if _is_refuted(claim, conditions):
        return False
    if _follows(claim, conditions):
        return True
    if _is_refuted(claim, conditions, thoroughly=True):
        return False
    signs = tuple(product_signs((*conditions, claim), conditions))
    return bool(signs) and _follows(claim, (*conditions, *signs))


def _is_refuted(claim: Compare, conditions: tuple[Condition, ...], thoroughly: bool = False) -> bool:
    """Do numbers show that the claim does not follow?  False also where nothing is left to look for them."""

    def look() -> bool:
        take(PER_SEARCH if thoroughly else PER_LOOK)
        return refuted(claim, conditions, thoroughly)

    return conservatively(look, otherwise=False)


def implied_by_multiples(claim: Compare, conditions: tuple[Condition, ...]) -> bool:
    """As `implied`, where `i < n / w` says that `w*i + w` is at most `(n / w)*w`, too; of other products."""
    conditions = relevant((claim.expression,), conditions)
    if _is_refuted(claim, conditions):
        return False
    multiples = tuple(dict.fromkeys(_multiples(claim, conditions)))
    if not 0 < len(multiples) <= MOST_MULTIPLES:
        return False
    facts = (*conditions, *multiples)
    return _follows(claim, (*facts, *product_signs((*facts, claim), conditions)))


def _multiples(claim: Compare, conditions: tuple[Condition, ...]) -> Iterator[Condition]:
    """The comparisons of factors of the claim's products, times the other factors, which are not negative."""
    plain = [c for c in conditions if isinstance(c, Compare) and not c.equal]
    pairs = [factors(a) for a in dict.fromkeys(claim.expression.atoms()) if len(factors(a)) == 2]
    for factor, other in (way for a, b in pairs for way in ((a, Affine.of(b)), (b, Affine.of(a)))):
        if _follows(Compare(other), conditions):
            known = [c.expression for c in plain if c.expression.coefficient(factor)]
            known += _greatest(factor, conditions) if isinstance(factor, Division) else []
            yield from (Compare(times) for e in known if (times := product(e, other)) is not None)


def _greatest(digit: Division, conditions: tuple[Condition, ...]) -> list[Affine]:
    """That a quotient such as `d / 2` is at most a small number, as what is not negative then."""
    limits = (Affine.of(digit, -1) + most for most in range(MOST_DIGIT + 1))
    return list(islice((e for e in limits if _follows(Compare(e), conditions)), 1))


def always(condition: Condition, conditions: tuple[Condition, ...]) -> bool:
    """Is a condition surely true wherever all of `conditions` hold?  (Only inequalities are looked at.)"""
    if condition in conditions:
        return True
    return isinstance(condition, Compare) and not condition.equal and implied(condition, conditions)


def _follows(claim: Compare, conditions: tuple[Condition, ...]) -> bool:
    """As `implied`, of products nothing known but their types."""
    expression = claim.expression
    if _is_plain(expression) or not expression.terms:
        return expression.constant >= 0
    facts = (*conditions, Compare(-expression - 1))
    return not satisfiable((*facts, *value_ranges(facts), *_counters(facts)))


def _is_plain(expression: Affine) -> bool:
    """Is it a sum of what is never negative?"""
    return expression.constant >= 0 and all(c > 0 and _nonnegative(a) for a, c in expression.terms)


def _nonnegative(atom: Atom) -> bool:
    return not isinstance(atom, Value) or atom.ctype.value_range[0] >= 0


def product_signs(facts: Iterable[Condition], conditions: tuple[Condition, ...]) -> Iterator[Condition]:
    """What the signs of the factors, by `conditions`, say of the products in `facts`."""
    expressions = (leaf.expression for f in facts for leaf in leaves(f) if isinstance(leaf, Compare))
    for atom in dict.fromkeys(a for e in expressions for a in e.atoms()):
        parts = [Affine.of(f) for f in factors(atom)]
        if len(parts) < 2 or not all(_follows(Compare(p), conditions) for p in parts):
            continue
        yield Compare(Affine.of(atom))
        small = {k for k, p in enumerate(parts) if not _follows(Compare(p - 1), conditions)}
        yield from (Compare(Affine.of(atom) - p) for k, p in enumerate(parts) if small <= {k})


def _counters(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Every counter is at least zero."""
    found: dict[Counter, None] = {}
    for condition in conditions:
        found.update((a, None) for a in atoms(condition) if isinstance(a, Counter))
    return tuple(Compare(Affine.of(c)) for c in found)
