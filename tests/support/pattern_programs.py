"""Random C programs with scans, packs and searches for extremes; all their results are exact."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

TYPES = ("int", "short", "unsigned", "long", "unsigned char", "_Bool", "float", "double")
_HEAD = """#include <stdio.h>
#include <stdlib.h>

#define STEP 2
#define FIRST (1 + 1)
#define PREVIOUS (i - 1)
"""
_MAIN = """int main(int argc, char **argv)
{{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
{calls}    return 0;
}}
"""
_VALUE = "(i * 37 % 41 - {less}) * {factor}"


def program(random: Random, functions: int = 8, *, carried: bool = False) -> str:
    """A program that takes a size, runs its functions on arrays of that size, and prints all of them.

    With `carried`, all are scans whose iterations read what the one before wrote to an array.
    """
    choices = (_carried,) if carried else (_scan, _pack, _extreme)
    kinds = [random.choice(choices) for _ in range(functions)]
    bodies = [kind(random, f"f{k}") for k, kind in enumerate(kinds)]
    calls = "".join(f"    f{k}(n);\n" for k in range(functions))
    return "\n".join([_HEAD, *bodies, _MAIN.format(calls=calls)])


def _function(name: str, random: Random, element: str, result: str, body: str, names: str) -> str:
    """`body` works on a[n] and writes b[n]; both lie on the heap, so that sanitizers know their ends."""
    less = 0 if element.startswith("unsigned") else 20
    factor = "0.25" if element in ("float", "double") else "1"
    value = _VALUE.format(less=less, factor=factor)
    results = "".join(f'    printf(" %.17g", (double){name});\n' for name in names.split())
    return f"""
static void {name}(int n)
{{
    {element} *a = malloc((n + 1) * sizeof *a);
    {result} *b = malloc((n + 1) * sizeof *b);
    for (int i = 0; i <= n; i++) {{
        a[i] = {value};
        b[i] = 0;
    }}
{body}
    printf("{name}");
{results}    for (int i = 0; i <= n; i++)
        printf(" %.17g", (double)b[i]);
    printf("\\n");
    free(a);
    free(b);
}}
"""


def packs(random: Random, functions: int = 8) -> str:
    """A program whose functions pack into memory behind a pointer, which has not a cell more."""
    bodies = [_packed(random, f"f{k}") for k in range(functions)]
    calls = "".join(f"    f{k}(n);\n" for k in range(functions))
    return "\n".join([_HEAD, *bodies, _MAIN.format(calls=calls)])


def _packed(random: Random, name: str) -> str:
    element, counter = random.choice(TYPES), random.choice(("int", "long", "unsigned", "short"))
    result = random.choice((element, element, "double"))
    together = result == element and random.random() < 0.5  # one block of memory, for both
    twice = random.random() < 0.3
    loop, start = _taking(random)
    sets = f"if ({_condition(random)}) {_branch(random)}"
    again = (
        f"    {loop.split(chr(10))[-1].strip()}\n        if (a[i] > STEP) b[k++] = a[i];\n" if twice else ""
    )
    memory = (
        f"    {element} *a = malloc((n + 1 + cells) * sizeof *a);\n    {result} *b = a + n + 1;"
        if together
        else f"    {element} *a = malloc((n + 1) * sizeof *a);\n"
        f"    {result} *b = malloc(cells * sizeof *b + !cells);"
    )
    less = 0 if element.startswith("unsigned") else 20
    factor = "0.25" if element in ("float", "double") else "1"
    return f"""
static long {name}_work(int n, {element} *restrict a, {result} *restrict b)
{{
    {counter} k = {start};
{loop}
        {sets}
{again}    return k;
}}

static long {name}_on(int n, long cells)
{{
{memory}
    for (int i = 0; i <= n; i++)
        a[i] = {_VALUE.format(less=less, factor=factor)};
    for (long i = 0; i < cells; i++)
        b[i] = 7;
    const long k = {name}_work(n, a, b);
    printf("{name} %ld", k);
    for (long i = 0; i < k; i++)
        printf(" %.17g", (double)b[i]);
    printf("\\n");
    free(a);
{"" if together else "    free(b);"}
    return k;
}}

static void {name}(int n)
{{
    const long k = {name}_on(n, 2 * n + 3);
    {name}_on(n, k + {1 if "k = k + 1" in sets else 0});
}}
"""


def _header(random: Random) -> tuple[str, str]:
    """A declaration before the loop, and the loop's header."""
    ctype = random.choice(("int", "long", "unsigned"))
    upwards = [f"{ctype} i = 0; i < n; i++", "int i = 1; i <= n; i++", "long i = FIRST; n > i; ++i"]
    downwards = ["int i = n - 1; i >= 0; i--", "long i = n; i > STEP; --i"]
    header = random.choice(upwards + downwards)
    if header.startswith("int") and random.random() < 0.3:
        return "    int i;\n", f"for ({header.removeprefix('int ')})"
    return "", f"for ({header})"


