"""A file, read as if it had other texts: what kernels that become one, or move, are judged by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from species import analyse
from species.analysis.analyse import names_of
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from transfers.fuse import Analysed


@dataclass(frozen=True)
class Reader:
    """Analyses texts of the file at `path`, each once: stages of a compilation come back to the same ones.

    Static control parts are only looked for where somebody asks for them, whatever `analysis` says.  Raises
    SourceError where a text cannot be read.
    """

    path: str
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    _known: dict[tuple[str, bool, frozenset[str]], Analysed] = field(default_factory=dict)

    def __call__(self, text: str, *, scops: bool = False, listed: frozenset[str] = frozenset()) -> Analysed:
        """`listed` as of `AnalysisOptions`."""
        known = self._known.get((text, True, listed)) or self._known.get((text, scops, listed))
        if known is None:
            unit = read_translation_unit(self.path, self.preprocess, text)
            known = analysed(unit, replace(self.analysis, scops=scops, listed=listed))
            self._known[text, scops, listed] = known
        return known


def analysed(unit: TranslationUnit, analysis: AnalysisOptions) -> Analysed:
    """A file and what is known of it."""
    return Analysed(unit, analyse(unit, analysis), names_of(unit, analysis))
