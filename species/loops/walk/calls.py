"""Calls: the bodies of the file's own functions are walked in place, other functions are known by a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.expressions import NOTHING, Evaluated
from species.loops.inlining import Inliner, returned
from species.loops.model import Call, Inlining, Loop, Obstacle, Place, Pointer
from species.loops.modified import Modified, is_object
from species.loops.walk.frames import Frame
from species.loops.walk.memory import Memory
from species.loops.walk.spans import Count, count_of, structure_around
from species.sets.affine import Affine, constant
from species.sets.conditions import Compare, Condition, Unknown
from species.source.syntax.tree import walk
from species.symbols.effect_table import UNKNOWN as UNKNOWN_EFFECT
from species.symbols.effect_table import Effect, Touched
from species.symbols.effects import arguments_of, is_tame, points_nowhere, touched_arguments
from species.symbols.summaries import names_pointer
from species.symbols.symbols import ALLOCATORS, Symbol, is_offset, subscripts_of
from species.symbols.types import CHAR, DOUBLE, INT, LONG, SIZE, UNKNOWN, CType

_Width = tuple[str, bool, int]
_RESULTS = {"double": DOUBLE, "float": CType("float", "float", 32), "int": INT, "long": LONG, "size": SIZE}


class Calls(Memory):
    """What a call reads, writes and gives back."""

    inliner: Inliner
    _frames: tuple[Frame, ...] = ()

    @abstractmethod
    def statement(self, node: Any) -> Condition | None:
        """Walks a statement: the condition under which control goes on after it, None if it never does."""

    @abstractmethod
    def jumping_in(self, inlining: Inlining) -> AbstractContextManager[None]:
        """Within the block, jumps are those of the callee's body."""

    @abstractmethod
    def read_ahead(self, node: Any) -> None:
        """Gives names to the values that conditions and addresses inside will read, while still unchanged."""

    @abstractmethod
    def read_lengths(self, declarator: Any) -> None:
        """Evaluates the lengths of arrays in a type, and keeps them."""

    def call(self, node: c_ast.FuncCall) -> Evaluated:
        if is_offset(node):
            for subscript in subscripts_of(node):
                self.evaluate(subscript)
            return Evaluated(self.fresh("offsetof", SIZE, "a size"), SIZE)
        if names_pointer(node, self.resolution.symbols):
            self.evaluate(node.name)
        arguments = [self.evaluate(a) for a in arguments_of(node)]
        if not self.quiet and getattr(node.name, "name", None) in ALLOCATORS:
            self.given[id(node)] = [a.value for a in arguments]
        effect = self._certain(self.effects.of(node), node)
        if self.effects.summaries.called(node) is not None:
            return self._own(node, effect, arguments)
        targets = self.inliner.calls_by_name(node) if effect.kind == "unknown" else ()
        if targets:
            return self._one_of(node, targets, arguments)
        return self._foreign(node, effect, arguments)

    def _one_of(
        self, node: c_ast.FuncCall, targets: tuple[c_ast.FuncCall, ...], arguments: list[Evaluated]
    ) -> Evaluated:
        """A call by a pointer that leads to one of a few functions."""
        if len(targets) == 1:
            return self._own(targets[0], self._certain(self.effects.of(targets[0]), targets[0]), arguments)
        for each in targets:
            self._read_ahead_of(each, arguments)
        before, results = self.env.copy(), []
        for each in targets:
            self.env = before.copy()
            with self.branch(Unknown("the function that is called")):
                results.append(self._own(each, self._certain(self.effects.of(each), each), arguments))
        self.env = before
        self._forget(self.scanner.modified(node))
        return Evaluated(None, results[0].ctype)

    def _read_ahead_of(self, node: c_ast.FuncCall, arguments: list[Evaluated]) -> None:
        """Names what a function of the file reads, so that all that may be called read the same values."""
        inlining = self.inliner.inlining(node, self.inlining, self.loop_numbers[0] if self.loops else 0)
        if inlining is None or not self._accepts(inlining, arguments):
            return
        with self.quietly(), self._in_callee(inlining, arguments):
            self.read_ahead(inlining.body)
        self.env.end_of(inlining.variables)

    def renew(self, symbol: Symbol) -> None:
        """Nothing is known of the parts of a variable, a structure or an array, which is another one now."""
        self.env.forget_where(lambda key: isinstance(key, Place) and key.symbol is symbol, self.loop_set)

    def _forget(self, modified: Modified) -> None:
        """The variables and places that the code may change are unknown now."""
        self.env.forget_where(modified.may_change, self.loop_set, modified.only_by_pointer)
        for symbol in modified.symbols:
            self.env.forget(symbol, self.loop_set)

    # Functions of the file

    def _own(self, node: c_ast.FuncCall, effect: Effect, arguments: list[Evaluated]) -> Evaluated:
        result = self._result_type(node, effect)
        told = result.kind in ("int", "pointer", "struct")
        if effect.is_plain and (not told or _has_loop(self._body_of(node))):
            return Evaluated(None, result)
        skipped = not effect.is_plain and (self.quiet or not self.loops)
        if skipped and not self.ahead:
            self._forget(self.scanner.modified(node))
            return Evaluated(None, result)
        inlining = self.inliner.inlining(node, self.inlining, self.loop_numbers[0] if self.loops else 0)
        if inlining is None or not self._accepts(inlining, arguments):
            return self._foreign(node, effect, arguments)
        if skipped and _has_loop(self._body_of(node)):
            with self._in_callee(inlining, arguments):
                self.read_ahead(inlining.body)
            self._forget(self.scanner.modified(node))
            return Evaluated(None, result)
        with self.quietly() if effect.is_plain else nullcontext():
            frame = self._walk(inlining, arguments)
        self.conditions += frame.learnt
        return frame.result

    def choice(self, node: Any, other: Any) -> c_ast.TernaryOp | None:
        """The `c ? a : b` that an expression is, or that a function like `min` gives back for it.

        It is compared with `other`; None where a branch compares otherwise if it stands alone.
        The parameters of the function are set; what it compares is to be read in place of the call.
        """
        if isinstance(node, c_ast.TernaryOp):
            first, second = self._types_of(node)
            return node if first == second or self._are_alike(node.iftrue, node.iffalse, other) else None
        if not isinstance(node, c_ast.FuncCall):
            return None
        if self.effects.summaries.called(node) is None or not self.effects.of(node).is_plain:
            return None
        inlining = self.inliner.inlining(node, self.inlining, self.loop_numbers[0] if self.loops else 0)
        if inlining is None or not _gives_choice(inlining):
            return None
        last = returned(inlining)
        if last is None or self._types_of(last.expr) != (_width(inlining.result),) * 2:
            return None
        self._bind(inlining, [self.evaluate(a) for a in arguments_of(node)])
        found: c_ast.TernaryOp = last.expr
        return found

    def _are_alike(self, *nodes: Any) -> bool:
        """Are these integers that keep their values whichever of their types they are converted to?"""
        with self.quietly():
            before = self.env.copy()
            found = [self.evaluate(n) for n in nodes]
            self.env = before
        signs = set()
        for value, ctype, _ in found:
            if not ctype.is_integer:
                return False
            natural = isinstance(value, Affine) and value.is_constant and value.constant >= 0
            if ex.promoted(ctype).unsigned or not natural:
                signs.add(ex.promoted(ctype).unsigned)
        return len(signs) <= 1

    def _types_of(self, choice: c_ast.TernaryOp) -> tuple[_Width, ...]:
        """The types of both branches.  If they differ, one is converted before it is given back or compared.

        (What is known of variables does not change them, so a function's parameters need not be set yet.)
        """
        with self.quietly():
            before = self.env.copy()
            types = [ex.promoted(self.evaluate(n).ctype) for n in (choice.iftrue, choice.iffalse)]
            self.env = before
        return tuple(map(_width, types))

    def _bind(self, inlining: Inlining, arguments: list[Evaluated]) -> None:
        """Sets the parameters to the arguments."""
        given = zip(inlining.parameters, inlining.arguments, arguments, strict=True)
        own = [(s, a) for s, node, a in given if self.resolution.symbols.get(id(node)) is not s]
        for symbol, argument in own:
            self.model.declared[symbol] = self.loop_numbers
            if symbol.is_scalar:
                self._set(symbol, self.stored(argument, symbol.ctype))
            else:
                self.renew(symbol)
                self.record(Place(symbol, ctype=symbol.ctype, loose=True), True, symbol.node)
                self.note_members(Place(symbol, ctype=symbol.ctype), argument)
        for symbol, _ in own:
            self.read_lengths(symbol.node.type)

    def _body_of(self, node: c_ast.FuncCall) -> Any:
        return self.resolution.functions[node.name.name].body

    def _accepts(self, inlining: Inlining, arguments: list[Evaluated]) -> bool:
        """Do the arguments have the kinds of the parameters?  (In old C nobody checks.)"""
        function = self.resolution.functions[inlining.name]
        if not function.param_decls:
            return True
        pairs = zip(arguments, inlining.parameters, strict=True)
        return all(a.ctype.decayed.kind == p.ctype.kind for a, p in pairs)

    def _walk(self, inlining: Inlining, arguments: list[Evaluated]) -> Frame:
        """Walks the callee's body with the parameters set to the arguments."""
        with self._in_callee(inlining, arguments) as frame, self.jumping_in(inlining):
            self.statement(inlining.body)
        if inlining.early:
            self._forget(self.scanner.modified(inlining.body))
        self.env.end_of(inlining.variables)
        return frame

    @contextmanager
    def _in_callee(self, inlining: Inlining, arguments: list[Evaluated]) -> Iterator[Frame]:
        """Within the block, the parameters are set to the arguments; what is learnt there is dropped."""
        frame = Frame(inlining, len(self.loops), len(self.conditions), Evaluated(None, inlining.result))
        outer = self._frames, self.inlining, self.block, len(self.conditions)
        self._frames, self.inlining = (*self._frames, frame), inlining
        if inlining.early:
            self.enter_block()
        self._bind(inlining, arguments)
        yield frame
        frame.end(self)
        self._frames, self.inlining, self.block, depth = outer
        del self.conditions[depth:]

    def give_back(self, node: c_ast.Return, result: Evaluated) -> None:
        """A `return` in a callee."""
        frame = self._frames[-1]
        for loop in self.loops[frame.depth :]:
            loop.obstacles.append(Obstacle("CV302", "'return' leaves the loop", node))
            loop.exact, loop.why_inexact = False, "loop is left early"
            frame.repeated = True
        ctype = frame.inlining.result
        found = Evaluated(self.stored(result, ctype), ctype, result.members)
        frame.ways.append((tuple(self.conditions[frame.start :]), found))

    # Other functions

    def _certain(self, effect: Effect, node: c_ast.FuncCall) -> Effect:
        """The effect, where a function that is given as an argument changes nothing; else anything."""
        return effect if is_tame(effect, node, self.effects) else UNKNOWN_EFFECT

    def _foreign(self, node: c_ast.FuncCall, effect: Effect, arguments: list[Evaluated]) -> Evaluated:
        name = node.name.name if isinstance(node.name, c_ast.ID) else self.text(node.name)
        if effect.kind != "pure" and not self.quiet:
            self.model.calls.append(self._described(name, effect, node))
        if effect.kind == "unknown":
            for argument, text in zip(arguments, arguments_of(node), strict=True):
                self._read_through(argument, text)
            self._forget(self.scanner.modified(node))
        for touched in effect.reads:
            self._touch(touched, False, node, arguments)
        for touched in effect.writes:
            with nullcontext() if touched.certain else self.branch(Unknown("as far as it writes")):
                self._touch(touched, True, node, arguments)
        if effect.returns is not None and effect.returns <= len(arguments):
            return self._handed_back(arguments[effect.returns - 1], self._result_type(node, effect))
        result = self._result_type(node, effect)
        if effect.gives_constants and result.target is not None:
            symbol = Symbol(self.text(node), result, "memory", is_constant=True)
            return Evaluated(Pointer(Place(symbol, (), None, result.target), Affine(), result.target), result)
        return NOTHING if name in ALLOCATORS else Evaluated(None, result)

    def _handed_back(self, argument: Evaluated, result: CType) -> Evaluated:
        """An argument as the value of a call: a pointer, or a number of the type that the function gives."""
        if isinstance(argument.value, Pointer):
            return argument
        return Evaluated(self.stored(argument, result), result)

    def _described(self, name: str, effect: Effect, node: c_ast.FuncCall) -> Call:
        """The call; of a function of the file, the call inside of it that makes it what it is."""
        called = self.effects.summaries.called(node)
        culprit = self.effects.summaries.culprit(called) if called and effect.kind == "unknown" else None
        if culprit is None:
            return Call(name, effect.kind, node, self.loop_numbers, self.inlining)
        chain, inner = culprit
        return Call(chain[-1], inner.kind, node, self.loop_numbers, self.inlining, chain[:-1])

    def _read_through(self, argument: Evaluated, node: Any) -> None:
        """A callee of which nothing is known may read what a pointer argument points to."""
        if isinstance(argument.value, Pointer):
            place = ex.loosened(argument.value).place
            self.record(replace(place, ctype=argument.value.target), False, node)

    def _touch(self, touched: Touched, write: bool, node: c_ast.FuncCall, arguments: list[Evaluated]) -> None:
        listed = arguments_of(node)
        for position in touched_arguments(touched, len(listed)):
            argument, text = arguments[position], listed[position]
            if argument.ctype.is_number or points_nowhere(text):
                continue
            if not isinstance(argument.value, Pointer):
                self._use(self._somewhere(text, argument.ctype.target or UNKNOWN), write, text)
            elif touched.extent == "element":
                for number in range(touched.count):
                    self._access(self._target(argument, constant(number), text), write, text)
            elif touched.extent == "one":
                self._use(self._target(argument, constant(0), text), write, text)
            elif isinstance(touched.extent, tuple) and all(p <= len(arguments) for p in touched.extent):
                self._span(argument.value, [arguments[p - 1] for p in touched.extent], write, text)
            elif self.effects.summaries.called(node) is None:
                self._somewhere_in(argument.value, write, text)
            else:
                self._use(ex.dereferenced(ex.loosened(argument.value), constant(0)), write, text)

    def _somewhere_in(self, pointer: Pointer, write: bool, node: Any) -> None:
        """Some elements of what a library's function is given: of a text in an array of texts, that one.

        (Numbers may be rows of a matrix, all of which the function is given by its first row.)
        """
        row, is_text = pointer.place, pointer.target.is_integer and pointer.target.bits == CHAR.bits
        is_row = is_text and row.path and not row.loose and pointer.reach != "cell"
        size = self._length_of(row) if is_row else None
        if size is None:
            self._use(ex.dereferenced(ex.loosened(pointer), constant(0)), write, node)
            return
        with self.branch(Unknown("as far as it goes")), self._elements(size, node) as index:
            start = replace(pointer, offset=Affine(), reach="array")
            self._use(ex.dereferenced(start, index), write, node)

    def _use(self, place: Place, write: bool, node: Any) -> None:
        """Reads or writes a place.  Bytes that are copied may be a part of anything but a declared object."""
        known = is_object(place.symbol) or place.is_variable
        bytes_ = replace(CHAR, volatile=place.ctype.volatile)
        self._access(
            place if known and place.ctype.kind != "void" else replace(place, ctype=bytes_), write, node
        )

    def _access(self, place: Place, write: bool, node: Any) -> None:
        if write:
            self.store(place, Evaluated(None, place.ctype), node)
        else:
            self.record(place, False, node)

    def _span(self, pointer: Pointer, factors: list[Evaluated], write: bool, node: Any) -> None:
        """So many bytes from a pointer on are a loop over elements, where they are whole elements."""
        sizes = [f.value for f in factors]
        count = count_of(sizes, self._bytes(pointer.target))
        if count == Count(constant(1)) and pointer.reach == "cell":
            self._use(self._target(Evaluated(pointer, UNKNOWN), constant(0), node), write, node)
        elif count is None or pointer.place.loose or pointer.reach == "cell":
            self._use(ex.dereferenced(ex.loosened(pointer), constant(0)), write, node)
        else:
            place = pointer.place
            in_row = any(isinstance(step, Affine) for step in place.path) and not self._has_open_end(place)
            pointer = replace(pointer, reach="row") if in_row else pointer
            certain = nullcontext() if count.certain else self.branch(Unknown("as far as it goes"))
            with certain, self._elements(count.value, node) as index:
                found = self._target(Evaluated(pointer, UNKNOWN), index, node)
                leaves = found.loose and found.flat is None and not count.value.is_constant
                around = structure_around(place) if leaves else None
                with nullcontext() if around is None else self.branch(Unknown("as far as it goes")):
                    self._use_whole(around or found, write, node)

    def _has_open_end(self, array: Place) -> bool:
        """Is it a structure's last member, of no length, behind which there is nothing?"""
        return not ex.is_row(array) and array.ctype.kind == "array" and self.types.has_no_length(array.ctype)

    def _use_whole(self, place: Place, write: bool, node: Any) -> None:
        """Reads or writes all elements of what may be an array itself."""
        if place.ctype.kind != "array" or place.loose:
            self._use(place, write, node)
            return
        with self.quietly():
            size = self.length(place.ctype.extent)
        if not isinstance(size, Affine) or not size.is_constant:
            self._use(replace(place, path=(), loose=True), write, node)
            return
        with self._elements(size, node) as index:
            self._use_whole(ex.dereferenced(ex.decayed(place), index), write, node)

    @contextmanager
    def _elements(self, count: Affine, node: Any) -> Iterator[Affine]:
        """A loop that nobody wrote, over the numbers from 0 to `count - 1`."""
        if self.quiet or not self.loops:
            yield self.fresh("?", LONG, "not affine")
            return
        loop = Loop(
            next(self._loop_numbers),
            "for",
            c_ast.EmptyStatement(node.coord),
            self.loops[-1],
            self.model.name,
            conditions=self.facts,
            iterator=Symbol("element", LONG, "local"),
            inlined=True,
        )
        loop.bound = Compare(count - Affine.of(loop.counter) - 1)
        self.loops[-1].children.append(loop)
        self.model.loops.append(loop)
        self.loops.append(loop)
        block = self.block
        self.enter_block()
        with self.assuming(Compare(Affine.of(loop.counter)), loop.bound):
            yield Affine.of(loop.counter)
        self.block = block
        self.loops.pop()

    def _result_type(self, node: c_ast.FuncCall, effect: Effect) -> CType:
        name = getattr(node.name, "name", None)
        function = self.resolution.functions.get(name)
        if function is not None:
            return self.types.resolve(function.decl.type.type)  # type: ignore[no-any-return]
        symbol = self.symbol(node.name)
        if symbol is not None and symbol.ctype.kind == "function":
            return symbol.ctype.target or UNKNOWN
        return _RESULTS.get(effect.signature[0], UNKNOWN) if effect.signature else UNKNOWN


def _width(ctype: CType) -> _Width:
    return ctype.kind, ctype.unsigned, ctype.bits


def _gives_choice(inlining: Inlining) -> bool:
    """Is the callee `return c ? a : b;` of integers of one type?"""
    last, result = returned(inlining), inlining.result
    same = all(
        p.ctype.is_integer and (p.ctype.bits, p.ctype.unsigned) == (result.bits, result.unsigned)
        for p in inlining.parameters
    )
    if last is None or len(inlining.body.block_items) > 1 or not isinstance(last.expr, c_ast.TernaryOp):
        return False
    return same and result.is_integer and result.bits >= 32


def _has_loop(body: Any) -> bool:
    return any(isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile) for n in walk(body))
