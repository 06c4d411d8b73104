"""Generated OpenMP annotations, run: an annotated program must leave in memory what the original leaves.

The functions of a batch are annotated as text, compiled with and without the annotations, and called with
the arguments of calls.py; calls that the instrumented program (check.py) finds undefined are left out.
Compared is all of the program's data, all buffers, and the result.  Four programs are made: the text as it
is and one with `schedule(runtime)`, run by gcc's libgomp, for what threads really do; and the text and one
with `schedule(static, 1)`, run by native/team.c, where turns come in an order that we choose: what is not
independent then differs each time, not only in one race of a thousand.  With `races` the latter is run by
true threads and watched by ThreadSanitizer, which cannot see how libgomp synchronises its own.
"""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from species.annotate import AnnotateOptions, Room, annotate
from species.annotate.markers import in_stripped, our_lines, strip
from species.core.positions import Span
from species.facts.loops import UnitFacts
from tests.oracle.builds import TSAN, Differs, Race, Told, calls_object, compared, compiled, linked, written
from tests.oracle.calls import SIZES, call
from tests.oracle.check import BuildError, Program, Report, Wrong
from tests.oracle.generator import PRELUDE, generated
from tests.oracle.lengths import however_short
from tests.oracle.outcome import Outcome

_PRAGMA = "#pragma omp parallel for"
# What is put into the pragmas, and what then runs them.
_ONE_EACH = " schedule(static, 1)"
_PROGRAMS = (("", "libgomp"), (" schedule(runtime)", "libgomp"), ("", "team"), (_ONE_EACH, "team"))
_WATCHED = ((_ONE_EACH, "team"),)
_MARKED = re.compile(rf"{_PRAGMA}(?=([^\n]*\n[^\n]*))")  # with the header
_OF_ITSELF = re.compile(r"\bint (\w+) = [^;\n]*\b\1\b")
_STATIC_ONLY = re.compile(r"conditional:|\bunsigned\b[^\n]*(?:--|-=)|\bunsigned long \w+ = [^;\n]*-")


@dataclass
class Comparison:
    """What came of a batch; `differing` are calls (function, number) and how their ends differ."""

    report: Report
    differing: dict[tuple[str, int], str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)  # by function: the compiler's new words, or a race
    refused: set[str] = field(default_factory=set)  # functions that the compiler does not take
    counts: Counter[str] = field(default_factory=Counter)


def explore_annotations(seeds: range, races: bool = False) -> Outcome:
    """Runs the functions of some seeds, annotated as one file."""
    return outcome_of({f"f{seed}": generated(seed) for seed in seeds}, races)


def outcome_of(texts: dict[str, str], races: bool = False) -> Outcome:
    """Runs functions, by name; those that cannot be compiled when they are annotated are wrong."""
    outcome = Outcome()
    try:
        found = compare(texts, races=races)
    except BuildError as error:
        return _parts(texts, races, str(error))
    if found.refused:
        outcome = outcome_of({n: t for n, t in texts.items() if n not in found.refused}, races)
        outcome.counts["functions that the compiler refuses"] += len(found.refused)
    else:
        outcome.counts.update(found.counts)
    wrong = list(found.said.items()) + _confirmed(texts, found)
    outcome.counts["disagreements"] += len(wrong)
    outcome.wrong += [(texts.get(name, PRELUDE), Wrong(name, message)) for name, message in wrong]
    return outcome


def _parts(texts: dict[str, str], races: bool, error: str) -> Outcome:
    """The outcome of the halves of a batch that cannot be run; it may be a single function's fault."""
    if len(texts) < 2:
        return Outcome(Counter({"functions that cannot be run": 1, f"cannot be run: {error[:60]}": 1}))
    names, outcome = list(texts), Outcome()
    middle = len(names) // 2
    for part in (names[:middle], names[middle:]):
        outcome.add(outcome_of({name: texts[name] for name in part}, races))
    return outcome


