"""Where text for a statement goes that has directives in front."""

from __future__ import annotations

import pytest

from transfers.plan.pragmas import Pragmas


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("f();\n#pragma unroll\n", "f();\n"),
        ("f();\n  #pragma unroll\n  // text\n  ", "f();\n"),
        ("f(); /* a */ #pragma x\n", "f(); /* a */ #pragma x\n"),  # no directive
        ("f();\n/* a */ #pragma x\n", "f();\n/* a */ "),
        ("f();\n/*\n#pragma x\n// */ ", "f();\n/*\n#pragma x\n// */ "),
        ("f();\n// a \\\n#pragma x\n", "f();\n// a \\\n#pragma x\n"),
        ("f();\n#pragma x\\\n y\n#pragma z\n", "f();\n"),
        ('f(); _Pragma("x(1)") ', "f(); "),
        ("f();\n#ifdef X\n#pragma x\n#else\n#pragma y\n#endif\n", "f();\n"),
        ("#ifdef X\nf();\n#pragma x\n", "#ifdef X\nf();\n"),
        ("#ifdef X\nf();\n#else\n#pragma x\n", "#ifdef X\nf();\n#else\n"),
        ("#ifdef X\nf();\n#endif\n#pragma x\n", "#ifdef X\nf();\n#endif\n"),
        ("{\n#pragma STDC FP_CONTRACT OFF\n", "{\n#pragma STDC FP_CONTRACT OFF\n"),
        ('#pragma x\n#include "y"\n', '#pragma x\n#include "y"\n'),
        ('f();\n#pragma x\n#line 3 "y"\n', "f();\n"),
    ],
)
def test_text_goes_before_the_directives(before: str, expected: str) -> None:
    place = Pragmas(before + "x = 1;", ()).place(len(before))
    assert (before + "x = 1;")[: place.start] == expected
    assert place.is_certain


@pytest.mark.parametrize(
    "before",
    [
        "f(); UNROLL ",
        "f(); UNROLL(2 * (1 + 1)) ",
        'f(); UNROLL _Pragma("x") ',
        "#ifdef X\nf();\n#pragma x\n#endif\n",
    ],
)
def test_directives_that_have_no_place(before: str) -> None:
    assert not Pragmas(f"{before}x = 1;", {"UNROLL"}).place(len(before)).is_certain
