"""Which loops are contractions, of which form, and which only look like one."""

from __future__ import annotations

import pytest

from skeletons.sums.contraction import (
    BandLoop,
    Contraction,
    FileNames,
    Parameter,
    Refused,
    generate,
    recognise,
)
from species.core.refusal import Refusal

IJK = "i = 0 .. n; j = 0 .. m; k = 0 .. p"
DOUBLES = dict.fromkeys(("A", "B", "C", "D", "alpha", "mean", "x"), "double")
TYPES = {**DOUBLES, **dict.fromkeys(("n", "m", "p", "s", "idx"), "int")}


def band(text: str, ctype: str = "int") -> list[BandLoop]:
    """`i = 0 .. n; j = ...` as loops."""
    found = []
    for part in text.split("; "):
        iterator, bounds = part.split(" = ")
        found.append(BandLoop(iterator, ctype, *bounds.split(" .. ")))
    return found


def contraction(loops: str, statement: str, **types: str) -> Contraction:
    """What is recognised; a refusal fails the test."""
    found = recognise(band(loops), statement, {**TYPES, **types})
    assert isinstance(found, Contraction), found
    return found


def refusal(loops: str, statement: str, **types: str) -> str:
    """Why it is refused; a contraction fails the test."""
    found = recognise(band(loops), statement, {**TYPES, **types})
    assert isinstance(found, Refused), found
    return found.reason


def groups(found: Contraction) -> tuple[str, str, str, str]:
    """The iterators of rows, columns, depth and batch."""
    parts = (found.rows, found.columns, found.depth, found.batch)
    rows, columns, depth, batch = ("".join(loop.iterator for loop in part) for part in parts)
    return rows, columns, depth, batch


@pytest.mark.parametrize("loops", ["ijk", "ikj", "jik", "jki", "kij", "kji"])
def test_any_order_of_the_loops(loops: str) -> None:
    bounds = {"i": "i = 0 .. n", "j": "j = 0 .. m", "k": "k = 0 .. p"}
    found = contraction("; ".join(bounds[name] for name in loops), "C[i][j] += alpha * A[i][k] * B[k][j];")
    assert groups(found) == ("i", "j", "k", "")
    (product,) = found.products
    assert (product.rows.factors, product.columns.factors) == (("alpha", "A[i][k]"), ("B[k][j]",))
    assert found.output_unit and not found.regrouped and not product.negative


def test_columns_are_those_that_lie_side_by_side_in_the_output() -> None:
    assert groups(contraction(IJK, "C[j][i] += A[i][k] * B[k][j];")) == ("j", "i", "k", "")
    assert groups(contraction(IJK, "C[j * n + i] -= A[k][i] * B[j][k];"))[:2] == ("j", "i")


@pytest.mark.parametrize(
    ("statement", "negative"),
    [
        ("C[i][j] -= A[i][k] * B[k][j];", True),
        ("C[i][j] = C[i][j] + A[i][k] * B[k][j];", False),
        ("C[i][j] = A[i][k] * B[k][j] + C[i][j];", False),
        ("C[i][j] = C[i][j] - A[i][k] * B[k][j];", True),
        ("C[i][j] -= -(A[i][k] * B[k][j]);", False),
        ("C[i][j] = -(A[i][k] * B[k][j]) + C[i][j];", True),
    ],
)
def test_ways_to_add(statement: str, negative: bool) -> None:
    (product,) = contraction(IJK, statement).products
    assert product.negative == negative


def test_groups_of_several_loops_and_batches() -> None:
    doitgen = contraction(
        "r = 0 .. n; q = 0 .. m; p = 0 .. s; t = 0 .. s", "C[r][q][p] += A[r][q][t] * B[t][p];"
    )
    assert groups(doitgen) == ("rq", "p", "t", "")
    batch = contraction(f"b = 0 .. n; {IJK}", "C[b][i][j] += A[b][i][k] * B[b][k][j];")
    assert groups(batch) == ("i", "j", "k", "b")
    deep = contraction(f"l = 0 .. n; {IJK}", "C[i][j] += A[i][k][l] * B[l][k][j];")
    assert groups(deep) == ("i", "j", "kl", "")


def test_two_products_with_one_output() -> None:
    found = contraction(IJK, "C[i][j] += alpha * A[i][k] * B[j][k] + alpha * B[i][k] * A[j][k];")
    assert [p.columns.factors for p in found.products] == [("B[j][k]",), ("A[j][k]",)]
    assert not found.regrouped
    out = contraction(IJK, "C[i][j] -= alpha * (A[i][k] * B[j][k] - B[i][k] * A[j][k]);")
    assert [p.negative for p in out.products] == [True, False] and out.regrouped


