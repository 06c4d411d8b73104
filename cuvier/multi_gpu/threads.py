"""What the threads of a kernel do, as a loop nest in C over blocks and threads (M2, M3).

Where a kernel uses the numbers of blocks only to number its threads, `blockIdx.x * blockDim.x + threadIdx.x`,
these numbers are the loop's, and the product with a block's size is gone: the block-offset abstraction.
Else the loops are over blocks, and over the threads of a block inside.  Numbers of threads that stand alone
count as if any thread had any of them, which makes regions larger, never smaller.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cuvier.multi_gpu.source import BUILT_IN, CudaKernel, CudaSource, code_tokens
from cuvier.multi_gpu.strided import strided_loop
from skeletons.shim.tokens import Token, in_directive, matching, tokens
from species.core.refusal import Refusal

AXES = "zyx"
_BEFORE = frozenset(
    ("=", "(", "[", ",", "return", "?", ":", "<", ">", "<=", ">=", "==", "&&", "||", "+", "{", ";", ")")
)
_FORMS = (
    tuple(  # of the number of a thread: B is that of its block, X the size of a block, T that in its block
        form.split()
        for form in (
            *("B * X + T", "X * B + T", "T + B * X", "T + X * B"),
            *("( B * X ) + T", "( X * B ) + T", "T + ( B * X )", "T + ( X * B )"),
        )
    )
)
_TIGHTER = frozenset(("*", "/", "%", ".", "[", "(", "->"))
_CONSTANT = frozenset(("const", "constexpr", "__constant__"))
_COMPILERS = ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__CUDACC_VER_MAJOR__")
_TAGGED = frozenset(("struct", "union", "enum"))
_LOOPS = frozenset(("for", "while", "do", "switch", "goto"))
_PRELUDE = """
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define __cplusplus 201402L
#define cuvier_meet(...) ((void)0)
#define __ldg(p) (*(p))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
static float rsqrtf(float x) { return 1 / sqrtf(x); }
static double rsqrt(double x) { return 1 / sqrt(x); }
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __powf(x, y) powf(x, y)
#define __fdividef(x, y) ((x) / (y))
#define __fsqrt_rn(x) sqrtf(x)
#define __mul24(x, y) ((x) * (y))
"""
_WORDS = {
    **dict.fromkeys(("__device__", "__host__", "__global__", "__shared__", "__noinline__", "extern"), ""),
    **dict.fromkeys(("__forceinline__", "__inline__", "inline", "static", "volatile"), ""),
    "constexpr": "const",
    **dict.fromkeys(("__restrict__", "__restrict"), "restrict"),
    **dict.fromkeys(("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block"), "cuvier_meet"),
    "__constant__": "extern const",  # no kernel changes it
    "nullptr": "0",
}


@dataclass
class ThreadLoops:
    """The kernel as C: `text` is a file with the function `name`.

    `sizes`: block sizes that it takes for granted, by axis, as C.  `axes`: those that it has loops for,
    outermost first, `by_blocks` those whose loop is over blocks.  `trips`: how many
    iterations the loop over the grid has that is all of the kernel, as C.
    """

    name: str
    text: str = ""
    axes: str = ""
    by_blocks: frozenset[str] = frozenset()
    sizes: dict[str, str] = field(default_factory=dict)
    trips: str = ""

    @property
    def block(self) -> dict[str, float]:
        """About how many threads a block has, by the names of its sizes."""
        return dict.fromkeys((f"cuvier_d{axis}" for axis in AXES), 8.0)


def thread_loops(source: CudaSource, kernel: CudaKernel, *, sized: bool) -> ThreadLoops:
    """The loops of a kernel; Refusal says why they cannot be written.

    With `sized`, a block has as many threads as the kernel multiplies its number with, `blockIdx.x * TILE`;
    else the loops are over blocks there.
    """
    made = ThreadLoops(kernel.name)
    body = _inlined(_numbered(_expanded(source, _tokens(source.text[slice(*kernel.body)]))))
    _check(source, kernel, body)
    plain = _combined(body, made, sized=sized)
    made.by_blocks = frozenset(axis for axis in AXES if f"blockIdx_{axis}" in plain)
    made.sizes.clear()
    body = _combined(body, made, sized=sized)
    alone = {axis for axis in AXES if f"threadIdx_{axis}" in body}
    made.axes = "".join(a for a in AXES if a in made.by_blocks or f"cuvier_{a}" in body)
    if not made.axes:
        raise Refusal("it does not use the numbers of blocks, as far as it is understood")
    made.text = _file(source, kernel, _function(kernel, body, made, alone))
    return made


def strided_loops(source: CudaSource, kernel: CudaKernel) -> ThreadLoops | None:
    """The iterations of a kernel that is a loop over the grid; None, or Refusal, where it is not."""
    found = strided_loop(source, kernel)
    if found is None:
        return None
    _check(source, kernel, [*found.before, *found.body])
    made = ThreadLoops(kernel.name, axes="x", trips=found.trips)
    body = _spelt([*found.before, found.header, *found.body], made)
    made.text = _file(source, kernel, f"void {kernel.name}({_given(kernel)}) {{ {' '.join(body)} }}")
    return made


def _file(source: CudaSource, kernel: CudaKernel, function: str) -> str:
    asked = next((name for name in _COMPILERS if name in source.text), None)
    if asked is not None:
        raise Refusal(f"the file asks for {asked}, which only its compiler knows")
    return "\n".join((_PRELUDE, _vectors(), _around(source, kernel), function))


def _expanded(source: CudaSource, found: list[str]) -> list[str]:
    """With what macros without parameters stand for that number threads or blocks."""
    for _ in source.thread_macros:
        found = [part for word in found for part in source.thread_macros.get(word) or (word,)]
    return found


def _tokens(text: str) -> list[str]:
    """The words of a text outside of directives, operators of several characters whole."""
    return [token.text for token in code_tokens(tokens(text), text)]


def _numbered(found: list[str]) -> list[str]:
    """`blockIdx . x` as one word."""
    result: list[str] = []
    place = 0
    while place < len(found):
        if found[place] in BUILT_IN and found[place + 1 : place + 2] == ["."]:
            result.append(f"{found[place]}_{found[place + 2]}")
            place += 3
        else:
            result.append(found[place])
            place += 1
    return result


def _inlined(found: list[str]) -> list[str]:
    """With what `int bx = blockIdx.x` stands for in place of `bx`, if that never has another value."""
    for place in range(2, len(found) - 3):
        name, sign, value, after = found[place : place + 4]
        is_number = value.partition("_")[0] in BUILT_IN and sign == "=" and after in (",", ";")
        changed = [found[k + 1] for k, word in enumerate(found[:-1]) if word == name and k != place]
        others = [found[k - 1] for k, word in enumerate(found) if word == name and k != place]
        moved = {"=", "+=", "-=", "*=", "++", "--", "/=", "%="} & set(changed) or {"&", "++", "--"} & set(
            others
        )
        if is_number and not moved and name.isidentifier() and found.count(name) > 1:
            rest = [value if word == name else word for word in found[place + 3 :]]
            found = [*found[:place], name, "=", "0", *rest]
    return found


def _combined(found: list[str], made: ThreadLoops, *, sized: bool) -> list[str]:
    """With one name for the number of a thread among all along an axis, where the loop is not over blocks."""
    result: list[str] = []
    place = 0
    while place < len(found):
        length, axis, size = _thread_number(found, place)
        is_whole = size == f"blockDim_{axis}"
        if length and (is_whole or sized):
            if not is_whole:
                made.sizes[axis] = size
            if axis not in made.by_blocks:
                result.append(f"cuvier_{axis}")
                place += length
                continue
        result.append(found[place])
        place += 1
    return result


def _thread_number(found: list[str], place: int) -> tuple[int, str, str]:
    """How many words from a place on number a thread, along which axis, in blocks of which size."""
    before = found[place - 1] if place else ";"
    if before not in _BEFORE:
        return 0, "", ""
    for axis in AXES:
        block, thread = f"blockIdx_{axis}", f"threadIdx_{axis}"
        for form in _FORMS:
            words = found[place : place + len(form)]
            if len(words) < len(form):
                continue
            size = words[form.index("X")]
            wanted = [{"B": block, "T": thread, "X": size}.get(w, w) for w in form]
            after = found[place + len(form)] if place + len(form) < len(found) else ";"
            is_size = size.isidentifier() or size.isdecimal()
            if words == wanted and is_size and size not in (block, thread) and after not in _TIGHTER:
                return len(form), axis, size
    return 0, "", ""


def _check(source: CudaSource, kernel: CudaKernel, body: list[str]) -> None:
    """Refusal for what loops cannot say."""
    lines = (line.strip() for line in source.text[slice(*kernel.body)].splitlines())
    for line in lines:
        if line.startswith("#") and not line.lstrip("# \t").startswith("pragma"):
            raise Refusal(f"it has a line `{line}` inside")
    for word in body:
        if word.startswith(("atomic", "__shfl", "__ballot", "__any", "__all", "tex", "surf", "asm")):
            raise Refusal(f"it uses {word}")
    depth = 0
    inside: list[int] = []
    for place, word in enumerate(body):
        depth += (word == "{") - (word == "}")
        inside = [each for each in inside if each < depth]
        if word in _LOOPS:
            inside.append(depth)
        if word == "return" and inside and depth > inside[0]:
            raise Refusal("it returns from inside a loop")
        if word == "return" and body[place + 1 : place + 2] != [";"]:
            raise Refusal("it returns a value")
    for function in _device_functions(source):
        words = _numbered(_tokens(source.text[function[0] : function[1]]))
        if (
            any(w.startswith(("blockIdx_", "gridDim_", "threadIdx_")) for w in words)
            and _name_of(words) in body
        ):
            raise Refusal(f"{_name_of(words)}() uses the numbers of threads or blocks")


def _name_of(words: list[str]) -> str:
    return words[words.index("(") - 1]


def _items(source: CudaSource) -> list[tuple[int, int, list[Token]]]:
    """The declarations at file scope, with their tokens."""
    found, start, place = source.tokens, 0, 0
    result: list[tuple[int, int, list[Token]]] = []
    while place < len(found):
        token = found[place]
        if in_directive(source.text, token.start):
            place += 1
            start = place
            continue
        if token.text in "([{":
            close = matching(found, place)
            place = len(found) - 1 if close is None else close
            words = [t.text for t in found[start:place]]
            is_type = words and words[0] in ("struct", "typedef", "union", "enum") and "(" not in words[:3]
            if token.text == "{" and not is_type and found[place].text == "}" and "=" not in words[:6]:
                result.append((found[start].start, found[place].end, found[start : place + 1]))
                start = place + 1
        elif token.text == ";":
            result.append((found[start].start, token.end, found[start : place + 1]))
            start = place + 1
        place += 1
    return result


def _device_functions(source: CudaSource) -> list[tuple[int, int]]:
    items = ((a, b, [t.text for t in found]) for a, b, found in _items(source))
    return [(a, b) for a, b, words in items if "__device__" in words and "(" in words and words[-1] == "}"]


def _around(source: CudaSource, kernel: CudaKernel) -> str:
    """Macros, types, constants and functions for devices, as C."""
    parts: list[tuple[int, str]] = []
    for start, end, found in _items(source):
        words = [t.text for t in found]
        is_type = words[0] in ("struct", "typedef", "union", "enum")
        declared = words[: words.index("[")] if "[" in words else words
        is_constant = not {"(", "*"} & set(declared) and _CONSTANT & set(words)
        is_function = "__device__" in words and "(" in words and words[-1] == "}"
        if "__global__" not in words and (is_type or is_constant or is_function):
            parts.append((start, _as_c(source.text[start:end], static=not is_type)))
    words = [token.text for token in source.tokens]
    tags = {
        (words[k], words[k + 1]) for k in range(len(words) - 2) if words[k] in _TAGGED and words[k + 2] == "{"
    }
    parts += [(-1, f"typedef {kind} {name} {name};") for kind, name in sorted(tags)]  # as in C++
    position = 0
    for line in source.text.splitlines(keepends=True):
        if line.lstrip().startswith("#") and not line.lstrip("# \t").startswith(("include", "pragma")):
            parts.append((position, line.rstrip("\n")))
        position += len(line)
    return "\n".join(text for _, text in sorted(parts))


def _as_c(text: str, *, static: bool) -> str:
    words = " ".join(_WORDS.get(word, word) for word in _tokens(text))
    return f"static {words}" if static and not words.startswith("extern") else words


def _vectors() -> str:
    """The types of two to four numbers that CUDA has."""
    made = []
    for word, ctype in (("float", "float"), ("double", "double"), ("int", "int"), ("uint", "unsigned")):
        for count in (2, 3, 4):
            names, name = "xyzw"[:count], f"{word}{count}"
            made.append(f"typedef struct {name} {{ {ctype} {', '.join(names)}; }} {name};")
            given = ", ".join(f"{ctype} {n}" for n in names)
            sets = " ".join(f"r.{n} = {n};" for n in names)
            made.append(f"static {name} make_{name}({given}) {{ {name} r; {sets} return r; }}")
    return "\n".join(made)


def _function(kernel: CudaKernel, body: list[str], made: ThreadLoops, alone: set[str]) -> str:
    """The kernel with loops around its body."""
    numbers = [f"int cuvier_n{axis}" for axis in made.axes] + [f"int cuvier_d{axis}" for axis in AXES]
    numbers += [f"int cuvier_g{axis}" for axis in AXES]
    heads = [f"for (int cuvier_{a} = 0; cuvier_{a} < cuvier_n{a}; cuvier_{a}++) {{" for a in made.axes]
    inner = [
        f"for (int threadIdx_{a} = 0; threadIdx_{a} < {size}; threadIdx_{a}++) {{"
        for a, size in ((a, made.sizes.get(a, f"cuvier_d{a}")) for a in AXES)
        if a in alone
    ]
    shared, rest = _shared(body)
    text = " ".join(_spelt(rest, made))
    parts = [f"void {kernel.name}({', '.join([_given(kernel), *numbers])}) {{", *heads, shared, *inner, text]
    return "\n".join(parts) + "}" * (len(heads) + len(inner) + 1)


def _given(kernel: CudaKernel) -> str:
    """Its parameters, as C."""
    return ", ".join(" ".join(_WORDS.get(w, w) for w in _tokens(each.text)) for each in kernel.parameters)


def apart(kernel: CudaKernel) -> CudaKernel:
    """The kernel as if none of its arrays were another's memory."""
    given = tuple(
        replace(p, text=f"{p.declaration.rpartition(p.name)[0]} restrict {p.name}") if p.is_pointer else p
        for p in kernel.parameters
    )
    return replace(kernel, parameters=given)


def _shared(body: list[str]) -> tuple[str, list[str]]:
    """The declarations of shared memory, which the threads of a block have together, and what is left."""
    found: list[str] = []
    rest: list[str] = []
    place = 0
    while place < len(body):
        if body[place] == "__shared__":
            end = body.index(";", place)
            words = body[place + 1 : end]
            if rest and rest[-1] == "extern":
                rest.pop()
                words = [*words[:-2], "[65536]"]
            found.append(" ".join(w for w in words if w not in ("static", "volatile")) + ";")
            place = end + 1
        else:
            rest.append(body[place])
            place += 1
    return "\n".join(found), rest


def _spelt(body: list[str], made: ThreadLoops) -> list[str]:
    """As C, where a thread that returns goes on to the next one."""
    names = {f"blockDim_{a}": made.sizes.get(a, f"cuvier_d{a}") for a in AXES}
    names |= {f"gridDim_{a}": f"cuvier_g{a}" for a in AXES}
    names |= {f"blockIdx_{a}": f"cuvier_{a}" for a in made.by_blocks} | {"return": "continue"}
    return [names.get(word, _WORDS.get(word, word)) for word in body]
