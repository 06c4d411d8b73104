"""Names of the user's that device code, and the code that launches it, have themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from skeletons.catalogue.dialect import Dialect
from species.source import PreprocessOptions
from tests.support.template_words import FIXED, HOST_ONLY, LIBRARY, header_names, words_of_templates

KEYWORDS = frozenset(
    (
        *("break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern"),
        *("float", "for", "goto", "if", "inline", "int", "long", "register", "return", "short", "signed"),
        *(
            "sizeof",
            "static",
            "struct",
            "switch",
            "typedef",
            "union",
            "unsigned",
            "void",
            "volatile",
            "while",
        ),
    )
)
TARGETS = ("opencl", "cuda")
AXES = frozenset("xyz")  # stand behind dots in the end


def _dialect(target: str) -> Dialect:
    return Dialect.read(LIBRARY / target / "dialect.yaml")


def _is_ours(word: str) -> bool:
    return word.startswith(("cuvier_", "CUVIER_", "__")) or word == "CL_TARGET_OPENCL_VERSION"


@pytest.mark.parametrize("target", TARGETS)
def test_no_variable_is_called_as_templates_call_things(target: str) -> None:
    """The list of the dialect has every word that kernels and launch functions say beside the user's text."""
    found = words_of_templates(target, members=False, but=FIXED | HOST_ONLY)
    missing = {
        file: sorted(
            word for word in words - _dialect(target).reserved - KEYWORDS - AXES if not _is_ours(word)
        )
        for file, words in found.items()
    }
    assert not {file: words for file, words in missing.items() if words}


@pytest.mark.parametrize("target", TARGETS)
def test_no_macro_is_called_as_any_word_of_templates(target: str) -> None:
    """Macros get everywhere: into helpers, and behind dots."""
    dialect = _dialect(target)
    found = words_of_templates(target, members=True, but=HOST_ONLY)
    known = dialect.reserved | dialect.locals | dialect.library | KEYWORDS
    missing = {file: sorted(w for w in words - known if not _is_ours(w)) for file, words in found.items()}
    assert not {file: words for file, words in missing.items() if words}


@pytest.mark.parametrize("target", TARGETS)
def test_what_generated_headers_declare_begins_with_our_name(target: str) -> None:
    assert header_names(target)
    assert not [name for name in header_names(target) if not _is_ours(name)]


CLASHES = {
    "functions of the language": """
        static int get_global_id(int x) { return 3 * x; }
        static int get_local_size(int x) { return x + 2; }
        static int atomicAdd(int x, int y) { return x - y; }
        static int barrier(int x) { return x % 5; }
        static int f(int i) { return get_global_id(i) + get_local_size(i) - atomicAdd(i, 3) * barrier(i);
        }""",
    "macros": """
        #define get_global_id(x) ((x) * 3)
        #define x 4
        #define k(skip, width) ((skip) - (width))
        #define cuvier_min(a, b) ((a) + (b))
        static int from(int i) { return get_global_id(i) + cuvier_min(i, x); }
        #define f(i) (from(i) + k(i, x) + x)""",
    "types": """
        typedef unsigned char uchar; typedef struct { float x, y; } float2; typedef short int4;
        struct dim3 { uchar uint, length; float2 half; };
        enum half { index = 3, size_t_ }; typedef enum half half;
        static int f(int i) {
            struct dim3 q = {(uchar)(i * 3), sizeof(uchar), {1, 2}}; float2 p; half h = index; int4 v = i;
            p.x = i; p.y = q.half.x; return (int)(p.x - p.y) + q.uint + q.length + h + v; }""",
    "functions of C": """
        static int index(int i) { return i + 1; }
        static double rsqrt(double r) { return r / 2; }
        static int c_fabs(int i) { return i - 7; }
        static int f(int i) { return index(i) + (int)rsqrt(i) + (int)fabs(i - 9.5) + c_fabs(i); }""",
    "constants": """
        enum { CLK_LOCAL_MEM_FENCE = 3, threadIdx, blockDim, launch, launch_ };
        static int f(int i) { return i * CLK_LOCAL_MEM_FENCE + threadIdx - blockDim + launch - launch_; }""",
}

