"""Kernels that are one loop in steps of the whole grid: devices share its iterations, not the blocks.

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)

Which thread makes which iteration is nothing that such a loop depends on where its iterations are independent
and nothing else numbers threads: each device runs the whole grid over a stretch of the iterations.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cuvier.multi_gpu.source import BUILT_IN, CudaKernel, CudaSource, code_tokens
from skeletons.shim.tokens import Token, matching
from species.core.refusal import Refusal

_BUILT_IN = BUILT_IN | {"warpSize"}
_TOGETHER = ("__shared__", "__sync", "__threadfence", "printf", "return", "goto", "asm")
_LOOPS = frozenset(("for", "while", "do", "switch"))
_INTEGERS = frozenset(
    ("int", "long", "unsigned", "size_t", "signed", "uint", "int64_t", "uint32_t", "uint64_t")
)
_TYPE = _INTEGERS | {"const", "auto", "float", "double", "bool"}
_NUMERIC = re.compile(r"[\d\s()+*\-uUlL]+")
_SUM = tuple[str, ...]
_NUMBER = Counter({("blockDim.x", "blockIdx.x"): 1, ("threadIdx.x",): 1})
_STEP = Counter({("blockDim.x", "gridDim.x"): 1})
_CHANGES = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))


@dataclass(frozen=True)
class StridedLoop:
    """`trips`: how many iterations there are, as C over the kernel's scalars and macros.

    `start` and `condition`: where these stand in the file; `header`: the loop's, from 0 on in steps of one;
    `before`: what is declared in front, but for the numbers of threads; `body`: the loop's body.
    """

    variable: str
    trips: str
    start: tuple[int, int]
    condition: tuple[int, int]
    header: str
    before: list[str]
    body: list[str]


def strided_loop(source: CudaSource, kernel: CudaKernel) -> StridedLoop | None:
    """The loop that is all of a kernel; None where there is none; Refusal for what stands in its way."""
    inside = (t for t in source.tokens if kernel.body[0] < t.start < kernel.body[1] - 1)
    found = code_tokens(inside, source.text)
    words = [token.text for token in found]
    place = next((k for k, word in enumerate(words) if word in _LOOPS), None)
    if place is None or words[place] != "for" or words[:place].count("{") != words[:place].count("}"):
        return None
    close = matching(found, place + 1)
    inner = found[place + 2 : close]
    parts = list(_split(inner, ";"))
    if close is None or len(parts) != 3 or not parts[0] or not parts[1]:
        return None
    macros = {name: " ".join(words) for name, words in source.thread_macros.items()}
    defined = {**macros, **_definitions(found[:place], words)}
    loop = _read(source, kernel, parts, defined)
    if loop is None:
        return None
    variable, limit, kind, start = loop
    sign = parts[1][1].text
    known = {
        name: value
        for name, value in defined.items()
        if _is_known(source, kernel, _resolved([name], defined))
    }
    threads = {name for name in defined if _built_in(name, defined, len(defined))}
    before = [word for each in _split(found[:place], ";") for word in _without(each, threads | set(known))]
    made = StridedLoop(
        variable,
        f"(long)({limit}){' + 1' if sign == '<=' else ''}",
        (start[0].start, start[-1].end),
        (parts[1][0].start, parts[1][-1].end),
        f"for ({kind} {variable} = 0; {variable} {sign} {limit}; {variable}++)",
        _resolved(before, known),
        _resolved(words[close + 1 :], known),
    )
    _check(kernel, made, threads | macros.keys())
    return made


def _split(found: list[Token], sign: str) -> Iterator[list[Token]]:
    """The pieces between signs that stand in no brackets."""
    depth, piece = 0, list[Token]()
    for token in found:
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.text == sign and depth == 0:
            yield piece
            piece = []
        else:
            piece.append(token)
    yield piece


def _definitions(before: list[Token], words: list[str]) -> dict[str, str]:
    """What variables stand for, converted to their types, that are declared in front and never change."""
    found = {}
    for statement in _split(before, ";"):
        kind, declared = _declaration(statement)
        cast = " ".join(("(", *(word for word in kind if word in _INTEGERS), ")"))
        for each in _split(declared, ","):
            texts = [t.text for t in each]
            if (not _INTEGERS & set(kind) and "auto" not in kind) or len(texts) < 3 or texts[1] != "=":
                continue
            if not _changes(texts[0], words, 1):
                found[texts[0]] = " ".join((cast if cast != "( )" else "", "(", *texts[2:], ")")).strip()
    return found


def _declaration(statement: list[Token]) -> tuple[list[str], list[Token]]:
    """The words of a declaration's type, which are none where it is something else, and what it declares."""
    first = next((k for k, t in enumerate(statement) if t.text not in _TYPE), len(statement))
    return [t.text for t in statement[:first]], statement[first:] if first else []


def _changes(name: str, words: list[str], declared: int) -> bool:
    """Does a variable get another value than where it is declared?"""
    places = [k for k, word in enumerate(words) if word == name]
    after = sum(words[k + 1 : k + 2] != [] and words[k + 1] in _CHANGES for k in places)
    return after > declared or any(k and words[k - 1] in ("++", "--", "&") for k in places)


