"""Lines through measurements, and which sizes to measure: how tables are made.

After Dollinger (thesis, Strasbourg 2015; seed 000), sections 4.4.3.3 and 4.4.3.4: the rule of 10 % of figure
4.8 and of algorithm 4.2, and the lines of algorithm 4.3.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush

from models.prediction.tables import Row, Rows, Size

Point = tuple[float, float]
Measure = Callable[[int], Sequence[float] | None]
OFF = 0.10  # of a value: a point further from the line does not belong to it
COARSE = 8  # times as long as it begins: a longer stretch is halved anyway
MOST = 40  # sizes that are measured
DROPPED = 0.20  # of the points of a line, as outliers


def line(points: Sequence[Point]) -> tuple[float, float]:
    """The slope and the value at 0 of the least-squares line; level, where all points have one abscissa."""
    count = len(points)
    mean_x, mean_y = (math.fsum(values) / count for values in zip(*points, strict=True))
    spread = math.fsum((x - mean_x) ** 2 for x, _ in points)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    return slope, mean_y - slope * mean_x


def refined(measure: Measure, low: int, high: int, most: int = MOST) -> list[tuple[int, Sequence[float]]]:
    """Values at sizes from `low` to `high`, both included and positive, by growing sizes, `most` of them.

    A stretch is halved, on a logarithmic scale, as long as it is `COARSE` times as long as it begins, and
    where a value in its middle was further from the line between its ends than `OFF`: those that were
    furthest first, so that it may end at any time.  `measure` gives None to end it.

    The seed goes from the smallest size to the largest with strides that grow on lines and shrink else; it
    takes hours.
    """
    found: dict[int, Sequence[float]] = {}

    def is_found(size: int) -> bool:
        values = found.get(size) or (measure(size) if len(found) < most else None)
        if values is not None:
            found[size] = values
        return values is not None

    waiting = [(-math.inf, low, high)] if is_found(low) and is_found(high) else []
    while waiting:
        _, first, last = heappop(waiting)
        middle = round(math.sqrt(first * last))
        if middle in (first, last):
            continue
        if not is_found(middle):
            break
        off = _off(middle, found[middle], (first, found[first]), (last, found[last]))
        for begin, end in ((first, middle), (middle, last)):
            urgency = math.inf if end > COARSE * begin else off
            if urgency > 1:
                heappush(waiting, (-urgency, begin, end))
    return sorted(found.items())


def _off(
    at: int, values: Sequence[float], low: tuple[int, Sequence[float]], high: tuple[int, Sequence[float]]
) -> float:
    """How far values are from the lines between those on both sides, by `OFF` of each: the furthest."""
    share = (at - low[0]) / (high[0] - low[0])
    three = zip(values, low[1], high[1], strict=False)
    return max((abs(a + (b - a) * share - v) / (OFF * abs(v)) for v, a, b in three if v), default=0.0)


def stable_line(points: Sequence[Point]) -> tuple[float, float]:
    """The line through the points without the `DROPPED` part that are furthest from it."""
    kept = list(points)
    for _ in range(int(len(points) * DROPPED)):
        if len({x for x, _ in kept}) <= 2:
            break
        slope, base = line(kept)
        kept.remove(max(kept, key=lambda point: abs(slope * point[0] + base - point[1])))
    return line(kept)


def ranked(points: Iterable[tuple[Size, float]]) -> Rows:
    """The rows of a table from launches and their seconds: one for each number of parallel iterations, with
    those rows left out that lie on the line between their neighbours.
    """
    groups: dict[float, list[Point]] = defaultdict(list)
    for size, seconds in points:
        if size.parallel > 0 and size.work > 0:
            groups[size.parallel].append((size.work / size.parallel, seconds / size.work))
    rows = [Row(parallel, *stable_line(of)) for parallel, of in sorted(groups.items())]
    return tuple(_thinned(rows, groups))


def _thinned(rows: Sequence[Row], groups: dict[float, list[Point]]) -> list[Row]:
    """Without rows that those around them predict within a tenth of `OFF`, wherever they were measured."""
    kept = list(rows[:1])
    for k, row in enumerate(rows[1:-1], 1):
        low, high = kept[-1], rows[k + 1]
        share = (row.parallel - low.parallel) / (high.parallel - low.parallel)
        slope, base = (a + (b - a) * share for a, b in ((low.slope, high.slope), (low.base, high.base)))
        measured = groups[row.parallel]
        if any(abs(slope * x + base - y) > OFF / 10 * abs(y) for x, y in measured):
            kept.append(row)
    return [*kept, *rows[1:][-1:]]