def _confirmed(texts: dict[str, str], found: Comparison) -> list[tuple[str, str]]:
    """The differing calls in which no arithmetic overflows either: one message per function."""
    confirmed: dict[str, str] = {}
    undefined: dict[str, Report] = {}
    for (name, number), what in found.differing.items():
        if name not in undefined:
            undefined[name] = Program(PRELUDE + texts[name]).check([name], strict=True)
        if (name, number) not in undefined[name].undefined_calls:
            confirmed.setdefault(name, f"call {number}: {what}")
    return list(confirmed.items())


def compare(texts: dict[str, str], strict: bool = False, races: bool = False) -> Comparison:
    """Annotates and runs functions.  Raises BuildError where even the original cannot be run."""
    program = Program(PRELUDE + "".join(texts.values()))
    found = Comparison(program.check(list(texts), strict))
    original = program.unit.source.text
    room = Room(program.unit)
    annotated = annotate(original, program.facts, AnnotateOptions(style="openmp"), room=room)
    marked = marked_loops(annotated, program.facts)
    runs = _runs(program, list(texts), marked, found.report)
    _count(found, marked, runs, set(texts))
    with tempfile.TemporaryDirectory(prefix="cuvier-annotations-") as name:
        folder = Path(name)
        made, said = compiled(folder / "original.c", original)
        before = _words(original, said, texts)
        if made is None:
            found.refused = {function for function, kind, _ in before if kind == "error"}
            return found
        calls = calls_object(folder / "calls.c", calls_text(program, runs))
        written(linked(folder / "original", [made, calls], "libgomp"), folder / "state")
        for schedule, threads in _WATCHED if races else _PROGRAMS:
            flags = (TSAN, "-g", "-DCONCURRENT") if races else ()
            text = however_short(scheduled(annotated, schedule))
            object_, said = compiled(folder / "annotated.c", text, *flags[:2])
            if not races:
                _judge_words(found, _words(text, said, texts) - before, texts)
            if object_ is None:
                break
            ran = compared(
                linked(folder / "annotated", [object_, calls], threads, *flags),
                folder / "state",
                _last(runs),
            )
            found.counts["runs of annotated programs"] += ran.runs
            for each in ran.differing:
                _differs(found, runs, each, f"{threads}{schedule}")
            for race in ran.races:
                _judge_race(found, race, text.splitlines())
    return found


def scheduled(annotated: str, schedule: str) -> str:
    """The text with a schedule in the pragmas that have none.

    But for what gcc 12 compiles wrongly with other than static schedules: unsigned iterators that count down
    (it makes no iteration) or start at a number of 64 bits that has wrapped around (it makes some), and last
    values of some iterations (downwards, it takes that of another).
    """

    def pragma(match: re.Match[str]) -> str:
        own = "schedule(" in match[1].partition("\n")[0]
        kept = own or ("runtime" in schedule and _STATIC_ONLY.search(match[1]))
        return _PRAGMA if kept else _PRAGMA + schedule

    return _MARKED.sub(pragma, annotated)


def marked_loops(annotated: str, facts: UnitFacts) -> set[str]:
    """The loops before which a pragma stands."""
    ours, stripped = our_lines(annotated), strip(annotated)
    starts = set()
    for line in ours:
        at = in_stripped(Span(line.end, line.end), ours).start
        starts.add(at + len(stripped[at:]) - len(stripped[at:].lstrip()))
    return {loop.id for loop in facts.loops if loop.spans and loop.spans.whole.start in starts}


def _runs(program: Program, names: list[str], marked: set[str], report: Report) -> list[tuple[str, int]]:
    """The calls worth making: defined, and of functions that a pragma is in, or in what they call."""
    concerned = {loop.split("/")[0] for loop in marked}
    functions = program.code.functions
    grown = 0
    while grown < len(concerned):
        grown = len(concerned)
        concerned |= {name for name, function in functions.items() if function.calls & concerned}
    called = [name for name in names if name in concerned and name not in report.unsupported]
    every = ((name, number) for name in called for number in range(len(SIZES)))
    return [each for each in every if each not in report.undefined_calls]


def _last(runs: list[tuple[str, int]]) -> list[int]:
    last = {name: number for number, (name, _) in enumerate(runs)}
    return [last[name] for name, _ in runs]


