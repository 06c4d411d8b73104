"""Headers that are not there cost what needs them, and nothing else; what they may have said is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file
from species import analyse
from species.facts.loops import LoopFacts, UnitFacts, Verdict
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit

FORGIVING = PreprocessOptions(forgiving=True)
_HEAD = '#include "none.h"\nint a[300], b[300];\n'
_COPY = "for (int i = 0; i < 50; i++) a[k * i] = b[i];"


def read(text: str) -> TranslationUnit:
    return read_translation_unit("/tmp/missing.c", FORGIVING, text=text)


def facts(text: str) -> UnitFacts:
    return analyse(read(text))


def last(text: str) -> LoopFacts:
    return facts(text).loops[-1]


def test_a_missing_header_is_reported_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "here.h").write_text('\n#include "sub/../deep/none.h"\nint m;\n')
    path = tmp_path / "a.c"
    path.write_text('#include "here.h"\n#include <none.h>\n#include "../up.h"\n#include <stdio.h>\n' + _HEAD)
    unit = read_translation_unit(str(path), FORGIVING)
    assert unit.status == "partial"
    assert [(Path(d.position.file).name, d.position.line, d.code) for d in unit.diagnostics] == [
        *(("here.h", 2, "CV009"), ("a.c", 2, "CV009"), ("a.c", 3, "CV009")),
        ("a.c", 5, "CV009"),
    ]
    assert unit.missing == ("sub/../deep/none.h", "none.h", "../up.h")
    assert not any("cuvier-" in line for line in unit.preprocessed.splitlines())
    with pytest.raises(SourceError, match="-I DIR"):
        read_translation_unit(str(path), PreprocessOptions())


def test_only_commands_that_do_not_build_forgive(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"{_HEAD} void f(void) {{ for (int i = 0; i < 300; i++) a[i] = b[i]; }}")
    assert [loop.verdict for loop in analyse_file(path, PreprocessOptions()).facts.loops] == [
        Verdict.PARALLEL
    ]
    assert analyse_file(path, PreprocessOptions(), complete=True).facts.status == "failed"


def test_errors_for_want_of_a_header_are_forgiven() -> None:
    text = f"{_HEAD}#ifndef CONFIGURED\n#error configure first\n#endif\n#if HAVE(3)\n#endif\n"
    text += "void f(void) { for (int i = 0; i < 50; i++) a[i] = b[i]; }"
    assert len(facts(text).loops) == 1
    with pytest.raises(SourceError, match="configure first"):
        read(text.replace('#include "none.h"', ""))


TYPES = {
    "a variable": "thing_t x; int y;",
    "a pointer": "static const thing_t *x, **y;",
    "an array": "thing_t x[3] = { 1, 2 };",
    "a member": "struct s { thing_t x; other_t *y; } z;",
    "a parameter": "int g(thing_t x, const other_t *y); int h(thing_t *x) { return 0; }",
    "a result": "thing_t g(void); static thing_t *h(int k) { return 0; }",
    "of the old kind": "int g(k, x) int k; thing_t *x; { return k; }",
    "a new name": "typedef thing_t mine; mine x;",
    "in a function": "int g(void) { thing_t x = 3; thing_t *y = (thing_t *)0; return *(thing_t *)y; }",
    "a cast": "int g(int k) { return (thing_t)k + (thing_t)3; }",
    "of a function": "int g(void) { int k = 1; for (thing_t i = 0; i < 3; i++) k++; return k; }",
    "a size": "int g(void) { return sizeof(thing_t *); }",
}


@pytest.mark.parametrize("text", TYPES.values(), ids=TYPES.keys())
def test_types_that_nobody_declares(text: str) -> None:
    found = facts(f"{_HEAD}{text}\nvoid f(void) {{ for (int i = 0; i < 50; i++) a[i] = b[i]; }}")
    assert {d.code for d in found.diagnostics} == {"CV009"}
    assert found.loops[-1].verdict is Verdict.PARALLEL


def test_nothing_is_known_of_such_types() -> None:
    """They may be volatile, be arrays, and be anything in memory."""
    for body in (
        "thing_t t; for (int i = 0; i < 50; i++) { t = i; a[i] = t; }",
        "thing_t *p = 0; for (int i = 0; i < 50; i++) p[i] = i;",
        "for (thing_t i = 0; i < 50; i++) a[i] = b[i];",
        "thing_t t; for (int i = 0; i < 50; i++) a[i] = t;",
    ):
        assert last(f"{_HEAD} void f(void) {{ {body} }}").verdict is not Verdict.PARALLEL


CHANGED = {
    "a macro like an object": "RESET;",
    "a macro like a function": "RESET(3);",
    "with the variable": "RESET(k);",
    "in an expression": "b[0] = FIRST + 1;",
    "in a condition": "if (IS_ZERO(b[0])) b[0]++;",
    "assigned": "FIRST = 3;",
    "incremented": "FIRST++;",
    "a member": "b[1] = FIRST->x;",
    "an argument": "g(FIRST);",
    "a subscript": "b[FIRST] = 1;",
    "an initialiser": "int m = FIRST;",
    "a bound": "for (int i = 0; i < LIMIT; i++) b[i] = 0;",
    "declared too late": "{ int late; } late = 2;",
}


@pytest.mark.parametrize("between", CHANGED.values(), ids=CHANGED.keys())
def test_a_name_that_nobody_declares_may_change_any_variable(between: str) -> None:
    for where, declared in (("", "int k = 1;"), ("static int k = 1;", "k = 1;")):
        text = f"{_HEAD} void g(int); {where} void f(void) {{ {declared} {between} {_COPY} }}"
        assert last(text).verdict is not Verdict.PARALLEL
    text = f"{_HEAD} void g(int); void f(void) {{ int k = 1; b[0] = 1; {_COPY} }}"
    assert last(text).verdict is Verdict.PARALLEL


def test_a_macro_may_leave_the_loop_and_the_function() -> None:
    (loop,) = facts(
        f"{_HEAD} void f(void) {{ for (int i = 0; i < 50; i++) {{ CHECK(b[i]); a[i] = 1; }} }}"
    ).loops
    assert loop.verdict is Verdict.SERIAL
    assert {"CV301", "CV302", "CV305"} <= {reason.code for reason in loop.reasons}
    assert any("undeclared CHECK" in reason.message for reason in loop.reasons)


def test_a_case_that_nobody_declares() -> None:
    for change, kept in (("k = 0;", False), ("b[0] = 0;", True)):
        cases = f"switch (c) {{ case LOW: {change} break; case HIGH: ; }}"
        loop = last(f"{_HEAD} void f(int c) {{ int k = 1; {cases} {_COPY} }}")
        assert (loop.verdict is Verdict.PARALLEL) == kept


def test_a_word_that_nobody_knows_costs_its_declaration() -> None:
    found = facts(f"{_HEAD} API int g(void) {{ return 1; }}\nvoid f(void) {{ int k = 1; {_COPY} }}")
    assert [d.code for d in found.diagnostics] == ["CV009", "CV001"]
    assert found.loops[-1].verdict is Verdict.PARALLEL
