"""Reports of small programs, for tests of what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cuvier.document.json import document_of, known_of, unit_json
from cuvier.document.model import Report
from cuvier.pipeline.driver import analyse_file
from cuvier.report.view import View
from models.machine import DEFAULT
from species.source import PreprocessOptions

SUM = """\
double a[1000], b[1000];
void smooth(int n) {
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + b[i]; // from left to right
}
double total(void) {
  double s = 0;
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      s += a[i] * b[j];
  for (int t = 0; t < 10; t++)
    for (int i = 0; i < 1000; i++)
      b[i] = 2 * b[i] + 1;
  return s;
}
void add(double *p, double *q, int n) {
  for (int i = 0; i < n; i++)
    p[i] = q[i];
}
"""


def report_of(texts: dict[str, str], folder: Path) -> Report:
    """The report of files with these texts; their names are relative, as if named in `folder`."""
    units = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        result = analyse_file(path, PreprocessOptions())
        units.append(unit_json(result.facts, known_of(result.facts, result.text, result.unit)))
    return Report(_without(document_of(units), f"{folder}/"))


def _without(node: Any, prefix: str) -> Any:
    """The document with the names of files below a folder."""
    if isinstance(node, dict):
        return {key: _without(value, prefix) for key, value in node.items()}
    if isinstance(node, list):
        return [_without(each, prefix) for each in node]
    return node.removeprefix(prefix) if isinstance(node, str) else node


def view_of(report: Report, **wishes: Any) -> View:
    return View(report, DEFAULT, **wishes)


def loop_at(report: Report, line: int) -> dict[str, Any]:
    return next(loop for loop in report.loops if loop["line"] == line)
