"""What somebody runs into who uses skeletons, tuning and Makefiles for the first time: said, and in time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from models.descriptors import read_descriptor
from skeletons import Library, SkeletonError
from skeletons.program.template_check import template_mistakes
from tests.cuvier.commands.test_cli_commands import PROGRAM, Cuvier, cuvier  # noqa: F401  (a fixture)

needs_make = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("make")), reason="needs gcc and make"
)
DESCRIPTOR = """name: mine
target: openmp
summary: for a test
species: "* -> *"
priority: 99
parameters: {width: {default: 4, range: [1, 8]}}
templates: {host: mine.j2}
"""
TEMPLATE = "{% from 'help.j2' import line %}\n{{ line(host.name, p.width) }}\n{{ host.loop }}\n"
HELP = "{% macro line(name, width) %}\n/* {{ name }} {{ width }} */\n{% endmacro %}\n"


def write(folder: Path, descriptor: str = DESCRIPTOR, template: str = TEMPLATE, helper: str = HELP) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.yaml").write_text(descriptor)
    (folder / "mine.j2").write_text(template)
    (folder / "help.j2").write_text(helper)
    return folder


# --- cuvier skeletons check ---


def test_templates_without_a_mistake(cuvier: Cuvier) -> None:  # noqa: F811
    write(Path("mine/openmp"))
    done = cuvier("skeletons", "check", "mine")
    assert (done.status, done.out) == (0, "1 descriptors are well-formed.\n")


@pytest.mark.parametrize(
    ("template", "helper", "line", "words"),
    [
        ("\n{{ loop_text }}", HELP, "mine.j2:2", "'loop_text' is undefined; there are asked, clauses,"),
        ("{{ host.lop }}", HELP, "mine.j2:1", "'host' has no 'lop'; it has asks, at, conditions, indent"),
        ("{{ p.widht }}", HELP, "mine.j2:1", "'p' has no 'widht'; it has"),
        ("{{ kernel.body }}", HELP, "mine.j2:1", "'kernel' is undefined"),
        ("{{ host.loop | blok(3) }}", HELP, "mine.j2:1", "No filter named 'blok'"),
        ("\n{% from 'hepl.j2' import line %}", HELP, "mine.j2:2", "no template 'hepl.j2'"),
        ("{% from 'help.j2' import lines %}", HELP, "mine.j2:1", "'help.j2' has no macro 'lines'"),
        (TEMPLATE, "{% macro line(a, b) %}{{ host.name }}{% endmacro %}", "help.j2:1", "without context"),
        ("{% include 'help.j2' %}", "{{ host.nam }}", "help.j2:1", "'host' has no 'nam'"),
    ],
)
def test_names_in_templates(
    template: str,
    helper: str,
    line: str,
    words: str,
    cuvier: Cuvier,  # noqa: F811
) -> None:
    write(Path("mine/openmp"), template=template, helper=helper)
    done = cuvier("skeletons", "check", "mine")
    assert done.status == 2
    assert f"openmp/{line}:1: error: " in done.err and words in done.err


@pytest.mark.parametrize(
    "template",
    [
        "{% if p.block_y is defined %}{{ p.block_y }}{% endif %}{{ p.nothing | default(3) }}",
        "{% for host in clauses %}{{ host.anything }}{% endfor %}",
        "{% if host.kept %}{% set more = 1 %}{% endif %}{{ more }}",
        "{% macro own(kernel) %}{{ kernel.whatever }}{% endmacro %}{{ own(host) }}",
    ],
)
def test_what_is_no_mistake(template: str, tmp_path: Path) -> None:
    write(tmp_path / "openmp", template=template)
    library = Library.load([tmp_path])
    (mine,) = (skeleton for skeleton in library.all_skeletons if skeleton.name == "mine")
    assert template_mistakes(mine, library) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["c", "cuda", "opencl", "openmp"])
def test_shipped_templates_have_no_mistakes(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_relative_to", lambda *_: False)  # else they are left alone
    library = Library.load()
    for skeleton in library.skeletons(target):
        assert template_mistakes(skeleton, library) == []


def test_folders_and_names_of_skeletons(tmp_path: Path) -> None:
    write(tmp_path / "wrong" / "opencl")
    with pytest.raises(
        SkeletonError, match=r"mine\.yaml:2:9: the target is 'openmp', but the folder is 'opencl'"
    ):
        Library.load([tmp_path / "wrong"])
    twice = write(tmp_path / "twice" / "openmp")
    shutil.copy(twice / "mine.yaml", twice / "other.yaml")
    with pytest.raises(
        SkeletonError, match=r"other\.yaml:1:7: mine\.yaml describes a skeleton 'mine' already"
    ):
        Library.load([tmp_path / "twice"])


def test_one_level_too_deep(cuvier: Cuvier) -> None:  # noqa: F811
    write(Path("mine/openmp"))
    Path("p.c").write_text(PROGRAM)
    Path("empty").mkdir()
    words = ["compile", "p.c", "--target", "openmp", "-o", "out", "--skeletons"]
    assert cuvier(*words, "mine").status == 0
    for command in ([*words, "mine/openmp"], ["skeletons", "check", "mine/openmp"]):
        done = cuvier(*command)
        assert done.status == 2
        assert re.search(
            r"no descriptors \(<target>/\*\.yaml\) .*did you mean its parent, '.*/mine'\?", done.err
        )
    done = cuvier(*words, "empty")
    assert done.status == 2 and "parent" not in done.err


# --- names of transformations ---


def test_transformations_are_no_skeletons(cuvier: Cuvier) -> None:  # noqa: F811
    Path("p.c").write_text(PROGRAM)
    for command in (
        ["skeletons", "show", "distribute"],
        ["skeletons", "show", "library", "--target", "openmp"],
        ["compile", "p.c", "--target", "openmp", "-o", "out", "--skeleton", "contract"],
    ):
        done = cuvier(*command)
        assert done.status == 2
        assert "docs/transformations.md" in done.err and "--with" in done.err
    assert "no skeleton 'distribut'; there are" in cuvier("skeletons", "show", "distribut").err


# --- tuning, numbers, Makefiles, device code ---


def test_results_that_cannot_be_written_are_noticed_first(cuvier: Cuvier) -> None:  # noqa: F811
    Path("p.c").write_text("no C at all")
    Path("file").write_text("x")
    done = cuvier("tune", "p.c", "--target", "openmp", "--output", "file/tuned.json")
    assert done.status == 2
    assert "cannot write 'file/tuned.json'" in done.err
    done = cuvier("tune", "p.c", "--target", "openmp", "--output", "new/tuned.json")
    assert done.status == 2 and "cannot write" not in done.err
    assert not list(Path("new").iterdir())


@pytest.mark.parametrize(
    ("number", "hint"), [("5e-7", "5.0e-7"), ("1e9", "1.0e+9"), ("1.5e9", "1.5e+9"), ("fast", "")]
)
def test_numbers_that_yaml_takes_for_texts(number: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(DESCRIPTOR.replace("priority: 99", f"priority: 99\ncost: {{efficiency: {number}}}"))
    with pytest.raises(SkeletonError) as caught:
        read_descriptor(path, "skeletons/catalogue/descriptor.schema.json")
    assert f"'{number}' is not of type 'number'" in str(caught.value)
    assert ("only with a point and a sign" in str(caught.value)) == bool(hint)
    assert str(caught.value).endswith(hint)


@needs_make
@pytest.mark.parametrize("target", ["openmp", "c", "opencl"])
def test_files_without_main_become_objects(target: str, cuvier: Cuvier) -> None:  # noqa: F811
    if target == "opencl" and not Path("/usr/include/CL/cl.h").exists():
        pytest.skip("no OpenCL headers")
    Path("part.c").write_text("double a[500]; void f(void) { for (int i = 0; i < 500; i++) a[i] = i; }\n")
    assert cuvier("compile", "part.c", "--target", target, "-o", "out").status == 0
    subprocess.run(["make", "-s", "-C", "out", "CFLAGS=-O1"], check=True)
    made = {file.name for file in Path("out").glob("*.o")}
    assert made == ({"part.o", "part_kernels.o"} if target == "opencl" else {"part.o"})
    subprocess.run(["make", "-s", "-C", "out", "clean"], check=True)
    assert not list(Path("out").glob("*.o"))


@pytest.mark.skipif(not list(Path("/etc/OpenCL/vendors").glob("*.icd")), reason="needs an OpenCL device")
def test_device_code_that_does_not_build_is_no_difference(cuvier: Cuvier) -> None:  # noqa: F811
    folder = Path("mine/opencl")
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(
        "name: mine\ntarget: opencl\nsummary: broken\nspecies: '* -> *'\npriority: 99\n"
        "parameters: {width: {default: 64, range: [1, 256]}, block_x: {default: 8, range: [1, 64]},"
        " block_y: {default: 8, range: [1, 64]}}\n"
        "templates: {host: call.host.j2, device: mine.j2, launch: default.launch.j2}\n"
    )
    (folder / "mine.j2").write_text("__kernel void {{ kernel.name }}_device(void) { nonsense }\n")
    Path("p.c").write_text(PROGRAM)
    words = ["verify", "p.c", "--target", "opencl", "--skeletons", "mine", "--skeleton", "mine"]
    done = cuvier(*words)
    assert done.status == 2, done.out + done.err
    assert "the device code of the generated program does not build" in done.err
    assert os.linesep not in done.err.strip()


@pytest.mark.parametrize(
    ("launch", "parameters", "missing"),
    [
        ("default.launch.j2", "block_x: {default: 8, range: [1, 9]}", {"width", "block_y"}),
        ("default.launch.j2", "width: {default: 8, range: [1, 9]}", {"block_x", "block_y"}),
        ("mine.j2", "width: {default: 8, range: [1, 9]}", {"block_x", "block_y"}),
        ("other.j2", "width: {default: 8, range: [1, 9]}", {"step"}),
    ],
)
def test_parameters_that_templates_read(
    launch: str,
    parameters: str,
    missing: set[str],
    cuvier: Cuvier,  # noqa: F811
) -> None:
    _write_cuda(launch, parameters)
    done = cuvier("skeletons", "check", "mine")
    assert done.status == 2
    assert all("mine/cuda/" in line and ":1: error: " in line for line in done.err.splitlines())
    assert {word for word in missing if f"has no parameter '{word}'" in done.err} == missing
    assert done.err.count("has no parameter") == len(missing)


def test_parameters_for_kernels_of_one_loop(cuvier: Cuvier) -> None:  # noqa: F811
    _write_cuda("default.launch.j2", "width: {default: 8, range: [1, 9]}", "{base_loops: [1, 1]}")
    assert cuvier("skeletons", "check", "mine").status == 0


def test_compile_names_the_descriptor_that_lacks_a_parameter(cuvier: Cuvier) -> None:  # noqa: F811
    _write_cuda("default.launch.j2", "block_x: {default: 8, range: [1, 9]}")
    Path("app.c").write_text("double x[9]; void f(void) { for (int i = 0; i < 9; i++) x[i] = i; }\n")
    done = cuvier("compile", "app.c", "--target", "cuda", "--skeletons", "mine", "-o", "out")
    assert done.status == 2
    assert done.err.startswith("mine/cuda/mine.yaml:1:1: error: there is no parameter 'width'")
    assert "launch.j2" in done.err


def _write_cuda(launch: str, parameters: str, requires: str = "{}") -> None:
    """A skeleton for CUDA that consists of the shipped templates, but for perhaps the launch."""
    folder = Path("mine/cuda")
    folder.mkdir(parents=True)
    (folder / "mine.j2").write_text(
        "{% from 'launch.j2' import launch %}{{ launch(kernel, p, keeps=keeps) }}"
    )
    (folder / "other.j2").write_text("{{ p.step }}{% if p.least is defined %}{{ p.least }}{% endif %}")
    (folder / "mine.yaml").write_text(
        f"""name: mine
target: cuda
summary: one thread per iteration
species: "* -> *"
priority: 500
requires: {requires}
parameters:
  {parameters}
templates:
  host: call.host.j2
  device: default.device.j2
  launch: {launch}
"""
    )
