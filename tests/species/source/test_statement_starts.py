"""Where statements begin, and which functions a sequence of tokens defines."""

from __future__ import annotations

import pytest

from species.source.parse.definitions import defines
from species.source.parse.statement_starts import statement_start
from species.source.text.statements import statement_end
from species.source.text.tokens import tokenize


def words(text: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokenize(text))


@pytest.mark.parametrize(
    "statement",
    [
        "int v[2] = {1, 2}, HERE = 3;",
        "double x = c ? 1 : 2, HERE = 3;",
        "double x = c ? a ? 1 : 2 : b ? 3 : 4, HERE = 3;",
        "struct S { int a : 3; } x = {1}, HERE = {2};",
        "struct __attribute__((packed)) { int a; } x, HERE;",
        "enum { A, B } x = A, HERE = B;",
        "struct S x = (struct S){1}, HERE = {2};",
        "double x = ({ f(); if (c) g(); 2; }), HERE = 3;",
        "int x = sizeof (int[]){1, 2}, HERE = 3;",
        "int x = _Generic(c, int: 1, default: 2), HERE = 3;",
        "a[c ? 1 : 2] = (T){1}.v + HERE;",
        "(int[]){1, c ? HERE : 2};",
        "x = (double)(struct S){1}.a + HERE;",
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "f();",
        "{ f(); }",
        "{ }",
        "if (c) { f(); }",
        "if (c) f(); else { }",
        "if (c)",
        "else",
        "do",
        "while (c) { f(); } lab:",
        "case 1:",
        "case c ? 1 : 2:",
        "case c ? 1 : 2: lab: default:",
        "lab: { f(); }",
        "int g(void) { f(); }",
        "int (*g(void))(int) { f();",
        "int (*g(void))[3] {",
        "double g(c) int c; {",
        "void g(void) __attribute__((noinline)) {",
        "switch (c) { default: { } }",
    ],
)
def test_statements_begin_behind_the_one_before(before: str, statement: str) -> None:
    found = words(f"void outer(void) {{ {before} {statement} }}")
    start = len(words(f"void outer(void) {{ {before}"))
    assert statement_start(found, found.index("HERE")) == start
    assert found[statement_end(found, start)] == ";"


@pytest.mark.parametrize(
    "statement", ["lab: for (;;) { f(); }", "default: { f(); }", "a: b: if (c) { f(); }"]
)
def test_labels_belong_to_blocks(statement: str) -> None:
    assert statement_end(words(f"{statement} g();"), 0) == len(words(statement)) - 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int main(void) { }", True),
        ("int main(void);", False),
        ("int main(void); int main() { }", True),
        ("int main(argc, argv) int argc; char **argv; { }", True),
        ("int main(void) <% %>", True),
        ("int main(void) __attribute__((cold));", False),
        ("int main(void) __attribute__((cold)) { }", True),
        ("int f(void) { main(1); }", False),
        ("int main = 3;", False),
        ("int g(int main(void)) { }", False),
        ("int main(int c", False),
        ("main", False),
    ],
)
def test_definitions(text: str, found: bool) -> None:
    assert defines(words(text), "main") == found
