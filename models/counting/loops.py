"""The last resort: loops that count points one by one, where no formula is short enough to be of use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import islpy as isl

_MACROS = {
    "floord": "(((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))",
    "min": "((n) < (d) ? (n) : (d))",
    "max": "((n) > (d) ? (n) : (d))",
}


@dataclass(frozen=True)
class CountingLoops:
    """A number of points over `parameters`, of a set that has finitely many; `Count` without a formula."""

    parameters: tuple[str, ...]
    points: isl.Set

    def value(self, names: Mapping[str, int]) -> int:
        """How many points there are, for integers that the parameters stand for."""
        fixed = self.points
        for place, name in enumerate(self.parameters):
            fixed = fixed.fix_val(isl.dim_type.param, place, isl.Val(names[name]))
        return int(fixed.count_val().to_python())

    def c_function(self, name: str) -> str:
        """A C function of the parameters, in their order: a nest of loops."""
        listed = ", ".join(f"long long {each}" for each in self.parameters) or "void"
        defined = "".join(f"#define {macro}(n, d) {text}\n" for macro, text in _MACROS.items())
        undefined = "".join(f"#undef {macro}\n" for macro in (*_MACROS, _POINT))
        body = self._nest().replace("for (int ", "for (long long ")
        return (
            f"{defined}#define {_POINT}(...) cuvier_count++\nstatic long long {name}({listed})\n{{\n"
            f"  long long cuvier_count = 0;\n{body}  return cuvier_count;\n}}\n{undefined}"
        )

    def python_function(self) -> Callable[..., int]:
        """A function of the parameters, in their order."""
        return lambda *values: self.value(dict(zip(self.parameters, values, strict=True)))

    def _nest(self) -> str:
        """Loops over all points, as isl makes them."""
        named = self.points.set_tuple_name(_POINT)
        order = named.identity().reset_tuple_id(isl.dim_type.out)
        build = isl.AstBuild.from_context(isl.Set.universe(self.points.get_space().params()))
        names = isl.IdList.alloc(self.points.get_ctx(), self.points.dim(isl.dim_type.set))
        for k in range(self.points.dim(isl.dim_type.set)):
            names = names.add(isl.Id(f"cuvier_c{k}", context=self.points.get_ctx()))
        made = build.set_iterators(names).node_from_schedule_map(isl.UnionMap.from_map(order))
        return str(made.to_C_str())


_POINT = "cuvier_point"
