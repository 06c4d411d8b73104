"""What loops touch whose branches make different references."""

from __future__ import annotations

from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import KernelArray
from species.grammar.nodes import Range
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

EDGES = """void f(float *restrict out, const float *restrict in, int n) {
    for (int i = 0; i < n; i++)
        if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1]; else out[i] = in[i]; }"""


def test_either_branch_is_made() -> None:
    """Where the loop runs, one of them does at both ends."""
    (loop,) = loops_of(EDGES)
    assert loop.kernel is not None
    reads = {array.name: array.reads for array in loop.kernel.arrays}
    assert reads["in"] == (Range("0", "n-1"),)


def test_a_branch_that_only_one_value_takes() -> None:
    """Where `m` is at least 3, all that is asked of it is that it is no more; else nothing need be there."""
    (loop,) = loops_of("""void f(float *restrict out, const float *restrict in, int n, int m) {
        if (m >= 3 && n > 5)
            for (int i = 0; i < n; i++) { float v = 0; if (m <= 3 || i < 0) v = in[i]; out[i] = v; } }""")
    assert loop.kernel is not None
    reads = {array.name: array.reads for array in loop.kernel.arrays}
    assert reads["in"] == (Range("0", "(m == 3 ? n-1 : -1)"),)


def test_parts_read_their_neighbours() -> None:
    """A part reads one cell more on either side, within the array."""
    unit = read_translation_unit("f.c", PreprocessOptions(), text=EDGES)
    (loop,) = analyse(unit, AnalysisOptions(parts=True)).loops
    assert loop.kernel is not None
    array = next(array for array in loop.kernel.parts[0] if array.name == "in")
    for n in range(1, 7):
        for first in range(n):
            for last in range(first, n):
                low, high = _limits(array, n, first, last)
                touched = [
                    c for i in range(first, last + 1) for c in ([i - 1, i + 1] if 0 < i < n - 1 else [i])
                ]
                assert low <= min(touched) and high >= max(touched)
                assert low >= max(first - 1, 0) and high <= min(last + 1, n - 1)


def _limits(array: KernelArray, n: int, first: int, last: int) -> tuple[int, int]:
    (bounds,) = array.reads or ()
    names = {"n": n, "cuvier_from": first, "cuvier_to": last, "cuvier_min": min, "cuvier_max": max}
    low, high = (eval(_as_python(text), {}, names) for text in (bounds.low, bounds.high))
    return int(low), int(high)


def _as_python(text: str) -> str:
    """`(a > b ? a : b)` as Python."""
    text = text.replace("(long)", "")
    while "?" in text:
        middle = text.index("?")
        start, end = text.rindex("(", 0, middle), text.index(")", middle)
        condition, first, second = text[start + 1 : middle], *text[middle + 1 : end].split(" : ")
        text = f"{text[:start]}({first} if {condition} else {second}){text[end + 1 :]}"
    return text
