"""Species: printing and parsing are inverses, every written form is read, errors point at the place."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from species.grammar import (
    AccessPattern,
    ArraySpecies,
    Range,
    Species,
    SpeciesSyntaxError,
    canonical,
    parse_species,
    print_species,
)
from tests.support.species_strategies import expressions, quick, species

CANONICAL = [
    "A[0:N-1]|neighbourhood(-1:1) ^ B[0:M-1,0:7]|chunk(-,0:63) -> C[1:N-2]|element",
    "void -> E[0:7,0:7]|element",
    "A[0:N-1]|element -> void",
    "void -> void",
    "0:N-1|element -> 0:0|shared",
    "void -> s[0:0]|shared(+) ^ h[0:9]|shared(^) ^ b[0:0]|shared(||) ^ m[0:0]|shared(min) ^ x[0:0]|shared",
    "0:N-1|element -> 0:0|shared(|)",
    "0:N-1,0:7|neighbourhood(-1:1,-) ^ v[0:7]|full -> 0:N-1|element",
    "p->x[0:s.n-1]|element -> s.a[0:row[i+1]-1]|shared",
    "A[min(a,b):max(f(),n[i][0].k)]|full -> A[-1:(n- -1)<<2]|element",
    "A[i]:N|element -> element[0:chunk]|element",
    "A[0:0xE +1]|element -> void",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_is_kept(text: str) -> None:
    assert print_species(parse_species(text)) == text


@quick
@given(species)
def test_parse_undoes_print(node: Species) -> None:
    assert parse_species(print_species(node)) == node


@quick
@given(species, st.sampled_from([" ", "  ", "\t", " \\\n ", " /* why */ "]))
def test_blanks_and_comments_do_not_matter(node: Species, blank: str) -> None:
    text = re.sub(r"\|\||[][|:,^()]", lambda symbol: blank + symbol[0] + blank, print_species(node))
    assert parse_species(text) == node


@quick
@given(expressions)
def test_canonical_is_idempotent(text: str) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ("N - 1", "N-1"),
        ("n - - 1", "n- -1"),
        ("n--1", "n- -1"),
        ("0xE + 1", "0xE +1"),
        ("p -> n * ( 2 )", "p->n*(2)"),
        ("sizeof ( long int )", "sizeof(long int)"),
        ("a << 2", "a<<2"),
        ("a - > b", "a- >b"),
        ("", ""),
    ],
)
def test_canonical_expressions(loose: str, tight: str) -> None:
    assert canonical(loose) == tight


def test_nodes_of_the_named_form() -> None:
    offsets = (None, Range("0", "63"))
    part = ArraySpecies("M", (Range("0", "31"), Range("0", "N-1")), AccessPattern("chunk", offsets))
    assert parse_species(" M[0 : 31, 0:N - 1] | chunk( - ,0:63)->void ") == Species((part,), ())


def test_printing_tightens_the_analysers_expressions() -> None:
    part = ArraySpecies("A", (Range("0", "N - 1"),), AccessPattern("element"))
    assert str(Species((), (part,))) == "void -> A[0:N-1]|element"


def test_bones_void_is_read() -> None:
    assert parse_species("0:0|void -> 0:N|element") == parse_species("void -> 0:N|element")


ERRORS = [
    ("A[0:N-1]element -> void", 9, "'element'", "'|'"),
    ("A[0:N]|elemen -> void", 8, "'elemen'", "'element'"),
    ("A[0:N]|element", 15, "the end", "'->'"),
    ("A[0:N]|shared(-) -> void", 15, "'-'", "an operator"),
    ("A[0:N]|element(+) -> void", 15, "'('", "'->'"),
    ("A[0:$]|full -> void", 5, "'$'", "a name"),
    ("A[0:1,0:2]|chunk(-) -> void", 12, "1 in 'chunk'", "2 ranges"),
    ("A[0:1]|full -> void x", 21, "'x'", "the end"),
    ("A[0:1]|full ^ void -> void", 15, "'void'", "a name"),
    ("A[0:1]|void -> void", 8, "'void'", "'full'"),
    ("", 1, "the end", "'void'"),
]


@pytest.mark.parametrize(("text", "column", "found", "expected"), ERRORS)
def test_errors_name_the_place(text: str, column: int, found: str, expected: str) -> None:
    with pytest.raises(SpeciesSyntaxError) as caught:
        parse_species(text)
    error = caught.value
    assert (error.column, error.found) == (column, found)
    assert expected in error.expected
    assert "\n" not in str(error) and f"column {column}: expected" in str(error)
    assert error.context() == f"{text}\n{' ' * (column - 1)}^"


def test_the_caret_stands_under_its_line() -> None:
    with pytest.raises(SpeciesSyntaxError) as caught:
        parse_species("A[0:N]|full\n\t-> B[0:|full")
    assert caught.value.context() == "\t-> B[0:|full\n\t       ^"


@quick
@given(st.text(alphabet="AN01:[](),|^->.element chunk(void/*", max_size=30))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        node = parse_species(text)
    except SpeciesSyntaxError as error:
        assert 1 <= error.column <= len(text) + 1
    else:
        assert parse_species(print_species(node)) == node


def test_lark_is_loaded_only_to_parse() -> None:
    look = "print('lark' in sys.modules)"
    script = f"import sys, species.grammar as g; {look}; g.parse_species('void -> void'); {look}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
