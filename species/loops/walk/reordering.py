"""May the updates of a variable be made in another order?  Marks the statements of which that is so."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.model import Update
from species.loops.walk.speculation import Speculation
from species.symbols import update_idioms as updates
from species.symbols.types import CType


class Reordering(Speculation):
    """What the types of an update say, and what evaluating its operands does."""

    def _tag(self, candidate: updates.Candidate | None) -> None:
        """Marks the references of an update statement, unless its types forbid reordering."""
        if candidate is None or not self._reorders(candidate):
            return
        variables = 1 + len(candidate.with_it)
        fixed = tuple(s for s in map(self.symbol, candidate.fixed) if s is not None)
        update = Update(candidate.operator, next(self._blocks), variables, candidate.keeps, fixed)
        for target in (*candidate.targets, *candidate.with_it):
            self.updates[id(target)] = update

    def _reorders(self, candidate: updates.Candidate) -> bool:
        """Is the order of the updates of no matter, given the types?

        `int s; s += 0.5` rounds at every step, and a `_Bool` is cut down to 0 or 1.
        """
        target = self.scanner.type_of(candidate.targets[0])
        own = self.resolution.functions.get(candidate.call.name.name) if candidate.call else None
        if own is not None:  # what is compared, and given back, is converted to the target's type before
            named = [own.decl.type.type, *(p.type for p in own.decl.type.args.params)]
            return all(self.types.resolve(t) == target for t in named)
        if candidate.call is None and not self.is_repeatable(candidate):
            return False
        if candidate.keeps and not candidate.with_it:  # `if (a[i] > a[k]) k = i;` compares elements
            return target.kind == "int" and self._keeps_value(candidate.operands[0], target)
        if target.kind == "float" and candidate.keeps:
            return self._compares_exactly(candidate.operands[0], target)
        if target.kind == "float":
            return candidate.call is None or self._is_extreme(candidate.call, target)
        if target.kind == "complex":
            return candidate.call is None and candidate.operator in "+*"
        if target.kind != "int" or (target.bits == 1 and candidate.operator in "+*^"):
            return False
        compared = candidate.operands[:1] if candidate.keeps else candidate.operands
        operands = [self._quiet(o) for o in compared]
        if any(o.ctype.kind != "int" for o in operands):
            return False
        return candidate.operator.removeprefix("arg") not in ("max", "min") or (
            candidate.call is None and all(self._compares_in_order(o, target) for o in operands)
        )

    def _keeps_value(self, operand: Any, target: CType) -> bool:
        """Does the target hold every value of the operand?"""
        found = self._quiet(operand)
        return found.ctype.is_integer and ex.fits(found, target, self.facts)

    def _quiet(self, node: Any) -> ex.Evaluated:
        """The value of an expression, with no effect on what is known."""
        with self.quietly():
            before = self.env.copy()
            found = self.evaluate(node)
            self.env = before
        return found

    def _compares_in_order(self, operand: ex.Evaluated, target: CType) -> bool:
        """Is the operand a value of the target's type, and compared with it as such?  (-1 > 1u in C.)"""
        as_signed = target.unsigned or not ex.common_type(target, operand.ctype).unsigned
        return as_signed and ex.fits(operand, target, self.facts)

    def _compares_exactly(self, operand: Any, target: CType) -> bool:
        """Does the target take over the operand without rounding?  (Else the place depends on the order.)"""
        ctype = self._quiet(operand).ctype
        if ctype.kind == "int":
            return ctype.bits <= 32 and target.bits >= 64
        return ctype.kind == "float" and 0 < ctype.bits <= target.bits

    def _is_extreme(self, call: c_ast.FuncCall, target: CType) -> bool:
        """Is it the function of math.h, for operands as wide as the target?"""
        library = self.effects.of_call(call) in ("pure", "errno")
        return library and (target.bits == 32 or not call.name.name.endswith("f"))
