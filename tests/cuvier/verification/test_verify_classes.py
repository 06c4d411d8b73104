"""What is different gets a class: undefined memory, a program itself, the compiler, or error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from cuvier.base.errors import UserError
from cuvier.verification.compare import compare_records
from cuvier.verification.explain import Explainer
from cuvier.verification.output import OutputExplainer
from cuvier.verification.record import Record, Slot
from cuvier.verification.report import describe, print_result, result_json, verdict
from cuvier.verification.result import Cause, Item, VerificationResult
from tests.support.evidence import MadeUp, left, printed
from tests.support.verifying import checked, spoil

NEVER_WRITTEN = """#include <stdio.h>
__attribute__((noinline)) static void one(void) {
  int A[2048][1024];
  for (int i = 0; i < 2048; i++) for (int j = 0; j < 1024; j++) A[i][j] = i * j;
  printf("%d\\n", A[3][4]);
}
__attribute__((noinline)) static void two(void) {
  int A[2048][1024], C[2048][1024];
  for (int i = 0; i < 2048; i++) for (int j = 0; j < 1024; j++) A[i][j] = i + j;
  for (int i = 0; i < 2048; i++) for (int j = 0; j < 980; j++) C[i][j] = 9 * A[i][j];
  printf("%d\\n", C[8][9]);
}
int main(void) { one(); two(); return 0; }
"""

HALF_WRITTEN = """#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int *a = malloc(1000 * sizeof *a), *b = malloc(1000 * sizeof *b);
  for (int i = 0; i < 900; i++) a[i] = 3 * i;
  for (int i = 0; i < 1000; i++) b[i] = a[i] + 1;
  printf("%d\\n", a[7] + b[9]);
  return 0;
}
"""

SEEDED = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <time.h>
#include <stdint.h>
static double a[500], b[500]; static uintptr_t where[4];
int main(void) {
  struct timespec now; clock_gettime(CLOCK_REALTIME, &now);
  srand(now.tv_nsec ^ getpid());
  for (int i = 0; i < 500; i++) a[i] = rand();
  for (int i = 0; i < 500; i++) b[i] = 2 * a[i];
  %s
  where[1] = (uintptr_t)malloc(9);
  printf("took %%d\\n", (int)now.tv_nsec);
  puts("done");
  return 0;
}
"""


def shown(result: VerificationResult) -> str:
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        print_result(result, console)
    return capture.get()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
def test_cells_that_nobody_has_written(target: str, tmp_path: Path) -> None:
    result = checked(tmp_path, NEVER_WRITTEN, target)
    assert result.ok and not set(result.causes) - {Cause.UNWRITTEN}
    assert result.output.exact


def test_cells_that_depend_on_such_cells(tmp_path: Path) -> None:
    result = checked(tmp_path, HALF_WRITTEN, "cuda")
    assert result.ok and not set(result.causes) - {Cause.UNWRITTEN}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("openmp", "i < 900; i++)", "i < 901; i++)"),  # on the host, nobody else can have written it
        ("cuda", "3 * i", "3 * i + (i == 899)"),
        ("openmp", "3 * i", "(i == 5 ? 0 : 3 * i)"),
    ],
)
def test_mistakes_near_cells_that_nobody_has_written(
    target: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, old, new)
    assert not checked(tmp_path, HALF_WRITTEN, target).ok


DEFINED = "for (int i = 0; i < 500; i++) c[i] = i * 0.5;"


def test_a_program_that_differs_from_itself(tmp_path: Path) -> None:
    text = (SEEDED % DEFINED).replace("b[500];", "b[500], c[500];")
    result = checked(tmp_path, text, "c")
    assert result.ok and result.causes == (Cause.ITSELF,)
    assert {item.name for item in result.items if item.causes} == {"a", "b", "where"}
    assert "equal but for a program that differs from itself" in verdict(result)


def test_mistakes_in_a_program_that_differs_from_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (SEEDED % DEFINED).replace("b[500];", "b[500], c[500];")
    spoil(monkeypatch, "i * 0.5", "i * 0.5 + (i == 3)")
    result = checked(tmp_path, text, "c")
    assert {item.name for item in result.items if Cause.ERROR in item.causes} == {"c"}


def test_a_program_of_which_nothing_can_be_compared(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"differs from itself .* in all"):
        checked(tmp_path, SEEDED % "", "c")


