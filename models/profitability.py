"""Is a loop worth threads?  The one decision, for annotations, generated programs, editors and reports.

A region costs what it takes to start threads and to meet behind it, each time the loop is entered; it wins
what one core needs for the loop, less what all of them need.  Where only the run knows the sizes, generated
code asks (`Worth.asked`), which costs a call, too: so nothing is put around a loop that is entered again and
again and is short as far as the file tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from pycparser import c_ast

from models import overlap_tests
from models.amdahl import LONGEST
from models.callgraph import Callers, called_in, callers_first
from models.collapse import joined
from models.estimate import Estimate, Program, estimates, loop_nodes
from models.hidden_constants import Hidden
from models.indirect.accesses import scattered
from models.interchange import faster
from models.irregular import schedule
from models.machine import Machine, core_seconds
from models.nests import FunctionLoops
from models.run_time_thresholds import Question, question, row_question
from models.scope import Scope
from models.sizes.amounts import UNKNOWN
from models.sizes.extents import Extents
from models.sizes.values import enumerated
from models.unrolled_sums import SLOWER, summed
from models.whole_program import WholeProgram
from models.wording import amount, guesses, times
from species.annotate.openmp import pragma_obstacle
from species.facts.loops import LoopFacts, Reduction, UnitFacts
from species.source import TranslationUnit

# Estimates are of code without vectors, and of data in memory; others take an eighth.
MARGIN = 16  # times what a region costs that one core has to need
AGAIN = 64  # entries in a run from which on measuring them pays
HOT = 5_000  # entries from which on a region must take SURE times as long: there, wrong guesses cost most
SURE = 3.0
BRIEF = 2e-3  # seconds of one core: where others use the machine, a region may cost more than that
RARELY = 8  # entries in a run of the program: so often a question may be answered with no
_THREADS, _LAUNCH = "threads pay", "a launch pays"
_TOO_LONG = f", if all that it takes in a run is {LONGEST:.0f} s"


@dataclass(frozen=True)
class Worth:
    """What is decided of a loop.

    `region`: threads share it, if at run time `asked` (C; empty: always) holds.  `joined` is how many loops,
    from this one inwards, they share as one.  `why` not, in words.  It is `entered` so often in a run, and
    makes `trips` iterations, as far as the file tells; `known` says that no size is a guess.  `interchanged`:
    it has no region because compilers order its loops better without one (who orders them himself need not
    care).
    """

    region: bool
    asked: str = ""
    joined: int = 1
    why: str = ""
    entered: float = 1.0
    trips: float = 0.0
    known: bool = False
    few: tuple[str, int] | None = (
        None  # what compilers know, but not in a region: see `models.hidden_constants`
    )
    interchanged: bool = False
    schedule: str = ""  # what OpenMP's clause should say; empty: nothing
    brief: bool = False  # it is entered often, and takes so short that what a region costs may not be known

    @property
    def often(self) -> bool:
        """Is it entered so often that a question must not be asked in vain?"""
        return self.entered > RARELY


def profitable(
    unit: TranslationUnit, facts: UnitFacts, machine: Machine, *, copies: bool = False
) -> UnitFacts:
    """The facts, in which every loop says whether threads pay: see `LoopFacts.unprofitable` and `asked`;
    `copies` as of `decide`.
    """
    decided = decide(unit, facts, machine, takes=_can_be_marked, copies=copies)

    def judged(loop: LoopFacts) -> LoopFacts:
        worth = decided.get(loop.id)
        if worth is None:
            return loop
        why, asked, joined, few = worth.why, worth.asked, worth.joined, worth.few
        return replace(loop, unprofitable=why, asked=asked, collapse=joined, few=few, schedule=worth.schedule)

    return replace(facts, loops=tuple(map(judged, facts.loops)))


def decide(
    unit: TranslationUnit,
    facts: UnitFacts,
    machine: Machine,
    start: float | None = None,
    margin: float = MARGIN,
    takes: Callable[[LoopFacts], bool] = lambda loop: loop.openmp and loop.verdict.is_parallel,
    copies: bool = False,
    measured: bool = False,
) -> dict[str, Worth]:
    """By loop id; loops inside of those that get a region are missing, and those that the tree does not show.

    `takes` says of which loops threads can share the iterations.  `start`: seconds to start something else
    than a parallel region, of which one core has to need `margin` times as many.  `copies`: who makes the
    regions reads members of structures before them (`Kernel.members`).  `measured`: programs leave a region
    that turns out to be slower (`Worth.brief`), so that no guess about it is dear.  Functions are looked at
    after those that call them: what a loop with threads calls runs in one thread.
    """
    program, cost = Program.of(unit.ast), machine.region if start is None else start
    what = _THREADS if start is None else _LAUNCH
    judge = _Judge(
        unit,
        facts,
        machine,
        program,
        estimates(unit, facts, program),
        cost,
        margin,
        what,
        takes,
        copies,
        measured,
    )
    for name in callers_first(program.functions):
        judge.function(name)
    return judge.found


@dataclass
class _Judge:
    """Decides function by function; `shared` are the nodes of loops whose iterations threads share."""

    unit: TranslationUnit
    facts: UnitFacts
    machine: Machine
    program: Program
    estimates: Mapping[str, Estimate]
    start: float
    margin: float
    what: str
    takes: Callable[[LoopFacts], bool]
    copies: bool
    measured: bool
    found: dict[str, Worth] = field(default_factory=dict)
    shared: set[int] = field(default_factory=set)
    covered: dict[str, str] = field(default_factory=dict)  # function -> one of those that call it in threads

    def __post_init__(self) -> None:
        self.extents = Extents.of(self.unit.ast, enumerated(self.unit.ast, UNKNOWN))
        self.callers = Callers(self.program.functions)
        self.nodes = {
            name: {loop.id: node for node, loop in loop_nodes(self.unit, functions, self.facts.loops)}
            for name, functions in self.program.functions.items()
        }
        self.whole = WholeProgram(
            self.unit,
            self.facts,
            self.machine,
            self.program,
            self.estimates,
            self.nodes,
            self.callers,
            self.takes,
            self.what == _THREADS,
            self.copies,
        )

    def function(self, name: str) -> None:
        """Decide about the loops of one function."""
        caller = self.callers.in_threads(name, self.shared, self.covered)
        if caller is not None:
            self.covered[name] = caller
        inside: set[str] = set()
        for loop in self.facts.loops:
            node = self.nodes[name].get(loop.id) if loop.function == name else None
            if node is None:
                continue
            if loop.parent in inside:
                inside.add(loop.id)
                continue
            worth = self._of(loop, node, name)
            self.found[loop.id] = worth
            if worth.region and self.takes(loop):
                inside.add(loop.id)
                self.shared.add(id(node))

    def _of(self, loop: LoopFacts, node: c_ast.Node, name: str) -> Worth:
        estimate, functions = self.estimates[loop.id], self.program.functions[name]
        trips = functions.chains[id(node)][-1].trips
        seconds = core_seconds(estimate.operations, estimate.bytes, self.machine)
        seconds /= max(1.0, estimate.executions)
        lanes = 1.0 if scattered(node, functions.amounts.chosen) else self.whole.lanes(loop)
        entered = estimate.executions * estimate.calls
        is_dear = entered > HOT and not self._is_left(loop, node, name)
        least = self.margin * self._cost(loop) * lanes * (SURE if is_dear else 1.0)
        scope = Scope(self.unit, functions.function, node)
        long_rows, short_rows = self._row_tests(loop, functions, scope, seconds)
        long = question(loop, functions, scope, seconds, least, self.extents, self.program.functions)
        asked = " && ".join(filter(None, (long.text, long_rows)))
        guessed = functions.guesses(node, self.program.operations)
        known = not guessed
        is_long = not known and entered > RARELY and seconds * entered > LONGEST
        seconds = LONGEST / entered if is_long else seconds
        hidden = self.whole.hidden.get(loop.id)
        collapsed = joined(node, functions, loop.collapse, self.machine.cores)
        few = (hidden.name, hidden.numbers[0]) if hidden else None
        brief = entered >= AGAIN and self.whole.copies and seconds < BRIEF
        worth = Worth(True, asked, collapsed, "", entered, trips, known, few, brief=brief)
        if self.what == _THREADS and collapsed <= 1:
            each = seconds / max(1.0, trips)
            told = scope.trips(node)
            shares = schedule(loop, node, self.program, told, each, self.machine.cores)
            worth = replace(worth, schedule=shares)
        if caller := self.covered.get(name):
            why = f"threads share a loop of '{caller}' that calls '{name}'"
        elif hidden is not None:
            why = _hides(hidden)
        elif short_rows:
            why = short_rows
        elif long.most is not None:
            size = " at most, for its arrays are declared no longer"
            why = self._why(seconds * long.most, least, entered, size)
        elif loop.id in self.whole.negligible and not (
            asked and not worth.often and self.whole.are_unknown(guessed, name)
        ):
            why = "it takes too small a part of the program's time"
        elif structure := self.whole.hindering.get(loop.id):
            why = f"compilers load the members of '{structure}' again and again where threads know one"
        elif (
            self._is_asked(long, entered, name, node)
            if long.text and worth.often and (self.whole.copies or not is_long)
            else seconds >= least
        ) or (asked and not worth.often and not (self._are_bounded(guessed, name) and seconds < least / 2)):
            why = self._loses(loop, node, functions)
            if not why:
                return worth
            worth = replace(worth, interchanged=True)
        else:
            size = "" if known else _TOO_LONG if is_long else guesses(guessed)
            why = self._why(seconds, least, entered, size)
        return replace(worth, region=False, asked="", why=why)

    def _is_left(self, loop: LoopFacts, node: c_ast.Node, name: str) -> bool:
        """Does a program come back to the loop as it was, where a region is slower than that?"""
        alone = not called_in(self.program.functions, name, node)  # else there is no second version
        return self.measured and alone and not loop.reductions

    def _row_tests(
        self, loop: LoopFacts, functions: FunctionLoops, scope: Scope, seconds: float
    ) -> tuple[str, str]:
        """C text that asks if the rows of tables are worth their tests; and why not, where they never are."""
        tested = overlap_tests.seconds(loop, self.machine.cores)
        if not tested:
            return "", ""
        each, asked = row_question(
            loop, functions, scope, seconds, tested, overlap_tests.rows(loop), self.extents
        )
        is_short = each < tested and not asked
        return asked, f"a row takes about {amount(each)}, and testing it takes as long" if is_short else ""

    def _are_bounded(self, sizes: Iterable[str], name: str) -> bool:
        """Are these, and what calls in the file tell of others, at most what they are taken for?"""
        typical = self.program.typical
        if not self.callers.sees_all_calls(name):
            return not any(sizes) and not typical.has_parameters(name)
        return all(typical.bounds(size, name) for size in sizes)

    def _is_asked(self, long: Question, entered: float, name: str, node: c_ast.Node) -> bool:
        """Is it likely enough that a loop is long, to ask?  Where a second version stands for the times when
        it is not, which calls nothing of the file's (`select.versions`), asking costs next to nothing.

        (Without one, a directive whose `if` says no still costs: loops that must be short are not asked.)
        """
        alone = self.whole.copies and entered <= HOT
        return long.met or (alone and not called_in(self.program.functions, name, node))

    def _loses(self, loop: LoopFacts, node: c_ast.Node, functions: FunctionLoops) -> str:
        """What compilers make of the loop without a region, where that is worth more; else empty."""
        if self._loses_interchange(node, functions):
            return "compilers interchange loops inside of it, which they cannot in a region"
        if array := self._loses_sum(node, functions):
            return f"compilers keep sums in '{array}' in registers, but not in a region: use a variable"
        if pairs := self.whole.untested(loop):
            return f"compilers would test {pairs} pairs of arrays for vectors in a region, and make none"
        return ""

    def _loses_interchange(self, node: c_ast.Node, functions: FunctionLoops) -> bool:
        """Do compilers make more of the loop's nest than so few cores?"""
        return self.what == _THREADS and faster(node, functions.function) >= self.machine.cores > 1

    def _loses_sum(self, node: c_ast.Node, functions: FunctionLoops) -> str:
        """The array of a sum that compilers no longer keep in a register, which few threads do not outdo."""
        if self.what != _THREADS or self.machine.cores > SLOWER:
            return ""
        return summed(node, functions.function, functions.known)

    def _why(self, seconds: float, least: float, entered: float, size: str) -> str:
        often = f", and is entered {times(entered)} in a run" if entered > RARELY else ""
        return f"it takes about {amount(seconds)}{size}{often}; {self.what} from {amount(least)} on"

    def _cost(self, loop: LoopFacts) -> float:
        """Seconds that a region costs: threads start, meet, and put together what each of them has found."""
        sums = sum(_cells(each) for each in loop.reductions)
        again = 1 if loop.reductions else 0
        return self.start * (1 + again) + self.machine.cores * sums * 16 / self.machine.bandwidth.one


def _can_be_marked(loop: LoopFacts) -> bool:
    """Can an OpenMP pragma stand before it?"""
    able = loop.openmp and loop.verdict.is_parallel and loop.spans is not None and not loop.users
    return able and not pragma_obstacle(loop)


def _hides(hidden: Hidden) -> str:
    number = " or ".join(map(str, hidden.numbers))
    advice = "" if hidden.is_member else "; they would know a macro or an enumeration constant"
    known_to = f"compilers know as long as no threads share the loop{advice}"
    return f"'{hidden.name}' is a small constant ({number}), which {known_to}"


def _cells(reduction: Reduction) -> float:
    """Cells of which every thread has its own: none for a scalar, many for sections of unknown length."""
    lengths = re.findall(r"\[[^\[\]]*:([^\[\]]*)\]", reduction.variable)
    known = all(length.isdigit() for length in lengths)
    return (prod(map(float, lengths)) if known else 1000.0) if lengths else 0.0
