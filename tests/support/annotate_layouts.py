"""C functions in every layout that C allows, with the facts of their loops known by construction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from species.core.positions import LoopSpans, Position, Span
from species.facts.loops import LoopClass, LoopFacts, Reduction, UnitFacts, Verdict
from species.grammar import parse_species
from species.source import tokenize

SPECIES = parse_species("a[0:n-1]|element -> s[0:0]|shared")
HEADER = "for (i = 0; i < n; i++)"
SPACES = [
    " ",
    "\n",
    "\r\n",
    "\t",
    "\n  ",
    " // note\n",
    "/* a\n b */",
    " /* c */ ",
    " \\\n",
    "\\\r\n  ",
    "\n\n\t\t",
]
STATEMENTS = ["plain", "loop", "loop", "if", "if-else", "do", "block", "label"]


@dataclass
class _Text:
    """A text that grows, and the loops seen so far: (parent, start, end)."""

    text: str = ""
    loops: list[tuple[int | None, int, int]] = field(default_factory=list)
    labels: int = 0

    def loop(self, parent: int | None) -> int:
        self.loops.append((parent, len(self.text), -1))
        return len(self.loops) - 1

    def end(self, loop: int) -> None:
        parent, start, _ = self.loops[loop]
        self.loops[loop] = (parent, start, len(self.text))


def loop_facts(
    number: int, whole: Span, parent: int | None = None, verdict: Verdict = Verdict.PARALLEL
) -> LoopFacts:
    """The facts of a loop at `whole`, which sums up an array."""
    return LoopFacts(
        openmp_obstacle="",
        id=f"f/{number}",
        kind="for",
        function="f",
        position=Position("f.c", 1, 1),
        end_line=1,
        depth=0 if parent is None else 1,
        parent=None if parent is None else f"f/{parent}",
        verdict=verdict,
        loop_class=LoopClass.DOALL,
        spans=LoopSpans(whole, whole, whole),
        species=SPECIES,
        private=("t",),
        reductions=(Reduction("+", "s"),),
    )


def unit(*loops: LoopFacts) -> UnitFacts:
    return UnitFacts("f.c", "ok", (), loops)


def moved(facts: UnitFacts, text: str, other: str) -> UnitFacts:
    """The facts of `text` for `other`, which has the same tokens at other places."""
    here, there = tokenize(text), tokenize(other)
    starts = {token.start: twin.start for token, twin in zip(here, there, strict=True)}
    ends = {token.end: twin.end for token, twin in zip(here, there, strict=True)}

    def move(loop: LoopFacts) -> LoopFacts:
        assert loop.spans is not None
        whole = Span(starts[loop.spans.whole.start], ends[loop.spans.whole.end])
        return replace(loop, spans=LoopSpans(whole, whole, whole))

    return unit(*map(move, facts.loops))


def marked(source: str) -> tuple[str, UnitFacts]:
    """The text and the facts of `source`, in which «...» encloses each loop."""
    text = ""
    open_loops: list[int] = []
    loops: list[tuple[int | None, int, int]] = []
    for char in source:
        if char == "«":
            loops.append((open_loops[-1] if open_loops else None, len(text), -1))
            open_loops.append(len(loops) - 1)
        elif char == "»":
            loop = open_loops.pop()
            loops[loop] = (*loops[loop][:2], len(text))
        else:
            text += char
    return text, unit(
        *(loop_facts(n, Span(start, end), parent) for n, (parent, start, end) in enumerate(loops))
    )


@st.composite
def annotated_units(draw: st.DrawFn) -> tuple[str, UnitFacts]:
    """A text and its facts."""
    out = _Text("void f(int n, int c, double *a) { int i = 0; double s = 0, t = 0;" + draw(_spaces))
    for _ in range(draw(st.integers(1, 3))):
        _statement(draw, out, None, depth=0)
        out.text += draw(_spaces)
    out.text += "}" + draw(st.sampled_from(["", "\n", "\r\n", " // end"]))
    verdicts = st.sampled_from([Verdict.PARALLEL, Verdict.CONDITIONAL, Verdict.SERIAL])
    loops = [
        loop_facts(number, Span(start, end), parent, draw(verdicts))
        for number, (parent, start, end) in enumerate(out.loops)
    ]
    return out.text, unit(*loops)


_spaces = st.sampled_from(SPACES)


def _statement(draw: st.DrawFn, out: _Text, parent: int | None, depth: int) -> None:
    kind = draw(st.sampled_from(STATEMENTS)) if depth < 4 else "plain"
    if kind == "plain":
        out.text += "t = s;"
    elif kind == "loop":
        loop = out.loop(parent)
        out.text += HEADER + draw(_spaces)
        _statement(draw, out, loop, depth + 1)
        out.end(loop)
    elif kind in ("if", "if-else"):
        _branches(draw, out, parent, depth, kind)
    elif kind == "do":
        _wrapped(draw, out, parent, depth, "do", "while (c);")
    elif kind == "block":
        _wrapped(draw, out, parent, depth, "{", "}")
    else:
        out.labels += 1
        _wrapped(draw, out, parent, depth, f"l{out.labels}:", "")


def _wrapped(draw: st.DrawFn, out: _Text, parent: int | None, depth: int, opening: str, closing: str) -> None:
    out.text += opening + draw(_spaces)
    _statement(draw, out, parent, depth + 1)
    out.text += draw(_spaces) + closing if closing else ""


def _branches(draw: st.DrawFn, out: _Text, parent: int | None, depth: int, kind: str) -> None:
    out.text += "if (c)" + draw(_spaces)
    if kind == "if":
        _statement(draw, out, parent, depth + 1)
    else:
        _closed_branch(draw, out, parent, depth)
        out.text += draw(_spaces)
        _wrapped(draw, out, parent, depth, "else", "")


def _closed_branch(draw: st.DrawFn, out: _Text, parent: int | None, depth: int) -> None:
    """A block or a bare loop: no `if` at its end may take the `else` that follows."""
    if draw(st.booleans()):
        _wrapped(draw, out, parent, depth, "{", "}")
    else:
        loop = out.loop(parent)
        out.text += HEADER + draw(_spaces) + "t = s;"
        out.end(loop)
