"""Which of many conditions bear on a question: those that speak of its atoms, if by way of others.

What the rest says is either of no matter, or never true: then the code is never executed.  What is known of a
value, such as `c ? a : b`, says something of it, and nothing of what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterable

from species.core.memo import kept
from species.sets.affine import Affine, Atom
from species.sets.conditions import Compare, Condition, Fact, Unknown, leaves
from species.sets.products import factors

Atoms = frozenset[Atom]


def relevant(questions: Iterable[Affine], conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions that share an atom with a question, or with one that does, in their order."""
    known = {a for question in questions for a in _with_factors(question.atoms())}
    kept: set[int] = set()
    pending = [(k, _subject(c)) for k, c in enumerate(conditions) if not isinstance(c, Unknown)]
    while True:
        connected = [k for k, atoms in pending if not atoms or not known.isdisjoint(atoms)]
        if not connected:
            return conditions if len(kept) == len(conditions) else tuple(conditions[k] for k in sorted(kept))
        kept.update(connected)
        known.update(*(_atoms(conditions[k]) for k in connected))
        pending = [(k, atoms) for k, atoms in pending if k not in kept]


def _subject(condition: Condition) -> Atoms:
    return frozenset((condition.value,)) if isinstance(condition, Fact) else _atoms(condition)


@kept(20_000)
def _atoms(condition: Condition) -> Atoms:
    """What a condition speaks of: of a product, of its factors too."""
    compared = (leaf.expression for leaf in leaves(condition) if isinstance(leaf, Compare))
    return frozenset(a for e in compared for a in _with_factors(e.atoms()))


def _with_factors(atoms: Iterable[Atom]) -> Iterable[Atom]:
    for atom in atoms:
        yield atom
        yield from factors(atom)
