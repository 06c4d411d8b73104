"""Assembly outside of loops: what it writes, what it reads, what it keeps the address of, where it jumps."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.hostile_c import is_parallel, last_loops, left_out

_HEAD = """int a[200], b[200], g; int *saved;
    static inline int zero(void) { int r; __asm__("xorl %0, %0" : "=r"(r)); return r; }
    static void hand_out(void *p) { __asm__ volatile("" : : "g"(p) : "memory"); }
"""
_STRIDE = "for (int i = 0; i < n; i++) a[k * i] = i;"

WRITTEN = {
    "a register": '__asm__("movl $0, %0" : "=r"(k));',
    "memory": '__asm__("movl $0, %0" : "=m"(k));',
    "read and written": 'asm volatile("movl $0, %0" : "+r"(k) : : "cc");',
    "with a name": '__asm__("movl $0, %[out]" : [out] "=r" (k) : [in] "ri" (3), "r"(n) : "cc");',
    "the second one": '__asm__("rdtsc" : "=a"(g), "=d"(k));',
    "behind a string in pieces": '__asm__("movl $0," " %0" : "=" "r"(k));',
    "on lines of its own": '__asm\n("movl $0, %0"\n: "=r"\n(k)\n);',
    "through its address": '__asm__("movl $0, (%0)" : : "r"(&k) : "memory");',
    "by a function": "k = zero();",
    "by a function that has its address": "hand_out(&k);",
    "by way of memory that is only read": '__asm__("movl $0, %0" : : "m"(k) : "memory");',
    "in a statement expression": 'g = ({ __asm__("movl $0, %0" : "=r"(k)); 1; });',
    "where a condition holds": 'if (n) __asm__("movl $0, %0" : "=r"(k)); else __asm__("nop");',
    "in a loop": 'for (int j = 0; j < n; j++) __asm__("movl $0, %0" : "=r"(k));',
}


@pytest.mark.parametrize("statement", WRITTEN.values(), ids=WRITTEN.keys())
def test_assembly_writes_a_variable(statement: str) -> None:
    assert not is_parallel(f"{_HEAD} void f(int n) {{ int k = 1; {statement} {{ {_STRIDE} }} }}")


PARTS = {
    "an element": 'int k[2] = {1, 1}; __asm__("movl $0, %0" : "=m"(k[1])); for (int i = '
    "0; i < n; i++) a[k[1] * i] = i;",
    "a member": 'struct { int z; } k = {1}; __asm__("" : "=r"(k.z)); for (int i = 0; i '
    "< n; i++) a[k.z * i] = i;",
    "a pointer": """int *q = b; __asm__("movq %1, %0" : "=r"(q) : "r"(a));
        for (int i = 0; i < n; i++) a[i + 1] = q[i] + 1;""",
    "what a pointer points to": """int k = 1, *q = &k; __asm__("movl $0, %0" : "=m"(*q));
        for (int i = 0; i < n; i++) a[k * i] = i;""",
}


@pytest.mark.parametrize("body", PARTS.values(), ids=PARTS.keys())
def test_assembly_writes_a_part(body: str) -> None:
    assert not is_parallel(f"{_HEAD} void f(int n) {{ {body} }}")


@pytest.mark.parametrize("constraint", ["r", "m", "g", "ir"])
def test_assembly_keeps_an_address(constraint: str) -> None:
    body = f"""int t[200]; __asm__("movq %1, %0" : "=m"(saved) : "{constraint}"(t));
        for (int i = 0; i < n; i++) t[i + 1] = saved[i] + 1; g = t[3];"""
    assert not is_parallel(f"{_HEAD} void f(int n) {{ {body} }}")


@pytest.mark.parametrize("constraint", ["r", "m", "g", "0"])
def test_assembly_reads_the_last_value(constraint: str) -> None:
    text = f"""{_HEAD} void f(int n) {{ int t = 0; for (int i = 0; i < n; i++) {{ t = i; b[i] = t; }}
        __asm__("movl %1, %0" : "=r"(g) : "{constraint}"(t)); }}"""
    assert "t" not in last_loops(text)["f"].private
    assert "t" in last_loops(text.replace("(t)", "(3)"))["f"].private


def test_assembly_reads_an_array() -> None:
    text = f"""{_HEAD} void f(int n) {{ int t[4];
        for (int i = 0; i < n; i++) {{ t[0] = i; t[1] = 2; b[i] = t[0] + t[1]; }}
        __asm__("# %0" : : "r"(t) : "memory"); }}"""
    assert "t" not in last_loops(text)["f"].private
    assert "t" in last_loops(text.replace('"r"(t)', '"r"(n)'))["f"].private


def test_operands_have_side_effects() -> None:
    body = '__asm__("" : : "r"(k++)); for (int i = 0; i < n; i++) a[i + k] = a[i];'
    assert not is_parallel(f"{_HEAD} void f(int n) {{ int k = 0; {body} }}")


@pytest.mark.parametrize("word", ["asm goto", "__asm__ volatile goto", "asm inline goto"])
def test_assembly_jumps(word: str) -> None:
    text = f"""{_HEAD} void f(int n) {{ int k = 0; {word}("jmp %l0" : : "r"(k) : : out); k = 1;
        out: {_STRIDE} }}"""
    assert not is_parallel(text)
    assert "function 'f'" in left_out(text)


def test_assembly_names_what_functions_share() -> None:
    text = (
        f"""static int k = 1; int a[200]; void f(int n) {{ k = 1; __asm__("movl $0, k(%rip)"); {_STRIDE} }}"""
    )
    assert not is_parallel(text)
    text = f"""static int k = 1; int a[200]; __asm__(".globl stop\\nstop: movl $0, k(%rip)\\nret");
        void stop(void);
        void f(int n) {{ k = 1; stop(); {_STRIDE} }}"""
    assert not is_parallel(text)


def test_assembly_calls_a_function_by_its_name() -> None:
    text = """int a[100], b[100]; static void put(int *p, int *q) { for (int i = 1; i < 100; i++)
        p[i] = q[i - 1]; }
        void g(void) { put(a, b); __asm__("call put"); }"""
    assert last_loops(text)["put"].verdict is not Verdict.PARALLEL
    assert last_loops(text.replace("call put", "call out"))["put"].verdict is Verdict.PARALLEL


def test_a_register_is_a_variable_of_its_own_in_each_thread() -> None:
    text = 'register long r asm("r12"); int a[100]; void f(void) { for (int i = 0; i < 50; i++) a[i] = r; }'
    assert not is_parallel(text)


HARMLESS = {
    "a clock": """static inline unsigned long now(void) { unsigned lo, hi;
            __asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi)); return lo | ((unsigned long)hi << 32); }
        unsigned long f(int n) { unsigned long t = now(); for (int i = 0; i < n; i++) a[i] = b[i];
            return now() - t; }""",
    "a barrier": """void f(int n) { __asm__("nop"); for (int i = 0; i < n; i++) a[i] = b[i];
        __asm__ volatile("" ::: "memory"); }""",
    "a sum that is kept": """int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += b[i];
        __asm__ volatile("" : "+r"(s)); return s; }""",
    "a sum that is read": """int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += b[i];
        __asm__ volatile("" : : "r"(s)); return s; }""",
    "a bound": """void f(int n) { __asm__ volatile("" : "+r"(n)); for (int i = 0; i < n; i++) a[i]
        = b[i]; }""",
    "an instruction with a function's name": """static int add(int x) { return x + 1; }
        void f(int n) { __asm__ volatile("add $1, %%eax" ::: "eax"); for (int i = 0; i < n; i++)
            a[i] = add(b[i]); }""",
    "another variable": """void f(int n) { int k = 1, z; __asm__("xorl %0, %0" : "=r"(z));
        for (int i = 0; i < n; i++) a[k * i] = z; }""",
    "a variable that is set again": """void f(int n) { int k; __asm__("xorl %0, %0" : "=r"(k)); k = 1;
        for (int i = 0; i < n; i++) a[k * i] = n; }""",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_assembly_that_has_nothing_to_do_with_the_loop(text: str) -> None:
    assert is_parallel(_HEAD + text)
