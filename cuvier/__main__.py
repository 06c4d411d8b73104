"""Entry points of the commands and of `python -m cuvier`: load nothing before an interrupt is handled."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

_ENDED = (signal.SIGTERM, signal.SIGHUP)  # as `kill`, CI and a terminal that is closed end us
_UNWOUND = 128 + signal.SIGINT  # what Typer makes of an interrupt
_got: list[int] = []


def main() -> NoReturn:
    """Run the command that the arguments name and exit; with 128 and the signal's number after a signal."""
    for number in (signal.SIGINT, *_ENDED):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, _interrupt)
    try:
        if sys.argv[1:2] == ["cc"]:  # a compiler is called often: nothing but that is loaded
            from cuvier.wrapper.main import main as compiler

            sys.exit(compiler(sys.argv[2:]))
        from cuvier.cli import main as run

        run()
    except (KeyboardInterrupt, SystemExit) as end:
        unwound = isinstance(end, KeyboardInterrupt) or end.code == _UNWOUND
        if not (_got and unwound):  # `tune` takes an interrupt for the end of its search
            raise
        print("cuvier: interrupted; no file was left half-written", file=sys.stderr)
        sys.exit(128 + _got[0])


def compiler() -> NoReturn:
    """The command `cuvier-cc`, which is `cuvier cc`."""
    sys.argv.insert(1, "cc")
    main()


def _interrupt(number: int, frame: object) -> NoReturn:
    """Unwind as after Ctrl-C, once: what is removed on the way out is not left by a second signal."""
    _got.append(number)
    for each in _ENDED:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
