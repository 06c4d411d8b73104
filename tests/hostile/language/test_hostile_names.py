"""C that deceives about which function a name means: lost definitions, labels, names that are free."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, loops_of

_HEAD = "static int count; double a[100], b[100]; int c[100];"

LOST = {
    "a free name": "double y0(double x) { int = 3; count++; return x + count; }",
    "a name of the library": "double cos(double x) { int = 3; count++; return x + count; }",
    "in parentheses": "double (cos)(double x) { int = 3; count++; return x + count; }",
    "of an old kind": "double cos(x) double x; { int = 3; count++; return x + count; }",
    "a prototype and a definition": """double cos(double);
        double cos(double x) { int = 3; count++; return x + count; }""",
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST.keys())
def test_a_definition_is_not_understood(text: str) -> None:
    name = "y0" if "y0" in text else "cos"
    body = f"void f(void) {{ for (int i = 0; i < 100; i++) a[i] = {name}(i); }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=f"{_HEAD} {text} {body}")
    assert unit.status == "partial"
    assert analyse(unit).loops[-1].verdict is Verdict.SERIAL


def test_a_definition_that_is_not_understood_hides_no_other_function() -> None:
    text = f"""#include <math.h>
        {_HEAD} double odd(double x) {{ int = 3; return sin(x); }}
        void f(void) {{ for (int i = 0; i < 100; i++) a[i] = sin(i); }}"""
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert analyse(unit).loops[-1].verdict is Verdict.PARALLEL


LABELS = {
    "of another function": 'double erf(double) asm("bump"); double bump(double x) { return x + count++; }',
    "inside of a function": """double bump(double x) { return x + count++; }
        void g(void) { double erf(double) __asm__("bump"); }""",
    "behind an attribute": """double erf(double) __attribute__((nothrow)) asm("bump");
        double bump(double x) { return x + count++; }""",
    "in front of an attribute": """double erf(double) __asm("bump") __attribute__((nothrow));
        double bump(double x) { return x + count++; }""",
    "of the library": 'double bump(double) asm("erf"); double bump(double x) { return x + count++; }',
    "of the library, in pieces": """double bump(double) asm("e" "rf");
        double bump(double x) { return x + count++; }""",
    "of the library, with a prefix": """double bump(double) asm("_erf");
        double bump(double x) { return x + count++; }""",
    "of a function of the file": """double erf(double) asm("bump"); static double bump(double);
        double erf(double x) { return x; } static double bump(double x) { return x + count++; }""",
}


@pytest.mark.parametrize("text", LABELS.values(), ids=LABELS.keys())
def test_a_label_gives_a_function_another_name(text: str) -> None:
    body = "void f(void) { for (int i = 0; i < 100; i++) a[i] = erf(i); }"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=f"{_HEAD} {text} {body}")
    assert analyse(unit).loops[-1].verdict is Verdict.SERIAL


def test_a_static_function_is_called_by_its_label() -> None:
    text = """__attribute__((used)) static void k(double *p, double *q) asm("sym");
        static void k(double *p, double *q) { for (int i = 1; i < 100; i++) p[i] = q[i - 1] + 1; }
        void other(double *p, double *q) asm("sym");
        void g(void) { k(a, b); other(a, a); }"""
    assert loops_of(f"{_HEAD} {text}")[0].verdict is not Verdict.PARALLEL
    plain = (
        text.replace('asm("sym")', "")
        .replace("void other(double *p, double *q) ;", "")
        .replace("other(a, a);", "")
    )
    assert loops_of(f"{_HEAD} {plain}")[0].verdict is Verdict.PARALLEL


FREE = {
    "y1": ("double y1(double);", "#include <math.h>"),
    "finite": ("int finite(double);", "#include <math.h>"),
    "toascii": ("int toascii(int);", "#include <ctype.h>"),
    "ffs": ("int ffs(int);", "#include <strings.h>"),
    "htonl": ("unsigned htonl(unsigned);", "#include <arpa/inet.h>"),
}


@pytest.mark.parametrize("name", FREE)
def test_a_name_that_the_standard_leaves_to_users(name: str) -> None:
    """Another file may define it; the system's function is that which its header declares."""
    own, header = FREE[name]
    body = f"{_HEAD} void f(void) {{ for (int i = 0; i < 100; i++) c[i] = {name}(i); }}"
    assert loops_of(f"{own} {body}")[0].verdict is Verdict.SERIAL
    assert loops_of(body)[0].verdict is Verdict.SERIAL
    defines = ("_DEFAULT_SOURCE", "_XOPEN_SOURCE=700")
    assert facts_of(f"{header}\n{body}", *defines).loops[0].verdict is Verdict.PARALLEL


def test_a_name_that_is_declared_behind_the_loop() -> None:
    """A condition cannot name it there."""
    loop = "void f(double *p) { for (int i = 0; i < 100; i++) p[i] = g(i); }"
    later = "extern double late[100]; double g(int i) { return late[i]; }"
    assert loops_of(f"double g(int); {later}\n{loop}")[0].verdict is Verdict.CONDITIONAL
    assert loops_of(f"double g(int); {loop}\n{later}")[0].verdict is Verdict.SERIAL


def test_other_names_are_the_librarys() -> None:
    text = f"double sin(double); {_HEAD} void f(void) {{ for (int i = 0; i < 100; i++) a[i] = sin(i); }}"
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