def test_lines_that_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "#include <stdio.h>\nint a[50]; int main(void) { for (int i = 0; i < 50; i++) a[i] = i;"
    text += ' puts("took 1 ms"); puts("right"); return 0; }\n'
    spoil(monkeypatch, "took 1", "took 2")
    result = checked(tmp_path, text, "openmp")
    assert not result.ok and result.output.causes == (Cause.ERROR,)
    assert "--ignore-output REGEX" in shown(result)
    result = checked(tmp_path, text, "openmp", ignore_output=("^took",))
    assert result.ok and "1 lines ignored" in result.output.message
    assert not checked(tmp_path, text, "openmp", ignore_output=("^right",)).ok


def test_json_has_the_class_of_each_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "3 * i", "(i == 5 ? 0 : 3 * i)")
    data = json.loads(result_json(checked(tmp_path, HALF_WRITTEN, "openmp")))
    assert {item["class"] for item in data["items"]} >= {"error"}
    assert "error" in data["classes"]
    assert data["output"]["class"] == "equal"


# Evidence that is made up


def slot(*values: int, name: str = "a", executions: int = 1) -> Slot:
    state = b"".join(value.to_bytes(4, "little") for value in values)
    samples = b"".join(word.to_bytes(8, "little") for word in (0, hash(state) & 0xFFFF))
    return Slot("k", name, "i", 4, executions, executions, state, b"", 0, (), samples)


def record(*values: int) -> Record:
    return Record({("k", "a"): slot(*values)}, (), rounded=False)


def explained(ours: Record, theirs: Record, **evidence: object) -> Item:
    (found,) = compare_records(ours, theirs, {})
    return Explainer(ours, MadeUp(**evidence)).item(found)  # type: ignore[arg-type]


def test_the_compiler_is_named_where_the_original_differs_by_how_it_is_built() -> None:
    item = explained(record(1, 2), record(1, 3), rebuilt=(left(record(1, 3)),))
    assert item.ok and item.causes == (Cause.COMPILER,)
    item = explained(record(1, 2), record(1, 3), rebuilt=(left(record(1, 4)),))
    assert not item.ok and item.causes == (Cause.ERROR,)
    assert describe(item) == "1 of 2 differ; first a[1] = 2 became 3"


def test_each_place_needs_a_cause() -> None:
    ours, theirs = record(1, 2, 3), record(1, 7, 8)
    item = explained(ours, theirs, accelerator=True, filled=left(record(1, 9, 3)))
    assert item.causes == (Cause.UNWRITTEN, Cause.ERROR)
    assert item.first is not None and item.first.index == (2,)
    assert explained(ours, theirs, accelerator=True, filled=left(record(1, 9, 9))).ok


def test_lines_of_a_program_that_differs_from_itself() -> None:
    before, after = printed("x 1\ntime 5\n"), printed("x 1\ntime 6\n")
    evidence = MadeUp(again=printed("x 1\ntime 7\n"))
    result = OutputExplainer(before, evidence, (), rounded=False).result(after)
    assert result.ok and result.causes == (Cause.ITSELF,)
    wrong = OutputExplainer(before, evidence, (), rounded=False).result(printed("x 2\ntime 6\n"))
    assert not wrong.ok and wrong.message == "line 1: 'x 1' became 'x 2'"


def test_an_exit_status_is_explained_or_an_error() -> None:
    before, after = printed("", 1), printed("", 2)
    assert not OutputExplainer(before, MadeUp(), (), rounded=False).result(after).ok
    evidence = MadeUp(again=printed("", 3))
    assert OutputExplainer(before, evidence, (), rounded=False).result(after).ok


def test_numbers_that_are_printed_may_differ_by_what_samples_differ_by() -> None:
    before = printed("s 1.000000 n 7\n")
    evidence = MadeUp(accelerator=True, functions=(printed("s 1.000003 n 8\n"),))
    explainer = OutputExplainer(before, evidence, (), rounded=True)
    assert explainer.result(printed("s 1.000004 n 7\n")).causes == (Cause.FUNCTIONS,)
    assert not explainer.result(printed("s 1.000100 n 7\n")).ok
    assert not explainer.result(printed("s 1.000000 n 70\n")).ok
    assert not explainer.result(printed("t 1.000000 n 7\n")).ok
