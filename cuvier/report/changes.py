"""A comparison of two reports: for terminals, comments, annotations and programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from cuvier.base.shown import harmless_json
from cuvier.base.version import __version__
from cuvier.document.model import Json, counted
from cuvier.document.words import (
    conditions_of,
    first_reason,
    loop_name,
    place_name,
    reason_text,
    shortened,
    standing,
    standing_word,
)
from cuvier.report.diff import Cause, Change, Comparison
from cuvier.report.github import annotation
from cuvier.report.markdown import cell, code, fitted
from cuvier.report.text import STYLES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

TITLES = (  # of the sections, in this order
    ("worse", "Became worse"),
    ("better", "Became better"),
    ("species", "Changed their species"),
    ("new", "New"),
    ("gone", "Gone"),
)


def section(change: Change) -> str:
    """In which of the sections it stands."""
    return "worse" if change.worse else "better" if change.better else _other(change)


def _other(change: Change) -> str:
    return change.kind if change.kind in ("new", "gone") else "species"


def sections(comparison: Comparison) -> Iterator[tuple[str, str, list[Change]]]:
    """Name, title and changes of every section that has any."""
    for name, title in TITLES:
        changes = [change for change in comparison.changes if section(change) == name]
        if changes:
            yield name, title, changes


def summary(comparison: Comparison) -> str:
    """What has changed, in one line."""
    parts = [f"{len(changes)} {_SHORT[name]}" for name, _, changes in sections(comparison)]
    lost = f" No longer analysed as before: {', '.join(comparison.lost)}." if comparison.lost else ""
    return (
        f"{counted(len(comparison.new.decisive), 'loop')} compared: {', '.join(parts) or 'no change'}.{lost}"
    )


_SHORT = {
    "worse": "became worse",
    "better": "became better",
    "species": "changed their species",
    "new": "new",
    "gone": "gone",
}


def transition(change: Change) -> str:
    """`parallel -> serial`, `serial`, or the species before and after."""
    if change.old is None or change.new is None:
        return standing_word(standing(change.loop))
    if change.old["verdict"] != change.new["verdict"]:
        return " -> ".join(standing_word(standing(loop)) for loop in (change.old, change.new))
    return f"{change.old['species']}  ->  {change.new['species']}"


def why(change: Change) -> str | None:
    """The reason of a loop that is not parallel, or the condition of one that is on condition."""
    if change.new is None or change.new["verdict"] == "parallel":
        return None
    if change.cause is not None and change.cause.reason is not None:
        return reason_text(change.cause.reason, change.new)
    if change.new["conditions"]:
        return next(conditions_of(change.new))
    return reason_text(first_reason(change.new), change.new) if change.new["reasons"] else None


def did_it(cause: Cause) -> str:
    """`app.c:12 (changed): a[i] = a[i - 1];`."""
    return f"{cause.file}:{cause.line}{' (changed)' if cause.changed else ''}: {shortened(cause.text)}"


def print_changes(comparison: Comparison, console: Console) -> None:
    """Print a section for each kind of change, and the summary."""
    from rich.tree import Tree

    for _, title, changes in sections(comparison):
        tree = Tree(f"[bold]{title}[/bold]", guide_style="dim")
        for change in changes:
            tree.add(_label(change))
        console.print(tree, highlight=False)
        console.print()
    console.print(summary(comparison), highlight=False, markup=False, soft_wrap=True)


def _label(change: Change) -> Text:
    from rich.text import Text

    head = Text(f"{place_name(change.loop)} {change.loop['function']}  {loop_name(change.loop)}  ")
    head.append(transition(change), style=STYLES[standing(change.loop)])
    return Text("\n").join([head, *map(Text, _details(change))])


def _details(change: Change) -> Iterator[str]:
    if reason := why(change):
        yield reason
    if change.cause is not None and change.kind not in ("new", "gone"):
        yield f"the line that did it: {did_it(change.cause)}"


def changes_markdown(comparison: Comparison) -> str:
    """For a comment on a change."""
    head = f"### Cuvier: loops that changed\n\n{cell(summary(comparison))}\n"
    rows = ["| | loop | was -> is | why | line |\n|---|---|---|---|---|\n"]
    rows += [_row(title, change) for _, title, changes in sections(comparison) for change in changes]
    return fitted(head, rows if len(rows) > 1 else [], "changes")


def _row(title: str, change: Change) -> str:
    line = code(did_it(change.cause)) if change.cause and change.kind not in ("new", "gone") else ""
    place = f"{code(place_name(change.loop))} {code(loop_name(change.loop))}"
    return f"| {title} | {place} | {cell(transition(change))} | {cell(why(change) or '')} | {line} |\n"


def changes_github(comparison: Comparison) -> str:
    """Warnings for loops that became worse, notices for those that became better."""
    found = []
    for change in comparison.changes:
        if change.worse or change.better:
            level = "warning" if change.worse else "notice"
            line = change.cause.line if change.worse and change.cause else change.loop["line"]
            file = change.cause.file if change.worse and change.cause else change.loop["file"]
            text = "\n".join([f"{place_name(change.loop)}: {transition(change)}", *_details(change)])
            found.append(annotation(level, file, line, line, f"Loop became {change.kind}", text))
    return "".join(found)


def changes_json(comparison: Comparison) -> str:
    """The changes as an object; the loops in it are those of the reports."""
    values = {
        "cuvier": __version__,
        "changes": [_values(change) for change in comparison.changes],
        "lost": comparison.lost,
    }
    return harmless_json(json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def _values(change: Change) -> Json:
    cause = change.cause
    line = None if cause is None else {"file": cause.file, "line": cause.line, "changed": cause.changed}
    return {"change": section(change), "old": change.old, "new": change.new, "cause": line}


RENDERERS: Mapping[str, Callable[[Comparison], str]] = {
    "json": changes_json,
    "markdown": changes_markdown,
    "github": changes_github,
}
