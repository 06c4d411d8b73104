"""C that deceives about what types mean where they are named, and about what `restrict` promises."""

from __future__ import annotations

import pytest

from species.annotate.openmp import parallel_for
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, SourceError, read_translation_unit
from species.symbols.types import CHAR
from tests.support.analysing import facts_of, loops_of

_NEXT = "for (int i = 0; i < n; i++) {}[i + 1] = {}[i] + 1;"


def _last(text: str) -> LoopFacts:
    return loops_of(text)[-1]


def _steps(pointer: str, other: str) -> str:
    """A loop that is serial if the two pointers are one."""
    return _NEXT.format(pointer, other)


BASED = {  # C lets the second pointer be based on the first
    "a parameter": f"int *restrict g; void f(int *q, int n) {{ {_steps('g', 'q')} }}",
    "a parameter, of a static": f"""static int *restrict g; void f(int *q, int n) {{ {_steps("g", "q")} }}
        void h(int *b) {{ g = b; f(g, 9); }}""",
    "a parameter, of a member": f"""struct R {{ int *restrict p; }} r;
        void f(int *q, int n) {{ {_steps("r.p", "q")} }}""",
    "a parameter, of a static member": f"""static struct R {{ int *restrict p; }} r;
        void f(int *q, int n) {{ {_steps("r.p", "q")} }} void h(int *b) {{ r.p = b; f(r.p, 9); }}""",
    "a parameter, of a member by a pointer": f"""static struct R {{ int *restrict p; }} *r;
        void f(int *q, int n) {{ {_steps("r->p", "q")} }}""",
    "a parameter, of one declared in a block": f"""
        void f(int *q, int n) {{ extern int *restrict g; {_steps("g", "q")} }}""",
    "a parameter, of a type's name": f"""typedef int *restrict promise; promise g;
        void f(int *q, int n) {{ {_steps("g", "q")} }}""",
    "a parameter, which is written": f"int *restrict g; void f(int *q, int n) {{ {_steps('q', 'g')} }}",
    "a variable of another file": f"""int *restrict g; extern int *other;
        void f(int n) {{ {_steps("g", "other")} }}""",
    "what another file gives back": f"""int *restrict g; int *get(void);
        void f(int n) {{ int *q = get(); {_steps("g", "q")} }}""",
    "a table of another file": f"""extern int *restrict g; extern int *t[4];
        void f(int n) {{ {_steps("g", "t[1]")} }}""",
    "a static, which another file sets": f"""int *restrict g; static int *q;
        void set(int *to) {{ q = to; }} void f(int n) {{ {_steps("g", "q")} }}""",
    "a member of one structure, by two pointers": f"""struct R {{ int *restrict p; }};
        void f(struct R *x, struct R *y, int n) {{ {_steps("x->p", "y->p")} }}""",
    "a member of a variable, by a pointer": f"""struct R {{ int *restrict p; }} r, *s;
        void f(int n) {{ {_steps("r.p", "s->p")} }}""",
    "one of an array": f"int *restrict t[9]; void f(int j, int k, int n) {{ {_steps('t[j]', 't[k]')} }}",
    "a copy": f"static int *restrict g; void f(int n) {{ int *q = g; {_steps('g', 'q')} }}",
    "what an array of pointers has, by its name": """typedef int *table[9];
        void f(table restrict x, table y, int n) {
            for (int i = 0; i < n; i++) x[i + 1] = y[i]; }""",
}


@pytest.mark.parametrize("text", BASED.values(), ids=BASED.keys())
def test_a_promise_of_the_whole_program(text: str) -> None:
    assert _last(text).verdict is not Verdict.PARALLEL


