"""Reading translation units: places of loops in the original text, whatever the preprocessor did to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pycparser import c_ast

from species.core.positions import Position
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


def read(folder: Path, text: str | bytes, *defines: str, name: str = "a.c") -> TranslationUnit:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_translation_unit(str(path), PreprocessOptions(defines=defines))


def nodes(tree: c_ast.Node, kinds: tuple[type, ...]) -> list[c_ast.Node]:
    found = [tree] if isinstance(tree, kinds) else []
    for _, child in tree.children():
        found += nodes(child, kinds)
    return found


def user_loops(unit: TranslationUnit) -> list[c_ast.Node]:
    return [n for n in nodes(unit.ast, LOOPS) if unit.is_user_file(unit.position(n.coord).file)]


def wholes(unit: TranslationUnit) -> list[str | None]:
    """The text of every loop, None for one that cannot be delimited."""
    texts = []
    for node in user_loops(unit):
        spans = unit.loop_spans(node)
        file = unit.sources[unit.loop_position(node).file]
        texts.append(spans.whole.of(file.text) if spans else None)
    return texts


def places(unit: TranslationUnit) -> list[tuple[int, int]]:
    return [(p.line, p.column) for p in map(unit.loop_position, user_loops(unit))]


HEADERS = [
    *(
        "stdio",
        "stdlib",
        "math",
        "string",
        "stdint",
        "stdbool",
        "limits",
        "float",
        "time",
        "sys/time",
        "complex",
    ),
    *("assert", "ctype", "errno", "pthread", "unistd", "stdarg", "stddef", "inttypes"),
]


def test_all_common_headers_parse(tmp_path: Path) -> None:
    includes = "".join(f"#include <{name}.h>\n" for name in HEADERS)
    unit = read(
        tmp_path,
        includes
        + """
