"""What functions touch that are analysed in the place of their calls: as if the calls' statements did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from species.loops.model import Reference
from species.scops.refused import Refused


def at_calls(references: Iterable[Reference]) -> Iterator[Reference]:
    """The references, those of callees at the function's own calls, without the callees' own variables.

    Those are no sums: threads have copies of variables and arrays by names that the callees do not use.
    Raises Refused where a callee writes what it or the caller may have a copy of.
    """
    found = list(references)
    written = {r.symbol for r in found if r.write}
    for reference in found:
        inlining, symbol, place = reference.inlining, reference.symbol, reference.place
        if inlining is None:
            yield reference
        elif any(symbol in each.variables for each in inlining.chain):
            if place.base is not None:
                raise Refused(f"{inlining.name}() follows a pointer of its own")
        elif place.is_variable and (reference.write or not symbol.outlives_function):
            raise Refused(f"it calls {inlining.name}(), which touches variables")
        elif symbol.outlives_function and symbol in written:
            raise Refused(f"it calls {inlining.name}(), which names what is written")
        else:
            yield replace(reference, node=inlining.chain[0].call, update=None, inlining=None)
