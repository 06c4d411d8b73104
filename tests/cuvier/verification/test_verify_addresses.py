"""Structures with addresses, which differ in every run: the other members are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.verification.programs import AS_GENERATED
from cuvier.verification.result import VerificationResult
from cuvier.verification.verify import VerifyOptions, verify
from species.source import PreprocessOptions

PROGRAMS = {
    "a list": """struct L { int v; struct L *next; };
        int main(void) { struct L l[9];
            for (int i = 0; i < 9; i++) { l[i].v = i; l[i].next = &l[(i + 1) % 9]; }
            return l[3].next->v; }""",
    "a tree on the heap": """typedef struct node node; struct node { double v; node *l, *r; };
        int main(void) { node *t = malloc(100 * sizeof *t);
            for (int i = 0; i < 100; i++) { t[i].v = i;
                t[i].l = 2 * i + 1 < 100 ? &t[2 * i + 1] : NULL; t[i].r = NULL; }
            int v = t[3].l->v; free(t); return v; }""",
    "structures inside": """typedef int *at; struct in { char tag; at to; };
        struct out { struct in one, two[2]; union { long k; void *p; } any; void (*f)(void); float x; };
        static struct out o[30]; static int a[30];
        int main(void) {
            for (int i = 0; i < 30; i++) { o[i].one.tag = i; o[i].one.to = a + i; o[i].two[1].to = a;
                o[i].x = i; o[i].any.p = a; }
            return o[3].x; }""",
    "rows": """struct p { int *to; int n; }; static struct p m[5][6]; static int a[30];
        int main(void) {
            for (int i = 0; i < 5; i++) for (int j = 0; j < 6; j++) { m[i][j].to = a + i; m[i][j].n = i + j; }
            return m[2][3].n; }""",
    "pointers to structures": """struct p { int *to; int n; }; static struct p m[30]; static struct p *q[30];
        int main(void) { for (int i = 0; i < 30; i++) q[i] = m + i; return q[3] - m; }""",
}


def checked(text: str, folder: Path) -> VerificationResult:
    """Of programs in which kernels reach members by their structures, not by variables of their own."""
    source = folder / "addresses.c"
    source.write_text(f"#include <stdlib.h>\n{text}\n")
    generation = replace(AS_GENERATED, without=AS_GENERATED.without | {"members"})
    return verify(source, "openmp", VerifyOptions(PreprocessOptions(), generation=generation))


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_addresses_are_not_compared(text: str, tmp_path: Path) -> None:
    result = checked(text, tmp_path)
    assert result.ok
    assert result.kernels


def test_nothing_but_addresses(tmp_path: Path) -> None:
    result = checked(
        """static int a[100], b[100];
        int main(void) { struct { int *x, *y; } s = { a, b };
            for (int i = 0; i < 100; i++) s.x[i] = s.y[i] + 1;
            return a[3]; }""",
        tmp_path,
    )
    assert result.ok
    assert next(item.note for item in result.items if item.name == "s") == "not compared: these are addresses"


def test_the_other_members_are_compared(tmp_path: Path) -> None:
    """A skeleton that makes a mistake in one of them."""
    folder = tmp_path / "skeletons" / "openmp"
    folder.mkdir(parents=True)
    (folder / "wrong.host.j2").write_text("{ {{ host.loop }} l[4].v++; }")
    (folder / "wrong.yaml").write_text(
        "name: wrong\ntarget: openmp\nsummary: a mistake\nspecies: '* -> *'\npriority: 100\n"
        "templates:\n  host: wrong.host.j2\n"
    )
    source = tmp_path / "addresses.c"
    source.write_text(f"#include <stdlib.h>\n{PROGRAMS['a list']}\n")
    result = verify(source, "openmp", VerifyOptions(PreprocessOptions(), skeletons=(folder.parent,)))
    assert [item.differing for item in result.items] == [1]
