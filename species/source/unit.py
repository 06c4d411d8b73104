"""One translation unit: from a path to a syntax tree whose nodes know their places in the user's files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import Coord

from species.core.positions import Diagnostic, LoopSpans, Position, Span
from species.source.parse.assembly import named_in_assembly
from species.source.parse.attributes import promises, renamed
from species.source.parse.constructs import guard_constructs
from species.source.parse.definitions import defines
from species.source.parse.dialect import plain_c
from species.source.parse.idioms import resolve_idioms
from species.source.parse.missing import doubt_names, names_outside
from species.source.parse.recovery import Loss, Parsed, parse
from species.source.parse.refusals import without_refused
from species.source.parse.statement_starts import statement_start
from species.source.parse.unknown import unclear_types
from species.source.preprocess.directives import Directives, directives, hinted_lines
from species.source.preprocess.file_options import FileOptions, file_options
from species.source.preprocess.linemap import LineMap
from species.source.preprocess.machine import check_machine
from species.source.preprocess.output import Missing, PreprocessedOutput, read_output
from species.source.preprocess.run import PreprocessOptions, preprocess
from species.source.syntax.tree import walk
from species.source.text.files import SourceError, SourceFile, read_source_file
from species.source.text.idle_functions import without_idle_functions
from species.source.text.macros import MacroTable
from species.source.text.statements import UnbalancedError, loop_shape, statement_end
from species.source.text.tokens import above_pragmas, tokenize

_KEYWORDS = {"For": "for", "While": "while", "DoWhile": "do"}
_WORD = re.compile(r"[A-Za-z_]\w*")
_C17 = "201710L"
_STARTS_WITH_COORD = (
    *("For", "While", "DoWhile", "If", "Switch", "Compound", "Return", "Break", "Continue", "Goto", "Label"),
    *("Case", "Default", "EmptyStatement"),
)


@dataclass(frozen=True)
class TranslationUnit:
    """A preprocessed and parsed file.

    The tree's coordinates (`node.coord`) are lines and columns of the preprocessed text: only `position` and
    the other methods here make sense of them.  The tree has no Pragma nodes; `pragmas` lists the main file's,
    each as the text after `#pragma`.  `status` is "ok", "partial" (a part of the user's files was not
    understood).  `promises` are what attributes say of functions: pure, const or weak.  What a
    call of one of `hidden` executes cannot be told from the tree.  `directives` are the user's of OpenMP.
    `options` are those that pragmas and attributes set.  Of the variables in `doubtful` nobody knows what
    they are, or whether they are other ones as well; what is declared outside of functions and named in
    `assembly` may be changed, and called, by it.  The lines of the preprocessed text in `hinted` begin with
    what a hint to the compiler is about.  The headers in `missing` were not found.
    """

    source: SourceFile
    sources: Mapping[str, SourceFile]
    ast: c_ast.FileAST
    diagnostics: tuple[Diagnostic, ...]
    status: str
    preprocessed: str
    macros: MacroTable
    pragmas: tuple[tuple[Position, str], ...]
    promises: Mapping[str, str]
    hidden: frozenset[str]
    directives: Directives
    options: FileOptions
    doubtful: frozenset[str]
    assembly: frozenset[str]
    hinted: frozenset[int]
    missing: tuple[str, ...]
    _map: LineMap = field(repr=False, compare=False)

    def all_of(self, kind: type[c_ast.Node]) -> Sequence[Any]:
        """The nodes of one kind in the whole tree, in the order of the text."""
        return self._kinds.get(kind, ())

    @cached_property
    def words(self) -> frozenset[str]:
        """The names and keywords of the preprocessed text, with what looks like some in its literals."""
        return frozenset(_WORD.findall(self.preprocessed))

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of functions that are called somewhere."""
        calls = (node.name for node in walk(self.ast) if isinstance(node, c_ast.FuncCall))
        return frozenset(name.name for name in calls if isinstance(name, c_ast.ID))

    @cached_property
    def unexpanded(self) -> frozenset[str]:
        """The words of the user's files that the preprocessor leaves as they are, somewhere."""
        return frozenset(self._map.texts)

    @cached_property
    def _kinds(self) -> Mapping[type[c_ast.Node], Sequence[c_ast.Node]]:
        found: dict[type[c_ast.Node], list[c_ast.Node]] = {}
        for node in walk(self.ast):
            found.setdefault(type(node), []).append(node)
        return found

    def position(self, coord: Coord | None) -> Position:
        """Where a node stands in the original file; for what a macro made, the place of the macro's use."""
        if coord is None:
            return Position(self.source.path, 1, 1)
        return self._map.position(coord.line, coord.column or 1)

    def with_code(self, build: Callable[[Callable[[Position], Coord]], list[c_ast.Node]]) -> TranslationUnit:
        """The unit with more declarations behind its own, which stand in other files.

        `build` makes them; it is given what makes the coordinates of their nodes.
        """
        extended = self._map.extended()
        added = build(lambda position: Coord("", extended.add(position), 1))
        return replace(self, ast=c_ast.FileAST([*self.ast.ext, *added]), _map=extended)

    def is_user_file(self, path: str) -> bool:
        """Is it the main file or one that it includes, other than a system header?"""
        return path in self.sources

    def is_users(self, node: c_ast.Node) -> bool:
        """Does it stand in the user's files, and is it a part of this unit's own code?"""
        added = node.coord is not None and self._map.is_added(node.coord.line)
        return not added and self.is_user_file(self.position(node.coord).file)

    def loop_position(self, node: c_ast.Node) -> Position:
        """The place of a loop's keyword, or of the macro use that it comes from."""
        return self.position(node.coord)

    def loop_spans(self, node: c_ast.Node) -> LoopSpans | None:
        """Where a For, While or DoWhile stands in its file; None where macros make it no single stretch."""
        keyword = self._word(node)
        if keyword is None or self._map.texts[keyword] != _KEYWORDS.get(type(node).__name__):
            return None
        try:
            shape = loop_shape(self._map.texts, keyword)
        except UnbalancedError:
            return None
        if not self._map.is_literal(keyword) or not self._map.same_file(keyword, shape.body_start):
            return None
        whole = self._map.span(keyword, shape.end)
        header = self._map.span(keyword, shape.header_end)
        body = self._map.span(shape.body_start, shape.body_end)
        return LoopSpans(whole, header, body) if whole and header and body else None

    def loop_stretch(self, node: c_ast.Node) -> Span | None:
        """From where to where a loop stands in its file, which may begin with a macro that makes its header;
        None where macros have more to do with it.
        """
        keyword = self._word(node)
        if keyword is None or self._map.texts[keyword] != _KEYWORDS.get(type(node).__name__):
            return None
        try:
            return self._map.span(keyword, loop_shape(self._map.texts, keyword).end)
        except UnbalancedError:
            return None

    def declaration_start(self, offset: int, *, nearest: bool = False) -> int | None:
        """Where the definition (or other external declaration) begins that holds a place of the main file, as
        the preprocessor leaves it, with the pragmas before it, which speak of it; None where it begins in
        another file (`nearest`: the last one before it that does not).
        """
        found = self._map.declaration_start(offset, nearest=nearest)
        return above_pragmas(self.source.text, found) if found is not None else None

    def defines(self, function: str) -> bool:
        """Do the user's files define a function of this name, whether its body is understood or not?"""
        parsed = (node for node in self.ast.ext if isinstance(node, c_ast.FuncDef))
        return any(node.decl.name == function for node in parsed) or defines(self._map.texts, function)

    def header_words(self, node: c_ast.Node) -> tuple[str, ...]:
        """The tokens of a loop's header, from the keyword on, as the preprocessor leaves them; maybe none."""
        keyword = self._word(node)
        if keyword is None or self._map.texts[keyword] not in _KEYWORDS.values():
            return ()
        try:
            return self._map.texts[keyword : loop_shape(self._map.texts, keyword).header_end + 1]
        except UnbalancedError:
            return ()

    def is_hinted(self, node: c_ast.Node) -> bool:
        """Does a pragma that speaks of the next loop stand before a loop?"""
        return node.coord is not None and node.coord.line in self.hinted

    def statement_span(self, node: c_ast.Node) -> Span | None:
        """Where a statement or a declaration stands in its file; None as for loops."""
        word = self._word(node)
        if word is None:
            return None
        try:
            if type(node).__name__ not in _STARTS_WITH_COORD:
                word = statement_start(self._map.texts, word)
            return self._map.span(word, statement_end(self._map.texts, word))
        except UnbalancedError:
            return None

    def member_span(self, node: c_ast.StructRef | c_ast.ID) -> Span | None:
        """Where `s->m.n` or `s` stands in the main file, written out; None where macros have a part in it."""
        words: list[str] = []
        part: c_ast.Node = node
        while isinstance(part, c_ast.StructRef):
            words[:0] = [part.type, part.field.name]
            part = part.name
        first = self._word(part)
        if first is None or not isinstance(part, c_ast.ID):
            return None
        last = first + len(words)
        if self._map.texts[first : last + 1] != (part.name, *words):
            return None
        literal = all(map(self._map.is_literal, range(first, last + 1)))
        return self._map.span(first, last) if literal else None

    def _word(self, node: c_ast.Node) -> int | None:
        return self._map.word_at(node.coord.line, node.coord.column or 1) if node.coord else None


