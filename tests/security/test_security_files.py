"""Which files are read and written, and what is left of an interrupted run (docs/security.md)."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from cuvier.base.errors import UserError
from cuvier.base.files import Input, check_output, destinations, read_text, write_text
from cuvier.batch import compile_commands, config
from cuvier.batch.engines import Here
from cuvier.batch.keys import Looked
from cuvier.batch.run import Run
from cuvier.batch.selection import Selection
from cuvier.report.html.page import _page
from species.source import PreprocessOptions, SourceError, SourceFile
from species.source.preprocess.compiler import run_compiler
from species.source.preprocess.run import preprocess
from tests.support.batch_trees import jobs_for
from tests.support.hostile_repository import LOOP, Repository, made

GNU = Path("/proc/self/task").exists()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path)


@pytest.fixture(autouse=True)
def does_not_block() -> Iterator[None]:
    """A test that waits for a pipe fails."""
    alarm = Timer(120, lambda: os.kill(os.getpid(), signal.SIGINT))
    alarm.start()
    yield
    alarm.cancel()


def test_in_place_follows_no_link_out_of_the_tree(repository: Repository) -> None:
    outside = repository.root.parent / "outside.c"
    outside.write_text(LOOP)
    (repository.root / "link.c").symlink_to(outside)
    (repository.root / "inner.c").symlink_to("sub/real.c")
    (repository.root / "folder").symlink_to(repository.root.parent)
    repository.write("sub/real.c")
    done = repository.cuvier("annotate", "--in-place", ".", "link.c", "folder/outside.c")
    assert outside.read_text() == LOOP
    assert done.returncode == 1 and "is a link that leads out of" in done.stderr
    assert "#pragma species" in (repository.root / "app.c").read_text()
    assert "#pragma species" in (repository.root / "sub" / "real.c").read_text()
    assert (repository.root / "inner.c").is_symlink()


def test_strip_follows_no_link_out_of_the_tree(repository: Repository) -> None:
    outside = repository.root.parent / "outside.c"
    outside.write_text(marked := "#pragma omp parallel for /* cuvier */\n" + LOOP)
    (repository.root / "link.c").symlink_to(outside)
    repository.write("marked.c", marked)
    done = repository.cuvier("strip", "--in-place", ".")
    assert done.returncode == 1 and "leads out of" in done.stderr
    assert outside.read_text() == marked and (repository.root / "marked.c").read_text() == LOOP


def test_the_tree_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "src" / "deep").mkdir(parents=True)
    within, alone = tmp_path / "work" / "src", tmp_path / "other"
    assert Input(within / "deep" / "a.c", Path("deep/a.c")).tree == tmp_path / "work"
    assert Input(alone / "deep" / "a.c", Path("deep/a.c")).tree == alone
    assert Input(alone / "a.c", Path("a.c")).tree == alone


def test_outputs_follow_no_link_out_of_their_folder(tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.write_text("precious")
    out.mkdir()
    (out / "report.html").symlink_to(outside)
    (out / "null").symlink_to("/dev/null")
    (out / "loop").symlink_to("loop")
    (out / "below").symlink_to(tmp_path)
    for name in ("report.html", "null", "below/outside"):
        with pytest.raises(UserError, match="leads out of"):
            write_text(out / name, "new", within=out)
    with pytest.raises(UserError, match="cannot write"):
        write_text(out / "loop" / "x", "new", within=out)
    assert outside.read_text() == "precious"
    write_text(Path("/dev/null"), "new", within=Path("/dev"))


@pytest.mark.parametrize("command", ["report", "annotate"])
def test_outputs_of_commands_follow_no_link(repository: Repository, command: str) -> None:
    outside = repository.root.parent / "outside"
    outside.write_text("precious")
    (repository.root / "out").mkdir()
    (repository.root / "out" / "app.c").symlink_to(outside)
    place = "out/app.c" if command == "report" else "out"
    done = repository.cuvier(command, "-o", place, "app.c")
    assert done.returncode == 2 and "leads out of" in done.stderr and outside.read_text() == "precious"


def test_outputs_that_are_links_out_of_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory itself may have come with the sources."""
    (tmp_path / "here").mkdir()
    (tmp_path / "outside").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("out").symlink_to("../outside")
    Path("inner").symlink_to(".")
    for path in ("out", "out/x", f"{tmp_path}/here/out/x"):
        with pytest.raises(UserError, match="by a link"):
            check_output(Path(path))
    with pytest.raises(UserError, match="by a link"):
        destinations([Input(Path("a.c"), Path("a.c"))], Path("out"))
    for path in ("x", "inner/x", "../outside", f"{tmp_path}/outside", "/dev/stdout"):
        check_output(Path(path))


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444, 0o4711])
def test_modes_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.c"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new", within=tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_text() == "new"


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("old")
    os.chown(path, 1234, 1234)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)


