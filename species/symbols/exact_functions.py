"""Mathematical functions with one correct result; others may differ in the last digits between libraries."""

EXACT_FUNCTIONS = frozenset(
    name + suffix
    for name in (
        "fabs",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "fmin",
        "fmax",
        "fmod",
        "copysign",
    )
    for suffix in ("", "f")
) | {"abs", "labs", "llabs"}
