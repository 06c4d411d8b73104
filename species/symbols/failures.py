"""Branches in which a program ends because there is no memory left: `if (p == NULL) { perror(p); exit(1); }`.

Where an allocation fails depends on everything else that runs on the machine, so that nothing is lost when
another one of a loop's allocations is the first to fail: what these branches do has no order that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.effect_table import Effect
from species.symbols.update_idioms import mentions, same

_LEAVING = ("longjmp", "_longjmp", "siglongjmp")  # they do not end the program
_CALM = ("pure", "errno", "reading", "output", "state")
# With them, it does not end as it stands there, or is come to in another way.
_ELSEWHERE = (
    *(c_ast.Return, c_ast.Goto, c_ast.Break, c_ast.Continue, c_ast.Label, c_ast.Case, c_ast.Default),
    *(c_ast.For, c_ast.While, c_ast.DoWhile),
)
_STEPS = ("++", "--", "p++", "p--")
_Kind = Callable[[c_ast.FuncCall], Effect]


class Failures:
    """The calls in such branches of a file's functions."""

    def __init__(
        self,
        functions: Mapping[str, c_ast.FuncDef],
        called: Callable[[c_ast.FuncCall], str | None],
        library: _Kind,
        handed_back: Callable[[str], int | None],
        members: Callable[[c_ast.Decl], list[str]],
        *,
        error_order: bool = True,
    ) -> None:
        """`called` gives the function of the file that a call surely executes, `library` the effect of the
        other calls; `handed_back` the parameter that a function, which is only ever called, returns as it was
        given; `members` the names of those of a variable that is a structure.

        Without `error_order`, all branches in which the program ends are taken for such ones: of the errors
        that iterations find, any may be told.
        """
        self._functions, self._called, self._library = functions, called, library
        self._handed_back, self._members = handed_back, members
        self._all = not error_order
        self._ending: dict[str, bool] = {}

    def holds(self, call: c_ast.FuncCall) -> bool:
        """Does the call stand in such a branch?"""
        return id(call) in self._calls

    @cached_property
    def _calls(self) -> frozenset[int]:
        bodies = (node for function in self._functions.values() for node in walk(function.body))
        if self._all:
            either = (
                part for node in bodies if isinstance(node, c_ast.If) for part in (node.iftrue, node.iffalse)
            )
            branches = (branch for branch in either if branch is not None and self._ends(branch))
        else:
            blocks = (node for node in bodies if isinstance(node, c_ast.Compound))
            checked = self._checked()
            branches = (
                branch
                for block in blocks
                for branch in self._branches(block.block_items or (), checked.get(id(block)))
            )
        return frozenset(id(n) for branch in branches for n in walk(branch) if isinstance(n, c_ast.FuncCall))

    def _checked(self) -> dict[int, Any]:
        """The parameters that only ever are new memory, which their functions hand back, by the bodies."""
        nodes = (node for function in self._functions.values() for node in walk(function.body))
        calls = [node for node in nodes if isinstance(node, c_ast.FuncCall)]
        found = {}
        for name, function in self._functions.items():
            position = self._handed_back(name)
            if position is None:
                continue
            given = (call.args for call in calls if self._called(call) == name)
            listed = [arguments.exprs if arguments else [] for arguments in given]
            if all(position < len(each) and self._is_new(each[position]) for each in listed):
                found[id(function.body)] = c_ast.ID(function.decl.type.args.params[position].name)
        return found

    def _branches(self, items: Any, checked: Any) -> Iterator[Any]:
        """The branches of one block: tests of what was allocated just before, or of what is `checked`."""
        fresh: list[Any] = [checked] if checked is not None else []
        for item in items:
            if isinstance(item, c_ast.If):
                usable = self._beside(item.cond, fresh)
                if item.iffalse is None and self._fails(item.cond, usable) and self._ends(item.iftrue):
                    yield item.iftrue
                    set_ = [n.lvalue for n in walk(item.cond) if isinstance(n, c_ast.Assignment)]
                    fresh = [*usable, *filter(self._is_plain, set_)]
                    continue
            fresh = self._behind(item, fresh)

    def _beside(self, test: Any, fresh: list[Any]) -> list[Any]:
        """The lvalues that a condition does not change: `(p = malloc(n)) == NULL || q == NULL`."""
        names = [n.lvalue.name for n in walk(test) if isinstance(n, c_ast.Assignment) and _is_name(n.lvalue)]
        return [each for each in fresh if not any(mentions(each, name) for name in names)]

    def _behind(self, item: Any, fresh: list[Any]) -> list[Any]:
        """The lvalues that hold new memory behind a statement; those that it may change are left out."""
        if isinstance(item, c_ast.Decl):
            kept = [each for each in fresh if not mentions(each, item.name)]
            if item.init is not None and self._is_new(item.init):
                return [*kept, c_ast.ID(item.name)]
            if isinstance(item.init, c_ast.InitList):
                return [*(kept if not self._changes(item) else []), *self._new_members(item)]
            return [] if self._changes(item) else kept
        if (
            not self._is_new(item)
            or not isinstance(item, c_ast.Assignment)
            or not self._is_plain(item.lvalue)
        ):
            return []
        name = item.lvalue.name if _is_name(item.lvalue) else ""
        return [*(each for each in fresh if not mentions(each, name)), item.lvalue]

    def _new_members(self, variable: c_ast.Decl) -> Iterator[Any]:
        """The members of a structure that are set to new memory where it is declared."""
        names = self._members(variable)
        for position, value in enumerate(variable.init.exprs):
            if isinstance(value, c_ast.NamedInitializer):
                named = [part.name for part in value.name if _is_name(part)]
                name, value, names = named[0] if len(named) == len(value.name) == 1 else "", value.expr, []
            else:
                name = names[position] if position < len(names) else ""
            if name and self._is_new(value):
                yield c_ast.StructRef(c_ast.ID(variable.name), ".", c_ast.ID(name))

    def _is_plain(self, lvalue: Any) -> bool:
        """Does it mean the same each time that it is evaluated?"""
        return not self._changes(lvalue)

    def _is_new(self, value: Any) -> bool:
        """Is it a call that allocates, or the assignment of one?"""
        value = _bare(value)
        if isinstance(value, c_ast.Assignment):
            return value.op == "=" and self._is_new(value.rvalue)
        if not isinstance(value, c_ast.FuncCall) or self._kind(value) != "allocation":
            return False
        return value.args is None or not self._changes(value.args)

    def _changes(self, node: Any) -> bool:
        """May evaluating it change a variable?"""
        for part in walk(node):
            is_step = isinstance(part, c_ast.UnaryOp) and part.op in _STEPS
            calls = isinstance(part, c_ast.FuncCall) and self._kind(part) not in ("pure", "reading")
            if is_step or calls or isinstance(part, c_ast.Assignment):
                return True
        return False

    def _fails(self, test: Any, fresh: list[Any]) -> bool:
        """Does a condition hold only where one of some allocations failed?"""
        match test:
            case c_ast.BinaryOp(op="||"):
                return self._fails(test.left, fresh) and self._fails(test.right, fresh)
            case c_ast.UnaryOp(op="!"):
                return self._is_failed(test.expr, fresh)
            case c_ast.BinaryOp(op="=="):
                left, right = test.left, test.right
                sides = ((left, right), (right, left))
                return any(_is_null(b) and self._is_failed(a, fresh) for a, b in sides)
        return False

    def _is_failed(self, node: Any, fresh: list[Any]) -> bool:
        """Is it what an allocation has given, or the assignment of one?"""
        if isinstance(node, c_ast.Assignment):
            return self._is_new(node)
        return any(same(node, each) for each in fresh)

    def _ends(self, branch: Any) -> bool:
        """Does the program end there, with words at most?"""
        calls = [node for node in walk(branch) if isinstance(node, c_ast.FuncCall)]
        last = _last(branch)
        if any(isinstance(node, _ELSEWHERE) for node in walk(branch)):
            return False
        return isinstance(last, c_ast.FuncCall) and self._is_end(last) and all(map(self._is_calm, calls))

    def _is_calm(self, call: c_ast.FuncCall) -> bool:
        return self._is_end(call) or self._kind(call) in _CALM

    def _is_end(self, call: c_ast.FuncCall) -> bool:
        own = self._called(call)
        if own is not None:
            return self._never_returns(own)
        return self._kind(call) == "exit" and getattr(call.name, "name", None) not in _LEAVING

    def _never_returns(self, name: str) -> bool:
        """Does a function of the file print something, and end the program?"""
        if name not in self._ending:
            self._ending[name] = False  # the answer for recursion
            body = self._functions[name].body
            self._ending[name] = self._ends(body)
        return self._ending[name]

    def _kind(self, call: c_ast.FuncCall) -> str:
        return "unknown" if self._called(call) is not None else self._library(call).kind


def _bare(value: Any) -> Any:
    """A pointer without the casts to pointers around it."""
    while isinstance(value, c_ast.Cast) and isinstance(value.to_type.type, c_ast.PtrDecl):
        value = value.expr
    return value


def _is_null(node: Any) -> bool:
    node = _bare(node)
    return isinstance(node, c_ast.Constant) and node.value == "0"


def _is_name(node: Any) -> bool:
    return isinstance(node, c_ast.ID)


def _last(branch: Any) -> Any:
    """What is executed last in a statement."""
    while isinstance(branch, c_ast.Compound | c_ast.ExprList):
        parts = branch.block_items if isinstance(branch, c_ast.Compound) else branch.exprs
        if not parts:
            return None
        branch = parts[-1]
    return branch