def read_translation_unit(
    path: str, options: PreprocessOptions, text: str | None = None, preprocessed: str | None = None
) -> TranslationUnit:
    """Preprocess and parse a C file, or `text` as if the file at `path` read like this.

    `preprocessed` is what `preprocess` gave for it, where that has been done.

    Raises SourceError where there is no such file (CV003), the preprocessor fails (CV004), or types have
    other sizes than those of LP64 (CV007).  What the parser does not understand is left out and reported
    (CV001).
    """
    source = (
        read_source_file(path) if text is None else SourceFile(path, text.encode("utf-8", "surrogateescape"))
    )
    if preprocessed is None:
        preprocessed = preprocess(source, options, on_disk=text is None)
    output = read_output(preprocessed, path)
    check_machine(source, output.events)
    sources = _sources(source, output)
    macros = MacroTable(output.events)
    line_map = LineMap(output, sources, macros)
    users_text = _users_text(output)
    found = file_options(users_text, output.pragmas, (each.text for each in sources.values()))

    def is_user_line(line: int) -> bool:
        return output.visits[line_map.visit_of(line)].user

    headers, own = _parser_text(output)
    parsed = parse(
        headers + own,
        is_user_line,
        headers=len(headers),
        modern=_is_modern(output),
        guessing=bool(output.missing),
    )
    _doubt(parsed, is_user_line, output)
    parsed = without_refused(parsed, is_user_line, found.wraps_around or options.wraps_around)
    resolve_idioms(parsed.ast)
    guard_constructs(parsed.ast, output.pragmas)
    told = (loss for loss in parsed.losses if loss.user or not loss.of_statement)
    diagnostics = tuple(_diagnostic(loss, line_map) for loss in told)
    assembly = named_in_assembly(users_text).union(*(loss.mentioned for loss in parsed.losses))
    return TranslationUnit(
        source=source,
        sources=sources,
        ast=parsed.ast,
        diagnostics=(*(_about_missing(each, output) for each in output.missing), *diagnostics),
        status="partial" if output.missing else _status(parsed),
        preprocessed=preprocessed,
        macros=macros,
        pragmas=_pragmas(source, output),
        promises={**promises(users_text), **dict.fromkeys(found.weak_functions, "weak")},
        hidden=renamed(users_text).union(found.aliased, *(loss.names for loss in parsed.losses if loss.user)),
        options=found,
        doubtful=found.aliased.union(*(loss.variables for loss in parsed.losses if loss.user)),
        assembly=assembly | names_outside(parsed.ast) if output.missing else assembly,
        hinted=hinted_lines(output, source),
        missing=tuple(dict.fromkeys(each.name for each in output.missing)),
        directives=directives(output, parsed.ast, source, users_text),
        _map=line_map,
    )


