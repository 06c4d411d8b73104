"""Programs with OpenMP of their own: both are built with it, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.verification.result import VerificationResult
from cuvier.verification.verify import VerifyOptions, verify
from species.source import PreprocessOptions
from tests.support import accelerated

LOOP = "for (int i = 0; i < 400; i++) a[i] = 2 * i;"

DIRECTIVES = {
    "what threads count": """#pragma omp parallel num_threads(4)
        {
            #pragma omp critical
            s += 3;
        }""",
    "a macro of OpenMP": """
        #ifdef _OPENMP
        s = 7;
        #endif
        """,
    "sums in any order": """#pragma omp parallel for reduction(+:d)
        for (int i = 0; i < 400; i++) d += a[i] * 0.1;""",
    "sums in collapsed loops": """#pragma omp parallel for collapse(2) reduction(+:d)
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) d += a[20 * i + j] * 0.1;""",
    "variables of threads": """#pragma omp parallel num_threads(3) firstprivate(s)
        { s = 5; }""",
}


def checked(text: str, target: str, folder: Path, headers: str = "") -> VerificationResult:
    source = folder / "threads.c"
    source.write_text(
        f"""#include <stdio.h>
        {headers}
        static int a[400], s; static double d;
        int main(void) {{ {LOOP} {text}
            printf("%d %d %.15g\\n", a[9], s, d); return 0; }}"""
    )
    device = "host-shim" if target == "cuda" else None
    return verify(source, target, VerifyOptions(PreprocessOptions(), device=device))


@pytest.mark.parametrize("text", DIRECTIVES.values(), ids=DIRECTIVES.keys())
def test_the_original_has_its_threads(text: str, tmp_path: Path) -> None:
    result = checked(text.replace("#", "\n#"), "openmp", tmp_path)
    assert result.ok
    assert result.kernels


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["c", "openmp", "opencl", "cuda"])
def test_programs_that_call_openmp(target: str, tmp_path: Path) -> None:
    text = """
        #pragma omp parallel num_threads(4)
        if (omp_get_thread_num() == 3) s = omp_get_num_threads();
    """
    result = checked(text, target, tmp_path, "#include <omp.h>")
    assert result.ok
    assert result.kernels


def test_makefiles_have_the_flag_only_where_it_is_needed(tmp_path: Path) -> None:
    for target in ("c", "opencl"):
        with_, without = tmp_path / f"{target}1", tmp_path / f"{target}2"
        source = tmp_path / "p.c"
        source.write_text(f"static int a[400]; int main(void) {{ {LOOP} return a[3]; }}")
        accelerated.written(source, target, without)
        source.write_text(f"int omp_get_max_threads(void);\n{source.read_text()}")
        accelerated.written(source, target, with_)
        assert "-fopenmp" not in (without / "Makefile").read_text()
        assert "-fopenmp" in (with_ / "Makefile").read_text()
