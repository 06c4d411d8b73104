"""A kernel together with its file and target: what selection and instantiation ask questions of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.dialect import Dialect
from skeletons.kernel.spelling import Spelling
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts.loops import Kernel, KernelArray, KernelLoop, KernelScalar, LoopFacts, Transfer
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.scopes import Scopes
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk
from species.source.text.code import (
    directives,
    identifier,
    names_in,
    parenthesised,
    substitute,
    without_directives,
)
from species.source.text.tokens import is_pragma

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class Subject:
    """One kernel, to be fitted with a skeleton of `target`."""

    unit: TranslationUnit
    declarations: Declarations
    facts: LoopFacts
    kernel: Kernel
    target: Target
    copies: tuple[Transfer, ...]
    known: frozenset[str] = frozenset()  # arrays that host code knows by the address that the kernel gets
    device: str = "gpu"  # what accelerators are, by the machine's description: "gpu" or "cpu"
    reorder: bool = False  # sums may be computed in another order, for vectors
    jam: bool = False  # iterations may be made side by side
    packed: frozenset[str] = frozenset()  # arrays of which launches count the cells that they write
    shared: Shared | None = None  # what the devices of a program share; the kernel is that of one device
    in_lanes: tuple[InLanes, ...] = ()  # loops whose iterations may run side by side in a kernel

    def transfers(self, array: str, direction: str) -> tuple[Transfer, ...]:
        """The planned copies of an array in ("in") or back ("out")."""
        return tuple(t for t in self.copies if (t.array, t.direction) == (array, direction))

    @property
    def text(self) -> str:
        """The original file."""
        return self.unit.source.text

    @property
    def name(self) -> str:
        """The kernel's name as a C identifier."""
        return identifier(self.kernel.name)

    @property
    def line(self) -> int:
        """The line on which the kernel's loop begins."""
        return self.facts.position.line

    @property
    def span(self) -> Span:
        """The whole nest."""
        return self.kernel.loops[0].spans.whole

    @cached_property
    def dialect(self) -> Dialect:
        """The device language; Refusal where the target has none."""
        if self.target.dialect is None:
            raise Refusal(f"target {self.target.name} has no device language")
        return Dialect.read(self.target.folder / self.target.dialect)

    @cached_property
    def spelling(self) -> Spelling:
        """How the file's names are spelled on the device."""
        return Spelling.of(self.unit, self.declarations, self.dialect)

    @cached_property
    def spread(self) -> tuple[KernelLoop, ...]:
        """The base loops whose iterations are spread over threads, outermost first."""
        found: list[KernelLoop] = []
        for loop in self.kernel.loops[: self.target.dimensions]:
            if loop.trips is None:
                break
            found.append(loop)
        if not found:
            raise Refusal("the number of iterations is not known before the loop")
        return tuple(found)

    @cached_property
    def body(self) -> str:
        """What one thread's iteration executes, pragmas taken out; Refusal at other directives."""
        rest = self.kernel.loops[len(self.spread) :]
        span = rest[0].spans.whole if rest else self.kernel.loops[-1].spans.body
        text = span.of(self.text)
        for token in directives(text):
            if not is_pragma(token):
                raise Refusal(
                    f"the preprocessor line `{token.text.split(chr(10))[0]}` stands inside the loop"
                )
        return without_directives(text)

    @cached_property
    def iterators(self) -> frozenset[str]:
        """The iterators of all base loops."""
        return frozenset(loop.iterator for loop in self.kernel.loops)

    @cached_property
    def tied(self) -> str:
        """The iterator of the first base loop whose bounds depend on another one; "": there is none."""
        for loop in self.kernel.loops:
            if (self.iterators - {loop.iterator}) & set(names_in(f"{loop.lower} {loop.condition}")):
                return loop.iterator
        return ""

    @cached_property
    def arrays(self) -> dict[str, KernelArray]:
        """The kernel's arrays by name."""
        return {array.name: array for array in self.kernel.arrays}

    def scalars(self, *roles: str) -> tuple[KernelScalar, ...]:
        """The scalars of these roles, the base loops' iterators left out."""
        return tuple(s for s in self.kernel.scalars if s.role in roles and s.name not in self.iterators)

    def kept_iterators(self) -> tuple[str, ...]:
        """The iterators whose final value is needed after the nest."""
        return tuple(
            s.name for s in self.kernel.scalars if s.role == "lastprivate" and s.name in self.iterators
        )

    def free_names(self, *texts: str) -> tuple[str, ...]:
        """Variables that `texts` mention beyond the kernel's own arrays, scalars and iterators."""
        known = self.iterators | set(self.arrays) | {scalar.name for scalar in self.kernel.scalars}
        known |= {MINIMUM, MAXIMUM}
        found = dict.fromkeys(name for text in texts for name in self._variables(text))
        return tuple(name for name in found if name not in known)

    def _variables(self, text: str, depth: int = 0) -> list[str]:
        """The names in `text` that are no macros and no types, those inside macros included."""
        found: list[str] = []
        for name in names_in(text):
            macro = self.unit.macros.definition(name, self.line)
            if macro is not None and depth < 20:
                found += [n for n in self._variables(macro.body, depth + 1) if n not in (macro.params or ())]
            elif name not in self.declarations.types and not name.startswith("__"):
                found.append(name)
        return found

    def macro_names(self, text: str, depth: int = 0) -> frozenset[str]:
        """All names that the macros in `text` bring in, those inside of other macros included."""
        found: set[str] = set()
        for name in names_in(text):
            macro = self.unit.macros.definition(name, self.line)
            if macro is not None and depth < 20:
                found |= {*names_in(macro.body), *self.macro_names(macro.body, depth + 1)}
        return frozenset(found)

    def macro_body(self, name: str) -> str | None:
        """What the macro `name` stands for at the loop; None if it is none."""
        macro = self.unit.macros.definition(name, self.line)
        return None if macro is None else str(macro.body)

    @cached_property
    def redeclared(self) -> frozenset[str]:
        """The names that are declared inside the nest, but for the headers of the base loops.

        Where such a name is used, its text does not tell which variable it means.
        """
        own = (
            node
            for node in self.unit.all_of(c_ast.For)
            if self.unit.loop_position(node) == self.facts.position
        )
        found = [n.name for node in own for n in walk(node) if isinstance(n, c_ast.Decl)]
        for loop in self.kernel.loops:
            if loop.declared_inside:
                found.remove(loop.iterator)
        return frozenset(found)

    def declaration(self, name: str) -> Any:
        """The c_ast.Decl of a variable, as the kernel sees it; None if there is none."""
        return self._scopes.declaration(name)

    @cached_property
    def _scopes(self) -> Scopes:
        return Scopes(self.unit, self.facts.function, self.facts.position)

    def canonical(self, ctype: str, name: str) -> str:
        """The built-in type behind `ctype`; Refusal for anything that is no number."""
        found = self.declarations.canonical(ctype)
        if found is None:
            raise Refusal(f"{name} has the type `{ctype}`, which is no number")
        return found

    def declared_type(self, name: str) -> str:
        """The built-in type of a variable that the facts do not list."""
        node = self.declaration(name)
        inner = getattr(getattr(node, "type", None), "type", None)
        if not isinstance(inner, c_ast.IdentifierType):
            raise Refusal(f"the type of {name} is not known")
        return self.canonical(" ".join(inner.names), name)