PROMISED = {
    "a parameter": f"void f(int *restrict p, int *q, int n) {{ {_steps('p', 'q')} }}",
    "a static that nobody has": f"""static int *restrict g; void set(int *a) {{ g = a; }}
        void f(int *q, int n) {{ {_steps("g", "q")} }}""",
    "an array": f"int *restrict g; int a[100]; void f(int n) {{ {_steps('g', 'a')} }}",
    "two at file level": f"extern int *restrict g, *restrict h; void f(int n) {{ {_steps('g', 'h')} }}",
    "two members": f"""struct {{ int *restrict p, *restrict q; }} r;
        void f(int n) {{ {_steps("r.p", "r.q")} }}""",
    "memory of its own": f"""#include <stdlib.h>
        int *restrict g; void f(int n) {{ int *q = malloc(n * sizeof *q); if (q) {_steps("g", "q")} }}""",
}


@pytest.mark.parametrize("text", PROMISED.values(), ids=PROMISED.keys())
def test_a_promise_that_holds(text: str) -> None:
    assert _last(text).verdict is Verdict.PARALLEL


_FILE = """#include <string.h>
    typedef int T[5]; T small; typedef T *P; typedef int (*R)[5]; int x[20000], y[20000];
    typedef struct { int a[10], z; } S; struct Q { int a; }; struct M { T v; int w; }; enum { N = 5 };
    struct W { int v[N]; }; typedef char B[sizeof(struct W)]; typedef short may;
"""

MEANINGS = {
    "sizeof a name": "typedef int T[20]; for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(T));",
    "sizeof a variable": """typedef int T[20]; T v;
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof v);""",
    "sizeof a row": """typedef int T[20]; T m[4];
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof m[0]);""",
    "sizeof what a pointer points to": """typedef int (*R)[20]; R p = 0;
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof *p);""",
    "sizeof a member": """typedef int T[20]; struct M { T v; int w; } o;
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof o.v);""",
    "sizeof a structure": """typedef int T[20]; struct M { T v; int w; };
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(struct M));""",
    "sizeof a structure of enumerators": """enum { N = 20 }; struct W { int v[N]; };
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(struct W));""",
    "sizeof an array of enumerators": """enum { N = 20 }; typedef int A[N];
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(A));""",
    "sizeof a type in a type": """struct W { int v[20]; }; typedef char B[sizeof(struct W)];
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(B));""",
    "a bound": """typedef int T[20];
        for (int i = 0; i < (int)(sizeof(T) / sizeof(int)); i++) x[i] = x[i + 10] + 1;""",
    "rows that a pointer steps by": """typedef int T[20]; T *q = (T *)x; int (*p)[5] = (int (*)[5])x;
        for (int i = 0; i < 90; i++) q[i][0] = p[4 * i + 4][0] + 1;""",
    "rows of the other meaning": """T *p = (T *)x; { typedef int T[20]; T *q = (T *)p;
        for (int i = 0; i < 90; i++) q[i][0] = p[4 * i + 4][0] + 1; }""",
    "rows, in place": """T *p = (T *)x; { typedef int T[20];
        for (int i = 0; i < 90; i++) ((T *)p)[i][0] = p[4 * i + 4][0] + 1; }""",
    "rows, by way of void": """T *p = (T *)x; void *v = p; { typedef int T[20]; T *q = v;
        for (int i = 0; i < 90; i++) q[i][0] = p[4 * i + 4][0] + 1; }""",
    "rows in a static array": """typedef int T[20]; static T a[8]; int *p = (int *)a;
        for (int i = 0; i < 4; i++) a[i][12] = p[20 * i + 32] + 1;""",
    "structures that are copied": """struct Q *p = (struct Q *)x; { struct Q { int a, b; } z = {1, 2};
        struct Q *q = (struct Q *)p; for (int i = 0; i < 90; i++) { q[i] = z; y[i] = p[i + 1].a; } }""",
    "structures that are copied, in place": """struct Q *p = (struct Q *)x;
        { struct Q { int a, b; } z = {1, 2};
          for (int i = 0; i < 90; i++) { ((struct Q *)p)[i] = z; y[i] = p[i + 1].a; } }""",
    "structures without tags": """S *p = (S *)x; { typedef struct { int a[10], z, more; } S; S *q = (void *)p;
        for (int i = 0; i < 90; i++) { q[i].z = i; y[i] = p[i + 1].z; } }""",
    "an array that is none": """typedef int *T; T p = x + 1; for (int i = 0; i < 90; i++) x[i] = p[i] + 1;""",
    "a number that is a pointer": """typedef int *may; may p = x + 1;
        for (int i = 0; i < 90; i++) x[i] = p[i] + 1;""",
    "an array by its address": """typedef int T[20]; T v; int *d = v;
        for (int i = 0; i < 90; i++) { d[0] = i; memcpy(x + i, v, 4); }""",
    "an array by its elements": """typedef int T[20]; T v; int *d = v;
        for (int i = 0; i < 90; i++) { d[0] = i; x[i] = v[0]; }""",
    "an array that is filled": """typedef int T[20]; T v;
        for (int i = 0; i < 90; i++) { memcpy(v, y + i, 4); x[i] = v[0]; }""",
    "an array in a structure": """typedef struct { int a[10], z, more; } S; S s, t; int *d = s.a;
        for (int i = 0; i < 90; i++) { d[0] = i; t = s; x[i] = t.a[0]; }""",
    "a member by its address": """typedef struct { int a[10], z, more; } S; S s; int *e = &s.z;
        for (int i = 0; i < 90; i++) { *e = i; x[i] = s.z; }""",
    "a pointer in a static array of structures": """typedef int T; struct M { T v; int w; };
        static struct M m[100]; static int *p = &m[1].v;
        for (int i = 0; i < 49; i++) m[i].v = p[2 * i] + 1;""",
    "a number of another sign": """typedef unsigned short may; may k = 40000; int j = k;
        for (int i = 0; i < 90; i++) if (j < 0) x[i] = x[i + 1]; else x[0] = i;""",
    "a length that varies": """int n = x[0]; typedef int V[n]; { n = x[1]; typedef int V[n];
        for (int i = 0; i < 90; i++) memcpy(x + 10 * i, y + i, sizeof(V)); }""",
}