def test_names_that_are_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 126 + ".c")
    write_text(path, "new", within=tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.c"
    path.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new")
    assert [each.name for each in tmp_path.iterdir()] == ["a.c"] and path.read_text() == "old"


def test_what_cannot_be_read_costs_itself(repository: Repository) -> None:
    os.mkfifo(repository.root / "pipe.c")
    (repository.root / "memory.c").symlink_to("/proc/self/mem")
    (repository.root / "zero.c").symlink_to("/dev/zero")
    (repository.root / "gone.c").symlink_to("nowhere.c")
    done = repository.cuvier("report", "pipe.c", "zero.c", ".")
    assert done.returncode == 1 and "parallel" in done.stdout
    assert "pipe.c:1:1: error: is not a regular file [CV003]" in done.stderr
    assert "zero.c:1:1: error: is not a regular file [CV003]" in done.stderr
    assert "memory.c:1:1: error: cannot be read" in done.stderr


def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(OSError, match="not a regular file"):
            read_text(tmp_path / name)
        assert Looked().file(str(tmp_path / name)) == ""
        (tmp_path / "cuvier.toml").unlink(missing_ok=True)
        (tmp_path / "cuvier.toml").symlink_to(name)
        assert config.find(tmp_path).path is None
        (tmp_path / "compile_commands.json").unlink(missing_ok=True)
        (tmp_path / "compile_commands.json").symlink_to(name)
        assert compile_commands.find(tmp_path) is None


@pytest.mark.parametrize("compiler", ["cc", "none"])
def test_an_included_pipe_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str) -> None:
    monkeypatch.setattr("species.source.preprocess.run._TIME_LIMIT", 2)
    os.mkfifo(tmp_path / "pipe.h")
    for path, text in (("a.c", '#include "pipe.h"\n' + LOOP), ("b.c", LOOP)):
        (tmp_path / path).write_text(text)
    jobs = jobs_for([tmp_path / "a.c", tmp_path / "b.c"], compiler)
    first, second = Run(Here(None)).results(jobs)
    assert first.result.unit["status"] == "failed" and second.result.unit["status"] == "ok"
    assert first.result.unit["diagnostics"][0]["code"] == "CV004"


@pytest.mark.skipif(not GNU, reason="needs Linux's /proc")
def test_what_a_compiler_started_ends_with_it(tmp_path: Path) -> None:
    script = "echo $$ > pid; cat /dev/zero > /dev/null & echo $! > child; wait"
    with pytest.raises(TimeoutError):
        run_compiler(["sh", "-c", f"cd {tmp_path}; {script}"], None, 1)
    for name in ("pid", "child"):
        pid = int((tmp_path / name).read_text())
        with pytest.raises(ProcessLookupError):
            for _ in range(50):
                os.kill(pid, 0)
                time.sleep(0.1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ['#include "/dev/zero"\n', '#include "bomb.c"\n#include "bomb.c"\nint x;\n'])
def test_output_and_memory_of_a_preprocessor_have_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("species.source.preprocess.run._TIME_LIMIT", 10)
    path = tmp_path / "bomb.c"
    path.write_text(text)
    started = time.monotonic()
    with pytest.raises(SourceError):
        preprocess(SourceFile(str(path), path.read_bytes()), PreprocessOptions())
    assert time.monotonic() - started < 60


def test_settings_and_builds_that_are_made_to_fail(repository: Repository) -> None:
    nulls = ('define = ["A\\u0000"]', 'cc = "\\u0000"', "\0")
    for text in ("a = " + "[" * 9999, "jobs = " + "1" * 9999, *nulls):
        repository.write("cuvier.toml", text)
        with pytest.raises(UserError):
            config.find(repository.root)
    repository.write("cuvier.toml", "")
    repository.write("sub/pyproject.toml", "tool = 1\n")
    found = config.find(repository.root / "sub").path
    assert found is not None and found.name == "cuvier.toml"
    for text in ("[" * 99999, "[" + "1" * 9999 + "]", '[{"file": "a\\u0000", "command": "cc"}]', "{}", "[1]"):
        with pytest.raises(UserError):
            compile_commands.read(repository.write("compile_commands.json", text))


