"""The table of packages that were built by `cuvier cc`, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.field.wrapped import Row, Way

_HEAD = (
    "package",
    "version",
    "files",
    "taken",
    "loops on threads",
    "own tests",
    "regions entered",
    "speed",
    "processor time",
    "build",
    "slowest file",
)


def table(rows: Iterable[Row]) -> str:
    """One line for each package, and then why files were left as they were."""
    known = list(rows)
    lines = [_line(_HEAD), _line(["---", "---", *["--:"] * 3, "---", *["--:"] * 5])]
    lines += [_line(_cells(row)) for row in known]
    lines += ["", _line(("package", "files left as they were, and why")), _line(("---", "---"))]
    lines += [_line((row.name, "; ".join(f"{n}: {why}" for why, n in row.left.items()))) for row in known]
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cells(row: Row) -> list[str]:
    slower = row.cuvier.build_seconds / max(row.gcc.build_seconds, 1e-3)
    speed = f"{row.speed:.2f}" if row.speed else ""
    return [
        row.name,
        row.version,
        str(row.files),
        str(row.taken),
        str(row.regions),
        _tests(row.gcc, row.cuvier),
        f"{row.cuvier.regions:,}",
        speed + (" (output differs)" if row.differs else ""),
        f"{row.effort:.2f}" if row.effort else "",
        f"{slower:.0f}x",
        f"{row.slowest:.0f} s",
    ]


def _tests(gcc: Way, cuvier: Way) -> str:
    if not gcc.builds or not cuvier.builds:
        return "does not build" if gcc.builds else "does not build, with gcc neither"
    if not cuvier.tests and not gcc.tests:
        return "did not run"
    if cuvier.passes:
        return "pass" if cuvier.tests < 2 else f"{cuvier.tests} pass"
    failed = set(cuvier.failed) - set(gcc.failed)
    if not failed and not gcc.passes:
        return f"as with gcc ({len(gcc.failed)} of {gcc.tests} fail)"
    return f"{len(failed)} of {cuvier.tests} fail: {', '.join(sorted(failed))}"
