"""The analyser against corpus/truth.yaml: never wrongly parallel, and what it misses is listed here."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from species import analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
TRUTH = yaml.safe_load((CORPUS / "truth.yaml").read_text(encoding="utf-8"))
NEVER_PARALLEL = ("serial", "symbolic", "array-private", "conditional")

MISSED: set[tuple[str, str, int]] = set()  # (file, function, ordinal of the loop)


def loops_by_function(path: Path) -> dict[str, list[LoopFacts]]:
    found = defaultdict(list)
    for loop in analyse(read_translation_unit(str(path), PreprocessOptions())).loops:
        found[loop.function].append(loop)
    return found


def is_privatised(loop: LoopFacts, truth: str | dict[str, str]) -> bool:
    """Does every iteration get a copy of one of the arrays that the truth names, at least?"""
    named = truth.get("array-private", "") if isinstance(truth, dict) else ""
    return bool({n.strip() for n in named.split(",")} & {*loop.private, *loop.lastprivate})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sorted(TRUTH))
def test_verdicts(name: str) -> None:
    loops = loops_by_function(CORPUS / name)
    for function, verdicts in TRUTH[name].items():
        for ordinal, (loop, truth) in enumerate(zip(loops[function], verdicts, strict=True)):
            word = truth if isinstance(truth, str) else next(iter(truth))
            where = (name, function, ordinal)
            if word in NEVER_PARALLEL:
                assert loop.verdict is not Verdict.PARALLEL or is_privatised(loop, truth), where
            if word == "serial":
                assert loop.verdict is Verdict.SERIAL, where
            if word in ("parallel", "reduction", "array-reduction", "conditional"):
                assert loop.verdict.is_parallel == (where not in MISSED), where
            assert loop.verdict.is_parallel or loop.reasons, where


# Seed 003, table 3.2: species of the outermost parallel loops plus those nested in them.
TABLE_3_2 = """
2mm=6 3mm=9 atax=4 bicg=4 cholesky=3 doitgen=7 gemm=3 gemver=7 gesummv=2 mvt=4 symm=3 syr2k=3
syrk=3 trisolv=1 trmm=1 gramschmidt=5 durbin=2 dynprog=2 lu=3 ludcmp=4 correlation=8
covariance=6 reg_detect=5 adi=3 fdtd-2d=7 fdtd-2d-apml=4 jacobi-1d=2 jacobi-2d=4
floyd-warshall=0 seidel-2d=0
"""
SPECIES = {name: int(count) for name, count in (item.split("=") for item in TABLE_3_2.split())}


@pytest.mark.parametrize("name", sorted(SPECIES))
def test_at_least_the_species_of_table_3_2(name: str) -> None:
    """Initialisation and printing, which the seed leaves out, do not count."""
    loops = loops_by_function(CORPUS / "polybench" / f"{name}.c")
    kernel = [ls for function, ls in loops.items() if function.startswith("kernel_")]
    found = [loop for ls in kernel or [loops["main"]] for loop in ls if loop.species is not None]
    assert len(found) >= SPECIES[name]
    assert found or SPECIES[name] == 0
