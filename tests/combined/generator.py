"""Random programs that combine values into elements of arrays, and look for extremes beside other things.

Arrays are parameters, of the file, of the function, or of pointers in structures, with one dimension or two;
elements are chosen by data, by the iterators, or by both.  Values are small integers, whatever their types,
so that sums come to the same in any order, and many extremes are equal.
"""

from __future__ import annotations

from random import Random

TYPES = ("int", "unsigned", "long", "short", "unsigned char", "float", "double")
ITERATORS = ("int", "long", "unsigned", "size_t")
CELLS = 24
_HEAD = f"""#include <stdio.h>
#include <stdlib.h>
#define CELLS {CELLS}
#define PICK(k) ((k) %% CELLS)
struct table {{ int n; %s *cells; }};
static int key[4096], value[4096];
static %s shared[CELLS], grid[CELLS / 4][4];
"""


class _Loops:
    """One function with a loop nest; `ctype` is the type of the cells of the whole program."""

    def __init__(self, random: Random, name: str, ctype: str) -> None:
        self.random, self.name, self.ctype = random, name, ctype
        self.types = ""  # of the function's structures

    def text(self) -> str:
        """The function, which takes `n`, `m`, an array and a table, and gives a hash."""
        body = self._sums() if self.random.random() < 0.5 else self._extremes()
        given = f"int n, int m, {self.ctype} *own, struct table *t"
        return f"{self.types}static double {self.name}({given})\n{{\n{body}}}\n"

    def _header(self, name: str, bound: str, ctype: str = "") -> str:
        ctype = ctype or self.random.choice(ITERATORS)
        if ctype == "int" and self.random.random() < 0.25:
            return f"for (int {name} = {bound} - 1; {name} >= 0; {name}--)"
        start = self.random.choice(("0", "0", "0", "1"))
        limit = bound if ctype == "int" or bound.isupper() else f"({ctype}){bound}"
        return f"for ({ctype} {name} = {start}; {name} < {limit}; {name}++)"

    # Arrays

    def _sums(self) -> str:
        random = self.random
        where = random.choice(("own", "own", "own", "shared", "local", "grid", "alias", "copy"))
        sign = random.choice(("+=", "+=", "+=", "-=", "^=", "|=", "&=", "*=", "max", "min"))
        if self.ctype in ("float", "double") and sign in ("^=", "|=", "&="):
            sign = "+="
        nested = random.random() < 0.6
        at = random.choice(
            ("key[i] % CELLS", "PICK(key[i] + 3)", "i % CELLS", "key[i] / 200", "(key[i] & 15)")
        )
        if nested:
            at = random.choice((at, f"({at} + j) % CELLS", "key[i + j] % CELLS", "j", "(i * j) % CELLS"))
        if where in ("own", "copy") and random.random() < 0.4:
            at = random.choice(
                ("i + j", "j + 3", "2 * i + j", "i / 2 + j") if nested else ("i / 2", "n - i", "i / 3")
            )
        cell = {"own": f"own[{at}]", "shared": f"shared[{at}]", "local": f"local[{at}]"}.get(where, "")
        cell = cell or (f"grid[({at}) / 4][({at}) % 4]" if where == "grid" else f"{where}[{at}]")
        other = f"(int){cell.split('[')[0]}[CELLS - 1 - i % 4]" if where in ("own", "shared") else "2"
        value = random.choice((other, "value[i]", "1", "value[i] + i % 3", "value[i] % 3 - 1"))
        lines, before, after = [], "", ""
        if where == "local":
            before = f"  {self.ctype} local[CELLS] = {{ 0 }};\n"
            after = "  for (int k = 0; k < CELLS; k++) own[k] += local[k];\n"
        elif where in ("alias", "copy"):
            target = "t->cells" if where == "alias" else "own + 2"
            before = f"  {self.ctype} *{where} = {target};\n"
            cell = cell if where == "alias" else cell.replace(f"[{at}]", f"[({at}) / 2]")
        lines.append(self._update(cell, sign, value))
        if random.random() < 0.3:
            lines.append("seen += value[i] > 3;")
        if random.random() < 0.25:
            lines = [f"if (value[i] > {random.randint(0, 6)}) {{ {' '.join(lines)} }}"]
        if random.random() < 0.25:
            other = "other" if where != "own" or random.random() < 0.5 else "shared"
            lines.append(f"{other}[key[i] % CELLS]++;" if other == "shared" and where != "shared" else "")
        inner = f"    {self._header('j', 'm' if 'key[i + j]' not in at else '5')}\n" if nested else ""
        if nested and ("[j]" in cell or at == "j"):
            inner = f"    {self._header('j', 'CELLS')}\n"
        body = " ".join(line for line in lines if line and "other[" not in line)
        if nested and random.random() < 0.3:
            inner = "    { seen++;\n" + inner
            body += " }"
        outer = self._header("i", "n")
        if where == "own" and not nested and random.random() < 0.3:
            before += f"  {self.ctype} *first = own;\n"  # the pointer moves, and is needed behind the loop
            body = f"{body.replace('own[', 'own[2 + ')} own++;"
            after += "  seen += own - first;\n"
        return (
            f"  long seen = 0;\n{before}  {outer}\n{inner}      {{ {body} }}\n{after}"
            "  (void)m, (void)t, (void)own;\n  return (double)seen;\n"
        )

    def _update(self, cell: str, sign: str, value: str) -> str:
        if sign in ("max", "min"):
            relation = "<" if sign == "max" else ">"
            return f"if ({cell} {relation} ({self.ctype})({value})) {cell} = ({self.ctype})({value});"
        if sign == "*=":
            factor = "2" if self.ctype.startswith("unsigned") else "-1"
            return f"{cell} *= ({self.ctype})(value[i] == 7 ? {factor} : 1);"
        if sign == "+=" and value == "1":
            return f"{cell}++;"
        return f"{cell} {sign} ({self.ctype})({value});"

    # Extremes

    def _extremes(self) -> str:
        random = self.random
        count = random.choice((1, 1, 1, 2))
        depth = random.choice((1, 2, 2, 3))
        names = "ijk"[:depth]
        term = random.choice(
            ("value[i]", f"(value[i] + (int){names[-1]})", f"(value[i] * 3 + (int){names[-1]}) % 5")
        )
        term = term if depth == 1 or random.random() < 0.5 else f"value[i] - value[{names[-1]}]"
        declared, lines, hashed = [], [], []
        for each in range(count):
            best, sign = f"best{each}", random.choice(("<", ">", "<=", ">="))
            ctype = random.choice(("int", "long", "double", "float"))
            first = random.choice(("0", "-1000", "1000", "3"))
            declared.append(f"{ctype} {best} = {first};")
            sets = [f"{best} = {term};"]
            for name in names[: random.randint(1, depth)]:
                declared.append(f"long {name}{best} = -1;")
                sets.append(f"{name}{best} = (long){name};")
                hashed.append(f"{name}{best}")
            if random.random() < 0.3:  # all in one structure
                names_set = [text.split(" = ", 1) for text in sets]
                members = {name: f"m{place}" for place, (name, _) in enumerate(names_set)}
                declared = [text for text in declared if text.split()[1] not in members]
                fields = " ".join(f"{ctype if name == best else 'long'} {m};" for name, m in members.items())
                starts = ", ".join(first if name == best else "-1" for name in members)
                declared.append(f"struct {{ {fields} }} s{best} = {{ {starts} }};" if each else "")
                declared[-1] = declared[-1] or f"struct found_{self.name} s{best} = {{ {starts} }};"
                self.types += f"struct found_{self.name} {{ {fields} }};\n" if not each else ""
                sets = [f"s{best}.{members[name]} = {value}" for name, value in names_set]
                hashed = [name for name in hashed if name not in members]
                hashed += [f"s{best}.{m}" for m in members.values()]
                condition = f"{term} {sign} s{best}.{members[best]}"
                lines.append(f"if ({condition}) {{ {' '.join(sets)} }}")
                continue
            if random.random() < 0.2:
                declared.append(f"int v{best} = 0;")
                sets.append(f"v{best} = value[i];")
                hashed.append(f"v{best}")
            hashed.append(best)
            lines.append(f"if ({term} {sign} {best}) {{ {' '.join(sets)} }}")
        if random.random() < 0.5:
            lines.append(
                random.choice(("seen += value[i];", "if (value[i] > 3) seen++;", "seen ^= value[i];"))
            )
        if random.random() < 0.2:
            lines.append("if (value[i] > most) most = value[i];")
        if random.random() < 0.2:  # a place alone
            declared.append("long at = 0;")
            hashed.append("at")
            lines.append(f"if (value[i] {random.choice('<>')} value[at]) at = (long)i;")
        before = after = ""
        if random.random() < 0.3:  # an array of every iteration's own, of which the last content counts
            before = "int mine[6] = { 0 };"
            lines.insert(0, "{ int *p = mine; for (int q = 0; q < 6; q++) p[q] = value[i] + q; }")
            lines.append("seen += mine[value[i] % 6] - value[i];")
            after = " + mine[3]"
        loops = []
        for level, name in enumerate(names):
            ctype = random.choice(("int", "int", "long", "size_t"))
            if level and random.random() < 0.4 and ctype == "int":
                loops.append(f"for (int {name} = 0; {name} <= (int){names[level - 1]}; {name}++)")
            else:
                loops.append(self._header(name, "n" if level == 0 else "m", ctype))
        text = "\n  ".join(loops)
        total = " + ".join(f"{place + 2} * (double){name}" for place, name in enumerate(hashed))
        return (
            f"  {' '.join(declared)} {before}\n"
            f"  long seen = 0; int most = 0;\n  {text}\n  {{ {' '.join(lines)} }}\n"
            f"  (void)m, (void)t, (void)own;\n  return {total} + seen + most{after};\n"
        )


