"""Exit statuses; the README and the help texts list them."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a command's exit status says."""

    OK = 0
    NEGATIVE = 1  # the answer is no: outputs differ, or some of the files failed and the others did not
    INPUT = 2  # the input, the options or the machine: nothing could be done
    INTERNAL = 3  # a defect of Cuvier


MEANINGS = {
    Exit.OK: "done",
    Exit.NEGATIVE: "a negative result, or only some files failed",
    Exit.INPUT: "bad input",
    Exit.INTERNAL: "a defect",
}


def epilog(*examples: str) -> str:
    """The end of a help text: examples, and what the exit status says."""
    title = "Example" if len(examples) == 1 else "Examples"
    shown = "".join(f"\n  {example}" for example in examples)
    statuses = "; ".join(f"{status} {meaning}" for status, meaning in MEANINGS.items())
    return (f"\b\n{title}:{shown}\n\n" if examples else "") + f"Exit status: {statuses}."
