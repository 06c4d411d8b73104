"""Programs of several files, analysed as one, for tests."""

from __future__ import annotations

import re
from collections.abc import Mapping

from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import UnitFacts
from species.interprocedural.join import Program
from species.interprocedural.summary import Summary
from species.source import PreprocessOptions, read_translation_unit
from tests.oracle.generator import PRELUDE

_FUNCTION = re.compile(r"^static ([^{;]*?)( \{.*\}|;)$", re.MULTILINE)
_VARIABLE = re.compile(r"^(?:const )?(?:int|double|unsigned|unsigned char|struct S) \w[^()]*;$", re.MULTILINE)
_NAMES = re.findall(r"^static [\w ]*?(\w+)\(", PRELUDE, re.MULTILINE)
_CALL = re.compile(rf"\b(?:{'|'.join(_NAMES)})\(")


def calls_of_kit(text: str) -> bool:
    """Does the text call one of the oracle's functions?"""
    return _CALL.search(text) is not None


def analysed(files: Mapping[str, str], *defines: str) -> dict[str, UnitFacts]:
    """The facts of every file, by its name, where the files are one program."""
    options = PreprocessOptions(defines=defines)
    units = {name: read_translation_unit(name, options, text=text) for name, text in files.items()}
    alone = {name: analyse(unit, AnalysisOptions(summary=True)) for name, unit in units.items()}
    imports = Program([Summary.read(facts.summary) for facts in alone.values()]).imports()
    again = {name: analyse(units[name], AnalysisOptions(imports=text)) for name, text in imports.items()}
    return alone | again


def split(functions: str) -> dict[str, str]:
    """The oracle's functions in one file, `functions` that use them in another; and both in a third.

    None of the oracle's is static, so that the third is what the first two are together.
    """
    shared = _FUNCTION.sub(r"\1\2", PRELUDE)
    seen = _FUNCTION.sub(r"\1;", PRELUDE)
    seen = _VARIABLE.sub(lambda match: "extern " + re.sub(r" = [^,;]*", "", match[0]), seen)
    return {"kit.c": shared, "use.c": seen + functions, "all.c": shared + functions}
