"""OpenMP directives that a user wrote, and loops that we would mark around them."""

from __future__ import annotations

import pytest

from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import facts_of, loops_of

_HEAD = "int M[100][100], v[100]; static int tp, tq[100];"

THREADPRIVATE = {
    "a variable": """#pragma omp threadprivate(tp)
        void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = tp; }""",
    "one of a list": """#pragma omp threadprivate( tq , tp )
        void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = tp; }""",
    "an array": "#pragma omp threadprivate(tq)\nvoid f(void) { for (int i = 0; i < 100; i++) v[i] = tq[i]; }",
    "an array that is written": """#pragma omp threadprivate(tq)
        void f(void) { for (int i = 0; i < 100; i++) tq[i] = i; }""",
    "in an operator": """_Pragma("omp threadprivate(tp)")
        void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = tp; }""",
    "a static variable of a function": """void f(void) { static int own;
        #pragma omp threadprivate(own)
        own = 5; for (int i = 0; i < 100; i++) v[i] = own; }""",
    "in a callee": """#pragma omp threadprivate(tp)
        static int get(int i) { return tp + i; }
        void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = get(i); }""",
    "in a callee, recursive": """#pragma omp threadprivate(tp)
        static int get(int i) { return i > 0 ? get(i - 1) : tp; }
        void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = get(i); }""",
    "further down": """void f(void) { tp = 5; for (int i = 0; i < 100; i++) v[i] = tp; }
        #pragma omp threadprivate(tp)
""",
}


@pytest.mark.parametrize("text", THREADPRIVATE.values(), ids=THREADPRIVATE.keys())
def test_each_thread_has_a_variable_of_its_own(text: str) -> None:
    (loop,) = loops_of(f"{_HEAD}\n{text}")
    assert loop.verdict is Verdict.SERIAL
    assert {reason.code for reason in loop.reasons} & {"CV304", "CV305"}


CALLEES = {
    "for": "#pragma omp for\n for (int j = 0; j < 100; j++) M[i][j] = i + j;",
    "single": "#pragma omp single\n M[i][0] = i;",
    "master": "#pragma omp master\n M[i][0] = i;",
    "barrier": "M[i][0] = i;\n#pragma omp barrier\n",
    "sections": "#pragma omp sections\n { M[i][0] = i;\n#pragma omp section\n M[i][1] = i; }",
    "task": "#pragma omp task\n M[i][0] = i;",
    "an operator": '_Pragma("omp single") M[i][0] = i;',
    "a macro": "ONCE M[i][0] = i;",
}


def _outer(loops: list[LoopFacts]) -> LoopFacts:
    return next(loop for loop in loops if loop.function == "f")


@pytest.mark.parametrize("body", CALLEES.values(), ids=CALLEES.keys())
@pytest.mark.parametrize("chain", ["row(i)", "through(i)"])
def test_a_callee_speaks_of_the_team_that_calls_it(body: str, chain: str) -> None:
    text = f"""#define ONCE _Pragma("omp single")
        {_HEAD} static void row(int i) {{
        {body} }}
        static void through(int i) {{ row(i); }}
        void f(void) {{ for (int i = 0; i < 100; i++) {chain}; }}"""
    loop = _outer(loops_of(text))
    assert loop.verdict is Verdict.PARALLEL
    assert "'row', which has an OpenMP directive" in loop.openmp_obstacle
    assert "#pragma omp parallel for" not in annotate(text, facts_of(text), AnnotateOptions("openmp"))


HARMLESS = {
    "simd": "#pragma omp simd\n for (int j = 0; j < 100; j++) M[i][j] = i + j;",
    "a declaration behind it": "M[i][0] = i; }\n#pragma omp declare simd\nint other(int i) { return i;",
    "a hint": "#pragma GCC ivdep\n for (int j = 0; j < 100; j++) M[i][j] = i + j;",
}


@pytest.mark.parametrize("body", HARMLESS.values(), ids=HARMLESS.keys())
def test_other_directives_are_bound_to_no_team(body: str) -> None:
    text = f"""{_HEAD} static void row(int i) {{
        {body} }}
        void f(void) {{ for (int i = 0; i < 100; i++) row(i); }}
        void g(void) {{
        #pragma omp parallel
        v[0] = 1; }}"""
    assert _outer(loops_of(text)).openmp


def test_a_macro_makes_a_directive() -> None:
    for body in (
        "for (int i = 0; i < 100; i++) { v[i] = i; WAIT }",
        "FOR for (int i = 0; i < 100; i++) v[i] = i;",
    ):
        text = f"""#define WAIT _Pragma("omp barrier")
            #define FOR _Pragma("omp parallel for")
            {_HEAD} void f(void) {{ {body} }}
            void g(void) {{ for (int i = 0; i < 100; i++) v[i] = i; }}"""
        marked, plain = loops_of(text)
        assert "a macro makes an OpenMP directive" in marked.openmp_obstacle
        assert plain.openmp


MODES = {
    "the rounding mode": "#include <fenv.h>\nvoid g(void) { fesetround(FE_UPWARD); }",
    "the environment": "#include <fenv.h>\nvoid g(fenv_t *e) { fesetenv (e); }",
    "a locale": "typedef void *locale_t; locale_t uselocale(locale_t); void g(locale_t l) { uselocale(l); }",
    "in a macro": "#include <fenv.h>\n#define UP fesetround(FE_UPWARD)\nvoid g(void) { UP; }",
}


@pytest.mark.parametrize("text", MODES.values(), ids=MODES.keys())
def test_threads_keep_the_mode_that_they_were_made_with(text: str) -> None:
    (loop,) = loops_of(f"{text}\n{_HEAD} void f(void) {{ for (int i = 0; i < 100; i++) v[i] = i; }}")
    assert loop.verdict is Verdict.PARALLEL
    assert "keep their own mode" in loop.openmp_obstacle


def test_that_there_is_a_mode_to_set_does_not_matter() -> None:
    text = f"#include <fenv.h>\n{_HEAD} void f(void) {{ for (int i = 0; i < 100; i++) v[i] = fegetround(); }}"
    assert loops_of(text.replace("fegetround()", "i"))[0].openmp


FORKS = """#include <unistd.h>
static long y[300000];
void fill(long s) { for (int i = 0; i < 300000; i++) y[i] = i * s % 1009 * (i % 7) / (i % 5 + 1); }
int main(void) { fill(1); if (fork() == 0) { fill(2); EXEC } return 0; }
"""


@pytest.mark.parametrize(
    ("then", "taken"), [("return 1;", False), ('execl("/bin/true", "true", (char *)0);', True)]
)
def test_children_have_no_threads(then: str, taken: bool) -> None:
    """Threads are the parent's alone; a child that becomes another program needs none."""
    loop = next(each for each in loops_of(FORKS.replace("EXEC", then)) if each.function == "fill")
    assert loop.openmp is taken and loop.verdict.is_parallel
    assert taken or "calls fork" in loop.openmp_obstacle
