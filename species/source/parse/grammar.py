"""The parser: pycparser's, with what GNU C and C23 add to the language, and with recovery inside functions.

What has no meaning that the analysis knows is refused with a ParseError.  In a function, that costs the
smallest statement around it: the tree gets unknown code in its place (`species.source.parse.unknown`).
What the additions become in the tree:

    a ?: b                    a ? a : b, if evaluating `a` twice makes no difference; else unknown code
    case 1 ... 9:             a case with an unknown value
    typeof(x) y;              a type, of which something is known if `x` is a variable or a type
    &&label, goto *p;         an unknown value; jumps to all labels of the function, perhaps
    { [1 ... 9] = x }         an initialiser of the first element
    { name: x }               { .name = x }
    [[attributes]]            nothing
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import ParseError

from species.source.parse.dialect import VECTOR
from species.source.parse.guessing import BEFORE_TYPE, GuessingParser
from species.source.parse.old_style import declare_parameters
from species.source.parse.unknown import Region, contained, whether

_SPELLINGS = {
    **dict.fromkeys(("typeof", "__typeof", "__typeof__"), "TYPEOF"),
    "typeof_unqual": "TYPEOF_UNQUAL",
    "__typeof_unqual__": "TYPEOF_UNQUAL",
    "__auto_type": "__AUTO_TYPE",
    "_BitInt": "_BITINT",
    "_Decimal32": "_DECIMAL32",
    "_Decimal64": "_DECIMAL64",
    "_Decimal128": "_DECIMAL128",
    "__real__": "__PART",
    "__imag__": "__PART",
    "__real": "__PART",
    "__imag": "__PART",
    VECTOR: "__VECTOR",
}
_MATTERING = frozenset(
    f"{before}{name}{before}"
    for name in ("vector_size", "alias", "weakref", "ifunc", "cleanup", "mode", "transparent_union")
    for before in ("", "__")
)
_NO_NAME = "__"  # nobody declares it, so nobody takes it for a number
NO_TYPE = "__unknown_type"  # of which nothing is known: it may be an array, or volatile


class _WholeFunctionError(ParseError):  # type: ignore[misc]
    """What costs the function: a statement cannot be left out."""


@dataclass(frozen=True)
class LostStatement:
    """Where unknown code stands in for a statement of a function, and why; what is named in it."""

    line: int
    column: int
    message: str
    function: str
    names: frozenset[str]


class _Lexer(CLexer):  # type: ignore[misc]
    def __init__(self, error_func: Any, *, dialect: Any = "legacy") -> None:
        super().__init__(error_func, dialect=dialect)
        self._keyword_map.update(_SPELLINGS)


class GnuParser(GuessingParser):
    """One parse of one text; `lost` and `named` speak of the last one.

    `modern`: are C23's words keywords?  With `guessing`, a name that nobody declares is one of a type where
    a declaration has its form: `name x`, `name *x;`, `(name *)` and `(name)x`.  Nothing is known of types in
    `unclear`.
    """

    _dialect: str

    def __init__(self, *, modern: bool = False, guessing: bool = False) -> None:
        super().__init__(guessing, lexer=_Lexer, dialect="c23" if modern else "legacy")
        self._declared: list[dict[str, Any]] = [{}]  # the declarations of variables, scope by scope
        self._function = ""
        self._parameters: dict[str, Any] = {}  # the types of those of the function that is being read
        self._is_vector = False  # is the type that is being read one of vectors?
        self._known: dict[str, bool] = {}  # the names outside of functions: is each a type?
        self.lost: list[LostStatement] = []

    def go_on_from(self, other: GnuParser) -> None:
        """Knows what another one has read, which stays as it is."""
        self._known, self._declared = other._known, [dict(other._declared[0])]
        self.unclear = set(other.unclear)

    def parse_more(self, text: str) -> c_ast.FileAST:
        """The tree of declarations that follow those that have been read; raises ParseError."""
        return self.parse(text, "")

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """What is read inside knows what has been read before; nothing stays of it where it fails."""
        self.lost, self._function, self._declared = [], "", self._declared[:1]
        self._completed = False
        yield
        if self._completed:
            self._known = self._scope_stack[0]

    def _parse_translation_unit(self) -> list[c_ast.Node]:
        self._scope_stack = [dict(self._known) | {NO_TYPE: True}]
        self._typedef_checked_token = None  # the first one has been looked at, knowing no types
        found: list[c_ast.Node] = super()._parse_translation_unit()
        self._completed = True
        return found

    # Scopes

    def _push_scope(self) -> None:
        super()._push_scope()
        self._declared.append({})

    def _pop_scope(self) -> None:
        super()._pop_scope()
        self._declared.pop()

    def _add_identifier(self, name: str, coord: Any) -> None:
        super()._add_identifier(name, coord)
        self._declared[-1][name] = self._parameters.get(name)

    def _build_declarations(self, *args: Any, **named: Any) -> list[c_ast.Node]:
        found: list[c_ast.Node] = super()._build_declarations(*args, **named)
        if named.get("typedef_namespace"):  # else they are members, or parameters
            self._declared[-1].update({d.name: d.type for d in found if isinstance(d, c_ast.Decl)})
        return found

    # Attributes of C23

    def _parse_attribute_specifier_sequence(self) -> list[Any]:
        while self._accept("__VECTOR"):
            self._is_vector = True
        if self._peek_type() != "ATTRIBUTE_BEGIN":
            return []
        dialect, self._dialect = self._dialect, "c23"
        try:
            groups: list[Any] = super()._parse_attribute_specifier_sequence()
        finally:
            self._dialect = dialect
        for attribute in (a for group in groups for a in group.attributes):
            if attribute.name in _MATTERING:
                self._parse_error(f"the attribute {attribute.name}", attribute.coord)
        return groups

    def _attribute_declarations(self, nodes: list[c_ast.Node], _: Any) -> list[c_ast.Node]:
        return nodes

    def _attribute_statement(self, stmt: c_ast.Node, _: Any) -> c_ast.Node:
        return stmt

    def _attach_type_attributes(self, decl: Any, _: Any) -> Any:
        return decl

    # Declarations

    def _parse_external_declaration(self) -> list[c_ast.Node]:
        tok = self._peek()
        if tok is None or tok.type not in ("ID", "TIMES", "LPAREN") or self._guesses_type():
            found: list[c_ast.Node] = super()._parse_external_declaration()
            return [node for node in found if not isinstance(node, c_ast.AttributeDeclaration)]
        return self._without_type()

    def _without_type(self) -> list[c_ast.Node]:
        """`f(a) char *a; { ... }`, `f();` and `x, *y = 0;`: in C89, what has no type is an `int`."""
        decl = self._parse_id_declarator()
        spec = self._add_declaration_specifier(None, c_ast.IdentifierType(["int"], decl.coord), "type")
        if isinstance(decl, c_ast.FuncDecl) and (self._peek_type() == "LBRACE" or self._starts_declaration()):
            return [self._parse_function_definition(spec, decl)]
        first = {"decl": decl}
        if self._accept("EQUALS"):
            first["init"] = self._parse_initializer()
        infos = self._parse_init_declarator_list(first=first)
        decls = self._build_declarations(spec=spec, decls=infos, typedef_namespace=True)
        return self._parse_declaration_end(decls)  # type: ignore[no-any-return]

    def _fix_decl_name_type(self, decl: Any, typename: list[Any]) -> Any:
        if self._is_vector:
            typename = [c_ast.IdentifierType([NO_TYPE], decl.coord)]
        self.unclear.update(t.names[0] for t in typename if getattr(t, "names", None) == [NO_TYPE])
        if not typename:
            typename = [c_ast.IdentifierType(["int"], decl.coord)]
        return super()._fix_decl_name_type(decl, typename)

    def _parse_function_definition(self, spec: Any, decl: c_ast.Node) -> c_ast.Node:
        before, known = self._function, len(self.lost)
        self._function = _declared_name(decl)
        self._parameters = _parameter_types(decl)
        try:
            function = super()._parse_function_definition(spec, decl)
        except ParseError:
            del self.lost[known:]
            raise
        finally:
            self._function = before
        declare_parameters(function)
        _spread_jumps(function)
        return function

    def _parse_specifiers(self, *, allow_storage_and_function: bool) -> Any:
        self._guess_behind(BEFORE_TYPE)
        self._is_vector = False
        self._parse_attribute_specifier_sequence()
        if self._peek_type() == "__AUTO_TYPE":
            return self._auto_type(None)
        before = self._is_vector
        found = super()._parse_specifiers(allow_storage_and_function=allow_storage_and_function)
        self._is_vector = before
        self._parse_attribute_specifier_sequence()
        return self._auto_type(found[0]) if self._peek_type() == "__AUTO_TYPE" else found

    def _auto_type(self, spec: Any) -> Any:
        coord = self._tok_coord(self._advance())
        spec = self._add_declaration_specifier(spec, c_ast.IdentifierType([NO_TYPE], coord), "type")
        return spec, True, coord

    def _starts_declaration(self, tok: Any = None) -> bool:
        tok = tok or self._peek()
        if tok is not None and tok.type in ("__AUTO_TYPE", "__VECTOR"):
            return True
        return bool(super()._starts_declaration(tok))

    def _parse_auto_declaration(self, spec: Any) -> list[c_ast.Node]:
        found: list[c_ast.Node] = super()._parse_auto_declaration(spec)
        for node in found:
            node.type.type = c_ast.IdentifierType([NO_TYPE], node.coord)
            node.storage = [word for word in node.storage if word != "auto"]
        return found

    def _parse_typeof_specifier(self) -> Any:
        tok = self._advance()
        self._expect("LPAREN")
        coord = self._tok_coord(tok)
        named = self._parse_type_name() if self._starts_declaration() else self._parse_expression()
        self._expect("RPAREN")
        if _acts(named, but=(c_ast.FuncCall,)):
            self._parse_error("typeof something with side effects", coord)
        return _type_of(named, self._declared) or c_ast.IdentifierType([NO_TYPE], coord)

    def _parse_enum_type_specifier(self) -> c_ast.Typename:
        dialect, self._dialect = self._dialect, "c23"
        try:
            return super()._parse_enum_type_specifier()
        finally:
            self._dialect = dialect

    def _parse_designation(self) -> list[c_ast.Node]:
        designators = self._parse_designator_list()
        self._accept("EQUALS")  # which old GNU C does without: `[1] x`
        return designators  # type: ignore[no-any-return]

    def _parse_designator(self) -> c_ast.Node:
        if self._peek_type() != "LBRACKET":
            return super()._parse_designator()
        coord = self._tok_coord(self._advance())
        first = self._parse_constant_expression()
        if self._accept("ELLIPSIS"):
            first = c_ast.ExprList([first, self._parse_constant_expression()], coord)
        self._expect("RBRACKET")
        return c_ast.ArrayDesignator(first, coord)

    def _parse_initializer_item(self) -> c_ast.Node:
        if self._peek_type() in ("ID", "TYPEID") and self._peek_type(2) == "COLON":
            name = self._parse_identifier_or_typeid()
            self._advance()
            return c_ast.NamedInitializer([name], self._parse_initializer())
        return super()._parse_initializer_item()

    # Statements

    def _parse_statement(self) -> c_ast.Node:
        start, depth = self._mark(), len(self._scope_stack)
        try:
            return self._plain_statement()
        except _WholeFunctionError:
            raise
        except ParseError as error:
            del self._scope_stack[depth:], self._declared[depth:]
            self._reset(start)
            return self._unknown(error)

    def _plain_statement(self) -> c_ast.Node:
        if self._peek_type() == "ATTRIBUTE_BEGIN":
            self._parse_attribute_specifier_sequence()
            return self._plain_statement()
        if self._peek_type() == "FOR":
            self._guess_behind(("FOR", "LPAREN", "CONST", "REGISTER"))
        if self._peek_type() == "GOTO" and self._peek_type(2) == "TIMES":
            return self._computed_goto()
        if self._peek_type() == "TYPEID" and self._peek_type(2) == "COLON":
            name = self._advance()
            self._expect("COLON")
            body = self._parse_statement() if self._starts_statement() else c_ast.EmptyStatement()
            return c_ast.Label(name.value, body, self._tok_coord(name))
        return super()._parse_statement()

    def _parse_block_item(self) -> Any:
        if self._peek_type() == "ID" and self._peek().value == "__label__":
            while self._advance().type != "SEMI":
                pass
            return [None]
        if self._peek_type() in ("TYPEID", "_STATIC_ASSERT") and self._peek_type(2) == "COLON":
            return self._parse_statement()
        if self._peek_type() == "ATTRIBUTE_BEGIN":
            self._parse_attribute_specifier_sequence()
        self._guesses_type()
        return super()._parse_block_item()

    def _parse_labeled_statement(self) -> c_ast.Node:
        if self._peek_type() != "CASE":
            return super()._parse_labeled_statement()
        coord = self._tok_coord(self._advance())
        value: c_ast.Node = self._parse_constant_expression()
        if self._accept("ELLIPSIS"):
            self._parse_constant_expression()
            value = c_ast.ID(_NO_NAME, coord)
        self._expect("COLON")
        starts = self._starts_statement()
        body = self._parse_pragmacomp_or_statement() if starts else c_ast.EmptyStatement(coord)
        return c_ast.Case(value, [body], coord)

    def _computed_goto(self) -> c_ast.Node:
        coord = self._tok_coord(self._advance())
        self._advance()
        place = self._parse_expression()
        self._expect("SEMI")
        return c_ast.Compound([place, c_ast.Goto("", coord)], coord)

    def _unknown(self, error: ParseError) -> c_ast.Node:
        """Unknown code in place of the statement that begins here; raises where that cannot be."""
        tokens: list[Any] = []
        depth = 0
        while (tok := self._peek(len(tokens) + 1)) is not None:
            depth += (tok.type == "LBRACE") - (tok.type == "RBRACE")
            if depth < 0:
                break
            tokens.append(tok)
        region = Region.of([tok.value for tok in tokens])
        if region is None:
            raise error
        if region.has_labels:
            raise _WholeFunctionError(str(error)) from error
        for _ in range(region.length):
            self._advance()
        visible = {name for scope in self._scope_stack[1:] for name, is_type in scope.items() if not is_type}
        message = str(error).rpartition(": ")[2]
        first = tokens[0]
        self.lost.append(LostStatement(first.lineno, first.column, message, self._function, region.names))
        return region.code(visible, self._tok_coord(first))

    # Expressions

    def _parse_conditional_expression(self) -> c_ast.Node:
        expr = self._parse_binary_expression()
        if self._peek_type() != "CONDOP":
            return expr
        coord = self._tok_coord(self._advance())
        if self._peek_type() == "COLON":
            if _acts(expr):
                self._parse_error("`?:` behind something with side effects", coord)
            chosen = copy.deepcopy(expr)
        else:
            chosen = self._parse_expression()
        self._expect("COLON")
        return c_ast.TernaryOp(expr, chosen, self._parse_conditional_expression(), expr.coord)

    def _parse_unary_expression(self) -> c_ast.Node:
        kind = self._peek_type()
        if kind == "LAND":  # the address of a label
            coord = self._tok_coord(self._advance())
            self._parse_identifier_or_typeid()
            return c_ast.ID(_NO_NAME, coord)
        if kind == "__PART":
            tok = self._advance()
            self._parse_error(f"the operator {tok.value}", self._tok_coord(tok))
        if kind == "_ALIGNOF" and self._peek_type(2) is not None:
            return self._alignof()
        return super()._parse_unary_expression()

    def _alignof(self) -> c_ast.Node:
        tok = self._advance()
        named = self._try_parse_paren_type_name()
        operand = named[0] if named is not None else self._parse_unary_expression()
        return c_ast.UnaryOp("_Alignof", operand, self._tok_coord(tok))

    def _starts_expression(self, tok: Any = None) -> bool:
        tok = tok or self._peek()
        if tok is not None and tok.type in ("LAND", "__PART"):
            return True
        return bool(super()._starts_expression(tok))

    def _parse_argument_expression_list(self) -> c_ast.Node:
        exprs = [self._argument()]
        while self._accept("COMMA"):
            exprs.append(self._argument())
        return c_ast.ExprList(exprs, exprs[0].coord)

    def _argument(self) -> c_ast.Node:
        """An argument; a type is one of some built-in functions."""
        return self._parse_type_name() if self._starts_declaration() else self._parse_assignment_expression()


def _declared_name(decl: Any) -> str:
    while not isinstance(decl, c_ast.TypeDecl):
        decl = decl.type
    return decl.declname or ""


def _parameter_types(decl: Any) -> dict[str, Any]:
    parameters = getattr(decl.args, "params", None) or [] if isinstance(decl, c_ast.FuncDecl) else []
    return {p.name: p.type for p in parameters if isinstance(p, c_ast.Decl)}


def _acts(expr: c_ast.Node, but: tuple[type, ...] = ()) -> bool:
    """May evaluating it do something, besides giving a value?"""
    kinds = (c_ast.FuncCall, c_ast.Assignment, c_ast.Compound)
    if contained(expr, tuple(kind for kind in kinds if kind not in but)):
        return True
    return bool(contained(expr, (c_ast.UnaryOp,), lambda node: node.op in ("++", "--", "p++", "p--")))


def _type_of(named: Any, scopes: list[dict[str, Any]]) -> Any:
    """The type that a type name or a variable has, as a node; None: not known."""
    if isinstance(named, c_ast.Typename):
        return named
    if isinstance(named, c_ast.ID):
        declared = next((scope[named.name] for scope in reversed(scopes) if named.name in scope), None)
        kinds = (c_ast.TypeDecl, c_ast.PtrDecl)
        return c_ast.Typename(None, [], None, declared, named.coord) if isinstance(declared, kinds) else None
    return None


def _spread_jumps(function: c_ast.FuncDef) -> None:
    """`goto *p` may go to every label of the function."""
    if not contained(function.body, (c_ast.Goto,), lambda node: node.name == ""):
        return
    labels = [label.name for label in contained(function.body, (c_ast.Label,))]
    for block in contained(function.body, (c_ast.Compound,)):
        last = block.block_items[-1] if block.block_items else None
        if isinstance(last, c_ast.Goto) and last.name == "":
            block.block_items[-1:] = [whether(c_ast.Goto(name, last.coord), last.coord) for name in labels]
