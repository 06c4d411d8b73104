"""Scans and packs that use what functions count, after threads have had copies of it."""

# ruff: noqa: E501  (loops in one line)
from __future__ import annotations

from pathlib import Path

import pytest

from tests.filters.fuzz import compare
from tests.privatised.test_privatised import made
from tests.stages.test_stages import needs_gcc

LOOPS = {
    "a scan": "{ long s = 0; for (int i = 0; i < n; i++) { s += a[i] * (calls % 3); b[i] = s; } }",
    "an exclusive scan": "{ long s = 0; for (int i = 0; i < n; i++) { b[i] = s; s += a[i] + calls; } }",
    "a running maximum": "{ long m = 0; for (int i = 0; i < n; i++) { if (a[i] - calls > m) m = a[i] - calls; b[i] = m; } }",
    "a pack": "{ int k = 0; for (int i = 0; i < n; i++) if (a[i] < n - calls + 3) b[k++] = i; }",
    "a member of the structure": "{ long s = 0; for (int i = 0; i < n; i++) { s += a[i] * in.scale; b[i] = s; } }",
    "its own counter": "for (int i = 0; i < n; i++) if (a[i] < 3) b[calls++ % n] = i;",
    "its own sum": "for (int i = 0; i < n; i++) { calls += a[i]; b[i] = calls; }",
}


@needs_gcc
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_loop_that_uses_a_tally_stays_with_one_thread(loop: str, tmp_path: Path) -> None:
    text = f"""#include <stdio.h>
        #include <stdlib.h>
        static long calls; static long a[9000], b[9000]; static struct {{ long seen, scale; }} in = {{ 0, 9 }};
        static long g(long x) {{ for (int k = 0; k < 50; k++) x = x * 7 % 1001; calls++; in.seen += x; return x; }}
        int main(int argc, char **argv) {{
            int n = 99 * atoi(argv[argc - 1]); long sum = 0;
            for (int i = 0; i < n; i++) a[i] = g(i) % 8;
            {loop}
            for (int i = 0; i < n; i++) sum = sum * 3 % 10007 + b[i];
            printf("%ld %ld %ld\\n", calls, in.seen, sum); return 0; }}
    """
    assert "threadprivate" in made(text)
    assert compare(text, tmp_path, "openmp", strict_fp=False)
