"""Names that are not used yet."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class FreshNames:
    """Gives names that are not in `taken`, each once."""

    taken: set[str] = field(default_factory=set)

    def fresh(self, name: str) -> str:
        """`name`, with underscores behind it if it is taken."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name
