"""Whether every cycle contains a bounded row, and every bounded row a cycle.

Responsible for: finding cycles that nothing stops, and showing each by its rows. Not for: how long bounded ones can run
(`transitable.check.bounds`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from transitable.check.reach import find_endless, show_names
from transitable.model.rows import Limit
from transitable.model.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transitable.model.rows import Row
    from transitable.model.table import Arc, Table


def check_cycles(table: Table) -> Iterator[Problem]:
    """Report a shortest cycle out of each group of places that lead to each other without a bounded row.

    Where no place of a group can reach END, that is the finding (`no-end`), and the cycle is none of its own.
    """
    endless = set(find_endless(table))
    ways = {name: [arc for arc in place.ways() if not _is_bounded(arc)] for name, place in table.places.items()}
    for group in find_groups(ways):
        cycle = _find_cycle(ways, group)
        if cycle is None or endless.issuperset(group):
            continue
        names = tuple(row.source for row in cycle)
        found = f"{show_names(names)} lead{'s' if len(names) == 1 else ''} back to {names[0]!r} without a bounded row"
        fix = "make one of these rows again(target, count='int_field', at_most=N, otherwise=...)"
        yield Problem("unbounded-cycle", names, found, fix, cycle)


def check_bounds(table: Table) -> Iterator[Problem]:
    """Report bounded rows that are part of no cycle, so that their count never matters, and limits that are counts."""
    ways = {name: list(place.ways()) for name, place in table.places.items()}
    group_of = {name: number for number, group in enumerate(find_groups(ways)) for name in group}
    for row in table.rows:
        if row.bound is None or row.bound.spent:
            continue
        if isinstance(row.bound.limit, Limit) and row.bound.limit.field in table.counts:
            found = f"the limit {row.bound.limit.field!r} of {row} is itself a count, which starts at 0"
            yield Problem("bad-limit", (row.source,), found, "a field that only the caller or a node sets")
        if group_of[row.source] != group_of.get(row.target, -1):
            found = f"{row} is bounded, but no path leads from {row.target!r} back to {row.source!r}"
            yield Problem("idle-bound", (row.source,), found, f"name {row.target} without again(...)", (row,))


def find_groups(ways: Mapping[str, list[Arc]]) -> list[list[str]]:
    """Part places into groups that lead to each other (strongly connected components); linear in rows.

    Tarjan, "Depth-first search and linear graph algorithms" (1972), with a stack of its own in place of recursion.
    """
    search = _GroupSearch(ways)
    for name in ways:
        if name not in search.number:
            search.visit(name)
    return search.groups


class _GroupSearch:
    """The state of one search for groups."""

    def __init__(self, ways: Mapping[str, list[Arc]]) -> None:
        self.ways = ways
        self.number: dict[str, int] = {}
        self.lowest: dict[str, int] = {}
        self.open: dict[str, None] = {}
        """Places whose group is not known yet, in the order in which they were found."""
        self.groups: list[list[str]] = []

    def visit(self, root: str) -> None:
        """Search from one place."""
        waiting = [self._enter(root)]
        while waiting:
            name, rest = waiting[-1]
            target = next(rest, None)
            if target is None:
                waiting.pop()
                if waiting:
                    self._lower(waiting[-1][0], self.lowest[name])
                if self.lowest[name] == self.number[name]:
                    self._close(name)
            elif target not in self.number:
                waiting.append(self._enter(target))
            elif target in self.open:
                self._lower(name, self.number[target])

    def _enter(self, name: str) -> tuple[str, Iterator[str]]:
        self.number[name] = self.lowest[name] = len(self.number)
        self.open[name] = None
        return name, (arc.place.name for arc in self.ways[name] if arc.place is not None)

    def _lower(self, name: str, number: int) -> None:
        self.lowest[name] = min(self.lowest[name], number)

    def _close(self, name: str) -> None:
        group: list[str] = []
        while not group or group[-1] != name:
            group.append(self.open.popitem()[0])
        self.groups.append(group[::-1])


def _is_bounded(arc: Arc) -> bool:
    return arc.row.bound is not None and not arc.row.bound.spent


def _find_cycle(ways: Mapping[str, list[Arc]], group: list[str]) -> tuple[Row, ...] | None:
    """Find a shortest cycle through the first place of a group; None for a single place without a way to itself."""
    first, inside = group[0], set(group)
    came: dict[str, Arc] = {}
    waiting = deque([first])
    while waiting:
        for arc in ways[waiting.popleft()]:
            if arc.place is None or arc.place.name not in inside or arc.place.name in came:
                continue
            came[arc.place.name] = arc
            if arc.place.name == first:
                return _list_back(first, came)
            waiting.append(arc.place.name)
    return None


def _list_back(first: str, came: Mapping[str, Arc]) -> tuple[Row, ...]:
    rows = [came[first].row]
    while rows[-1].source != first:
        rows.append(came[rows[-1].source].row)
    return tuple(reversed(rows))
