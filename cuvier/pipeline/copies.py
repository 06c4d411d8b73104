"""Planned copies between host and accelerator, written into the C file as pragmas."""

from __future__ import annotations

from dataclasses import replace

from species import analyse
from species.analysis.analyse import names_of
from species.analysis.options import AnalysisOptions
from species.annotate.markers import mask
from species.source import PreprocessOptions, read_translation_unit
from species.source.text.edits import apply_edits
from transfers import resident


def with_copies(path: str, text: str, preprocess: PreprocessOptions, analysis: AnalysisOptions) -> str:
    """The text with pragmas where `cuvier compile` begins copies early, and where it waits for them.

    Raises SourceError, as `read_translation_unit` does, and for pragmas that are there and make no sense.
    """
    unit = read_translation_unit(path, preprocess, mask(text))
    options = replace(analysis, scops=True)
    staying = resident(unit, facts := analyse(unit, options), names_of(unit, options))
    edits = staying.as_pragmas(facts)
    return apply_edits(text, sorted(edits, key=lambda edit: edit.span))
