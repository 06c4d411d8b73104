"""What the user is told about a species or a pragma that cannot be read."""

from __future__ import annotations


class SpeciesSyntaxError(ValueError):
    """`text` stops making sense at `column` (1-based), where one of `expected` should stand.

    `str()` is one line; `context()` shows the place with a caret under it.
    """

    def __init__(self, text: str, column: int, found: str, expected: tuple[str, ...]) -> None:
        self.text = text
        self.column = column
        self.found = found
        self.expected = expected
        wanted = " or ".join(filter(None, [", ".join(expected[:-1]), *expected[-1:]]))
        super().__init__(f"column {column}: expected {wanted}, found {found}, in {text.strip()!r}")

    def context(self) -> str:
        """The offending line and, below it, a caret at the column."""
        start = self.text.rfind("\n", 0, self.column - 1) + 1
        line = self.text[start:].splitlines()[0] if self.text[start:] else ""
        indent = "".join("\t" if char == "\t" else " " for char in self.text[start : self.column - 1])
        return f"{line}\n{indent}^"