def _sources(source: SourceFile, output: PreprocessedOutput) -> dict[str, SourceFile]:
    sources = {output.visits[0].file: source}
    for visit in output.visits:
        if visit.user and visit.physical and visit.file not in sources:
            try:
                sources[visit.file] = read_source_file(visit.file)
            except SourceError:
                continue  # gone since it was preprocessed: positions keep their lines
    return sources


def _parser_text(output: PreprocessedOutput) -> tuple[str, str]:
    """The text: the system's headers that it begins with, and the rest."""
    stretches = without_idle_functions(list(_stretches(output)))
    own = (k for k, (user, text) in enumerate(stretches) if user and not text.isspace() and text)
    first = next(own, len(stretches))
    plain = [plain_c(text, system=not user) for user, text in stretches]
    return "".join(f"{text}\n" for text in plain[:first]), "\n".join(plain[first:])


def _users_text(output: PreprocessedOutput) -> str:
    return "\n".join(text for user, text in _stretches(output) if user)


def _stretches(output: PreprocessedOutput) -> Iterator[tuple[bool, str]]:
    """The text, and whether it comes from the user's files or from system headers."""
    visits = [visit.user for visit in output.visits]
    first = 0
    for user, group in groupby(visits[visit] for visit, _ in output.origins):
        last = first + sum(1 for _ in group)
        yield user, "\n".join(output.lines[first:last]).replace("\r", " ")
        first = last


