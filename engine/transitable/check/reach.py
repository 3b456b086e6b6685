"""Whether every place can be reached, and can reach the end.

Responsible for: places that no run comes to, places that no run ends from, and cancel rows that nothing takes. Not for:
cycles without a bound (`transitable.check.cycles`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transitable.model.rows import RowKind
from transitable.model.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transitable.model.table import Table


def check_reach(table: Table) -> Iterator[Problem]:
    """Report places that are never visited, and places that no end can be reached from."""
    starts = [place.name for place in (table.start,) if place is not None]
    reached = _walk(starts, {name: _list_next(table, name) for name in table.places})
    for name in table.places:
        if name not in reached:
            fix = f"add a row that leads to {name}, or remove its entry"
            yield Problem("unreachable", (name,), f"no path from {show_names(starts)} leads to {name!r}", fix)
    stuck = find_endless(table)
    if stuck:
        yield Problem(
            "no-end", stuck, f"no path from {show_names(stuck)} leads to END", "add a row that leads out of there"
        )


def check_cancel(table: Table) -> Iterator[Problem]:
    """Report an `on_cancel` that gives no place a row."""
    target = table.cancel_target
    if target is not None and all(place.cancel is None for place in table.places.values()):
        found = f"on_cancel={target.name} has no effect, because {target.name!r} leads back to every place"
        yield Problem("idle-cancel", (target.name,), found, "name a place that no run comes back from, or leave it out")


def find_endless(table: Table) -> tuple[str, ...]:
    """Find the places from which no row but cancel rows leads on to END.

    A place without any row is a finding of its own, so it counts as an end here.
    """
    before: dict[str, list[str]] = {name: [] for name in table.places}
    ends: list[str] = []
    for name, place in table.places.items():
        ways = [arc for arc in place.ways() if arc.row.kind is not RowKind.CANCEL]
        if not ways or any(arc.place is None for arc in ways):
            ends.append(name)
        for arc in ways:
            if arc.place is not None:
                before[arc.place.name].append(name)
    ending = _walk(ends, before)
    return tuple(name for name in table.places if name not in ending)


def show_names(names: Iterable[str]) -> str:
    """Write names as a list in a sentence."""
    return ", ".join(map(repr, names))


def _list_next(table: Table, name: str) -> list[str]:
    return [arc.place.name for arc in table.places[name].ways() if arc.place is not None]


def _walk(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> set[str]:
    """Find all that can be reached; each name and each row is looked at once."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        for name in after[waiting.pop()]:
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached
