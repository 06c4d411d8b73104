"""Random programs whose kernels are sums of shared values: products, triangles, steps, offsets, tensors."""

from __future__ import annotations

import re
from random import Random

from tests.kernels.framed import framed

TYPES = ("double", "double", "float", "float", "int", "long", "unsigned")
SIZES = ("n", "m", "p")


def program(seed: int, functions: int) -> str:
    """A program that takes n, m and p, and prints a hash of what each function leaves behind."""
    random = Random(seed)
    return framed([Function(random, f"f{number}") for number in range(functions)], 201, decoys=seed % 3 == 2)


class Function:
    """A function with one sum, and one that tries it."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.element = random.choice(TYPES)
        self.is_float = self.element in ("double", "float")
        self.arrays: dict[str, tuple[str, list[str]]] = {}
        count = random.choice((2, 2, 3))
        self.base = [("i", "n"), ("j", "m"), ("q", "3")][:count]
        random.shuffle(self.base)
        self.depth = [("k", "p"), ("l", "2")][: random.choice((1, 1, 1, 2))]
        self.triangle = random.choice(("", "", "lower", "upper", "above")) if count == 2 else ""
        self.sides = self._sides()

    def _sides(self) -> tuple[list[str], list[str]]:
        """The iterators of both operands."""
        sides: tuple[list[str], list[str]] = ([], [])
        for number, (iterator, _) in enumerate(self.base):
            kind = number if number < 2 else self.random.choice((0, 1, 2))
            for side in (0, 1):
                if kind in (side, 2):
                    sides[side].append(iterator)
        inner = [iterator for iterator, _ in self.depth]
        return sides[0] + inner, sides[1] + inner

    def text(self) -> str:
        """The function, and one that tries it."""
        random = self.random
        loops = self._loops()
        inner = self._inner()
        target, before, after, declared = self._around()
        value = self._value()
        operator = random.choice(("+=", "+=", "-="))
        update = f"{target} {operator} {value};"
        if random.random() < 0.2:
            update = f"{target} = {target} + {value};"
        if random.random() < 0.25:
            update = self._chosen(update)
        lines = [
            f"static void {self.name}({self._parameters()})",
            "{",
            *declared,
            "    (void)s, (void)n, (void)m, (void)p;",
        ]
        lines += [*(f"    {loop}" for loop in loops), "    {", *(f"        {line}" for line in before)]
        lines += [*(f"        {loop}" for loop in inner), f"            {update}"]
        lines += [*(f"        {line}" for line in after), "    }", "}"]
        return "\n" + "\n".join(lines) + "\n" + self._trial()

    def _loops(self) -> list[str]:
        found = [self._loop(iterator, size) for iterator, size in self.base]
        if self.triangle:
            (outer, high), (inner, size) = self.base
            found[0] = f"for (int {outer} = 0; {outer} < {high}; {outer}++)"
            found[1] = {
                "lower": f"for (int {inner} = 0; {inner} <= {outer} && {inner} < {size}; {inner}++)",
                "upper": f"for (int {inner} = {outer}; {inner} < {size}; {inner}++)",
                "above": f"for (int {inner} = {outer} + 1; {inner} < {size}; {inner}++)",
            }[self.triangle]
            if self.triangle == "lower" and self.random.random() < 0.7:
                self.base[1] = (inner, high)
                found[1] = f"for (int {inner} = 0; {inner} <= {outer}; {inner}++)"
        return found

    def _inner(self) -> list[str]:
        return [self._loop(iterator, size) for iterator, size in self.depth]

    def _loop(self, iterator: str, size: str) -> str:
        ctype = self.random.choice(("int", "int", "int", "long"))
        low = self.random.choice(("0", "0", "0", "1"))
        step = self.random.choice((1, 1, 1, 2, 3))
        change = f"{iterator}++" if step == 1 else f"{iterator} += {step}"
        if self.random.random() < 0.2:
            back = f"{iterator}--" if step == 1 else f"{iterator} -= {step}"
            return f"for ({ctype} {iterator} = {size} - 1; {iterator} >= {low}; {back})"
        if self.random.random() < 0.2:
            return f"for ({ctype} {iterator} = {low}; {iterator} <= {size} - 1; {change})"
        return f"for ({ctype} {iterator} = {low}; {iterator} < {size}; {change})"

    def _around(self) -> tuple[str, list[str], list[str], list[str]]:
        """The target, what stands before and after the inner loops, and declarations."""
        order = [iterator for iterator, _ in self.base]
        self.random.shuffle(order)
        cell = self._element("C", order, self.element)
        kind = self.random.choice(("plain", "set", "scale", "apart", "inside", "outside"))
        after = self.random.choice(([], [f"{cell} = {cell} * 2 + 1;"]))
        if kind in ("plain", "set", "scale", "apart"):
            befores = {"plain": [], "set": [f"{cell} = 3;"], "scale": [f"{cell} *= 3;"]}
            return cell, befores.get(kind, [f"int add = 1; {cell} = {cell} + add;"]), after, []
        give = [f"{cell} = sum * 2 - {cell};"]
        if kind == "inside":
            return "sum", [f"{self.element} sum = {self.random.choice(('0', '1', cell))};"], give, []
        return "sum", ["sum = 0;"], give, [f"    {self.element} sum;"]

    def _value(self) -> str:
        left = self._element("A", self._mixed(self.sides[0]), self._operand_type())
        right = self._element("B", self._mixed(self.sides[1]), self._operand_type())
        forms = [
            f"{left} * {right}",
            f"{right} * {left}",
            f"s * {left} * {right}",
            f"{left} * (s * {right})",
            f"{left} * s * {right}",
        ]
        if self.is_float:
            forms += [
                f"({left} - {right}) * ({left} - {right})",
                f"{left} * {right} + {left}",
                f"{left} / 4 / (2 + {right} - {right})",  # exact in any order
            ]
        else:
            forms.append(f"{left} * {right} - {right} * 2 * {left}")
        form = self.random.choice(forms)
        if self.random.random() < 0.2:
            form = f"{left} * {right} * {self._element('W', [self.depth[0][0]], self.element)}"
        return form

    def _chosen(self, update: str) -> str:
        """An update that takes something else in the place of A where a condition holds."""
        random, cell = self.random, re.search(r"A(\[[^\]]*\])+", update)
        assert cell is not None
        element = random.choice((self.arrays["A"][0], self.arrays["A"][0], self._operand_type()))
        other = self._element("D", self._mixed(self.sides[0]), element)
        left, right = random.sample(("i", "j", "k", "2"), 2)
        condition = f"{left} {random.choice(('<', '<=', '>', '!=', '=='))} {right}"
        if random.random() < 0.2:
            condition += f" && {random.choice(('k', 'i'))} != 3"
        if random.random() < 0.3:
            return update.replace(cell[0], f"({condition} ? {cell[0]} : {other})")
        return f"if ({condition}) {{ {update} }} else {update.replace(cell[0], other)}"

    def _operand_type(self) -> str:
        return (
            self.element
            if self.random.random() < 0.8
            else self.random.choice(("short", "int", "float"))
            if self.is_float
            else "short"
        )

    def _mixed(self, iterators: list[str]) -> list[str]:
        found = list(iterators)
        self.random.shuffle(found)
        return found

    def _element(self, name: str, iterators: list[str], element: str) -> str:
        """An element at these iterators, with offsets, of an array of as many dimensions or of one."""
        sizes = dict([*self.base, *self.depth])
        if self.triangle and sizes["i"] != sizes["j"]:
            sizes |= {"i": "(n + m)", "j": "(n + m)"}
        offsets = [self.random.choice((0, 0, 0, 1, 2)) for _ in iterators]
        subscripts = [f"{i} + {o}" if o else i for i, o in zip(iterators, offsets, strict=True)]
        extents = [f"({sizes[i]} + {o})" for i, o in zip(iterators, offsets, strict=True)]
        if self.random.random() < 0.3 and not self.triangle:
            flat = subscripts[0]
            for subscript, extent in zip(subscripts[1:], extents[1:], strict=True):
                flat = f"({flat}) * {extent} + {subscript}"
            self.arrays[name] = (element, [" * ".join(extents)])
            return f"{name}[{flat}]"
        self.arrays[name] = (element, extents)
        return name + "".join(f"[{subscript}]" for subscript in subscripts)

    def _parameters(self) -> str:
        found = ["int n, int m, int p", f"{self.element} s"]
        for name, (element, extents) in self.arrays.items():
            inner = "".join(f"[{extent}]" for extent in extents[1:])
            found.append(f"{element} {name}[restrict {extents[0]}]{inner}")
        return ", ".join(found)

    def _trial(self) -> str:
        lines = [f"static void {self.name}_try(int n, int m, int p)", "{"]
        for name, (element, extents) in self.arrays.items():
            lines += [
                f"    const long {name}_cells = 1L * {' * '.join(extents)};",
                f"    {element} *{name} = malloc({name}_cells * sizeof *{name} + 1);",
                f"    if (!{name})\n        exit(1);",
                f"    for (long at = 0; at < {name}_cells; at++)\n        {name}[at] = next();",
            ]
        lines.append(f"    {self.name}(n, m, p, 2, {', '.join(f'(void *){name}' for name in self.arrays)});")
        lines.append(f'    show("{self.name}", C, C_cells * sizeof *C);')
        lines += [f"    free({name});" for name in self.arrays]
        return "\n" + "\n".join([*lines, "}"]) + "\n"