def test_files_of_options_that_name_each_other(repository: Repository) -> None:
    repository.write("a", "@a " * 100)
    with pytest.raises(UserError, match="more than 100000 words"):
        compile_commands.read(repository.build({"file": "app.c", "arguments": ["cc", "@a"]}))


def test_a_build_moves_no_output(repository: Repository) -> None:
    """`file` and `directory` say how a file is read, not which files there are."""
    outside = repository.root.parent / "outside.c"
    outside.write_text(LOOP)
    for folder, file in (("..", "outside.c"), (".", "../outside.c"), ("/", str(outside)[1:])):
        repository.build({"directory": folder, "file": file, "command": "cc -c -o ../x.c outside.c"})
        assert repository.cuvier("annotate", "--in-place", ".").returncode == 0
        assert outside.read_text() == LOOP
    assert sorted(os.listdir(repository.root.parent)) == ["outside.c", "repository"]


def test_directories_that_cannot_be_read_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "a.c").write_text(LOOP)
    scan = os.scandir

    def refusing(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert len(Selection().collect([tmp_path])) == 1
    assert "secret' cannot be read (Permission denied), and is left out" in capsys.readouterr().err


def test_codes_of_reports_are_no_files() -> None:
    assert _page("../../README") == "" and _page("CV999") == "" and "<h1>" in _page("CV201")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("files", [1, 3])
def test_signals_leave_nothing_and_say_what_was_done(
    repository: Repository, number: signal.Signals, files: int
) -> None:
    temporary = repository.root.parent / "temporary"
    temporary.mkdir()
    slow = repository.root.parent / "slow"
    slow.write_text('#!/bin/sh\ncase "$*" in *b.c*) touch "$0.began"; sleep 600;; esac\nexec cc "$@"\n')
    slow.chmod(0o755)
    (repository.root / "app.c").unlink()
    for name in ("b.c", "a.c", "c.c")[:files]:
        repository.write(name, LOOP if name == "b.c" else f'#include "missing.h"\n{LOOP}')
    command = ["annotate", "--in-place", "--cc", str(slow), "-j", "1", "."]
    process = subprocess.Popen(
        [sys.executable, "-m", "cuvier", *command],
        cwd=repository.root,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup and `&` have some ignored
    )
    while not Path(f"{slow}.began").exists() and process.poll() is None:
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number, said
    assert f"of {files} files are kept for the next run; the same command goes on from there" in said
    assert "no file was left half-written" in said and "Traceback" not in said
    assert list(temporary.iterdir()) == []
    assert not [path for path in repository.root.rglob("*") if path.suffix == ".tmp"]
    assert (repository.root / "b.c").read_text() == LOOP


def test_reports_that_are_made_to_fail(repository: Repository) -> None:
    for text in ("[" * 99999, "[" + "1" * 9999 + "]", "{}", json.dumps({"cuvier": "1", "units": [1]})):
        repository.write("report.json", text)
        done = repository.cuvier("report", "--from", "report.json")
        assert done.returncode == 2 and "internal error" not in done.stderr


def test_what_a_file_has_become_while_it_was_analysed(repository: Repository) -> None:
    """The compiler puts a pipe in its place: it is not waited for, and costs itself."""
    repository.write("b.c")
    swap = repository.root.parent / "swap"
    swap.write_text('#!/bin/sh\ncc "$@"\ntest -p app.c || { rm app.c; mkfifo app.c; }\n')
    swap.chmod(0o755)
    done = repository.cuvier(
        "annotate", "--no-cache", "--in-place", "-j", "1", "--cc", str(swap), "app.c", "b.c"
    )
    assert done.returncode in (1, 2) and "internal error" not in done.stderr
    assert stat.S_ISFIFO((repository.root / "app.c").stat().st_mode)


def test_a_reader_that_leaves_is_no_fault_of_a_file(repository: Repository) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cuvier", "annotate", "app.c"],
        cwd=repository.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert "app.c:1:1" not in process.stderr.read()
    process.wait(60)