def test_operands_may_be_expressions_of_one_side() -> None:
    found = contraction(IJK, "C[i][j] += (A[k][i] - mean[i]) * (A[k][j] / x - mean[j]);")
    (product,) = found.products
    assert product.rows.factors == ("(A[k][i] - mean[i])",)
    assert product.columns.factors == ("(A[k][j] / x - mean[j])",)
    scaled = contraction(IJK, "C[i][j] += A[i][k] * D[k] * B[k][j];")
    assert scaled.products[0].rows.factors == ("A[i][k]", "D[k]")


def test_what_c_multiplies_in_another_order_is_told() -> None:
    assert contraction(IJK, "C[i][j] += alpha * (A[i][k] * B[k][j]);").regrouped
    assert contraction(IJK, "C[i][j] += A[i][k] * B[k][j] * alpha;").regrouped
    assert not contraction(IJK, "C[i][j] += A[i][k] * alpha * B[k][j];").regrouped


@pytest.mark.parametrize(
    "statement",
    [
        "C[i][j] += A[i][k] * A[j][k];",
        "C[j][i] += A[k][j] * (alpha * A[k][i]);",
        "C[i][j] -= alpha * (A[i][k] * B[j][k] + B[i][k] * A[j][k]);",
        "C[i][j] = C[i][j] + (A[i][k] - x) * D[k] * (A[j][k] - x);",
    ],
)
def test_symmetric_products(statement: str) -> None:
    assert contraction("i = 1 .. n; k = 0 .. p; j = 1 .. n", statement).symmetric
    assert not contraction("i = 1 .. n; k = 0 .. p; j = 0 .. n", statement).symmetric
    assert not contraction("i = 1 .. n; k = 0 .. p; j = 1 .. m", statement).symmetric
    assert not contraction("i = 1 .. n; k = 0 .. p; j = 1 .. i + 1", statement).symmetric
    assert not contraction("i = 1 .. n; k = i .. p; j = 1 .. n", statement).symmetric


@pytest.mark.parametrize(
    "statement",
    [
        "C[i][j] += A[i][k] * A[k][j];",
        "C[i][j] += A[i][k] * B[j][k];",
        "C[i][j] += A[i][k] * A[j][k + 1];",
        "C[i][j] += A[i][k] * mean[i] * A[j][k];",
        "C[i][j] -= alpha * (A[i][k] * B[j][k] - B[i][k] * A[j][k]);",
        "C[i][j] += A[i][k] * A[j][k] + A[i][k] * B[j][k];",
    ],
)
def test_products_that_are_not_symmetric(statement: str) -> None:
    assert not contraction("i = 0 .. n; j = 0 .. n; k = 0 .. p", statement).symmetric


