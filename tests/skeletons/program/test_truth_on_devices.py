"""`_Bool` on CUDA devices: C++ has another word for it, and values are cut down to 0 or 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated

PROGRAM = """#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
typedef _Bool flag;
static int a[999];
static bool b[999], c[999];
static flag odd(int k) {{ return k & 1; }}
int main(int argc, char **argv)
{{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    const bool turned = n & 1;
    for (int i = 0; i < n; i++) {{
        a[i] = i % 7 == 6 ? 2 : 2 * i + 1;
        c[i] = i % 67 == 66;
        b[i] = true;
    }}
    {body}
    for (int i = 0; i < n; i++)
        printf("%d%d ", a[i], b[i]);
    return 0;
}}
"""
QUIET = ("-Wno-misleading-indentation", "-Wno-unused", "-Wno-int-in-bool-context")
BODIES = {
    "elements": """for (int i = 0; i < n; i++) b[i] = a[i] & 4;
        for (int i = 0; i < n; i++) a[i] = b[i] ^ turned;""",
    "words": "for (int i = 0; i < n; i++) { flag t = (_Bool)a[i]; b[i] = odd(i) && (bool)(a[i] & 2) == t; }",
    "a sum": 'bool s = true; for (int i = 0; i < n; i++) s &= a[i]; printf("%d ", s);',
    "the last": 'bool s = 0; for (int i = 0; i < n; i++) { s = a[i] & 2; a[i] += s; } printf("%d ", s);',
    "a scan": "bool s = true; for (int i = 0; i < n; i++) { s &= a[i]; b[i] = s; }",
    "another scan": "bool s = 0; for (int i = 0; i < n; i++) { b[i] = s; s |= a[i] & 24; }",
    "carried": "for (int i = 1; i < n; i++) b[i] = b[i - 1] & a[i];",
    "carried downwards": """for (int i = n - 2; i >= 0; i--) c[i] |= c[i + 1];
        for (int i = 0; i < n; i++) a[i] = c[i];""",
    "a pack": "int k = 0; for (int i = 0; i < n; i++) if (c[i]) b[k++] = !c[i];",
    "an extreme": """bool s = c[0]; int k = 0;
        for (int i = 0; i < n; i++) if (c[i] > s) { s = c[i]; k = i; } printf("%d ", k);""",
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_in_the_shim(body: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(PROGRAM.format(body=body))
    found = accelerated.resident(source, "cuda", tmp_path / "cuda")
    assert found.skeletons
    plain = accelerated.build_plain(source, tmp_path, QUIET)
    binary = accelerated.build_shim(found, (*QUIET, "-DCUVIER_POISON"))
    for size in ("0", "1", "2", "66", "130", "600"):
        assert accelerated.run(binary, size) == accelerated.run(plain, size)
