"""Random programs in which pointers travel: through members, calls, results, copies, casts and swaps."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import random

_TYPES = """
typedef double *(*chooser)(double *, double *, int);
struct inner { double *p; struct node *owner; };
struct node { int n; double *a, *b; struct node *next; struct inner in; double *lane[3]; double w[4]; chooser how; char room[16];
  struct inner out, pair[2]; struct { struct inner deep; } mid; };
union either { double *d; struct node *s; };
"""
_HELPERS = """
static double *numbers(int n) { ENTER double *p = malloc((n + 16) * sizeof *p); return p; }
static void swap(double **x, double **y) { ENTER double *t = *x; *x = *y; *y = t; }
static double *pick(double *x, double *y, int c) { ENTER return c % 2 ? x : y; }
static double *other(double *x, double *y, int c) { ENTER W(5, x, 0); W(6, y, 1); return c % 2 ? y : numbers(c); }
static double *apply(chooser c, double *x, double *y) { ENTER double *p = c(x, y, 1); W(7, p, 0); return p; }
static chooser ways[2] = {pick, other};
static void give(struct node *s, double *x) { ENTER s->b = x; W(0, s->a, 1); W(1, x, 0); }
static void bytes(void *to, const void *from, size_t n)
{ char *t = to; const char *f = from; while (n--) *t++ = *f++; }
static void words(double **to, double **from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }
static struct node *fresh(void)
{ ENTER struct node *s = calloc(1, sizeof *s); s->a = numbers(1); s->b = numbers(2); s->next = s; s->in.p = s->a;
  s->in.owner = s; s->out = s->in; s->pair[0] = s->pair[1] = s->mid.deep = (struct inner){s->b, s}; s->how = pick; ROOM for (int i = 0; i < 3; i++) s->lane[i] = numbers(i); return s; }
