"""What a device language can say: a target's `dialect.yaml` and C's functions on a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from models.errors import SkeletonError
from species.core.refusal import Refusal

_COMMON = Path(__file__).parent.parent / "library" / "common"
_FUNCTIONS = _COMMON / "functions.yaml"
_NAMES = _COMMON / "names.yaml"

# Macros of C's headers that every device language has too.
KNOWN_MACROS = frozenset(
    [
        "M_E",
        "M_LOG2E",
        "M_LOG10E",
        "M_LN2",
        "M_LN10",
        "M_PI",
        "M_PI_2",
        "M_PI_4",
        "M_1_PI",
        "M_2_PI",
        "M_2_SQRTPI",
        "M_SQRT2",
        "M_SQRT1_2",
        "CHAR_BIT",
        "CHAR_MAX",
        "CHAR_MIN",
        "SCHAR_MAX",
        "SCHAR_MIN",
        "UCHAR_MAX",
        "SHRT_MAX",
        "SHRT_MIN",
        "USHRT_MAX",
        "INT_MAX",
        "INT_MIN",
        "UINT_MAX",
        "LONG_MAX",
        "LONG_MIN",
        "ULONG_MAX",
        "DBL_MAX",
        "DBL_MIN",
        "DBL_EPSILON",
        "DBL_DIG",
        "FLT_MAX",
        "FLT_MIN",
        "FLT_EPSILON",
        "FLT_DIG",
        "INFINITY",
        "NAN",
        "HUGE_VAL",
        "HUGE_VALF",
        "NULL",
        "true",
        "false",
        "bool",
    ]
)


@dataclass(frozen=True)
class Wrapper:
    """A C function on the device, under the name `c_NAME` and with C's own types."""

    name: str
    result: str
    arguments: tuple[str, ...]
    expression: str


@dataclass(frozen=True)
class Dialect:
    """The differences between the host's C and the device language."""

    qualifier: str  # of device functions
    types: Mapping[str, str]
    refused_types: tuple[str, ...]
    refused_words: tuple[str, ...]
    known_types: tuple[str, ...]
    pointers: bool
    whole_buffers: bool
    float_suffix: bool
    long_long: bool
    expressions: Mapping[str, str]
    reserved: frozenset[str]  # names that no variable of the user's may have
    locals: frozenset[str]  # nor may macros have these: functions that are always the same declare them
    library: frozenset[str]  # nor may functions, types, enumerators and macros have these
    prefixes: tuple[str, ...]  # nor begin with these

    @staticmethod
    @cache
    def read(path: Path) -> Dialect:
        """The dialect in `path`."""
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
            data["reserved"] = frozenset(data["reserved"]) | {f"c_{name}" for name in _signatures()}
            data["prefixes"] = tuple(data["prefixes"])
            data["locals"] = frozenset(data["locals"])
            data["library"] = frozenset([*data["library"], *library_names(), *_signatures()])
            return Dialect(**data)
        except (OSError, TypeError, KeyError, yaml.YAMLError) as error:
            raise SkeletonError(f"{path}: not a dialect: {' '.join(str(error).split())}") from None

    def device_type(self, canonical: str) -> str:
        """How the device spells a built-in type; Refusal where it has none like it."""
        if canonical in self.refused_types:
            raise Refusal(f"{canonical} does not exist on the device")
        return self.types.get(canonical, canonical)

    def wrapper(self, name: str) -> Wrapper | None:
        """The device's version of a function of C's library, None if there is none."""
        signature = _signatures().get(name)
        if signature is None:
            return None
        result, arguments = signature
        callee = name.removesuffix("f") if result == "float" and not self.float_suffix else name
        call = f"{callee}({', '.join('xyz'[: len(arguments)])})"
        return Wrapper(name, result, arguments, self.expressions.get(name, call))


@cache
def library_names() -> frozenset[str]:
    """What the headers of C's library declare."""
    return frozenset(yaml.safe_load(_NAMES.read_text(encoding="utf-8"))["names"])


@cache
def _signatures() -> dict[str, tuple[str, tuple[str, ...]]]:
    groups = yaml.safe_load(_FUNCTIONS.read_text(encoding="utf-8"))
    return {name: (g["result"], tuple(g["arguments"])) for g in groups for name in g["names"]}
