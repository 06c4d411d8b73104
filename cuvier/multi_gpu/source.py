"""A CUDA file in C style: its kernels, its launches, and the calls of CUDA's functions (M1, M7, M11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from models.errors import SkeletonError
from skeletons.shim.tokens import Token, in_directive, matching, outside_brackets, tokens

# Functions that have others in their place, which know of several devices.
REPLACED = frozenset(
    (
        *("cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync"),
        *("cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize", "cudaDeviceReset"),
        *("cudaGetDeviceCount", "cudaSetDevice", "cudaGetDevice", "cudaMemcpyToSymbol", "cudaEventRecord"),
    )
)
KEPT = frozenset(
    (
        *("cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"),
        *("cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventSynchronize", "cudaEventElapsedTime"),
        *("cudaEventDestroy", "cudaEventQuery", "cudaGetDeviceProperties"),
        *("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamDestroy", "cudaStreamWaitEvent"),
        *("cudaMallocHost", "cudaHostAlloc", "cudaFreeHost", "cudaDeviceGetAttribute"),
    )
)
_TYPES = re.compile(
    r"cuda(Error_t|Success|Error\w+|Event_t|Stream_t|DeviceProp|Memcpy(Host|Device)To\w+|Memcpy(Default|Kind)"
    r"|HostAlloc[A-Z]\w*|DevAttr\w+|Event(Default|BlockingSync|DisableTiming)|Stream(Default|NonBlocking))"
)
_QUALIFIERS = frozenset(("const", "__restrict__", "__restrict", "restrict", "volatile"))
BUILT_IN = frozenset(("blockIdx", "threadIdx", "blockDim", "gridDim"))  # variables of a thread
_OPERATORS = frozenset(
    (
        *("++", "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>", "<<=", ">>=", "<=", ">=", "==", "!="),
        *("&&", "||", "&=", "|=", "^="),
    )
)


def code_tokens(found: Iterable[Token], text: str) -> list[Token]:
    """Those of a text's tokens that stand outside of directives, operators of several characters whole."""
    result: list[Token] = []
    for token in found:
        if token.text == "#" or in_directive(text, token.start):
            continue
        last = result[-1] if result else None
        if last is not None and token.start == last.end and last.text + token.text in _OPERATORS:
            result[-1] = Token(last.text + token.text, "other", last.start, token.end)
        else:
            result.append(token)
    return result


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel; `text` is its declaration."""

    text: str
    name: str
    is_pointer: bool

    @property
    def declaration(self) -> str:
        """Without brackets behind the name, which mean a pointer."""
        if "[" not in self.text or "(" in self.text:
            return self.text
        before, _, _ = self.text.partition(self.name)
        return f"{before.rstrip()} *{self.name}"

    @property
    def is_read_only(self) -> bool:
        """Does it lead to constants?"""
        return self.is_pointer and "const" in self.text.partition("*")[0].split()


@dataclass(frozen=True)
class CudaKernel:
    """A `__global__` function: where its text is, from `__global__` on, and where its body is."""

    name: str
    line: int
    parameters: tuple[Parameter, ...]
    start: int
    body: tuple[int, int]  # from `{` to behind `}`


@dataclass(frozen=True)
class Launch:
    """`kernel<<<grid, block, ...>>>(...)`: the tokens of the name, the first of `<<<`, the last of `>>>`."""

    kernel: str
    name: Token
    left: Token
    right: Token


class CudaSource:
    """A file; SkeletonError with its place for what is not understood."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.tokens = path, text, tokens(text)
        self.declared: list[tuple[str, int]] = []  # kernels, and where declarations of them end

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def refuse(self, position: int, what: str) -> SkeletonError:
        """An error at a place."""
        column = position - self.text.rfind("\n", 0, position)
        return SkeletonError(f"{self.path}:{self.line(position)}:{column}: {what}")

    @cached_property
    def kernels(self) -> dict[str, CudaKernel]:
        """The kernels that have a body, by name."""
        found: dict[str, CudaKernel] = {}
        for place, token in enumerate(self.tokens):
            if token.text == "__global__" and not in_directive(self.text, token.start):
                kernel = self._kernel(place)
                if kernel is not None and kernel.name in found:
                    again = "is defined more than once here: leave out what the preprocessor does not take"
                    raise self.refuse(token.start, f"the kernel `{kernel.name}` {again}")
                if kernel is not None:
                    found[kernel.name] = kernel
        if not found:
            raise SkeletonError(f"{self.path}: there is no kernel (a function with __global__)")
        return found

    @cached_property
    def thread_macros(self) -> dict[str, tuple[str, ...]]:
        """Macros that number threads, with what they stand for: with nothing, if they have parameters."""
        texts: dict[str, str] = {}
        for place, token in enumerate(self.tokens[:-2]):
            if token.text == "#" and self.tokens[place + 1].text == "define":
                name = self.tokens[place + 2]
                texts[name.text] = self.text[name.end : self._directive_end(name.end)].replace("\\\n", " ")
        words = {name: tuple(t.text for t in code_tokens(tokens(text), text)) for name, text in texts.items()}
        number: set[str] = set()
        for _ in words:  # by way of others, too
            number |= {name for name, own in words.items() if (BUILT_IN | number) & set(own)}
        return {name: () if texts[name].startswith("(") else words[name] for name in number}

    def _directive_end(self, position: int) -> int:
        """Where the line ends, with those that continue it."""
        end = (self.text + "\n").index("\n", position)
        return self._directive_end(end + 1) if self.text[:end].endswith("\\") else end

    def _kernel(self, place: int) -> CudaKernel | None:
        found, start = self.tokens, self._start(place)
        if any(token.text == "template" for token in found[start:place]):
            raise self.refuse(found[start].start, "a template of kernels: only kernels in C style are taken")
        opening = next(k for k in range(place, len(found)) if found[k].text == "(")
        while found[opening - 1].text in ("__launch_bounds__", "__attribute__"):
            opening = (matching(found, opening) or opening) + 1
            opening = next(k for k in range(opening, len(found)) if found[k].text == "(")
        closing = matching(found, opening)
        if closing is None or closing + 1 >= len(found):
            raise self.refuse(found[place].start, "this kernel has no end")
        if found[closing + 1].text != "{":  # it is declared here only
            self.declared.append((found[opening - 1].text, found[closing + 1].end))
            return None
        end = matching(found, closing + 1)
        if end is None:
            raise self.refuse(found[place].start, "this kernel has no end")
        name = found[opening - 1]
        self._check_pointers(opening, closing)
        parameters = tuple(self._parameters(opening, closing))
        body = (found[closing + 1].start, found[end].end)
        return CudaKernel(name.text, self.line(name.start), parameters, found[start].start, body)

    def _start(self, place: int) -> int:
        """Where the declaration begins that has the token."""
        while place > 0 and found_before(self.tokens, place) not in (";", "}", "{"):
            if in_directive(self.text, self.tokens[place - 1].start):
                break
            place -= 1
        return place

    @cached_property
    def _linked(self) -> frozenset[str]:
        """Types with pointers in them, and their tags: addresses in memory are not those of devices."""
        linked: set[str] = set()
        for place, token in enumerate(self.tokens[:-2]):
            if token.text not in ("struct", "union"):
                continue
            brace = place + (1 if self.tokens[place + 1].text == "{" else 2)
            end = matching(self.tokens, brace) if self.tokens[brace].text == "{" else None
            if end is None:
                continue
            words = {t.text for t in self.tokens[brace:end]}
            if "*" in words or linked & words:
                linked |= {t.text for t in (self.tokens[place + 1], *self.tokens[end + 1 : end + 2])}
        return frozenset(linked - {"{", ";"})

    def _check_pointers(self, opening: int, closing: int) -> None:
        for token in self.tokens[opening:closing]:
            if token.text in self._linked:
                raise self.refuse(
                    token.start, f"`{token.text}` has pointers in it, which devices cannot follow"
                )

    def check_variables(self) -> None:
        """SkeletonError for variables of devices: each would have its own."""
        for place, token in enumerate(self.tokens):
            if token.text not in ("__device__", "__constant__", "__managed__"):
                continue
            end = next(
                (
                    k
                    for k in range(place, len(self.tokens))
                    if self.tokens[k].text in ("(", ";", "=", "{", "[")
                ),
                place,
            )
            words = [t.text for t in self.tokens[place:end]]
            is_function = self.tokens[end].text == "("
            if not is_function and "const" not in words and (token.text != "__constant__" or "*" in words):
                raise self.refuse(
                    token.start, "a variable of the device, of which each device would have its own"
                )

    def _parameters(self, opening: int, closing: int) -> Iterator[Parameter]:
        first = opening + 1
        commas = [k for k in outside_brackets(self.tokens, first) if self.tokens[k].text == ","]
        for end in (*commas, closing):
            if end - first > 1:
                yield self._parameter(self.tokens[first:end])
            first = end + 1

    def _parameter(self, found: list[Token]) -> Parameter:
        text = self.text[found[0].start : found[-1].end]
        stars = sum(token.text == "*" for token in found)
        is_pointer = stars > 0 or any(token.text == "[" for token in found)
        names = [t for t in found if t.kind == "name" and t.text not in _QUALIFIERS]
        inside = [k for k, t in enumerate(found) if t.text == "["]
        last = [t for t in names if not inside or t.start < found[inside[0]].start]
        if len(last) < 2 or stars > 1 or any(t.text in ("&", "=", "<", "...", "(") for t in found):
            raise self.refuse(found[0].start, f"the parameter `{text}` is not understood")
        return Parameter(text, last[-1].text, is_pointer)

    @cached_property
    def launches(self) -> list[Launch]:
        """The launches of the file's kernels."""
        found = self.tokens
        places = [k for k in range(1, len(found) - 2) if self._is_triple(k, "<") and found[k - 1].text != "<"]
        for place in places:
            if in_directive(self.text, found[place].start):
                raise self.refuse(found[place].start, "a launch in a macro: write it where it is made")
        return [self._launch(k) for k in places]

    def _launch(self, left: int) -> Launch:
        found, name = self.tokens, self.tokens[left - 1]
        inside = list(outside_brackets(found, left + 3))
        right = next((k for k in inside if self._is_triple(k, ">")), None)
        if right is None or found[right + 3].text != "(":
            raise self.refuse(name.start, "this launch is not understood")
        if name.text not in self.kernels:
            raise self.refuse(name.start, f"`{name.text}` is launched, and is no kernel of this file")
        return Launch(name.text, name, found[left], found[right + 2])

    def _is_triple(self, place: int, text: str) -> bool:
        run = self.tokens[place : place + 3]
        return [t.text for t in run] == [text] * 3 and run[0].start + 2 == run[2].start

    @cached_property
    def calls(self) -> list[Token]:
        """The names of CUDA's functions that have others in their place."""
        found = []
        for place, token in enumerate(self.tokens[:-1]):
            if token.kind != "name" or not token.text.startswith("cuda"):
                continue
            if self.tokens[place + 1].text == "#":
                raise self.refuse(token.start, f"a name of CUDA's that a macro makes of `{token.text}`")
            if _TYPES.fullmatch(token.text) or token.text in self._own:
                continue
            if token.text in REPLACED:
                found.append(token)
            elif token.text not in KEPT and not in_directive(self.text, token.start):
                raise self.refuse(token.start, f"`{token.text}` is not known to several devices")
        return found

    @cached_property
    def _own(self) -> frozenset[str]:
        """Names that begin as CUDA's do, and are the file's."""
        words = [t.text for t in self.tokens]
        macros = {words[k + 2] for k in range(len(words) - 2) if words[k : k + 2] == ["#", "define"]}
        functions = set()
        for place, token in enumerate(self.tokens[:-1]):
            if token.text.startswith("cuda") and words[place + 1] == "(":
                end = matching(self.tokens, place + 1)
                if end is not None and words[end + 1 : end + 2] == ["{"]:
                    functions.add(token.text)
        return frozenset(macros | functions)


def found_before(found: list[Token], place: int) -> str:
    """The text of the token before."""
    return found[place - 1].text
