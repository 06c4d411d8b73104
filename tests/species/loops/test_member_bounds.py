"""Overlap tests with bounds that are members, the larger of two, or differences: found, and right."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit

GRID = "struct grid { INDEX rows, cols; double *cell; };\n"
PRODUCT = """void f(const struct grid *in, struct grid *out)
{
    for (COUNT r = 0; r < in->rows; r++)
        for (COUNT c = 0; c < in->cols; c++) {
            double s = 0;
            for (COUNT k = 0; k < 6; k++)
                s += in->cell[r * in->cols + k] * in->cell[k * in->cols + c];
            out->cell[r * out->cols + c] = s;
        }
}
"""
CROSS = """void f(const struct grid *in, struct grid *out)
{
    for (COUNT r = 1; r < in->rows - 1; r++)
        for (COUNT c = 1; c < in->cols - 1; c++)
            out->cell[r * out->cols + c] = in->cell[(r - 1) * in->cols + c] + in->cell[r * in->cols + c + 1];
}
"""
CLAMPED = """#define CLAMP(v, a, b) ((v) < (a) ? (a) : (v) > (b) ? (b) : (v))
void f(const struct grid *in, struct grid *out)
{
    const double *from = in->cell;
    int n = in->cols;
    for (int i = 0; i < n; i++)
        out->cell[i] = from[CLAMP(i - 4, 0, n - 2)] + from[i < 3 ? 3 - i : i];
}
"""
KERNELS = {"products": PRODUCT, "neighbours": CROSS, "clamped": CLAMPED}
TESTER = """#include <stdio.h>
int main(void)
{
    static double memory[600];
    double s = 0;
    for (int apart = -140; apart <= 140; apart++) {
        struct grid in = {9, 13, memory + 200}, out = {9, 13, memory + 200 + apart};
        for (int i = 0; i < 600; i++)
            memory[i] = i * 7 % 11;
        f(&in, &out);
        for (int i = 0; i < 600; i++)
            s = s / 2 + (i % 5 + 1) * memory[i] / 1e9;
        printf("%d %.17g\\n", apart, s);
    }
    return 0;
}
"""
TYPES = [("int", "int"), ("long", "long"), ("size_t", "size_t"), ("int", "size_t"), ("long", "size_t")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("types", TYPES, ids=map(" and ".join, TYPES))
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_found_and_right(kernel: str, types: tuple[str, str], tmp_path: Path) -> None:
    text = "#include <stddef.h>\n" + GRID + kernel + TESTER
    text = text.replace("INDEX", types[0]).replace("COUNT", types[1])
    (tmp_path / "before.c").write_text(text)
    unit = read_translation_unit(str(tmp_path / "before.c"), PreprocessOptions())
    facts = analyse(unit)
    outer = next(loop for loop in facts.loops if loop.function == "f")
    assert outer.verdict is Verdict.CONDITIONAL
    annotated = annotate(unit.source.text, facts, AnnotateOptions(style="openmp"))
    (tmp_path / "after.c").write_text(annotated)
    assert said(tmp_path / "before.c") == said(tmp_path / "after.c") != b""


def said(source: Path) -> bytes:
    binary = source.with_suffix("")
    flags = ("-O1", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    subprocess.run(["gcc", *flags, "-o", str(binary), str(source)], check=True)
    return subprocess.run([str(binary)], check=True, capture_output=True).stdout


def test_a_choice_beside_rows() -> None:
    """What a number is that the rows do not depend on does not matter to which rows are touched."""
    text = """void f(double **in, double **out, int rows, int cols)
    {
        for (int r = 0; r < rows; r++)
            for (int c = 4; c < cols - 4; c++) {
                double s = 0;
                for (int d = -4; d <= 4; d++)
                    s += (d < 0 ? -d : d) * in[r][c + d];
                out[r][c] = s;
            }
    }"""
    facts = analyse(read_translation_unit("rows.c", PreprocessOptions(), text=text))
    assert facts.loops[0].verdict is Verdict.CONDITIONAL


def test_a_choice_that_a_row_depends_on() -> None:
    text = """void f(double **in, double **out, int rows, int cols)
    {
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                out[r][c] = in[c % 3 ? r : 0][c];
    }"""
    facts = analyse(read_translation_unit("rows.c", PreprocessOptions(), text=text))
    assert not facts.loops[0].verdict.is_parallel
