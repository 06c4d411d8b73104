"""Entry point of the command and of `python -m cuvier`: loads nothing before an interrupt is handled."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130  # as shells report SIGINT


def main() -> NoReturn:
    """Run the command that the arguments name and exit."""
    try:
        from cuvier.cli import main as run

        run()
    except KeyboardInterrupt:
        print("cuvier: interrupted; no file was left half-written", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
