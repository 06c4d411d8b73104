"""Fingerprints: they recognise a loop after the lines around it have moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping

from species.annotate import mask
from species.facts.loops import LoopFacts, UnitFacts
from species.source.text.tokens import tokenize

DIGITS = 16  # hexadecimal ones


def fingerprints(facts: UnitFacts, sources: Mapping[str, str]) -> dict[str, str]:
    """By loop id: a digest of the function's name and of the loop's tokens, comments and our lines left out.

    `sources` are the texts of the files in which loops stand; where one is missing, the keyword counts.
    Of loops that are equal in all this, the first, the second and so on differ.
    """
    masked = {file: mask(text) for file, text in sources.items()}
    seen: Counter[str] = Counter()
    found = {}
    for loop in facts.loops:
        text = "\0".join((loop.function, normalised(_statement(loop, masked))))
        found[loop.id] = hashlib.sha256(f"{text}\0{seen[text]}".encode("utf-8", "replace")).hexdigest()[
            :DIGITS
        ]
        seen[text] += 1
    return found


def normalised(text: str) -> str:
    """The tokens with one blank between two, comments left out."""
    return " ".join(token.spelling for token in tokenize(text) if token.kind != "comment")


def _statement(loop: LoopFacts, sources: Mapping[str, str]) -> str:
    """The loop's text; of one that a macro makes, the lines of its use."""
    text = sources.get(loop.position.file)
    if text is None:
        return loop.kind
    if loop.spans is not None:
        return loop.spans.whole.of(text)
    return "\n".join(text.split("\n")[loop.position.line - 1 : loop.end_line])
