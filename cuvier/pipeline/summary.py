"""The last line of `cuvier compile`: how many loops run on the target, and why most of the others do not."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cuvier.document.model import counted
from skeletons.catalogue.passes import WAVEFRONT
from species.facts.loops import LoopFacts, UnitFacts, Verdict

if TYPE_CHECKING:
    from skeletons import Choice, CompileOptions, Program
    from species.facts.loops import Kernel

_PLACES = {"openmp": "on threads (OpenMP)", "opencl": "on the OpenCL device", "cuda": "on the GPU"}
_NAMED = re.compile(r"'[^']*'|\d[\d,]*")
_SIZES = "--comm auto finds them at run time"
_TABLES = "--comm auto takes tables of rows to the device"
_CODE = re.compile(r"CV\d{3}: ")
_CHOICES = "--explain says more"
_ADVICE = "cuvier explain {place} says more"

# What a reason contains, what is said of such loops, and what to try.
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("and its size is unknown", "the sizes of their arrays are unknown", ""),
    ("holds pointers", "they use tables of pointers", ""),
    ("is a member of a structure", "they use members of structures", ""),
    ("from a macro or from another file", "they come from macros or other files", ""),
    ("the host is faster", "they have too few iterations for a launch", "--without threshold"),
    ("threads pay from", "they are too short for threads", "--without threshold takes them anyway"),
    (
        "of the time of the longest",
        "they take too little of the time",
        "--without threshold takes them anyway",
    ),
    ("a launch pays from", "they are too short for launches", "--without threshold takes them anyway"),
    ("OpenMP cannot state it", "OpenMP cannot state them", ""),
)
_BY_CODE = {
    "CV204": ("they may touch an element in two iterations", ""),
    "CV205": ("their pointers may overlap", "declare them restrict if they do not"),
    "CV305": ("they call functions whose order may matter", ""),
    "CV307": ("they are not counted loops", ""),
    "CV308": ("they are not counted loops", ""),
    "CV309": ("the analysis gave up", "--budget SECONDS gives it more"),
}


@dataclass(frozen=True)
class Left:
    """Why a loop does not run on the target, what might help ("": nobody knows), and its line."""

    why: str
    hint: str
    line: int


@dataclass(frozen=True)
class Summary:
    """Of the loops of a file, those that only stand around others that run aside."""

    file: str
    place: str  # where the target runs its loops: "on the GPU"
    loops: int
    run: int
    left: tuple[tuple[str, tuple[Left, ...]], ...]  # by reason, the most frequent first

    @property
    def text(self) -> str:
        """One line."""
        if not self.loops:
            return f"{self.file} has no loops"
        verb = "runs" if self.loops == 1 else "run"
        head = f"{self.run} of {counted(self.loops, 'loop')} {verb} {self.place}"
        if not self.left:
            return head
        why, those = self.left[0]
        hint = those[0].hint or _ADVICE.format(place=f"{self.file}:{those[0].line}")
        return f"{head}{self._left(why, len(those))}; {hint}"

    def _left(self, why: str, most: int) -> str:
        """How many are left, and how many of them for the most frequent reason."""
        left = self.loops - self.run
        if most == self.loops:
            return f": {why}"
        said = why if most == left else f"{most} of them: {why}"
        return f", {left} {'does' if left == 1 else 'do'} not ({said})"

    @property
    def values(self) -> dict[str, Any]:
        """The same as data."""
        left = [
            {
                "reason": why,
                "loops": len(those),
                "lines": [t.line for t in those],
                "hint": those[0].hint or None,
            }
            for why, those in self.left
        ]
        return {"loops": self.loops, "run": self.run, "left": left, "text": self.text}


def summarised(program: Program, facts: UnitFacts, target: str, options: CompileOptions) -> Summary:
    """What became of the loops of a file; `facts` are those of the file as it is."""
    taken = {choice.kernel.name for choice in program.choices if choice.skeleton is not None}
    made = [loop for loop in program.replaced if loop.kernel is not None and loop.kernel.name in taken]
    own = [loop for loop in facts.loops if loop.position.file == facts.file]
    waves = {choice.kernel.name for choice in program.choices if WAVEFRONT in choice.steps}
    run = [loop for loop in own if any(_runs(loop, each, waves) for each in made)]
    around = [loop for loop in own if loop not in run and any(_holds(loop, each) for each in (*made, *run))]
    rest = [loop for loop in own if loop not in run and loop not in around]
    refused = [choice for choice in program.choices if choice.skeleton is None]
    groups: dict[str, list[Left]] = {}
    for loop in rest:
        left = _left(loop, refused, options)
        groups.setdefault(_NAMED.sub("*", left.why), []).append(left)
    ordered = sorted(groups.values(), key=lambda those: -len(those))
    return Summary(
        facts.file,
        _place(target, options),
        len(run) + len(rest),
        len(run),
        tuple((those[0].why, tuple(those)) for those in ordered),
    )


def _place(target: str, options: CompileOptions) -> str:
    """Where the target runs its loops."""
    place = _PLACES.get(target, f"on the target {target}")
    host = {"openmp": "on threads", "c": "on the host"}.get(options.beside)
    return f"{place} or {host}, as they are launched (policy {options.policy})" if host else place


def _runs(loop: LoopFacts, made: LoopFacts, waves: Container[str]) -> bool:
    """Is the loop, or one around it, spread over the target?  Of a serial nest in another order, some are;
    all of them where wavefronts run through it.
    """
    is_wave = made.kernel is not None and made.kernel.name in waves
    spread = made.verdict.is_parallel or made.scheme is not None or is_wave
    return _holds(made, loop) and (spread or loop.verdict.is_parallel)


def _holds(outer: LoopFacts, inner: LoopFacts) -> bool:
    """Does one of two loops, or the nest that it stands for, have the other inside, or is it that?"""
    return outer.whole is not None and inner.whole is not None and outer.whole.holds(inner.whole)


def _left(loop: LoopFacts, refused: Iterable[Choice], options: CompileOptions) -> Left:
    """Why a loop is left: what was said of its kernel, or that it has none."""
    alike = [c for c in refused if loop.kernel is not None and _headers(c.kernel) == _headers(loop.kernel)]
    named = [c for c in alike if loop.kernel is not None and c.kernel.name == loop.kernel.name]
    choice = next(iter(named or alike), None)
    if loop.verdict.is_parallel and choice is not None:
        return _of_choice(choice, loop, options)
    if loop.verdict.is_parallel:
        return Left("they are parallel, but no kernel can be made of their text", "", loop.position.line)
    return _of_verdict(loop)


def _headers(kernel: Kernel) -> list[tuple[str, ...]]:
    """What tells kernels apart, also where stages have put others between them, which have numbers."""
    return [(loop.iterator, loop.lower, loop.condition, loop.increment) for loop in kernel.loops]


def _of_choice(choice: Choice, loop: LoopFacts, options: CompileOptions) -> Left:
    """By the reason that rules all skeletons out, or the one against the last that takes any loop."""
    why = next((text for name, _, text in choice.why if name in ("kernel", "default")), choice.why[-1][2])
    obstacles = choice.kernel.obstacles
    found = next(((said, hint) for part, said, hint in _KINDS if part in why), (_CODE.sub("", why), ""))
    left = Left(found[0], found[1] or _CHOICES, loop.position.line)
    curable = obstacles and all(o in (*choice.kernel.unsized, *choice.kernel.pointers) for o in obstacles)
    alone = not options.beside and options.devices == 1  # else --comm static is needed
    if curable and options.comm == "static" and alone:
        return replace(left, hint=_SIZES if "and its size is unknown" in why else _TABLES)
    return left


def _of_verdict(loop: LoopFacts) -> Left:
    """Of a loop that is not parallel."""
    line = loop.position.line
    if loop.verdict is Verdict.SERIAL and loop.proven:
        return Left("their iterations must run in order", "", line)
    reason = next(iter(loop.reasons), None)
    if reason is None:
        return Left("they are not proven parallel", "", line)
    if reason.code == "CV305" and "not known" in reason.message:
        return Left("they call unknown functions", "--effects FILE says what these do", line)
    said, hint = _BY_CODE.get(reason.code, ("they are not proven parallel", ""))
    return Left(said, hint, line)