struct s { int a; double b[3]; };
int v(const char *f, ...) {
  va_list ap; va_start(ap, f); int k = va_arg(ap, int); va_end(ap);
  assert(k == offsetof(struct s, b)); errno = EINTR;
  return isnan(INFINITY) ? k : (int)creal(2.0 * I);
}
void q(double *restrict p, const double *__restrict__ r) { for (int i = 0; i < 3; i++) p[i] = fabs(r[i]); }
""",
    )
    assert (unit.status, unit.diagnostics) == ("ok", ())
    assert list(unit.sources) == [str(tmp_path / "a.c")]
    assert places(unit) == [(len(HEADERS) + 8, 60)]
    pointers = nodes(nodes(unit.ast, (c_ast.FuncDef,))[-1], (c_ast.PtrDecl,))
    assert ["restrict" in pointer.quals for pointer in pointers] == [True, True]


def test_the_three_kinds_of_loops_have_exact_spans(tmp_path: Path) -> None:
    unit = read(
        tmp_path, "int f(int n) {\n  for (;n;) n--; while (n < 3) { n++; }\n  do n--; while (n);\n}\n"
    )
    text = unit.source.text
    spans = [unit.loop_spans(node) for node in user_loops(unit)]
    assert [(s.whole.of(text), s.header.of(text), s.body.of(text)) for s in spans if s] == [
        ("for (;n;) n--;", "for (;n;)", "n--;"),
        ("while (n < 3) { n++; }", "while (n < 3)", "{ n++; }"),
        ("do n--; while (n);", "do", "n--;"),
    ]
    assert places(unit) == [(2, 3), (2, 18), (3, 3)]


def test_macros_before_and_inside_a_loop(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        """#define N 8
#define ID(x) (x)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define EMPTY
int f(int *a) {
  int s = ID(N) + N; EMPTY for (int i = 0; i < MIN(N,
      ID(s)); i++) a[ID(i)] = N + ID(MIN(i, 3)); for (s = N; s; s--) EMPTY ;
}
""",
    )
    assert wholes(unit) == [
        "for (int i = 0; i < MIN(N,\n      ID(s)); i++) a[ID(i)] = N + ID(MIN(i, 3));",
        "for (s = N; s; s--) EMPTY ;",
    ]
    assert places(unit) == [(6, 28), (7, 50)]


def test_a_loop_that_a_macro_makes_stands_at_the_macro_use(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        """#define FOR(i, n) for (int i = 0; i < n; i++)
#define ALL(body) body
#define OPEN for (;;) {
int f(int n) {
  n++; FOR(i,
     3) { n--; }
  ALL(while (n) n--;) while (n > 1) n--;
  OPEN for (; n;) break; }
}
""",
    )
    assert wholes(unit) == [None, None, "while (n > 1) n--;", None, "for (; n;) break;"]
    assert places(unit) == [(5, 8), (7, 3), (7, 23), (8, 3), (8, 8)]


def test_a_body_that_a_macro_makes_ends_with_the_macro_use(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        """#define SET(x) { x = 1; }
#define TWO x = 1; x = 2
int f(int x, int n) {
  for (; n; n--) SET(x)
  for (; n; n--) TWO;
}
""",
    )
    assert wholes(unit) == ["for (; n; n--) SET(x)", None]


def test_comments_strings_and_continuations_do_not_confuse(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        'char *s = "for (;;)"; // for (;;)\nint f(int n) { /* for\n for */ for (;n;) /* } */ n--; // ;\n'
        "  whi\\\nle (n) \\\n  n++; return ';'; }\n",
    )
    assert wholes(unit) == ["for (;n;) /* } */ n--;", "whi\\\nle (n) \\\n  n++;"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tabs_newlines_and_odd_bytes(tmp_path: Path, newline: str) -> None:
    lines = [
        '/* \xe9 */ char *s = "\xe9";',
        "int f(int n) {",
        "\t\xa0for (;n;)".replace("\xa0", ""),
        "\t\tn--; }",
    ]
    unit = read(tmp_path, newline.join(lines).encode("latin-1"))
    assert places(unit) == [(3, 2)]
    assert wholes(unit) == [f"for (;n;){newline}\t\tn--;"]


def test_inactive_branches_inside_a_loop(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        """int f(int n) {
  for (;n;) {
#if 0
    for (;;) { it's not C
#else
    while (n) n--;
#endif
  }
#ifdef A
  for (;n;)
#else
  for (;n > 1;)
#endif
  { n--; }
}
""",
    )
    assert places(unit) == [(2, 3), (6, 5), (12, 3)]
    whole, inner, split = wholes(unit)
    assert whole is not None and whole.endswith("#endif\n  }") and inner == "while (n) n--;"
    assert split is None  # `#endif` stands inside, its `#if` outside


def test_loops_of_an_included_file(tmp_path: Path) -> None:
    (tmp_path / "kernel.h").write_text("#define K 3\nfor (i = 0; i < K; i++)\n  a[i] = 0;\n")
    unit = read(
        tmp_path, 'void f(int *a) { int i;\n  for (int j = 0; j < 2; j++)\n#include "kernel.h"\n  ; }\n'
    )
    header = str(tmp_path / "kernel.h")
    assert [unit.loop_position(n) for n in user_loops(unit)] == [
        Position(str(tmp_path / "a.c"), 2, 3),
        Position(header, 2, 1),
    ]
    assert wholes(unit) == [None, "for (i = 0; i < K; i++)\n  a[i] = 0;"]
    assert unit.is_user_file(header) and not unit.is_user_file("/usr/include/stdio.h")


def test_spans_of_plain_statements(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        "int f(int n) {\n  if (n) n = n + 1; else { n--; }\n  int k = 2; lab: n++;\n  return k;\n}\n",
    )
    body = nodes(unit.ast, (c_ast.FuncDef,))[0].body
    spans = [unit.statement_span(node) for node in (*body.block_items, body.block_items[0].iftrue)]
    assert [span.of(unit.source.text) for span in spans if span] == [
        *("if (n) n = n + 1; else { n--; }", "int k = 2;", "lab: n++;", "return k;", "n = n + 1;")
    ]


def test_pragmas_are_listed_and_are_no_statements(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        "int f(int n) {\n  if (n)\n    #pragma omp parallel \\\n      for\n    for (;n;) n--;\n"
        '  _Pragma("one") return n;\n}\n',
    )
    path = unit.source.path
    assert unit.pragmas == ((Position(path, 3, 5), "omp parallel for"), (Position(path, 6, 3), "one"))
    guard = nodes(unit.ast, (c_ast.If,))[0].iftrue  # threads may run it any number of times
    assert isinstance(guard, c_ast.If) and isinstance(guard.iftrue, c_ast.For)


def test_line_directives_do_not_move_loops(tmp_path: Path) -> None:
    unit = read(tmp_path, '#line 100 "parser.y"\nint f(int n) {\n# 7 "parser.y"\n  for (;n;) n--; }\n')
    assert places(unit) == [(4, 3)]
    assert wholes(unit) == ["for (;n;) n--;"]


def test_macro_definitions_by_line(tmp_path: Path) -> None:
    (tmp_path / "k.h").write_text("#define H 1\n")
    unit = read(
        tmp_path,
        '#define N 1\n#include "k.h"\n#include <limits.h>\n#undef N\n#define N 2\n'
        "#define F(a, ...) \\\n  g(a)\n",
        "D=4",
    )
    bodies = [d.body if (d := unit.macros.definition("N", line)) else None for line in (0, 1, 3, 4, 5)]
    assert bodies == [None, "1", "1", None, "2"]
    macro = unit.macros.definition("F", 9)
    assert macro is not None and (macro.params, macro.body, macro.user) == (("a", "..."), "g(a)", True)
    assert macro.position.line == 6 and macro.text.startswith("#define F(a,")
    header, define, system = (unit.macros.definition(name, 9) for name in ("H", "D", "INT_MAX"))
    assert header and header.user and header.position.file.endswith("k.h")
    assert define and define.user and define.body == "4"
    assert system and not system.user
    assert unit.macros.definition("H", 1) is None


def test_assembly_stays_visible_and_labels_of_declarations_go(tmp_path: Path) -> None:
    unit = read(
        tmp_path,
        'int g(void) __asm__("h") __attribute__((noinline));\n'
        'void f(int n) { for (;n;) { asm volatile ("nop" :: "r"(n)); n--; } }\n',
    )
    assert unit.status == "ok"
    assert [call.name.name for call in nodes(unit.ast, (c_ast.FuncCall,))] == ["asm"]


@pytest.mark.parametrize(
    ("text", "code", "words", "line"),
    [
        ('\n#include "no.h"\n', "CV004", "-I DIR", 2),
        ("#ifndef N\n#error set N\n#endif\n", "CV004", "-D NAME", 2),
    ],
)
def test_preprocessor_failures_name_the_flag(
    tmp_path: Path, text: str, code: str, words: str, line: int
) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        read(tmp_path, text)
    assert (caught.value.diagnostic.code, caught.value.diagnostic.position.line) == (code, line)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.c"):
        with pytest.raises(SourceError) as caught:
            read_translation_unit(str(path), PreprocessOptions())
        assert caught.value.diagnostic.code == "CV003"


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text("int a;\n")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert len(read_translation_unit(str(tmp_path / "a.c"), PreprocessOptions()).ast.ext) == 1
    with pytest.raises(SourceError, match="--cc"):
        read_translation_unit(str(tmp_path / "a.c"), PreprocessOptions(cc="no-such-cc"))


def test_a_path_like_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.c").write_text("void f(int n) { for (;n;) n--; }\n")
    unit = read_translation_unit("-x.c", PreprocessOptions())
    assert wholes(unit) == ["for (;n;) n--;"] and list(unit.sources) == ["-x.c"]


def test_include_folders_and_the_language_standard(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "k.h").write_text("int k;\n")
    (tmp_path / "a.c").write_text("#include <k.h>\nlong v = __STDC_VERSION__;\n")
    options = PreprocessOptions(include_dirs=(str(tmp_path / "inc"),), std="c99")
    unit = read_translation_unit(str(tmp_path / "a.c"), options)
    assert list(unit.sources) == [str(tmp_path / "a.c"), str(tmp_path / "inc" / "k.h")]
    assert unit.ast.ext[-1].init.value == "199901L"


def from_system(folder: Path, header: str, text: str) -> TranslationUnit:
    (folder / "inc").mkdir(exist_ok=True)
    (folder / "inc" / "h.h").write_text(header)
    (folder / "a.c").write_text(text)
    options = PreprocessOptions(flags=("-isystem", str(folder / "inc")))
    return read_translation_unit(str(folder / "a.c"), options)


def test_a_file_knows_nothing_of_one_with_the_same_headers(tmp_path: Path) -> None:
    """The headers are parsed once for both."""
    header = "typedef double word;\nint of(int x) { return x; }\n"
    first = from_system(tmp_path, header, "#include <h.h>\ntypedef int cell; word w; cell c;\n")
    second = from_system(
        tmp_path, header, "#include <h.h>\nint cell; int f(int word) { return (cell) - word; }\n"
    )
    assert first.status == second.status == "ok" and not second.diagnostics
    assert isinstance(second.ast.ext[-1].body.block_items[0].expr, c_ast.BinaryOp)
    assert first.ast.ext[0] is second.ast.ext[0]


def test_a_header_with_directives_is_the_same_whenever_it_is_read(tmp_path: Path) -> None:
    inside = "#pragma omp parallel firstprivate(k)\n{ k = 0; }\n"
    header = f"static inline int f(int k) {{\n{inside}return k; }}\n"
    read = [from_system(tmp_path, header, f"#include <h.h>\nint v = {n};\n") for n in range(3)]
    assert [len(nodes(unit.ast, (c_ast.If,))) for unit in read] == [1, 1, 1]


def test_a_header_that_ends_in_the_middle_of_a_declaration(tmp_path: Path) -> None:
    unit = from_system(tmp_path, "static const int t[] = {\n", "#include <h.h>\n1, 2 };\nint v;\n")
    assert unit.status == "ok" and [item.name for item in unit.ast.ext] == ["t", "v"]
