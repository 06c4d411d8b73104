"""Domains and accesses of one nest as isl texts, over the values of iterators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from species.loops.model import Loop, Reference
from species.regions.bound_texts import less_text
from species.regions.c_printer import Renderer, Unprintable
from species.scops.refused import Refused
from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Compare, Condition, leaves
from species.sets.domains import Names, Printer, value_ranges

Extents = tuple[int | None, ...]


class Parameters:
    """Values that do not change in the nests, each with a name in the sets and C text."""

    def __init__(self, renderer: Renderer, inside: frozenset[int]) -> None:
        self._renderer, self._inside = renderer, inside
        self._names: dict[Atom, str] = {}
        self._texts: dict[str, str] = {}
        self.names = Names()
        self.printer = Printer(self.names)

    def expression(self, affine: Affine) -> str:
        """isl text; raises Refused where it is no affine function of iterators and parameters."""
        self._check(affine)
        return self.printer.expression(affine)

    def condition(self, condition: Condition) -> str:
        """isl text; raises Refused as for expressions."""
        for leaf in leaves(condition):
            if not isinstance(leaf, Compare):
                raise Refused(f"a condition is not affine: {leaf.why}")
            self._check(leaf.expression)
        return self.printer.condition(condition)

    def is_affine(self, affine: Affine) -> bool:
        """Is it an affine function of iterators and parameters?"""
        return all(isinstance(a, Counter) or not a.loops & self._inside for a in affine.atoms())

    def _check(self, affine: Affine) -> None:
        if not self.is_affine(affine):
            raise Refused("a bound is not affine in the iterators")
        for atom in affine.atoms():
            if atom not in self._names and self._is_parameter(atom):
                self._add(atom)

    def _is_parameter(self, atom: Atom) -> bool:
        return isinstance(atom, Value) or (isinstance(atom, Counter) and atom.loop not in self._inside)

    def _add(self, atom: Atom) -> None:
        try:
            self._texts[self.names.name(atom)] = _signed(atom, self._renderer.text(Affine.of(atom)))
        except Unprintable:
            raise Refused("a bound has no name before the loops") from None
        self._names[atom] = self.names.name(atom)

    def texts(self) -> tuple[tuple[str, str], ...]:
        """(name, C text) of every parameter that has been mentioned."""
        return tuple(self._texts.items())

    def list(self) -> str:
        """`[n, m] -> `, the beginning of a set."""
        return f"[{', '.join(self._texts)}] -> "

    def less(self, value: Value, most: int) -> str:
        """That a value is less than a power of two, as C; raises Refused where it has no name."""
        try:
            return less_text(value, most, self._renderer)
        except Unprintable:
            raise Refused("a bound that may wrap around has no name before the loops") from None

    def context(self, known: Iterable[Condition], slack: Mapping[Value, int]) -> str:
        """What the types say of the parameters, and those of the `known` conditions that are about them.

        Sums of a parameter and its `slack` may wrap around; where they do, it stands for a negative number.
        """
        ours = [c for c in known if self._is_about_parameters(c)]
        values = [a for a in self._names if isinstance(a, Value)]
        ranges = value_ranges(Compare(Affine.of(a)) for a in values if a not in slack)
        ranges += tuple(Compare(Affine.of(a, 1) + slack[a]) for a in values if a in slack)
        counters = [Compare(Affine.of(a)) for a in self._names if isinstance(a, Counter)]
        parts = [self.printer.condition(c) for c in (*ours, *ranges, *counters)]
        return f"{self.list()}{{ : {' and '.join(parts) or '1 = 1'} }}"

    def _is_about_parameters(self, condition: Condition) -> bool:
        return all(
            isinstance(leaf, Compare) and all(a in self._names for a in leaf.expression.atoms())
            for leaf in leaves(condition)
        )


class Iterations:
    """The iterations of a statement within some loops of the nest, outermost first, where `guards` hold."""

    def __init__(
        self, parameters: Parameters, loops: tuple[Loop, ...], guards: tuple[Condition, ...] = ()
    ) -> None:
        self._parameters, self._loops, self._guards = parameters, loops, guards
        self.iterators = tuple(loop.iterator.name for loop in loops if loop.iterator)
        if len(set(self.iterators)) < len(loops):
            raise Refused("two loops inside one another have the same iterator")

    def domain(self, name: str) -> str:
        """`{ S0[i, j] : ... }`."""
        return self._text(f"{name}[{', '.join(self.iterators)}]", self._loops, [])

    def relation(self, name: str, reference: Reference, array: str, inner: Mapping[int, Loop]) -> str:
        """`{ S0[i, j] -> A[x0, x1] : ... }`; `inner` are the loops inside of the statement, by number."""
        cells = [f"x{d}" for d in range(len(reference.place.path))]
        equations = [
            f"{cell} = {self._parameters.expression(step)}"
            for cell, step in zip(cells, reference.place.path, strict=True)
            if isinstance(step, Affine) and self._parameters.is_affine(step)
        ]
        loops = (*self._loops, *(inner[n] for n in reference.loops if n in inner))
        head = f"{name}[{', '.join(self.iterators)}] -> {array}[{', '.join(cells)}]"
        return self._text(head, loops, equations)

    def _text(self, head: str, loops: tuple[Loop, ...], equations: list[str]) -> str:
        own = {loop.number for loop in self._loops}
        parts, counters = [self._parameters.condition(guard) for guard in self._guards], []
        for loop in loops:
            counter = self._parameters.names.name(loop.counter)
            counters.append(counter)
            start = Affine.of(loop.counter, loop.step) + loop.lower
            if loop.number in own and loop.iterator is not None:
                parts.append(f"{loop.iterator.name} = {self._parameters.expression(start)}")
            parts.append(f"{counter} >= 0")
            if loop.number in own or loop.exact:
                parts.append(self._parameters.condition(loop.bound))
        known = " and ".join([*parts, *equations]) or "1 = 1"
        exists = f"exists ({', '.join(counters)} : {known})" if counters else known
        return f"{self._parameters.list()}{{ {head} : {exists} }}"

    def moves(self, reference: Reference) -> tuple[tuple[int, ...] | None, ...]:
        """See `ScopAccess.moves`."""
        return tuple(self._moves(step) for step in reference.place.path)

    def _moves(self, subscript: Affine | str) -> tuple[int, ...] | None:
        if not isinstance(subscript, Affine) or not self._parameters.is_affine(subscript):
            return None
        if any(not isinstance(a, Counter) and a.loops for a, _ in subscript.terms):
            return None  # quotients move by fits and starts
        found: list[int] = []
        for loop in reversed(self._loops):  # inner iterators may start where outer ones are
            coefficient = subscript.coefficient(loop.counter)
            amount, rest = divmod(coefficient, loop.step)
            found.append(amount if rest == 0 else amount + 1)
            subscript -= Affine.of(loop.counter, coefficient) + loop.lower.scaled(amount)
        return tuple(reversed(found))


def _signed(atom: Atom, text: str) -> str:
    """Of unsigned values a signed text: sums and negatives of them must not wrap around."""
    unsigned = isinstance(atom, Value) and atom.ctype.unsigned and atom.ctype.bits >= 32
    return f"(long){text}" if unsigned and not text.startswith("(long)") else text
