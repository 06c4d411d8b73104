"""The watch library on programs that call it by hand, and the comparison of two such programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cuvier.base.processes import run
from cuvier.verification.compare import compare_records
from cuvier.verification.explain import Explainer
from cuvier.verification.record import Record, read_record, values_of
from cuvier.verification.result import Item
from cuvier.verification.toolchain import SANITIZERS, Toolchain
from species.source import PreprocessOptions
from tests.support.evidence import NO_EVIDENCE

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler `cc` on this machine")

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
WATCH_A = 'cuvier_watch_pointer("k", "a", CUVIER_KIND(a[0]), sizeof(a[0]), a, (size_t)0, 0);'
WATCH_S = 'CUVIER_WATCH_SCALAR("k", "s", s);'


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    toolchain = Toolchain.find(PreprocessOptions())
    return toolchain.build_watch(tmp_path_factory.mktemp("watch"), sanitize=False)


def record_of(
    body: str, folder: Path, guarded: tuple[str, ...], globals_: str = "", cc: str | None = None
) -> Record:
    text = f"{HEAD}{globals_}\nint main(void) {{ {body} return 0; }}\n"
    folder.mkdir(exist_ok=True)
    toolchain = Toolchain.find(PreprocessOptions(cc=cc))
    program = toolchain.build_original(text, folder / "app.c", folder / "build", guarded)
    file = folder / "record"
    assert run([program], folder, 20, {"CUVIER_WATCH_FILE": str(file)}).status == 0
    record = read_record(file)
    assert record is not None
    return record


def items_of(first: str, second: str, folder: Path, guarded: tuple[str, ...]) -> list[Item]:
    records = [record_of(body, folder / str(k), guarded) for k, body in enumerate((first, second))]
    explainer = Explainer(records[0], NO_EVIDENCE)
    return [explainer.item(found) for found in compare_records(*records, {})]


def test_a_heap_block_is_recorded_whole_from_any_pointer_into_it(
    tmp_path: Path, guarded: tuple[str, ...]
) -> None:
    body = f"int *m = calloc(10, 4); m[9] = 7; int *a = m + 4; {WATCH_A} free(m);"
    slot = record_of(body, tmp_path, guarded).slots["k", "a"]
    assert list(values_of(slot, slot.final)) == [0] * 9 + [7]
    assert slot.index(0) == (-4,)


def test_fresh_memory_has_one_pattern_and_resized_memory_keeps_its_content(
    tmp_path: Path, guarded: tuple[str, ...]
) -> None:
    body = f"int *a = malloc(8); a[0] = 1; a = realloc(a, 16); a[1] = 2; {WATCH_A}"
    slot = record_of(body, tmp_path, guarded).slots["k", "a"]
    pattern = int.from_bytes(b"\xc7" * 4, "little", signed=True)
    assert list(values_of(slot, slot.final)) == [1, 2, pattern, pattern]


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        (
            "char *volatile p = malloc(10); p[12] = 1; free(p);",
            "1 bytes overwritten behind it, 2 bytes from its end",
        ),
        (
            "char *volatile p = calloc(10, 1); p[-8] = 1; puts(p);",
            "1 bytes overwritten before it, 8 bytes before its start",
        ),
        (
            "void *q; if (posix_memalign(&q, 4096, 8)) return 1; int *a = q; "
            + WATCH_A
            + "a[2] = 1; "
            + WATCH_A,
            "heap block of 8 bytes (array a of kernel k): 4 bytes overwritten behind it",
        ),
    ],
)
def test_overwritten_guards_are_found(
    body: str, finding: str, tmp_path: Path, guarded: tuple[str, ...]
) -> None:
    assert finding in "".join(record_of(body, tmp_path, guarded).findings)


def test_many_blocks_are_allocated_freed_and_left_alone(tmp_path: Path, guarded: tuple[str, ...]) -> None:
    body = (
        "static char *p[5000]; for (int r = 0; r < 3; r++) {"
        " for (int k = 0; k < 5000; k++) { p[k] = aligned_alloc(64, 64 + k % 3 * 64); p[k][63] = k; }"
        " for (int k = r; k < 5000; k++) free(p[k]); }"
        ' char *line = NULL; size_t n = 0; FILE *f = tmpfile(); fputs("a line\\n", f); rewind(f);'
        " if (getline(&line, &n, f) < 0) return 1; free(line); fclose(f);"
    )
    assert record_of(body, tmp_path, guarded).findings == ()


def test_globals_are_compared_at_the_end_and_found_by_pointer(
    tmp_path: Path, guarded: tuple[str, ...]
) -> None:
    globals_ = (
        "static short g[2][3];\n__attribute__((constructor)) static void all(void)"
        '{ cuvier_watch_global("g", CUVIER_KIND(g[0][0]), sizeof(short), g, sizeof g, 1, (size_t)3); }'
    )
    body = f"short *a = &g[1][0]; {WATCH_A} g[1][2] = -5;"
    record = record_of(body, tmp_path, guarded, globals_)
    assert len(record.slots["k", "a"].final) == 12
    last = record.slots["-", "g"]
    assert list(values_of(last, last.final)) == [0, 0, 0, 0, 0, -5]
    assert last.index(5) == (1, 2)


def test_differences_name_the_first_element_and_both_values(tmp_path: Path, guarded: tuple[str, ...]) -> None:
    same = "int a[4] = {1, 2, 3, 4}; int s = 1;"
    watch = f'cuvier_watch_object("k", "a", CUVIER_KIND(a[0]), 4, a, sizeof a, 0); {WATCH_S}'
    a, s = items_of(f"{same} {watch}", f"{same} a[1] = 9; a[3] = 8; {watch}", tmp_path, guarded)
    assert (a.ok, a.differing, a.elements) == (False, 2, 4)
    assert a.first is not None
    assert (a.first.index, a.first.original, a.first.generated) == ((1,), "2", "9")
    assert s.ok and not s.causes and s.elements == 1


def test_executions_between_the_first_and_the_last_are_compared(
    tmp_path: Path, guarded: tuple[str, ...]
) -> None:
    loop = "for (int k = 0; k < 5; k++) {{ int s = {}; " + WATCH_S + " }}"
    (item,) = items_of(loop.format("k"), loop.format("k == 2 ? 7 : k"), tmp_path, guarded)
    assert not item.ok
    assert "after execution 3 of 5" in item.note
    (item,) = items_of(loop.format("k"), loop.format("k ? k : 7"), tmp_path, guarded)
    assert item.first is not None
    assert item.first.generated == "7"
    (item,) = items_of(loop.format("k"), loop.format("k").replace("5", "4"), tmp_path, guarded)
    assert "5 and 4 times" in item.note


@pytest.mark.parametrize(
    "ctype", ["float", "double", "long double", "float _Complex", "long double _Complex"]
)
def test_nan_equals_nan_and_zeros_have_signs(ctype: str, tmp_path: Path, guarded: tuple[str, ...]) -> None:
    text = f"volatile double z = 0; {ctype} s = {{}}; {WATCH_S} {WATCH_S} s = 1; {WATCH_S}"
    (item,) = items_of(text.format("NAN"), text.format("-NAN"), tmp_path, guarded)
    assert item.ok
    (item,) = items_of(text.format("0"), text.format("-z"), tmp_path, guarded)
    assert not item.ok


def test_addresses_are_not_compared_and_rows_are_joined(tmp_path: Path, guarded: tuple[str, ...]) -> None:
    body = (
        "int *a[3]; for (int k = 0; k < 3; k++) { a[k] = calloc(2, 4); a[k][1] = k; }"
        'cuvier_watch_object("k", "a", CUVIER_KIND(a[0]), sizeof(a[0]), a, sizeof a, 0);'
        'if (CUVIER_HAS_ROWS(a)) cuvier_watch_rows("k", "rows", CUVIER_KIND(a[0][0]), 4, a, sizeof a);'
        "int m[2][2]; if (CUVIER_HAS_ROWS(m)) abort();"
    )
    slots = record_of(body, tmp_path, guarded).slots
    assert (slots["k", "a"].kind, slots["k", "a"].final) == ("p", b"")
    rows = slots["k", "rows"]
    assert list(values_of(rows, rows.final)) == [0, 0, 0, 1, 0, 2]
    assert rows.index(5) == (2, 1)


def test_the_sanitizer_knows_the_heap_blocks(tmp_path: Path) -> None:
    cc = f"cc {SANITIZERS}"
    watch = Toolchain.find(PreprocessOptions(cc=cc)).build_watch(tmp_path, sanitize=True)
    body = f"int *m = calloc(10, 4); int *a = m + 4; {WATCH_A} free(m); int b[5]; a = b + 1;"
    slots = record_of(body + WATCH_A.replace('"a"', '"b"'), tmp_path, watch, cc=cc).slots
    assert (len(slots["k", "a"].final), len(slots["k", "b"].final)) == (40, 0)