@pytest.mark.parametrize(
    ("loops", "kind", "given", "low", "high"),
    [
        ("i = 0 .. n; j = 0 .. i + 1; k = 0 .. p", "triangle", "i", None, "i + 1"),
        ("i = 0 .. n; j = i .. n; k = 0 .. p", "triangle", "i", "i", None),
        ("j = 0 .. n; i = j .. n; k = 0 .. p", "triangle", "i", None, "i - (0L) + 1"),
        ("i = 0 .. n; j = 0 .. m; k = i + 1 .. n", "rows", "i", "i + 1", None),
        ("k = 0 .. n; i = 0 .. k; j = 0 .. m", "rows", "i", "i - (0L) + 1", None),
        ("i = 0 .. n; j = 0 .. m; k = 0 .. m - j", "columns", "j", None, "m - j"),
        ("k = 0 .. n; i = 0 .. n; j = 0 .. n - k", "columns", "j", None, "(n - 0L) - j"),
    ],
)
def test_ranges(loops: str, kind: str, given: str, low: str | None, high: str | None) -> None:
    ragged = contraction(loops, "C[i][j] += A[i][k] * B[k][j];").ragged
    assert ragged is not None
    assert (ragged.kind, ragged.given.iterator, ragged.low, ragged.high) == (kind, given, low, high)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("C[i][j] += A[i][k] * C[k][j];", "C is read as well as added to"),
        ("C[i][j] += A[i][k] * B[k][j] * C[i][j];", "C is read as well as added to"),
        ("C[i][j] = C[j][i] + A[i][k] * B[k][j];", "does not add to C[i][j]"),
        ("C[i][j] = A[i][k] * B[k][j];", "does not add to C[i][j]"),
        ("C[i][j] = A[i][k] * B[k][j] - C[i][j];", "does not add to C[i][j]"),
        ("C[i][j] = C[i][j] + C[i][j] + A[i][k] * B[k][j];", "does not add to C[i][j]"),
        ("C[i][j] = 2 * C[i][j] + A[i][k] * B[k][j];", "does not add to C[i][j]"),
        ("C[i][j] *= A[i][k] * B[k][j];", "updates with *="),
        ("C[i][j] += A[i][k] / B[k][j];", "no product"),
        ("C[i][j] += A[i][k] * B[k][j] / x;", "no product"),
        ("C[i][j] += A[i][k] + B[k][j];", "no product"),
        ("C[i][j] += A[i][k] * A[i][k];", "no product"),
        ("C[i][j] += A[i][k] * B[i][j];", "no product"),
        ("C[i][j] += A[i][k] * B[k][0];", "no product"),
        ("C[i][j] += A[i][j] * B[j][i];", "no product"),
        ("C[i][j] += A[i][k] * B[k][j] + D[i][j];", "no product"),
        ("C[i][j] += A[i][k] * B[k][j] + A[j][k] * B[k][0];", "no product"),
        ("C[i][j] += A[i][k] * D[i][j] * B[k][j];", "no product"),
        ("C[i][j] += A[i][k] * (B[k][j] + D[i]);", "no product"),
        ("C[i][k] += A[i][k] * B[k][j];", "no product"),
        ("C[i + k][j] += A[i][k] * B[k][j];", "no loop is summed over"),
        ("C[i][j][k] += A[i][k] * B[k][j];", "no loop is summed over"),
        ("C[i + j] += A[i][k] * B[k][j];", "one cell for several iterations"),
        ("C[i - j] += A[i][k] * B[k][j];", "one cell for several iterations"),
        ("C[i / 2][j] += A[i][k] * B[k][j];", "one cell for several iterations"),
        ("C[i - i][j] += A[i][k] * B[k][j];", "one cell for several iterations"),
        ("C[idx[i]][j] += A[i][k] * B[k][j];", "one cell for several iterations"),
        ("x += A[i][k] * B[k][j];", "no element of an array"),
        ("C[i][j] += A[i][k] > 0 ? A[i][k] * B[k][j] : 0;", "condition"),
        ("if (A[i][k] > 0) C[i][j] += A[i][k] * B[k][j];", "no assignment"),
        ("C[i][j] += f(A[i][k]) * B[k][j];", "is a call"),
        ("C[i][j] += A[i][k] * B[s++][j];", "operator ++"),
        ("C[i][j] += A[i][k] * (x = B[k][j]);", "second assignment"),
        ("C[i][j] += A[i][k] * (x, B[k][j]);", "no plain arithmetic"),
        ("C[i][j] += A[i][k] * *B;", "operator *"),
        ("C[i][j] += A[i][k] * B[k].re;", "member of a structure"),
        ("C[i][j] += A[i][k] * UNKNOWN[k][j];", "type of UNKNOWN is not known"),
        ("C[i][j] += A[i][k] * B[k + OFFSET][j];", "type of OFFSET is not known"),
        ("C[i][j] += A[i][k] * B[k][j]; x = 1;", "not one statement"),
        ("C[i][j] += A[i][k] * ;", "does not parse"),
    ],
)
def test_what_only_looks_like_one(statement: str, reason: str) -> None:
    assert reason in refusal(IJK, statement)


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ({"C": "volatile double"}, "volatile"),
        ({"A": "volatile double"}, "volatile"),
        ({"alpha": "const volatile double"}, "volatile"),
        ({"C": "_Atomic double"}, "volatile or atomic"),
        ({"C": "float"}, "computed in double and added up in float"),
        ({"A": "float", "B": "float", "alpha": "float"}, "computed in float and added up in double"),
        ({"C": "int"}, "computed in double and added up in int"),
        ({"C": "int", "A": "unsigned", "B": "int", "alpha": "int"}, "computed in unsigned int"),
        ({"C": "short", "A": "short", "B": "short", "alpha": "short"}, "computed in int"),
        ({"C": "long double"}, "no type that vectors can hold"),
        ({"A": "struct pair"}, "no arithmetic type"),
        ({"C": "_Complex double"}, "no arithmetic type"),
    ],
)
def test_types_that_would_round_or_wrap_otherwise(types: dict[str, str], reason: str) -> None:
    assert reason in refusal(IJK, "C[i][j] += alpha * A[i][k] * B[k][j];", **types)


