"""The HTML report: a page with the data in it, and the scripts that show them, and no network."""

from __future__ import annotations

import json
from importlib import resources

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from cuvier.base.version import __version__
from cuvier.document.model import Json, loop_key, losses, summary
from cuvier.document.words import distances_of, loop_name, standing, tuple_of, why_text
from cuvier.report.predicted_text import basis, heads, notes, row, title
from cuvier.report.ranking import Ranked, bound_of
from cuvier.report.roofline.picture import drawn
from cuvier.report.view import TOP, View
from species.core.reasons import REASONS, page_of

SCRIPTS = (
    "data.js",
    "parts.js",
    "predictions.js",
    "overview.js",
    "loops.js",
    "source.js",
    "details.js",
    "main.js",
)
_LONG = 400  # characters of a reason or a species in a table


def render(view: View) -> str:
    """The page as text: scripts, styles and data are in it."""
    data = json.dumps(_data(view), ensure_ascii=False, separators=(",", ":"))
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    page = Environment(autoescape=True).from_string(_file("page.html.j2"))
    text = page.render(
        style=Markup(_file("style.css")),
        script=Markup("\n".join(map(_file, SCRIPTS))),
        data=Markup(safe),
        version=__version__,
    )
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _file(name: str) -> str:
    return resources.files("cuvier.report.html").joinpath(name).read_text(encoding="utf-8")


def _data(view: View) -> Json:
    """What the scripts are given; loops and files are named by their places in the lists."""
    loops = view.report.loops
    number = {id(loop): index for index, loop in enumerate(loops)}
    codes = sorted({each["code"] for loop in loops for each in loop["reasons"]})
    ranked = {id(each.loop): each for each in view.ranking.order}
    open_to = {id(loop) for loop in view.report.opportunities}
    files = _files(view)
    places = {file["name"]: index for index, file in enumerate(files)}
    return {
        "summary": summary(view.report.units),
        "basis": view.ranking.basis,
        "files": files,
        "lost": [{**each, "unit": unit["file"]} for unit, each in losses(view.report.units)],
        "loops": [
            {**_loop(loop, view, ranked.get(id(loop)), places), "open": id(loop) in open_to} for loop in loops
        ],
        "ranking": [number[id(each.loop)] for each in view.ranking.order],
        "predictions": _predictions(view, number),
        "reasons": {code: {"title": REASONS.get(code, ""), "page": _page(code)} for code in codes},
    }


def _predictions(view: View, number: dict[int, int]) -> Json | None:
    """What was predicted, in words, and the roofline; loops are named by their places in the list."""
    if not view.predictions:
        return None
    places = {loop_key(loop): number[id(loop)] for loop in view.report.loops}
    machines = [
        {
            "title": title(machine),
            "heads": heads(machine),
            "loops": [[places[loop_key(each)], *row(machine, each)] for each in machine["loops"]],
            "notes": notes(machine, view.top or TOP),
        }
        for machine in view.predictions["machines"]
    ]
    picture = drawn(view.predictions, view.top or TOP)
    return {"basis": basis(view.predictions), "machines": machines, "picture": picture}


def _files(view: View) -> list[Json]:
    """All files of the report, and those that they include in which loops stand."""
    sources = view.report.sources
    status = {unit["file"]: unit["status"] for unit in view.report.units}
    names = {*status, *sources, *(loop["file"] for loop in view.report.loops)}
    return [
        {"name": name, "status": status.get(name, "ok"), "text": sources.get(name)} for name in sorted(names)
    ]


def _loop(loop: Json, view: View, ranked: Ranked | None, files: dict[str, int]) -> Json:
    kept = ("id", "function", "line", "column", "end_line", "depth", "parent", "class", "tags")
    more = ("species", "exact", "header", "private", "firstprivate", "lastprivate", "conditions", "pragma")
    return {
        **{key: loop[key] for key in (*kept, *more, "lastprivate_conditional", "users", "estimate")},
        "verdict": standing(loop),
        "words": loop["condition_words"],
        "file": files[loop["file"]],
        "name": loop_name(loop),
        "why": why_text(loop, _LONG),
        "tuples": [tuple_of(each) for each in loop["characterisations"]],
        "patterns": _patterns(loop),
        "distances": distances_of(loop),
        "reductions": [f"{each['variable']} ({each['operator']})" for each in loop["reductions"]],
        "linear": [f"{each['variable']} by {each['step'] or '?'}" for each in loop["linear"]],
        "reasons": [_reason(each, files) for each in loop["reasons"]],
        "decisive": ranked is not None,
        "share": ranked.share if ranked else None,
        "seconds": ranked.seconds if ranked else None,
        "together": ranked.together if ranked else None,
        "bound": bound_of(loop, view.machine),
    }


def _patterns(loop: Json) -> str:
    """The species without names and bounds: `element ^ full -> shared(+)`."""
    sides = (loop["species"] or "").split(" -> ")
    short = [" ^ ".join(sorted({part.split("|")[-1] for part in side.split(" ^ ")})) for side in sides]
    return " -> ".join(short)


def _reason(reason: Json, files: dict[str, int]) -> Json:
    places = [reason, *reason["related"]]
    at = [[files.get(place["file"], -1), place["line"], place["column"]] for place in places]
    return {**{key: reason[key] for key in ("code", "message", "proven")}, "places": at}


def _page(code: str) -> str:
    """The page about a reason as HTML; whatever looks like HTML in it is text."""
    if code not in REASONS:  # a report may be anybody's: the code is the name of a file
        return ""
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(page_of(code)))