static struct node value(double *x)
{ ENTER struct node s = {3, x, .b = x, .in = {x, 0}, .lane = {x, x, x}, .how = other, .out = {x, fresh()}, .pair = {{x, fresh()}, {x, gn}}}; s.mid.deep = s.out; s.next = fresh(); s.in.owner = s.next; return s; }
static struct node changed(struct node s, double *x) { ENTER OBJECT(s) s.a = x; W(2, s.a, 0); W(3, s.b, 0); return s; }
static void inward(struct inner *i, double *x, int c) { ENTER W(0, i->p, 2); if (c) i->p = x; i->owner->b = i->p; }
static double *inside(const struct inner *i) { ENTER return i->p; }
static void *any(void *p) { ENTER return p; }
static double *deep(struct node *s, int n) { ENTER W(4, s->a, 0); if (n <= 0) return s->in.p; return deep(s->next, n - 1); }
"""


class Writer:
    """One program, from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._probes = 8
        self._local_nodes: list[str] = []
        self._pointers: list[str] = []
        self._functions: list[tuple[str, int]] = []  # earlier ones, and how many parameters they have
        self._room = self._random.random() < 0.3  # pointers in bytes
        kinds = range(49 if self._room else 44)
        self._kinds = self._random.sample(kinds, self._random.randint(3, 12))  # few: more is kept apart

    def program(self) -> str:
        whole = self._random.random() < 0.7
        static = "static " if self._random.random() < 0.7 else ""
        parts = ['#include "watched.h"', _TYPES]
        parts.append(f"{static}double *g0, *g1; {static}double table[40]; {static}struct node gs;")
        parts.append(f"{static}struct node *gn; static double *rows[4];")
        room = "*(double **)s->room = s->a; *(double **)(s->room + 8) = s->b;" if self._room else ""
        parts.append(_HELPERS.replace("ROOM", room))
        for number in range(self._random.randint(2, 5)):
            parts.append(self._function(number, "static " if self._random.random() < 0.8 else ""))
        parts.append(self._main("int main(void)" if whole else "int entry(void)"))
        if not whole:
            parts.append("#ifdef WATCHED\nint main(void) { return entry(); }\n#endif")
        return "\n".join(parts) + "\n"

    def _begin(self, parameters: list[str]) -> list[str]:
        self._pointers = [*parameters, "g0", "g1", "table", "l0", "l1"]
        self._local_nodes = ["&gs", "gn", "ln", "&ls"]
        given = [p for p in parameters if p != "s"]
        if "s" in parameters:
            self._local_nodes.append("s")
            self._pointers.remove("s")
        start = given[0] if given else "table"
        return [
            f"ENTER double *l0 = {start}, *l1 = numbers(1); double small[20]; struct node *ln = gn, ls = *gn;",
            "double *v[3] = {l0, l1, g0}; union either u; u.d = l0; OBJECT(small) OBJECT(ls) OBJECT(v) OBJECT(u)",
        ]

    def _function(self, number: int, storage: str) -> str:
        names = ["x", "y", "s"][: self._random.randint(1, 3)]
        texts = [f"struct node *{n}" if n == "s" else f"double *{n}" for n in names]
        body = self._begin(names)
        body += self._statements(self._random.randint(4, 10))
        name = f"f{number}"
        text = (
            f"{storage}double *{name}({', '.join(texts)})\n{{ {' '.join(body)}\n  return {self._heap()}; }}"
        )
        self._functions.append((name, len(names)))
        return text

    def _main(self, header: str) -> str:
        first = "g0 = numbers(3); g1 = numbers(4); gn = fresh(); gs = *fresh(); gs.next = gn;"
        fill = "for (int i = 0; i < 4; i++) rows[i] = numbers(i); OBJECT(table) OBJECT(gs) OBJECT(rows)"
        body = self._begin([]) + self._statements(self._random.randint(8, 16))
        text = "\n".join(body)
        return f"{header}\n{{ {{ ENTER {first} {fill} }}\n{text}\n  return 0; }}"

    def _statements(self, count: int) -> list[str]:
        found = []
        for _ in range(count):
            found.append("\n  " + self._statement())
            if self._random.random() < 0.7:
                found.append(self._probe())
        return [*found, self._probe(), self._probe()]

    def _probe(self) -> str:
        self._probes += 1
        return f"\n  W({self._probes - 1}, {self._pointer()}, {self._random.randrange(4)});"

    def _node(self) -> str:
        node = self._random.choice(self._local_nodes)
        return f"({node})" if self._random.random() < 0.8 else f"({node})->next"

    def _inner(self) -> str:
        """An lvalue of type `struct inner`."""
        return f"{self._node()}->{self._random.choice(['in', 'out', 'pair[1]', 'mid.deep'])}"

    def _kept_node(self) -> str:
        """A structure that stays when the function has returned."""
        return self._random.choice(["gn", "(&gs)->next", "fresh()", "gn->next", "gn->in.owner"])

    def _place(self) -> str:
        """An lvalue of type `double *`."""
        node = self._node()
        forms = ["g0", "g1", "l0", "l1", "v[1]", "v[i_ % 3]", "rows[2]", "u.d"]
        members = ["a", "b", "in.p", "lane[1]", "lane[i_ % 3]", "out.p", "pair[i_ % 2].p", "mid.deep.p"]
        forms += [f"{node}->{member}" for member in members]
        return self._random.choice(forms).replace("i_", str(self._random.randrange(3)))

    def _heap(self) -> str:
        """A pointer that stays good when the function has returned."""
        return self._random.choice(
            [
                "numbers(5)",
                "g0",
                "g1",
                "table",
                "table + 3",
                "rows[1]",
                f"{self._node()}->a",
                "gn->b",
                "gs.in.p",
                "gs.w",
            ]
        )

    def _pointer(self) -> str:
        return self._random.choice([*self._pointers, self._place(), self._place()])

    def _statement(self) -> str:
        choice = self._random.choice
        value = choice([self._heap(), self._pointer()])
        forms = [
            f"{self._place()} = {self._heap()};",
            f"{self._place()} = {value};",
            f"{self._place()} = pick({self._heap()}, {value}, {self._random.randrange(4)});",
            f"{self._place()} = {self._heap()} ? {value} : {self._heap()};",
            f"swap(&{self._place()}, &{self._place()});",
            f"give({self._node()}, {self._heap()});",
            f"{self._node()}->next = {self._kept_node()};",
            f"gn = {self._kept_node()};",
            f"ln = {self._node()};",
            f"ls = *{self._node()};",
            f"ls = value({self._heap()});",
            f"ls = changed(*{self._node()}, {self._heap()});",
            f"{self._node()}->in = (struct inner){{{self._heap()}, {self._kept_node()}}};",
            f"memcpy({self._node()}, {self._node()}, sizeof(struct node));",
            f"bytes({self._node()}, {self._node()}, sizeof(struct node));",
            f"bytes(&{self._place()}, &{self._place()}, sizeof(double *));",
            f"words({self._node()}->lane, {choice(['v', 'rows', self._node() + '->lane'])}, 3);",
            f"l0 = deep({self._node()}, 2);",
            f"{{ void *any = {self._node()}; struct node *as = any; as->a = {self._heap()}; }}",
            f"{{ double **q = &{self._place()}; *q = {self._heap()}; }}",
            f"{{ double **q = {choice(['v', 'rows', self._node() + '->lane'])}; q[1] = {self._heap()}; }}",
            f"inward(&{self._inner()}, {self._heap()}, {self._random.randrange(2)});",
            f"{self._place()} = inside(&{self._inner()});",
            f"{self._inner()} = {self._inner()};",
            f"memcpy(&{self._inner()}, &{self._inner()}, sizeof(struct inner));",
            f"{{ struct inner *in = &{self._inner()}; in->p = {self._heap()}; {self._place()} = in->owner->out.p; }}",
            f"{{ struct inner *in = any(&{self._inner()}); in->p = {self._heap()}; }}",
            f"{{ struct inner *in = &{self._node()}->out; struct node *own = (void *)((char *)in - offsetof(struct node, out)); own->a = {self._heap()}; }}",
            f"{{ double **q = &{self._inner()}.p; *q = {self._heap()}; }}",
            f"{{ struct inner *in = {self._node()}->pair; in[1].p = {self._heap()}; in[0] = in[1]; }}",
            f"{{ size_t bits = (size_t){self._pointer()}; l1 = (double *)bits; }}",
            f"u.s = {self._kept_node()}; l1 = u.s->a; u.d = {self._heap()};",
            f"l1 = small; W({self._probe_number()}, l1, 0); l1 = {self._heap()};",
            f"if (l0 == l1) {self._place()} = {self._heap()}; else ls = *fresh();",
            f"for (int i = 0; i < 3; i++) {{ rows[i] = {self._heap()}; l0 = rows[(i + 1) % 3]; }}",
            "{ double *t = ln->a; ln->a = ln->b; ln->b = t; }",
            f"g1 = realloc(numbers(2), 400); gn = realloc({self._kept_node()}, sizeof(struct node));",
            f"l0 = (l1 = {self._heap()}, {self._place()});",
            f"{self._place()} = {self._node()}->how({self._heap()}, {self._heap()}, {self._random.randrange(4)});",
            f"{self._place()} = ways[{self._random.randrange(2)}]({self._heap()}, {value}, 1);",
            f"{self._place()} = apply({choice(['pick', 'other', 'ways[1]', self._node() + '->how'])}, {self._heap()}, {self._heap()});",
            f"{self._node()}->how = {choice(['pick', 'other', 'ways[0]', 'gn->how'])};",
            f"ways[{self._random.randrange(2)}] = {choice(['pick', 'other', self._node() + '->how'])};",
            f"{{ void (*sink)(struct node *, double *) = give; sink({self._node()}, {self._heap()}); }}",
        ]
        if self._room:
            forms += [
                f"*(double **){self._node()}->room = {self._heap()};",
                f"{self._place()} = *(double **){self._node()}->room;",
                f"for (int i = 0; i < 8; i++) {self._node()}->room[i] = {self._node()}->room[i];",
                f"memcpy({self._node()}->room + 8, {self._node()}->room, 8); {self._place()} = *(double **)({self._node()}->room + 8);",
                f"{{ struct inner *as = (void *){self._node()}->room; {choice(['as->p = ' + self._heap(), self._place() + ' = as->p'])}; }}",
            ]
        forms = [forms[kind] for kind in self._kinds]
        for name, count in self._functions:
            given = [self._heap(), self._heap(), self._node()][:count]
            forms += [f"{self._place()} = {name}({', '.join(given)});"] * 3
        return choice(forms)

    def _probe_number(self) -> int:
        self._probes += 1
        return self._probes - 1
