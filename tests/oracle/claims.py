"""What the analyser claims of a loop, as C calls of the run-time system where the loop begins."""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast

from species.facts.loops import Kernel, LoopFacts
from tests.oracle.ctypes import UnsupportedError
from tests.oracle.instrument import Instrumenter, Variable, iterator_name

_OPERATORS = {"&&": "a", "||": "o", "min": "m", "max": "M", "argmin": "m", "argmax": "M"}


class UndescribedError(Exception):
    """A claim that the run-time system has no words for: rows of pointers."""


class Claims:
    """The claims about one loop as C text; `wrong` lists those that cannot even be stated at the loop."""

    def __init__(self, code: Instrumenter, node: Any, facts: LoopFacts) -> None:
        self.code, self.node, self.facts = code, node, facts
        self.wrong: list[str] = []
        self.lines: list[str] = []
        self.names: dict[str, int] = {}
        name = self._iterator()
        if name and self.code.lookup(name):
            self._try(self._range, "ITERATOR", name)
        if facts.verdict.is_parallel:
            self._verdict()
        if facts.openmp:
            self.lines.append("rt_flag(OPENMP);")
        if facts.nonempty:
            self.lines.append("rt_nonempty();")
        self._kernel()
        self._domains()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def _try(self, make: Any, *arguments: Any) -> None:
        try:
            line = make(*arguments)
        except UndescribedError:
            return
        except UnsupportedError as error:
            self.wrong.append(str(error))
            return
        if line:
            self.lines.append(line)

    def _variable(self, name: str) -> Variable:
        found = self.code.lookup(name)
        if found is None:
            raise UnsupportedError(f"'{name}' is not visible")
        return found

    def _iterator(self) -> str | None:
        """The loop's iterator if it is declared outside; where no header says it, the analyser does."""
        if _declares(self.node):
            return None
        name = iterator_name(self.node) if isinstance(self.node, c_ast.For) else None
        return name or next(iter(self.facts.base_loops), None)

    # The verdict

    def _verdict(self) -> None:
        facts = self.facts
        if any(r.operator in ("argmin", "argmax") and not r.with_it for r in facts.reductions):
            return  # an index alone has no neutral element: parts start with their own first one
        for name in facts.private:
            self._try(self._range, "PRIVATE", name)
        for name in facts.lastprivate:
            # What iterations do not write of a structure that they have from before stays as it is.
            self._try(self._range, "LAST_WRITTEN" if name in facts.firstprivate else "LAST", name)
        for name in facts.lastprivate_conditional:
            self._try(self._range, "LAST_WRITTEN", name)
        for linear in facts.linear:
            self._try(self._linear, linear.variable, linear.step, "1" if linear.step else "0")
        for name in set(facts.firstprivate) - set(facts.lastprivate):
            self._try(self._linear, name, "0", "1")
        for reduction in facts.reductions:
            self._try(self._reduction, reduction.operator, reduction.variable)
            for name in reduction.with_it:
                self._try(self._with, name, reduction.keeps)
        self._try(self._condition, facts.conditions, "rt_claimed();")

    def _condition(self, texts: tuple[str, ...], claim: str) -> str:
        conditions = " && ".join(f"({self.code.renamed(c)})" for c in texts)
        return f"if ({conditions}) {claim}" if conditions else claim

    def _range(self, kind: str, name: str) -> str:
        found = self._variable(name)
        line = f"rt_range({kind}, (void *)&{found.text}, sizeof {found.text});"
        return line + (f" {self._box('0', name, ())}" if found.ctype.kind == "array" else "")

    def _linear(self, name: str, step: str, has_step: str) -> str:
        found = self._variable(name)
        width = f" * (long)sizeof(*{found.text})" if found.ctype.kind == "pointer" else ""
        tag = "'p'" if found.ctype.kind == "pointer" else f"TAG({found.text})"
        if found.ctype.kind not in ("pointer", "scalar"):
            return self._range("PRIVATE", name)
        by = f"(long)({self.code.renamed(step or '0')}){width}"
        return f"rt_linear((void *)&{found.text}, {tag}, {has_step}, {by});"

    def _with(self, name: str, keeps: str) -> str:
        place = self.code.renamed(name)
        return f"rt_with((void *)&{place}, sizeof {place}, {int(keeps == 'last')});"

    def _reduction(self, operator: str, text: str) -> str:
        op = f"'{_OPERATORS.get(operator, operator)}'"
        sections = _sections(text)
        if sections is None:
            place = self.code.renamed(text)
            return f"rt_reduce({op}, TAG({place}), (void *)&{place}, sizeof {place}, 0);"
        if ">" in text and text.endswith("[:]") and "[" not in text[:-3]:  # what a member points to, or holds
            owner, _, member = text[:-3].partition("->")
            held = dict(self._variable(owner).ctype.target.members).get(member)
            if held is not None and held.kind == "array" and held.target.kind == "pointer":  # rows of a table
                place = f"{self.code.renamed(text[:-3])}[k_]"
                each = f"rt_reduce({op}, 0, (void *){place}, ~0ul, 0);"
                return f"for (int k_ = 0; k_ < {held.size}; k_++) {each}"
            return f"rt_reduce({op}, 0, (void *)({self.code.renamed(text[:-3])}), ~0ul, 0);"
        if text.endswith("[:]") or "." in text or ">" in text:
            root = self._variable(re.split(r"\.|->|\[", text)[0])
            if (
                root.ctype.kind == "pointer" and root.ctype.target.kind == "pointer"
            ):  # into rows, of a table of 16
                each = f"rt_reduce({op}, 0, (void *){root.text}[k_], ~0ul, 0);"
                return f"for (int k_ = 0; k_ < 16; k_++) {each}"
            leaf = root.ctype.target.leaf if root.ctype.kind in ("array", "pointer") else root.ctype
            handle = re.fullmatch(r"\w+\.(\w+)\[:\]", text)
            if handle and root.ctype.kind == "pointer" and dict(leaf.members)[handle[1]].kind == "pointer":
                each = f"rt_reduce({op}, 0, (void *){root.text}[k_].{handle[1]}, ~0ul, 0);"
                return f"for (int k_ = 0; k_ < 20; k_++) {each}"
            # Nothing can stand for a whole object of which pointers may reach other cells.
            known = leaf.kind == "scalar" and text.endswith("[:]") and not self.facts.conditions
            tag = f"'{leaf.tag}'" if known else "0"
            place = root.text if root.ctype.kind in ("array", "pointer") else f"&{root.text}"
            return f"rt_reduce({op}, {tag}, (void *){place}, ~0ul, 0);"
        name = text.split("[")[0]
        ranges = [(low, f"({low})+({length})-1") for low, length in sections]
        base, dimensions, element = self._dimensions(name, ranges)
        return f"rt_reduce({op}, TAG({element}), {base}, 0, {len(ranges)}{dimensions});"

    def _dimensions(
        self, name: str, ranges: list[tuple[str, str]], wide: bool = False
    ) -> tuple[str, str, str]:
        """The address of an array's first element, (low, high, width) per dimension, and an element."""
        found = self._variable(name)
        element, ctype, dimensions = found.text, found.ctype, ""
        address = f"(void *)({element})" if ctype.kind in ("array", "pointer") else f"(void *)&{element}"
        for position, (low, high) in enumerate(ranges):
            if ctype.kind == "pointer" and (position or ctype.target.kind == "pointer"):
                raise UndescribedError
            if ctype.kind in ("array", "pointer"):
                element, ctype = f"{element}[0]", ctype.target
            bounds = ", ".join(f"(long)({self.code.renamed(bound, wide)})" for bound in (low, high))
            dimensions += f", {bounds}, (long)sizeof({element})"
        return address, dimensions, element

    # The kernel

    def _kernel(self) -> None:
        kernel = self.facts.kernel
        chain = [self.node, *base_chain(self.node, self.facts.base_loops[1:])]
        trips = [loop.trips for loop in kernel.loops] if kernel else []
        for position, node in enumerate(chain):
            text = trips[position] if position < len(trips) else None
            self._try(self._base, position, node, text)
        if kernel is None or kernel.obstacles:
            return
        before = len(self.lines)
        self.lines.append("rt_kernel();")
        self._touched(kernel)
        claims = self.lines[before:]
        del self.lines[before:]
        self._try(self._condition, (*kernel.conditions, *kernel.provided), _block(claims))

    def _touched(self, kernel: Kernel) -> None:
        """What a kernel needs and touches, where it runs at all."""
        for scalar in kernel.scalars:
            self._try(self._scalar, scalar.name)
        for array in kernel.arrays:
            if "." not in array.name and ">" not in array.name:
                self._try(self._scalar, array.name)
            for flag, ranges in (("READ", array.reads), ("WRITE", array.writes)):
                if ranges is not None:
                    covered = " | COVERED" if array.covered and flag == "WRITE" else ""
                    self._try(self._box, f"KERNEL | {flag}{covered}", array.name, ranges)
            if array.reads is None and array.writes is None:
                self._try(self._box, "KERNEL", array.name, ())

    def _base(self, position: int, node: Any, trips: str | None) -> str:
        number = self.code.numbers[id(node)]
        text = self.code.renamed(trips) if trips else "0"
        rectangular = int(0 < position < self.facts.collapse)
        line = f"rt_base({number}, {int(trips is not None)}, (long)({text}), {rectangular});"
        name = iterator_name(node) if position and not _declares(node) else None
        if not self.facts.verdict.is_parallel or not name or not self.code.lookup(name):
            return line
        if not _hidden(self.node, node, name):
            line += f" {self._range('INNER', name)}"
        return line

    def _scalar(self, name: str) -> str:
        text = self._variable(name.split("[")[0].split(".")[0].split("->")[0]).text
        return f"rt_scalar((void *)&{text}, sizeof {text});"

    def _box(self, flags: str, name: str, ranges: Any) -> str:
        number = self.names.setdefault(name, len(self.names))
        whole = " | WHOLE" if not ranges else ""
        pairs = [(r.low, r.high) for r in ranges]
        base, dimensions, _ = self._dimensions(name, pairs, wide="DOMAIN" in flags)
        return f"rt_box({flags}{whole}, {number}, {base}, {len(ranges)}{dimensions});"

    def _domains(self) -> None:
        """What is said of loops that are parallel on conditions is said of them where these hold."""
        before = len(self.lines)
        seen = [self.code.lookup(c.name) for c in self.facts.characterisations]
        if None in seen and any(v is not None and v.ctype.declare("") == "unsigned char *" for v in seen):
            return  # characters may be those of a structure, of whose members nothing is claimed
        for c, found in zip(self.facts.characterisations, seen, strict=True):
            if found is None:
                continue
            flags = f"DOMAIN | {'READ' if c.access == 'r' else 'WRITE'}{' | EXACT' if c.exact else ''}"
            if c.domain:
                self._try(self._box, flags, c.name, c.domain)
        claims = self.lines[before:]
        del self.lines[before:]
        self._try(self._condition, self.facts.conditions, _block(claims))