@pytest.mark.parametrize("body", MEANINGS.values(), ids=MEANINGS.keys())
def test_a_name_of_a_type_with_two_meanings(body: str) -> None:
    assert _last(f"{_FILE} void f(void) {{ {body} }}").verdict is not Verdict.PARALLEL


TAGS = {
    "members of another type": """typedef int T; struct X { T v; }; int x[1000];
        void f(void) { typedef unsigned char T; struct X { T v; }; struct X s;
            for (int i = 0; i < 1000; i++) { s.v = i; x[s.v] = i; } }""",
    "members that are structures": """struct E { int p; }; struct X { struct E e; }; int x[1000];
        void f(void) { struct E { unsigned char p; }; struct X { struct E e; }; struct X s;
            for (int i = 0; i < 1000; i++) { s.e.p = i; x[s.e.p] = i; } }""",
    "pointers that are arrays": """typedef int *P; struct Y { P p; }; int x[1000];
        void f(void) { typedef int P[4]; struct Y { P p; }; struct Y s = {{1}}, t;
            for (int i = 0; i < 1000; i++) { s.p[i & 1] = i; t = s; x[i] = t.p[0]; } }""",
    "numbers that alias": """typedef double Q; struct V { Q q; };
        void f(struct V *v, int n) { typedef int Q; struct V { Q q; }; static struct V a[100];
            struct V *w = a; int *p = &a[1].q; for (int i = 0; i < 99; i++) w[i].q = p[i] + 1; }""",
    "a type in a cast": """struct X { int v; }; int x[1000], *p;
        void f(void) { void *v = x; for (int i = 0; i < 90; i++)
            { ((struct X { int v, w; } *)v)[i].w = i; x[i] = ((struct X *)x)[i + 1].v; } }""",
    "bit-fields of enumerators": """enum { W = 8 }; struct B { unsigned f : W; }; int x[1000];
        void f(void) { enum { W = 4 }; struct B { unsigned f : W; }; struct B s;
            for (int i = 0; i < 200; i++) { s.f = i; x[s.f] = i; } }""",
}


@pytest.mark.parametrize("text", TAGS.values(), ids=TAGS.keys())
def test_a_tag_with_two_meanings(text: str) -> None:
    assert _last(text).verdict is Verdict.SERIAL


