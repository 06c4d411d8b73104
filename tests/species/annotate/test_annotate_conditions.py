"""Long conditions of pragmas are functions with names, which `strip` takes out again."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.driver import annotate_file
from species.annotate import AnnotateOptions, are_known, strip
from species.source import PreprocessOptions

OPENMP, BLUR = AnnotateOptions("openmp"), PreprocessOptions(defines=("BLUR",))
SCALE = """static void scale(double *to, const double *from, int n)
{
  for (int i = 0; i < n; i++)
    to[i] = 2 * from[i];
}
"""
PROGRAM = f"""#include <stdio.h>
struct image {{ unsigned char *px; int w, h; long pitch; }};
/* Twice as much. */
{SCALE}
#ifdef BLUR
static void blur(const struct image *in, struct image *out)
{{
  for (int y = 1; y < in->h - 1; y++)
    for (int x = 0; x < in->w; x++)
      out->px[y * out->pitch + x] = in->px[(y - 1) * in->pitch + x] / 2 + in->px[(y + 1) * in->pitch + x] / 2;
}}
#endif
static double memory[200];
static unsigned char bytes[2000];
int main(void)
{{
  for (int i = 0; i < 200; i++)
    memory[i] = i;
  for (int i = 0; i < 2000; i++)
    bytes[i] = (unsigned char)i;
  scale(memory, memory + 100, 100);
  scale(memory + 1, memory, 100);
  struct image a = {{ bytes, 30, 20, 32 }}, b = {{ bytes + 1000, 30, 20, 30 }};
  struct image c = {{ bytes + 33, 30, 20, 32 }};
  blur(&a, &b);
  blur(&a, &c);
  printf("%g %g %d %d\\n", memory[1], memory[100], bytes[400], bytes[1400]);
  return 0;
}}
"""
FLAGS = ("-O1", "-Wall", "-Wextra", "-DBLUR", "-fsanitize=address,undefined", "-fno-sanitize-recover")


def annotated(text: str, folder: Path) -> str:
    (folder / "app.c").write_bytes(text.encode())
    after = annotate_file(folder / "app.c", BLUR, OPENMP).after
    assert after is not None and strip(after) == text
    return after


def test_a_long_condition_is_a_function_before_the_loops_function(tmp_path: Path) -> None:
    text = annotated(PROGRAM, tmp_path)
    assert "#pragma omp parallel for if(cuvier_scale_1(from, to)) /* cuvier */" in text
    assert "cuvier_blur_1(in, out)" in text
    lines = text.split("\n")
    first = lines.index("#ifdef _OPENMP /* cuvier: condition */")
    assert lines[first + 1] == "/* 'from' and 'to' do not overlap */ /* cuvier: condition */"
    assert lines.index("/* Twice as much. */") == lines.index("#endif /* cuvier: condition */") + 1
    assert max(len(line) for line in lines) < 500 and are_known(text)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_such_a_program_does_what_the_original_does(tmp_path: Path) -> None:
    (tmp_path / "marked.c").write_text(annotated(PROGRAM, tmp_path))
    outputs = []
    for name, more in (
        ("app", ()),
        ("marked", ("-fopenmp", "-Werror")),
        ("marked", ("-Wno-unknown-pragmas", "-Werror")),
    ):
        subprocess.run(["gcc", *FLAGS, *more, tmp_path / f"{name}.c", "-o", tmp_path / "run"], check=True)
        outputs.append(subprocess.run([tmp_path / "run"], check=True, capture_output=True).stdout)
    assert len(set(outputs)) == 1


def test_annotating_again_changes_nothing(tmp_path: Path) -> None:
    once = annotated(PROGRAM, tmp_path)
    (tmp_path / "app.c").write_text(once)
    assert annotate_file(tmp_path / "app.c", BLUR, OPENMP).after == once


def test_lines_end_as_those_of_the_file(tmp_path: Path) -> None:
    text = annotated(SCALE.replace("\n", "\r\n"), tmp_path)
    assert "cuvier_scale_1" in text and text.count("\n") == text.count("\r\n")


def test_an_enumerator_is_known_behind_its_declaration_only(tmp_path: Path) -> None:
    late = (
        SCALE.replace("int n)", "int w)")
        .replace("n;", "w;")
        .replace("{\n  for", "{\n  static int m = 7;\n  for")
    )
    late = late.replace("2 * from[i]", "m * from[i * m]") + "enum later { first, m = 2, last };\n"
    annotated(late, tmp_path)
    early = "enum sooner { few = 2000 };\n" + SCALE.replace("i < n", "i < few + n")
    assert re.search(r"cuvier_scale_1\(from, n, to\)", annotated(early, tmp_path))


@pytest.mark.parametrize("pragma", ["#pragma omp declare simd uniform(from)", '_Pragma("omp declare simd")'])
def test_pragmas_stay_with_their_functions(pragma: str, tmp_path: Path) -> None:
    text = annotated(f"int before;\n/* Of many. */\n{pragma}\n// twice\n{SCALE}", tmp_path)
    assert text.index("cuvier_scale_1") < text.index("Of many") < text.index(pragma)


STAYING = {
    "a parameter that hides an enumerator": f"enum {{ few, n = 3 }};\n{SCALE}",
    "a name like ours": "int cuvier_is_here;\n" + SCALE,
    "a head in the old style": SCALE.replace(
        "(double *to, const double *from, int n)", "(to, from, n) double *to; const double *from; int n;"
    ),
    "a volatile bound": SCALE.replace("const double *from", "const double *volatile from"),
    "a type of the function": SCALE.replace("{\n  for", "{\n  typedef int word;\n  for"),
    "two heads": SCALE.replace("(double *to,", "(\n#ifdef A\nfloat *to,\n#else\ndouble *to,\n#endif\n"),
    "no place of its own": "int before; " + SCALE,
}


@pytest.mark.parametrize("why", STAYING)
def test_where_a_text_might_mean_something_else_it_stays(why: str, tmp_path: Path) -> None:
    text = annotated(STAYING[why], tmp_path)
    assert "cuvier: condition" not in text


def test_other_styles_need_no_functions(tmp_path: Path) -> None:
    """They say on which condition a loop is parallel, of rows too, and call nothing."""
    rows = "void f(int n, double **a, double **b) { for (int i = 0; i < n; i++) a[i][0] = b[i][0]; }\n"
    (tmp_path / "app.c").write_text(rows + SCALE)
    for style in ("species", "comment"):
        after = annotate_file(tmp_path / "app.c", BLUR, AnnotateOptions(style)).after or ""
        assert after.count(" kernel ") == 2 and "static int cuvier" not in after and "ifdef" not in after


def test_loops_of_one_name_get_functions_of_their_own(tmp_path: Path) -> None:
    two = SCALE.replace("scale", "f_1") + SCALE.replace("scale", "f").replace(
        "  for", "  for (int k = 0; k < n; k++) { to[0] += k; to[k] *= to[0]; }\n  for"
    )
    names = re.findall(r"static int (cuvier_\w+)", annotated(two, tmp_path))
    assert len(names) == len(set(names)) == 2


def test_only_such_functions_are_taken_from_a_cache(tmp_path: Path) -> None:
    text = annotated(PROGRAM, tmp_path)
    head = "static int cuvier_scale_1(const double *from, double *to)"
    assert head in text
    for wrong in (
        text.replace(head, head.replace("*to", "*to, int n[system()]")),
        text.replace("    return (", "    return system(1) || ("),
        text.replace("    return (", "    return (to = 0) || ("),
        text.replace(head, "int x; /* cuvier: condition */\n" + head),
    ):
        assert wrong != text and not are_known(wrong)


def test_loops_that_name_outer_iterators_are_not_joined(tmp_path: Path) -> None:
    """Of pointers, the model has the distance from their start, which may be an outer one."""
    source = tmp_path / "p.c"
    source.write_text(
        "int main(void) {\n  static int x[400][500][60];\n  for (int (*q)[500][60] = x; q < x + 400; q++)\n"
        "    for (int (*r)[60] = *q; r < *q + 500; r++)\n      for (int *z = *r; z < *r + 60; z++)\n"
        "        *z = *z * 2 + 1;\n  return x[3][2][1];\n}\n"
    )
    found = annotate_file(source, PreprocessOptions(), OPENMP).after
    assert found is not None and "#pragma omp parallel for" in found and "collapse" not in found
