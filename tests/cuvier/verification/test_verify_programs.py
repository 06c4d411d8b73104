"""Verification from end to end: programs that are right, and generated programs made wrong on purpose."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.verification.report import print_result, result_json
from cuvier.verification.result import VerificationResult
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions
from species.symbols.effect_table import Effect

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("make")), reason="needs a C compiler `cc` and make"
)

APP = """\
#include <stdio.h>
#include <stdlib.h>
#define N 40
static double A[N][N], h[N];
static void fill(int n, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = 0.1 * i;
}
int main(int argc, char **argv) {
    double s = 0, *p = malloc(N * sizeof(double));
    fill(N, p);
    for (int i = 1; i < N - 1; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = p[i - 1] + p[i + 1] * j;
    for (int k = 0; k < N; k++)
        h[k] = A[k][k];
    if (argc < 9)
        for (int k = 0; k < N; k++) s += h[k]; // the sum
    else
        puts("never");
    printf("%d arguments, %s\\n", argc - 1, s > 0 ? "positive" : "not positive");
    free(p);
    return 0;
}
"""


def options(**more: object) -> VerifyOptions:
    return VerifyOptions(PreprocessOptions(), **more)  # type: ignore[arg-type]


def checked(tmp_path: Path, target: str, text: str = APP, **more: object) -> VerificationResult:
    file = tmp_path / "app.c"
    file.write_text(text)
    return verify(file, target, options(**more))


def skeleton(tmp_path: Path, template: str) -> tuple[Path, ...]:
    """A folder with one skeleton for OpenMP that takes every kernel."""
    folder = tmp_path / "skeletons" / "openmp"
    folder.mkdir(parents=True)
    (folder / "wrong.host.j2").write_text(template)
    (folder / "wrong.yaml").write_text(
        "name: wrong\ntarget: openmp\nsummary: a mistake\nspecies: '* -> *'\npriority: 100\n"
        "templates:\n  host: wrong.host.j2\n"
    )
    return (folder.parent,)


def item(result: VerificationResult, name: str, last: bool = False) -> str:
    (found,) = (each for each in result.items if each.name == name and (each.kernel is None) is last)
    assert not found.ok
    assert found.first is not None
    return f"{found.name}{list(found.first.index)} {found.first.original} {found.first.generated}"


def only(condition: str, then: str) -> str:
    return "{% if " + condition + " %}\n" + then + "\n{% else %}\n{{ host.loop }}\n{% endif %}\n"


@pytest.mark.parametrize("sanitize", [False, True])
def test_a_right_program_is_equal_in_all_that_it_leaves(tmp_path: Path, sanitize: bool) -> None:
    result = checked(tmp_path, "openmp", sanitize=sanitize, arguments=("one", "two"))
    assert result.ok
    assert len(result.kernels) == 4
    assert {(each.name, each.kernel is None) for each in result.items} >= {
        *((name, False) for name in ("x", "p", "A", "h", "s")),
        *((name, True) for name in ("A", "h")),
    }
    assert [each.name for each in result.items if each.kernel and not each.exact] == ["s"]
    assert [each.elements for each in result.items if each.name == "x"] == [40]


def test_a_kernel_that_does_nothing_is_told_with_its_first_element(tmp_path: Path) -> None:
    folders = skeleton(tmp_path, only("'h[k] =' in host.loop", ";"))
    result = checked(tmp_path, "openmp", skeletons=folders)
    assert not result.ok
    assert item(result, "h", last=True).startswith("h[1] 0.2") and item(result, "h", last=True).endswith(
        " 0.0"
    )
    wrong = [each for each in result.items if not each.ok and each.kernel]
    assert next((each.name, str(each.position)) for each in wrong) == ("h", f"{tmp_path / 'app.c'}:15:5")


def test_a_result_that_is_not_copied_back_is_caught_although_nothing_prints_it(tmp_path: Path) -> None:
    text = APP.replace("s > 0", "s == s")
    folders = skeleton(tmp_path, only("'h[k] =' in host.loop", "{ double h[N]; {{ host.loop }} }"))
    result = checked(tmp_path, "openmp", text, skeletons=folders)
    assert result.output.ok and not result.ok


def test_a_directive_that_loses_a_reduction_is_caught(tmp_path: Path) -> None:
    folders = skeleton(
        tmp_path, only("'s +=' in host.loop", "#pragma omp parallel for firstprivate(s)\n\n{{ host.loop }}")
    )
    result = checked(tmp_path, "openmp", skeletons=folders)
    assert item(result, "s").startswith("s[] ")
    assert not result.output.ok


def test_a_write_behind_an_array_is_caught_by_its_guard(tmp_path: Path) -> None:
    folders = skeleton(tmp_path, only("'x[i] =' in host.loop", "{ {{ host.loop }} x[n + 1] = 1; }"))
    result = checked(tmp_path, "openmp", skeletons=folders)
    assert not result.ok
    assert all(each.ok for each in result.items)
    (finding,) = result.findings
    assert "heap block of 320 bytes (array x of kernel" in finding
    assert "from its end" in finding


def test_the_sanitizer_catches_a_write_behind_a_global_array(tmp_path: Path) -> None:
    folders = skeleton(tmp_path, only("'h[k] =' in host.loop", "{ {{ host.loop }} h[argc + 39] = 1; }"))
    result = checked(tmp_path, "openmp", skeletons=folders, sanitize=True)
    assert any("AddressSanitizer" in each or "out of bounds" in each for each in result.findings)


def test_a_crash_of_the_generated_program_is_a_difference(tmp_path: Path) -> None:
    folders = skeleton(tmp_path, only("'h[k] =' in host.loop", "abort();"))
    result = checked(tmp_path, "openmp", skeletons=folders)
    assert not result.ok
    assert "killed by SIGABRT" in result.output.message


def test_original_programs_that_cannot_serve_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"killed by SIGABRT.*after --"):
        checked(tmp_path, "openmp", APP.replace("free(p);", "abort();"))
    with pytest.raises(UserError, match=r"did not end within 0\.5 s.*--timeout"):
        checked(tmp_path, "openmp", APP.replace("free(p);", "for (;;) ;"), timeout=0.5)
    with pytest.raises(UserError, match=r"app\.c:1:1: error: defines no function main"):
        checked(tmp_path, "openmp", APP.replace("int main", "int start"))
    with pytest.raises(UserError, match=r"does not build: .*nowhere"):
        checked(tmp_path, "openmp", APP.replace("puts", "nowhere"))


@pytest.mark.parametrize(
    ("target", "more", "message"),
    [
        ("fpga", {}, "unknown target"),
        ("openmp", {"device": "host-shim"}, "no device 'host-shim' for target openmp"),
        ("opencl", {"sanitize": True}, "--sanitize does not work with target opencl"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_a_way_out(
    tmp_path: Path, target: str, more: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        checked(tmp_path, target, **more)


def test_a_missing_compiler_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    file = tmp_path / "app.c"
    file.write_text(APP)
    flags = PreprocessOptions(cc="no-such-cc")
    with pytest.raises(UserError, match=r"no C compiler 'no-such-cc'.*apt-get install gcc"):
        verify(file, "openmp", VerifyOptions(flags))


def test_the_table_and_the_json_say_the_same(tmp_path: Path) -> None:
    from rich.console import Console

    folders = skeleton(tmp_path, only("'h[k] =' in host.loop", ";"))
    result = checked(tmp_path, "openmp", skeletons=folders)
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        print_result(result, console)
    assert "DIFFERENT: 4 kernels replaced" in capture.get()
    assert "38 of 40 differ; first h[1] = 0.2" in capture.get()
    data = json.loads(result_json(result))
    assert data["ok"] is False
    assert [each["name"] for each in data["items"]] == [each.name for each in result.items]


def test_keep_leaves_programs_that_were_built(tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    assert checked(tmp_path, "c", keep=keep).ok
    assert (keep / "original" / "app.c").is_file()
    assert (keep / "generated" / "app").is_file()


def test_opencl_runs_on_the_device_that_there_is(tmp_path: Path) -> None:
    try:
        result = checked(tmp_path, "opencl")
    except UserError as error:
        if "no OpenCL" in str(error):
            pytest.skip(str(error))
        raise
    assert result.ok
    assert len(result.kernels) == 4


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sanitize", [False, True])
def test_cuda_runs_on_the_host_shim(tmp_path: Path, sanitize: bool) -> None:
    if not shutil.which("g++"):
        pytest.skip("no g++ on this machine")
    result = checked(tmp_path, "cuda", device="host-shim", sanitize=sanitize)
    assert result.ok
    assert "host shim" in result.device
    assert result.notes[0].startswith("compiled by nvcc: ")


HALF_WRITTEN = """#include <stdlib.h>
static void twice(double *a) { for (int i = 0; i < 3000; i++) a[i] = 2 * i; }
int main(void)
{
  double *a = malloc(6000 * sizeof *a);
  if (a == NULL) return 1;
  twice(a);
  int wrong = a[2999] != 5998;
  free(a);
  return wrong;
}
"""


def test_what_was_never_written_is_the_same_with_the_sanitizer(tmp_path: Path) -> None:
    assert checked(tmp_path, "openmp", HALF_WRITTEN, sanitize=True).ok


def test_a_program_without_kernels_is_equal_to_itself(tmp_path: Path) -> None:
    source = tmp_path / "serial.c"
    source.write_text(
        "int a[9]; int main(void) { for (int i = 1; i < 9; i++) a[i] = a[i-1] + i; return a[8] != 36; }\n"
    )
    result = verify(source, "c", VerifyOptions(PreprocessOptions()))
    assert result.ok and not result.kernels


@pytest.mark.parametrize("attribute", ["", "__attribute__((weak)) "])
def test_kernels_in_functions_that_nests_made_one_call(attribute: str, tmp_path: Path) -> None:
    """They run on all threads, in any order, and are compared as a part of these nests."""
    text = f"""#include <stdio.h>
    double a[1000], total;
    {attribute}double thrice(double x) {{ double s = 0; for (int k = 0; k < 3; k++) s += x; return s; }}
    int main(void) {{
        for (int i = 0; i < 1000; i++) a[i] = thrice(i);
        for (int i = 0; i < 1000; i++) total += a[i];
        printf("%.1f\\n", total);
        return 0;
    }}"""
    known = (Effect("thrice", "pure"),)
    all_loops = CompileOptions(without=frozenset({"threshold"}))
    result = checked(tmp_path, "openmp", text, analysis=AnalysisOptions(effects=known), generation=all_loops)
    assert result.ok and len(result.kernels) == 2 and len(result.notes) == 1
