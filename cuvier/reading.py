"""A file, read as if it had other texts: what kernels that become one, or move, are judged by."""

from __future__ import annotations

from dataclasses import dataclass, field

from species import analyse
from species.analysis import names_of
from species.options import AnalysisOptions
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from transfers.fuse import Analysed


@dataclass(frozen=True)
class Reader:
    """Analyses texts of the file at `path`, each once: stages of a compilation come back to the same ones.

    Raises SourceError where a text cannot be read.
    """

    path: str
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    _known: dict[str, Analysed] = field(default_factory=dict)

    def __call__(self, text: str) -> Analysed:
        if text not in self._known:
            unit = read_translation_unit(self.path, self.preprocess, text)
            self._known[text] = analysed(unit, self.analysis)
        return self._known[text]


def analysed(unit: TranslationUnit, analysis: AnalysisOptions) -> Analysed:
    """A file and what is known of it."""
    return Analysed(unit, analyse(unit, analysis), names_of(unit, analysis))
