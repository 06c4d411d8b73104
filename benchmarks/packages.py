"""benchmarks/packages.py: packages of Debian built by `cuvier cc --target openmp`, beside the same with gcc.

    python -m benchmarks.packages --work /tmp/packages zlib opus
    python -m benchmarks.packages --work /tmp/packages --rounds 0            (no times)
    python -m benchmarks.packages --work /tmp/packages --again zlib          (only the times of what is built)
    python -m benchmarks.packages --work /tmp/packages --table docs/packages.md

The packages are entries of benchmarks/field/packages.yaml that have a `test`.  Each is built by its
own build system in two trees below DIR, NAME-gcc and NAME-cuvier, with CFLAGS=-O3, and tested in both; its
`hot` command, if it has one, then takes turns in the two trees.  What came of a package is kept in
DIR/NAME.json; remove that to try it again.

Exit status: 0 all is well; 1 a build or test fails with Cuvier alone, or something is slower than --least.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.field import builds  # noqa: E402
from benchmarks.field.wrapped import Row, tried  # noqa: E402
from benchmarks.field.wrapped_table import table  # noqa: E402

DEFAULT = (
    *("zlib", "libogg", "bzip2", "lz4", "lame", "libpng1.6", "xz-utils", "flac", "opus", "libjpeg-turbo"),
    *("libsndfile", "qhull", "nettle", "meschach"),
)
MARK = "<!-- benchmarks/packages.py writes what follows -->"


def main() -> int:
    """Tries the packages, and prints the table of all that are known."""
    options = _options()
    known = {name: package for name, package in builds.packages().items() if package.test}
    names = options.packages or list(DEFAULT)
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no tests known of {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    builds.fetch(work, names, options.mirror, options.suite)
    rows = [_tell(tried(work, name, known[name], options.rounds, again=options.again)) for name in names]
    text = table(rows)
    print(text)
    if options.table:
        before = options.table.read_text(encoding="utf-8") if options.table.exists() else ""
        options.table.write_text(f"{before.partition(MARK)[0]}{MARK}\n\n{text}\n", encoding="utf-8")
    return int(any(row.broken or (row.speed or 1.0) < options.least for row in rows))


def _tell(row: Row) -> Row:
    print(f"{row.name}: {row.said}", file=sys.stderr)
    return row


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="packages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "packages", nargs="*", metavar="PACKAGE", help=f"names in packages.yaml [{' '.join(DEFAULT)}]"
    )
    parser.add_argument("--work", type=Path, default=Path("build/packages"), help="where packages are built")
    parser.add_argument("--rounds", type=int, default=5, help="turns of the hot commands [5]")
    parser.add_argument("--least", type=float, default=0.95, help="of gcc's speed [0.95]")
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="write the table into FILE, behind its mark"
    )
    parser.add_argument("--again", action="store_true", help="time what is built already again")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="where Debian's sources are")
    parser.add_argument("--suite", default="bookworm", help="of which release [bookworm]")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
