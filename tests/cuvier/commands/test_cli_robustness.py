"""What a stranger tried in the first hour, and what must not happen again."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from cuvier.base.files import write_text
from cuvier.verification.verify import VerifyOptions, verify
from species.source import PreprocessOptions

LOOP = "int a[9];\nvoid f(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n"


def cuvier(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cuvier", *arguments]
    return subprocess.run(command, text=True, check=False, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload,no-any-return]


def written(tmp_path: Path, text: str) -> str:
    source = tmp_path / "file.c"
    source.write_text(text)
    return str(source)


def test_a_special_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "result")
    reader.join(10)
    assert got == ["result"] and stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = cuvier("report", written(tmp_path, LOOP), stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "cuvier: error: standard output: No space left on device"


def test_a_macro_that_the_build_would_define(tmp_path: Path) -> None:
    source = written(tmp_path, LOOP.replace("a[9]", "a[N]"))
    done = cuvier("report", source, stdout=subprocess.PIPE)
    assert done.returncode == 2 and f"{source}:1:7: error: 'N' is not declared" in done.stderr
    assert cuvier("report", "-DN=9", source, stdout=subprocess.PIPE).returncode == 0


def test_an_endless_expression(tmp_path: Path) -> None:
    source = written(tmp_path, LOOP.replace("= i", "= " + "1 + " * 30_000 + "i"))
    done = cuvier("report", source, stdout=subprocess.PIPE)
    assert done.returncode == 2 and "nested too deeply" in done.stderr


def test_a_parallel_loop_that_cannot_be_marked_is_told(tmp_path: Path) -> None:
    source = written(
        tmp_path, "#define ALL for (int i = 0; i < 9; i++)\nint a[9];\nvoid f(void) { ALL a[i] = i; }\n"
    )
    done = cuvier("annotate", source, stdout=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout == ""
    assert f"{source}:3:16: note: parallel, but not marked: it comes from a macro" in done.stderr


def test_array_members_of_structures_behind_pointers_are_compared(tmp_path: Path) -> None:
    text = """#include <stdio.h>
struct part { float x; float v[2]; };
static struct part all[20];
static void move(struct part *p, int n) { for (int k = 0; k < n; k++) p[k].x += p[k].v[1]; }
int main(void) {
  for (int k = 0; k < 20; k++) { all[k].x = k; all[k].v[1] = 2 * k; }
  move(all, 20);
  printf("%g\\n", all[7].x);
  return 0;
}
"""
    source = Path(written(tmp_path, text))
    assert verify(source, "openmp", VerifyOptions(PreprocessOptions())).ok


@pytest.mark.parametrize(
    "arguments", [("report",), ("annotate",), ("verify", "--target", "openmp"), ("machine",)]
)
def test_a_compiler_with_an_open_quote_is_none(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = [] if arguments == ("machine",) else [written(tmp_path, LOOP)]
    done = cuvier(*arguments, *file, env={**os.environ, "CC": "gcc '"}, stdout=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "gcc '" in done.stderr and "internal error" not in done.stderr
