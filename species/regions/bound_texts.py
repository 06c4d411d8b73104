"""The least or greatest of some expressions as C that is executed."""

from __future__ import annotations

import re

from species.loops.unsigned_bounds import LARGEST, MODERATE
from species.regions.bounds import Extreme
from species.regions.c_printer import Renderer, Unprintable, is_unsigned, operand
from species.sets.affine import GREATEST, LEAST, Affine, Value
from species.sets.products import factors

_NAME = re.compile(r"[A-Za-z_]\w*((->|\.)[A-Za-z_]\w*)*")  # a variable, or a member of what one points to
_CONVERSION = "(unsigned long)"
NO_SIZE = MODERATE  # a larger value says that there is no limit


def less_text(value: Value, most: int, renderer: Renderer) -> str:
    """That a value without a sign is less than a power of two; raises `Unprintable`."""
    text = renderer.text(Affine.of(value))
    return f"{text} <= {LARGEST}" if most == LARGEST + 1 else f"{text} < 1ul << {most.bit_length() - 1}"


def bound_text(bound: Extreme, renderer: Renderer) -> str:
    """C text of type `int` or `long`; raises `Unprintable`.

    Only the one of several expressions that is the bound is known to be the place of a cell; the others may
    be any value of their types, such as a `limit` of SIZE_MAX.
    """
    texts = option_texts(bound, renderer)
    result = texts[0]
    relation = "<" if bound.operator == "min" else ">"
    for other in texts[1:]:
        result = f"({result} {relation} {other} ? {result} : {other})"
    return result


def option_texts(bound: Extreme, renderer: Renderer) -> tuple[str, ...]:
    """The expressions of which the bound is the least or greatest, as C; raises `Unprintable`."""
    if bound.single is not None:
        return (renderer.text(bound.single),)
    return tuple(sorted({_option(o, renderer) for o in bound.options}))


def signed_text(bound: Extreme, renderer: Renderer) -> str:
    """As `bound_text`, of a signed type, which numbers below zero compare with."""
    text = bound_text(bound, renderer)
    plain = bound.single is not None and is_unsigned(bound.single) and not text.startswith("(long)")
    return f"(long){operand(text)}" if plain else text


def _option(option: Affine, renderer: Renderer) -> str:
    """An expression; its variables without a limit only as large as the sum can be computed with."""
    text = renderer.text(option)
    for atom, _ in option.terms:
        is_product = len(factors(atom)) > 1  # the program multiplies them, too
        if not isinstance(atom, Value) or atom.ctype.bits < 64 or is_product:
            continue
        if _is_narrow_extreme(atom):
            continue
        if option == Affine.of(atom) and not atom.ctype.unsigned:
            continue  # nothing is computed
        name = renderer.text(Affine.of(atom))
        if not _is_operand(name):
            raise Unprintable
        alone = rf"(\(long\))?(?<![\w.>]){re.escape(name)}(?!\w|->|\.)"
        text = re.sub(alone, _limited(name, unsigned=atom.ctype.unsigned), text)
    if is_unsigned(option) and not text.startswith("(long)"):
        return f"(long){operand(text)}"  # or it would be compared as such
    return text


def _is_narrow_extreme(value: Value) -> bool:
    """Is it the least or greatest of some expressions of small numbers?"""
    atoms = [atom for part in value.parts for atom in part.atoms()]
    small = all(isinstance(atom, Value) and atom.ctype.bits <= 32 for atom in atoms)
    return value.key[:1] == ("op",) and value.key[1] in (LEAST, GREATEST) and small


def _is_operand(text: str) -> bool:
    """Is it a name, or something in parentheses, perhaps converted, that means the same anywhere?"""
    text = text.removeprefix(_CONVERSION)
    if _NAME.fullmatch(text):
        return True
    depth = [text[: k + 1].count("(") - text[: k + 1].count(")") for k in range(len(text))]
    return text.startswith("(") and depth[-1] == 0 and 0 not in depth[:-1]


def _limited(name: str, *, unsigned: bool) -> str:
    high = f"{name} < {NO_SIZE} ? {name} : {NO_SIZE}"
    return f"(long)({high})" if unsigned else f"({name} < -{NO_SIZE} ? -{NO_SIZE} : {high})"
