"""An error in the analyser that nobody foresaw costs the function in which it happens, and says so."""

from __future__ import annotations

import pytest

from species import analyse
from species.analysis.options import AnalysisOptions
from species.core.positions import Diagnostic, Position
from species.facts.loops import UnitFacts, Verdict
from species.kernels.build import KernelBuilder
from species.loops.defects import STRICT
from species.loops.walk.walker import Walker
from species.source import PreprocessOptions, SourceError, read_translation_unit

TEXT = """double a[100], b[100];
static void set(int i) { a[i] = i; }
void f(void) { for (int i = 0; i < 100; i++) a[i] = b[i]; }
void g(void) { for (int i = 0; i < 100; i++) set(i); }
void h(void) { for (int i = 0; i < 100; i++) b[i] = i; }
"""


def facts_of(text: str) -> UnitFacts:
    return analyse(read_translation_unit("test.c", PreprocessOptions(), text=text))


@pytest.fixture(params=["walked", "described"])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In g, the analyser makes a mistake."""
    built, walked = KernelBuilder.build, Walker.function

    def build(self, model, *rest):  # type: ignore[no-untyped-def]
        return 1 // (model.name != "g") and built(self, model, *rest)

    def function(self, node):  # type: ignore[no-untyped-def]
        return 1 // (node.decl.name != "g") and walked(self, node)

    if request.param == "walked":
        monkeypatch.setattr(Walker, "function", function)
    else:
        monkeypatch.setattr(KernelBuilder, "build", build)


@pytest.mark.usefixtures("broken")
def test_a_defect_costs_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STRICT, "0")
    facts = facts_of(TEXT)
    assert [(loop.function, loop.verdict) for loop in facts.loops] == [
        ("f", Verdict.PARALLEL),
        ("h", Verdict.PARALLEL),
    ]
    assert facts.status == "partial"
    (said,) = facts.diagnostics
    assert said.code == "CV001" and said.position.line == 4
    assert said.message.startswith("internal error in function 'g', which is not analysed: ZeroDivisionError")


@pytest.mark.usefixtures("broken")
def test_tests_see_it() -> None:
    with pytest.raises(ZeroDivisionError):
        facts_of(TEXT)


def test_what_is_meant_for_the_file_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STRICT, "0")
    said = Diagnostic("error", "CV004", "meant for the file", Position("test.c", 1, 1))

    def function(self, node):  # type: ignore[no-untyped-def]
        raise SourceError(said)

    monkeypatch.setattr(Walker, "function", function)
    with pytest.raises(SourceError):
        facts_of(TEXT)


@pytest.mark.parametrize(
    "header", ["i = 0; ; i++", "; i < 9; i++", "i = 0; i < 9;", "; ;", "; ; i++", "i = 0; ;"]
)
def test_headers_without_a_part(header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """libogg's self-test counts with `for (n = 0; ; n++) if (limits[n] == -1) break;`."""
    monkeypatch.setenv(STRICT, "1")
    text = (
        "double a[9];\nint f(const int *limits) { int i = 0;\n"
        f"for ({header}) if (limits[i] == -1) break;\n"
        f"for ({header}) {{ a[i] = 1; if (i == 8) break; }}\n"
        f"for ({header}) a[i] = a[i - 1];\nreturn i; }}\n"
    )
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert analyse(unit, AnalysisOptions(scops=True)).status == "ok"
