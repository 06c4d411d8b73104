"""Hypothesis strategies over the species language, in canonical form."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from species.grammar import (
    AccessPattern,
    ArraySpecies,
    Copy,
    CopyPragma,
    EndKernelPragma,
    KernelPragma,
    Pragma,
    Range,
    Species,
    SyncPragma,
    canonical,
)

quick = settings(deadline=None)  # the first example loads Lark; the profile says how many

names = st.sampled_from(["A", "B_1", "element", "chunk", "full", "assume", "kernel", "in", "x", "_y"])
paths = st.lists(names, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from([".".join(parts), "->".join(parts)])
)
integers = st.sampled_from(["0", "1", "63", "0xE", "0x1F", "10L", "4u"])
operators = st.sampled_from(["+", "-", "*", "/", "%", "<<", ">>"])


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    arguments = st.lists(inner, max_size=3).map(",".join)
    return st.one_of(
        st.tuples(inner, operators, inner).map(" ".join),
        inner.map(lambda text: f"- {text}"),
        inner.map(lambda text: f"({text})"),
        st.tuples(paths, arguments).map(lambda call: f"{call[0]}({call[1]})"),
        st.tuples(paths, inner, names).map(lambda row: f"{row[0]}[{row[1]}].{row[2]}[{row[1]}]"),
    )


reductions = st.sampled_from(["+", "*", "min", "max", "&", "|", "^", "&&", "||", "argmin", "argmax"])
expressions = st.recursive(st.one_of(paths, integers), _compound, max_leaves=4).map(canonical)
ranges = st.builds(Range, expressions, expressions)
comparisons = st.sampled_from(["<", "<=", ">=", "==", "!=", "&&", "||", "&", "^"])
conditions = st.recursive(
    st.one_of(expressions, paths.map(lambda p: f"(const char *)({p} + 1)"), names.map(lambda n: f"!{n}")),
    lambda inner: st.tuples(inner, comparisons, inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=4,
).map(canonical)


@st.composite
def array_species(draw: st.DrawFn) -> ArraySpecies:
    domain = tuple(draw(st.lists(ranges, min_size=1, max_size=3)))
    offsets = st.tuples(*(st.one_of(st.none(), ranges) for _ in domain))
    plain = st.sampled_from(["element", "full", "shared"]).map(AccessPattern)
    combined = st.builds(AccessPattern, st.just("shared"), st.just(()), reductions)
    ranged = st.builds(AccessPattern, st.sampled_from(["neighbourhood", "chunk"]), offsets)
    return ArraySpecies(draw(st.one_of(st.none(), paths)), domain, draw(st.one_of(plain, combined, ranged)))


sides = st.lists(array_species(), max_size=2).map(tuple)
species = st.builds(Species, sides, sides)
copies = st.builds(
    Copy, paths, st.lists(ranges, min_size=1, max_size=2).map(tuple), st.integers(min_value=0, max_value=99)
)
pragmas: st.SearchStrategy[Pragma] = st.one_of(
    st.builds(
        KernelPragma, species, st.booleans(), st.booleans(), st.lists(conditions, max_size=2).map(tuple)
    ),
    st.builds(EndKernelPragma, names),
    st.builds(
        CopyPragma, st.sampled_from(["in", "out"]), st.lists(copies, min_size=1, max_size=3).map(tuple)
    ),
    st.builds(SyncPragma, st.integers(min_value=0, max_value=99)),
)
