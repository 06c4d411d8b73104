"""C that deceives about types: what conversions cut off, how long arrays and fields are, what a sign is."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

_HEAD = """typedef unsigned long size_t; typedef long double wide; typedef unsigned char byte;
    int a[6000], b[6000], c[6000], A[64][8]; unsigned u[6000];
"""

SERIAL = {
    "a constant of a file that is too wide": """const unsigned char K = 257;
        void f(void) { for (int i = 0; i < 100; i++) a[i + K] = a[i] + 1; }""",
    "a negative constant of a file": """static const unsigned MU = -1;
        void f(void) { for (int i = 0; i < 100; i++) if (MU > 5) a[0] = i; }""",
    "a constant of a file that is true": """static const _Bool K = 7;
        void f(void) { for (int i = 0; i < 100; i++) a[i + K] = a[i] + 1; }""",
    "a constant of a file that others change": """const volatile int K = 0;
        void f(void) { int k = K; for (int i = 0; i < 100; i++) a[i + k] = a[i] + 1; }""",
    "a local constant that is too wide": """
        void f(void) { const byte K = 257; for (int i = 0; i < 100; i++) a[i + K] = a[i] + 1; }""",
    "a number without a sign, negated": """
        static void f(long k) { for (int i = 0; i < 100; i++) a[i + 1] = a[i + k - 1] + 1; }
        void g(void) { f(-0xFFFFFFFF); }""",
    "a number without a sign, negated twice": """
        static void f(long k) { for (int i = 0; i < 100; i++) a[i + 1] = a[i + k - 1] + 1; }
        void g(void) { f(- -4294967295u + 2); }""",
    "the smallest number without a sign": """
        static void f(long k) { for (int i = 0; i < 100; i++) if (k > 0) a[0] = i; }
        void g(void) { f(-0x80000000); }""",
    "bit-fields of two widths": """struct { unsigned p : 3, q : 5; } s;
        void f(int x) { int k1 = (s.p = x), k2 = (s.q = x);
            for (int i = 0; i < 100; i++) a[i + k1] = a[i + k2]; }""",
    "bit-fields with and without a sign": """struct { unsigned p : 3; signed q : 3; } s;
        void f(int x) { int k1 = (s.p = x), k2 = (s.q = x);
            for (int i = 0; i < 100; i++) a[i + k1] = a[i + k2]; }""",
    "a bit-field as wide as an enumerator": """enum { W = 12 }; struct { unsigned f : W; } s;
        void f(void) { s.f = 300; int f = s.f; unsigned char k = f;
            for (int i = 0; i < 300; i++) a[i + f] = a[i + k] + 1; }""",
    "a bit-field as wide as a product": """struct { unsigned f : 4 * 3; } s;
        void f(int n) { s.f = n; int f = s.f; unsigned char k = f;
            for (int i = 0; i < 300; i++) a[i + f] = a[i + k] + 1; }""",
    "a bit-field as wide as a size": """struct { unsigned f : sizeof(int) * 3; } s;
        void f(int n) { s.f = n; int f = s.f; unsigned char k = f;
            for (int i = 0; i < 300; i++) a[i + f] = a[i + k] + 1; }""",
    "all bits of an unsigned number turned over": """void f(void) { unsigned x = 0; long k = ~x + 0;
            int t = k;
        for (int i = 1; i < 100; i++) a[i] = a[i - (k - t) / 4294967296L] + 1; }""",
    "all bits of a long number turned over": """void f(long x) { long k = ~x; int t = k;
        for (int i = 1; i < 100; i++) a[i] = a[i - (k != t)] + 1; }""",
    "all bits of a byte turned over": """void f(void) { unsigned char x = 0; int k = ~x;
        for (int i = 1; i < 100; i++) a[i] = a[i + k] + 1; }""",
    "the largest offset": "void f(void) { for (size_t i = 1; i < 100; i++) a[i] = a[i + (size_t)-1] + 1; }",
    "the largest literal": """
        void f(void) { for (size_t i = 1; i < 100; i++) a[i] = a[i + 18446744073709551615UL] + 1; }""",
    "the largest literal, in two parts": """void f(void) { for (size_t i = 1; i < 100; i++)
        a[i] = a[i + 9223372036854775807UL + 9223372036854775808UL] + 1; }""",
    "the largest literal, in a variable": """void f(void) { size_t k = -1;
        for (size_t i = 1; i < 100; i++) a[i] = a[i + k] + 1; }""",
    "a product that hashes": """
        void f(void) { for (size_t i = 0; i < 1000; i++) a[i * 11400714819323198485ul % 1009] = i; }""",
    "a product that hashes, and a sum": """void f(void) { for (size_t i = 0; i < 1000; i++)
        a[(i * 6364136223846793005ul + 1442695040888963407ul) % 1009] = i; }""",
    "a function of gcc's gives back a long": """void f(void) { for (unsigned i = 0; i < 100; i++)
        if (__builtin_expect(i, 1) - 5 < 0) b[0] = i; }""",
    "an enumerator without a sign": """enum { BIG = 0xFFFFFFFF };
        void f(void) { for (unsigned i = 1; i < 100; i++) a[i] = a[i + BIG] + 1; }""",
    "an enumerator after a large one": """enum { BIG = 4294967290, BIG1 };
        void f(void) { for (int i = 1; i < 100; i++) if (i + BIG1 < 50) a[0] = i; }""",
    "a large enumerator beside a negative one": """enum { LOW = -1, BIG = 4294967295 };
        void f(void) { for (int i = 1; i < 100; i++) if (i + BIG > 50) a[0] = i; }""",
    "a choice that is wider than what is given back": """
        static int get(int p, int q) { return p < q ? 5L : 4294967296L + q; }
        void f(void) { for (int i = 10; i < 300; i++) if (get(i, 3) < 4) b[0] = i; }""",
    "a choice that has a sign, and what is given back has none": """
        static unsigned get(unsigned p, unsigned q) { return p < q ? -1L : q + 0L; }
        void f(void) { for (int i = 0; i < 300; i++) if (get(3, 400) > 100) b[0] = i; }""",
    "the difference of types that a choice has": """void f(int n) { for (int i = 1; i < 100; i++)
        a[i] = a[i + (n ? -1 : 0u)] + 1; }""",
    "a sum that is as wide as a long": """void f(long n) { for (int i = 0; i < 100; i++)
        if (n + 0 > 4294967295L) a[0] = i; }""",
}


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(text: str) -> None:
    assert loops_of(_HEAD + text)[0].verdict is not Verdict.PARALLEL


SIZES = {
    "an array": "char t[100 - i]; a[i + sizeof t] = i;",
    "an array in a name": "char t[100 - i]; a[i + sizeof(t)] = i;",
    "a type": "a[i + sizeof(char[100 - i])] = i;",
    "a typedef": "typedef char T[100 - i]; a[i + sizeof(T)] = i;",
    "a row": "char t[2][100 - i]; a[i + sizeof t[0]] = i;",
    "what a pointer points to": "char (*p)[100 - i] = 0; a[i + sizeof *p] = i;",
    "two arrays of one name": """int k, m; { struct S t[2]; k = sizeof t / sizeof t[0]; }
        { struct S t[3]; m = sizeof t / sizeof t[0]; } a[i + k] = a[i + m] + 1;""",
    "two structures of one name": """int k, m; { struct T { char x[3]; } t; k = sizeof t; }
        { struct T { char x[4]; } t; m = sizeof t; } a[i + k] = a[i + m] + 1;""",
    "a typedef whose length is counted": """int m = 100 - i; typedef char T[m]; m = 3;
        T t; a[i + sizeof t] = i;""",
    "a typedef whose length is counted, itself": """int m = 100 - i; typedef char T[m]; m = 3;
        a[i + sizeof(T)] = i;""",
    "an array whose length is counted": "int m = i; char t[m + 1]; m = 0; a[sizeof t - i] = i;",
    "a wide number": "a[sizeof(wide) == 16 ? 0 : i] = i;",
    "a wide number, its words turned round": "a[sizeof(double long) == 16 ? 0 : i] = i;",
    "a wide number of gcc's": "a[sizeof(_Float128) == 16 ? 0 : i] = i;",
    "a narrow number of gcc's": "a[sizeof(_Float16) == 2 ? 0 : i] = i;",
    "a sum of short numbers": "short s; a[sizeof(s + s) == 4 ? 0 : i] = i;",
    "a sum of unlike numbers": "double d; a[sizeof(i + d) == 8 ? 0 : i] = i;",
    "a sum of an array": "char t[3]; a[sizeof(t + 1) == 8 ? 0 : i] = i;",
    "a difference of numbers": "byte s; a[sizeof(s - s) == 4 ? 0 : i] = i;",
    "a wide complex number": "a[sizeof(double _Complex) == 16 ? 0 : i] = i;",
}


@pytest.mark.parametrize("body", SIZES.values(), ids=SIZES.keys())
def test_a_size_is_none_that_stays(body: str) -> None:
    """Nothing but a test of the size itself makes such a loop parallel."""
    text = f"struct S {{ int x; }}; void f(void) {{ for (int i = 0; i < 100; i++) {{ {body} }} }}"
    loop = loops_of(_HEAD + text)[0]
    assert loop.verdict is Verdict.SERIAL or all("sizeof" in condition for condition in loop.conditions)
    assert loop.verdict is not Verdict.PARALLEL


LENGTHS = {
    "in sizeof": "s += a[i] & 3; b[i] = sizeof(int[s]);",
    "in sizeof, changed": "s += a[i] & 3; b[i] = sizeof(int[s++]);",
    "in sizeof of rows": "s += a[i] & 3; b[i] = sizeof(int[3][s]);",
    "in a cast": "s += a[i] & 3; b[i] = ((int (*)[s])c)[1][0];",
    "in a cast inside of sizeof": "s += a[i] & 3; b[i] = sizeof *(int (*)[s])c;",
    "in a typedef": "s += a[i] & 3; typedef int T[s]; b[i] = sizeof(T);",
    "in a typedef, of a variable": "s += a[i] & 3; typedef int T[s]; T v; b[i] = sizeof v;",
    "in a cast of what is moved": "s += a[i] & 3; b[i] = (*((int (*)[s])c + 1))[0];",
    "in an index that is evaluated": "int m = n, (*w)[m] = (void *)c; b[i] = sizeof w[s++];",
    "in a pointer": "s += a[i] & 3; int (*p)[s] = (void *)c; b[i] = p[1][0];",
    "in an operand that is evaluated": "int (*p)[s] = (void *)c; b[i] = sizeof(*p++) + sizeof p[s++];",
}


@pytest.mark.parametrize("body", LENGTHS.values(), ids=LENGTHS.keys())
def test_the_length_of_a_type_reads_a_variable(body: str) -> None:
    text = f"int f(int n) {{ int s = 1; for (int i = 0; i < 100; i++) {{ {body} }} return s; }}"
    assert loops_of(_HEAD + text)[0].verdict is Verdict.SERIAL


ROWS = {
    "a cast": "int (*p)[4] = (int (*)[4])A; for (int i = 0; i < 60; i++) A[i][0] = p[i][0] + 1;",
    "a cast in place": "for (int i = 0; i < 60; i++) A[i][0] = ((int (*)[4])A)[i][0] + 1;",
    "a cast to longer rows": "for (int i = 0; i < 5; i++) ((int (*)[16])A)[i][0] = A[2 * i + 4][0];",
    "a callee": "in(4, A);",
    "a callee with rows of a number": "in4((int (*)[4])A);",
    "rows of a variable": "int (*p)[n] = (int (*)[n])A; for (int i = 0; i < 60; i++) A[i][0] = p[i][0] + 1;",
    "rows of a variable that changes": """int m = 8, (*p)[m] = (int (*)[m])c; m = 4;
            int (*q)[m] = (int (*)[m])p;
        for (int i = 0; i < 60; i++) p[i][0] = q[i][0] + 1;""",
    "rows of rows": """int (*p)[2][4] = (int (*)[2][4])A, (*q)[4][2] = (int (*)[4][2])p;
        for (int i = 0; i < 60; i++) p[i][1][0] = q[i][2][0] + 1;""",
}


@pytest.mark.parametrize("body", ROWS.values(), ids=ROWS.keys())
def test_rows_of_another_length(body: str) -> None:
    text = """static void in(int m, int p[][m]) { for (int i = 0; i < 60; i++) A[i][0] = p[i][0] + 1; }
        static void in4(int p[][4]) { for (int i = 0; i < 60; i++) A[i][0] = p[i][0] + 1; }"""
    loops = loops_of(f"{_HEAD} {text} void f(int n) {{ {body} }}")
    loop = loops[2] if len(loops) > 2 else loops[0 if "in(" in body else 1]
    assert loop.verdict is not Verdict.PARALLEL


def test_an_extreme_is_rounded_on_its_way() -> None:
    """Which of several is kept depends on the order."""
    bodies = ("x[i] < m) { m = x[i]; k = i; }", "y[i] * 1.0L < m) { m = y[i] * 1.0L; k = i; }")
    for body in bodies:
        text = f"""long double x[100]; double y[100];
            int f(void) {{ double m = 1e9; int k = 0; for (int i = 0; i < 100; i++) if ({body} return k; }}"""
        assert loops_of(text)[0].verdict is Verdict.SERIAL


PARALLEL = {
    "a constant of a file": """static const unsigned char K = 44;
        void f(void) { for (int i = 0; i < 100; i++) a[i + K] = a[i + 300]; }""",
    "a constant of a file, cut off": """const unsigned char K = 300;
        void f(void) { for (int i = 0; i < 44; i++) a[i + K] = a[i]; }""",
    "a negative number": """static void f(long k) { for (int i = 0; i < 100; i++) a[i + k] = a[i + 200]; }
        void g(void) { f(-1); f(-1); }""",
    "a function of gcc's": """
        void f(int n) { for (int i = 0; i < n; i++) a[__builtin_expect(i, 1)] = i; }""",
    "a choice in a bound": """static int least(int p, int q) { return p < q ? p : q; }
        void f(int n) { for (int i = 0; i < least(n, 50); i++) a[i] = a[i + 50]; }""",
    "a large enumerator": """enum { LOW = -1, BIG = 4294967295 };
        void f(void) { for (int i = 1; i < 100; i++) if (i + BIG < 50) a[0] = i; }""",
    "all bits turned over": """
        void f(int n) { for (int i = 0; i < 100; i++) a[i + 100] = a[~i + 100]; }""",
    "a small product of wide numbers": """
        void f(void) { for (size_t i = 0; i < 50; i++) a[i * 100ul + 3ul] = i; }""",
    "the size of an array": """
        void f(void) { for (int i = 0; i < 50; i++) a[i + sizeof b / sizeof b[0] - 3000] = a[i + 100]; }""",
    "the size of an array of variable length": """void f(int n) { char t[n];
        if (n > 0) for (int i = 0; i < 50; i++) a[i + sizeof t] = i; }""",
    "the same rows": """void f(void) { int (*p)[8] = (int (*)[8])A;
        for (int i = 0; i < 60; i++) p[i][0] = A[i][1] + 1; }""",
    "the same rows, of variable length": """void f(int n) { int t[n][n]; int (*p)[n] = t;
        for (int i = 0; i < n; i++) p[i][0] = t[i][1] + 1; }""",
    "rows in a callee": """static void in(int m, int p[m][m]) { for (int i = 0; i < m; i++) p[i][0] = 1; }
        void f(int n) { int t[4][n][n]; for (int i = 0; i < 4; i++) in(n, t[i]); }""",
    "an extreme of doubles": """double x[100]; int f(void) { double m = 1e9; int k = 0;
        for (int i = 0; i < 100; i++) if (x[i] < m) { m = x[i]; k = i; } return k; }""",
    "an extreme of wide numbers": """long double x[100]; int f(void) { long double m = 1e9; int k = 0;
        for (int i = 0; i < 100; i++) if (x[i] < m) { m = x[i]; k = i; } return k; }""",
}


@pytest.mark.parametrize("text", PARALLEL.values(), ids=PARALLEL.keys())
def test_is_parallel(text: str) -> None:
    assert loops_of(_HEAD + text)[-1].verdict is Verdict.PARALLEL


PACKED = {
    "before its name": "enum __attribute__((packed)) E { A, B };",
    "after its values": "enum E { A, B } __attribute__((packed));",
    "in underscores": "enum E { A = 1, B } __attribute__ (( __packed__ ));",
    "with another attribute": "enum __attribute__((unused)) __attribute__((packed)) E { A, B };",
    "of a type that has a name": "typedef enum { A, B } __attribute__((packed)) T; enum E { C };",
    "in a structure": "struct { int x; enum E { A, B } __attribute__((packed)) e; } s;",
}


@pytest.mark.parametrize("text", PACKED.values(), ids=PACKED.keys())
def test_a_packed_enumeration_has_eight_bits(text: str) -> None:
    """It is not understood, so the file is not either."""
    name = "T" if "typedef" in text else "enum E"
    body = f"int a[512]; void f(void) {{ for (int i = 0; i < 512; i++) a[({name})i] = i; }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text + body)
    assert unit.status == "partial"
    assert all(loop.verdict is not Verdict.PARALLEL for loop in analyse(unit).loops)


def test_a_packed_structure_is_understood() -> None:
    text = """enum E { A, B }; void g(enum E e) { } struct __attribute__((packed)) S { enum E e; int x; };
        struct T { char c; enum E e; } __attribute__((packed)) t[100];
        void f(void) { for (int i = 0; i < 100; i++) t[i].e = A; }"""
    assert loops_of(text)[0].verdict is Verdict.PARALLEL


@pytest.mark.parametrize("moved", ["long k = 5000;", "double *k = a + 500;"])
def test_an_unsigned_step_downwards_is_negative(moved: str) -> None:
    """`linear(k:-u)` would add 4294967293 where `u` is 3."""
    (loop,) = loops_of(f"""double a[999]; void f(unsigned u, int n) {{ {moved}
        for (int i = 0; i < n; i++) {{ a[i] = (long)k; k -= u; }} }}""")
    assert [each.step for each in loop.linear] == ["-(long)u"]
