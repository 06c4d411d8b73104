"""How long bytes take to a device and back, as programs move them (seed 000, section 4.4.3.3, figure 4.8)."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from cuvier.launch_tables.versioned_program import BUILD_SECONDS, VersionedProgram
from models.prediction.fitting import Measure, refined
from models.prediction.tables import Points

SOURCE = Path(__file__).with_name("transfers.c")
LARGEST = 1 << 26  # bytes: beyond, seconds grow in proportion


def measured(program: VersionedProgram, seconds: float) -> tuple[Points, Points]:
    """Points for both directions, within about so many seconds; none where the probe cannot be built."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "transfers"
        if subprocess.run(_build(program, probe), capture_output=True, timeout=BUILD_SECONDS).returncode:
            return (), ()
        pipe = subprocess.PIPE
        silent = subprocess.DEVNULL
        with subprocess.Popen([probe], stdin=pipe, stdout=pipe, stderr=silent, text=True) as process:
            try:
                return curves(_asking(process, monotonic() + seconds))
            finally:
                process.kill()


def curves(measure: Measure, largest: int = LARGEST) -> tuple[Points, Points]:
    """Piecewise affine functions: the sizes are chosen so that what lies between two is on a line."""
    found = refined(measure, 1, largest)
    to, back = (tuple((float(size), values[k]) for size, values in found) for k in (0, 1))
    return to, back


def _asking(process: subprocess.Popen[str], until: float) -> Measure:
    """Asks the probe; None when time is up, or the probe has ended."""

    def measure(size: int) -> Sequence[float] | None:
        assert process.stdin is not None and process.stdout is not None
        if monotonic() > until or process.poll() is not None:
            return None
        print(size, file=process.stdin, flush=True)
        answer = [float(word) for word in process.stdout.readline().split()]
        return answer if len(answer) == 2 else None

    return measure


def _build(program: VersionedProgram, probe: Path) -> list[str]:
    shared = ["-O2", "-I", str(program.folder), "-o", str(probe)]
    if program.is_cuda:
        return ["nvcc", "-x", "cu", str(SOURCE), *shared]
    return ["cc", str(SOURCE), *shared, "-lOpenCL", "-lm"]
