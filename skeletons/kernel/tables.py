"""Tables of rows on a device: `a[i][j]` becomes `CUVIER_ROW(double, a_rows, (i) - a_first)[j]`."""

from __future__ import annotations

from collections.abc import Iterable

from skeletons.kernel.array_views import TableView
from skeletons.kernel.context import Subject
from skeletons.kernel.spelling import user_words
from species.analysis.user_directives import uses_openmp
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts.loops import Kernel, Transfer
from species.source import TranslationUnit
from species.source.text.code import accesses, names_in, parenthesised
from species.source.text.edits import Edit, apply_edits

_ROW = "CUVIER_ROW"
_STARTING = frozenset(("pthread_create", "thrd_create"))


def copies_of(kernel: Kernel, planned: Iterable[Transfer]) -> tuple[Transfer, ...]:
    """The copies that a kernel needs; of tables, those of their rows."""
    arrays, tables = ({one.name for one in listed} for listed in (kernel.arrays, kernel.tables))
    return tuple(t for t in planned if t.array in arrays or (t.array in tables and len(t.region) != 1))


def check_tables(subject: Subject, transform: str) -> None:
    """Refusal where the rows cannot be on a device, or a skeleton cannot have them."""
    names = {table.name for table in subject.kernel.tables}
    if names and (transform != "none" or subject.kernel.pattern):
        raise Refusal("it reaches rows by pointers")
    if names and _has_threads(subject.unit, subject.text):
        raise Refusal("rows are copied as whole blocks of memory, which threads of the file may write")
    if names and _ROW in user_words(subject.unit):
        raise Refusal(f"generated code has a {_ROW} of its own")
    for table in subject.kernel.tables:
        if not table.first:
            raise Refusal(f"the accessed rows of {table.name} are unknown")
    texts = [text for loop in subject.kernel.loops for text in (loop.lower, loop.condition, loop.trips or "")]
    texts += [text for table in subject.kernel.tables for text in (table.first, table.last)]
    if any(names & set(names_in(text)) for text in texts):
        raise Refusal("a bound is in a row")


def _has_threads(unit: TranslationUnit, text: str) -> bool:
    return uses_openmp(unit) or bool(_STARTING & set(names_in(text)))


def in_rows(subject: Subject, text: str, table: TableView) -> str:
    """`text` with the elements of a table's rows as a device reaches them; Refusal for other uses of it."""
    name = table.name
    for macro in names_in(text):
        if name in subject.macro_names(macro):
            raise Refusal(f"the macro {macro} uses {name}, which is a table of rows")
    if name in subject.redeclared:
        raise Refusal(f"another {name} is declared in the loop, which is a table of rows")
    return _rewritten(text, table)


def _rewritten(text: str, table: TableView) -> str:
    edits, done = [], 0
    for access in accesses(text, table.name):
        if access.span.start < done:
            continue  # inside a subscript that was rewritten with the access around it
        if len(access.subscripts) != 2:
            raise Refusal(f"the pointers of {table.name} are used for more than elements of rows")
        row, cell = (_rewritten(subscript, table) for subscript in access.subscripts)
        place = f"{parenthesised(row)} - {table.first}"
        element = f"{_ROW}({table.device_type}, {table.rows}, {place})[{cell}]"
        edits.append(Edit(Span(access.span.start, access.span.end), element))
        done = access.span.end
    return apply_edits(text, edits)
