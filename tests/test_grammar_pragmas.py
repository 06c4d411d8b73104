"""The pragmas of the species language: printing and parsing are inverses."""

from __future__ import annotations

import pytest
from hypothesis import given
from species_strategies import pragmas, quick

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


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
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
