"""C that deceives about the ends of loops: what ends them beside a comparison, what wraps around before."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

_HEAD = "int a[6000], b[6000]; void exit(int); void stop(void); int printf(const char *, ...);"
_MOVED = "a[i] = a[i - 1] + 1"

SERIAL = {
    "!= beside another comparison": f"for (int i = 5; i != 3 && i < 100; i++) {_MOVED};",
    "!= beside another comparison, after it": f"for (int i = 5; i < 100 && i != 3; i++) {_MOVED};",
    "!= of a start that is beyond": f"if (n > 0) for (int i = n; i != 0 && i < 200; i++) {_MOVED};",
    "!= beside a second counter": f"int k = 0; for (int i = 5; i != 3 && k < 10; i++) {{ {_MOVED}; k++; }}",
    "!= beside a second counter, in a while loop": f"""int k = 0, i = 5;
        while (i != 3 && k < 10) {{ {_MOVED}; k++; i++; }}""",
    "!= counting down": "for (int i = 5; i != 9 && i > -90; i--) a[i + 90] = a[i + 91] + 1;",
    "!= at the end of do": f"int i = 5; do {{ {_MOVED}; i++; }} while (i != 3 && i < 100);",
    "a narrow counter stopped by another": """int i = 0;
        for (unsigned char q = 0; q <= n && i < 300; q++) { a[q] = i; i++; }""",
    "a narrow counter stopped by a break": """
        for (unsigned char q = 0; q <= n; q++) { if (b[q] == 7) break; a[q] = n; }""",
    "a narrow counter that counts down": """int i = 0;
        for (unsigned char q = 5; q >= n && i < 300; q--) { a[q] = i; i++; }""",
    "unsigned steps of three, stopped by another": """int i = 0;
        for (unsigned q = 4294967290u; q < 4294967295u && i < 10; q += 3) { a[q & 7] = i; i++; }""",
    "unsigned steps of three": "for (unsigned i = 4294967290u; i < 4294967295u; i += 3) a[i & 3] = i;",
    "unsigned steps of three, down": "for (unsigned i = 8; i > 0; i -= 3) a[i & 3] = i;",
    "unsigned steps to a bound as high as any": "for (unsigned i = 0; i < un; i += 3) a[i & 3] = i;",
    "a narrow counter that a while loop moves": """unsigned char q = 250; int i = 0;
        while (q < 256 && i < 300) { a[q] = i; q++; i++; }""",
    "a narrow counter beside another": """unsigned char q = 250;
        for (int i = 0; i < 300 && q < 256; i++, q++) a[q] = i;""",
    "a narrow counter beside another, in the body": """unsigned char q = 250;
        for (int i = 0; i < 300 && q <= n + 255; i++) { a[q] = i; q++; }""",
    "a narrow counter, and a copy of it": """unsigned char q = 250; int i = 0, c;
        do { a[q] = i; q++; i++; c = q; } while (c < 256 && i < 300);""",
    "a sum of a narrow counter and another": """unsigned char q = 250;
        for (int i = 0; q + i <= 700; i++) { a[q] = i; q++; }""",
    "do goes past its bound at once": """unsigned char q = 255;
        do { a[q] = a[(q + 1) & 255] + 1; q++; } while (q <= 100);""",
    "a product that wraps around": """
        for (unsigned i = 65530; i * i < 4294900000u; i++) a[i & 7] = i;""",
    "a product of a counter that wraps around": """
        for (unsigned char q = 250; (q - 250) * (q - 250) < 100; q++) a[(q - 250) / 10] = q;""",
}


@pytest.mark.parametrize("body", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(body: str) -> None:
    (loop,) = loops_of(f"{_HEAD} void f(int n, unsigned un) {{ {body} }}")
    assert loop.verdict is Verdict.SERIAL


_BACK = "a[j] += i * a[j + 1]"

INNER = {
    "!= and a break": f"for (int j = 5; j != 3; j++) {{ if (j == 9) break; {_BACK}; }}",
    "!= and a goto": f"for (int j = 5; j != 3; j++) {{ if (j == 9) goto on; {_BACK}; }} on: ;",
    "!= and a return": f"for (int j = 5; j != 3; j++) {{ if (j == 9) return; {_BACK}; }}",
    "!= and a condition of data": f"for (int j = 5; j != 3 && b[j] < 9; j++) {_BACK};",
    "!= in a callee": "back(i);",
    "!= and a second counter": f"int k = 0; for (int j = 5; j != 3 && k < 4; j++) {{ {_BACK}; k++; }}",
    "!= and a step that nobody knows": f"for (int j = 50; j != 0; j += s) {_BACK};",
    "a step that nobody knows, and a break": """
        for (int j = 50; j < 100; j += s) { if (j < -60) break; a[i * 100 + j + 100] = i; }""",
    "a step that nobody knows, and a goto": """
        for (int j = 50; j < 100; j += s) { if (j < -60) goto on; a[i * 100 + j + 100] = i; } on: ;""",
    "a step that nobody knows, in a callee": "steps(i, s);",
    "a step that nobody knows, and data": """
        for (int j = 50; b[j + 100] < 100; j += s) a[i * 100 + j + 100] = i;""",
    "a step that nobody knows, and a counter": """int k = 0;
        for (int j = 50; j < 100 && k < 120; j += s) { a[i * 100 + j + 100] = i; k++; }""",
    "a narrow counter and a break": """
        for (unsigned char q = 100; q < 300; q++) { if (q == 5) break; a[i * 200 + q] = i; }""",
    "a narrow counter and a break, by another": """int m = 0;
        for (unsigned char q = 100; q < 300; q++) { if (++m > 250) break; a[i * 200 + q] = i; }""",
    "a narrow counter and a goto": """
        for (unsigned char q = 100; q < 300; q++) { if (q == 5) goto on; a[i * 200 + q] = i; } on: ;""",
    "a narrow counter in a callee": "narrow(i);",
    "a narrow counter and data": "for (unsigned char q = 100; b[q] < 300; q++) a[i * 200 + q] = i;",
    "a narrow counter and a second one": """int m = 0;
        for (unsigned char q = 100; q < 300 && m < 200; q++) { a[i * 200 + q] = i; m++; }""",
    "a narrow counter of a while loop": """unsigned char q = 100; int m = 0;
        while (q < 300 && m < 200) { a[i * 200 + q] = i; m++; q++; }""",
    "a narrow counter that no condition stops": """
        for (unsigned char q = 100; ; q++) { if (q == 5) break; a[i * 200 + q] = i; }""",
    "unsigned steps": """
        for (unsigned q = 4294967290u; q < 4294967295u; q += 3) { if (q == 5) break; a[q % 7 + i] = i; }""",
}
_CALLEES = """static void back(int i) { for (int j = 5; j != 3; j++) { if (j == 9) return;
            a[j] += i * a[j + 1]; } }
    static void steps(int i, int s) {
        for (int j = 50; j < 100; j += s) { if (j < -60) return; a[i * 100 + j + 100] = i; } }
    static void narrow(int i) {
        for (unsigned char q = 100; q < 300; q++) { if (q == 5) return; a[i * 200 + q] = i; } }"""


@pytest.mark.parametrize("body", INNER.values(), ids=INNER.keys())
def test_an_inner_loop_ends_early(body: str) -> None:
    """What is beyond the comparison is executed, and the outer loop carries it."""
    text = f"void f(int n, int s) {{ for (int i = 0; i < 20; i++) {{ {body} b[i] = i; }} }}"
    outer = [loop for loop in loops_of(f"{_HEAD} {_CALLEES} {text}") if loop.depth == 0][-1]
    assert outer.verdict is not Verdict.PARALLEL


LEFT = {
    "exit": "if (i == 9) exit(0);",
    "a callee that exits": "if (i == 9) leave();",
    "a function of others": "stop();",
    "output": 'printf("%d", i);',
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
@pytest.mark.parametrize("header", ["int i = 5; i != 3; i++", "unsigned char i = 0; i <= n; i++"])
def test_a_call_ends_the_loop(header: str, body: str) -> None:
    """The loop inside is not one that is never executed."""
    inner = "for (int k = 0; k < 9; k++) { t++; if (t > 2000 || i > 3) a[k] = a[k + 1]; }"
    outer = f"void f(int n) {{ int t = 0; for ({header}) {{ {body} {inner} }} }}"
    assert loops_of(f"{_HEAD} static void leave(void) {{ exit(0); }} {outer}")[-1].verdict is Verdict.SERIAL


PARALLEL = {
    "!=": "for (int i = 0; i != n; i++) a[i] = i;",
    "!= of a start before the end": "for (int i = 0; i != 100 && i < n; i++) a[i] = i;",
    "!= of a start that is known to be before": "if (n > 0) for (int i = 0; i != n && i < 50; i++) a[i] = i;",
    "!= in a while loop": "int i = 0; while (i != n) { a[i] = i; i++; }",
    "unsigned": "for (unsigned i = 0; i < un; i++) a[i] = i;",
    "unsigned, to the end": "for (unsigned i = 0; i <= un; i++) a[i] = i;",
    "unsigned, two bounds": "for (unsigned i = 0; i < un && i < 100; i++) a[i] = i;",
    "unsigned, by two": "for (unsigned i = 0; i < un; i += 2) a[i] = i;",
    "unsigned, by three, to a number": "for (unsigned i = 0; i < 100; i += 3) a[i] = i;",
    "unsigned, by three, below a number": "if (un < 100) for (unsigned i = 0; i < un; i += 3) a[i] = i;",
    "size_t, by three": "for (unsigned long i = 0; i < ul; i += 3) a[i] = i;",
    "unsigned, down": "for (unsigned i = un; i > 0; i--) a[i] = i;",
    "unsigned, down to a bound": "for (unsigned i = 100; i >= un; i--) a[i] = i;",
    "unsigned, down by two": "for (unsigned i = un; i >= 2; i -= 2) a[i] = i;",
    "a narrow counter": "for (unsigned char q = 0; q < 200; q++) a[q] = q;",
    "a narrow counter, to a variable": "for (unsigned char q = 0; q <= n; q++) a[q] = q;",
    "a narrow counter, two bounds": "for (unsigned char q = 0; q < n && q < 200; q++) a[q] = q;",
    "a narrow counter, at last": "unsigned char q = 0; for (int i = 0; i < 256; i++, q++) a[q] = i;",
    "a narrow counter beside another": """unsigned char q = 250;
        for (int i = 0; i < 300 && q < 255; i++, q++) a[q] = i;""",
    "a step that nobody knows": "for (int i = 0; i < n; i += m) a[i] = i;",
    "a step that nobody knows, two bounds": "for (int i = 0; i < n && i < 90; i += m) a[i] = i;",
    "do": "unsigned long i = 0; do { a[i] = i; i++; } while (i < ul);",
    "a product": "for (int i = 0; i * i < 100; i++) a[i] = i;",
    "an unsigned product": "for (unsigned i = 0; i * i < 100; i++) a[i] = i;",
}


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_is_parallel(body: str) -> None:
    (loop,) = loops_of(f"{_HEAD} void f(int n, int m, unsigned un, unsigned long ul) {{ {body} }}")
    assert loop.verdict is Verdict.PARALLEL


INNER_PARALLEL = {
    "a break": "for (int j = 0; j < 100; j++) { if (b[j] == 9) break; a[i * 100 + j] = i; }",
    "a break, unsigned": "for (unsigned j = 0; j < 100; j++) { if (b[j] == 9) break; a[i * 100 + j] = i; }",
    "a break, narrow": """for (unsigned char j = 0; j < 100; j++) { if (b[j] == 9) break;
            a[i * 100 + j] = i; }""",
    "!= and a break": "for (int j = 0; j != 100; j++) { if (b[j] == 9) break; a[i * 100 + j] = i; }",
    "a known step and a break": """if (s > 0) for (int j = 0; j < 100; j += s) {
        if (b[j] == 9) break; a[i * 100 + j] = i; }""",
}


@pytest.mark.parametrize("body", INNER_PARALLEL.values(), ids=INNER_PARALLEL.keys())
def test_an_inner_loop_ends_early_and_keeps_its_bound(body: str) -> None:
    text = f"void f(int s) {{ for (int i = 0; i < 20; i++) {{ {body} }} }}"
    assert loops_of(f"{_HEAD} {text}")[0].verdict is Verdict.PARALLEL
