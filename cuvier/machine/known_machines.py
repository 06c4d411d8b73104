"""The machines that are described in files beside this one, by public figures with their sources."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import resources
from pathlib import Path

FOLDER = Path(str(resources.files("cuvier.machine"))) / "known"


def names() -> list[str]:
    """What `--machine` takes instead of a file, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def path_of(name: str) -> Path | None:
    """The description of a known machine; None for any other name."""
    return FOLDER / f"{name}.yaml" if name in names() else None


def similar(name: str) -> str:
    """`did you mean 'gtx-470'?`, or all the names."""
    near = get_close_matches(name, names(), 1)
    return f"did you mean '{near[0]}'?" if near else f"known machines: {', '.join(names())}"


def titles() -> Iterator[tuple[str, str]]:
    """Every name with the first line of its file: what it is."""
    for name in names():
        first = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").partition("\n")[0]
        yield name, first.removeprefix("# ")
