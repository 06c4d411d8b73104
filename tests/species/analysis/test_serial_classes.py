"""Loops that are serial in a well-known way have a name."""

from __future__ import annotations

import pytest

from species import analyse
from species.source import PreprocessOptions, read_translation_unit

HEAD = """struct L { int v; struct L *next; };
int f(int n, int m, double *restrict a, double *restrict b, int *restrict x, struct L *p)"""

NAMED = {
    "inclusive scan": ("scan", "double s = 0; for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }"),
    "exclusive scan": ("scan", "double s = 0; for (int i = 0; i < n; i++) { b[i] = s; s = s + a[i]; }"),
    "scan in the array": ("scan", "for (int i = 1; i < n; i++) b[i] = b[i - 1] + a[i];"),
    "scan in place": ("scan", "for (int i = 1; i < n; i++) a[i] += a[i - 1];"),
    "first-order recurrence": (
        "recurrence",
        "for (int i = 1; i < n; i++) b[i] = 0.5 * b[i - 1] + a[i];",
    ),
    "scalar recurrence": ("recurrence", "double s = 1; for (int i = 0; i < n; i++) { s = 0.5 * s + a[i]; }"),
    "pack": ("pack", "int k = 0; for (int i = 0; i < n; i++) if (a[i] > 0) b[k++] = a[i]; m = k;"),
    "pack in two statements": (
        "pack",
        "int k = 0; for (int i = 0; i < n; i++) if (a[i] > 0) { b[k] = a[i]; k += 1; } m = k;",
    ),
    "search by break": (
        "search",
        "int k = -1; for (int i = 0; i < n; i++) if (x[i] == m) { k = i; break; } n = k;",
    ),
    "search by return": ("search", "for (int i = 0; i < n; i++) if (x[i] == m) return i;"),
    "list": ("list-traversal", "while (p) { p->v++; p = p->next; }"),
    "list in a for": ("list-traversal", "for (; p != 0; p = p->next) p->v = 1;"),
}

NAMELESS = {
    "parallel": "for (int i = 0; i < n; i++) b[i] = a[i];",
    "two elements before": "for (int i = 2; i < n; i++) b[i] = b[i - 2] + b[i - 1];",
    "the sum is needed otherwise": """double s = 0;
        for (int i = 0; i < n; i++) { s += a[i]; if (s > 3) b[i] = 1; }""",
    "counted down as well": "int k = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) b[k++] = 1; else k--; }",
    "counter is data": "int k = 0; for (int i = 0; i < n; i++) { if (a[i] > 0) k++; b[i] = k; a[k] = 0; }",
    "search with a count": "int k = 0; for (int i = 0; i < n; i++) { k = k * 2 + x[i]; if (k == m) break; }",
    "pack and a recurrence": """int k = 0; for (int i = 1; i < n; i++) { if (x[i] > 0) b[k++] = 1;
        a[i] = a[i - 1] * 2; }""",
}


def tags(body: str) -> tuple[str, ...]:
    text = f"{HEAD} {{ {body} return n + m; }}"
    facts = analyse(read_translation_unit("/tmp/classes.c", PreprocessOptions(), text=text))
    return facts.loops[0].tags


@pytest.mark.parametrize("name", NAMED)
def test_serial_loop_has_a_name(name: str) -> None:
    expected, body = NAMED[name]
    assert expected in tags(body)


@pytest.mark.parametrize("name", NAMELESS)
def test_other_loops_have_none(name: str) -> None:
    assert not {"scan", "recurrence", "pack", "search", "list-traversal"} & set(tags(NAMELESS[name]))
