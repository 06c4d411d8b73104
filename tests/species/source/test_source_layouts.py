"""Property test: on random layouts, every loop keyword is found where it stands."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pycparser import c_ast

from species.source import PreprocessOptions, TranslationUnit, read_translation_unit

MACROS = """#define N 10
#define ID(x) (x)
#define TWICE(x) x; x
#define EACH(i) for (i = 0; i < N; i++)
#define LOOP while
#define NOTHING
"""
SPACE = st.sampled_from(
    [" ", "  ", "\t", "\n", "\n\n", " /* for (;;) */ ", "/* while\n for */", " // do\n", " \\\n "]
)
FOR = "for ( i = N ; i > ID ( 3 ) ; i -- )"
STATEMENTS = st.recursive(
    st.sampled_from(
        [
            "n ++ ;",
            "TWICE ( n -- ) ;",
            "NOTHING ;",
            "n = ID ( ID ( n ) + N ) ;",
            's = "for" ;',
            "TWICE ( NOTHING ) ;",
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([FOR, "while ( n )", "EACH ( i )", "LOOP ( n )", "if ( n )"]), inner).map(
            " ".join
        ),
        inner.map(lambda body: f"do {{ {body} }} while ( n ) ;"),
        st.lists(inner, max_size=3).map(lambda body: f"{{ {' '.join(body)} }}"),
        st.tuples(inner, inner).map(lambda pair: f"if ( n ) {{ {pair[0]} }} else {pair[1]}"),
        inner.map(lambda body: f"TWICE ( {body} )" if "{" not in body else body),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=4), data=st.data())
def test_loops_stand_where_they_are_said_to(statements: list[str], data: st.DataObject) -> None:
    words = " ".join(statements).split(" ")
    text = MACROS + "void f(int n, int i, char *s) {\n" + "".join(w + data.draw(SPACE) for w in words) + "}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(text)
        unit = read_translation_unit(str(path), PreprocessOptions())
    assert unit.status == "ok"
    literal = [token for token in words if token in ("for", "while", "do")]
    found = [check(unit, node) for node in loops(unit.ast)]
    assert sum(found) <= len(literal)
    if not any(name in words for name in ("TWICE", "EACH", "LOOP")):
        assert sum(found) == len(found) == len(literal) - words.count("do")


def loops(node: c_ast.Node) -> list[c_ast.Node]:
    found = [node] if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile) else []
    return found + [loop for _, child in node.children() for loop in loops(child)]


def check(unit: TranslationUnit, node: c_ast.Node) -> bool:
    """Compare a loop's place and spans with the text; tell whether it stands there itself."""
    text = unit.source.text
    position, spans = unit.loop_position(node), unit.loop_spans(node)
    at = unit.source.offset(position.line, position.column)
    keyword = {c_ast.For: "for", c_ast.While: "while", c_ast.DoWhile: "do"}[type(node)]
    if spans is None:
        # where several macro uses may have made it, the first of them is named
        assert text.startswith((keyword, "TWICE", "EACH", "LOOP", "NOTHING", "ID", "N"), at)
        return False
    assert spans.whole.start == at and text.startswith(keyword, at)
    assert spans.whole.of(text).endswith((";", "}", ")"))
    return True
