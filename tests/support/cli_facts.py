"""Facts written by hand, for tests of what is done with them."""

from __future__ import annotations

from species.core.positions import Diagnostic, LoopSpans, Position, Span
from species.facts.loops import Characterisation, LoopClass, LoopFacts, Reason, Reduction, UnitFacts, Verdict
from species.grammar.nodes import AccessPattern, ArraySpecies, Range, Species

FILE = "app.c"
TEXT = """\
void f(int n, double *a, double *b) {
    double s = 0;
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 1; i < n; i++)
    \ta[i] = a[i - 1];
    while (n--) s += 1;
}
"""


def spans(text: str, header: str, whole: str) -> LoopSpans:
    """The spans of the loop whose header and statement read like this."""
    start = text.index(whole)
    end = start + len(whole)
    return LoopSpans(Span(start, end), Span(start, start + len(header)), Span(start + len(header), end))


def element(name: str) -> ArraySpecies:
    return ArraySpecies(name, (Range("0", "n-1"),), AccessPattern("element"))


PARALLEL = LoopFacts(
    openmp_obstacle="",
    id="f/1",
    kind="for",
    function="f",
    position=Position(FILE, 3, 5),
    end_line=4,
    depth=0,
    parent=None,
    verdict=Verdict.CONDITIONAL,
    loop_class=LoopClass.DOALL,
    spans=spans(TEXT, "for (int i = 0; i < n; i++)", "for (int i = 0; i < n; i++)\n        b[i] = a[i];"),
    species=Species((element("a"),), (element("b"),)),
    exact=False,
    base_loops=("i",),
    characterisations=(
        Characterisation("a", "r", (Range("0", "n-1"),), ("1",), ("1",), (("1",),), ("n",)),
        Characterisation("b", "w", (Range("0", "n-1"),), ("1",), ("1/8",), (), (), False, ("it is a test",)),
    ),
    private=("t", "u"),
    firstprivate=("v",),
    lastprivate=("w",),
    reductions=(Reduction("max", "m"),),
    conditions=("a + n <= b || b + n <= a",),
    said=(("a + n <= b || b + n <= a", "'a' and 'b' do not overlap"),),
    reasons=(Reason("CV401", "a and b may be the same array", Position(FILE, 4, 9)),),
)
SERIAL = LoopFacts(
    id="f/2",
    kind="for",
    function="f",
    position=Position(FILE, 5, 5),
    end_line=6,
    depth=0,
    parent=None,
    verdict=Verdict.SERIAL,
    loop_class=LoopClass.DOACROSS_REGULAR,
    spans=spans(TEXT, "for (int i = 1; i < n; i++)", "for (int i = 1; i < n; i++)\n    \ta[i] = a[i - 1];"),
    reasons=(
        Reason(
            "CV201",
            "a[i - 1] reads what a[i] wrote",
            Position(FILE, 6, 13),
            (Position(FILE, 6, 6),),
            proven=True,
        ),
    ),
)
COUNTDOWN = LoopFacts(
    id="f/3",
    kind="while",
    function="f",
    position=Position(FILE, 7, 5),
    end_line=7,
    depth=0,
    parent=None,
    verdict=Verdict.UNKNOWN,
    loop_class=LoopClass.WHILE,
)
OK = UnitFacts(FILE, "ok", (), (PARALLEL, SERIAL, COUNTDOWN))
PARTIAL = UnitFacts(
    "b.c", "partial", (Diagnostic("error", "CV001", "unexpected '}'", Position("b.h", 2, 1)),), ()
)
FAILED = UnitFacts(
    "c.c", "failed", (Diagnostic("error", "CV002", "no such header", Position("c.c", 1, 10)),), ()
)