ONE_MEANING = {
    "the same array twice": """typedef int T[5]; int x[500];
        void g(void) { typedef int T[5]; T t; t[0] = 1; }
        void f(T *p) { for (int i = 0; i < 90; i++) p[i][1] = p[i][0]; }""",
    "the same structure twice": """int x[500]; void g(void) { struct S { int a, b[3]; } s; s.a = 1; }
        void f(void) { struct S { int a, b[3]; } s[90];
            for (int i = 0; i < 90; i++) s[i].b[1] = x[i]; }""",
    "another name of a number": """typedef double real; typedef long int counter; long c[90];
        void f(real *a) { for (int i = 0; i < 90; i++) { double *e = a + i; *e = i;
            counter *t = &c[i]; *t = *e; } }""",
    "another name of a structure": """struct s { double x; struct s *next; }; typedef struct s S;
        void f(struct s *a) { for (int i = 0; i < 90; i++) {
            S *e = &a[i]; e->x = i; ((S *)a)[i].next = 0; } }""",
    "another name of a pointer": """typedef double real; typedef real *row;
        void f(double *restrict *a) { for (int i = 0; i < 90; i++) { row r = a[0]; r[i] = 1; } }""",
    "a variable before the second meaning": """typedef struct { int a, b; } S; S s[90]; int x[500];
        void f(void) { for (int i = 0; i < 90; i++) s[i].a = s[i].b; }
        void g(void) { typedef int S; S t = 1; x[0] = t; }""",
}


@pytest.mark.parametrize("text", ONE_MEANING.values(), ids=ONE_MEANING.keys())
def test_types_with_one_meaning(text: str) -> None:
    assert _last(text).verdict is Verdict.PARALLEL


_DEVICE = """
    typedef struct { int status, data[16]; struct { int lo, hi; } ch[4]; struct { int w[3]; } in; } Regs;
    typedef int A[10]; struct M { volatile A v; A u; } m; struct N { Regs s; volatile Regs t; } n2, *pn;
    volatile Regs regs, bank[2], *r; volatile A va, *pva; typedef volatile int VI; typedef VI VA[4]; VI vi;
    struct K { VA a; } kk; int x[100], y[100]; struct C { volatile int v; int w; } ca[10], cb;
    _Atomic int at[4]; struct U { union { volatile int status; int raw; }; int plain; } *u;
    struct L { _Atomic int c[4]; } l;
    struct D { struct { struct { volatile int deep; }; int shallow; }; int q; } da[10], db, *d;
    struct V { volatile int ready; int w; } gv, *pv; static int rd(volatile Regs *p) { return p->data[1]; }
"""

VOLATILE = {
    "a member": "x[i] = r->status;",
    "an array": "r->data[i] = i;",
    "an array that is read": "x[i] = r->data[0];",
    "a structure in an array": "r->ch[i].lo = i;",
    "an array in a structure": "x[i] = r->in.w[0];",
    "an array of the dereferenced": "x[i] = (*r).data[i];",
    "an array in an array": "bank[1].data[i] = i;",
    "an array in a variable": "x[i] = regs.data[3];",
    "an array by its type's name": "x[i] = va[i];",
    "an array by its type's name, in a structure": "x[i] = m.v[i];",
    "an array by its type's name, pointed to": "x[i] = (*pva)[i];",
    "an array by its type's name, pointed to and indexed": "x[i] = pva[0][i];",
    "an array by its element type's name": "x[i] = kk.a[i];",
    "an array of a member": "x[i] = n2.t.data[i];",
    "an array of a member, by a pointer": "x[i] = pn->t.data[i];",
    "an array of the cast": "x[i] = ((volatile Regs *)y)->data[i];",
    "a cast array": "x[i] = (*(volatile A *)y)[i];",
    "a pointer that is given one": "volatile Regs *q = (Regs *)y; x[i] = q->data[i];",
    "a pointer into one": "const volatile int *q = *pva; x[i] = q[i];",
    "a pointer to a pointer": "int *t[4]; volatile int **p = (volatile int **)t; t[0] = y; x[i] = p[0][i];",
    "a structure that has one": "ca[i] = cb;",
    "a structure that has one deep inside": "da[i] = db;",
    "a member without an own name around it": "x[i] = u->status;",
    "a member deep inside": "x[i] = d->deep;",
    "an atomic array": "at[i] = i;",
    "an atomic array in a structure": "l.c[i] = i;",
    "in a callee": "x[i] = rd(r);",
    "a name that is not volatile elsewhere": "typedef int VI; VI k = 3; x[i] = k;",
    "a name that is volatile here": "x[i] = vi;",
    "a tag that has another meaning": "x[i] = gv.ready;",
    "a tag that has another meaning, by a pointer": "x[i] = pv->ready;",
    "a tag that has another meaning, copied": "struct V t = gv; x[i] = 1;",
}
_OTHERS = "void other(void) { typedef int VI; VI z = 1; struct V { int a; } v; v.a = z; x[0] = v.a; }"


