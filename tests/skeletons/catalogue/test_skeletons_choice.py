"""Which skeleton a kernel gets, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skeletons import Choice, CompileOptions, Library, Program, compile_unit
from skeletons.catalogue.patterns import parse_pattern
from species.facts.loops import LoopFacts
from species.grammar import parse_species
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.support.skeleton_facts import array, loop_facts, scalar, unit_facts, unit_of
from transfers import around_kernels

STENCIL = """double a[100000], b[100000];
void f(int n) {
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}
"""


@pytest.mark.parametrize(
    ("pattern", "species", "takes"),
    [
        ("* -> *", "void -> a[0:9]|element", True),
        ("void -> *", "void -> a[0:9]|element", True),
        ("void -> *", "b[0:9]|full -> a[0:9]|element", False),
        ("element -> element", "b[0:9]|element ^ c[0:9]|element -> a[0:9]|element", False),
        ("element ^ * -> element", "c[0:9]|full ^ b[0:9]|element -> a[0:9]|element", True),
        ("full ^ element -> any", "b[0:9]|element ^ c[0:9]|full -> a[0:9]|shared", True),
        ("[*]|neighbourhood(*) -> *", "b[0:9]|neighbourhood(-1:1) -> a[0:9]|element", True),
        ("[*]|any -> *", "b[0:9,0:9]|element -> a[0:9]|element", False),
        ("neighbourhood(*,*) -> *", "b[0:9]|neighbourhood(-1:1) -> a[0:9]|element", False),
        ("chunk(-,*) -> *", "b[0:9,0:9]|chunk(-,0:9) -> a[0:9]|element", True),
        ("chunk(-,-) -> *", "b[0:9,0:9]|chunk(-,0:9) -> a[0:9]|element", False),
        ("* -> shared", "b[0:9]|element -> s[0:0]|shared(+)", True),
        ("* -> shared(+)", "b[0:9]|element -> s[0:0]|shared(+)", True),
        ("* -> shared(+)", "b[0:9]|element -> s[0:0]|shared(min)", False),
        ("* -> shared(+)", "b[0:9]|element -> s[0:0]|shared", False),
        ("* -> shared(^) ^ [*]|shared( || )", "void -> s[0:0]|shared(||) ^ t[0:0]|shared(^)", True),
        ("* -> shared(*)", "void -> s[0:0]|shared(*)", True),
        ("* -> shared(max) ^ *", "void -> s[0:0]|shared(max) ^ a[0:9]|element", True),
    ],
)
def test_patterns(pattern: str, species: str, takes: bool) -> None:
    assert parse_pattern(pattern).matches(parse_species(species)) is takes


def stencil(unit: TranslationUnit, conditions: tuple[str, ...] = (), species: bool = True) -> LoopFacts:
    arrays = [array("a", "100000", reads="0:n - 1"), array("b", "100000", writes="1:n - 2")]
    text = "a[0:n-1]|neighbourhood(-1:1) -> b[1:n-2]|element"
    parsed = parse_species(text) if species else None
    return loop_facts(unit, 0, ["n - 2"], arrays, [scalar("n")], parsed, conditions)


def compiled(unit: TranslationUnit, facts: LoopFacts, target: str) -> Program:
    stated = unit_facts(unit, facts)
    return compile_unit(unit, stated, around_kernels(stated), target, Library.load(), CompileOptions())


def choice(unit: TranslationUnit, facts: LoopFacts, target: str = "cuda") -> Choice:
    return compiled(unit, facts, target).choices[0]


def reasons(found: Choice) -> dict[str, str]:
    return {name: text for name, _, text in found.why}


def test_the_most_special_skeleton_wins_and_all_are_explained(tmp_path: Path) -> None:
    unit = unit_of(tmp_path / "p.c", STENCIL)
    found = choice(unit, stencil(unit), "opencl")
    assert found.skeleton is not None and found.skeleton.name == "neighbourhood-1d"
    assert reasons(found) == {
        **{s.name: reasons(found)[s.name] for s in Library.load().skeletons("opencl") if not s.asked_for},
        "default": "neighbourhood-1d is estimated to be faster",
        "scan": "not applicable",
        "reduction": "no scalar is reduced",
        "neighbourhood-1d": "takes [*]|neighbourhood(*) ^ * -> any ^ *",
    }


def test_a_kernel_without_species_gets_the_default(tmp_path: Path) -> None:
    unit = unit_of(tmp_path / "p.c", STENCIL)
    found = choice(unit, stencil(unit, species=False))
    assert found.skeleton is not None and found.skeleton.name == "default"
    assert reasons(found)["reduction"] == "no scalar is reduced"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("b[i] = a[2 * i] + a[i];", "no array is read with constant offsets only"),
        ("{ int i = 3; b[i] = a[i - 1]; }", "no array is read with constant offsets only"),
        ("b[i] = a[i - 1] + A40;", "no array is read with constant offsets only"),
        ("b[i] = a[i - 1] + a[i + 300];", "a tile would hold more cells than are read from it"),
        (
            "b[i] = a[i - 1] + a[i + 6000];",
            "its tiles take 48520 bytes of fast memory, and a work-group has 32768",
        ),
    ],
)
def test_tiles_need_constant_offsets(tmp_path: Path, body: str, reason: str) -> None:
    text = "#define FORTY a[i + 40]\n#define A40 FORTY\n" + STENCIL
    unit = unit_of(tmp_path / "p.c", text.replace("b[i] = a[i - 1] + a[i + 1];", body))
    found = choice(unit, stencil(unit), "opencl")
    assert found.skeleton is not None and found.skeleton.name == "default"
    assert reasons(found)["neighbourhood-1d"] == reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("b[i] = rand();", "rand() cannot be called on the device"),
        ("{ static int x; b[i] = x; }", "`static` cannot be used on the device"),
        ("b[i] = 1.5L;", "long double does not exist on the device"),
        ("b[i] = 1e-3l;", "long double does not exist on the device"),
        ("b[i] = (long double)a[i] / 3;", "long double does not exist on the device"),
        ("b[i] = a[i] / (double const long)3;", "long double does not exist on the device"),
        ("{ double *p = a; b[i] = p[i]; }", "a pointer is declared in the loop"),
        ("{\n#ifdef X\n#endif\nb[i] = 0; }", "the preprocessor line `#ifdef X` stands inside the loop"),
    ],
)
def test_what_no_device_can_run_stays_on_the_host(tmp_path: Path, body: str, reason: str) -> None:
    text = "#include <stdlib.h>\n" + STENCIL.replace("b[i] = a[i - 1] + a[i + 1];", body)
    unit = unit_of(tmp_path / "p.c", text)
    program = compiled(unit, stencil(unit), "opencl")
    assert program.choices[0].skeleton is None
    assert reasons(program.choices[0])["default"] == reason
    assert program.files["p.c"] == '#include "p_kernels.h"\n' + text


def test_a_loop_under_a_directive_is_left_alone(tmp_path: Path) -> None:
    text = STENCIL.replace("    for", "#pragma omp parallel for\n    for")
    unit = unit_of(tmp_path / "p.c", text)
    program = compiled(unit, replace(stencil(unit), users="the user says"), "c")
    assert program.choices[0].why == (("kernel", False, "the user says"),)
    assert program.files["p.c"] == text


def test_conditions_guard_the_launch(tmp_path: Path) -> None:
    unit = unit_of(tmp_path / "p.c", STENCIL)
    host = compiled(unit, stencil(unit, ("n < 50",)), "opencl").files["p.c"]
    assert "if ((n < 50))\n        p_k1(a, b, n);\n    else {\n        for (int i = 1;" in host
    assert (
        "if((n - 2 > 20000) && (n < 50))" in compiled(unit, stencil(unit, ("n < 50",)), "openmp").files["p.c"]
    )


def test_line_ends_of_the_file_are_kept(tmp_path: Path) -> None:
    text = STENCIL.replace("\n", "\r\n").replace("i++)\r\n", "i++)\n")
    path = tmp_path / "p.c"
    path.write_bytes(text.encode())
    unit = read_translation_unit(str(path), PreprocessOptions())
    host = compiled(unit, stencil(unit), "openmp").files["p.c"]
    assert host == text.replace("    for", "    #pragma omp parallel for if(n - 2 > 20000)\r\n    for")
    assert compiled(unit, stencil(unit), "cuda").files["p.c"].startswith('#include "p_kernels.h"\r\n')


@pytest.mark.parametrize("target", ["c", "openmp", "opencl", "cuda"])
def test_a_file_without_kernels_is_still_a_program(tmp_path: Path, target: str) -> None:
    unit = unit_of(tmp_path / "p.c", STENCIL)
    program = compile_unit(unit, unit_facts(unit), {}, target, Library.load(), CompileOptions())
    assert program.choices == () and program.files["p.c"].endswith(STENCIL)
    assert "device_source" not in program.files.get("p_kernels.c", "")
