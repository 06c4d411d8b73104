"""Names: which variable every identifier of a function means, and how the function uses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.static_types import type_of
from species.symbols.types import INT, UNKNOWN, CType, TypeTable
from species.symbols.used_assignments import taken

FRESH = ("malloc", "calloc", "aligned_alloc")  # give memory that is nobody else's
ALLOCATORS = frozenset((*FRESH, "alloca", "realloc"))
PER_THREAD = "each thread has its own '{name}'"
DOUBTFUL = "'{name}' may be another variable as well"
_NO_VARIABLES = ("enumerator", "type")  # the storage of names that only hide variables


@dataclass(eq=False)
class Symbol:
    """A variable.  The flags describe the function (for globals: the file) that was resolved."""

    name: str
    ctype: CType
    storage: str  # "global", "static" (file or function), "local", "parameter" or "function"
    node: Any = None
    address_taken: bool = False
    lent: bool = False  # its address is taken for calls only, that keep no pointer to it
    exposed: bool = False  # the bare value of a pointer, or the bare name of an array, was used
    writes: int = 0  # assignments besides the initialiser, per file
    definitions: int = 0  # the initialiser and assignments, null pointers aside
    allocations: int = 0  # how many of its definitions are calls of malloc and the like
    allocation: Any = None  # the c_ast call, where there is exactly one
    scope: Any = None  # the c_ast node of the block or loop that declares it; None at file level
    is_rows: bool = False  # stands for the rows of a table of pointers (see `species.loops.rows`)
    table: Any = None  # of rows that may overlap: the place of their table (see `species.dependence.tables`)
    held_in: tuple[str, ...] = ()  # of such rows: the member of the table's elements that points to them
    is_constant: bool = False  # memory that nobody writes, nor what pointers in it lead to
    is_there: bool = False  # of a parameter: every call has a whole structure, or a declared array, for it
    given: tuple[int, ...] = ()  # of a parameter: the numbers that the calls have for it, in their order
    elements: int | None = None  # of a parameter: how many numbers the array has that it always points to
    origin: Symbol | None = None  # of a variable of a function that is inlined: that function's own
    calls: tuple[int, ...] = ()  # likewise: those that led there, outermost first, by the ids of nodes
    points_to: Any = None  # the points-to analysis of the file (`species.pointsto.PointsTo`)
    peculiar: str = ""  # why nobody knows which memory its name means to another thread, or at all
    replaceable: bool = False  # another file may have the definition that counts
    line: int = 0  # of the text without macros: where it is first declared, at file level

    @property
    def value(self) -> int | None:
        """The number that a parameter always is."""
        return self.given[0] if len({*self.given}) == 1 else None

    @property
    def is_scalar(self) -> bool:
        """One value: a number or a pointer (array parameters are pointers)."""
        pointer = self.ctype.kind == "array" and self.storage == "parameter"
        one = (self.ctype.is_number or self.ctype.kind in ("pointer", "unknown")) and not self.ctype.unclear
        return pointer or one

    @property
    def outlives_function(self) -> bool:
        """True if the value may be seen when the function has returned."""
        return self.storage in ("global", "static")

    @property
    def is_static_local(self) -> bool:
        """Does it keep its value from call to call of the one function that can name it?"""
        return (
            self.storage == "static" and self.scope is not None and not (self.address_taken or self.peculiar)
        )

    @property
    def is_single_allocation(self) -> bool:
        """A pointer that is defined once, by malloc or the like, and never points elsewhere."""
        return self.allocations == 1 and self.definitions == 1 and not self.address_taken

    def __repr__(self) -> str:
        return f"Symbol({self.name})"


def _root(node: Any) -> Any:
    """What an lvalue starts from, where that is a name."""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef) or getattr(node, "op", None) == "*":
        node = node.expr if isinstance(node, c_ast.UnaryOp) else getattr(node, "name", None)
    return node


def is_per_thread(node: c_ast.Decl, at_file_level: bool) -> bool:
    """Is it declared `_Thread_local`?  (`source.dialect` puts `auto` there, which can mean nothing else.)"""
    storage = node.storage or []
    return "auto" in storage and (at_file_level or "static" in storage or "extern" in storage)


def is_offset(node: Any) -> bool:
    """Is it `offsetof(type, member)`?  What looks like variables there are names of members."""
    return getattr(node.name, "name", None) == "offsetof" and node.args and len(node.args.exprs) == 2


def subscripts_of(node: c_ast.FuncCall) -> Iterator[Any]:
    """The subscripts in the member of an `offsetof`, which alone are evaluated."""
    part = node.args.exprs[1]
    while isinstance(part, c_ast.ArrayRef | c_ast.StructRef):
        if isinstance(part, c_ast.ArrayRef):
            yield part.subscript
        part = part.name


def _is_prototype(item: Any) -> bool:
    """Does it declare a function, and no type beside it?"""
    result = item.type if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl) else None
    while isinstance(result, c_ast.FuncDecl | c_ast.PtrDecl | c_ast.TypeDecl):
        result = result.type
    return isinstance(result, c_ast.IdentifierType)


@dataclass
class Resolution:
    """What the resolver found: identifiers by node, and what hinders structured analysis."""

    symbols: dict[int, Symbol] = field(default_factory=dict)  # id(c_ast.ID or Decl) -> symbol
    labelled: set[str] = field(default_factory=set)  # functions with labels, so perhaps with gotos
    undeclared: dict[str, c_ast.ID] = field(default_factory=dict)  # names of nothing, at their first use
    functions: dict[str, c_ast.FuncDef] = field(default_factory=dict)
    visible: dict[int, dict[str, Symbol]] = field(default_factory=dict)  # id of a loop -> local names at it
    called: frozenset[str] = frozenset()  # functions that the file does nothing with but call them
    # By names that are called: the function that one always means; None where it may mean something else.
    known: dict[str, c_ast.FuncDef | None] = field(default_factory=dict)
    allocating: set[int] = field(default_factory=set)  # calls of functions of the file that give new memory
    copies: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # id of a node of an inlined copy -> it,
    # and the file's own node (ids are of no use without the nodes)

    def original(self, node: Any) -> Any:
        """The node of the file's text that one is a copy of; itself, where it is none."""
        return self.copies.get(id(node), (node, node))[1]

    def is_static(self, name: str) -> bool:
        """Is a function of the file known to this file alone, by its name?"""
        declaration = self.functions[name].decl
        symbol = self.symbols.get(id(declaration))
        return "static" in declaration.storage or (symbol is not None and symbol.storage == "static")


