"""compile_commands.json: which flags count, per file, and what is done where it does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuvier.base.errors import UserError
from cuvier.base.files import Input
from cuvier.batch import compile_commands
from cuvier.batch.flags import read_command
from cuvier.batch.job import Job
from cuvier.batch.planning import planned
from species.analysis.options import DEFAULTS
from species.source import PreprocessOptions
from tests.support.batch_trees import cuvier


def flags(command: str, file: str = "a.c") -> tuple[str, ...]:
    return read_command(command.split(), file, lambda name: f"/b/{name}").flags


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("gcc -Iinc -I inc2 -DA -D B=1 -UC a.c", ("-I/b/inc", "-I/b/inc2", "-DA", "-DB=1", "-UC")),
        (
            "cc -isystem s -iquote q -idirafterd --sysroot=r a.c",
            ("-isystem/b/s", "-iquote/b/q", "-idirafter/b/d", "--sysroot=/b/r"),
        ),
        ("cc -O2 -g -Wall -c -o -Dout -MD -MF x.d -MT y -Llib -lm -Xlinker -Dz a.c", ()),
        ("cc -Wp,-MMD,x.d,-DK -Xpreprocessor -DL a.c", ("-DK", "-DL")),
        ("cc -fopenmp -fPIC -fstack-protector -flto -fsanitize=address a.c", ("-fopenmp", "-fPIC")),
        ("cc -include config.h a.c", ("-include", "config.h")),
        ("cl.exe /nologo /Iinc /D X /FIpre.h /W4 a.c", ("-I/b/inc", "-DX", "-include", "pre.h")),
        ("cc -I", ()),
        ("", ()),
    ],
)
def test_flags_that_say_what_the_text_is_are_kept_in_their_order(command: str, kept: tuple[str, ...]) -> None:
    assert flags(command) == kept


@pytest.mark.parametrize(
    ("command", "file", "language"),
    [
        ("gcc -c a.c", "a.c", "c"),
        ("ccache gcc -c a.c", "a.c", "c"),
        ("CCACHE_DIR=/x env gcc a.c", "a.c", "c"),
        ("gcc -xc a.def", "a.def", "c"),
        ("gcc -x c++ a.c", "a.c", "c++"),
        ("g++-12 a.c", "a.c", "c++"),
        ("clang++ -x c a.c", "a.c", "c"),
        ("gcc a.S", "a.S", "assembler"),
    ],
)
def test_the_language_of_a_command(command: str, file: str, language: str) -> None:
    assert read_command(command.split(), file, str).language == language


def test_what_a_command_says_beyond_the_text() -> None:
    said = read_command(
        ["arm-gcc", "-std=c99", "-ansi", "-std=gnu17", "-mcpu=m4", "-fno-strict-aliasing", "a.c"], "a.c", str
    )
    assert (said.compiler, said.std, said.machine, said.strict_aliasing) == (
        "arm-gcc",
        "gnu17",
        ("-mcpu=m4",),
        False,
    )
    assert read_command(["cc", "-fno-strict-aliasing", "-fstrict-aliasing"], "a.c", str).strict_aliasing
    assert read_command(["cc", "-fshort-enums"], "a.c", str).refused == "-fshort-enums"
    assert not read_command(["cc", "-fshort-enums"], "a.c", str, frozenset(["-fshort-enums"])).refused
    assert PreprocessOptions(flags=flags("cc -fwrapv a.c")).wraps_around
    assert not PreprocessOptions(flags=flags("cc -fwrapv -fno-wrapv a.c")).wraps_around


def written(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return path


def test_both_forms_directories_and_response_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "flags.rsp").write_text("-DR='x y' @more.rsp -Igen")
    (tmp_path / "build" / "more.rsp").write_text("-DM")
    build = compile_commands.read(
        written(
            tmp_path,
            {"directory": "build", "file": "../a.c", "command": "cc -I.. -D'S=\"s\"' -c ../a.c"},
            {
                "directory": str(tmp_path / "build"),
                "file": "../b.c",
                "arguments": ["cc", "@flags.rsp", "../b.c"],
            },
            {"directory": "build", "file": "../b.c", "arguments": ["cc", "-DSECOND", "../b.c"]},
            {"directory": "build", "file": "../c.cpp", "command": "c++ ../c.cpp"},
        )
    )
    a, b = build.command(Path("a.c")), build.command(tmp_path / "b.c")
    assert a is not None and a.flags == ("-I.", '-DS="s"')
    assert b is not None and b.flags == ("-DR=x y", "-DM", "-Ibuild/gen")
    assert [each.flags for each in build.others(Path("b.c"))] == [("-DSECOND",)]
    assert build.command(Path("other.c")) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "compile_commands.json:1:2: error: not JSON"),
        ("{}", "is not a list"),
        ("[{}]", "entry 1 has no 'file'"),
        ('[{"file": "a.c"}]', "neither 'arguments' nor 'command'"),
        ('[{"file": "a.c", "command": "cc \'a.c"}]', "cannot be split"),
    ],
)
def test_what_is_no_build(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(UserError) as caught:
        compile_commands.read(tmp_path)
    assert message in str(caught.value)


def test_the_nearest_build_is_found(tmp_path: Path) -> None:
    deep = tmp_path / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "build").mkdir()
    path = written(tmp_path / "build")
    assert compile_commands.find(deep) == path
    assert compile_commands.find(written(deep).parent) == deep / "compile_commands.json"


def plan(folder: Path, *entries: dict[str, Any]) -> tuple[list[Job], list[str]]:
    build = compile_commands.read(written(folder, *entries))
    inputs = [Input(path, Path(path.name)) for path in sorted(folder.glob("*.c"))]
    found = planned(inputs, Job("", PreprocessOptions(defines=("OWN",)), DEFAULTS), build)
    return found.jobs, found.warnings


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    for name in ("a.c", "b.c", "c.c", "d.c"):
        (tmp_path / name).touch()
    jobs, warnings = plan(
        tmp_path,
        {"file": "a.c", "arguments": ["no-such-cc", "-m32", "-DA", "a.c"]},
        {"file": "b.c", "arguments": ["cc", "-DB", "b.c"]},
        {"file": "b.c", "arguments": ["cc", "-DC", "b.c"]},
        {"file": "c.c", "arguments": ["g++", "c.c"]},
    )
    assert [Path(job.path).name for job in jobs] == ["a.c", "b.c", "d.c"]
    assert jobs[0].preprocess == PreprocessOptions(defines=("OWN",), flags=("-DA",))
    assert jobs[1].preprocess.flags == ("-DB",) and jobs[1].preprocess.cc == "cc"
    for part in (
        "d.c is not in it",
        "b.c is compiled in several ways",
        "c.c is compiled as another",
        "no-such-cc",
    ):
        assert any(part in each for each in warnings), part


def test_types_of_other_sizes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    jobs, _ = plan(tmp_path, {"file": "a.c", "arguments": ["cc", "-fshort-enums", "a.c"]})
    assert "-fshort-enums" in jobs[0].refused


def test_a_build_is_used_unasked_and_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define N 10\n")
    text = '#include "size.h"\nint a[N];\nvoid f(void) { for (int i = 0; i < N + K; i++) a[i] = i; }\n'
    (tmp_path / "a.c").write_text(text)
    written(tmp_path, {"directory": ".", "file": "a.c", "command": "cc -Iinc -DK=0 -c a.c"})
    for options, species in (((), "a[0:9]|element"), (("-DK=-1",), "a[0:8]|element")):
        done = cuvier(tmp_path, "report", *options, "a.c")
        assert done.returncode == 0, done.stderr
        assert species in done.stdout


WAYS = """#ifdef SHIFT
#define AT(i) ((i) + 1)
#else
#define AT(i) (i)
#endif
int a[101];
void f(void) {
  for (int i = 0; i < 100; i++)
    a[i] = a[AT(i)] + 1;
}
void g(void) {
  for (int i = 0; i < 100; i++)
    a[i] = i;
}
"""


def in_several_ways(folder: Path, *ways: str) -> None:
    (folder / "a.c").write_text(WAYS)
    written(folder, *({"file": "a.c", "arguments": ["cc", *way.split(), "a.c"]} for way in ways))


@pytest.mark.parametrize("style", ["openmp", "species"])
def test_what_is_marked_is_parallel_in_all_ways_of_compiling_a_file(tmp_path: Path, style: str) -> None:
    in_several_ways(tmp_path, "-DX", "-DSHIFT")
    done = cuvier(tmp_path, "annotate", "--all", "--in-place", "--style", style, ".")
    marked = [line for line in (tmp_path / "a.c").read_text().splitlines() if "cuvier" in line]
    assert (done.returncode, len(marked)) == (0, {"openmp": 1, "species": 2}[style])
    assert (
        "a.c:8:3: note: parallel, but not marked: the build compiles the file in another way" in done.stderr
    )
    assert "-> a[0:99]|element" in marked[0] or "#pragma omp parallel for" in marked[0]
    assert (tmp_path / "a.c").read_text().index(marked[0]) > WAYS.index("void g")


def test_ways_that_give_one_text_are_one(tmp_path: Path) -> None:
    in_several_ways(tmp_path, "-DX", "-fPIC -DPIC")
    assert cuvier(tmp_path, "annotate", "--all", "--style", "openmp", ".").stdout.count("parallel for") == 2


def test_a_change_of_another_way_counts(tmp_path: Path) -> None:
    in_several_ways(tmp_path, "-DX", "-include first.h")
    for text, expected in (("", 2), ("#define SHIFT\n", 1)):
        (tmp_path / "first.h").write_text(text)
        done = cuvier(tmp_path, "annotate", "--all", "--style", "openmp", "--cache-dir", "cache", ".")
        assert done.stdout.count("parallel for") == expected


def test_a_way_that_is_refused_refuses_the_file(tmp_path: Path) -> None:
    in_several_ways(tmp_path, "-DX", "-fshort-enums")
    assert "-fshort-enums" in cuvier(tmp_path, "annotate", ".").stderr
    assert cuvier(tmp_path, "report", ".").returncode == 0
