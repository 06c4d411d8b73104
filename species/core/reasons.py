"""The reason codes.  A code never changes its meaning; each has a page in species/pages/."""

from __future__ import annotations

from importlib import resources

REASONS: dict[str, str] = {
    "CV001": "part of the file could not be parsed and is not analysed",
    "CV002": "the file could not be parsed at all",
    "CV003": "the file cannot be read",
    "CV004": "the preprocessor failed",
    "CV005": "a hand-written species is refuted by the analysis",
    "CV006": "a name is used that nothing declares",
    "CV007": "the compiler is for a machine whose types have other sizes",
    "CV008": "a pragma for copies makes no sense",
    "CV009": "a header is not found",
    "CV010": "the analysis of the file was ended before it was done",
    "CV201": "a scalar carries a value from one iteration to a later one",
    "CV202": "the value of a scalar after the loop depends on which iteration wrote it last",
    "CV203": "an array carries a value from one iteration to a later one",
    "CV204": "two references may touch the same element in different iterations; it could not be excluded",
    "CV205": "two pointers may point into the same memory",
    "CV207": "what looks like a reduction uses its variable elsewhere in the loop",
    "CV301": "break leaves the loop early",
    "CV302": "return leaves the loop early",
    "CV303": "goto or a label: control may enter or leave the loop",
    "CV304": "a volatile object is accessed",
    "CV305": "a call has effects that are visible outside of it, or are not known",
    "CV306": "a construct that is not analysed",
    "CV307": "the loop is not a counted loop",
    "CV308": "while and do loops are not counted",
    "CV309": "the analysis gave up",
    "CV401": "an accelerator cannot run the loop",
    "CV402": "the loop is parallel, but the source cannot be marked",
}


def page_of(code: str) -> str:
    """The page about a code in Markdown: what it means, an example, what would fix it, how to overrule it."""
    return resources.files("species").joinpath("pages", f"{code}.md").read_text(encoding="utf-8")