def _read(
    source: CudaSource, kernel: CudaKernel, parts: list[list[Token]], defined: dict[str, str]
) -> tuple[str, str, str, list[Token]] | None:
    """The variable, what it stays below or at, its type, and where it starts."""
    first, last, step = ([t.text for t in part] for part in parts)
    if "=" not in first or first.index("=") < 2 or not set(first[: first.index("=") - 1]) <= _INTEGERS:
        return None
    at = first.index("=")
    variable, start = first[at - 1], parts[0][at + 1 :]
    if not start or _value(" ".join(first[at + 1 :]), defined) != _NUMBER:
        return None
    if step[:2] == [variable, "+="]:
        by = step[2:]
    elif step[:4] == [variable, "=", variable, "+"]:
        by = step[4:]
    else:
        return None
    if _value(" ".join(by), defined) != _STEP or last[0] != variable or last[1:2] not in (["<"], ["<="]):
        return None
    limit = _limit(source, kernel, last[2:], defined)
    return variable, limit, " ".join(first[: at - 1]), start


def _limit(source: CudaSource, kernel: CudaKernel, words: list[str], defined: dict[str, str]) -> str:
    """The limit with what it is made of where the kernel is launched; Refusal where that is unknown."""
    resolved = _resolved(words, defined)
    text = " ".join(resolved)
    if not _is_known(source, kernel, resolved):
        raise Refusal(f"where the loop over the grid ends, `{text}`, is unknown at the launch")
    return text


def _resolved(words: list[str], defined: dict[str, str]) -> list[str]:
    """With what variables stand for."""
    for _ in defined:
        words = [part for w in words for part in (f"( {defined[w]} )".split() if w in defined else [w])]
    return words


def _is_known(source: CudaSource, kernel: CudaKernel, words: list[str]) -> bool:
    """Is it made of sums and products of the kernel's scalars, and of numbers?"""
    known = {p.name for p in kernel.parameters if not p.is_pointer} | _TYPE | _numeric_macros(source)
    names = {word for word in words if word[0].isalpha() or word[0] == "_"}
    divided = any(a in "/%" and not b[0].isdigit() for a, b in pairwise(words))
    return names <= known and not divided and not set("".join(words)) & set("<>=?&|[]{};,.!~^\"'")


def _numeric_macros(source: CudaSource) -> set[str]:
    macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*)$", source.text, re.MULTILINE)
    return {name for name, value in macros if _NUMERIC.fullmatch(value.partition("//")[0].strip())}


def _value(text: str, defined: dict[str, str]) -> Counter[_SUM]:
    """A sum of products, casts left out; nothing where it is something else."""
    text = re.sub(r"\( ((int|long|unsigned|size_t) )+\)", "", text)
    try:
        return _sum(ast.parse(text.replace(" . ", ".").strip(), mode="eval").body, defined)
    except (SyntaxError, ValueError, RecursionError):
        return Counter()


def _sum(node: ast.expr, defined: dict[str, str]) -> Counter[_SUM]:
    if isinstance(node, ast.Name) and node.id in defined:
        return _value(defined[node.id], {k: v for k, v in defined.items() if k != node.id})
    if isinstance(node, ast.Name | ast.Attribute):
        return Counter({(ast.unparse(node),): 1})
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Mult):
        raise ValueError
    left, right = _sum(node.left, defined), _sum(node.right, defined)
    if isinstance(node.op, ast.Add):
        return left + right
    made: Counter[_SUM] = Counter()
    for one, times in left.items():
        for other, more in right.items():
            made[tuple(sorted((*one, *other)))] += times * more
    return made


def _without(statement: list[Token], left_out: set[str]) -> Iterator[str]:
    """A declaration without some of the variables."""
    kind, declared = _declaration(statement)
    if not kind:
        yield from (*(t.text for t in statement), *(";" if statement else ()))
        return
    kept = [[t.text for t in each] for each in _split(declared, ",") if each and each[0].text not in left_out]
    if kept:
        yield from (*kind, *[word for each in kept for word in (*each, ",")][:-1], ";")


def _built_in(name: str, defined: dict[str, str], depth: int) -> bool:
    words = set(re.findall(r"\w+", defined[name]))
    return bool(words & _BUILT_IN) or (
        depth > 0 and any(_built_in(other, defined, depth - 1) for other in words & set(defined))
    )


def _check(kernel: CudaKernel, loop: StridedLoop, threads: set[str]) -> None:
    """Refusal where the rest of the kernel has to do with threads, or does more than the loop."""
    strange = _BUILT_IN | threads
    rest = [*loop.before, *loop.body]
    asks = next((word for word in rest if word in strange or word.startswith(_TOGETHER)), None)
    if asks is not None:
        raise Refusal(f"it has a loop over the grid, and `{asks}` besides")
    pointers = {p.name for p in kernel.parameters if p.is_pointer}
    calls = any(a.isidentifier() and b == "(" for a, b in pairwise(loop.before))
    end = _statement_end(loop.body)
    if (
        pointers & set(loop.before)
        or calls
        or {"{", "if", "else"} & set(loop.before)
        or end != len(loop.body)
    ):
        raise Refusal("it has a loop over the grid, and does more besides")
    scalars = set(re.findall(r"[A-Za-z_]\w*", loop.trips)) | {loop.variable}
    changed = next((name for name in sorted(scalars) if _changes(name, rest, 0)), None)
    if changed is not None:
        raise Refusal(f"it has a loop over the grid, which changes `{changed}`")


def _statement_end(words: list[str]) -> int:
    """Where the first statement ends."""
    depth = 0
    for place, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if depth == 0 and word in (";", "}"):
            following = words[place + 1 : place + 2]
            if following != ["else"]:
                return place + 1
    return len(words) + 1