_PROGRAM = """
#include <math.h>
#include <stdio.h>
static int a[3000], b[3000];
{text}
int main(void) {{
  int cuvier_map = 3, get_num_groups = 2, offset = 0, size = 5;
  for (int size_ = 0; size_ < 3000; size_++) a[size_] = f(size_) + cuvier_map * get_num_groups;
  for (int item = 0; item < 3000; item++) offset += a[item] % 100 + f(item);
  for (int i = 1; i < 2999; i++) b[i] = a[i - 1] + a[i] * 2 + a[i + 1] * size;
  printf("%d %d %d\\n", a[77], b[78], offset);
  return 0;
}}
"""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("text", CLASHES.values(), ids=CLASHES.keys())
def test_the_users_names_are_others_on_the_device(text: str, target: str, tmp_path: Path) -> None:
    source = tmp_path / "names.c"
    source.write_text(_PROGRAM.format(text=text))
    options = VerifyOptions(PreprocessOptions(), device="host-shim" if target == "cuda" else None)
    result = verify(source, target, options)
    assert result.ok
    assert len(result.kernels) == 3


def test_an_array_and_its_size_have_names_like_those_of_parameters(tmp_path: Path) -> None:
    source = tmp_path / "sizes.c"
    source.write_text(
        r"""#include <stdio.h>
        struct point { double at; int id; };
        static struct point p[50];
        static void f(struct point *p, int p_size) { for (int i = 0; i < p_size; i++) p[i].id = i * p_size; }
        int main(void) { f(p, 50); printf("%d\n", p[49].id); return 0; }"""
    )
    assert verify(source, "opencl", VerifyOptions(PreprocessOptions())).ok


HELPERS = ("cuvier_max", "cuvier_min", "cuvier_floor", "cuvier_copies", "cuvier_parts", "cuvier_rows_apart")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", HELPERS)
@pytest.mark.parametrize("form", ["static long {0}(long a, long b)", "#define {0}(a, b)"])
def test_programs_with_helpers_names(name: str, form: str, tmp_path: Path) -> None:
    """Generated OpenMP code has functions of such names; a program that has them keeps its own."""
    body = "{ return 2 * a + b; }" if "static" in form else "(2 * (a) + (b))"
    text = f"""#include <stdio.h>
        #include <stdlib.h>
        {form.format(name)} {body}
        static double A[40][40], B[40][40];
        static void rows(double **r, double **s, int n) {{
            for (int i = 0; i < n; i++) for (int j = 0; j < 40; j++) r[i][j] = s[i][j] + {name}(i, j); }}
        int main(void) {{
            for (int t = 0; t < 20; t++) {{
                for (int i = 1; i < 39; i++) for (int j = 1; j < 39; j++)
                    B[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + {name}(i, j);
                for (int i = 1; i < 39; i++) for (int j = 1; j < 39; j++) A[i][j] = B[i][j] / 4;
            }}
            double *r[40], *s[40]; for (int i = 0; i < 40; i++) {{ r[i] = A[i]; s[i] = B[i]; }}
            rows(r, s, 40); printf("%.9g\\n", A[20][20]); return 0; }}"""
    source = tmp_path / "helpers.c"
    source.write_text(text)
    assert verify(source, "openmp", VerifyOptions(PreprocessOptions())).ok


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_macros_called_like_parts_of_templates(target: str, tmp_path: Path) -> None:
    source = tmp_path / "macros.c"
    source.write_text(
        """#include <stdio.h>
        #define launch 2
        #define block(x) ((x) * 2)
        #define lap 9
        #define at 3
        #define now(a, b) ((a) - (b))
        static int v[999]; static double A[40][40], C[40][40];
        int main(void) {
            for (int i = 0; i < 999; i++) v[i] = i % lap * launch;
            int s = 0; for (int i = 0; i < 999; i++) { s += now(v[i], at); v[i] = s + block(i); }
            for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++) A[i][j] = (i * at + j) % lap;
            for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++)
                for (int k = 0; k < 40; k++) C[i][j] += A[i][k] * A[k][j] * launch;
            printf("%d %g\\n", v[998], C[7][9]); return 0; }"""
    )
    assert verify(source, target, VerifyOptions(PreprocessOptions())).ok


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", *TARGETS])
def test_macros_called_like_attributes(target: str, tmp_path: Path) -> None:
    """In `__attribute__((...))`; those of the build hold in all files of a program in the shim."""
    words = ("unused", "noinline", "aligned", "optimize", "vector_size", "may_alias", "cleanup", "weak")
    used = " + i * ".join(words)
    source = tmp_path / "macros.c"
    source.write_text(
        f"""#include <stdio.h>
        static double A[40][40], C[40][40];
        int main(void) {{
            for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++) A[i][j] = (i + j * {used}) % 7;
            for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++)
                for (int k = 0; k < 40; k++) C[i][j] += A[i][k] * A[k][j];
            printf("%g\\n", C[7][9]); return 0; }}"""
    )
    flags = PreprocessOptions(defines=tuple(f"{word}={k + 2}" for k, word in enumerate(words)))
    options = VerifyOptions(flags, device="host-shim" if target == "cuda" else None)
    assert verify(source, target, options).ok