def _block(lines: list[str]) -> str:
    return "{ " + "\n".join(lines) + " }"


def _declares(node: Any) -> bool:
    return isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList)


def _hidden(outer: Any, inner: Any, name: str) -> bool:
    """Does a header between the loops declare the name?"""
    while outer is not inner:
        if _declares(outer) and name in [d.name for d in outer.init.decls]:
            return True
        outer = _only(outer.stmt)
    return False


def base_chain(node: Any, names: tuple[str, ...]) -> list[Any]:
    """The loops of these iterators in the perfect nest below a loop, as far as no other loop is in between.

    (Base loops behind one that is passed over are claims of what an interchange would do: not executed here;
    nor are those of a name that two loops have.)
    """
    chain: list[Any] = []
    while isinstance(node := _only(node.stmt), c_ast.For):
        chain.append(node)
    listed = [iterator_name(loop) for loop in chain]
    found = [loop for loop, name, wanted in zip(chain, listed, names, strict=False) if name == wanted]
    alone = all(listed.count(name) == 1 for name in names)
    return found if alone and listed[: len(found)] == list(names[: len(found)]) else []


def _only(node: Any) -> Any:
    while isinstance(node, c_ast.Compound):
        items = [i for i in node.block_items or [] if not isinstance(i, c_ast.EmptyStatement | c_ast.Pragma)]
        if len(items) != 1:
            return None
        node = items[0]
    return node


def _sections(text: str) -> list[tuple[str, str]] | None:
    """The `low:length` of every dimension of an array section; None if the text is an element or a scalar."""
    found = []
    start, depth, questions, colon = 0, 0, 0, None
    for at, letter in enumerate(text):
        if letter == "[" and depth == 0:
            start, questions, colon = at + 1, 0, None
        depth += (letter in "[(") - (letter in "])")
        if depth == 1 and letter in "?:":
            if letter == ":" and not questions:
                colon = at
            questions += 1 if letter == "?" else -min(questions, 1)
        if letter == "]" and depth == 0:
            found.append((text[start:colon], text[colon + 1 : at]) if colon is not None else None)
    return [f for f in found if f] if any(found) else None