class Resolver:
    """Walks a whole file once, scope by scope.  `resolution` and `types` hold the result."""

    def __init__(self, *, strict_aliasing: bool = True, doubtful: frozenset[str] = frozenset()) -> None:
        self.types = TypeTable(strict_aliasing=strict_aliasing)
        self._doubtful = doubtful
        self.resolution = Resolution()
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._owner: Any = None
        self._function_name = ""
        self._prototypes: dict[str, list[c_ast.Decl]] = {}  # at file level, of names that nobody used yet
        self._named: list[tuple[str, Symbol]] = []  # calls of malloc, free and the like, with their variables

    def file(self, ast: c_ast.FileAST) -> Resolution:
        for item in ast.ext:
            if isinstance(item, c_ast.FuncDef):
                self._function(item)
            elif _is_prototype(item):
                self._prototypes.setdefault(item.name, []).append(item)
            else:
                self._visit(item)
        for name, symbol in self._named:
            if name in self.resolution.functions:  # a function of the file, that may do anything
                symbol.allocations, symbol.exposed = 0, True
        self.separate(self._doubtful, DOUBTFUL)
        for symbol in set(self.resolution.symbols.values()):
            if symbol.peculiar:
                symbol.ctype = replace(symbol.ctype, volatile=True)
        return self.resolution

    def distrust(self, names: Iterable[str] | None = None) -> None:
        """Code that nobody looks at may do anything with the variables of the file (of these names)."""
        found = self._scopes[0] if names is None else self._scopes[0].keys() & set(names)
        for symbol in map(self._scopes[0].__getitem__, found):
            symbol.exposed = symbol.address_taken = True
            symbol.writes += 1

    def separate(self, names: frozenset[str], why: str = PER_THREAD) -> None:
        """What the names of these variables mean is not known: each access counts, as of volatile ones."""
        for symbol in {s for s in self.resolution.symbols.values() if s.name in names}:
            if symbol.outlives_function and symbol.ctype.kind != "function":
                symbol.ctype, symbol.peculiar = replace(symbol.ctype, volatile=True), why

    def replaceable(self, names: frozenset[str]) -> None:
        """The definitions of these variables may be those of another file."""
        for name in self._scopes[0].keys() & names:
            self._scopes[0][name].replaceable = True

    def symbol(self, node: Any) -> Symbol | None:
        return self.resolution.symbols.get(id(node))

    def _function(self, node: c_ast.FuncDef) -> None:
        self.resolution.functions[node.decl.name] = node
        self._declare(node.decl, "function")
        self._scopes.append({})
        self._owner, self._function_name = node, node.decl.name
        listed = node.decl.type.args.params if node.decl.type.args else []
        for declared in node.param_decls or listed:
            if isinstance(declared, c_ast.Decl):
                self._parameter(declared)
        self._visit(node.body)
        for assignment in taken(node.body):
            self._expose(assignment.lvalue)
        self._owner = None
        self._scopes.pop()

    def _parameter(self, node: c_ast.Decl) -> None:
        self._visit_type(node.type)
        symbol = Symbol(node.name, self.types.parameter(node.type), "parameter", node, scope=self._owner)
        self._bind(node, symbol)

    def _declare(self, node: c_ast.Decl, storage: str | None = None) -> Symbol:
        static, extern = (word in (node.storage or []) for word in ("static", "extern"))
        at_file_level = extern or len(self._scopes) == 1
        scope = self._scopes[0] if at_file_level else self._scopes[-1]
        self._declare_prototypes(node.name)
        ctype = self.types.resolve(node.type)
        symbol = scope.get(node.name) if at_file_level else None
        if symbol is None:
            storage = storage or ("static" if static else "global" if at_file_level else "local")
            symbol = Symbol(node.name, ctype, storage, node, scope=None if at_file_level else self._owner)
            symbol.line = node.coord.line if at_file_level and node.coord else 0
        elif ctype.extent is not None or node.init is not None:
            symbol.ctype, symbol.node = ctype, node
        if is_per_thread(node, len(self._scopes) == 1):
            symbol.peculiar = PER_THREAD
        self._scopes[-1][node.name] = scope[node.name] = symbol
        self.resolution.symbols[id(node)] = symbol
        return symbol

    def _bind(self, node: Any, symbol: Symbol) -> None:
        self._scopes[-1][symbol.name] = symbol
        self.resolution.symbols[id(node)] = symbol

    def _lookup(self, name: str) -> Symbol | None:
        self._declare_prototypes(name)
        return next((s[name] for s in reversed(self._scopes) if name in s), None)

    def _declare_prototypes(self, name: str) -> None:
        """Most are of functions out of headers, which nobody calls: they are declared when they are."""
        if name in self._prototypes:
            inside, self._scopes = self._scopes, self._scopes[:1]
            for node in self._prototypes.pop(name):
                self._declare(node)
            self._scopes = inside

    # Visiting.  `bare` says that the value of the expression itself is used (not subscripted).

    def _visit(self, node: Any, bare: bool = True) -> None:
        handler = getattr(self, f"_visit_{type(node).__name__}", None)
        if handler:
            handler(node, bare)
        elif node is not None:
            for child in node:
                self._visit(child)

    def _visit_Typedef(self, node: c_ast.Typedef, _: bool) -> None:
        plain = isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.IdentifierType)
        if plain and len(self._scopes) == 1:
            self.types.add_later(node)
            return
        self._visit_type(node.type)
        self.types.add_typedef(node)
        if len(self._scopes) > 1:
            self._scopes[-1][node.name] = Symbol(node.name, UNKNOWN, "type", scope=self._owner)

    def _visit_Decl(self, node: c_ast.Decl, _: bool) -> None:
        for alignment in node.align or []:
            self._visit(alignment)
        self._visit_type(node.type)
        if node.name is None:
            self.types.resolve(node.type)
            return
        symbol = self._declare(node)
        if node.init is not None:
            self._visit(node.init)
            self._note_allocation(symbol, node.init)

    def _visit_type(self, node: Any) -> None:
        while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl | c_ast.FuncDecl):
            if isinstance(node, c_ast.ArrayDecl) and isinstance(node.dim, c_ast.Node):
                self._visit(node.dim)
            node = node.type
        if isinstance(node, c_ast.Enum | c_ast.Struct | c_ast.Union):
            self._bind_enumerators(node)
            self.types.resolve(node)

    def _bind_enumerators(self, node: Any) -> None:
        """The constants of enumerations in a type hide variables of their names."""
        for enumeration in walk(node):
            if isinstance(enumeration, c_ast.Enum) and enumeration.values is not None:
                self.types.resolve(enumeration)
                for item in enumeration.values.enumerators:
                    self._scopes[-1][item.name] = Symbol(item.name, INT, "enumerator", scope=self._owner)

    def _visit_FuncDecl(self, node: Any, _: bool) -> None:
        """Parameter names of prototypes are nobody's variables."""

    def _visit_Typename(self, node: Any, _: bool) -> None:
        self._visit_type(node.type)

    def _visit_Compound(self, node: c_ast.Compound, _: bool) -> None:
        self._in_scope(node, node.block_items or [])

    def _visit_For(self, node: c_ast.For, _: bool) -> None:
        self._note_visible(node)
        self._in_scope(node, [node.init, node.cond, node.next, node.stmt])

    def _visit_While(self, node: Any, _: bool) -> None:
        self._note_visible(node)
        self._visit_If(node, False)

    _visit_DoWhile = _visit_While

    def _note_visible(self, loop: Any) -> None:
        scopes = self._scopes[1:]
        self.resolution.visible[id(loop)] = {name: s for scope in scopes for name, s in scope.items()}

    def _visit_If(self, node: Any, _: bool) -> None:
        """A statement with others in it: enumerators of its condition, and of each of those, are its own."""
        with self._scope(self._owner):
            self._visit(node.cond)
            for child in node:
                if child is not node.cond:
                    self._in_scope(self._owner, [child])

    _visit_Switch = _visit_If

    def _in_scope(self, owner: Any, children: list[Any]) -> None:
        with self._scope(owner):
            for child in children:
                self._visit(child)

    @contextmanager
    def _scope(self, owner: Any) -> Iterator[None]:
        self._scopes.append({})
        previous, self._owner = self._owner, owner
        yield
        self._owner = previous
        self._scopes.pop()

    def _visit_ID(self, node: c_ast.ID, bare: bool) -> None:
        symbol = self._lookup(node.name)
        if symbol is None and node.name in self._doubtful:
            symbol = self._scopes[0][node.name] = Symbol(node.name, UNKNOWN, "global", exposed=True)
        if symbol is None or symbol.storage in _NO_VARIABLES:
            if symbol is None and node.name not in self.types.constants and not node.name.startswith("__"):
                self.resolution.undeclared.setdefault(node.name, node)
            return
        self.resolution.symbols[id(node)] = symbol
        if bare and symbol.ctype.kind in ("pointer", "array"):
            symbol.exposed = True

    def _visit_ArrayRef(self, node: c_ast.ArrayRef, bare: bool) -> None:
        self._visit(node.name, bare=False)
        self._visit(node.subscript, bare=not isinstance(node.subscript, c_ast.ID | c_ast.StructRef))
        name, subscript = (
            type_of(n, self.resolution.symbols, self.types).kind in ("pointer", "array")
            for n in (node.name, node.subscript)
        )
        if subscript and not name:  # `i[a]`: from here on, what is subscripted comes first
            node.name, node.subscript = node.subscript, node.name
        self._note_decay(node, bare)

    def _visit_StructRef(self, node: c_ast.StructRef, bare: bool) -> None:
        self._visit(node.name, bare=False)
        self._note_decay(node, bare)

    def _note_decay(self, node: Any, bare: bool) -> None:
        """`p = m[1]`, `p = s.row`: an array inside of an object becomes a pointer."""
        if bare and type_of(node, self.resolution.symbols, self.types).kind in ("array", "unknown"):
            self._expose(node)

    def _expose(self, node: Any) -> None:
        symbol = self.symbol(_root(node))
        if symbol:
            symbol.exposed = True

    def _visit_UnaryOp(self, node: c_ast.UnaryOp, bare: bool) -> None:
        if node.op == "sizeof":
            self._visit_unevaluated(node.expr)
            return
        self._visit(node.expr, bare=node.op != "*")
        if node.op == "*":
            self._note_decay(node, bare)
        elif node.op == "&":
            self._take_address(node.expr)
        elif node.op in ("++", "--", "p++", "p--"):
            self._note_write(node.expr, None)

    def _visit_unevaluated(self, node: Any) -> None:
        if isinstance(node, c_ast.ID):
            self._visit(node, bare=False)
        elif isinstance(node, c_ast.StructRef):
            self._visit_unevaluated(node.name)  # not the member
        elif isinstance(node, c_ast.Typename):
            self._visit(node)
        elif node is not None:
            for child in node:
                self._visit_unevaluated(child)

    def _take_address(self, node: Any) -> None:
        root = _root(node)
        symbol = self.symbol(root)
        if symbol:
            symbol.exposed = True
            symbol.address_taken |= root is node or symbol.ctype.kind not in ("pointer", "array")

    def _visit_Assignment(self, node: c_ast.Assignment, _: bool) -> None:
        self._visit(node.lvalue, bare=node.op != "=")
        self._visit(node.rvalue)
        self._note_write(node.lvalue, node.rvalue)

    def _note_write(self, target: Any, value: Any) -> None:
        symbol = self.symbol(target)
        if symbol:
            symbol.writes += 1
            self._note_allocation(symbol, value)

    def _note_allocation(self, symbol: Symbol, value: Any) -> None:
        while isinstance(value, c_ast.Cast):
            value = value.expr
        symbol.definitions += not (isinstance(value, c_ast.Constant) and value.value == "0")
        name = getattr(value.name, "name", None) if isinstance(value, c_ast.FuncCall) else None
        if name in ALLOCATORS - {"realloc"} and not self._is_variable(name):
            symbol.allocations += 1
            symbol.allocation = value
            self._named.append((name, symbol))

    def _is_variable(self, name: str) -> bool:
        symbol = self._lookup(name)
        return symbol is not None and symbol.ctype.kind != "function"

    def _visit_FuncCall(self, node: c_ast.FuncCall, _: bool) -> None:
        if is_offset(node):
            self._visit(node.args.exprs[0])
            for subscript in subscripts_of(node):
                self._visit(subscript)
            return
        if not isinstance(node.name, c_ast.ID) or self._lookup(node.name.name):
            self._visit(node.name, bare=False)  # old C calls functions that nobody declared
        frees = getattr(node.name, "name", None) == "free" and not self._is_variable("free")
        for argument in node.args.exprs if node.args else []:
            self._visit(argument, bare=not frees)
            freed = self.symbol(_root(argument)) if frees else None
            self._named += [("free", freed)] if freed else []

    def _visit_NamedInitializer(self, node: c_ast.NamedInitializer, _: bool) -> None:
        for designator in node.name:
            if not isinstance(designator, c_ast.ID):  # an identifier here is a member
                self._visit(designator)
        self._visit(node.expr)

    def _visit_Label(self, node: c_ast.Label, _: bool) -> None:
        self.resolution.labelled.add(self._function_name)
        self._visit(node.stmt)