@pytest.mark.parametrize("body", VOLATILE.values(), ids=VOLATILE.keys())
def test_volatile(body: str) -> None:
    text = f"{_DEVICE} {_OTHERS} void f(void) {{ for (int i = 0; i < 4; i++) {{ {body} }} }}"
    loop = _last(text)
    assert loop.verdict is Verdict.SERIAL
    assert "CV304" in {reason.code for reason in loop.reasons}


def test_each_read_of_a_volatile_element_gives_another_value() -> None:
    loop = _last(f"""{_DEVICE} void f(void) {{ int j = r->data[0], k = r->data[0];
        for (int i = 0; i < 50; i++) x[i + j] = x[i + k] + 1; }}""")
    assert loop.verdict is not Verdict.PARALLEL


NOT_VOLATILE = {
    "beside one that is": "da[i].q = i;",
    "beside an array that is": "m.u[i] = i;",
    "beside a structure that is": "n2.s.data[i] = i;",
    "a constant array": "const A ca = {1}; x[i] = ca[i];",
}


@pytest.mark.parametrize("body", NOT_VOLATILE.values(), ids=NOT_VOLATILE.keys())
def test_not_volatile(body: str) -> None:
    assert _last(f"{_DEVICE} void f(void) {{ for (int i = 0; i < 4; i++) {{ {body} }} }}").verdict is (
        Verdict.PARALLEL
    )


def test_a_parameter_that_points_to_volatile_memory_is_not_volatile() -> None:
    text = "int *x; void f(volatile int p[4], int n) { for (int i = 0; i < n; i++) x[i] = p == 0; }"
    assert _last(text).verdict is Verdict.PARALLEL


def test_elements_of_a_constant_array_are_constant() -> None:
    """A kernel need not give back what it can only read."""
    for declared in ("const A c = {1};", "const int c[10] = {1};"):
        loop = _last(f"typedef int A[10]; {declared} int x[10]; void f(void) {{ {_READ} }}")
        assert loop.kernel is not None
        assert [array.readonly for array in loop.kernel.arrays if array.name == "c"] == [True]


_READ = "for (int i = 0; i < 10; i++) x[i] = c[i];"

_CHARACTERS = """
    typedef char C; typedef C CC; typedef const char K; int x[2000]; static K k = 200; C s, a[100];
    signed char b[100]; struct { char f : 4; C m, r[4]; } o; static C id(C c) { return c; }
    static signed char cut(char c) { return c; }
"""

