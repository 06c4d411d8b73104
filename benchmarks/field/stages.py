"""The commands of the field test in a package's tree: building, testing, annotating, each with a limit.

Outputs are beside the tree, in NAME.STAGE-WAY.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.field import builds
from benchmarks.field.builds import Package

# the same compiler everywhere, so that nothing but the pragmas is different
_NOTED = {"CC": str(builds.HERE / "record"), "FIELD_CC": "gcc -fopenmp", "CFLAGS": "-O1"}


def slug(way: str) -> str:
    """A way of annotating as part of a file's name."""
    return re.sub(r"\W+", "-", way).strip("-")


@dataclass(frozen=True)
class Stages:
    """What is done in a tree; programs under test run with so many `threads`.

    `compiler` is what the environment says of the compiler; without it, its commands are noted.
    """

    tree: Path
    package: Package
    threads: int
    compiler: Mapping[str, str] = field(default_factory=lambda: _NOTED)

    def log(self, way: str) -> Path:
        """Where the commands of the compiler are noted."""
        return self._beside(f"log-{slug(way)}")

    def verdicts(self, way: str) -> Path:
        """What `attempt` says of each test program."""
        return self._beside(f"verdicts-{slug(way)}")

    def compiled(self, way: str) -> list[Path]:
        """The C files of the tree that were compiled."""
        return sorted({path for _, path in builds.compilations(self.log(way), self.tree)})

    def build(self, way: str) -> bool:
        """Builds the package."""
        return self._run(self.package.build, f"build-{slug(way)}", self.package.limits.build, way) == 0

    def test(self, way: str) -> bool:
        """Runs those of its tests of which there is no verdict yet."""
        self.verdicts(way).touch()
        more = {
            "OMP_NUM_THREADS": str(self.threads),
            "OMP_WAIT_POLICY": "passive",
            "OMP_DYNAMIC": "false",
            "ATTEMPT": str(builds.HERE / "attempt"),
            "FIELD_TREE": str(self.tree),
            "FIELD_VERDICTS": str(self.verdicts(way)),
            "FIELD_LIMIT": str(self.package.limits.program),
            "FIELD_COUNTER": str(_counter(self.tree.parent)),
        }
        status = self._run(self.package.test, f"test-{slug(way)}", self.package.limits.tests, way, **more)
        return status == 0

    def cuvier(self, stage: str, *arguments: str) -> str:
        """The last line that a command of Cuvier says of the whole tree.

        It knows no machine but the built-in one, and its cache is beside the trees.
        """
        near = self.tree.parent.parent
        own = {
            "PYTHONPATH": str(builds.HERE.parents[1]),
            "XDG_CONFIG_HOME": str(near / "no-config"),
            "XDG_CACHE_HOME": str(near / "cache"),
        }
        command = [sys.executable, "-m", "cuvier", *arguments, "."]
        self._watched(command, stage, self.package.limits.annotate, own)
        return (self._beside(stage).read_text(errors="replace").splitlines() or [""])[-1]

    def _run(self, command: str, stage: str, limit: float, way: str, **more: str) -> int | None:
        """The exit status of a command; None: it took too long."""
        noted = {"FIELD_LOG": str(self.log(way)), **self.compiler}
        return self._watched(["sh", "-c", command], stage, limit, builds.NO_GENERATORS | noted | more)

    def _watched(self, command: list[str], stage: str, limit: float, more: dict[str, str]) -> int | None:
        with open(self._beside(stage), "wb") as output:
            process = subprocess.Popen(
                command,
                cwd=self.tree,
                env={**os.environ, **more},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                output.write(f"stopped after {limit:.0f} s\n".encode())
                return None
            finally:
                _end(process)

    def _beside(self, what: str) -> Path:
        return self.tree.with_name(f"{self.tree.name}.{what}")


def _counter(folder: Path) -> Path:
    """The library of regions.c, compiled."""
    made = folder / "regions.so"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", str(made), str(builds.HERE / "regions.c"), "-ldl"]
    subprocess.run(command, check=True)
    return made


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a command, and what its session has left running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(entry.name)) == process.pid:
                os.kill(int(entry.name), signal.SIGKILL)
