"""Rewrites a parsed C file so that every access, loop and iteration calls the run-time system (runtime.h)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast, c_generator

from tests.oracle.ctypes import INT, VOID, CType, UnsupportedError, constant, named, pointer
from tests.oracle.expressions import Expressions

Claimer = Callable[["Instrumenter", Any, int], str]  # C text of the claims about a loop


@dataclass
class Variable:
    """`text` is how C code names it."""

    ctype: CType
    text: str


@dataclass
class FunctionCode:
    """A rewritten function."""

    name: str
    ctype: CType
    parameters: list[tuple[str, CType]] = field(default_factory=list)
    text: str = ""
    calls: set[str] = field(default_factory=set)
    problem: str = ""


@dataclass
class LoopCode:
    """A loop that was instrumented; its number is its position in `Instrumenter.loops`."""

    node: Any
    function: str


class Instrumenter(Expressions):
    """The file's `head` (types and globals), its `functions`, and its `loops` by number."""

    def __init__(self, claims: Claimer | None = None) -> None:
        super().__init__()
        self.claims = claims
        self.scopes: list[dict[str, Variable]] = [{}]
        self.typedefs: dict[str, CType] = {}
        self.structs: dict[str, CType] = {}
        self.enumerators: dict[str, int] = {}
        self.head: list[str] = []
        self.globals: list[tuple[str, CType, str]] = []
        self.constants: set[str] = set()  # those of them that keep what they start with
        self.functions: dict[str, FunctionCode] = {}
        self.defined: set[str] = set()
        self.loops: list[LoopCode] = []
        self.numbers: dict[int, int] = {}  # of loops, by the identity of their nodes
        self.static_depth = 0
        self.has_variable_arrays = False
        self.generator = c_generator.CGenerator()
        self.current = FunctionCode("", VOID)
        self.addressed: set[str] = set()

    def file(self, ast: c_ast.FileAST, wanted: Callable[[Any], bool] = lambda _: True) -> Instrumenter:
        """`wanted` tells of a declaration whether it is the user's own (not a system header's)."""
        for node in ast.ext:
            if isinstance(node, c_ast.FuncDef):
                self.defined.add(node.decl.name)
        for node in ast.ext:
            known = len(self.head)
            try:
                self._external(node, wanted)
            except (UnsupportedError, KeyError, AttributeError, TypeError, IndexError) as error:
                if isinstance(node, c_ast.FuncDef):
                    self.functions[node.decl.name] = FunctionCode(node.decl.name, VOID, problem=repr(error))
            if not wanted(node):
                del self.head[known:]  # a system header's structures: nobody looks into them
        return self

    def _external(self, node: Any, wanted: Callable[[Any], bool]) -> None:
        if isinstance(node, c_ast.FuncDef):
            self._function(node)
        elif isinstance(node, c_ast.Typedef):
            self.typedefs[node.name] = self.type_of(node.type)
        elif isinstance(node, c_ast.Decl):
            ctype = self.type_of(node.type, node.init)
            if ctype.kind == "function":
                self.prototypes.setdefault(node.name, ctype.target)
            elif node.name and "extern" not in node.storage and wanted(node):
                self._global(node, ctype, f"g_{node.name}")

    # Types

    def type_of(self, node: Any, init: Any = None) -> CType:
        match node:
            case c_ast.Decl() | c_ast.TypeDecl() | c_ast.Typename() | c_ast.Typedef():
                return self.type_of(node.type, init)
            case c_ast.PtrDecl():
                return pointer(self.type_of(node.type), "restrict" in (node.quals or []))
            case c_ast.ArrayDecl():
                return CType("array", target=self.type_of(node.type), size=self._size(node.dim, init))
            case c_ast.IdentifierType():
                return self.typedefs.get(node.names[-1]) or named(node.names)
            case c_ast.Struct():
                return self._struct(node)
            case c_ast.Enum():
                return self._enum(node)
            case c_ast.FuncDecl():
                return CType("function", target=self.type_of(node.type))
        raise UnsupportedError(f"type {type(node).__name__}")

    def _size(self, dim: Any, init: Any) -> str:
        if dim is None:
            return str(len(init.exprs)) if isinstance(init, c_ast.InitList) else ""
        value = constant(dim, self.enumerators)
        if value is None:
            self.has_variable_arrays = True
            return self.raw(dim)
        return str(value)

    def raw(self, node: Any) -> str:
        """An expression without instrumentation."""
        return self.renamed(self.generator.visit(node))

    def _struct(self, node: c_ast.Struct) -> CType:
        if node.name is None:
            node.name = f"anonymous{len(self.structs)}"
        if node.decls is not None and node.name not in self.structs:
            members = tuple((d.name, self.type_of(d)) for d in node.decls)
            if any(getattr(d, "bitsize", None) is not None or d.name is None for d in node.decls):
                raise UnsupportedError("structure member")
            self.structs[node.name] = CType("struct", f"struct {node.name}", members=members)
            fields = " ".join(f"{t.declare(n)};" for n, t in members)
            self.head.append(f"struct {node.name} {{ {fields} }};")
        return self.structs.get(node.name) or CType("struct", f"struct {node.name}")

    def _enum(self, node: c_ast.Enum) -> CType:
        value = -1
        for item in node.values.enumerators if node.values else []:
            given = constant(item.value, self.enumerators) if item.value else value + 1
            if given is None:
                raise UnsupportedError("enumerator")
            value = self.enumerators[item.name] = given
        return INT

    # Names

    def lookup(self, name: str) -> Variable | None:
        return next((s[name] for s in reversed(self.scopes) if name in s), None)

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def _global(self, node: c_ast.Decl, ctype: CType, text: str) -> None:
        self.scopes[-1][node.name] = Variable(ctype, text)
        if any(t == text for _, _, t in self.globals):
            return
        braces = "{%s}" if isinstance(node.init, c_ast.InitList) else "%s"
        init = f" = {braces % self.raw(node.init)}" if node.init is not None else ""
        gap = f"USER_DATA static char gap{self.fresh()}[GAP];"
        self.head.append(f"USER_DATA {ctype.declare(text)}{init}; {gap}")
        self.globals.append((node.name, ctype, text))
        if "const" in (node.quals or ()):
            self.constants.add(text)

    # Functions

    def _function(self, node: c_ast.FuncDef) -> None:
        if node.param_decls:
            raise UnsupportedError("old-style definition")
        code = FunctionCode(node.decl.name, self.type_of(node.decl.type.type))
        self.functions[code.name] = self.current = code
        self.addressed = _addressed(node.body)
        self.static_depth = 0
        self.scopes = [self.scopes[0], {}]
        parameters = node.decl.type.args.params if node.decl.type.args else []
        for parameter in parameters:
            if isinstance(parameter, c_ast.EllipsisParam):
                raise UnsupportedError("variable arguments")
            if isinstance(parameter, c_ast.Decl):
                ctype = self.type_of(parameter).decayed
                self.scopes[-1][parameter.name] = Variable(ctype, parameter.name)
                code.parameters.append((parameter.name, ctype))
        start = "int fr_ = rt_call(); "
        start += "".join(f"{t.declare(n)} = {n}_;" for n, t in code.parameters if _is_variable(t))
        start += "".join(self._registered(n, n, 2) for n, _ in code.parameters)
        body = self.statement(node.body)
        list_ = (
            ", ".join(f"void *{n}_" if _is_variable(t) else t.declare(n) for n, t in code.parameters)
            or "void"
        )
        head = code.ctype.declare(f"u_{code.name}({list_})")
        self.head.append(f"{head};")
        code.text = f"{head}\n{{ {start}\n{body}\nrt_return(fr_); }}\n"
        self.scopes = [self.scopes[0]]

    def _registered(self, text: str, name: str, flags: int) -> str:
        flags |= 1 if name not in self.addressed else 0
        return f'rt_local(&{text}, sizeof {text}, {flags}, "{name}"); '

    # Statements

    def statement(self, node: Any) -> str:
        if node is None:
            return ";"
        handler = getattr(self, f"_do_{type(node).__name__}", None)
        if handler is not None:
            return str(handler(node))
        return f"{self.value(node)[0]};"

    def _do_EmptyStatement(self, _: Any) -> str:
        return ";"

    _do_Pragma = _do_EmptyStatement

    def _do_Typedef(self, node: Any) -> str:
        self.typedefs[node.name] = self.type_of(node)
        return ";"

    def _do_Compound(self, node: c_ast.Compound) -> str:
        self.scopes.append({})
        text = "\n".join(self.statement(i) for i in node.block_items or [])
        self.scopes.pop()
        return f"{{ {text} }}"

    def _do_DeclList(self, node: c_ast.DeclList) -> str:
        return " ".join(self.statement(d) for d in node.decls)

    def _do_Decl(self, node: c_ast.Decl) -> str:
        ctype = self.type_of(node.type, node.init)
        if ctype.kind == "function":
            self.prototypes.setdefault(node.name, ctype.target)
            return ";"
        if node.name is None:
            return ";"
        if "extern" in node.storage:
            raise UnsupportedError("extern in a function")
        if "static" in node.storage:
            self._global(node, ctype, f"s{self.fresh()}_{node.name}")
            return ";"
        return self._local(node, ctype)

    def _local(self, node: c_ast.Decl, ctype: CType) -> str:
        name, wrapped = node.name, ctype.kind in ("array", "struct") or node.name in self.addressed
        before = ""
        if not ctype.is_constant_size:
            ctype, before = self._measured(ctype, node.type)
            wrapped = False
        init = f" = {self._initialiser(node.init)}" if node.init is not None else ""
        if ctype.kind == "array" and not wrapped:
            self.addressed = self.addressed | {name}
        text = f"{name}.v" if wrapped else name
        if wrapped:
            init = f" = {{ .v{init} }}" if init else ""
            declared = f"struct {{ {ctype.declare('v')}; char gap[GAP]; }} {name}{init};"
        else:
            declared = f"{ctype.declare(name)}{init};"
        self.scopes[-1][name] = Variable(ctype, text)
        flags = (2 if init else 0) | (0 if wrapped else int(name not in self.addressed))
        return f'{before}{declared} rt_local(&{text}, sizeof {text}, {flags}, "{name}");'

    def _measured(self, ctype: CType, node: Any) -> tuple[CType, str]:
        """An array of variable length whose lengths are kept in variables."""
        if ctype.kind != "array":
            return ctype, ""
        target, before = self._measured(ctype.target, node.type)
        if ctype.size.isdigit():
            return CType("array", target=target, size=ctype.size), before
        name = f"length{self.fresh()}_"
        text, _ = self.value(node.dim)
        check = f'long {name} = {text}; if ({name} <= 0 || {name} > 4000) rt_undefined("size"); '
        return CType("array", target=target, size=name), check + before

    def _initialiser(self, node: Any) -> str:
        if isinstance(node, c_ast.InitList):
            return "{ " + ", ".join(self._initialiser(e) for e in node.exprs) + " }"
        if isinstance(node, c_ast.NamedInitializer):
            names = "".join(
                f".{n.name}" if isinstance(n, c_ast.ID) else f"[{self.raw(n)}]" for n in node.name
            )
            return f"{names} = {self._initialiser(node.expr)}"
        return self.value(node)[0]

    def _do_If(self, node: c_ast.If) -> str:
        condition = self.guarded(node)
        other = f" else {{ {self.statement(node.iffalse)} }}" if node.iffalse else ""
        then = self.statement(node.iftrue)
        self.updated = None
        return f"if ({condition}) {{ {then} }}{other}"

    def _do_Switch(self, node: c_ast.Switch) -> str:
        return f"switch ({self.value(node.cond)[0]}) {{ {self.statement(node.stmt)} }}"

    def _do_Case(self, node: c_ast.Case) -> str:
        value = constant(node.expr, self.enumerators)
        if value is None:
            raise UnsupportedError("case")
        return f"case {value}: ; {self._statements(node)}"

    def _do_Default(self, node: c_ast.Default) -> str:
        return f"default: ; {self._statements(node)}"

    def _statements(self, node: Any) -> str:
        return "\n".join(self.statement(s) for s in node.stmts or [])

    def _do_Label(self, node: c_ast.Label) -> str:
        return f"{node.name}: rt_label(fr_ + {self.static_depth}); {self.statement(node.stmt)}"

    def _do_Goto(self, node: c_ast.Goto) -> str:
        return f"goto {node.name};"

    def _do_Break(self, _: Any) -> str:
        return "break;"

    def _do_Continue(self, _: Any) -> str:
        return "continue;"

    def _do_Return(self, node: c_ast.Return) -> str:
        if node.expr is None:
            return "{ rt_return(fr_); return; }"
        text, _ = self.value(node.expr)
        return f"{{ {self.current.ctype.declare('v_')} = {text}; rt_return(fr_); return v_; }}"

    # Loops

    def _loop(self, node: Any, flags: int) -> tuple[int, str]:
        number = len(self.loops)
        self.loops.append(LoopCode(node, self.current.name))
        self.numbers[id(node)] = number
        return number, f"rt_enter({number}, {flags});"

    def _claimed(self, node: Any, number: int) -> str:
        """To be called when the loop's parts have been rewritten, in the scope that it stands in."""
        return self.claims(self, node, number) if self.claims else ""

    def _do_For(self, node: c_ast.For) -> str:
        number, enter = self._loop(node, 1 if node.next is not None else 0)
        before = self.scopes
        self.scopes = [*self.scopes, {}]
        self.static_depth += 1
        init, declared = "", ""
        if isinstance(node.init, c_ast.DeclList):
            declared = self.statement(node.init)
        elif node.init is not None:
            init = f"{self.value(node.init)[0]}, "
        condition = self.value(node.cond)[0] if node.cond is not None else "1"
        step = f", {self.value(node.next)[0]}" if node.next is not None else ""
        iterator = self._iterator_value(node)
        body = self.statement(node.stmt)
        self.static_depth -= 1
        self.scopes = before
        return (
            f"{{ {enter} {self._claimed(node, number)} {declared}\n"
            f"for ({init}rt_begin(); ({condition}) ? (rt_iterate({iterator}), 1) : (rt_end(), 0);"
            f" rt_next(){step})\n"
            f"{{ {body} }}\nrt_leave(fr_ + {self.static_depth}); }}"
        )

    def _iterator_value(self, node: c_ast.For) -> str:
        name = iterator_name(node)
        found = self.lookup(name) if name else None
        return f"(long){found.text}" if found and found.ctype.kind == "scalar" else "0"

    def _do_While(self, node: c_ast.While) -> str:
        text = "while (rt_next(), ({condition}) ? (rt_iterate(0), 1) : (rt_end(), 0)) {{ {body} }}"
        return self._without_step(node, text)

    def _do_DoWhile(self, node: c_ast.DoWhile) -> str:
        # The iteration itself asks whether there is another one: it has copies of what it has written.
        again = "({condition}) ? (rt_next(), 1) : (rt_next(), rt_end(), 0)"
        return self._without_step(node, f"do {{{{ rt_iterate(0); {{body}} }}}} while ({again});")

    def _without_step(self, node: c_ast.While | c_ast.DoWhile, text: str) -> str:
        number, enter = self._loop(node, 0)
        self.static_depth += 1
        condition, body = self.value(node.cond)[0], self.statement(node.stmt)
        self.static_depth -= 1
        return (
            f"{{ {enter} {self._claimed(node, number)} rt_begin();\n"
            f"{text.format(condition=condition, body=body)}\n"
            f"rt_leave(fr_ + {self.static_depth}); }}"
        )