def _diagnostic(loss: Loss, line_map: LineMap) -> Diagnostic:
    position = line_map.position(loss.line, loss.column)
    why = loss.message if loss.refused else f"cannot parse ({loss.message})"
    message = f"{why}; {loss.left_out} is not analysed"
    return Diagnostic("warning" if loss.user else "note", "CV001", message, position)


def _is_modern(output: PreprocessedOutput) -> bool:
    """Is the language C23?"""
    said = (e.definition.body for e in output.events if e.name == "__STDC_VERSION__" and e.definition)
    return next(said, "") > _C17


def _doubt(parsed: Parsed, is_user_line: Callable[[int], bool], output: PreprocessedOutput) -> None:
    """Takes for unknown what the file does not say: types, and names that missing headers may declare."""
    if output.missing:
        functions = [n for n in parsed.ast.ext if isinstance(n, c_ast.FuncDef) and is_user_line(n.coord.line)]
        doubt_names(functions, names_outside(parsed.ast))
    parsed.ast.ext[:0] = unclear_types(parsed.unclear)


def _about_missing(missing: Missing, output: PreprocessedOutput) -> Diagnostic:
    position = Position(output.visits[missing.visit].file, missing.line, 1)
    message = (
        f"the header {missing.name} is not found and taken to be empty;"
        " what it may declare counts as unknown code; name its folder with -I DIR"
    )
    return Diagnostic("warning", "CV009", message, position)


def _status(parsed: Parsed) -> str:
    return "partial" if any(loss.user for loss in parsed.losses) else "ok"


def _pragmas(source: SourceFile, output: PreprocessedOutput) -> tuple[tuple[Position, str], ...]:
    if not output.pragmas:
        return ()
    columns = dict(_pragma_columns(source))
    return tuple(
        (Position(source.path, pragma.line, columns.get(pragma.line, 1)), pragma.text)
        for pragma in output.pragmas
        if pragma.visit == 0
    )


def _pragma_columns(source: SourceFile) -> Iterator[tuple[int, int]]:
    """Line and column of every directive and `_Pragma` of a file."""
    for token in tokenize(source.text):
        if token.kind == "directive" or token.text == "_Pragma":
            position = source.position(token.start)
            yield position.line, position.column
