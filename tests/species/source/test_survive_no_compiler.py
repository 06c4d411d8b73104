"""A machine without a C compiler: what the preprocessor in Python and our headers make of a file."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from cuvier.pipeline.driver import annotate_file
from species import analyse
from species.annotate import AnnotateOptions, strip
from species.facts.loops import Verdict
from species.source import PreprocessOptions, SourceError, TranslationUnit, read_translation_unit, tokenize
from species.source.preprocess.pure import HEADERS

NONE = PreprocessOptions(cc="none")
_NAMES = sorted(str(path.relative_to(HEADERS)) for path in Path(HEADERS).rglob("*.h"))
PROGRAM = """#include <stdio.h>
#include <math.h>
/* a comment
   of two lines */
#include "own.h"
#define N 100
#define SET(i) \\
  a[i] = sqrt(b[i])
static double a[N], b[N]; const char *file = __FILE__;

int main(void)
{
  for (int i = 0; i < N; i++) /* here */
    SET(i);










  _Pragma("omp parallel for") for (int i = 0; i < N; i++)
    b[i] = TWICE(i) +
      M_PI;
#if defined(FOO) && FOO > 3
  for (;;);
#elif FOO == 3
  for (int i = 0; i < FOO; i++) b[i] = 0;
#endif
  printf("%f\\n", a[0]);
  return 0;
}
"""


def program(folder: Path) -> str:
    (folder / "inc").mkdir()
    (folder / "inc" / "own.h").write_text("#pragma once\n#define TWICE(x) (2 * (x))\nint own(void);\n")
    (folder / "p.c").write_text(PROGRAM)
    return str(folder / "p.c")


def options(folder: Path, cc: str | None) -> PreprocessOptions:
    return PreprocessOptions((str(folder / "inc"),), ("FOO=3",), cc)


def places(unit: TranslationUnit) -> list[tuple[int, int, Verdict]]:
    return [(loop.position.line, loop.position.column, loop.verdict) for loop in analyse(unit).loops]


def own_words(unit: TranslationUnit) -> list[str]:
    """The tokens of the user's files."""
    text, user = [], False
    for line in unit.preprocessed.splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            user = marker[1] in unit.sources
        elif user and not line.startswith("#"):
            text.append(line)
    return [token.text for token in tokenize("\n".join(text))]


def test_as_with_a_compiler(tmp_path: Path) -> None:
    path = program(tmp_path)
    ours, theirs = (read_translation_unit(path, options(tmp_path, cc)) for cc in ("none", None))
    assert (ours.status, ours.diagnostics) == ("ok", ())
    assert places(ours) == places(theirs)
    assert len(places(ours)) == 3
    assert list(ours.sources) == list(theirs.sources)
    assert ours.pragmas == theirs.pragmas
    assert own_words(ours) == own_words(theirs)
    for name in ("N", "SET", "FOO", "TWICE"):
        one, other = (unit.macros.definition(name, 99) for unit in (ours, theirs))
        assert one and other and (one.params, one.body, one.user) == (other.params, other.body, other.user)


def test_spans_are_exact(tmp_path: Path) -> None:
    path, text = Path(program(tmp_path)), PROGRAM.replace('_Pragma("omp parallel for")', "")
    path.write_text(text)
    after = annotate_file(path, options(tmp_path, "none"), AnnotateOptions(style="openmp")).after
    assert after is not None and after.count("#pragma omp parallel for") == 3
    assert strip(after) == text


@pytest.mark.parametrize("name", _NAMES)
def test_our_headers_parse(name: str) -> None:
    unit = read_translation_unit("t.c", NONE, text=f"#include <{name}>\n#include <{name}>\nint last;\n")
    assert (unit.diagnostics, unit.ast.ext[-1].name) == ((), "last")
    assert not any(unit.is_user_file(unit.position(n.coord).file) for n in unit.ast.ext[:-1])


def test_our_headers_agree_with_each_other() -> None:
    for some in itertools.pairwise(_NAMES):
        text = "".join(f"#include <{name}>\n" for name in (*some, *_NAMES))
        assert read_translation_unit("t.c", NONE, text=text).diagnostics == ()


def test_known_functions_are_known() -> None:
    text = """#include <math.h>
        #include <assert.h>
        #include <stdlib.h>
        #include <string.h>
        double a[100]; void f(double *p) {
        for (int i = 0; i < 100; i++) { assert(i < 99); a[i] = sqrt(a[i]) + fabsf(3) + abs(i) + strlen("x"); }
        for (int i = 0; i < 100; i++) a[i] = rand(); }"""
    unit = read_translation_unit("t.c", NONE, text=text.replace("        #", "#"))
    assert [loop.verdict for loop in analyse(unit).loops] == [Verdict.PARALLEL, Verdict.SERIAL]


def test_flags(tmp_path: Path) -> None:
    (tmp_path / "first.h").write_text("#define FIRST 1\n")
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys" / "their.h").write_text("int theirs;\n")
    flags = ("-include", str(tmp_path / "first.h"), f"-isystem{tmp_path}/sys", "-UB", "-O2", "-Wall")
    text = "#include <their.h>\nint a = FIRST;\n#ifdef B\nbad\n#endif\nlong v = __STDC_VERSION__;\n"
    unit = read_translation_unit(
        str(tmp_path / "a.c"), PreprocessOptions((), ("A",), "none", "c99", flags), text=text
    )
    assert unit.status == "ok"
    assert [n.name for n in unit.ast.ext] == ["theirs", "a", "v"]
    assert [n.init.value for n in unit.ast.ext[1:]] == ["1", "199901L"]
    assert [unit.position(n.coord).line for n in unit.ast.ext[1:]] == [2, 6]
    assert not unit.is_user_file(str(tmp_path / "sys" / "their.h"))


def test_missing_headers_and_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        'int x;\n#include "none.h"\nthing_t y;\nvoid f(int *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n'
    )
    with pytest.raises(SourceError, match=r"none.h: No such file.*-I DIR"):
        read_translation_unit(str(path), NONE)
    unit = read_translation_unit(str(path), PreprocessOptions(cc="none", forgiving=True))
    assert [(d.code, d.position.line) for d in unit.diagnostics] == [("CV009", 2)]
    assert len(analyse(unit).loops) == 1
    with pytest.raises(SourceError, match=r"#error no") as caught:
        read_translation_unit("e.c", NONE, text="int x;\n#error no\n")
    assert caught.value.diagnostic.position.line == 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "int x;", "#define A", "int x;\r\nint y;\r\n", "\ufeffint x;", '"']
)
def test_odd_files(text: str) -> None:
    try:
        read_translation_unit("t.c", NONE, text=text)
    except SourceError as error:
        assert error.diagnostic.code == "CV004"
