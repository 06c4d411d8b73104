"""Sources in old, rare and odd C: what is not understood costs the function around it, and no more."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import UnitFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from species.source.text.chunks import split_declarations

HEAD = """\
int b[1000], m;
static void out(int *p) { m += *p; }
void plain(void) { for (int i = 0; i < 100; i++) b[i] = 2 * i; }
"""
TAIL = "\nint z[200];\nvoid last(void) { for (int i = 0; i < 100; i++) z[i] = i; }\n"
LOOP = "for (int i = 0; i < n; i++)"
TINY = "typedef unsigned tiny __attribute__((mode(QI))); "
VAR = "__attribute__((cleanup(out)))"
OTHER = "__attribute__((unused, __cleanup__(out)))"
CLEANED = {
    "after the type": f"void f(int n) {{ {LOOP} {{ int {VAR} k = i; b[i] = k; }} }}",
    "before it": f"void f(int n) {{ {LOOP} {{ {VAR} int k = i; b[i] = k; }} }}",
    "of one of two": f"void f(int n) {{ {LOOP} {{ int j, k {VAR} = i; b[i] = k; }} }}",
    "in a header": f"void f(int n) {{ for (int i {VAR} = 0; i < n; i++) b[i] = 1; }}",
    "of C23": f"void f(int n) {{ {LOOP} {{ [[gnu::cleanup(out)]] int k = i; b[i] = k; }} }}",
    "with others": f"void f(int n) {{ {LOOP} {{ int k {OTHER}; b[i] = i; }} }}",
}
OF_TYPES = {
    "a mode makes numbers wrap": f"{TINY} void f(int n) {{ {LOOP} {{ tiny k = i; b[k] = i; }} }}",
    "a mode makes an iterator wrap": TINY + "void f(int n) { for (tiny i = 0; i < n; i += 100) b[i] = i; }",
    "a mode makes a parameter small": f"""void f(int n, unsigned x __attribute__((mode(QI)))) {{
        {LOOP} b[x++] = i; }}""",
    "a mode changes sizes": f"""typedef int big __attribute__((mode(DI)));
        void f(int n) {{ {LOOP} ((big *)b)[i] = i; }}""",
    "vectors in a cast": f"""typedef int v4 __attribute__((vector_size(16)));
        void f(int n) {{ {LOOP} *(v4 *)&b[i] = (v4){{i, i, i, i}}; }}""",
    "vectors as a parameter": f"""void f(int n, int __attribute__((vector_size(16))) *p) {{
        int *q = (int *)p; {LOOP} {{ q[i + 1] = 2; p[i][0] = 1; }} }}""",
    "a transparent union": f"""typedef union {{ int *p; void *q; }} u __attribute__((transparent_union));
        static void h(u x, int i) {{ x.p[i + 1] = x.p[i]; }} void f(int n) {{ {LOOP} h(b, i); }}""",
}
OF_NAMES = {
    "two names of an array": f"""extern int c[100] __attribute__((alias("b")));
        void f(int n) {{ {LOOP} c[i + 1] = b[i]; }}""",
    "two names of a function": f"""int bump(void) {{ return m++; }}
        int other(void) __attribute__((alias("bump"))); void f(int n) {{ {LOOP} b[i] = other(); }}""",
    "a global register": f'register long r asm("r15"); void f(int n) {{ {LOOP} {{ b[i] = r; r = i; }} }}',
    "a global register in a callee": f"""register long r asm("r15"); static long h(void) {{ return r++; }}
        void f(int n) {{ {LOOP} b[i] = h(); }}""",
    "a nested function": f"""void f(int n) {{ int k = 0; int in(int i) {{ return k += i; }}
        {LOOP} b[i] = in(i); }}""",
    "a nested function, declared first": f"""void f(int n) {{ auto int in(int i); int k = 0;
        {LOOP} b[i] = in(i); int in(int i) {{ return k += i; }} }}""",
}


def facts_of(text: str, **options: str) -> UnitFacts:
    return analyse(read_translation_unit("test.c", PreprocessOptions(**options), text=text))  # type: ignore[arg-type]


def verdicts(text: str, function: str, **options: str) -> list[Verdict]:
    return [loop.verdict for loop in facts_of(text, **options).loops if loop.function == function]


@pytest.mark.parametrize("text", [*CLEANED.values(), *OF_TYPES.values()], ids=[*CLEANED, *OF_TYPES])
def test_they_cost_the_function_in_which_they_stand(text: str) -> None:
    whole = HEAD + text + TAIL
    assert set(verdicts(whole, "f", std="gnu2x" if "[[" in text else "gnu11")) <= {Verdict.SERIAL}
    assert verdicts(whole, "plain") == verdicts(whole, "last") == [Verdict.PARALLEL]


@pytest.mark.parametrize("text", OF_NAMES.values(), ids=OF_NAMES)
def test_they_cost_what_uses_the_name(text: str) -> None:
    whole = HEAD + text + TAIL
    assert set(verdicts(whole, "f")) <= {Verdict.SERIAL}
    assert verdicts(whole, "last") == [Verdict.PARALLEL]


def test_what_is_declared_with_an_attribute_is_named_in_messages() -> None:
    (lost,) = facts_of(HEAD + 'extern int c[100] __attribute__((alias("b")));').diagnostics
    assert "the declaration of 'c' is not analysed" in lost.message


OLD = {
    "some without a type": f"""float f(d, n, l) float *d, *l; {{ float s = 0;
        {LOOP} {{ b[i] = i; s += i; }} return s; }}""",
    "all without a type": f"f(k, n) {{ {LOOP} b[i] = k; return n; }}",
    "the iterator": "void f(n, i) { for (i = 0; i < n; i++) b[i] = i; }",
}


@pytest.mark.parametrize("text", OLD.values(), ids=OLD)
def test_a_parameter_without_a_type_is_an_int(text: str) -> None:
    facts = facts_of(HEAD + text)
    assert facts.loops[-1].verdict is Verdict.PARALLEL and not facts.diagnostics


MARKERS = """\
char *s = "\\
# 2008 and 2009\\n\\
## x\\n\\
#line 7\\n";
/*
# 12 "other.c"
#line 3
*/
double a[9];
void f(void) { for (int i = 0; i < 9; i++) a[i] = 1; }
"""


@pytest.mark.parametrize("cc", [None, "none"])
def test_what_looks_like_a_line_marker_in_a_string_is_none(cc: str | None) -> None:
    (loop,) = facts_of(MARKERS, **({"cc": cc} if cc else {})).loops
    assert loop.verdict is Verdict.PARALLEL and loop.position.line == 10


DIRECTIVES = (
    "#line 77",
    '%:line 77 "x.c"',
    '# 77 "x.c"',
    "%: 77",
    "# /* no\nline */ line 77",
    '#line \\\n77 "x.c"',
)


@pytest.mark.parametrize("directive", DIRECTIVES)
def test_the_lines_are_those_of_the_file(directive: str) -> None:
    text = f"double a[9];\n{directive}\nvoid f(void) {{ for (int i = 0; i < 9; i++) a[i] = 1; }}\n"
    (loop,) = facts_of(text).loops
    assert loop.position.file == "test.c" and loop.position.line == text.count("\n")
    assert loop.spans is not None and loop.spans.whole.of(text).startswith("for")


CHUNKS = (
    "__attribute__((noinline)) void f(double *x);",
    "typedef double real;",
    "_Alignas(16) double q[4];",
    "typeof(q) r;",
    "__attribute__((noinline)) static int kr(a, b) int a; double b; { return a; }",
    'extern double w[100] __attribute__((alias("a")));',
    "kk(a) { return a; }",
    "int (*tab[3])(int);",
)


def test_declarations_end_where_they_end() -> None:
    text = "\n".join(CHUNKS)
    found = split_declarations(text)
    assert tuple(text[each.start : each.end] for each in found) == CHUNKS
    assert [each.name for each in found][:7] == ["f", "real", "q", "r", "kr", "w", "kk"]
