"""Starts and ends of loops that wrap around: every target makes the iterations that C makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, compile_unit
from species import analyse
from species.analysis.options import AnalysisOptions
from species.loops.unsigned_bounds import MODERATE
from species.source import PreprocessOptions, read_translation_unit
from tests.nests.compared import compiled, printed
from tests.support import accelerated
from transfers import around_kernels

HEAD = """#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
static int before[600], A[600], behind[600], M[9][200];
static void fill(void)
{
    for (int k = 0; k < 600; k++)
        before[k] = A[k] = behind[k] = M[k / 200][k % 200] = k;
}
static void show(const char *name)
{
    long sum = 0;
    for (int i = 0; i < 600; i++)
        sum = sum * 3 % 1000003 + before[i] + 5 * A[i] + 7 * behind[i] + 11 * M[i / 200][i % 200];
    printf("%s %ld\\n", name, sum);
}
"""
Calls = tuple[tuple[int, int, int], ...]
LOOPS: dict[str, tuple[str, Calls]] = {  # over a, b and c, of 64 bits without a sign
    "the last of some": ("for (size_t i = a - b; i < a; i++) A[i] = 7;", ((5, 10, 0), (90, 9, 0))),
    "the last of rows": (
        "for (size_t r = 0; r < 3; r++) for (size_t j = a - b; j < a; j++) M[r][j] = j;",
        ((5, 10, 0), (0, 1, 0), (90, 9, 0)),
    ),
    "the last of a flattened row": (
        "for (size_t r = 0; r < 3; r++) for (size_t j = a - b; j < a; j++) A[r * 200 + j] = 7;",
        ((5, 10, 0), (90, 9, 0)),
    ),
    "downwards": ("for (size_t i = a; i > a - b; i--) A[i] = 7;", ((5, 10, 0), (90, 9, 0))),
    "downwards to a start": ("for (size_t i = a; i > b; i--) A[i - b] = 7;", ((5, -1, 0), (-1, -9, 0))),
    "downwards to the next": (
        "for (size_t i = a; i > b + 1; i--) A[i] = 7;",
        ((9, -1, 0), (9, -2, 0), (9, 3, 0)),
    ),
    "a window": ("for (size_t i = a; i < a + b; i++) A[i - a] = i;", ((-5, 10, 0), (-20, 10, 0), (5, 10, 0))),
    "a window that is left": ("for (size_t i = a; i != a + b; i++) A[i - a] = i;", ((-5, 10, 0), (5, 10, 0))),
    "twenty": (
        "for (uint64_t i = a; i < a + 20; i++) A[i - a] = (int)i;",
        ((-10, 0, 0), (-30, 0, 0), (9, 0, 0)),
    ),
    "the next one": (
        "for (unsigned long i = a + 1; i < b; i++) A[i] = 7;",
        ((-1, 10, 0), (-2, 10, 0), (3, 9, 0)),
    ),
    "the one before": (
        "for (uint64_t i = a - 1; i < b; i++) A[i - a + 1] = 7;",
        ((0, 9, 0), (-9, -1, 0), (1, 9, 0)),
    ),
    "two ends": (
        "for (size_t i = a; i < b; i++) A[i - a] = 7;",
        ((-1, 9, 0), (-9, -1, 0), (2**63 - 3, 2**63 + 3, 0)),
    ),
    "the end and one": ("for (size_t i = 0; i < a + 1; i++) A[i] = 7;", ((-1, 0, 0), (9, 0, 0))),
    "both": (
        "for (size_t i = a; i < b && i < c; i++) A[i - a] += A[20];",
        ((-9, -1, -4), (-1, 9, 20), (-9, -1, 3), (3, 9, 8)),
    ),
    "a limit": (
        "for (size_t i = 0; i < 30; i++) if (i < a) A[i] = 7; else A[i + 60] = 8;",
        ((-1, 0, 0), (9, 0, 0)),
    ),
    "a limit in rows": (
        "for (size_t i = 0; i < 9; i++) for (size_t j = 0; j < 30; j++)"
        " if (j < a) M[i][j] = 7; else A[i + j] = 8;",
        ((-1, 0, 0), (9, 0, 0)),
    ),
    "steps": ("for (size_t i = a; i < b; i += 3) A[i - a] = 7;", ((-10, -2, 0), (-1, 9, 0), (2, 9, 0))),
    "a start that moves": (
        "for (size_t i = 0; i < 9; i++) for (size_t j = i - a; j < 40; j++) M[i][j] = 7;",
        ((5, 0, 0), (0, 0, 0), (-3, 0, 0)),
    ),
    "a sum": ("int s = 0; for (size_t i = a - b; i < c; i++) s += A[i]; A[3] = s;", ((5, 10, 9), (9, 5, 20))),
    "an inner sum": (
        "for (size_t i = 0; i < 9; i++) for (size_t j = a - b; j < c; j++) M[i][3] += A[j];",
        ((5, 10, 9), (9, 5, 20)),
    ),
    "an offset": (
        "for (size_t i = 9; i < b; i++) { M[3][i] = A[i + a]; A[i] = i; }",
        ((-3, 90, 0), (3, 90, 0)),
    ),
    "constants": (
        "for (uint64_t i = UINT64_MAX - 9; i < UINT64_MAX; i++) A[i - (UINT64_MAX - 9)] = 7;",
        ((0, 0, 0),),
    ),
    "32 bits": (
        "unsigned n = a, k = b; for (unsigned i = n - k; i < n; i++) A[i] = 7;",
        ((5, 10, 0), (90, 9, 0)),
    ),
    "32 bits downwards": (
        "unsigned n = a, k = b; for (unsigned i = n; i > n - k; i--) A[i] = 7;",
        ((5, 10, 0), (90, 9, 0)),
    ),
    "a window of 32 bits": (
        "unsigned n = a, k = b; for (unsigned i = n; i < n + k; i++) A[i - n] = 7;",
        ((-5, 10, 0), (-20, 10, 0), (5, 10, 0)),
    ),
}
PLAIN = {
    "to a size": "for (size_t i = 0; i < n; i++) A[i] = 7;",
    "without its edges": "for (size_t i = 1; i < n - 1; i++) A[i] = A[i] + 7;",
    "downwards": "for (size_t i = n; i > 0; i--) A[i - 1] = 7;",
    "up to it": "for (uint64_t i = 0; i <= n; i++) A[i] = 7;",
    "and one more": "for (size_t i = 0; i < n + 1; i++) A[i] = 7;",
    "rows": "for (size_t i = 0; i < n; i++) for (size_t j = 0; j < m; j++) M[i][j] = M[i][j] * 2;",
    "triangles": "for (size_t i = 0; i < n; i++) for (size_t j = i; j < n; j++) M[j][i] = 7;",
    "of a product": "for (size_t i = 0; i < n * m; i++) A[i] = 7;",
    "a difference": "for (size_t i = 0; i < n - m; i++) A[i] = 7;",
    "from a known start": "if (k < 9) for (size_t i = k; i < n; i++) A[i] = 7;",
    "32 bits": "for (unsigned i = u; i < v; i++) A[i] = 7;",
    "signed": "for (long i = l; i < r; i++) A[i] = 7;",
}
PARAMETERS = "size_t n, size_t m, size_t k, unsigned u, unsigned v, long l, long r"
QUIET = ("-Wno-dangling-else",)
QUESTION = f"1ul << {MODERATE.bit_length() - 1}"


def program() -> str:
    """It calls a function for each loop, with filled arrays, and prints what it leaves."""
    texts, called = [], []
    for number, (name, (loop, calls)) in enumerate(LOOPS.items()):
        body = f"    (void)a, (void)b, (void)c;\n    {loop}\n"
        texts.append(f"static void f{number}(uint64_t a, uint64_t b, uint64_t c)\n{{\n{body}}}\n")
        for values in calls:
            given = ", ".join(f"{value % 2**64}ul" for value in values)
            called.append(f'    fill();\n    f{number}({given});\n    show("{name} {values}");\n')
    return f"{HEAD}{''.join(texts)}int main(void)\n{{\n{''.join(called)}    return 0;\n}}\n"


def test_openmp(tmp_path: Path) -> None:
    assert printed(compiled(program()), tmp_path) == printed(program(), tmp_path)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_kernels(target: str, tmp_path: Path) -> None:
    if target == "opencl" and not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "program.c"
    source.write_text(program())
    expected = accelerated.run(accelerated.build_plain(source, tmp_path, QUIET))
    written = accelerated.written(source, target, tmp_path / "out")
    build = accelerated.build_shim if target == "cuda" else accelerated.build_opencl
    assert accelerated.run(build(written, QUIET), CUVIER_LAUNCH_ALL="1") == expected


@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda", "c"])
@pytest.mark.parametrize("loop", PLAIN.values(), ids=PLAIN.keys())
def test_plain_bounds_are_not_asked(loop: str, target: str) -> None:
    arrays = "static int A[600], M[90][200];"
    text = f"#include <stddef.h>\n#include <stdint.h>\n{arrays}\nvoid f({PARAMETERS}) {{ {loop} }}\n"
    unit = read_translation_unit("program.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    made = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), CompileOptions())
    assert not any("1ul <<" in text for text in made.files.values())


@pytest.mark.parametrize(
    ("loop", "asked"),
    [
        ("for (size_t i = n - k; i < n; i++) A[i] = 7;", "((unsigned long)(n-k))"),
        ("for (size_t i = k; i < n; i++) A[i] = 7;", "k"),
        ("for (size_t i = n; i > k; i--) A[i] = 7;", "k"),
    ],
)
def test_what_is_asked(loop: str, asked: str) -> None:
    text = f"#include <stddef.h>\nstatic int A[600];\nvoid f({PARAMETERS}) {{ {loop} }}\n"
    facts = analyse(read_translation_unit("program.c", PreprocessOptions(), text=text))
    kernel = facts.loops[0].kernel
    assert kernel is not None and kernel.provided == (f"{asked} < {QUESTION}",)


@pytest.mark.parametrize(
    "loop",
    [
        "if (k >= n) for (size_t i = k + 1; i < n; i++) A[i] = A[i - 1] + 1;",
        "if (k >= m) for (size_t i = k + 1; i < n; i++) A[i] += A[m];",
        "if (k >= n) for (size_t i = n; i > k + 1; i--) A[i] = A[i - 1];",
    ],
)
def test_what_is_known_of_a_sum_is_not_known_where_it_wraps_around(loop: str) -> None:
    """Where k is the largest number, the loops begin, or end, at 0, and their iterations depend on others."""
    text = f"#include <stddef.h>\nstatic int A[600];\nvoid f({PARAMETERS}) {{ {loop} }}\n"
    found = analyse(read_translation_unit("program.c", PreprocessOptions(), text=text)).loops[0]
    assert found.conditions == ("k <= 2147483647",)