def iterator_name(node: c_ast.For) -> str | None:
    """The variable that the header steps; the tests are the oracle's own."""
    step = node.next
    if isinstance(step, c_ast.UnaryOp) and isinstance(step.expr, c_ast.ID):
        return str(step.expr.name)
    if isinstance(step, c_ast.Assignment) and isinstance(step.lvalue, c_ast.ID):
        return str(step.lvalue.name)
    condition = node.cond
    if step is None and isinstance(condition, c_ast.BinaryOp):
        for side in (condition.left, condition.right):
            if isinstance(side, c_ast.UnaryOp) and isinstance(side.expr, c_ast.ID):
                return str(side.expr.name)
    init = node.init
    if isinstance(init, c_ast.DeclList):
        return str(init.decls[0].name)
    if isinstance(init, c_ast.Assignment) and isinstance(init.lvalue, c_ast.ID):
        return str(init.lvalue.name)
    return None


def _is_variable(ctype: CType) -> bool:
    """A pointer to arrays whose length is a variable; tcc cannot name it in a list of parameters."""
    return ctype.kind == "pointer" and not ctype.target.is_constant_size


def _addressed(node: Any) -> set[str]:
    """The variables whose address is taken."""
    found: set[str] = set()
    todo = [node]
    while todo:
        at = todo.pop()
        if isinstance(at, c_ast.UnaryOp) and at.op == "&":
            root = at.expr
            while isinstance(root, c_ast.ArrayRef | c_ast.StructRef):
                root = root.name
            if isinstance(root, c_ast.ID):
                found.add(root.name)
        todo += [child for _, child in at.children()]
    return found
