"""How long a run can get: the most steps, over all states, answers and failures.

Responsible for: `longest_run`. Not for: whether a table has cycles without a bound (`transitable.check.cycles`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeVar

from transitable.model.rows import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transitable.model.rows import Row
    from transitable.model.table import Place, Table

H = TypeVar("H")
MOST_SITUATIONS: Final = 100_000
"""Up to so many pairs of a place and values of the counts the longest run is exact; it keeps a build below a second."""

Situation = tuple[str, tuple[int, ...]]
"""A place, and the value of each count, in the order of `Table.counts`."""


def longest_run(table: Table) -> int:
    """Find the most steps that a run of a table can take, complete or not.

    A step is a visit of a place of this table; a composite counts as one. Limits count with their caps, and a limit
    that is read from a field may be anything from 0 to its cap, so its `otherwise` may be taken at any time. Up to
    100,000 pairs of place and counts the number is exact: some order of outcomes takes so many steps. Beyond that it
    is an upper bound, found in time linear in rows.

    Args:
        table: A table without an error finding; its cycles are bounded.
    """
    if table.start is None:
        return 0
    if len(table.places) * math.prod(most + 1 for most in table.counts.values()) <= MOST_SITUATIONS:
        return _find_exact(table, table.start)
    return _find_upper(table, table.start)


def _find_exact(table: Table, start: Place) -> int:
    """Find the longest path over places and counts."""
    numbers = {name: number for number, name in enumerate(table.counts)}

    def list_next(situation: Situation) -> list[Situation]:
        place, counts = situation
        found: list[Situation] = []
        for arc in table.places[place].ways():
            after = _take_row(arc.row, counts, numbers)
            if after is not None and arc.place is not None:
                found.append((arc.place.name, after))
        return found

    first: Situation = (start.name, (0,) * len(numbers))
    return _measure_longest([first], list_next)[first]


def _take_row(row: Row, counts: tuple[int, ...], numbers: dict[str, int]) -> tuple[int, ...] | None:
    """Give the counts after a row; None when it cannot be taken with these."""
    bound = row.bound
    if bound is None:
        return counts
    number = numbers[bound.count]
    if bound.spent:
        return counts if isinstance(bound.limit, Limit) or counts[number] >= bound.most else None
    if counts[number] >= bound.most:
        return None
    return (*counts[:number], counts[number] + 1, *counts[number + 1 :])


def _find_upper(table: Table, start: Place) -> int:
    """Bound the longest run by a potential.

    Let `phi` of a place be the longest run from it without a bounded row, and 0 at END. A row that is not bounded
    lowers `phi` by at least the step that it takes; a bounded one adds at most `phi(target) - phi(source) + 1`, as
    often as its count allows. So no run is longer than `phi(start)` and the largest gain of each count, times its
    largest limit.
    """

    def list_next(name: str) -> list[str]:
        return [
            arc.place.name for arc in table.places[name].ways() if arc.place is not None and not _is_bounded(arc.row)
        ]

    phi = _measure_longest(table.places, list_next)
    gains = dict.fromkeys(table.counts, 0)
    for row in table.rows:
        if row.bound is not None and not row.bound.spent:
            gain = phi.get(row.target, 0) - phi[row.source] + 1
            gains[row.bound.count] = max(gains[row.bound.count], gain)
    return phi[start.name] + sum(most * gains[name] for name, most in table.counts.items())


def _is_bounded(row: Row) -> bool:
    return row.bound is not None and not row.bound.spent


def _measure_longest(firsts: Iterable[H], list_next: Callable[[H], list[H]]) -> dict[H, int]:
    """Count the nodes on the longest path from each node of a graph without cycles; no recursion, so of any depth."""
    longest: dict[H, int] = {}
    after: dict[H, list[H]] = {}
    waiting = list(firsts)
    while waiting:
        here = waiting[-1]
        if here in longest:
            waiting.pop()
        elif here not in after:
            after[here] = list_next(here)
            waiting.extend(there for there in after[here] if there not in after)
        else:
            waiting.pop()
            longest[here] = 1 + max((longest.get(there, 0) for there in after[here]), default=0)
    return longest
