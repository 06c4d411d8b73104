"""The C text that calls a function with arguments of several sizes, pointers apart and overlapping."""

from __future__ import annotations

import random
import zlib

from tests.oracle.ctypes import CType, UnsupportedError
from tests.oracle.instrument import FunctionCode, Instrumenter

SIZES = ((6, 5), (5, 7), (7, 3), (1, 4), (0, 2), (4, 9), (-1, 3), (3, 3), (2, 1), (9, 6))
CELLS, MIDDLE = 260, 110
_MOST = 6


def call(code: Instrumenter, function: FunctionCode, number: int) -> str:
    """`static void call<number>(int how_)`."""
    seed = zlib.crc32(function.name.encode())
    source = random.Random(seed)
    lines = [_refill(code, source)]
    arguments, earlier = [], []
    for name, ctype in function.parameters:
        lines.append(_argument(code, name, ctype, source, earlier))
        arguments.append(f"{name}")
        earlier.append((name, ctype))
    sizes = ", ".join(f"{{{n}, {m}}}" for n, m in SIZES)
    result = f"u_{function.name}({', '.join(arguments)})"
    used = f"rt_result((double){result});" if function.ctype.kind == "scalar" else f"{result};"
    body = "\n".join(line for line in lines if line)
    return (
        f"static void call{number}(int how_)\n{{ static const int sizes[][2] = {{{sizes}}};\n"
        f"int n_ = sizes[how_][0], m_ = sizes[how_][1]; (void)n_; (void)m_;\n{body}\n{used} }}\n"
    )


def _refill(code: Instrumenter, source: random.Random) -> str:
    lines = []
    for _, ctype, text in code.globals:
        filled = text.startswith("g_") and text not in code.constants
        if ctype.kind == "array" and ctype.leaf.kind == "scalar" and filled:
            count = f"sizeof {text} / {_size(ctype.leaf)}"
            seed = f"{source.randrange(999)} + how_"
            lines.append(f"rt_fill({text}, '{ctype.leaf.tag}', {count}, {seed}, {_MOST});")
    return " ".join(lines)


def _size(ctype: CType) -> str:
    return f"sizeof({ctype.declare('')})"


def _argument(
    code: Instrumenter, name: str, ctype: CType, source: random.Random, earlier: list[tuple[str, CType]]
) -> str:
    if ctype.kind == "scalar":
        value = "n_" if name.endswith("n") or not any(t.kind == "scalar" for _, t in earlier) else "m_"
        return f"{ctype.declare(name)} = {value}{' < 0 ? 0 : n_' if ctype.tag in 'IL' else ''};"
    if ctype.kind != "pointer":
        raise UnsupportedError(f"a parameter of kind {ctype.kind}")
    declared = f"{ctype.declare(name)} = "
    made = _pointee(name, ctype.target, source)
    others = [n for n, t in earlier if t == ctype]
    if ctype.target.kind == "pointer" and others and ctype.target.target.kind == "scalar":
        other = source.choice(others)
        row = source.randint(0, 4)
        made += f" if (how_ == 2) {name} = {other}; if (how_ == 5) {name}[1] = {other}[{row}] + 1;"
    if ctype.target.kind == "scalar":
        made = _aliased(code, name, ctype, made, source, earlier)
    return declared + made


