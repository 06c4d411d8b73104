"""Marks behind kernels: where they stand, what they become, and that they go away without a trace."""

from __future__ import annotations

import dataclasses

import pytest

from cuvier.verification.calls import watch_calls
from cuvier.verification.marks import expand, mark, marked, unmark
from species.core.positions import Position
from species.facts.loops import Kernel, KernelArray, KernelLoop, KernelScalar, LoopFacts, Reduction
from species.grammar.nodes import Range
from tests.support.cli_facts import FILE, PARALLEL, spans

LOOP = "for (i = 0; i < n; i++)\n  a[i] = 1;"


def owner(text: str, loop: str = LOOP, **kernel: object) -> LoopFacts:
    place = spans(text, loop.partition("\n")[0], loop)
    loops = (KernelLoop("i", "int", False, "0", "i < n", "i++", 1, "n", place),)
    plain = Kernel("app_k1", loops, (), (), (), ())
    return dataclasses.replace(
        PARALLEL,
        spans=place,
        kernel=dataclasses.replace(plain, **kernel),  # type: ignore[arg-type]
        reductions=(),
        position=Position(FILE, 1, 1),
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("{ ", " }", "{ LOOP W }"),
        ("x = 1; /* ) */ ", " // last", "x = 1; /* ) */ LOOP W // last"),
        ("if (c) ", " else x = 2;", "if (c) { LOOP W }  else x = 2;"),
        ("if (c) // yes\n  ", "", "if (c) { // yes\n  LOOP W }"),
        (
            "else\n#pragma omp parallel for \\\n  private(x)\n",
            "",
            "else { \n#pragma omp parallel for \\\n  private(x)\nLOOP W }",
        ),
        ("#define X ;\\\n  y\n{\n#if 1\n", "\n#endif\n}", "#define X ;\\\n  y\n{\n#if 1\nLOOP W\n#endif\n}"),
        ('s = ";"; for (;;) ', "", 's = ";"; for (;;) { LOOP W }'),
        ("here: ", "", "here: { LOOP W }"),
    ],
)
def test_marks_stand_behind_loops_and_braces_keep_branches_whole(
    before: str, after: str, expected: str
) -> None:
    text = before + LOOP + after
    result = mark(text, [owner(text)])
    assert marked(result) == ["app_k1"]
    assert unmark(result) == text
    assert result.count("\n") == text.count("\n")
    called = expand(result, {"app_k1": "W"})
    plain = called.replace("/*cuvier:open:app_k1*/", "").replace("/*cuvier:close:app_k1*/", "")
    assert "".join(plain.replace(LOOP, "LOOP").split()) == "".join(expected.split())


def array(name: str, **more: object) -> KernelArray:
    plain = KernelArray(name, "double", ("n", "m"), False, "global", (Range("0", "n-1"),) * 2, None, False)
    return dataclasses.replace(plain, **more)  # type: ignore[arg-type]


def test_calls_record_exact_variables_before_reordered_ones() -> None:
    scalars = (
        KernelScalar("s", "double", "reduction", "+"),
        KernelScalar("m", "double", "reduction", "max"),
        KernelScalar("t", "double", "private"),
        KernelScalar("l", "int", "lastprivate"),
    )
    text = watch_calls(owner(LOOP, arrays=(array("a"),), scalars=scalars), accelerator=True)
    exact, allowed, reordered = text.partition("cuvier_watch_rounding(CUVIER_KIND(s));")
    assert allowed
    assert '"s", s' in reordered and '"app_k1", "a"' not in reordered
    assert all(f'"{name}"' in exact for name in ("a", "m", "l"))
    assert '"t"' not in text and '"s"' not in exact


def test_a_reduced_array_is_reordered() -> None:
    facts = owner(LOOP, arrays=(array("c"), array("a")))
    text = watch_calls(dataclasses.replace(facts, reductions=(Reduction("+", "c[0:n]"),)), accelerator=False)
    assert text.index('"a"') < text.index("cuvier_watch_rounding(CUVIER_KIND(c[0][0]));") < text.index('"c"')


def test_functions_of_an_accelerator_round_in_their_own_way() -> None:
    facts = owner(LOOP, arrays=(array("a"),), functions=("fabs", "exp"))
    assert "rounding" in watch_calls(facts, accelerator=True)
    assert "rounding" not in watch_calls(facts, accelerator=False)
    exact = owner(LOOP, arrays=(array("a"),), functions=("fabs", "sqrtf"))
    assert "rounding" not in watch_calls(exact, accelerator=True)


@pytest.mark.parametrize(
    ("more", "size"),
    [
        ({"extent": ("k",)}, "(size_t)(k) * sizeof(p[0])"),
        ({"extent": (None,), "reads": (Range("0", "k"),)}, "(size_t)(((k) + 1)) * sizeof(p[0])"),
        ({"extent": (None,), "reads": (), "writes": (Range("0", "k"),)}, "(size_t)0"),
        ({"extent": (None,), "reads": None}, "(size_t)0"),
    ],
)
def test_pointers_bring_the_size_that_is_known(more: dict[str, object], size: str) -> None:
    text = watch_calls(owner(LOOP, arrays=(array("p", pointer=True, **more),)), accelerator=False)
    assert f"(const void *)(p), {size}, 0);" in text


def test_addresses_are_not_recorded() -> None:
    assert watch_calls(owner(LOOP, arrays=(array("p", element="char *"),)), accelerator=False) == ""
