"""One translation unit: preprocessing, line map, parsing with recovery, tokens, text edits."""

from species.source.preprocess.run import PreprocessOptions, find_compiler
from species.source.text.edits import Edit, apply_edits
from species.source.text.files import SourceError, SourceFile
from species.source.text.macros import MacroDefinition, MacroTable
from species.source.text.tokens import Token, tokenize
from species.source.unit import TranslationUnit, read_translation_unit

__all__ = [
    "Edit",
    "MacroDefinition",
    "MacroTable",
    "PreprocessOptions",
    "SourceError",
    "SourceFile",
    "Token",
    "TranslationUnit",
    "apply_edits",
    "find_compiler",
    "read_translation_unit",
    "tokenize",
]
