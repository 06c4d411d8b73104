"""Scan, pack and argmin by OpenMP threads: the right values at every size, with any number of threads."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from species.source import PreprocessOptions
from tests.support import accelerated
from tests.support.pattern_programs import program, sizes
from tests.support.places import ROOT

SCANS = accelerated.PROGRAMS / "scans.c"
KERNELS = ROOT / "corpus" / "kernels"
SANITIZED = ("-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
RANDOM = (
    "-Wno-sign-compare",
    "-Wno-type-limits",
    "-Wno-misleading-indentation",
)  # the source is to blame for these
THREADS = ("1", "2", "3", "7")


def build(found: accelerated.Written, *flags: str) -> Path:
    source, binary = found.folder / f"{found.name}.c", found.folder / found.name
    accelerated.run("gcc", *accelerated.FLAGS, *SANITIZED, *flags, source, "-o", binary, "-lm")
    return binary


def plain(source: Path, folder: Path, *flags: str) -> Path:
    accelerated.run("gcc", "-O1", "-ffp-contract=off", *flags, source, "-o", folder / "plain", "-lm")
    return folder / "plain"


def outputs(binary: Path, most: int) -> dict[int, str]:
    return {size: accelerated.run(binary, str(size)) for size in sizes(most)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("least", [1, 5, 8192])
def test_scans(least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = outputs(accelerated.build_plain(SCANS, tmp_path), 2050)
    found = accelerated.written(SCANS, "openmp", tmp_path, {"least": least})
    assert found.skeletons == ["scan"] * 5 + ["pack"] * 2 + ["default"]  # one goes by steps of two
    binary = build(found)
    for threads in THREADS:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert outputs(binary, 2050) == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_random_loops(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    source = tmp_path / "random.c"
    source.write_text(program(random))
    expected = outputs(plain(source, tmp_path), 1025)
    small = {"least": random.choice((1, 2, 9)), "block": random.choice((1, 4, 16))}
    found = accelerated.written(source, "openmp", tmp_path / "out", small)
    assert {"scan", "pack", "argmin"} & set(found.skeletons)
    binary = build(found, *RANDOM)
    for threads in THREADS:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert outputs(binary, 1025) == expected


@pytest.mark.sampled(2)
@pytest.mark.skipif(not (shutil.which("cc") and shutil.which("make")), reason="needs `cc` and make")
@pytest.mark.parametrize("name", ["scan", "pack", "argmin", "histogram"])
def test_the_corpus_is_verified(name: str) -> None:
    options = VerifyOptions(PreprocessOptions(defines=("N=40000",)))
    assert verify(KERNELS / f"{name}.c", "openmp", options).ok


@pytest.mark.parametrize("name", ["scan", "pack", "argmin"])
def test_the_corpus_gets_them(name: str, tmp_path: Path) -> None:
    found = accelerated.written(KERNELS / f"{name}.c", "openmp", tmp_path)
    assert name in found.skeletons
    text = (tmp_path / f"{name}.c").read_text()
    assert "count = N;" in text or "count = (long)N - 1;" in text  # not the number that N is today


def written(text: str, folder: Path, strict_fp: bool = False) -> tuple[accelerated.Written, str]:
    (folder / "p.c").write_text(text)
    found = accelerated.written(folder / "p.c", "openmp", folder / "out", {"least": 1}, strict_fp)
    return found, (folder / "out" / "p.c").read_text()


def test_strict_sums_stay_in_order(tmp_path: Path) -> None:
    text = """double a[9], b[9]; int c[9], d[9];
    void f(void) { double s = 0; for (int i = 0; i < 9; i++) { s += a[i]; b[i] = s; } }
    void g(void) { int s = 0; for (int i = 0; i < 9; i++) { s += c[i]; d[i] = s; } }
    void h(void) { double s = 0; for (int i = 0; i < 9; i++) { if (a[i] > s) s = a[i]; b[i] = s; } }"""
    found, _ = written(text, tmp_path, strict_fp=True)
    assert [c.skeleton and c.skeleton.name for c in found.choices] == [None, "scan", "scan"]
    assert "another order" in found.reason("scan", 0)
    _, relaxed = written(text, tmp_path)
    assert relaxed.count("Rounded otherwise") == 1 and relaxed.count("Exact") == 2


NAN = """
#include <math.h>
#include <stdio.h>
static double a[3000];
static void least(int n, double start, const char *name)
{
    double best = start;
    int first = -1, last = -1, other = -7;
    for (int i = 0; i < n; i++)
        if (a[i] < best) {
            best = a[i];
            first = i;
        }
    double most = start;
    for (int i = 0; i < n; i++)
        if (other = i % 5, most <= a[i]) { last = i; most = a[i]; }
    double odd = start;
    int at = -1;
    for (int i = 0; i < n; i++) {
        const double half = a[i] / 2;
        if (i % 3 == 0)
            continue;
        if (half >= odd && i % 2) { at = i; odd = half; } /* the last of equals */
    }
    printf("%s %d %g %d %g %d %g %d %d\\n", name, n, best, first, most, last, odd, at, other);
}
int main(void)
{
    const double starts[] = { 0, -0.0, 50, -50, INFINITY, -INFINITY, NAN };
    for (int n = 0; n < 3000; n = n * 3 + 1)
        for (int k = 0; k < 7; k++) {
            for (int i = 0; i < n; i++)
                a[i] = i % 11 == 4 ? NAN : i % 13 == 5 ? -0.0 : (double)(i * 37 % 41 - 20);
            least(n, starts[k], "some");
            for (int i = 0; i < n; i++)
                a[i] = NAN;
            least(n, starts[k], "none");
        }
    return 0;
}
"""


def test_extremes_among_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nan.c").write_text(NAN)
    expected = accelerated.run(plain(tmp_path / "nan.c", tmp_path))
    small = {"least": 1, "block": 7}
    found = accelerated.written(tmp_path / "nan.c", "openmp", tmp_path / "out", small)
    assert found.skeletons.count("argmin") == 2  # a condition that assigns is none
    binary = build(found)
    for threads in THREADS:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert accelerated.run(binary) == expected


WRAPS = """
#include <stdio.h>
static int a[4000], b[4000];
int main(void)
{
    for (int i = 0; i < 4000; i++)
        a[i] = i % 4 < 2 ? 2000000000 : -2000000000; /* a part may add up to more than an int holds */
    int s = -2000000000, count = 4000, parts = 3;
    for (int begin = 0; begin < count - 3; begin++) {
        s += a[begin] / 2;
        b[begin] = s + parts;
    }
    long all = s, own = 0;
    for (int end = count - 1; end >= parts; --end)
        if (b[end] > 0)
            b[own++ + 0] = 0, all += end;
    printf("%d %ld %ld %d\\n", s, all, own, b[77]);
    return 0;
}
"""


def test_parts_may_wrap_around_and_names_are_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, text = written(WRAPS, tmp_path)
    assert "scan" in found.skeletons and "count_ = count - 3" in text
    binary = build(found, "-Wno-unused-value")
    expected = accelerated.run(plain(tmp_path / "p.c", tmp_path))
    for threads in THREADS:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert accelerated.run(binary) == expected


def test_without_openmp_it_is_the_same_program(tmp_path: Path) -> None:
    found = accelerated.written(SCANS, "openmp", tmp_path, {"least": 1})
    expected = outputs(accelerated.build_plain(SCANS, tmp_path), 65)
    binary = tmp_path / "serial"
    flags = (*accelerated.FLAGS, "-Wno-unknown-pragmas")
    accelerated.run("gcc", *flags, found.folder / "scans.c", "-o", binary, "-lm")
    assert outputs(binary, 65) == expected


ALIASES = """
#include <stdio.h>
#include <string.h>
static double m[900];
static double total;
static void sums(int n, const double *x, double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        y[i] = s;
    }
}
static void shared(int n, double *y)
{
    for (int i = 0; i < n; i++) {
        total += y[i];
        y[i] = total;
    }
}
int main(void)
{
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++) {
            for (int i = 0; i < 900; i++)
                m[i] = i % 7;
            sums(800, m + from, m + to);
            total = 1;
            shared(1, &total);
            shared(300, m + to);
            printf("%g %g %g\\n", m[799], m[300], total);
        }
    return 0;
}
"""


def test_where_memory_overlaps_the_loop_stays_as_it_is(tmp_path: Path) -> None:
    found, text = written(ALIASES, tmp_path)
    assert found.skeletons.count("scan") == 2 and text.count("else {") == 2
    expected = accelerated.run(plain(tmp_path / "p.c", tmp_path))
    assert accelerated.run(build(found)) == expected


EXACT = """
#include <stdio.h>
#include <stdlib.h>
static int pack(int n, const int *restrict a, int *restrict b)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 20)
            b[k++] = a[i];
    return k;
}
int main(void)
{
    for (int n = 1; n < 2000; n = n * 2 + 1)
        for (int step = 1; step < 60; step += 6) {
            int *a = malloc(n * sizeof *a), kept = 0;
            for (int i = 0; i < n; i++) {
                a[i] = i / step * 37 % 41;
                kept += a[i] > 20;
            }
            int *b = malloc(kept * sizeof *b); /* not one element more */
            long sum = pack(n, a, b) == kept;
            for (int k = 0; k < kept; k++)
                sum += (long)b[k] * (k + 1);
            printf("%ld\\n", sum);
            free(a);
            free(b);
        }
    return 0;
}
"""


def test_nothing_is_written_behind_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, text = written(EXACT, tmp_path)
    assert "pack" in found.skeletons and "Without a branch" in text
    expected, binary = accelerated.run(plain(tmp_path / "p.c", tmp_path)), build(found)
    for threads in THREADS:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert accelerated.run(binary) == expected


CONDITIONAL = """
int a[99], b[99];
#ifdef MORE
int f(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i]; // so far
        b[i] = s;
    }
    return s;
}
#endif
int main(void)
{
    int s = 1, i;
    if (a[0] == 0)
        for (i = 98; i >= 0; i--) { b[i] = s; s += a[i]; }
    else
        return 2;
    return b[3] != 1 || i != -1;
}
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_helper_stands_outside_of_conditionals(newline: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_bytes(f"#define MORE{newline}{CONDITIONAL.replace(chr(10), newline)}".encode())
    found = accelerated.written(source, "openmp", tmp_path / "out", {"least": 1})
    assert found.skeletons == ["scan", "scan"]
    text = (tmp_path / "out" / "p.c").read_bytes().decode()
    assert text.count("\n") == text.count(newline)
    assert text.index("cuvier_parts(long count") < text.index("#ifdef MORE")
    accelerated.run(build(found))
    (tmp_path / "out" / "p.c").write_bytes(text.replace("#define MORE", "").encode())
    accelerated.run(build(found))
