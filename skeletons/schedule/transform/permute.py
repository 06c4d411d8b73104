"""Loop interchange: the order of perfectly nested loops, by what each would mean as the innermost one.

The cost of a loop as the innermost one is that of the cells which its consecutive iterations touch: nothing
for what stays, a little for neighbours in memory, much for a cache line each (Carr, McKinley and Tseng 1994).
"""

from __future__ import annotations

from itertools import permutations

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.short_sums import short_sums
from skeletons.schedule.core.tree import Band, Tree, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, places
from skeletons.schedule.transform import strip
from species.facts import ScopStatement

NAME = "interchange"

STAYS, NEIGHBOUR = 0, 1  # a cache line costs as much as the cells of 8 bytes that share it
REGISTER = 0.5  # less, where a few values are added to a cell that stays in a register meanwhile
CHAIN = 4  # an innermost loop whose iterations wait for one another
MOST_LOOPS = 5

Moves = tuple[tuple[int, ...] | None, ...]  # see `ScopAccess.moves`


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with the loops of each perfect nest in their best legal order."""
    done: set[frozenset[str]] = set()
    while True:
        found = next(((p, w) for p, w in places(tree) if _is_new(model, p, done)), None)
        if found is None:
            return tree
        part, whole = found
        done.add(frozenset(statements(part)))
        tree = whole(_best(model, *perfect(part), whole))


def _is_new(model: ScopModel, part: Tree, done: set[frozenset[str]]) -> bool:
    """Is it a nest that has not been looked at?  Loops of one iteration stay around theirs."""
    return isinstance(part, Band) and frozenset(statements(part)) not in done and model.repeats(part)


def _best(model: ScopModel, loops: tuple[Band, ...], inner: Tree, whole: Whole) -> Tree:
    """The first legal order by cost."""
    if len(loops) == 1 or len(loops) > MOST_LOOPS or Mark.APART in loops[0].marks:
        return nested(loops, inner)
    ranked = []
    for order in permutations(range(len(loops))):
        candidate = nested(tuple(loops[k] for k in order), inner)
        if list(order) == sorted(order) or model.is_legal(whole(candidate)):
            ranked.append((_key(model, candidate, whole), order, candidate))
    others = ranked[1:] if NAME in model.wanted else []  # the first is the order of the source
    return min(others or ranked, key=lambda item: item[:2])[2]


def _key(model: ScopModel, candidate: Tree, whole: Whole) -> tuple[float, ...]:
    loops, _ = perfect(candidate)
    unrolled = short_sums(model, loops)
    loops, tree = loops[: len(loops) - unrolled] if unrolled < len(loops) else loops, whole(candidate)
    is_free = [model.is_parallel(tree, loop) for loop in loops]
    costs = [cost(model, loop) + (0 if free else CHAIN) for loop, free in zip(loops, is_free, strict=True)]
    innermost = costs[-1] - (REGISTER if unrolled else 0)
    return (innermost, _meetings(model, candidate, whole, is_free), *costs[-2::-1])


def _meetings(model: ScopModel, candidate: Tree, whole: Whole, is_free: list[bool]) -> int:
    """How often threads meet: never (0), not if the innermost loop is cut into strips (1), or in loops."""
    if is_free[0]:
        return 0
    if (
        is_free[-1]
        and len(is_free) == len(perfect(candidate)[0])
        and strip.in_strips(model, candidate, whole) is not None
    ):
        return 1
    return 2 + (is_free.index(True) if True in is_free else len(is_free))


def cost(model: ScopModel, loop: Band) -> float:
    """What the cells cost that consecutive iterations of a loop touch."""
    total = 0
    for name in statements(loop):
        statement = model.statements[name]
        iterator = loop.of[name].lstrip("-")
        if iterator not in statement.iterators:
            continue
        position = statement.iterators.index(iterator)
        total += cost_along(model, statement, position)
    return total


def cost_along(model: ScopModel, statement: ScopStatement, position: int) -> int:
    """What the cells of a statement cost that consecutive iterations of one of its loops touch."""
    writes = {(access.array, access.moves): False for access in statement.accesses}
    writes |= {(access.array, access.moves): True for access in statement.accesses if access.write}
    line = model.machine.line // 8
    costs = ((_cost(moves, position, line), write) for (_, moves), write in writes.items())
    # A line that is written is read before, and moved once more.
    return sum(cost + (write and cost == line) for cost, write in costs)


def _cost(moves: Moves, position: int, line: int) -> int:
    """The cost of one reference, as the loop at `position` of the statement's moves it."""
    *outer, last = moves or ((0,) * (position + 1),)
    if last is None and all(move is not None and move[position] == 0 for move in outer):
        return line // 2  # somewhere in a row, which the cache may hold
    if any(move is None for move in moves):
        return line
    amounts = [move[position] for move in moves if move is not None]
    if not any(amounts):
        return STAYS
    return min(NEIGHBOUR * abs(amounts[-1]), line) if not any(amounts[:-1]) else line


def shares_lines(model: ScopModel, moves: Moves, inner: int, outer: int) -> bool:
    """Does the inner loop go from line to line, and the outer one along them?"""
    if any(move is None for move in moves) or not moves:
        return False
    along = [move[outer] for move in moves if move is not None]
    line = model.machine.line // 8
    return _cost(moves, inner, line) == line and not any(along[:-1]) and abs(along[-1]) == 1


PASS = NestPass(
    NAME,
    "interchange perfectly nested loops for memory, vectors and threads",
    apply=on_trees(apply),
    can_be_forced=True,
)
