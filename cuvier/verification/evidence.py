"""What is known of a program besides the two runs that are compared: other runs of the original."""

from __future__ import annotations

from typing import Protocol

from cuvier.verification.trial import Trial


class Evidence(Protocol):
    """Each is made when it is asked for, and is missing where a program does not build or run."""

    @property
    def accelerator(self) -> bool:
        """Does the generated program compute on one?"""

    @property
    def hosted(self) -> bool:
        """Does it compute with the mathematical functions of the host?"""

    @property
    def threads_add(self) -> bool:
        """Do the user's own threads combine numbers, in any order?"""

    @property
    def functions(self) -> tuple[Trial, ...]:
        """With mathematical functions that are off by as much as those of a device may be."""

    @property
    def sums(self) -> tuple[Trial, ...]:
        """With sums that are rounded in other directions."""

    @property
    def exaggerated(self) -> Trial | None:
        """With mathematical functions that are off by much more: what depends on them differs."""

    @property
    def again(self) -> Trial | None:
        """Once more."""

    @property
    def filled(self) -> Trial | None:
        """With something else in memory that was never written."""

    @property
    def rebuilt(self) -> tuple[Trial, ...]:
        """Built by the compiler in other ways."""

    @property
    def strict(self) -> bool:
        """Is the program that `--strict-fp` generates equal?"""