@dataclass(frozen=True)
class Shared:
    """A kernel as a whole, and the one of its loops whose iterations devices share."""

    subject: Subject
    loop: KernelLoop


@dataclass(frozen=True)
class InLanes:
    """A loop by itself, of which `lanes` iterations may run side by side."""

    subject: Subject
    lanes: int


def is_pointer_to_pointer(node: Any) -> bool:
    """Is the declared variable an array of separately allocated rows (`double **a`, `double *a[N]`)?"""
    outer = getattr(node, "type", None)
    if not isinstance(outer, c_ast.PtrDecl | c_ast.ArrayDecl):
        return False
    inner = outer.type
    while isinstance(inner, c_ast.ArrayDecl):
        inner = inner.type
    return isinstance(inner, c_ast.PtrDecl)


def holds_at(loop: KernelLoop, number: str, ctype: str) -> str:
    """Is the iteration of this number one of the loop's?  C text, for numbers below `loop.trips`; `ctype` is
    the built-in type of the iterator.
    """
    value = value_at(loop, number)
    if ctype not in ("int", "long"):
        value = f"({ctype})({value})"
    return substitute(loop.condition, {loop.iterator: value})


def value_at(loop: KernelLoop, counter: str) -> str:
    """The iterator's value in iteration number `counter`, as C text."""
    size = abs(loop.step)
    moved = counter if size == 1 else f"{counter} * {size}"
    if loop.lower.strip() == "0" and loop.step > 0:
        return moved
    return f"{parenthesised(loop.lower)} {'+' if loop.step > 0 else '-'} {moved}"
