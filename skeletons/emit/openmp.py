"""Transformed nests as C with OpenMP: one parallel region for each, its loops shared by the threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skeletons.ctext import accesses, block, code_tokens, names_in, parenthesised, rename
from skeletons.emit.bounds import Bounds
from skeletons.emit.comments import Comments
from skeletons.emit.printer import Header, Lines, Printer, State, indented, with_body
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band, Leaf, Sequence, Tree, bands
from species.scops import ScopStatement
from species.source.edits import Edit, apply_edits

MacroText = Callable[[str], str]  # the names that a macro's text mentions, "" for what is no macro


@dataclass(frozen=True)
class OpenMP:
    """How loops and statements read in C with OpenMP (`skeletons.emit.printer.Dialect`)."""

    model: ScopModel
    text: str  # of the file
    macro: MacroText
    bounds: Bounds
    comments: Comments
    region: bool  # inside a parallel region
    condition: str  # when threads are worth their start; empty: always

    def statement(self, name: str, values: tuple[str, ...]) -> str:
        statement = self.model.statements[name]
        text = block(statement.span.of(self.text), 0)
        changed = {i: v for i, v in zip(statement.iterators, values, strict=True) if i != v}
        used = {i: v for i, v in changed.items() if i in self._names(text)}
        declared = [f"{t.ctype} {t.name};" for t in statement.temporaries]
        if used and not self._is_hidden(text, used):
            text = rename(text, {i: parenthesised(v) if _needs(v) else v for i, v in used.items()})
        else:
            declared += [f"const {self.bounds.ctype(i)} {i} = {v};" for i, v in used.items()]
        comments = [line for comment in self.comments.get(name, ()) for line in block(comment, 0).split("\n")]
        if not declared:
            return "\n".join([*comments, text])
        return "\n".join([*comments, "{", *indented([*declared, *text.split("\n")]), "}"])

    def _names(self, text: str, depth: int = 0) -> set[str]:
        found = set(names_in(text))
        if depth < 20:
            for name in tuple(found):
                found |= self._names(self.macro(name), depth + 1) if self.macro(name) else set()
        return found

    def _is_hidden(self, text: str, used: dict[str, str]) -> bool:
        """Does a macro mention an iterator, or the text declare one of its name?"""
        words = [token.text for token in code_tokens(text)]
        declares = any(a in ("int", "long", "size_t", "short", "unsigned", "char") and b in used
                       for a, b in zip(words, words[1:], strict=False))  # fmt: skip
        return declares or bool(set(used) & (self._names(text) - set(names_in(text))))

    def bound(self, band: Band, text: str) -> str:
        return self.bounds.readable(band, text)

    def enters(self, band: Band, state: State) -> bool:
        return "parallel" in band.marks or (self.region and not _is_shared(band))

    def lonely(self, lines: Lines, state: State) -> Lines:
        if not lines or state.alone or not self.region:
            return lines
        return ["#pragma omp single", "{", *indented(lines), "}"]

    def loop(self, header: Header, body: Lines, state: State) -> Lines:
        band = header.band
        ctype = self.bounds.type_of(band)
        first = f"for ({ctype} {band.name} = {header.start}; {header.condition}; {header.increment})"
        comments = [line for comment in self.comments.get(id(band), ()) for line in block(comment, 0).split("\n")]
        if "accumulate" in band.marks:
            return [*comments, *self._accumulating(header, first, body)]
        return [*comments, *self._pragmas(band, state), *with_body(first, body)]

    def _pragmas(self, band: Band, state: State) -> Lines:
        if "parallel" in band.marks:
            simd = " simd" if "simd" in band.marks else ""
            schedule = " schedule(dynamic, 8)" if "uneven" in band.marks else ""
            if self.region:
                return [f"#pragma omp for{simd}{schedule}"]
            condition = f" if({self.condition})" if self.condition else ""
            return [f"#pragma omp parallel for{simd}{schedule}{condition}"]
        if self.region and not state.alone and not _is_shared(band):
            return ["#pragma omp single"]
        return ["#pragma omp simd"] if "simd" in band.marks else []

    def _accumulating(self, header: Header, first: str, body: Lines) -> Lines:
        """The cell that a loop adds to, in a variable: read before the loop and written behind it."""
        statement = _only(self.model, header.band)
        array = next(a.array for a in statement.accesses if a.write)
        owner = next(a for a in self.model.scop.arrays if a.name == array)
        name = self.bounds.fresh(f"{owner.variable}_part")
        update = with_cell(body, owner.variable, name)
        if update is None:
            return with_body(first, body)
        lines = [
            f"{owner.element} {name} = {update.cell};",
            f"#pragma omp simd reduction({statement.operator}:{name})",
            *with_body(first, update.lines),
            f"{update.cell} = {name};",
        ]
        if header.start.isdigit() and header.condition.split()[-1].isdigit():
            return ["{", *indented(lines), "}"]
        nonempty = rename(header.condition, {header.band.name: parenthesised(header.start)})
        return [f"if ({nonempty}) {{", *indented(lines), "}"]


def _needs(text: str) -> bool:
    return not text.replace("_", "a").isalnum()


def _only(model: ScopModel, band: Band) -> ScopStatement:
    assert isinstance(band.child, Leaf)
    return model.statements[band.child.statement]


def _is_shared(tree: Tree) -> bool:
    """Do threads share a loop in it?"""
    return any("parallel" in band.marks for band in bands(tree))


@dataclass(frozen=True)
class Update:
    """The cell that a statement updates, and its lines with a variable in the cell's place."""

    cell: str
    lines: Lines


def with_cell(lines: Lines, array: str, name: str) -> Update | None:
    """The update of one cell of an array (or of a variable); None where the text has another cell of it, too."""
    text = "\n".join(lines)
    uses = accesses(text, array)
    cells = {tuple("".join(t.text for t in code_tokens(s)) for s in use.subscripts) for use in uses}
    if len(cells) != 1:
        return None
    edits = [Edit(use.span, name) for use in uses]
    return Update(uses[0].span.of(text), apply_edits(text, edits).split("\n"))


def region_lines(
    model: ScopModel,
    tree: Tree,
    text: str,
    macro: MacroText,
    bounds: Bounds,
    comments: Comments,
    condition: str,
) -> Lines:
    """The nests as C: a combined directive for one loop, a region around several."""
    children = tree.children if isinstance(tree, Sequence) else (tree,)
    shared = [child for child in children if _is_shared(child)]
    alone = len(shared) == 1 and isinstance(shared[0], Band) and "parallel" in shared[0].marks
    region = bool(shared) and not alone
    dialect = OpenMP(model, text, macro, bounds, comments, region, condition)
    lines = Printer(model, dialect).lines(tree, State(dict(model.scop.parameters)))
    if not region:
        return lines
    clause = f" if({condition})" if condition else ""
    return [f"#pragma omp parallel{clause}", "{", *indented(lines), "}"]
