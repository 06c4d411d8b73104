"""What variables of main hold for a user's arguments: `int n = argc > 1 ? atoi(argv[1]) : 400;`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from models.sizes.amounts import Amounts
from models.sizes.values import changed_by
from species.source.syntax.tree import walk

_READERS = frozenset(
    ("atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod", "strtof")
)


def with_arguments(ast: c_ast.FileAST, arguments: Sequence[str]) -> None:
    """Changes the tree: what main reads from its arguments, and keeps in variables, becomes a number there.

    The statements of main are followed up to where what they do is unknown; `if`s whose conditions are known
    are, too.  What other functions make of argv stays unknown.
    """
    mains = (each for each in ast.ext if isinstance(each, c_ast.FuncDef) and each.decl.name == "main")
    main = next(mains, None)
    if main is None:
        return
    listed = main.decl.type.args.params if main.decl.type.args is not None else []
    names = [each.name for each in listed if getattr(each, "name", None)]
    if len(names) >= 2:
        declared = {each.name: each for each in ast.ext if isinstance(each, c_ast.Decl) and each.name}
        follower = _Follower(names[0], names[1], ["program", *arguments], declared)
        follower.follow(main.body)
        follower.settle()


@dataclass
class _Follower:
    """Follows statements; `values` are the variables that are known, `declared` where they are declared."""

    count: str
    texts: str
    given: Sequence[str]
    declared: dict[str, c_ast.Decl]
    values: dict[str, float] = field(default_factory=dict)

    def follow(self, block: c_ast.Compound) -> None:
        """The statements of a block; those whose effect is noted are taken out of it."""
        block.block_items = [node for node in block.block_items or () if not self._is_noted(node)] or None

    def settle(self) -> None:
        """Write the known values where the variables are declared."""
        for name, value in self.values.items():
            if name in self.declared:
                self.declared[name].init = c_ast.Constant("double", f"{value:.17g}")

    def _is_noted(self, node: c_ast.Node) -> bool:
        """Is all that a statement does to give a variable a value that is known?"""
        match node:
            case c_ast.Compound():
                self.follow(node)
            case c_ast.If():
                self._branch(node)
            case c_ast.Decl(name=str(name)):
                self.declared[name] = node
                self._hold(name, node.init)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
                return self._hold(name, node.rvalue)
            case _:
                self._forget(node)
        return False

    def _branch(self, node: c_ast.If) -> None:
        condition = self._value(node.cond)
        if condition is None:
            self._forget(node)
            return
        taken = node.iftrue if condition else node.iffalse
        block = taken if isinstance(taken, c_ast.Compound) else c_ast.Compound([taken] if taken else [])
        self.follow(block)
        node.iftrue, node.iffalse = (block, None) if condition else (c_ast.EmptyStatement(), block)

    def _hold(self, name: str, node: c_ast.Node | None) -> bool:
        value = self._value(node) if node is not None else None
        if value is None:
            self._forget(node)
            self.values.pop(name, None)
            return False
        self.values[name] = value
        return True

    def _forget(self, node: c_ast.Node | None) -> None:
        """Whatever a statement may change, or gives the address of, is unknown behind it."""
        for part in walk(node) if node is not None else ():
            changed = changed_by(part) if isinstance(part, c_ast.Assignment | c_ast.UnaryOp) else None
            if isinstance(changed, c_ast.ID):
                self.values.pop(changed.name, None)

    def _value(self, node: c_ast.Node) -> float | None:
        """The value of an expression; None where it is unknown."""
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _READERS and node.args is not None:
                return self._argument(node.args.exprs[0])
            case c_ast.Cast():
                return self._value(node.expr)
            case c_ast.TernaryOp():
                condition = self._value(node.cond)
                return None if condition is None else self._value(node.iftrue if condition else node.iffalse)
            case c_ast.BinaryOp():
                left, right = self._value(node.left), self._value(node.right)
                if left is None or right is None:
                    return None
                return _computed(f"({left!r}) {node.op} ({right!r})")
            case c_ast.UnaryOp() if node.op in ("-", "+", "!", "~"):
                value = self._value(node.expr)
                return None if value is None else _computed(f"{node.op}({value!r})")
            case c_ast.Constant() if node.type != "string":
                return _computed(node.value)
            case c_ast.ID():
                return float(len(self.given)) if node.name == self.count else self.values.get(node.name)
        return None

    def _argument(self, node: c_ast.Node) -> float | None:
        """The number that `argv[k]` holds."""
        match node:
            case c_ast.ArrayRef(name=c_ast.ID(name=name)) if name == self.texts:
                place = self._value(node.subscript)
                if place is not None and 0 < place < len(self.given):
                    return _number(self.given[int(place)])
        return None


def _computed(text: str) -> float:
    """The value of an expression over numbers."""
    return Amounts(lambda _: None, 0.0).of(text)


def _number(text: str) -> float | None:
    try:
        return float(int(text, 0))
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None