CHARACTERS = {
    "a cast": "for (int i = -128; i < 128; i++) x[(C)i + i + 900] = i;",
    "a cast to a name of a name": "for (int i = -128; i < 128; i++) x[(CC)i + i + 900] = i;",
    "a variable": "for (int i = -128; i < 128; i++) { C c = i; x[c + i + 900] = i; }",
    "a member": "for (int i = -128; i < 128; i++) { o.m = i; x[o.m + i + 900] = i; }",
    "an element": "for (int i = -128; i < 128; i++) { o.r[1] = i; x[o.r[1] + i + 900] = i; }",
    "a bit-field": "for (int i = -8; i < 8; i++) { o.f = i; x[o.f + i + 900] = i; }",
    "a parameter": "for (int i = -128; i < 128; i++) x[id(i) + i + 900] = i;",
    "a parameter that is cut off": """
        for (int i = 128; i < 255; i++) x[cut(i) + 900] = x[i - 127 + 900];""",
    "a constant": "for (int i = 0; i < 100; i++) x[i + 400 + k] = x[i + 344] + 1;",
    "a constant, without a sign": "for (int i = 0; i < 100; i++) x[i + 400 + k] = x[i + 599] + 1;",
    "a comparison": "C c = x[0]; int j = c; for (int i = 0; i < 90; i++) if (j < 0) x[i] = x[i + 1] + 1;",
    "a maximum of others": "for (int i = 0; i < 100; i++) if (b[i] > s) s = b[i];",
}


@pytest.mark.parametrize("body", CHARACTERS.values(), ids=CHARACTERS.keys())
def test_a_name_of_plain_char(body: str) -> None:
    assert _last(f"{_CHARACTERS} void f(void) {{ {body} }}").verdict is not Verdict.PARALLEL


def test_names_of_plain_char_that_do_no_harm() -> None:
    for body in ("if (a[i] > s) s = a[i];", "x[(C)i] = i;", "x[(signed char)(i - 50) + 50] = i;"):
        text = f"{_CHARACTERS} void f(void) {{ for (int i = 0; i < 100; i++) {{ {body} }} }}"
        assert _last(text).verdict is Verdict.PARALLEL


def test_a_test_before_the_loop_casts_to_plain_char() -> None:
    loop = _last(f"""{_CHARACTERS} void f(int n) {{ C c = n; int j = c;
        for (int i = 0; i < 50; i++) x[i + 500 + j] = x[i + 500] + 1; }}""")
    assert loop.verdict is Verdict.CONDITIONAL
    assert "signed char" not in (parallel_for(loop, 1) or "")


def test_ranges_of_characters() -> None:
    assert CHAR.value_range == (-128, 255)
    assert CHAR.certain_range == (0, 127)


@pytest.mark.parametrize(
    ("declared", "verdict"),
    [("typedef int bool; bool s = 5;", "conditional"), ("typedef _Bool flag; flag s;", "parallel")],
)
def test_a_number_of_the_name_bool(declared: str, verdict: str) -> None:
    """`s && x` is 0 or 1; with no iterations s stays 5."""
    text = f"{declared} int a[100]; void f(void) {{ for (int i = 0; i < 100; i++) s = s && a[i]; }}"
    assert _last(text).verdict.value == verdict


MACHINES = {
    "narrow": ("__SIZEOF_LONG__", "4", "a `long` has 4 bytes, not 8"),
    "small": ("__SIZEOF_POINTER__", "4", "a pointer has 4 bytes, not 8"),
    "tiny": ("__SIZEOF_INT__", "2", "an `int` has 2 bytes, not 4"),
}


@pytest.mark.parametrize(("macro", "size", "message"), MACHINES.values(), ids=MACHINES.keys())
def test_a_compiler_for_other_sizes_is_refused(
    macro: str, size: str, message: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As `--cc "gcc -m32"` is, where gcc knows that."""
    wrapper = tmp_path_factory.mktemp("cc") / "cc"
    wrapper.write_text(f'#!/bin/sh\necho "#define {macro} {size}"\nexec cc "$@"\n')
    wrapper.chmod(0o755)
    with pytest.raises(SourceError) as caught:
        read_translation_unit("test.c", PreprocessOptions(cc=str(wrapper)), text="int a;")
    assert caught.value.diagnostic.code == "CV007"
    assert message in caught.value.diagnostic.message


@pytest.mark.parametrize("define", ["__SIZEOF_LONG__=4", "__SIZEOF_POINTER__=p"])
def test_a_macro_of_the_user_does_not_change_the_machine(define: str) -> None:
    text = "int a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }"
    assert facts_of(text, define).loops[0].verdict is Verdict.PARALLEL
