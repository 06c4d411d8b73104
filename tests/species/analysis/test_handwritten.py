"""Hand-written species: honoured, checked, refuted with a warning that costs nothing else."""

from __future__ import annotations

import pytest

from species.core.positions import Diagnostic
from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import facts_of, loops_of

PROGRAM = """int n; double a[100], b[100];
void f(void) {
  int i;
#pragma species kernel %s
  for (i = 1; i < 99; i++) %s
#pragma species endkernel mine
}
"""
RIGHT = "b[1:98]|element -> a[1:98]|element"


def refuted(text: str) -> tuple[tuple[LoopFacts, ...], Diagnostic]:
    """The loops of a text, and the only thing that is said of it."""
    facts = facts_of(text)
    (warning,) = facts.diagnostics
    return facts.loops, warning


@pytest.mark.parametrize("species", [RIGHT, "1:98|element -> 1:98|element", f"assume {RIGHT}"])
def test_a_right_species_is_kept(species: str) -> None:
    loop = loops_of(PROGRAM % (species, "a[i] = b[i];"))[0]
    assert loop.verdict is Verdict.PARALLEL and str(loop.species) == RIGHT


@pytest.mark.parametrize(
    ("species", "body", "message"),
    [
        ("b[0:98]|element -> a[1:98]|element", "a[i] = b[i];", "this is b[1:98]|element"),
        ("b[1:98]|full -> a[1:98]|element", "a[i] = b[i];", "this is"),
        ("a[0:97]|element -> a[1:98]|element", "a[i] = a[i-1];", "not parallel"),
        ("b[1:98]|elephant -> a[1:98]|element", "a[i] = b[i];", "elephant"),
        (RIGHT, "{ if (b[i] > 0) break; a[i] = b[i]; }", "not parallel"),
    ],
)
def test_a_wrong_species_is_one_warning_at_its_place(species: str, body: str, message: str) -> None:
    text = PROGRAM % (species, body) + "void g(void) {\n  for (int i = 0; i < 9; i++) a[i] = 0;\n}\n"
    loops, warning = refuted(text)
    assert message in warning.message
    assert (warning.severity, warning.code, warning.position.line) == ("warning", "CV005", 4)
    assert [str(loop.species) for loop in loops if loop.function == "g"] == ["void -> a[0:8]|element"]


def test_the_place_is_that_of_the_part_that_is_wrong() -> None:
    text = PROGRAM % ("b[1:98]|element -> a[ 1 : 97 ] | element", "a[i] = b[i];")
    loops, warning = refuted(text)
    assert "'a[1:97]|element' does not hold" in warning.message and "assume" in warning.message
    assert text.splitlines()[3][warning.position.column - 1 :].startswith("a[ 1 : 97 ]")
    assert str(loops[0].species) == RIGHT


def test_a_part_that_is_left_out_is_named() -> None:
    _, warning = refuted(PROGRAM % ("void -> a[1:98]|element", "a[i] = b[i];"))
    assert "'b[1:98]|element' is left out" in warning.message


def test_a_species_before_no_loop() -> None:
    text = "int a;\nvoid f(void) {\n#pragma species kernel void -> 0:0|shared\n  a = 1;\n}\n"
    assert "no loop follows" in refuted(text)[1].message


def test_the_user_may_insist() -> None:
    body = "if (b[i] > 0) a[(int)b[i]] = 1;"
    loop = loops_of(PROGRAM % ("assume b[1:98]|element -> a[0:99]|shared", body))[0]
    assert loop.verdict is Verdict.PARALLEL and str(loop.species) == "b[1:98]|element -> a[0:99]|shared"


def test_insisting_does_not_help_against_break() -> None:
    loops, warning = refuted(PROGRAM % (f"assume {RIGHT}", "{ if (b[i] > 0) break; a[i] = b[i]; }"))
    assert "not parallel" in warning.message and loops[0].verdict is Verdict.SERIAL


SUM = "double s, b[100];\nvoid f(void) {\n  for (int i = 0; i < 100; i++)\n    s += b[i];\n}\n"


@pytest.mark.parametrize("written", ["s[0:0]|shared", "0:0|shared", "s[0:0]|shared(+)", "0:0|shared(+)"])
def test_shared_without_an_operator_fits_any(written: str) -> None:
    text = SUM.replace("  for", f"#pragma species kernel b[0:99]|element -> {written}\n  for")
    assert loops_of(text)[0].verdict is Verdict.PARALLEL


def test_another_operator_is_refuted() -> None:
    text = SUM.replace("  for", "#pragma species kernel b[0:99]|element -> s[0:0]|shared(*)\n  for")
    assert "this is b[0:99]|element -> s[0:0]|shared(+)" in refuted(text)[1].message


def test_a_condition_that_the_user_states_is_kept() -> None:
    pragma = PROGRAM % (f"{RIGHT} approximate if(b[0] > 0)", "a[i] = b[i];")
    loop = loops_of(pragma)[0]
    assert loop.verdict is Verdict.CONDITIONAL and loop.conditions == ("b[0]>0",)
    assert loop.openmp and loop.kernel is not None and loop.kernel.conditions == loop.conditions


def test_what_the_user_vouches_for_under_a_condition_holds_under_it_alone() -> None:
    body = "a[i] = a[i - n];"
    text = PROGRAM.replace("void f(void)", "void f(int n)") % (f"assume {RIGHT} if(n >= 100)", body)
    loop = loops_of(text)[0]
    assert loop.verdict is Verdict.CONDITIONAL and loop.conditions == ("n>=100",)


def test_copies_are_not_made_under_a_condition_that_the_user_states() -> None:
    text = SUM.replace("  for", "#pragma species kernel b[0:99]|element -> s[0:0]|shared if(s > 0)\n  for")
    loop = loops_of(text)[0]
    assert loop.verdict is Verdict.CONDITIONAL and not loop.openmp