def _scan(random: Random, name: str) -> str:
    element, total = random.choice(TYPES), random.choice(TYPES)
    integer = total not in ("float", "double")
    if integer and element in ("float", "double"):
        element = "int"
    operator = random.choice("+&|^" if integer else "+") if random.random() < 0.7 else random.choice("<>")
    term = random.choice(("a[i]", "a[i] * STEP", "(a[i] - 3)"))
    if operator in "<>":
        total = element if element in ("int", "long", "double", "unsigned") else "int"
        element, term = total, "a[i]"
        update = f"if (a[i] {operator} s) s = a[i];"
    else:
        forms = [f"s {operator}= {term};", f"s = s {operator} {term};"]
        forms += ["if (a[i] > STEP) s += a[i];"] * (operator == "+")
        forms += ["if (a[i] & 1) { s++; }"] * (operator == "+" and integer)
        update = random.choice(forms)
    store = random.choice(("b[i] = s;", "b[i] = s * 2 + i;"))
    body = f"{update} {store}" if random.random() < 0.6 else f"{store} {update}"
    if operator not in "<>" and random.random() < 0.2:
        body = f"const int twice = 2; {body} b[i] = b[i] + twice;"
    before, header = _header(random)
    text = f"    {total} s = {random.choice((0, 3, 100))};\n{before}    {header} {{ {body} }}"
    return _function(name, random, element, random.choice((total, "double")), text, "s")


def _carried(random: Random, name: str) -> str:
    element = random.choice(TYPES)
    result = random.choice(("double", "float") if element in ("float", "double") else TYPES)
    integer = result not in ("float", "double")
    operator = random.choice("+++&|^") if integer else "+"
    upwards = random.random() < 0.6
    before = random.choice(
        ("b[i - 1]", "b[-1 + i]", "b[i-1]", "b[PREVIOUS]") if upwards else ("b[i + 1]", "b[1 + i]")
    )
    term = random.choice(("a[i]", "(a[i] - 3)", "a[i] * STEP", "i", "(b[i] & 7)" if integer else "b[i]"))
    assigned = random.choice((f"{before} {operator} {term}", f"{term} {operator} {before}"))
    statement = f"b[i] = {assigned};"
    if random.random() < 0.2:
        statement = f"b[i] {operator}= {before};"
    statement = random.choice(
        (statement, f"{{ {statement} /* b[i] */ }}", f"{{\n        {statement}\n    }}")
    )
    ctype = random.choice(("int", "long", "size_t", "unsigned", "short"))
    low = random.choice(("1", "FIRST", "STEP - 1", "1 + n / 3"))
    test = random.choice(("i <= n", "i < n + 1", "n >= i"))
    step = random.choice(("i++", "++i"))
    if not upwards:
        ctype = random.choice(("int", "long", "short"))
        low, test, step = random.choice(("n - 1", "n - STEP")), random.choice(("i >= 0", "i > 1")), "i--"
    text = "    b[0] = 3;\n    b[n] = 5;\n"
    if random.random() < 0.4:
        loop = f"    {ctype} i;\n    for (i = {low}; {test}; {step}) {statement}"
        after = '\n    printf("%d ", (int)i);'
    else:
        loop, after = f"    for ({ctype} i = {low}; {test}; {step}) {statement}", ""
    if not after and random.random() < 0.2:
        loop = f"    for (int t = 0; t < 3; t++)\n    {loop}"
    if not after and random.random() < 0.2:
        loop = f"    if (n != 7)\n    {loop}\n    else\n        b[0] = 9;"
    return _function(name, random, element, result, text + loop + after, "b[0]")


def _pack(random: Random, name: str) -> str:
    element, counter = random.choice(TYPES), random.choice(("int", "long", "unsigned", "short"))
    result = random.choice((element, "double"))
    condition, branch = _condition(random), _branch(random)
    loop, start = _taking(random)
    start = 0 if "k = k + 1" in branch else start
    text = f"    {counter} k = {start};\n{loop}\n        if ({condition}) {branch}"
    return _function(name, random, element, result, text, "k")


def _condition(random: Random) -> str:
    return random.choice(
        ("a[i] > STEP", "a[i] > 4 && i % 3 != 1", "!(a[i] < 5)", "a[i] == 3", "a[i] < 99", "0 > n + a[i]")
    )


def _branch(random: Random) -> str:
    value = random.choice(("a[i]", "a[i]", "i", "7", "a[i] * 2", "a[i - 0]"))
    return random.choice(
        (
            f"b[k++] = {value};",
            f"{{ b[k] = {value}; k++; }}",
            f"{{ b[k] = {value}; k += 1; }}",
            f"{{ k = k + 1; b[k] = {value}; }}",
        )
    )


def _taking(random: Random) -> tuple[str, int]:
    """A header, after what it needs, and where packing may begin: b has a cell more than iterations."""
    before, header = _header(random)
    start = 0 if "n; i++" in header or "n - 1" in header else random.choice((0, 0, 1))
    return f"{before}    {header}", start


def _extreme(random: Random, name: str) -> str:
    element = random.choice(TYPES)
    relation = random.choice(("<", ">", "<=", ">="))
    value = random.choice(("a[i]", "a[i]", "-a[i]" if element in ("int", "double", "float") else "a[i]"))
    compare = random.choice((f"{value} {relation} best", f"i % 7 != 2 && {value} {relation} best"))
    sets = random.choice((f"best = {value}; where = i;", f"where = i; best = {value};"))
    start = random.choice(("a[0]", "5", "100", "0"))
    before, header = _header(random)
    text = f"    {element} best = {start};\n    long where = -5;\n"
    text += f"{before}    {header}\n        if ({compare}) {{ {sets} }}"
    return _function(name, random, element, "int", text, "best where")


def sizes(most: int) -> Iterator[int]:
    """Nothing, one, and what lies around multiples of parts and blocks."""
    yield from (0, 1, 2, 3, 5, 7, 8, 13, 31, 32, 33, 63, 65)
    yield from (size for size in (127, 129, 1023, 1025, 2050) if size <= most)
