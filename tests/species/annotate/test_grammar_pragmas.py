"""The pragmas of the species language: printing and parsing are inverses."""

from __future__ import annotations

import pytest
from hypothesis import given

from species.grammar import (
    Copy,
    CopyPragma,
    EndKernelPragma,
    KernelPragma,
    Pragma,
    Range,
    SpeciesSyntaxError,
    SyncPragma,
    parse_pragma,
    parse_species,
    print_pragma,
)
from tests.support.species_strategies import pragmas, quick

SPECIES = parse_species("A[0:N-1]|element -> B[0:0]|shared")
N = (Range("0", "N-1"),)


@pytest.mark.parametrize(
    ("text", "pragma"),
    [
        ("#pragma species kernel A[0:N-1]|element -> B[0:0]|shared", KernelPragma(SPECIES)),
        (
            "#pragma species kernel assume A[0:N-1]|element -> B[0:0]|shared",
            KernelPragma(SPECIES, assume=True),
        ),
        (
            "#pragma species kernel A[0:N-1]|element -> B[0:0]|shared approximate",
            KernelPragma(SPECIES, approximate=True),
        ),
        (
            "#pragma species kernel assume A[0:N-1]|element -> B[0:0]|shared approximate"
            " if(n>=300) if(f(p+n)<=q)",
            KernelPragma(SPECIES, True, True, ("n>=300", "f(p+n)<=q")),
        ),
        ("#pragma species endkernel main_k1", EndKernelPragma("main_k1")),
        (
            "#pragma species copyin A[0:N-1]|4 ^ p->b[0:N-1]|5",
            CopyPragma("in", (Copy("A", N, 4), Copy("p->b", N, 5))),
        ),
        ("#pragma species copyout A[0:N-1]|4", CopyPragma("out", (Copy("A", N, 4),))),
        ("#pragma species sync 4", SyncPragma(4)),
    ],
)
def test_each_pragma(text: str, pragma: Pragma) -> None:
    assert parse_pragma(text) == pragma
    assert print_pragma(pragma) == text


@quick
@given(pragmas)
def test_parse_undoes_print(pragma: Pragma) -> None:
    assert parse_pragma(print_pragma(pragma)) == pragma


def test_continued_and_commented_lines_are_read() -> None:
    text = (
        "  #  pragma species \\\n  kernel A[0:N-1]|element -> \\\r\n B[0:0]|shared /* cuvier */ // and more"
    )
    assert parse_pragma(text) == KernelPragma(SPECIES)


def test_an_array_may_be_called_assume() -> None:
    pragma = parse_pragma("#pragma species kernel assume[0:3]|full -> void")
    assert isinstance(pragma, KernelPragma)
    assert not pragma.assume
    assert pragma.species.inputs[0].name == "assume"


def test_an_array_may_be_called_like_a_mark() -> None:
    text = "#pragma species kernel approximate[0:3]|full -> if[0:3]|element approximate if(if[0]>approximate)"
    assert print_pragma(parse_pragma(text)) == text


def test_conditions_are_tightened() -> None:
    pragma = parse_pragma(
        "#pragma species kernel void -> void if( (const char *)(p + n) <= (const char *) q && a & &b ) // and"
    )
    assert isinstance(pragma, KernelPragma)
    assert pragma.conditions == ("(const char*)(p+n)<=(const char*)q&&a& &b",)


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("#pragma species kernel void -> void if", 39, "'('"),
        ("#pragma species kernel void -> void if(a", 41, "')'"),
        ("#pragma species kernel void -> void if(a))", 42, "the end"),
        ("#pragma species kernel A[0:3]|shared(-) -> void", 38, "an operator"),
        ("#pragma species bogus", 17, "'endkernel'"),
        ("#pragma omp for", 9, "'species'"),
        ("#pragma species sync x", 22, "an integer"),
        ("#pragma species endkernel", 26, "a name"),
        ("#pragma species copyin A[0:3]", 30, "'|'"),
    ],
)
def test_errors_name_the_place(text: str, column: int, expected: str) -> None:
    with pytest.raises(SpeciesSyntaxError) as caught:
        parse_pragma(text)
    assert caught.value.column == column
    assert expected in caught.value.expected
