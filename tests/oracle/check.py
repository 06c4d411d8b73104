"""Compares what the analyser says of a program with what the program does.

The program is rewritten (instrument.py) so that every access tells the run-time system (runtime/), together
with the claims about each loop (claims.py), compiled, and executed with several arguments (calls.py).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from species import analyse
from species.facts.loops import LoopFacts, UnitFacts
from species.row_tests import NAMES as ROW_TESTS
from species.row_tests import functions as row_functions
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.oracle.calls import SIZES, call
from tests.oracle.claims import Claims
from tests.oracle.ctypes import UnsupportedError
from tests.oracle.instrument import Instrumenter
from tests.oracle.lengths import however_short

_RUNTIME = Path(__file__).parent / "runtime"
_CFLAGS = ("-std=gnu11", "-w", "-O0", f"-I{_RUNTIME}")
_GCC_FLAGS = ("-fwrapv", "-fno-strict-aliasing")
_TRAPS = (
    "-fsanitize=signed-integer-overflow,shift,float-cast-overflow,integer-divide-by-zero",
    "-fsanitize-undefined-trap-on-error",
    "-fno-strict-aliasing",
)
SERIAL, EARLY, EFFECT, REDUCES, PRIVATISES, INDUCES, ARRAYS = 2, 4, 8, 16, 32, 64, 128


class BuildError(Exception):
    """The instrumented program cannot be compiled or run."""


@dataclass(frozen=True)
class Wrong:
    """A claim that an execution refutes."""

    loop: str
    message: str


@dataclass(frozen=True)
class Seen:
    """What the executions showed of a loop; `flags` are those of runtime.c."""

    facts: LoopFacts
    trips: int
    instances: int
    checked: int
    flags: int

    @property
    def is_parallel(self) -> bool:
        return self.trips >= 3 and not self.flags & (SERIAL | EARLY | EFFECT)


@dataclass
class Report:
    """The outcome for one file."""

    wrong: list[Wrong] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    undefined: Counter[str] = field(default_factory=Counter)  # by the reason
    undefined_calls: set[tuple[str, int]] = field(default_factory=set)  # functions, and the number of a call
    seconds: Counter[str] = field(default_factory=Counter)  # type: ignore[type-var]
    unsupported: dict[str, str] = field(default_factory=dict)  # functions that cannot be executed, and why


class Program:
    """A file, or `text` in its place, analysed and instrumented."""

    def __init__(self, text: str | None, path: str = "/tmp/oracle.c") -> None:
        self.report = Report()
        started = time.perf_counter()
        self.unit: TranslationUnit = read_translation_unit(path, PreprocessOptions(), text=text)
        parsed = time.perf_counter()
        self.facts: UnitFacts = analyse(self.unit)
        analysed = time.perf_counter()
        self._by_place = {(at.position.line, at.position.column): at for at in self.facts.loops}
        self._loop_facts: dict[int, LoopFacts] = {}
        self.code = Instrumenter(self._claims).file(self.unit.ast, self._is_users)
        rewritten = time.perf_counter()
        self.report.seconds.update(
            {"parsing": parsed - started, "analysis": analysed - parsed, "rewriting": rewritten - analysed}
        )

    def _is_users(self, node: Any) -> bool:
        return self.unit.is_user_file(self.unit.position(node.coord).file)

    def _claims(self, code: Instrumenter, node: Any, number: int) -> str:
        place = self.unit.loop_position(node)
        facts = self._by_place.get((place.line, place.column))
        if facts is None:
            return ""
        self._loop_facts[number] = facts
        claims = Claims(code, node, facts)
        self.report.wrong += [Wrong(facts.id, message) for message in claims.wrong]
        return claims.text

    def runnable(self) -> list[str]:
        """The functions that can be executed, all that they call included; the others are reported."""
        bad = {f.name: f.problem for f in self.code.functions.values() if f.problem}
        changed = True
        while changed:
            changed = False
            for function in self.code.functions.values():
                if function.name not in bad and function.calls & bad.keys():
                    bad[function.name] = "calls what cannot be executed"
                    changed = True
        self.report.unsupported.update(bad)
        return [name for name in self.code.functions if name not in bad]

    def text(self, functions: Iterable[str]) -> str:
        """The instrumented program that calls these functions."""
        runnable = self.runnable()
        calls, table = [], []
        self._called: list[str] = []  # by their numbers in the table
        budget = 3_000_000 if "main" in self.code.functions else 60_000
        for name in functions:
            if name not in runnable:
                continue
            try:
                calls.append(call(self.code, self.code.functions[name], len(calls)))
            except UnsupportedError as error:
                self.report.unsupported[name] = str(error)
                continue
            table.append(f"{{call{len(table)}, {1 if name == 'main' else len(SIZES)}}}")
            self._called.append(name)
        self.report.counts["functions"] += len(table)
        bodies = [self.code.functions[name].text for name in runnable]
        tags = [(n, c.leaf.tag if c.leaf.kind == "scalar" else "", t) for n, c, t in self.code.globals]
        register = " ".join(
            f'rt_global("{n}", &{t}, sizeof {t}, {repr(tag) if tag else 0});' for n, tag, t in tags
        )
        left_out = [f"u_{n}(" for n in self.report.unsupported if n not in runnable]
        heads = [h for h in self.code.head if not any(n in h for n in left_out)]
        return "\n".join(
            [
                '#include "runtime.h"',
                however_short(row_functions(ROW_TESTS, sorting=True)),
                *heads,
                *bodies,
                *calls,
                f"static const struct rt_function table[] = {{ {', '.join(table) or '{0, 0}'} }};",
                f"static void globals(void) {{ {register} }}",
                f"int main(void) {{ rt_budget = {budget};",
                f"return rt_main(table, {len(table)}, globals, {len(self.code.loops)}); }}",
            ]
        )

    def check(self, functions: Iterable[str] | None = None, strict: bool = False) -> Report:
        """Executes functions (all that have parameters that can be made) and reports.

        `strict`: arithmetic overflow ends a call too; slower to compile.  Raises BuildError.
        """
        report = self.report
        names = list(functions) if functions is not None else self._entries()
        text = self.text(names)
        started = time.perf_counter()
        plain = "plain" if self.code.has_variable_arrays else "quick"  # tcc strides wrongly over them
        output = execute(text, "strict" if strict else plain, report.seconds)
        report.seconds["execution and compilation"] += time.perf_counter() - started
        loops = {n: self._loop_facts[n] for n in self._loop_facts}
        for line in output.splitlines():
            self._line(line.split("\t"), loops)
        report.wrong = list(dict.fromkeys(report.wrong))
        return report

    def _entries(self) -> list[str]:
        """What is called from outside: of a whole program only `main`, whatever else is there."""
        return ["main"] if "main" in self.code.functions else list(self.code.functions)

    def _line(self, parts: list[str], loops: dict[int, LoopFacts]) -> None:
        report = self.report
        match parts:
            case ["W", loop, _, message] if int(loop) in loops:
                report.wrong.append(Wrong(loops[int(loop)].id, message))
            case ["S", loop, trips, instances, checked, flags] if int(loop) in loops:
                seen = Seen(loops[int(loop)], int(trips), int(instances), int(checked), int(flags))
                report.seen.append(seen)
            case ["U", function, number, reason]:
                report.undefined[reason] += 1
                report.undefined_calls.add((self._called[int(function)], int(number)))
            case ["R", runs, undefined, claims]:
                report.counts.update(runs=int(runs), undefined=int(undefined), claims=int(claims))
            case ["E", message]:
                raise BuildError(message)


@cache
def runtime() -> str:
    """The compiled run-time system."""
    text = b"".join(path.read_bytes() for path in sorted(_RUNTIME.iterdir()))
    name = f"cuvier-oracle-{os.getuid()}-{hashlib.sha256(text).hexdigest()[:16]}.o"
    path = Path(tempfile.gettempdir()) / name
    if not path.exists():
        made = f"{path}.{os.getpid()}"
        _run([_compiler(), "-std=gnu11", "-O2", "-w", "-c", "-o", made, str(_RUNTIME / "runtime.c")])
        os.replace(made, path)
    return str(path)


@cache
def _compiler() -> str:
    return os.environ.get("CC") or shutil.which("gcc") or "cc"


def _build(folder: str, text: str, how: str) -> str:
    source, object_, program = (f"{folder}/program{suffix}" for suffix in (".c", ".o", ""))
    Path(source).write_text(text)
    tcc = shutil.which("tcc")  # forty times faster than gcc
    if how == "quick" and tcc:
        try:
            _run([tcc, *_CFLAGS, "-c", "-o", object_, source])
            _run([_compiler(), "-z", "noexecstack", "-o", program, object_, runtime(), "-lm"])
            return program
        except BuildError:
            pass  # tcc knows less of C, and its arithmetic library is not linked
    flags = _TRAPS if how == "strict" else _GCC_FLAGS
    _run([_compiler(), *_CFLAGS, *flags, "-o", program, source, runtime(), "-lm"])
    return program


def _run(command: list[str]) -> None:
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        raise BuildError(made.stderr[:2000])


def execute(text: str, how: str, seconds: Any) -> str:
    """Compiles an instrumented program, `how` being quick, plain or strict, and gives what it prints."""
    with tempfile.TemporaryDirectory(prefix="cuvier-oracle-") as folder:
        started = time.perf_counter()
        program = _build(folder, text, how)
        seconds["compilation"] += time.perf_counter() - started
        try:
            ran = subprocess.run([program], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            raise BuildError("the program runs too long") from None
        if ran.returncode:
            raise BuildError(f"the program ends with {ran.returncode}: {ran.stderr[:500]}")
        return ran.stdout
