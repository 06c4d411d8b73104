"""Random functions of loops that stand one after the other: some can be made one, most cannot.

Headers are the same, shifted, shorter, turned round, or nested; what goes from one loop to the next are
cells, cells nearby, scalars, iterators, sums, or pieces of arrays that another name leads to.  Between them
stand serial loops, cells, calls and conditions; some stand behind a condition themselves.
"""

from __future__ import annotations

import random

N = 20
_HEAD = """#include <stdio.h>
#include <stdlib.h>

#define N 20
#define AT(k) ((k) + 2)
#define LOW n & 1
#define NOTHING(x)
#define FAR 0
enum { E = 3 };
static int G0[N + 8], G1[N + 8], G2[N + 8], M0[N + 8][N + 8], M1[N + 8][N + 8];
int count;
static long far = FAR;
static int Z0[N + 8], Z1[N + 8];
static void bump(void) { if (count > 90) exit(3); count++; }
static void set(int *x, int y) { x[0] = y; }
static int half(int x) { return x / 2; }
static int show(const char *name, const int *cells, int many)
{
  unsigned sum = 0;
  for (int i = 0; i < many; i++)
    sum = sum * 31 + (unsigned)cells[i];
  return printf("%s %u\\n", name, sum);
}
"""
_TYPES = ("int", "int", "int", "int", "long", "unsigned", "size_t", "short", "signed char")

GUARDS = ("w > 3", "n > 2", "one", "s < 9", "G1[2] > 3", "count < 7")