def calls_text(program: Program, runs: list[tuple[str, int]]) -> str:
    """The C text that makes the calls: calls.py speaks of an instrumented program, so names are mapped."""
    code, names = program.code, list(dict.fromkeys(name for name, _ in runs))
    visible = [(n, c, t) for n, c, t in code.globals if t == f"g_{n}" and t not in code.constants]
    fields = [(s.name, "".join(f"{t.declare(n)}; " for n, t in s.members)) for s in code.structs.values()]
    listed = {name: ", ".join(t.declare(n) for n, t in code.functions[name].parameters) for name in names}
    table = ", ".join(f"{{call{names.index(name)}, {number}}}" for name, number in runs)
    tags = [(n, f"'{c.leaf.tag}'" if c.leaf.kind == "scalar" else "0") for n, c, _ in visible]
    lines = [
        '#include "driver.h"',
        *(f"{name} {{ {members}}};" for name, members in fields),
        *(f"#define g_{n} {n}\nextern {c.declare(n)};" for n, c, _ in visible),
        *(f"#define u_{n} {n}\n{code.functions[n].ctype.declare(f'{n}({listed[n]})')};" for n in names),
        *(call(code, code.functions[name], number) for number, name in enumerate(names)),
        f"const struct run runs[] = {{ {table or '{0, 0}'} }};",
        f"const int runs_n = {len(runs)};",
        "void globals(void) {",
        *(f'rt_global("{n}", &{n}, sizeof {n}, {tag});' for n, tag in tags),
        "}",
    ]
    return "\n".join(lines)


def _count(found: Comparison, marked: set[str], runs: list[tuple[str, int]], names: Collection[str]) -> None:
    own = [s for s in found.report.seen if s.facts.function in names]
    pragmas = [s for s in own if s.facts.id in marked]
    found.counts.update(
        {
            "functions": len(names),
            "functions run": len({name for name, _ in runs}),
            "loops": len(own),
            "annotated loops": len(pragmas),
            "annotated loops run": sum(s.trips > 1 and s.checked > 0 for s in pragmas),
            "annotated with conditions, run": sum(
                s.trips > 1 and s.checked > 0 for s in pragmas if s.facts.conditions
            ),
            "calls": len(runs),
            "calls left out as undefined": len(found.report.undefined_calls),
        }
    )


def _differs(found: Comparison, runs: list[tuple[str, int]], each: Differs, where: str) -> None:
    found.differing.setdefault(runs[each.run], f"{where}, way {each.way}: {each.what}")
    found.counts[f"differing runs, {where}"] += 1


def _judge_race(found: Comparison, race: Race, lines: list[str]) -> None:
    """Where a loop makes no iteration, all threads of gcc's copy back the value that they began with."""
    if not all(lines[line - 1].startswith(_PRAGMA) for line in race.lines):
        found.said.setdefault(race.function, f"{race.what} of lines {race.lines}")


def _words(text: str, said: list[Told], names: Collection[str]) -> set[tuple[str, str, str]]:
    """What the compiler says, by function, without the numbers that it makes up, and how sure it is."""
    pattern = re.compile(rf"^int ({'|'.join(names)})\(", re.MULTILINE)
    heads = [(text.count("\n", 0, match.start()) + 1, match[1]) for match in pattern.finditer(text)]
    lines = [line for line, _ in heads]
    found = set()
    for told in said:
        at = bisect_right(lines, told.line)
        function = heads[at - 1][1] if at else "prelude"
        message = re.sub(r"\.\d+| \[-W.*\]", "", told.message).replace("may be used", "is used")
        found.add((function, told.kind, message))
    return found


def _judge_words(found: Comparison, new: set[tuple[str, str, str]], texts: dict[str, str]) -> None:
    """Of `int s = s + 1`, which is wrong before it is annotated, gcc says so or not, as it likes."""
    for function, kind, message in sorted(new):
        if kind == "warning" and _OF_ITSELF.search(texts.get(function, "")):
            continue
        found.said.setdefault(function, f"{kind}: {message}")
        if kind == "error":
            found.refused.add(function)
