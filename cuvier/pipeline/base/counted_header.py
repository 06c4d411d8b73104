"""Headers of loops that count up by one, `for (int i = a; i < n; i++)`, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from species.source.text.code import on_one_line
from species.source.text.for_headers import header_parts

_SETS = re.compile(r"(?:[\w\s]*\s)?(\w+)\s*=([^,]*)")  # a header that sets one variable


@dataclass(frozen=True)
class CountedHeader:
    """What the iterator starts from, and what it is compared with, by `<` or `<=`; all on one line."""

    start: str
    sign: str
    bound: str

    @property
    def beyond(self) -> str:
        """The first value that the iterator does not have."""
        return f"({self.bound}) + 1" if self.sign == "<=" else f"({self.bound})"


def counted_header(header: str, iterator: str) -> CountedHeader | None:
    """The header of a loop that is known to count so; None where it sets another variable, too."""
    parts = header_parts(header)
    if parts is None:
        return None
    start, test = (on_one_line(part.of(header)).strip() for part in parts[:2])
    sets = _SETS.fullmatch(start)
    if start and (sets is None or sets[1] != iterator):
        return None
    at = test.index("<")
    sign = "<=" if test[at + 1] == "=" else "<"
    return CountedHeader(sets[2].strip() if sets else iterator, sign, test[at + len(sign) :].strip())
