"""Numbers in isl's expressions."""

from __future__ import annotations

import islpy as isl


def constant(value: isl.PwAff) -> int | None:
    """The number that an expression always is, if it is one."""
    pieces: list[isl.Aff] = []
    value.foreach_piece(lambda _, piece: pieces.append(piece))
    if len(pieces) != 1 or not pieces[0].is_cst():
        return None
    return int(pieces[0].get_constant_val().to_python())
