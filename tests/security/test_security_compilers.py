"""Nothing that a repository names is run (docs/security.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.batch.compile_commands import read
from cuvier.batch.flags import read_command
from cuvier.batch.trust import LIST, Trust
from species.core.positions import Position
from species.source import PreprocessOptions
from tests.support.hostile_repository import LOOP, Repository, made

HERE = Position("cuvier.toml", 1, 1)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path)


@pytest.mark.parametrize("command", ["annotate", "report", "explain"])
def test_cc_of_settings_is_not_run(repository: Repository, command: str) -> None:
    repository.program("tools/gcc")
    repository.write("cuvier.toml", 'cc = "tools/gcc"\n')
    done = repository.cuvier(command, "app.c:2" if command == "explain" else "app.c")
    if command != "explain":  # which reads no settings
        assert done.returncode == 2
        assert "cuvier.toml:1:1: error: 'cc' is 'tools/gcc', which is not on the list" in done.stderr
        assert LIST in done.stderr and "--trust" in done.stderr
    assert not repository.ran.exists()


@pytest.mark.parametrize(
    "flag", ["-fplugin=./x", "-B.", "-specs=x", "-wrapper=x", "-o", "@x", "-Xclang", "-M"]
)
def test_cc_of_settings_gets_only_flags_that_preprocess(flag: str) -> None:
    with pytest.raises(UserError, match=f"'{flag}' is no flag that 'cc' may have"):
        Trust().checked(f"gcc -DA {flag}", HERE)
    assert Trust(everything=True).checked(f"gcc {flag}", HERE) == f"gcc {flag}"


def test_cc_of_settings_may_be_a_usual_compiler(repository: Repository) -> None:
    repository.write("cuvier.toml", 'cc = "gcc -DN=3 -std=gnu99 -march=native"\n')
    done = repository.cuvier("report", "app.c")
    assert done.returncode == 0 and "parallel" in done.stdout


def test_trust_runs_what_is_named(repository: Repository) -> None:
    program = repository.program("tools/mycc")
    repository.write("cuvier.toml", f'cc = "{program}"\n')
    assert repository.cuvier("report", "app.c", "--trust").returncode == 0
    assert repository.ran.exists()


def test_the_list_of_the_user(repository: Repository, tmp_path: Path) -> None:
    program = repository.program("tools/mycc")
    repository.write("cuvier.toml", f'cc = "{program}"\n')
    assert repository.cuvier("report", "app.c", CUVIER_COMPILERS=f"other {program}").returncode == 0
    (tmp_path / "settings" / "cuvier").mkdir(parents=True)
    (tmp_path / "settings" / "cuvier" / "compilers").write_text(f"# ours\n{program}\n")
    home = str(tmp_path / "settings")
    assert repository.cuvier("report", "app.c", XDG_CONFIG_HOME=home).returncode == 0


def test_what_the_command_line_and_the_environment_name_is_the_users(repository: Repository) -> None:
    program = repository.program("tools/mycc")
    assert repository.cuvier("report", "--cc", str(program), "app.c").returncode == 0
    assert repository.ran.exists()
    repository.ran.unlink()
    assert repository.cuvier("report", "app.c", CC=str(program)).returncode == 0
    assert repository.ran.exists()


def test_doctor_runs_nothing_of_a_repository(repository: Repository) -> None:
    program = repository.program("tools/gcc")
    repository.program("gcc")
    repository.write("cuvier.toml", f'cc = "{program}"\n')
    repository.build({"file": "app.c", "arguments": [str(program), "-c", "app.c"]})
    done = repository.cuvier("doctor", NVCC="no-nvcc")
    assert "which is not on the list of compilers" in done.stdout and "is not run" in done.stdout
    assert not repository.ran.exists()


@pytest.mark.parametrize("name", ["tools/gcc", "./tools/gcc", "{root}/tools/gcc", "{root}/tools/../tools/cc"])
@pytest.mark.parametrize("launcher", [(), ("env", "A=b"), ("ccache",)])
def test_compilers_of_a_build_are_not_run(
    repository: Repository, name: str, launcher: tuple[str, ...]
) -> None:
    named = name.format(root=repository.root)
    build = read(repository.build({"file": "app.c", "arguments": [*launcher, named, "-mx", "-c", "app.c"]}))
    command = build.command(repository.root / "app.c")
    assert command is not None
    options = build.options(command, PreprocessOptions())
    assert options.cc is None and options.flags == () and len(build.unknown) == 1


def test_what_is_said_of_compilers_that_are_not_run(repository: Repository) -> None:
    repository.program("tools/gcc")
    repository.build({"file": "app.c", "arguments": ["tools/gcc", "-c", "app.c"]})
    done = repository.cuvier("report", "app.c")
    assert done.returncode == 0 and "parallel" in done.stdout
    assert "tools/gcc is not on the list of compilers and not run; name it in" in done.stderr
    assert not repository.ran.exists()


def test_launchers_are_not_run(repository: Repository) -> None:
    program = repository.program("ccache")
    repository.build({"file": "app.c", "arguments": [str(program), "gcc", "-c", "app.c"]})
    assert repository.cuvier("report", "app.c").returncode == 0
    assert not repository.ran.exists()


def test_a_link_to_a_compiler_is_not_run(repository: Repository) -> None:
    """It would look for its parts beside the link."""
    (repository.root / "gcc").symlink_to("/usr/bin/gcc")
    assert not Trust().takes(str(repository.root / "gcc"))


def test_a_path_with_relative_entries_makes_no_name_known(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.program("gcc")
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".:{Path('/usr/bin')}")
    assert not Trust().takes("gcc")


@pytest.mark.parametrize("name", ["gcc", "cc", "gcc-12", "clang-17.0.1", "arm-none-eabi-gcc-12", "c99"])
def test_usual_names(name: str) -> None:
    assert Trust().takes(name)


@pytest.mark.parametrize("name", ["sh", "mygcc", "gcc.sh", "gcc -x", "python3", "nvcc", "gcc-wrapper", ""])
def test_other_names(name: str) -> None:
    assert not Trust().takes(name)


@pytest.mark.parametrize(
    "words",
    [
        ["-fplugin=./x.so"],
        ["-fplugin-arg-x-y"],
        ["-B", "."],
        ["-B."],
        ["-specs=x"],
        ["--specs=x"],
        ["-wrapper", "./x"],
        ["-Xpreprocessor", "-fplugin=x"],
        ["-Wp,-fplugin=x,-o,x"],
        ["-Xclang", "-load"],
        ["-mllvm", "-load=x"],
        ["-mllvm=-load=x"],
        ["-mlinker-version=x"],
        ["-o", "x"],
        ["-ox"],
        ["-MD", "-MF", "x"],
        ["-MFx"],
        ["-dumpdir", "x"],
        ["-dumpbase", "x"],
        ["-aux-info", "x"],
        ["-save-temps"],
        ["-fdump-tree-all=x"],
        ["-fcallgraph-info"],
        ["-E"],
        ["--config=x"],
        ["--config", "x"],
        ["-no-canonical-prefixes"],
        ["-ffile-prefix-map=a=b"],
        ["-target", "@x"],
        ["-arch", "@x"],
        ["--target=../x"],
        ["-fmodules-cache-path=x"],
        ["-ftime-trace=x"],
        ["-gsplit-dwarf"],
        ["-pass-exit-codes"],
    ],
)
def test_flags_of_a_build_only_say_how_a_text_is_read(words: list[str]) -> None:
    found = read_command(["gcc", *words, "-DA", "a.c"], "a.c", str)
    assert (*found.flags, *found.machine) == ("-DA",)


def test_flags_that_preprocess_are_kept() -> None:
    words = ["-Ix", "-DA=1", "-UB", "-isystemx", "-iquotex", "-include", "x.h", "-mavx2", "-march=native"]
    found = read_command(["gcc", *words, "-std=c99", "a.c"], "a.c", str)
    assert [*found.flags, *found.machine] == words and found.std == "c99"


def test_names_are_no_files_of_options(repository: Repository) -> None:
    """A compiler reads its arguments from what follows an @."""
    repository.write("options", f"/dev/null -wrapper {repository.program('evil')} /dev/null")
    repository.write("@options")
    repository.write("@options.c")
    repository.write("options.c", f"-wrapper {repository.root / 'evil'} /dev/null")
    repository.build({"file": "app.c", "arguments": ["gcc", "-include", "@options", "-c", "app.c"]})
    repository.write("@folder/x.c", LOOP.replace("a[9]", "a[9] = {0}").replace("void f", "oops f"))
    repository.write("folder", f"/dev/null -wrapper {repository.root / 'evil'} /dev/null")
    repository.cuvier("annotate", "--no-cache", "--style", "openmp", ".")
    assert not repository.ran.exists()


def test_settings_name_no_outputs_and_no_templates() -> None:
    """What could be written or run is for the command line."""
    from cuvier.batch.config import KEYS

    assert not {"output", "skeletons", "skeleton", "machine", "in-place", "trust", "tuned-from", "o"} & set(
        KEYS
    )


def test_what_cannot_be_split() -> None:
    with pytest.raises(UserError, match="cannot be split"):
        Trust().checked("gcc 'x", HERE)
    assert Trust().checked("none", HERE) == "none"
