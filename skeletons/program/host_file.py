"""The host's file of a program: the source, in which kernels' loops, and others, have been replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skeletons.catalogue.descriptor import Target
from skeletons.kernel.spelling import user_words
from skeletons.program.guards import without_misleading_lines
from skeletons.program.threads import helper_edit
from skeletons.schedule.emit.sizes import Sizes
from skeletons.select.api import Residence
from species.core.positions import Span
from species.facts.loops import LoopFacts
from species.kernels.prefix import name_prefix
from species.sets.isl_to_c import DEFINITIONS
from species.source.line_numbers import Numbers, looks_at_lines
from species.source.text.code import identifier, starts_line
from species.source.text.edits import Edit, apply_edits
from species.source.text.rewriting import Rewriting

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass
class HostFile:
    """Collects the edits of a file; `rewritings` as of `compile_unit`."""

    unit: TranslationUnit
    target: Target
    rewritings: tuple[Rewriting, ...] = ()
    edits: list[Edit] = field(default_factory=list)
    sized: list[int] = field(default_factory=list)  # places of code for the sizes that macros have now
    asks: list[Edit] = field(default_factory=list)  # for data on a device
    functions: list[tuple[int, str]] = field(default_factory=list)  # for contractions, with their places

    @property
    def prefix(self) -> str:
        """What begins the names of the functions that ask."""
        return asking_prefix(self.unit)

    def newlines(self, text: str) -> str:
        """`text` with the line ends of the original file."""
        newline = "\r\n" if "\r\n" in self.unit.source.text else "\n"
        return text.replace("\r\n", "\n").replace("\n", newline)

    def put(self, span: Span, text: str) -> None:
        """Put a text in the place of what stands at `span`."""
        self.edits.append(Edit(span, self.newlines(text)))

    def mention(self, span: Span, function: str, unused: tuple[str, ...], done: set[tuple[str, str]]) -> None:
        """Keep the compiler from complaining of variables of a function whose only users have left the file,
        behind what was put at `span`; `done` are those that were mentioned, and becomes longer.
        """
        names = [name for name in unused if (function, name) not in done]
        done.update((function, name) for name in names)
        place = next(k for k, edit in enumerate(self.edits) if edit.span == span)
        if names:
            self.edits[place] = Edit(span, _mentioning(self.edits[place].replacement, names))

    def ask(self, residence: Residence, replaced: Sequence[LoopFacts], *, has_units: bool) -> None:
        """Let host code ask for what may be on the device, where these loops are kernels; with `has_units`,
        it tells the run-time library of variables, too.

        In their middle there is no host code: what is declared there is the kernels' own.
        """
        wholes = [loop.spans.whole for loop in replaced if loop.spans is not None]

        def outside(edits: Sequence[Edit]) -> list[Edit]:
            free = (e for e in edits if not any(w.start < e.span.start < w.end for w in wholes))
            return [Edit(e.span, self.newlines(e.replacement)) for e in free]

        self.asks = outside(residence.edits(replaced, self.prefix))
        self.edits += self.asks
        if has_units:
            self.edits += outside(residence.declarations(self.prefix))

    def asked(self) -> Iterator[tuple[int, str]]:
        """The lines before which host code asks for data, and how."""
        for edit in self.asks:
            text = edit.replacement.strip().removeprefix("{").strip()
            if text != "}":
                yield self.unit.source.position(edit.span.start).line, " ".join(text.split())

    def text(self, stem: str, common: str) -> str:
        """The whole file; `common` is what the functions of contractions have in common."""
        places = [*self.sized, *(edit.span.start for edit in self.asks)]
        sizes = (Edit(e.span, self.newlines(e.replacement)) for e in Sizes(self.unit).assertions(places))
        edits = sorted([*self.edits, *self._functions(common), *sizes], key=lambda edit: edit.span)
        edits = [*helper_edit(self.unit, self.target, edits, self.newlines), *edits]
        own = user_words(self.unit)
        needed = (name for name in DEFINITIONS if any(name in e.replacement for e in edits))
        helpers = [DEFINITIONS[name] for name in needed if name not in own]
        if helpers:
            edits.insert(0, Edit(Span(0, 0), self.newlines("\n".join(helpers) + "\n")))
        if self.target.accelerator:
            edits.insert(0, Edit(Span(0, 0), self.newlines(f'#include "{stem}_kernels.h"\n')))
        if looks_at_lines(self.unit):
            edits = list(Numbers(self.unit.source, self.rewritings).kept(edits))
        source = self.unit.source.text
        return without_misleading_lines(apply_edits(source, _behind_mark(source, edits)), self._original)

    @property
    def _original(self) -> str:
        """The text as the user wrote it."""
        return self.rewritings[-1].original if self.rewritings else self.unit.source.text

    def _functions(self, common: str) -> Iterator[Edit]:
        """The functions of the contractions, before the first of them what they have in common."""
        texts: dict[int, str] = {}
        for point, text in self.functions:
            texts[point] = texts.get(point, "") + self.newlines(text)
        for k, (point, text) in enumerate(sorted(texts.items())):
            before = self.newlines(common + "\n") if k == 0 else ""
            apart = "" if starts_line(self.unit.source.text, point) else self.newlines("\n")
            yield Edit(Span(point, point), apart + before + text)


def asking_prefix(unit: TranslationUnit) -> str:
    """What begins the names of the functions by which a host file asks for data on the device."""
    return identifier(name_prefix(unit)) + "_host_"


def _behind_mark(text: str, edits: list[Edit]) -> list[Edit]:
    """The edits, none of them before a mark that says that the file is UTF-8."""
    if not text.startswith("\ufeff"):
        return edits
    return [Edit(Span(1, 1), e.replacement) if e.span == Span(0, 0) else e for e in edits]


def _mentioning(statement: str, names: list[str]) -> str:
    mentions = " ".join(f"(void){name};" for name in names)
    last = statement.rsplit("\n", 1)[-1]
    if last == statement:
        return f"{{ {statement} {mentions} }}"
    indent = last[: len(last) - len(last.lstrip())]
    return f"{{\n{indent}{statement}\n{indent}{mentions}\n{indent}}}"
