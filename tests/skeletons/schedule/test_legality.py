"""Legality, decided for two statements at a time, is what the whole order says at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

CORPUS = ROOT / "corpus" / "polybench"
NEVER = """int a[99], b[99]; void f(int n) {
    for (int i = 1; i < 90; i++) {
        for (int j = 5; j < 5; j++) a[j] = b[i];
        b[i] = b[i - 1] + a[i];
        a[i + 1] = b[i]; } }"""
TEXTS = {
    "a statement that never runs": NEVER,
    **{name: (CORPUS / f"{name}.c").read_text() for name in ("fdtd-2d", "lu", "atax", "cholesky")},
}


def variants(tree: Tree) -> Iterator[Tree]:
    """The tree with one of its loops run backwards, or one of its sequences."""
    if isinstance(tree, Leaf):
        return
    if isinstance(tree, Sequence):
        yield Sequence(tree.children[::-1])
        for k, child in enumerate(tree.children):
            for other in variants(child):
                yield Sequence((*tree.children[:k], other, *tree.children[k + 1 :]))
        return
    if isinstance(tree, Band):
        yield replace(tree, of={name: f"-({value})" for name, value in tree.of.items()})
    for other in variants(tree.child):
        yield replace(tree, child=other)


def at_once(model: ScopModel, tree: Tree) -> bool:
    order = model.schedule_map(tree)
    return bool(model.dependences.intersect(order.lex_ge_union_map(order)).is_empty())


@pytest.mark.parametrize("name", TEXTS)
def test_the_whole_order_says_the_same(name: str) -> None:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=TEXTS[name])
    answers = set()
    for model in map(ScopModel, analyse(unit, AnalysisOptions(scops=True)).scops):
        pairs = model._pairs(lambda *_: True, lambda *_: True)
        before = model.order.lex_lt_union_map(model.order)
        assert model.dependences.is_equal(pairs.intersect(before))
        assert model.is_legal(model.original)
        for tree in variants(model.original):
            answers.add(model.is_legal(tree))
            assert model.is_legal(tree) == at_once(model, tree)
    assert answers == {True, False}
