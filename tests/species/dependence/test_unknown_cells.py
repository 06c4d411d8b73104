"""Updates of cells whose places no set describes: what is read beside them may be one of these cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nests.compared import compiled, printed

PROGRAM = """#include <stdio.h>
static unsigned x[150], y[150];
void f(unsigned b, unsigned c)
{{
    for (unsigned i = b + c; i > b; i--) {{
        {update}
        y[i + 3] += 2;
    }}
}}
int main(void)
{{
    for (int k = 0; k < 150; k++)
        x[k] = y[k] = k;
    f(0, 17);
    f(9, 40);
    unsigned long sum = 0;
    for (int k = 0; k < 150; k++)
        sum = sum * 3 % 1000003 + x[k] + y[k];
    printf("%lu\\n", sum);
    return 0;
}}
"""


@pytest.mark.parametrize("update", ["x[i + b] += x[i - b];", "if (i < c) x[i + b] += x[i - b];"])
def test_what_is_read_may_be_the_cell_itself(update: str, tmp_path: Path) -> None:
    text = PROGRAM.format(update=update)
    made = compiled(text)
    assert "reduction(+:x" not in made
    assert printed(made, tmp_path) == printed(text, tmp_path)
