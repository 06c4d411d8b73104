"""A parser that takes names which nobody declares for those of types where a declaration has its form.

name x;   static const name *x;   f(name *x)   (name *)p   (name)p   for (name x = 0; ...)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import CParser

BEFORE_TYPE = ("CONST", "VOLATILE", "STATIC", "EXTERN", "TYPEDEF", "REGISTER", "INLINE")
_BEHIND_DECLARED = ("SEMI", "COMMA", "EQUALS", "RPAREN", "LBRACKET", "LPAREN", "COLON")
_BEHIND_CAST = ("ID", "INT_CONST_DEC", "INT_CONST_HEX", "INT_CONST_OCT", "FLOAT_CONST", "STRING_LITERAL")


class GuessingParser(CParser):  # type: ignore[misc]
    """Guesses if it is told to; nothing is known of the types in `unclear`."""

    _scope_stack: list[dict[str, bool]]

    def __init__(self, guessing: bool, **options: Any) -> None:
        super().__init__(**options)
        self._guessing = guessing
        self.unclear: set[str] = set()

    def _guesses_type(self, *, of_parameter: bool = False) -> bool:
        """Does a declaration begin here with a name that nobody declares?"""
        name, at = self._undeclared(1), 2
        while name and self._peek_type(at) in ("TIMES", "CONST", "VOLATILE", "RESTRICT"):
            at += 1
        declared = self._peek(at)
        if not name or declared is None or declared.type != "ID":
            return False
        local = not of_parameter and any(declared.value in scope for scope in self._scope_stack[1:])
        return not local and self._peek_type(at + 1) in _BEHIND_DECLARED and self._guess(name)

    def _undeclared(self, at: int) -> str:
        tok = self._peek(at) if self._guessing else None
        if tok is None or tok.type != "ID" or any(tok.value in scope for scope in self._scope_stack):
            return ""
        return str(tok.value)

    def _guess(self, name: str) -> bool:
        self._scope_stack[0][name] = True
        self._typedef_checked_token = None
        self.unclear.add(name)
        return True

    def _try_parse_paren_type_name(self) -> Any:
        if self._guessing and self._peek_type() == "LPAREN" and (name := self._undeclared(2)):
            at = 3
            while self._peek_type(at) == "TIMES":
                at += 1
            if self._peek_type(at) == "RPAREN" and (at > 3 or self._peek_type(4) in _BEHIND_CAST):
                self._guess(name)
        return super()._try_parse_paren_type_name()

    def _parse_declaration_list(self) -> list[c_ast.Node]:
        self._guess_behind(BEFORE_TYPE, of_parameter=True)
        found: list[c_ast.Node] = []
        while self._starts_declaration():
            found += self._parse_declaration()
            found += self._parse_pppragma_directive_list()
            self._guess_behind(BEFORE_TYPE, of_parameter=True)
        return found

    def _guess_behind(self, words: Sequence[str], *, of_parameter: bool = False) -> None:
        """`static const name x`"""
        if not self._guessing:
            return
        mark = self._mark()
        while self._peek_type() in words:
            self._advance()
        self._guesses_type(of_parameter=of_parameter)
        self._reset(mark)

    def _parse_function_decl(self, base_decl: c_ast.Node) -> c_ast.Node:
        self._guess_behind(("LPAREN", *BEFORE_TYPE))
        return super()._parse_function_decl(base_decl)
