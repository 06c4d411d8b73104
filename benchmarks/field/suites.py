"""A package's own tests, on its sources as they are and on annotated ones.

One tree is built and tested again and again: as it came, then annotated in place in each way, by `cuvier
annotate` with the build's compile_commands.json, as a user would do it.  After each, `cuvier strip` has to
give the tree's bytes back.

Files beside the tree say what is known: NAME.WAY.json what came of a way, NAME.verdicts-WAY what came of its
test programs so far.  What they say is not done again: a run that was interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.field import builds
from benchmarks.field.builds import Package
from benchmarks.field.stages import Stages, slug
from cuvier.base.files import read_text
from species.annotate.markers import our_lines

WAYS = ("--style openmp --strict-fp", "--style openmp", "--style species")
ORIGINAL = "original"
WORDS = ("pass", "fail", "over time", "skipped")
_OVER_TIME, _SKIPPED = 124, 77  # as `timeout` and automake's harness have it


@dataclass(frozen=True)
class Verdict:
    """A test program's exit status, and how many parallel regions it entered with several threads."""

    test: str
    status: int
    seconds: float
    regions: int

    @property
    def word(self) -> str:
        return {0: "pass", _OVER_TIME: "over time", _SKIPPED: "skipped"}.get(self.status, "fail")


@dataclass
class Trial:
    """What came of a tree in one state: the `way` is the options for `cuvier annotate`, or ORIGINAL.

    `summary` is the last line that `cuvier annotate` says: how many loops, and what was not analysed.
    """

    way: str
    summary: str = ""
    annotated: int = 0  # files with at least one pragma
    compiled: int = 0  # of these, the ones that the build or the tests compiled
    pragmas: int = 0
    builds: bool = False
    passes: bool = False
    came_back: bool = True
    annotate_seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def regions(self) -> int:
        return sum(each.regions for each in self.verdicts)

    @property
    def seconds(self) -> float:
        """What the test programs took, one after the other."""
        return sum(each.seconds for each in self.verdicts)


@dataclass
class Suite:
    """A package, the lines of what it compiles, and its trials: the original, then every way."""

    package: str
    lines: int
    trials: list[Trial]


def run_suite(
    work: Path, name: str, package: Package, ways: Sequence[str], threads: int, tell: Callable[[str], None]
) -> Suite:
    """Builds and tests the original and the annotated package in `work`/suites/`name`."""
    tree = (work / "suites" / name).resolve()
    stages = Stages(tree, package, threads)
    tell(f"{name}: {ORIGINAL}")
    trials = [_known(tree, ORIGINAL) or _original(work, name, stages)]
    for way in ways:
        tell(f"{name}: {way}")
        trials.append(_known(tree, way) or _annotated(stages, way))
    return Suite(name, sum(read_text(path).count("\n") for path in stages.compiled(ORIGINAL)), trials)


def _known(tree: Path, way: str) -> Trial | None:
    """What an earlier run has said."""
    noted = _note(tree, way)
    if not noted.exists():
        return None
    said = json.loads(noted.read_text())
    return Trial(**said | {"verdicts": [Verdict(**each) for each in said["verdicts"]]})


def _keep(tree: Path, trial: Trial) -> Trial:
    _note(tree, trial.way).write_text(json.dumps(asdict(trial), indent=1) + "\n")
    return trial


def _note(tree: Path, way: str) -> Path:
    return tree.with_name(f"{tree.name}.{slug(way)}.json")


def _original(work: Path, name: str, stages: Stages) -> Trial:
    """The tree as it came, built and tested; then it has a compile_commands.json such as `bear` writes."""
    tree = stages.tree
    if not stages.log(ORIGINAL).exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.parent.mkdir(parents=True, exist_ok=True)
        builds.unpack(work, name, tree)
    trial = _tried(stages, Trial(ORIGINAL))
    entries = [{**e, "file": str(path)} for e, path in builds.compilations(stages.log(ORIGINAL), tree)]
    (tree / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    tree.with_name(f"{name}.hashes").write_text(json.dumps(_hashes(tree)))
    return _keep(tree, trial)


def _annotated(stages: Stages, way: str) -> Trial:
    """The tree annotated, built, tested and stripped."""
    tree = stages.tree
    stages.cuvier("strip-rest", "strip", "--in-place")
    trial, start = Trial(way), time.monotonic()
    before = json.loads(tree.with_name(f"{tree.name}.hashes").read_text())
    trial.summary = stages.cuvier(f"annotate-{slug(way)}", "annotate", "--in-place", *way.split())
    trial.annotate_seconds = time.monotonic() - start
    counts = {path: len(our_lines(read_text(Path(path)))) for path in before}
    ours = {Path(path) for path, count in counts.items() if count}
    trial.annotated, trial.pragmas = len(ours), sum(counts.values())
    _tried(stages, trial)
    trial.compiled = len(ours & set(stages.compiled(way)))
    stages.cuvier(f"strip-{slug(way)}", "strip", "--in-place")
    after = _hashes(tree)
    trial.came_back = all(after.get(path) == known for path, known in before.items())
    return _keep(tree, trial)


def _tried(stages: Stages, trial: Trial) -> Trial:
    """Builds and tests."""
    trial.builds = stages.build(trial.way)
    if trial.builds:
        trial.passes = stages.test(trial.way)
        lines = stages.verdicts(trial.way).read_text().splitlines()
        trial.verdicts = sorted((Verdict(**json.loads(line)) for line in lines), key=lambda each: each.test)
    return trial


def _hashes(tree: Path) -> dict[str, str]:
    """What the C files have in them."""
    files = (path for path in sorted(tree.rglob("*.c")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
