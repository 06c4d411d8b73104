"""What tuning tells: the best parameters, what they brought, and where they are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cuvier.tuning.store import Result, default_path, values_of


@dataclass(frozen=True)
class Item:
    """One result, the kernels that it is of, and how many values were tried."""

    result: Result
    kernels: tuple[str, ...]
    tried: int


@dataclass(frozen=True)
class Report:
    """The outcome for a file; `wrong` says what the verification of the best parameters found."""

    file: str
    kept: Path
    items: tuple[Item, ...]
    programs: int  # built and run
    interrupted: bool
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Was something found, and is it right?"""
        return bool(self.items) and not self.wrong

    def as_text(self) -> str:
        """Lines for people."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for item in self.items:
            found = item.result
            values = " ".join(f"{name}={value}" for name, value in found.parameters.items())
            gain = f"{found.before / found.seconds:.2f} times as fast" if found.seconds else "no time at all"
            times = f"{_time(found.before)} -> {_time(found.seconds)}, {gain}"
            yield f"{', '.join(item.kernels)}: {found.key.skeleton} {values} ({times}, {item.tried} tried)"
        ended = ", interrupted" if self.interrupted else ""
        yield f"{self.programs} programs built and run{ended}"
        if self.wrong:
            yield f"not kept, for the program is wrong with them: {self.wrong}"
        elif self.items:
            option = "--tuned" if self.kept == default_path() else f"--tuned-from {self.kept}"
            yield f"verified, and kept in {self.kept}; `cuvier compile {option}` uses it"
        else:
            yield "nothing was measured, and nothing is kept"

    def as_json(self) -> str:
        """The same as an object."""
        items = [
            {**values_of(item.result), "kernels": list(item.kernels), "tried": item.tried}
            for item in self.items
        ]
        values = {
            "file": self.file,
            "results": items,
            "programs": self.programs,
            "interrupted": self.interrupted,
            "ok": self.ok,
            "wrong": self.wrong,
            "kept": str(self.kept) if self.ok else None,
        }
        return json.dumps(values, indent=2) + "\n"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
