"""A file, read as if it had other texts: what kernels that become one, or move, are judged by."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

from species import analyse
from species.analysis.analyse import names_of
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from transfers.fuse import Analysed


@dataclass(frozen=True)
class Known:
    """What stages of a compilation have shown, or made so: see `AnalysisOptions`."""

    listed: frozenset[str] = frozenset()
    per_thread: frozenset[str] = frozenset()
    parts_of_loops: frozenset[tuple[str, str]] = frozenset()


NOTHING = Known()


@dataclass(frozen=True)
class Reader:
    """Analyses texts of the file at `path`, each once: stages of a compilation come back to the same ones.

    Static control parts are only looked for where somebody asks for them, in all texts (`scops`) or in one,
    whatever `analysis` says.  Raises SourceError where a text cannot be read.
    """

    path: str
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    scops: bool = False
    _known: dict[tuple[str, bool, Known], Analysed] = field(default_factory=dict)

    def __call__(self, text: str, *, scops: bool = False, known: Known = NOTHING) -> Analysed:
        """What the text is, where so much is `known` of names in it."""
        scops = scops or self.scops
        found = self._known.get((text, True, known)) or self._known.get((text, scops, known))
        if found is None:
            unit = read_translation_unit(self.path, self.preprocess, text)
            found = analysed(unit, replace(self.analysis, scops=scops, **asdict(known)))
            self._known[text, scops, known] = found
        return found


def analysed(unit: TranslationUnit, analysis: AnalysisOptions) -> Analysed:
    """A file and what is known of it."""
    return Analysed(unit, analyse(unit, analysis), names_of(unit, analysis))