def test_types_that_are_converted_as_c_does() -> None:
    found = contraction(IJK, "C[i][j] += B[k][j] * A[i][k] * D[i];", A="float", D="float")
    assert found.products[0].rows.factors == ("(double)A[i][k]", "D[i]") and found.regrouped
    whole = contraction(IJK, "C[i][j] += A[i][k] * B[k][j];", C="const int", A="short", B="unsigned char")
    assert whole.element == "int"


@pytest.mark.parametrize(
    ("loops", "reason"),
    [
        ("i = 0 .. n; j = 0 .. i; k = 0 .. j", "more than one loop"),
        ("i = 0 .. n; j = 0 .. i; k = 0 .. i", "more than one loop"),
        ("i = 0 .. n; j = 0 .. m; k = i .. j", "depend on more than one loop"),
        ("i = 0 .. n; j = 0 .. 2 * i; k = 0 .. p", "one by one"),
        ("i = 0 .. n; j = 0 .. i * i; k = 0 .. p", "one by one"),
        ("i = 0 .. n; j = 0 .. i / 2; k = 0 .. p", "one by one"),
        ("i = 0 .. n; j = 0 .. idx[i]; k = 0 .. p", "no arithmetic of variables"),
        ("i = 0 .. n; j = 0 .. f(n); k = 0 .. p", "no arithmetic of variables"),
        ("i = 0 .. n; j = 0 .. n / m; k = 0 .. p", "divide by zero"),
        ("i = 0 .. n; j = 0 .. n++; k = 0 .. p", "operator ++"),
        ("i = 0 .. n; i = 0 .. m; k = 0 .. p", "share an iterator"),
    ],
)
def test_bounds_that_are_refused(loops: str, reason: str) -> None:
    assert reason in refusal(loops, "C[i][j] += A[i][k] * B[k][j];")


def test_a_bound_in_the_output_is_refused() -> None:
    text = "i = 0 .. n; j = 0 .. m; k = 0 .. C"
    assert refusal(text, "C[i][j] += A[i][k] * B[k][j];") == "C is read as well as added to"


def test_triangles_within_a_fused_group_are_refused() -> None:
    text = "r = 0 .. n; q = 0 .. r; j = 0 .. m; k = 0 .. p"
    assert "more" in refusal(f"{text}; l = 0 .. k", "C[r][q][j] += A[r][q][k][l] * B[k][l][j];")
    assert "one is to be fused" in refusal(text, "C[r][q][j] += A[r][q][k] * B[k][j];")


def test_odd_iterators_are_refused() -> None:
    loops = [*band("i = 0 .. n; j = 0 .. m"), BandLoop("k", "float", "0", "p")]
    found = recognise(loops, "C[i][j] += A[i][k] * B[k][j];", TYPES)
    assert isinstance(found, Refused) and found.reason == "the iterator k is float"


def test_functions_take_only_what_they_use() -> None:
    found = contraction(IJK, "C[i][j] += alpha * A[i][k] * B[k][j];")
    parameters = [
        *(Parameter(name, f"int {name}") for name in ("n", "m", "p")),
        Parameter("A", "double A[n][p]"),
        Parameter("B", "double B[p][m]"),
    ]
    code = generate(found, "product", parameters, FileNames(frozenset()))
    assert code.call == "product(n, m, p, A, B);\n"
    assert "product_pack_columns(int m, int p, double B[p][m], const" in code.functions
    assert "product_task(const struct contraction_block *block," in code.functions
    assert "alpha * A[i][k]" in code.functions


def test_local_names_give_way_to_the_original_ones() -> None:
    found = contraction("row = 0 .. n; tile = 0 .. m; k = 0 .. p", "C[row][tile] += A[row][k] * B[k][tile];")
    code = generate(found, "product", [], FileNames(frozenset(("contraction_block",)), frozenset(("panel",))))
    assert "const int row = row_ + lane;" in code.functions
    assert "double *panel_ = packed" in code.functions
    assert "struct contraction_block_ *block" in code.functions


def test_macros_that_are_fields_of_ours_are_refused() -> None:
    found = contraction(IJK, "C[i][j] += A[i][k] * B[k][j];")
    with pytest.raises(Refusal, match="the macro depth"):
        generate(found, "product", [], FileNames(frozenset(), frozenset(("depth",))))


def test_batches_stay_loops_around_the_call() -> None:
    found = contraction(f"b = 0 .. n; {IJK}", "C[b][i][j] += A[b][i][k] * B[b][k][j];")
    code = generate(found, "product", [], FileNames(frozenset()), "    ")
    assert code.call.splitlines() == [
        "#pragma omp parallel for if (contraction_count(0, n) >= 4 * contraction_threads())",
        "for (int b = 0; b < n; b++)",
        "        product(b);",
    ]
