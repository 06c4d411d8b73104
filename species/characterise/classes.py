"""Loop classes and the tags of nests (seed 001, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from species.characterise.base_loops import perfect_chain
from species.characterise.wavefronts import hyperplanes, text
from species.dependence.exact.vectors import Vector, vector
from species.dependence.flattened import Flattened
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import DistanceVector, LoopClass
from species.loops.model import Loop, Reference, inner_loops
from species.symbols.symbols import Symbol

MOST_PAIRS = 64  # of references whose vectors are worth the time


class Classifier:
    """Classes, distance vectors and tags of the loops of one function, once all of them are judged."""

    def __init__(self, judge: Judge, flows: FlowAnalysis, judgements: Mapping[int, Judgement]) -> None:
        self._judge, self._flows, self._judgements = judge, flows, judgements
        self._vectors: dict[int, tuple[Vector, ...]] = {}
        self._sor: dict[int, bool] = {}

    def loop_class(self, loop: Loop) -> LoopClass:
        """The class by the distances at which iterations of this loop depend on each other.

        Regular DOACROSS: they are constant.  Where the smallest is one, no two iterations can overlap,
        and the loop is DOSEQUENTIAL (figure 3.1 d); except inside a SOR-like nest, where skewing
        lets them (figures 3.2 b and 3.10).
        """
        judgement = self._judgements[loop.number]
        if loop.kind != "for" and loop.iterator is None:
            return LoopClass.WHILE
        if judgement.is_parallel:
            return LoopClass.DOALL
        if _is_ordered(judgement):
            return LoopClass.DOSEQUENTIAL
        distances = self._distances(judgement)
        if distances is None:
            return LoopClass.DOACROSS_IRREGULAR
        if min(distances) == 1 and not self._is_in_sweep(loop):
            return LoopClass.DOSEQUENTIAL
        return LoopClass.DOACROSS_IRREGULAR if judgement.overlaps else LoopClass.DOACROSS_REGULAR

    def _is_in_sweep(self, loop: Loop) -> bool:
        around = loop.parent
        return around is not None and (self.is_sor_like(around) or self._is_in_sweep(around))

    def _distances(self, judgement: Judgement) -> set[int] | None:
        """How many iterations apart those are that depend on each other; None where that varies."""
        codes = _codes(judgement)
        if not codes <= {"CV201", "CV203", "CV207"}:
            return None
        found = {v.distance[0] for v in self.vectors(judgement.loop)} - {0}
        if codes & {"CV201", "CV207"}:
            found.add(self._distance_of_scalars(judgement))
        known = {d for d in found if d is not None}
        return known if known and len(known) == len(found) else None

    def _distance_of_scalars(self, judgement: Judgement) -> int | None:
        """One, where every iteration writes all the scalars that it has from earlier ones."""
        flow = self._flows.iteration(judgement.loop.node)
        combined = {r.place.symbol for r in judgement.reductions}
        carried = set(flow.exposed) & self._written_scalars(judgement.loop) - combined
        return 1 if carried and flow.must is not None and carried <= flow.must else None

    def _written_scalars(self, loop: Loop) -> set[Symbol]:
        written = {r.symbol for r in self._judge.references(loop) if r.write and r.place.is_variable}
        return {s for s in written if s.is_scalar and s is not loop.iterator}

    def distances(self, loop: Loop) -> tuple[DistanceVector, ...]:
        """The distance vectors of a serial nest, as facts; none where more than dependences makes it so."""
        judgement = self._judgements[loop.number]
        if judgement.is_parallel or not loop.counted or _is_ordered(judgement):
            return ()
        loops = {inner.number: inner for inner in _all_loops(loop)}
        return tuple(
            DistanceVector(tuple(_name(loops[n]) for n in v.loops), v.distance) for v in self.vectors(loop)
        )

    def vectors(self, loop: Loop) -> tuple[Vector, ...]:
        """The distance vectors of the nest that starts at `loop`, smallest first, no two alike."""
        known = self._vectors.get(loop.number)
        if known is None:
            known = self._vectors[loop.number] = tuple(self._find_vectors(loop))
        return known

    def _find_vectors(self, loop: Loop) -> list[Vector]:
        pairs: dict[tuple[Reference, Reference], set[int]] = {}
        for number in sorted(inner_loops(loop)):
            judgement = self._judgements.get(number)  # none for the loops of a callee
            for found in judgement.dependences if judgement else ():
                pairs.setdefault((found.source, found.sink), set()).add(number)
        rows = self._by_rows(loop) if pairs else lambda reference: reference
        few = [((rows(one), rows(other)), at) for (one, other), at in [*pairs.items()][:MOST_PAIRS]]
        strided = {inner.number for inner in _all_loops(loop) if inner.strided}
        vectors = {vector(*pair, loop.number, frozenset(levels)).varying_in(strided) for pair, levels in few}
        if len(few) < len(pairs):
            vectors.add(Vector((loop.number,), (None,)))
        return sorted(vectors, key=lambda v: (v.loops, [(d is None, d or 0) for d in v.distance]))

    def _by_rows(self, loop: Loop) -> Callable[[Reference], Reference]:
        """Subscripts of flattened arrays as those of rows, where columns are sure to stay in them."""
        found = Flattened(self._judge.references(loop), (loop,))
        return found.by_rows if not found.conditions else lambda reference: reference

    def tags(self, loop: Loop) -> tuple[str, ...]:
        """What there is to say of the nest that starts at `loop`.

        `perfect`: all its statements stand inside the innermost loop; otherwise `imperfect` (seed 001,
        section 3.1.3).  A loop without loops inside has neither tag.  `uniform`: all dependences have
        constant distance vectors.  `wavefront`: see the function of this name.
        """
        if not loop.own_children:
            return ()
        found = ["imperfect" if perfect_nest(loop) is None else "perfect"]
        found += ["uniform"] if self._constant_vectors(loop) else []
        found += ["sor-like"] if self.is_sor_like(loop) else []
        found += ["wavefront"] if self.wavefront(loop) else []
        return tuple(found)

    def wavefront(self, loop: Loop) -> tuple[str, ...]:
        """Hyperplanes of a perfect nest of serial loops, one for each, which no dependence crosses backwards,
        as sums of iterators; none where there are none, or a larger nest around has some.
        """
        nest = perfect_nest(loop) or []
        around = loop.parent
        if len(nest) < 2 or not all(map(self._is_held_by_arrays, nest)):
            return ()
        if around is not None and perfect_nest(around) is not None and self.wavefront(around):
            return ()
        planes = hyperplanes(self._constant_vectors(loop))
        return tuple(text(plane, [_name(each) for each in nest]) for plane in planes or ())

    def _is_held_by_arrays(self, loop: Loop) -> bool:
        judgement = self._judgements.get(loop.number)
        if judgement is None or not loop.counted or judgement.is_parallel:
            return False
        return _codes(judgement) <= {"CV203", "CV205"} and bool(judgement.dependences)

    def _constant_vectors(self, loop: Loop) -> list[tuple[int, ...]]:
        """The distances of a perfect nest, if all are constant, and over all of its loops."""
        nest = perfect_nest(loop)
        judgement = self._judgements.get(loop.number)
        if nest is None or judgement is None or judgement.is_parallel or not loop.counted:
            return []
        vectors = self.vectors(loop)
        found = [tuple(d for d in v.distance if d is not None) for v in vectors]
        return found if all(len(each) == len(nest) for each in found) else []

    def is_sor_like(self, loop: Loop) -> bool:
        """Is the nest that starts at `loop` a sweep like successive over-relaxation?

        That is (seed 001, section 3.1.3 and figure 3.2 b) a perfect nest that updates an array in place
        from its neighbours: all its dependences have constant distance vectors, and some are carried by
        this loop, some by loops inside it.  Constant vectors, being lexicographically
        positive and finitely many, always leave a wavefront: a hyperplane that all of them cross forwards
        (Lamport's method; seed 001, section 3.2.6).
        """
        known = self._sor.get(loop.number)
        if known is None:
            known = self._sor[loop.number] = self._is_sweep(loop)
        return known

    def _is_sweep(self, loop: Loop) -> bool:
        nest = perfect_nest(loop)
        if nest is None or len(nest) < 2 or not all(self._is_uniform(n) for n in nest):
            return False
        vectors = self.vectors(loop)
        if not all(v.is_constant and len(v.loops) == len(nest) for v in vectors):
            return False
        outer = {bool(v.distance[0]) for v in vectors}
        return outer == {True, False}

    def _is_uniform(self, loop: Loop) -> bool:
        """Counted, and held back by nothing but dependences between array elements."""
        judgement = self._judgements.get(loop.number)
        if judgement is None or not loop.counted:
            return False
        return not judgement.overlaps and _codes(judgement) <= {"CV203"}


def _codes(judgement: Judgement) -> set[str]:
    return {finding.code for finding in judgement.findings}


def _is_ordered(judgement: Judgement) -> bool:
    """Must the iterations run one by one, whatever they do to memory?"""
    return any(code.startswith("CV3") for code in _codes(judgement))


def _all_loops(loop: Loop) -> list[Loop]:
    return [loop, *(inner for child in loop.children for inner in _all_loops(child))]


def _name(loop: Loop) -> str:
    return loop.iterator.name if loop.iterator else loop.kind


def perfect_nest(loop: Loop) -> list[Loop] | None:
    """The loops of the nest, outermost first, if all statements stand inside the innermost."""
    nest = [loop, *perfect_chain(loop)]
    return None if nest[-1].children else nest