def program(seed: int, functions: int = 5) -> str:
    """A program that takes n, and prints a hash for each function."""
    random = Random(seed)
    ctype = random.choice(TYPES)
    texts = "\n".join(_Loops(random, f"f{number}", ctype).text() for number in range(functions))
    calls = "".join(
        f"  for (int t = 0; t < 2; t++) hash = hash * 3 + f{number}(n, 7, cells, &table) + hashed(cells);\n"
        f'  printf("f{number} %.3f\\n", hash);\n  hash -= 1048573.0 * (long)(hash / 1048573.0);\n'
        for number in range(functions)
    )
    return f"""{_HEAD % (ctype, ctype)}
{texts}
static double hashed(const {ctype} *cells)
{{
  double hash = 0;
  for (int i = 0; i < CELLS; i++) hash = hash * 1.5 + cells[i] + 2 * shared[i] + 3 * grid[i / 4][i % 4];
  return hash - 1048573.0 * (long)(hash / 1048573.0);
}}

int main(int argc, char **argv)
{{
  int n = argc > 1 ? atoi(argv[1]) : 60;
  static {ctype} others[CELLS];
  {ctype} *cells = calloc(CELLS + 8 + 2 * (size_t)n, sizeof *cells);
  struct table table = {{ CELLS, others }};
  double hash = 0;
  for (int i = 0; i < 4096; i++) {{ key[i] = i * 2654435761u >> 20; value[i] = (i * 7 + i / 5) % 9; }}
  for (int i = 0; i < CELLS; i++) cells[i] = ({ctype})(i % 4);
{calls}  for (int i = 0; i < CELLS; i++) hash = hash * 1.5 + others[i];
  printf("%.3f\\n", hash);
  free(cells);
  return 0;
}}
"""
