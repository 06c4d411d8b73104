"""Passes over nests: how they are run, and the registry of all of them."""

from __future__ import annotations

import islpy as isl
import pytest

from skeletons import Library, SkeletonError
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings, on_trees, run
from skeletons.schedule.core.tree import Sequence, Tree
from skeletons.schedule.pipelines.registry import (
    NEST_PASSES,
    PASSES,
    check_names,
    kinds_of,
    passes_of,
    requestable,
)
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit

TEXT = "double a[99]; void f(void) { for (int i = 0; i < 99; i++) a[i] = i; }"


@pytest.fixture
def nest() -> Nest:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=TEXT)
    (scop,) = analyse(unit, AnalysisOptions(scops=True)).scops
    model = ScopModel(scop)
    return Nest(model, model.original)


def _settings(*without: str, reorder: bool = True) -> Settings:
    return Settings(lambda *_: None, lambda *_: False, reorder, frozenset(without))


def _wrapped(model: ScopModel, tree: Tree) -> Tree:
    return Sequence((tree,))


def _endless(model: ScopModel, tree: Tree) -> Tree:
    while True:
        isl.Set("{ [i, j] : 0 <= i < j < 1000 }").subtract(isl.Set("{ [i, j] : i = 2j }")).coalesce()


WRAP = NestPass("wrap", "put it into a sequence", apply=on_trees(_wrapped), reorders_sums=True)


def test_passes_run_in_their_order_and_tell_what_they_changed(nest: Nest) -> None:
    idle = NestPass("idle", "do nothing")
    made, steps = run((WRAP, idle, WRAP), nest, _settings())
    assert steps == ("wrap", "wrap")
    assert made.tree == Sequence((Sequence((nest.tree,)),))
    assert made.model is nest.model


def test_what_is_left_out_or_reorders_sums_is_not_made(nest: Nest) -> None:
    assert run((WRAP,), nest, _settings("wrap")) == (nest, ())
    assert run((WRAP,), nest, _settings(reorder=False)) == (nest, ())


def test_one_that_takes_too_long_changes_nothing(nest: Nest) -> None:
    endless = NestPass("endless", "never end", apply=on_trees(_endless))
    made, steps = run((endless, WRAP), nest, _settings())
    assert steps == ("wrap",) and made.tree == Sequence((nest.tree,))


def test_every_pass_has_a_target_and_a_summary() -> None:
    for each in PASSES:
        assert each.kinds and each.summary and each.summary[0].islower() and each.summary[-1] != "."
    for target in Library.load().all_targets:
        names = [each.name for each in passes_of(target)]
        assert len(names) == len(set(names))


def test_targets_have_the_passes_of_their_pipelines() -> None:
    library = Library.load()
    found = {t.name: {each.name for each in passes_of(t)} & NEST_PASSES for t in library.all_targets}
    assert "privatise" in found["openmp"] and "block" not in found["openmp"]
    assert "block" in found["cuda"] and "jam" not in found["cuda"]
    assert {"block", "jam"} <= found["opencl"] and not found["c"]
    assert kinds_of(library.target("c")) == frozenset()


def test_accelerators_are_asked_for_features_only() -> None:
    assert set(requestable(Library.load().target("cuda"))) == {
        "deterministic", "fuse", "glue", "library", "order", "tensor-cores",
    }  # fmt: skip


def test_all_that_is_made_by_itself_can_be_left_out() -> None:
    check_names(each.name for each in PASSES if "features" not in each.kinds)
    with pytest.raises(SkeletonError, match=r"unknown transformation 'share'; choose among block, carry, "):
        check_names(["share"])
