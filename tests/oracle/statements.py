"""C statements and functions as closures.  A statement gives None, or how it leaves what is around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from tests.oracle.expressions import Closure, ExpressionCompiler
from tests.oracle.memory import INT, Machine, Type, UndefinedError

BREAK, CONTINUE = ("break",), ("continue",)


@dataclass(eq=False)
class LoopCode:
    """A `for` loop in parts.  `facts` is what the analyser says of it, compiled where the loop stands."""

    init: Closure
    condition: Closure
    step: Closure
    body: Closure
    node: c_ast.For
    facts: Any = None
    iterator: Closure | None = None
    chain: list[Any] = field(default_factory=list)

    def __call__(self, m: Machine, f: Any) -> Any:
        if m.parallel is not None and self.facts is not None:
            return m.parallel(self, m, f)
        return self.sequential(m, f)

    def sequential(self, m: Machine, f: Any) -> Any:
        trackers = [t for t in m.watches if t.follows(self.node)]
        self.init(m, f)
        iterator = self.iterator(m, f) if self.iterator else None
        for t in trackers:
            t.enter(self.node, iterator)
        trips = 0
        result = None
        while self.condition(m, f):
            m.spend()
            trips += 1
            for t in trackers:
                t.iterate(self.node, trips, iterator.cells[0] if iterator else None)
            result = self.body(m, f)
            if result is BREAK:
                break
            if result is not None and result is not CONTINUE:
                return result
            self.step(m, f)
        for t in trackers:
            t.leave(self.node, trips)
        return None


class Function:
    """A function definition: call it with the machine and the arguments."""

    def __init__(self, name: str, ctype: Type) -> None:
        self.name, self.ctype = name, ctype
        self.slots, self.body = 0, None
        self.parameters: list[tuple[int, Type]] = []
        self.compiler: Any = None

    def __call__(self, m: Machine, arguments: list[Any]) -> Any:
        m.spend()
        frame: list[Any] = [None] * self.slots
        for (slot, ctype), value in zip(self.parameters, arguments, strict=True):
            held, _ = self.compiler.converted((lambda m, f, v=value: v, ctype), ctype)
            frame[slot] = m.new(f"{self.name}:{slot}", 1)
            frame[slot].cells[0] = held(m, frame)
        result = self.body(m, frame)  # type: ignore[misc]
        return result[1] if result and result[0] == "return" else None


class Compiler(ExpressionCompiler):
    """Compiles a file.  `annotate(compiler, For node)` gives the facts that a loop is run with."""

    def __init__(self, annotate: Any = None) -> None:
        super().__init__()
        self.annotate = annotate
        self.global_code: list[Closure] = []

    def file(self, ast: c_ast.FileAST) -> Compiler:
        for node in ast.ext:
            if isinstance(node, c_ast.FuncDef):
                self._function(node)
            elif isinstance(node, c_ast.Typedef):
                self.typedefs[node.name] = self.type_of(node)
            elif isinstance(node, c_ast.Decl):
                self._global(node)
        return self

    def start(self, machine: Machine) -> None:
        """Makes and initialises the globals."""
        for code in self.global_code:
            code(machine, None)

    def _global(self, node: c_ast.Decl) -> None:
        ctype = self.type_of(node)
        if ctype.kind == "function" or node.name is None or "extern" in node.storage:
            return
        ctype = self._sized(ctype, node.init)
        self.scopes[0][node.name] = (node.name, ctype)
        self._make_global(node.name, node.name, ctype, node.init)

    def _make_global(self, key: str, name: str, ctype: Type, init: Any) -> None:
        fill = self.initialiser(ctype, init) if init is not None else None

        def make(m: Machine, f: Any) -> None:
            if key not in m.globals:
                m.globals[key] = m.new(name, self.cells(ctype, m, f), 0)
                if fill:
                    fill(m, f, m.globals[key], 0)

        self.global_code.append(make)

    def _sized(self, ctype: Type, init: Any) -> Type:
        if ctype.kind == "array" and ctype.size is None and isinstance(init, c_ast.InitList):
            length = len(init.exprs)
            return Type("array", target=ctype.target, size=lambda m, f: length)
        return ctype

    def initialiser(self, ctype: Type, node: Any) -> Closure:
        if not isinstance(node, c_ast.InitList):
            value, _ = self.converted(self.rvalue(node), ctype)
            return lambda m, f, o, i: m.store(o, i, value(m, f))
        if any(isinstance(e, c_ast.NamedInitializer) for e in node.exprs):
            raise UndefinedError("designated initialiser")
        members = ctype.kind == "struct"
        types = [t for _, t in ctype.members] if members else [ctype.target] * len(node.exprs)
        parts = [(t, self.initialiser(t, e)) for t, e in zip(types, node.exprs, strict=False)]

        def fill(m: Machine, f: Any, o: Any, i: int) -> None:
            for k in range(self.cells(ctype, m, f)):
                o.cells[i + k] = 0
            for t, part in parts:
                part(m, f, o, i)
                i += self.cells(t, m, f)

        return fill

    def _function(self, node: c_ast.FuncDef) -> None:
        function = Function(node.decl.name, self.type_of(node.decl.type.type))
        function.compiler = self
        self.functions[node.decl.name] = function
        self.slots = 0
        self.scopes.append({})
        for parameter in node.decl.type.args.params if node.decl.type.args else []:
            if not isinstance(parameter, c_ast.Decl):
                continue
            ctype = self.type_of(parameter)
            if ctype.kind == "array":
                ctype = Type("pointer", 64, target=ctype.target)
            function.parameters.append((self.declare(parameter.name, ctype), ctype))
        function.body = self.statement(node.body)
        function.slots = self.slots
        self.scopes.pop()

    # Statements

    def statement(self, node: Any) -> Closure:
        if node is None:
            return _nothing
        handler = getattr(self, f"_do_{type(node).__name__}", None)
        if handler is not None:
            return handler(node)  # type: ignore[no-any-return]
        value, _ = self.rvalue(node)

        def run(m: Machine, f: Any) -> None:
            value(m, f)

        return run

    def _do_EmptyStatement(self, _: Any) -> Closure:
        return _nothing

    _do_Pragma = _do_EmptyStatement

    def _do_Typedef(self, node: Any) -> Closure:
        self.typedefs[node.name] = self.type_of(node)
        return _nothing

    def _do_Compound(self, node: c_ast.Compound) -> Closure:
        self.scopes.append({})
        items = node.block_items or []
        codes = [self.statement(i) for i in items]
        self.scopes.pop()
        labels = {i.name: k for k, i in enumerate(items) if isinstance(i, c_ast.Label)}
        return lambda m, f: _sequence(codes, labels, m, f)

    def _do_DeclList(self, node: c_ast.DeclList) -> Closure:
        codes = [self.statement(d) for d in node.decls]
        return lambda m, f: _sequence(codes, {}, m, f)

    def _do_Decl(self, node: c_ast.Decl) -> Closure:
        ctype = self._sized(self.type_of(node), node.init)
        if ctype.kind == "function" or node.name is None:
            return _nothing
        if "static" in node.storage:
            key = f"{node.name}@{node.coord}"
            self.scopes[-1][node.name] = (key, ctype)
            self._make_global(key, node.name, ctype, node.init)
            return _nothing
        slot = self.declare(node.name, ctype)
        fill = self.initialiser(ctype, node.init) if node.init is not None else None

        def run(m: Machine, f: Any) -> None:
            f[slot] = m.new(node.name, self.cells(ctype, m, f))
            if fill:
                fill(m, f, f[slot], 0)

        return run

    def _do_If(self, node: c_ast.If) -> Closure:
        condition = self.truth(node.cond)
        then, other = self.statement(node.iftrue), self.statement(node.iffalse)
        return lambda m, f: then(m, f) if condition(m, f) else other(m, f)

    def _do_Switch(self, node: c_ast.Switch) -> Closure:
        value, _ = self.rvalue(node.cond)
        self.scopes.append({})
        cases: list[tuple[Any, int]] = []
        codes: list[Closure] = []
        for item in node.stmt.block_items or []:
            if isinstance(item, c_ast.Case | c_ast.Default):
                key = self.rvalue(item.expr)[0](None, None) if isinstance(item, c_ast.Case) else None
                cases.append((key, len(codes)))
                codes += [self.statement(s) for s in item.stmts or []]
            else:
                codes.append(self.statement(item))
        self.scopes.pop()

        def run(m: Machine, f: Any) -> Any:
            chosen = value(m, f)
            start = next((k for key, k in cases if key == chosen), None)
            if start is None:
                start = next((k for key, k in cases if key is None), len(codes))
            result = _sequence(codes[start:], {}, m, f)
            return None if result is BREAK else result

        return run

    def _do_Label(self, node: c_ast.Label) -> Closure:
        return self.statement(node.stmt)

    def _do_Goto(self, node: c_ast.Goto) -> Closure:
        return lambda m, f: ("goto", node.name)

    def _do_Break(self, _: Any) -> Closure:
        return lambda m, f: BREAK

    def _do_Continue(self, _: Any) -> Closure:
        return lambda m, f: CONTINUE

    def _do_Return(self, node: c_ast.Return) -> Closure:
        if node.expr is None:
            return lambda m, f: ("return", None)
        value, _ = self.rvalue(node.expr)
        return lambda m, f: ("return", value(m, f))

    # Loops

    def _do_While(self, node: c_ast.While) -> Closure:
        return self._while(self.truth(node.cond), self.statement(node.stmt), first=False)

    def _do_DoWhile(self, node: c_ast.DoWhile) -> Closure:
        return self._while(self.truth(node.cond), self.statement(node.stmt), first=True)

    def _while(self, condition: Closure, body: Closure, first: bool) -> Closure:
        def run(m: Machine, f: Any) -> Any:
            skip = first
            while skip or condition(m, f):
                skip = False
                m.spend()
                result = body(m, f)
                if result is BREAK:
                    return None
                if result is not None and result is not CONTINUE:
                    return result
            return None

        return run

    def _do_For(self, node: c_ast.For) -> Closure:
        facts = self.annotate(self, node) if self.annotate else None
        self.scopes.append({})
        init = self.statement(node.init)
        condition = self.truth(node.cond) if node.cond is not None else lambda m, f: True
        step = self.statement(node.next)
        name = iterator_name(node)
        known = name is not None and self.lookup(name) is not None
        iterator = self.variable(name)[0] if known else None  # type: ignore[arg-type]
        body = self.statement(node.stmt)
        self.scopes.pop()
        return LoopCode(init, condition, step, body, node, facts, iterator)


def iterator_name(node: c_ast.For) -> str | None:
    match node.next:
        case c_ast.UnaryOp(expr=c_ast.ID(name=name)) | c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return str(name)
    return None


def _nothing(m: Machine, f: Any) -> None:
    return None


def _sequence(codes: list[Closure], labels: dict[str, int], m: Machine, f: Any) -> Any:
    position = 0
    while position < len(codes):
        result = codes[position](m, f)
        position += 1
        if result is not None:
            if result[0] != "goto" or result[1] not in labels:
                return result
            m.spend()
            position = labels[result[1]]
    return None


__all__ = ["BREAK", "CONTINUE", "INT", "Compiler", "Function", "LoopCode", "iterator_name"]
