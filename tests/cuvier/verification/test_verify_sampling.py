"""Recording costs little: kernels that run often are sampled, and its time is told from the program's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.verification.devices import Built
from cuvier.verification.pair import run_both
from cuvier.verification.trial import Runner
from skeletons import CompileOptions
from tests.support.places import ROOT
from tests.support.verifying import checked, spoil

OFTEN = """#include <stdio.h>
static double big[512][1024];
__attribute__((noinline)) static void add(int r) {
  for (int i = 0; i < 1024; i++) big[r][i] = big[r][i] * 0.5 + i * 0.1;
}
int main(void) {
  for (int t = 0; t < 20000; t++) { int r = (t * 7) % 512; add(r); if (big[r][3] < -1) puts("x"); }
  printf("%g\\n", big[7][9]);
  return 0;
}
"""

PARTS = ROOT / "cuvier" / "verification"
ALL_LOOPS = CompileOptions(without=frozenset({"threshold"}))  # short ones, too
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler `cc` on this machine")


def test_a_kernel_that_runs_often_is_sampled(tmp_path: Path) -> None:
    result = checked(tmp_path, OFTEN, "c", generation=ALL_LOOPS)
    (item,) = (item for item in result.items if item.kernel)
    assert result.ok and item.executions == 20000
    assert 16 < item.compared < 1000


@pytest.mark.sampled(2)
@pytest.mark.parametrize("when", ["i == 7", "r == 301"])
def test_mistakes_in_it_are_found(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "i * 0.1", f"i * 0.1 + ({when})")
    assert not checked(tmp_path, OFTEN, "c", generation=ALL_LOOPS).ok


def program(folder: Path, name: str, text: str) -> Path:
    """A shell script that leaves an empty record."""
    file = folder / name
    file.write_text(f'#!/bin/sh\n{text}\n[ -z "$CUVIER_WATCH_FILE" ] || echo end 0 > "$CUVIER_WATCH_FILE"\n')
    file.chmod(0o700)
    return file


ALL = '[ -z "$CUVIER_WATCH_FILE" ] || [ -n "$CUVIER_WATCH_BUDGET" ] || sleep 60'  # recording takes its time
ANY = '[ -z "$CUVIER_WATCH_FILE" ] || sleep 60'


def test_programs_that_record_too_much_record_less(tmp_path: Path) -> None:
    slow, fast = program(tmp_path, "slow", ALL), program(tmp_path, "fast", "")
    for original, generated in ((slow, fast), (fast, slow)):
        pair = run_both(original, Built(generated, "the CPU"), Runner((), 1.0), tmp_path)
        assert "fewer executions of each kernel were compared" in pair.notes[0]
        assert pair.runner.sampling
    assert not run_both(fast, Built(fast, "the CPU"), Runner((), 60.0), tmp_path).notes


def test_the_time_of_the_program_is_told_from_that_of_the_recording(tmp_path: Path) -> None:
    runner, fast = Runner((), 1.0), program(tmp_path, "fast", "")
    recording, endless = program(tmp_path, "recording", ANY), program(tmp_path, "endless", "sleep 60")
    with pytest.raises(UserError, match=r"original program ends after 0\.\d\d s by itself, but recording"):
        run_both(recording, Built(fast, "the CPU"), runner, tmp_path)
    with pytest.raises(UserError, match=r"generated program, on the CPU, ends after 0\.\d\d s by itself"):
        run_both(fast, Built(recording, "the CPU"), runner, tmp_path)
    with pytest.raises(UserError, match="did not end within 1 s, and nothing was recorded"):
        run_both(endless, Built(fast, "the CPU"), runner, tmp_path)


WATCHED = """#include "watch.h"
#include <omp.h>
#include <stdio.h>
int cuvier_block_find(const void *inside, const char **start, size_t *bytes) {
  return *start = inside, *bytes = 0, 0;
}
void cuvier_block_check(const void *inside, const char *site, const char *name) {
  (void)inside, (void)site, (void)name;
}
int cuvier_block_findings(void (*report)(const char *, void *), void *context) {
  return (void)report, (void)context, 0;
}
int main(void) {
  static double cells[1 << 20];
  int shared = 0, wrong = 0;
  for (int t = 0; t < 5000; t++) {
    cuvier_watch_threads("k");
    int threads = omp_get_max_threads();
    if (cuvier_watch_due("k"))
      cuvier_watch_object("k", "cells", 'd', 8, cells, sizeof cells, 0);
    wrong += omp_get_max_threads() != 3;
    shared += threads == 3;
    wrong += threads != 3 && threads != 1;
  }
  printf("%d %d\\n", shared, wrong);
}
"""


def test_executions_that_are_not_recorded_run_in_one_thread(tmp_path: Path) -> None:
    (tmp_path / "watched.c").write_text(WATCHED)
    parts = [str(PARTS / f"{name}.c") for name in ("watch", "watch_hash", "watch_sites")]
    words = ["cc", "-fopenmp", "-I", str(PARTS), "watched.c", *parts, "-o", "watched"]
    subprocess.run(words, cwd=tmp_path, check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "CUVIER_WATCH_FILE": str(tmp_path / "record")}
    words = [str(tmp_path / "watched")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    shared, wrong = map(int, done.stdout.split())
    assert wrong == 0 and 8 < shared < 500


def test_such_programs_are_compared(tmp_path: Path) -> None:
    result = checked(tmp_path, OFTEN, "openmp", generation=ALL_LOOPS)
    (item,) = (item for item in result.items if item.kernel)
    assert result.ok and 16 < item.compared < 1000
