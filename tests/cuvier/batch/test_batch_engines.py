"""Children that crash, hang or need too much cost their file; interrupted runs leave a consistent state."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier import cli
from cuvier.batch.cache import Cache
from cuvier.batch.engines import Here
from cuvier.batch.run import Run
from tests.support.batch_trees import LOOP, compiler, is_gone, jobs_for, make, run, said

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def test_a_crash_costs_one_file(tmp_path: Path) -> None:
    paths = make(tmp_path, "a", "b", "c")
    cc = compiler(tmp_path, "b", "kill -9 $PPID")
    a, b, c = map(said, run(jobs_for(paths, cc), 2))
    assert (a, c) == ("ok", "ok")
    assert "crashed" in b and "--memory-limit" in b


def test_what_a_worn_child_loses_is_done_again_in_a_fresh_one(tmp_path: Path) -> None:
    paths = make(tmp_path, "a", "second")  # the smaller one is first
    cc = compiler(
        tmp_path, "second", f"test -e {tmp_path}/once || {{ touch {tmp_path}/once; kill -9 $PPID; }}"
    )
    assert list(map(said, run(jobs_for(paths, cc)))) == ["ok", "ok"]
    assert (tmp_path / "once").exists()


def test_a_hanging_file_is_given_up_with_all_that_it_started(tmp_path: Path) -> None:
    paths = make(tmp_path, "a", "b")
    cc = compiler(tmp_path, "b", f"echo $$ > {tmp_path}/pid; sleep 600")
    a, b = map(said, run(jobs_for(paths, cc), 2, seconds=8))
    assert a == "ok"
    assert "did not end within 8 s" in b and "--time-limit" in b
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_too_much_memory_costs_one_file(tmp_path: Path) -> None:
    paths = make(tmp_path, "a", "b")
    cc = compiler(tmp_path, "b", "yes")
    a, b = map(said, run(jobs_for(paths, cc), memory=300 * 2**20))
    assert a == "ok"
    assert "needs more memory than 300 MB" in b and "--memory-limit" in b


def test_a_defect_costs_one_file_and_is_told(tmp_path: Path) -> None:
    paths = make(tmp_path, "a", "b")
    jobs = jobs_for(paths)
    broken = replace(jobs[1], preprocess=None)  # type: ignore[arg-type]
    a, b = map(said, run([jobs[0], broken]))
    assert a == "ok"
    assert b.startswith("internal error: TypeError: ") and b.endswith("please report this with the file")


def test_a_file_that_is_gone_costs_itself(tmp_path: Path) -> None:
    (job,) = jobs_for(make(tmp_path, "a"))
    Path(job.path).unlink()
    (found,) = Run(Here(None)).results([job])
    assert said(found) == "cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("option", "message"), [("--jobs=0", "a number from 1"), ("--memory-limit=lots", "a size such as 500M")]
)
def test_limits_that_make_no_sense(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    message: str,
) -> None:
    make(tmp_path, "a", "b")
    monkeypatch.setattr(sys, "argv", ["cuvier", "report", option, str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def has_text(path: Path) -> bool:
    return path.exists() and path.read_text() != ""


def waiting_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "command", [("report", "--format", "json", "-o", "out.json"), ("annotate", "--in-place")]
)
def test_an_interrupt_keeps_what_is_done_and_nothing_half(tmp_path: Path, command: tuple[str, ...]) -> None:
    paths = make(tmp_path, "src/a", "src/b", "src/slow")
    cc = compiler(tmp_path, "slow", f"echo $$ > {tmp_path}/pid; sleep 600")
    cache = Cache(tmp_path / "cache")
    arguments = [*command, "--cc", cc, "--cache-dir", "cache", "--jobs", "2", "src"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cuvier", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hear_interrupts,
    )
    waiting_for(lambda: cache.contents().files == 2 and has_text(tmp_path / "pid"))
    time.sleep(0.5)  # what is written last is counted a moment later
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted; the results of 2 of 3 files are kept" in err and "Traceback" not in err
    assert is_gone(int((tmp_path / "pid").read_text()))
    assert not (tmp_path / "out.json").exists()
    assert not list((tmp_path / "src").glob(".*"))
    assert paths[2].read_text() == LOOP.format("slow")


def _hear_interrupts() -> None:
    """Also where the tests run in the background of a shell, which has them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_children_end_with_their_parent(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    make(tmp_path, "a", "b")
    cc = compiler(tmp_path, "b", f"echo $PPID > {tmp_path}/pid; sleep 8")
    process = subprocess.Popen(
        [sys.executable, "-m", "cuvier", "report", "--cc", cc, "-j2", "."], cwd=tmp_path
    )
    waiting_for(lambda: has_text(tmp_path / "pid"))
    process.kill()
    process.wait()
    child = int((tmp_path / "pid").read_text())
    waiting_for(lambda: is_gone(child))