def _pointee(name: str, target: CType, source: random.Random) -> str:
    """The rest of a declaration: a buffer filled with small numbers."""
    leaf = target.leaf
    seed = source.randrange(999)
    if target.kind == "array":
        rows = f"(16 * sizeof(*{name}))"
        fill = f"rt_fill({name}, '{leaf.tag}', {rows} / {_size(leaf)}, {seed} + how_, {_MOST});"
        if leaf.kind != "scalar":
            raise UnsupportedError("array of pointers or structures")
        return f"rt_buffer(\"{name}\", {rows}, '{leaf.tag}'); {fill}"
    if target.kind == "scalar":
        size = f"{CELLS} * {_size(target)}"
        fill = f"rt_fill({name}, '{target.tag}', {CELLS}, {seed} + how_, {_MOST});"
        return f"rt_buffer(\"{name}\", {size}, '{target.tag}'); {fill} {name} += {MIDDLE};"
    if target.kind == "pointer" and target.target.kind == "scalar":
        inner = target.target
        own = f"({inner.declare('*')}){name} + {8 * source.randint(0, 6)}"
        in_table = f" if (how_ == 7) {name}[{source.randint(0, 3)}] = {own};" if inner.tag == "C" else ""
        return (
            f"rt_buffer(\"{name}\", 16 * sizeof(void *), 'p'); for (int k = 0; k < 16; k++) {{"
            f" {name}[k] = rt_buffer(\"{name} row\", 40 * {_size(inner)}, '{inner.tag}');"
            f" rt_fill({name}[k], '{inner.tag}', 40, {seed} + how_ + k, {_MOST}); {name}[k] += 4; }}"
            f" if (how_ == {source.choice((0, 1, 9))}) {name}[{source.randint(0, 5)}] ="
            f" {name}[{source.randint(0, 5)}] + {source.choice((0, 1, 2, 5))};{in_table}"
        )
    if target.kind == "struct" and target.members:
        return (
            f'rt_buffer("{name}", 20 * sizeof(*{name}), 0);'
            f" for (int k = 0; k < 20; k++) {{ {_members(f'{name}[k]', target, seed)} }}"
        )
    raise UnsupportedError(f"a pointer to {target.kind}")


def _members(text: str, ctype: CType, seed: int) -> str:
    lines = []
    for position, (name, member) in enumerate(ctype.members):
        place = f"{text}.{name}"
        if member.leaf.kind == "scalar":
            count = f"sizeof {place} / {_size(member.leaf)}"
            seeds = f"{seed + position} + how_ + k * 7"
            lines.append(f"rt_fill(&{place}, '{member.leaf.tag}', {count}, {seeds}, {_MOST});")
        elif member.kind == "pointer" and member.target.kind == "scalar":
            inner = member.target
            lines.append(
                f"{place} = rt_buffer(\"member\", 30 * {_size(inner)}, '{inner.tag}');"
                f" rt_fill({place}, '{inner.tag}', 30, {seed} + how_ + k, {_MOST}); {place} += 4;"
                f" if (k && how_ % 5 == 4) {place} = {text.replace('[k]', '[k - 1]')}.{name} + {seed % 3};"
            )
        elif member.kind == "array" and member.target.kind == "pointer":
            inner, row = member.target.target, f"{place}[r]"
            lines.append(
                f"for (int r = 0; r < {member.size}; r++) {{ {row} = r ? {place}[r - 1] + 36"
                f" : rt_buffer(\"member rows\", {member.size} * 40 * {_size(inner)}, '{inner.tag}');"
                f" rt_fill({row}, '{inner.tag}', 40, {seed} + how_ + k + r, {_MOST}); {row} += 4; }}"
                f" if (how_ % 4 == 3) {place}[{seed % 4}] = {place}[{seed // 4 % 4}] + {seed % 3};"
            )
        else:
            raise UnsupportedError("a structure of structures")
    return " ".join(lines)


def _aliased(
    code: Instrumenter,
    name: str,
    ctype: CType,
    made: str,
    source: random.Random,
    earlier: list[tuple[str, CType]],
) -> str:
    """In some of the calls the pointer leads into the object of another."""
    others = [n for n, t in earlier if t == ctype and not t.restrict] if not ctype.restrict else []
    known = ((c, t) for _, c, t in code.globals if t not in code.constants)
    arrays = [t for c, t in known if c.kind == "array" and c.target == ctype.target]
    lines = [made]
    if others:
        other = f"{source.choice(others)} + {source.randint(-2, 3)}"
        lines.append(f"if (how_ == {source.choice((1, 5))}) {name} = {other};")
    if arrays and not ctype.restrict:
        lines.append(f"if (how_ == {source.choice((2, 8))}) {name} = {source.choice(arrays)} + 40;")
    pointers = [n for n, t in earlier if t.kind == "pointer" and t.target.kind in ("scalar", "struct")]
    if pointers and ctype.target.name == "unsigned char":
        into = f"({ctype.declare('')}){source.choice(pointers)} + {source.randint(-3, 5)}"
        lines.append(f"if (how_ == {source.choice((0, 4, 9))}) {name} = {into};")
    return " ".join(lines)
