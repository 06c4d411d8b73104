"""The host shim's text pass: launches and shared-memory declarations, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skeletons.shim import rewrite, rewrite_launches, translate
from skeletons.shim.__main__ import main

LAUNCHES = [
    ("k<<<1, 2>>>(x);", "L(K(k), 1, 2)(x);"),
    ("k <<< g , b , s >>> ( x , y ) ;", "L(K(k) , g , b , s ) ( x , y ) ;"),
    (
        "k<<<dim3(1, f(2, 3)), dim3{4, 5}, 0, stream>>>();",
        "L(K(k), dim3(1, f(2, 3)), dim3{4, 5}, 0, stream)();",
    ),
    ("k<float, N><<<1, 2>>>(x);", "L(K(k<float, N>), 1, 2)(x);"),
    ("k<V<V<int>>><<<1, 2>>>(x);", "L(K(k<V<V<int>>>), 1, 2)(x);"),
    ("k<(a > b), 2><<<1, 2>>>(x);", "L(K(k<(a > b), 2>), 1, 2)(x);"),
    ("ns::k<<<1, 2>>>(x);", "L(K(ns::k), 1, 2)(x);"),
    ("::k<<<1, 2>>>(x);", "L(K(::k), 1, 2)(x);"),
    ("(*f)<<<1, 2>>>(x);", "L(K((*f)), 1, 2)(x);"),
    ("table[i]<<<1, 2>>>(x);", "L(K(table[i]), 1, 2)(x);"),
    ("p->k<<<1, 2>>>(x);", "L(K(p->k), 1, 2)(x);"),
    (
        "if (n > 0) k<<<1, 2>>>(x); else k<<<3, 4>>>(x);",
        "if (n > 0) L(K(k), 1, 2)(x); else L(K(k), 3, 4)(x);",
    ),
    ("{k<<<(n + 255) >> 8, 256>>>(n >> 1);}", "{L(K(k), (n + 255) >> 8, 256)(n >> 1);}"),
    ("k<<<1, n >> 2>>>(x);", "L(K(k), 1, n >> 2)(x);"),
    ('k<<<f(">>>("), \'(\'>>>("<<<");', 'L(K(k), f(">>>("), \'(\')("<<<");'),
    ("k /*<<<*/ <<<1, // >>>(\n 2>>>(x);", "L(K(k) /*<<<*/ , 1, // >>>(\n 2)(x);"),
    ("k<<<\r\n  1,\r\n  2\r\n>>>\r\n(x);", "L(K(k),\r\n  1,\r\n  2\r\n)\r\n(x);"),
    ("#define RUN(k) k<<<1, \\\n 2>>>(0)", "#define RUN(k) L(K(k), 1, \\\n 2)(0)"),
    ("k<<<1, 2>>>(NULL, f(NULL), NULL );", "L(K(k), 1, 2)(nullptr, f(nullptr), nullptr );"),
]


@pytest.mark.parametrize(("source", "expected"), LAUNCHES)
def test_a_launch_becomes_a_call(source: str, expected: str) -> None:
    short = rewrite_launches(source).replace("::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL", "L(K")
    assert re.sub(r",(?! )", ", ", short) == re.sub(r",(?! )", ", ", expected)


UNTOUCHED = [
    'puts("k<<<1, 2>>>(x);");',
    "// k<<<1, 2>>>(x);\n/* k<<<1, 2>>>(x); */",
    'R"x(k<<<1, 2>>>(x); )" )x";',
    "a = b << 1 < c; d = e >> 2;",
    "out operator<<<int>(stream);",
    "k<<<1, 2; f(x);",
    "#error don't k<<<\nint x;",
    "f(1'000'000, 'a', '\\'');",
    "unbalanced ) k<<<1, 2) >>>(x)",
]


@pytest.mark.parametrize("source", UNTOUCHED)
def test_what_is_no_launch_stays(source: str) -> None:
    assert rewrite(source) == source


_PIECES = [
    "k",
    "<<<",
    ">>>",
    "(",
    ")",
    "<",
    ">",
    ",",
    ";",
    '"',
    "'",
    "\n",
    "\\\n",
    "\r\n",
    "//",
    "/*",
    "*/",
    " ",
    "1",
    "{",
    "}",
]
_PIECES += ["__shared__", "extern", "static", "float x[3]", "NULL", "::", "#", 'R"(', "é"]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_any_text_keeps_its_lines(source: str) -> None:
    result = rewrite(source)
    assert result.count("\n") == source.count("\n")
    if "<<<" not in source:
        assert rewrite_launches(source) == source


_EXPRESSIONS = st.recursive(
    st.sampled_from(["n", "42", "'('", '">>>("', "sizeof(int)"]),
    lambda inner: st.one_of(
        inner.map(lambda e: f"({e})"),
        st.tuples(inner, inner).map(lambda e: f"f({e[0]}, /* , */ {e[1]})"),
        st.tuples(inner, inner).map(lambda e: f"({e[0]} >> {e[1]})"),
        inner.map(lambda e: f"T<2>::v[{e}]"),
    ),
    max_leaves=6,
)


@given(_EXPRESSIONS, _EXPRESSIONS, st.lists(_EXPRESSIONS, max_size=3), st.sampled_from(["", " ", "\n"]))
def test_a_launch_of_any_expressions(grid: str, block: str, arguments: list[str], gap: str) -> None:
    given_ = ", ".join(arguments)
    source = f"a(); k<1>{gap}<<<{grid}, {block}>>>{gap}({given_}); b();"
    head = f"a(); ::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL(k<1>){gap},"
    assert rewrite_launches(source) == f"{head}{grid}, {block}){gap}({given_}); b();"


SHARED = [
    ("{ __shared__ float a[2][N], b; }", "{ __shared__ float a[2][N], b; S(a); S(b); }"),
    ("{ static __shared__ V<int, 2> v; }", "{  __shared__ V<int, 2> v; S(v); }"),
    ("{ extern __shared__ float x[]; }", "{   float *const x = ::cuvier_shim::DynamicShared{}; }"),
    ("extern __shared__ int x[];", "  int *const x = ::cuvier_shim::DynamicShared{};"),
    ("namespace n { __shared__ int x; }", "namespace n { __shared__ int x; }"),
    ("#define S __shared__\nvoid f() { int x; }", "#define S __shared__\nvoid f() { int x; }"),
]


@pytest.mark.parametrize(("source", "expected"), SHARED)
def test_shared_declarations(source: str, expected: str) -> None:
    assert rewrite(source).replace("CUVIER_SHIM_SHARED", "S") == expected


def test_a_translated_file_keeps_bytes_and_names_its_source(tmp_path: Path) -> None:
    source = tmp_path / "latin.cu"
    source.write_bytes(b"// caf\xe9\r\nk<<<1,2>>>();")
    translate(source, tmp_path / "out.cpp")
    first, second, third = (tmp_path / "out.cpp").read_bytes().split(b"\n")
    assert first == f'#line 1 "{source}"'.encode()
    assert second == b"// caf\xe9\r"
    assert third == b"::cuvier_shim::shim_launch(CUVIER_SHIM_KERNEL(k),1,2)();"


def test_the_command_reports_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "none.cu"
    assert main([str(missing), "-o", str(tmp_path / "out.cpp")]) == 2
    assert capsys.readouterr().err == f"{missing}: No such file or directory\n"


def test_the_command_prints_the_folder_of_the_headers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--include-dir"]) == 0
    assert (Path(capsys.readouterr().out.strip()) / "cuda_runtime.h").is_file()
