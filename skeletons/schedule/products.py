"""The contractions of one file: recognised in nests, written as functions of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pycparser import c_ast

from skeletons.body.outline import start_of_function
from skeletons.schedule.blas import Blas
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.emit.ranges import ranges
from skeletons.sums.contraction import (
    BandLoop,
    Code,
    Contraction,
    FileNames,
    Parameter,
    generate,
    prelude,
    recognise,
)
from skeletons.sums.contraction.library import HEADER
from species.core.refusal import Refusal
from species.facts import ScopArray, ScopLoop
from species.source.scopes import FileScopes
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens, matching, names_in, parenthesised, words_in
from species.source.text.expansion import Inexpressible, expanded, names_behind
from species.source.text.macros import MacroDefinition

if TYPE_CHECKING:
    from species.source import TranslationUnit


_PLAIN = frozenset("+-*/%()")  # operators in macros that products understand


class Products:
    """Finds contractions, and remembers for which types of elements functions were written."""

    def __init__(
        self,
        unit: TranslationUnit,
        declarations: Declarations,
        tuning: Mapping[str, int] | None = None,
        *,
        library: bool = False,
    ) -> None:
        """With `library`, products are calls of CBLAS where that computes the same."""
        self._unit, self._declarations, self._tuning = unit, declarations, tuning
        self._scopes = FileScopes(unit)
        self._library = Blas(unit, declarations, self._scopes) if library else None
        self.calls_library = False
        self._elements: list[str] = []
        self._written: set[str] = set()

    @cached_property
    def _names(self) -> FileNames:
        return FileNames(words_in(self._unit.source.text), self._unit.macros.names)

    def recognise(self, model: ScopModel, name: str) -> Contraction | None:
        """The contraction that a statement is in its loops, if it is one and can be written."""
        statement = model.statements[name]
        if not statement.plain:
            return None
        try:
            loops = _guarded_loops(model, name) if statement.guarded else self._plain_loops(model, name)
            if loops is None:
                return None
            text = self._unfolded(model, statement.text or statement.span.of(self._unit.source.text))
            found = recognise(loops, text, self._types(model, name, text))
            if not isinstance(found, Contraction):
                return None
            self._names.check()
            self.parameters(model, found)
        except (Refusal, Inexpressible):
            return None
        return found

    def _unfolded(self, model: ScopModel, text: str) -> str:
        """A text of the nest without the macros that functions of their own cannot have: those that stand for
        variables of this one, and those with parameters.
        """
        definition = partial(self._unit.macros.definition, line=model.scop.position.line)
        local = self._local_names(model.scop.function)

        def is_wanted(macro: MacroDefinition) -> bool:
            return macro.params is not None or bool(local & names_behind(macro, definition))

        return expanded(text, definition, is_wanted)

    def _plain_loops(self, model: ScopModel, name: str) -> list[BandLoop] | None:
        """The loops around a statement as they are in the source."""
        found = []
        for loop in model.loops_around(name):
            lower, condition = (self._unfolded(model, text) for text in (loop.lower, loop.condition))
            found.append(_band_loop(replace(loop, lower=lower, condition=condition)))
        return None if None in found else [loop for loop in found if loop is not None]

    def _types(self, model: ScopModel, statement: str, text: str) -> dict[str, str]:
        """The types of the names in a statement: of arrays those of their elements."""
        arrays = {a.variable: a.element for a in model.scop.arrays}
        iterators = {loop.iterator: loop.ctype for loop in model.loops_around(statement)}
        found = {}
        for name in names_in(text):
            macro = self._unit.macros.definition(name, model.scop.position.line)
            if macro is not None:
                if self._is_whole(macro, model.scop.position.line):
                    found[name] = "int"
                continue  # what another hides is not known
            plain = arrays.get(name) or iterators.get(name) or self._declared(model, name)
            canonical = self._declarations.canonical(plain)
            if canonical is None:
                raise Refusal(f"{name} is no number")
            found[name] = canonical
        return found

    def _is_whole(self, macro: MacroDefinition, line: int, depth: int = 0) -> bool:
        """Does a macro stand for an `int`, as if it were a variable?"""
        tokens = code_tokens(macro.body)
        alone = tokens[:1] and tokens[0].text == "(" and matching(tokens, 0) == len(tokens) - 1
        inner = [self._unit.macros.definition(name, line) for name in names_in(macro.body)]
        return (
            macro.params is None
            and (len(tokens) == 1 or bool(alone))
            and all(t.kind == "identifier" or t.text in _PLAIN or _is_int(t.text) for t in tokens)
            and all(m is not None and depth < 20 and self._is_whole(m, line, depth + 1) for m in inner)
        )

    def _declared(self, model: ScopModel, name: str) -> str:
        if name == model.scop.skipped:
            return "long"
        node = self._scopes.at(model.scop.function, model.scop.position).declaration(name)
        inner = getattr(getattr(node, "type", None), "type", None)
        if not isinstance(inner, c_ast.IdentifierType):
            raise Refusal(f"the type of {name} is not known")
        return " ".join(inner.names)

    def parameters(self, model: ScopModel, found: Contraction) -> list[Parameter]:
        """The local variables as parameters, numbers before arrays; Refusal where that fails."""
        local = self._local_names(model.scop.function) | {model.scop.skipped}
        self._check_hidden(found, local, model.scop.position.line)
        self._check_place(found, model)
        arrays = {a.variable: a for a in model.scop.arrays if a.extents}
        names = [name for name in found.names if name in local]
        numbers = [
            Parameter(n, f"{self._declarations.canonical(self._declared(model, n))} {n}")
            for n in names
            if n not in arrays
        ]
        return numbers + [self._array(model, arrays[n], names) for n in names if n in arrays]

    def _check_hidden(self, found: Contraction, local: set[str], line: int) -> None:
        """Refusal where a macro stands for a variable that the functions have not, or an iterator."""
        strange = local | {loop.iterator for loop in found.loops}
        pending, seen = list(found.names), set[str]()
        while pending:
            name = pending.pop()
            macro = self._unit.macros.definition(name, line) if name not in seen else None
            seen.add(name)
            hidden = names_in(macro.body) if macro is not None else ()
            if strange & set(hidden):
                raise Refusal(f"the macro {name} names variables of the function")
            pending += hidden

    def _check_place(self, found: Contraction, model: ScopModel) -> None:
        """Refusal where a macro is another before the function, where the product's stand."""
        source, macros = self._unit.source, self._unit.macros
        line = source.position(start_of_function(self._unit, model.scop.span.start)).line
        if name := macros.differs(found.names, line, model.scop.position.line):
            raise Refusal(f"the macro {name} is defined inside the function")

    def _array(self, model: ScopModel, array: ScopArray, known: list[str]) -> Parameter:
        inner = [extent and self._unfolded(model, extent) for extent in array.extents[1:]]
        for extent in inner:
            strange = [n for n in names_in(extent or "") if n not in known and not self._is_macro(n)]
            if extent is None or strange:
                raise Refusal(f"the size of {array.variable} has no name outside of the function")
        element = self._declarations.canonical(array.element)
        sizes = "".join(f"[{extent}]" for extent in inner)
        const = "const " if array.readonly else ""
        return Parameter(array.variable, f"{const}{element} {array.variable}[restrict]{sizes}")

    def _is_macro(self, name: str) -> bool:
        return name in self._unit.macros.names

    def _local_names(self, function: str) -> set[str]:
        owner = next(
            n for n in self._unit.ast.ext if isinstance(n, c_ast.FuncDef) and n.decl.name == function
        )
        return {n.name for n in walk(owner) if isinstance(n, c_ast.Decl) and n is not owner.decl}

    def code(self, model: ScopModel, name: str, function: str) -> Code:
        """The functions for a contraction, `function` and others whose names begin with it, and the call."""
        found = self.recognise(model, name)
        assert found is not None
        library = self._library and partial(self._library.calls, model, name, found)
        made = generate(found, function, self.parameters(model, found), self._names, library=library or None)
        if made.from_library:
            self.calls_library = True
        else:
            self._elements.append(found.element)
        return made

    def fresh(self, wanted: str) -> str:
        """A name for functions that nothing in the file begins with."""
        name = wanted
        while any(word.startswith(name) for word in self._names.taken) or name in self._written:
            name += "_"
        self._written.add(name)
        return name

    def prelude(self) -> str:
        """What the file needs once for all functions that were written."""
        header = f"#include <{HEADER}>\n" if self.calls_library else ""
        return header + (prelude(self._elements, self._names, self._tuning) if self._elements else "")


def _is_int(text: str) -> bool:
    return text.isdecimal() and (text == "0" or text[0] != "0") and int(text) < 2**31


def _guarded_loops(model: ScopModel, name: str) -> list[BandLoop] | None:
    """Loops that make just the iterations of a statement in branches."""
    found = ranges(model, name)
    around = model.loops_around(name)
    if found is None or any(loop.step != 1 for loop in around):
        return None
    types = [loop.ctype.removeprefix("const ") for loop in around]
    return [
        BandLoop(loop.iterator, ctype, low, f"{high} + 1")
        for loop, ctype, (low, high) in zip(around, types, found, strict=True)
    ]


def _band_loop(loop: ScopLoop) -> BandLoop | None:
    """The loop with an upper bound that is not reached; None where it steps otherwise than by one."""
    match = re.fullmatch(rf"\s*{re.escape(loop.iterator)}\s*(<=?)\s*(.+)", loop.condition, re.DOTALL)
    if match is None or loop.step != 1:
        return None
    upper = match[2].strip() if match[1] == "<" else f"{parenthesised(match[2])} + 1"
    return BandLoop(loop.iterator, loop.ctype.removeprefix("const "), loop.lower, upper)
