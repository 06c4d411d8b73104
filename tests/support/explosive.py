"""C texts that make an analyser take long: deep, wide, long, twisted."""

from __future__ import annotations


def function(body: str, declarations: str = "", parameters: str = "void") -> str:
    return f"{declarations}\nvoid f({parameters}) {{\n{body}\n}}\n"


def deep_nest(depth: int = 40) -> str:
    """As many loops in each other; the subscript is the sum of all iterators."""
    heads = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++)\n" for k in range(depth))
    total = " + ".join(f"i{k}" for k in range(depth))
    return function(f"{heads}a[{total}] = b[{total}];", "double a[1000], b[1000]; int n;")


def deep_triangle(depth: int = 12) -> str:
    """Loops whose bounds depend on all loops around them."""
    heads = "for (int i0 = 0; i0 < n; i0++)\n"
    for k in range(1, depth):
        around = " + ".join(f"i{j}" for j in range(k))
        heads += f"for (int i{k} = i{k - 1}; i{k} < {around} + n; i{k} += {1 + k % 3})\n"
    total = " + ".join(f"{k + 2} * i{k}" for k in range(depth))
    return function(f"{heads}a[{total}] = a[{total} - 7] + 1;", "double a[1000]; int n;")


def long_function(lines: int = 10_000) -> str:
    """Loops one after the other, ten lines each."""
    loop = """\
for (i = 1; i < n; i++) {{
    t = b[i - 1] * {0};
    if (t > s) {{
        s = t;
    }} else {{
        a[i] = b[i] + t;
    }}
    c[i] = a[i];
    d[i] = c[i] + a[i];
}}
"""
    loops = "".join(loop.format(k) for k in range(lines // 10))
    return function(f"int i; double s = 0, t;\n{loops}", "double a[1000], b[1000], c[1000], d[1000]; int n;")


def many_statements(count: int = 500) -> str:
    """One body in which every statement may depend on every other."""
    body = "\n".join(f"a[i + {k}] = a[i + {(7 * k) % count}] * b[i + {k}];" for k in range(count))
    return function(f"for (int i = 0; i < n; i++) {{\n{body}\n}}", "double a[10000], b[10000]; int n;")


def wide_subscript(variables: int = 20) -> str:
    """A subscript that mixes as many counters and values."""
    names = [f"v{k}" for k in range(variables - 4)]
    heads = "".join(f"for (int i{k} = 0; i{k} < v{k}; i{k}++)\n" for k in range(4))
    first = " + ".join(
        [*(f"{k + 3} * i{k}" for k in range(4)), *(f"{2 * k + 1} * {v}" for k, v in enumerate(names))]
    )
    second = " + ".join(
        [*(f"{k + 2} * i{3 - k}" for k in range(4)), *(f"{k + 1} * {v}" for k, v in enumerate(names))]
    )
    return function(f"{heads}a[{first}] = a[{second}];", f"double a[100000]; int {', '.join(names)};")


def many_pointers(count: int = 60) -> str:
    """Arrays through pointers, each of which may be any other."""
    parameters = ", ".join(["int n", *(f"double *p{k}" for k in range(count))])
    body = "\n".join(f"p{k}[i] = p{(k + 1) % count}[i] + {k};" for k in range(count))
    return function(f"for (int i = 0; i < n; i++) {{\n{body}\n}}", "", parameters)


def long_condition(operator: str, count: int = 200) -> str:
    """A condition of as many comparisons."""
    condition = f" {operator} ".join(f"{k % 7 + 1} * i + {k % 5} * m != {3 * k} + n" for k in range(count))
    return function(
        f"for (int i = 0; i < n; i++) if ({condition}) a[i] = a[i + m];", "double a[1000]; int n, m;"
    )


def mixed_condition(count: int = 24) -> str:
    """Alternatives whose combinations explode."""
    condition = " && ".join(f"(i < {k} * m || i > {k + 3} + n)" for k in range(count))
    return function(
        f"for (int i = 0; i < n; i++) if ({condition}) a[i] = a[i + m];", "double a[1000]; int n, m;"
    )


def deep_expression(depth: int = 200) -> str:
    """Parentheses in parentheses."""
    expression = "(" * depth + "i" + " + 1)" * depth
    return function(f"for (int i = 0; i < n; i++) a[{expression}] = {expression};", "double a[1000]; int n;")


def deep_blocks(depth: int = 150) -> str:
    """Conditions in conditions."""
    heads = "".join(f"if (i > {k}) {{\n" for k in range(depth))
    return function(
        f"for (int i = 0; i < n; i++) {{ {heads} a[i] = 1; {'}' * depth} }}", "double a[1000]; int n;"
    )


def huge_coefficients(count: int = 12) -> str:
    """Numbers whose products no machine holds, in coupled subscripts."""
    heads = "".join(f"for (long i{k} = 0; i{k} < n; i{k}++)\n" for k in range(count))
    big = [9223372036854775807 - 1234567 * k * k for k in range(count)]
    one = " + ".join(f"{big[k]} * i{k}" for k in range(count))
    other = " + ".join(f"{big[(5 * k + 3) % count] - 2} * i{k}" for k in range(count))
    return function(f"{heads}a[{one}][{other}] = a[{other}][{one} + 1];", "double a[10][1000]; long n;")


def quotients(count: int = 8) -> str:
    """Quotients and remainders of each other."""
    expression = "i"
    for k in range(count):
        expression = f"(({expression}) / {k + 2} + ({expression}) % {2 * k + 3})"
    return function(f"for (int i = 0; i < n; i++) a[{expression}] = a[i];", "double a[1000]; int n;")


EXPLOSIVE = {
    "deep nest": lambda: deep_nest(30),
    "deep triangle": lambda: deep_triangle(10),
    "long function": lambda: long_function(4000),
    "many statements": many_statements,
    "wide subscript": wide_subscript,
    "many pointers": many_pointers,
    "long and": lambda: long_condition("&&"),
    "long or": lambda: long_condition("||"),
    "mixed condition": mixed_condition,
    "deep expression": deep_expression,
    "deep blocks": deep_blocks,
    "huge coefficients": huge_coefficients,
    "quotients": quotients,
}
