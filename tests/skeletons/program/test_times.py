"""`CUVIER_TIMES=FILE`: programs write how long each launch ran on the device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = """#include <stdio.h>
static double a[500], b[500];
int main(void)
{
    for (int i = 0; i < 500; i++)
        a[i] = i;
    for (int t = 0; t < 7; t++) {
        for (int i = 1; i < 499; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < 499; i++)
            a[i] = b[i] + t;
    }
    double sum = 0;
    for (int i = 0; i < 500; i++)
        sum += b[i];
    printf("%g\\n", sum);
    return 0;
}
"""


@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_every_launch_has_a_time(target: str, tmp_path: Path) -> None:
    if target == "opencl" and not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    (tmp_path / "p.c").write_text(SOURCE)
    made = accelerated.resident(tmp_path / "p.c", target, tmp_path / "out")
    binary = accelerated.build_shim(made) if target == "cuda" else accelerated.build_opencl(made)
    file = tmp_path / "times.json"
    plain = accelerated.run(binary)
    assert not file.exists()
    assert accelerated.run(binary, CUVIER_TIMES=str(file)) == plain
    times = json.loads(file.read_text())
    launches = [len(seconds) for seconds in times.values()]
    assert sorted(launches) == [1, 1, 7, 7]
    assert set(times) == {choice.kernel.name for choice in made.choices if choice.skeleton}
    assert all(0 <= seconds < 60 for own in times.values() for seconds in own)


def test_no_launch_is_said_too(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(
        SOURCE.replace("(void)\n{", "(int count, char **words)\n{\n    if (!words[count]) return 0;")
    )
    binary = accelerated.build_shim(accelerated.resident(tmp_path / "p.c", "cuda", tmp_path / "out"))
    file = tmp_path / "times.json"
    accelerated.run(binary, CUVIER_TIMES=str(file))
    assert json.loads(file.read_text()) == {}


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    binary = accelerated.build_shim(accelerated.resident(tmp_path / "p.c", "cuda", tmp_path / "out"))
    assert accelerated.run(binary, CUVIER_TIMES=str(tmp_path)) == accelerated.run(binary)