class Generator:
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0

    def program(self) -> str:
        source = self._random
        functions, calls = [], []
        for k in range(source.randint(1, 2)):
            restrict = source.random() < 0.5
            functions.append(self._function(k, restrict))
            for _ in range(source.randint(1, 2)):
                handed = [source.choice(("G0", "G1", "G2", "G0 + 1", "h")) for _ in range(2)]
                handed = source.choice((["h", "G0"], ["G0", "h"])) if restrict else handed
                calls.append(
                    f'  printf("%d\\n", f{k}({", ".join(handed)}, {source.choice((0, 1, 2, 9, 16, 20))}));'
                )
        shown = [f'  show("{a}", {a}, N + 8);' for a in ("G0", "G1", "G2", "h")]
        if source.random() < 0.3:
            shown.append('  show("Z", Z0, N + 8);')
        shown += [f'  show("{a}", &{a}[0][0], (N + 8) * (N + 8));' for a in ("M0", "M1")]
        body = "\n".join(
            [
                "  int *h = malloc((N + 8) * sizeof *h);",
                "  for (int i = 0; i < N + 8; i++) {",
                "    G0[i] = i * 7 % 11; G1[i] = i * 5 % 13; G2[i] = i * 3 % 17; h[i] = i;",
                "    for (int j = 0; j < N + 8; j++) { M0[i][j] = (i + j) % 5; M1[i][j] = i * j % 7; }",
                "  }",
                *calls,
                *shown,
                '  printf("%d\\n", count);',
                "  free(h);",
                "  return 0;",
            ]
        )
        far = source.choice(("0", "0", "65536", "(1L << 32)"))  # 0 in a narrower type
        head = _HEAD.replace("FAR 0", f"FAR {far}")
        return head + "".join(functions) + f"int main(void)\n{{\n{body}\n}}\n"

    # Functions

    def _function(self, number: int, restricted: bool) -> str:
        source = self._random
        restrict = "restrict " if restricted else ""
        shared = ["G1", "G2", "p", "q"] if restricted else ["G0", "G1", "G2", "p", "q"]
        self._arrays = [*shared, "t0", "t1"]
        self._header_before = ("", "")
        self._calm = source.random() < 0.5  # most of it can be made one
        self._written = [source.choice(self._arrays) for _ in range(3)]
        self._outside = [source.choice(_TYPES) for _ in range(3)]
        iterators = "".join(f"  {t} {i} = 3;\n" for t, i in zip(self._outside, "ijk", strict=True))
        local = source.choice(("t0[N + 8] = {0}", "t0[N + 8]"))
        heap = source.choice(("malloc((N + 8) * sizeof(int))", "calloc(N + 8, sizeof(int))"))
        lines = [f"  int {local};", f"  int *t1 = {heap};"]
        lines.append("  int s = 1, u = 2, v = 3, w = n / 2, one = n != 9;")
        if local == "t0[N + 8]" or heap.startswith("malloc"):
            self._clean = source.random() < 0.5
            if self._clean:
                lines.append("  for (int x = 0; x < N + 8; x++) { t0[x] = x; t1[x] = 1; }")
            else:
                self._arrays = [*shared, "M0[1]"]
                self._carried = source.choice(("t0", "t1", f"Z{number}"))
        self._guard = source.choice(GUARDS)
        loops = [self._piece() for _ in range(source.randint(2, 5))]
        if "t0" not in self._arrays:
            loops.insert(source.randint(0, len(loops)), self._carrying())
        shown = '  count += show("t", G1, n + 2);\n' if source.random() < 0.3 else ""
        uses = source.choice(
            ("0", "s + u", "s + u + (int)i", "s * 3 + v + (int)j", "s + (int)k + w", "u + v")
        )
        quiet = "  (void)i; (void)j; (void)k; (void)s; (void)u; (void)v; (void)w; (void)one; (void)t0;\n"
        return (
            f"static int f{number}(int *{restrict}p, int *{restrict}q, int n)\n{{\n"
            + iterators
            + "\n".join(lines)
            + "\n"
            + "".join(loops)
            + shown
            + f"  int result = {uses};\n"
            + quiet
            + "  free(t1);\n  return result;\n}\n"
        )

    def _carrying(self) -> str:
        """Two loops of which the first hands an array over to the second."""
        source, t = self._random, self._carried
        header, i = self._header()
        other, j = (header, i) if source.random() < 0.5 else self._header()
        scale = source.choice(("", "", "", " * one", " / 2"))
        at = f"{t}[{i}{scale}]"
        rest = source.choice((f"{at} += 2;", f"if ({at} > 3) {at} = 1;", f"NOTHING({at})", ""))
        first = f"{header} {{ {at} = {self._value(i)}; {rest} }}"
        if header != other:
            cleared = f"  for (int x = 0; x < N + 8; x++) {t}[x] = 0;\n"
            return f"{cleared}  {first}\n  {other} {self._cell(j)} = {t}[{j}{scale}];\n"
        if i == "i" and source.random() < 0.3 and "E" not in header:  # another element of the same spelling
            turned = header.replace("i", "y").replace("ynt", "int").replace("sygned", "signed")
            turned = turned.replace("syze_t", "size_t")
            other = f"{t}[i + {source.choice((0, 0, 1))}]"
            body = f"{{ int i = y; i = i > 2 ? 2 : i; {self._cell('y')} = {other}; }}"
            cleared = f"  for (int x = 0; x < N + 8; x++) {t}[x] = 0;\n"
            return f"{cleared}  {first}\n  int y = 0; (void)y;\n  {turned} {body}\n"
        return f"  {first}\n  {other} {self._cell(j)} = {t}[{j}{scale}] + {self._value(j)};\n"

    def _piece(self) -> str:
        """A loop, or two, and perhaps a statement before it."""
        source = self._random
        before = source.choice(
            (
                *(
                    "",
                    "",
                    "",
                    "  s = 0;\n",
                    "  u = w + 1;\n",
                    "  v = s;\n",
                    "  G1[3] = 4;\n",
                    "  int {} = w;\n",
                ),
                *("  G2[N + 6] = G1[1];\n", "  bump();\n", "  set(G2, u);\n", "  int {}[4];\n", "  w = 5;\n"),
                "  for (int x = 1; x < N; x++) G1[x] += G1[x - 1] % 3;\n",
                "  for (int x = 1; x < N; x++) Z1[x] = Z1[x - 1] % 3 + x;\n",
                "  for (int x = 0; x < N; x++) if (G2[x] > 12) { v = x; break; }\n",
                "  if (w > 9) G2[5] = 4;\n",
            )
        ).replace("{}", self._fresh())
        piece = self._nest() if source.random() < 0.25 else self._loop()
        if source.random() < 0.2:
            guard = self._guard if source.random() < 0.9 else "n > 3"
            piece = f"if ({guard}) " + source.choice((piece, f"{{ {piece}\n  }}", f"{{\n{piece}\n  }}"))
        return before + "  " + piece + "\n"

    def _loop(self) -> str:
        header, i = self._header()
        return f"{header} {self._body(i)}"

    def _header(self) -> tuple[str, str]:
        source = self._random
        if self._header_before[0] and source.random() < (0.8 if self._calm else 0.5):
            return self._header_before
        self._header_before = self._new_header()
        return self._header_before

    def _new_header(self) -> tuple[str, str]:
        source = self._random
        if source.random() < 0.5:
            name = source.choice("ijk")
            declared = ""
        else:
            name = source.choice(("i", "j", "m", "x", "x", "E"))
            declared = source.choice(_TYPES) + " "
        low = source.choice((0, 0, 0, 0, 1, 2, "n & 1", "LOW", "far", "far + 1", "far + 2", "256L"))
        bound = source.choice(
            (
                "< n",
                "< n",
                "< n",
                "<= n - 1",
                "< n - 1",
                "< n - 2",
                "< n + 1",
                "< w",
                "< N",
                "<= N - 1",
                "!= 9",
                *("< N / 2", "<= 7", "< 2 * 4", "< N - 3"),
                f"< '{name}' - {60 if name == 'E' else 100}",
            )
        )
        if bound == "!= 9":
            low = 1
        step = source.choice((f"{name}++", f"{name}++", f"++{name}", f"{name} += 1", f"{name} += 2"))
        if bound == "!= 9":
            step = f"{name}++"
        if declared in ("", "int ", "long ") and name not in "ijk" and source.random() < 0.1:
            return f"for ({declared or ''}{name} = n - 1; {name} >= {low}; {name}--)" if declared else (
                f"for (int {name} = n - 1; {name} >= {low}; {name}--)"
            ), name
        text = f"for ({declared}{name} = {low}; {name} {bound}; {step})"
        unsigned = declared.strip() in ("unsigned", "size_t")
        if not declared and name in "ijk":
            unsigned = self._outside["ijk".index(name)] in ("unsigned", "size_t")
        if unsigned:
            text = text.replace("< n - 1", "< n").replace("< n - 2", "< n").replace("<= n - 1", "< n")
        return (text if declared or name in "ijk" else text.replace("for (", "for (int ")), name

    def _nest(self) -> str:
        source = self._random
        a, b = source.choice((("i", "j"), ("i", "j"), ("j", "i"), ("x", "y")))
        low = source.choice(("0", "0", "1", a))
        high = source.choice(("n", "n", "n - 1", "N", "N", "5", a))
        start, bound = source.choice((0, 0, 1)), source.choice(("n", "n", "N", "7", "n - 1"))
        outer = f"for (int {a} = {start}; {a} < {bound}; {a}++)"
        inner = f"for (int {b} = {low}; {b} < {high}; {b}++)"
        one, other = source.choice((("M0", "M1"), ("M1", "M0"), ("M0", "M0")))
        offset = source.choice(("", "", "", " + 1"))
        statement = source.choice(
            (
                f"{one}[{a}][{b}] = {other}[{a}][{b}{offset}] + 1;",
                f"{one}[{a}][{b}] += {other}[{a}{offset}][{b}] % 5;",
                f"{{ int z = {other}[{a}][{b}]; {one}[{a}][{b}] = z * 2 - {a}; }}",
                f"s += {one}[{a}][{b}];",
                f"{one}[{a}][{b}] = {other}[{b}][{a}] + s;",
            )
        )
        return f"{outer} {inner} {statement}"

    # Bodies

    def _body(self, i: str) -> str:
        source = self._random
        statements = [self._statement(i) for _ in range(source.choice((1, 1, 1, 2, 3)))]
        if len(statements) == 1 and source.random() < 0.5 and statements[0].count(";") == 1:
            return statements[0]
        return "{ " + " ".join(statements) + " }" + source.choice(("", "", " // done", " /* done */"))

    def _statement(self, i: str) -> str:
        source = self._random
        cell, value = self._cell(i), self._value(i)
        if self._calm and source.random() < 0.8:
            return source.choice(
                (f"{cell} = {value};", f"{cell} += {value};", f"{{ int z = {value}; {cell} = z; }}")
            )
        return source.choice(
            (
                f"{cell} = {value};",
                f"{cell} = {value};",
                f"{cell} = {value};",
                f"{cell} += {source.randint(1, 5)};",
                f"u = {value}; {cell} = u + 1;",
                f"{{ int z = {value}; {cell} = z * 2; }}",
                f"{cell} = u + {value};",
                f"if ({value} > 4) {cell} = 3;",
                f"if ({self._value(i)} > 9) u = 4; else u = 5; {cell} = u;",
                f"s += {value};",
                f"s += {value};",
                f"if (s < {value}) s = {value};",
                f"if ({value} % 3 == 0) continue; {cell} = 1;",
                f"{cell} = s;",
                f"v = {value};",
                f"v = {value}; {cell} = v;",
                f"v = {value}; {cell} = v;",
                f"{{ int i = (int){i} % 5; {cell} = {self._value('i')}; }}" if i != "i" else "u = 6;",
                f"NOTHING({cell}) {cell} = {value};",
                f"{cell} = half({value});",
                f"if ({i} > 3) {{ {cell} = {value}; }}",
            )
        )

    def _cell(self, i: str) -> str:
        source = self._random
        array = source.choice(self._written if source.random() < 0.7 else self._arrays)
        if array not in self._arrays:
            array = self._arrays[0]
        offset = "" if self._calm else source.choice(("", "", "", "", " + 1", " + 2"))
        return f"{array}[{i}{offset}]"

    def _value(self, i: str) -> str:
        source = self._random
        array = source.choice(self._written if source.random() < 0.6 else self._arrays)
        if array not in self._arrays:
            array = self._arrays[0]
        at = i if self._calm else source.choice((i, i, i, i, f"{i} + 1", f"AT({i})", f"{i} + 2"))
        other = source.choice(("1", "2", "(int)i", "w", "n", f"(int){i}", "G2[3]", "v", "E"))
        return f"({array}[{at}] % 97 + {other})"

    def _fresh(self) -> str:
        self._names += 1
        return f"c{self._names}"


def program(seed: int) -> str:
    """The program of a seed."""
    return Generator(seed).program()
