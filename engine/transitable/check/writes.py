"""Whether places write what they may: counts, given fields, parts of `together`, answers.

Responsible for: declared writes against what else the table says of a field, and what a pause asks with. Not for:
whether a declared type fits its field, which compiling the table finds (`transitable.model.table`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transitable.check.reach import show_names
from transitable.errors import find_nearest
from transitable.model.nodes import Field, Pause, Together
from transitable.model.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transitable.model.table import Place, Table


def check_writes(table: Table) -> Iterator[Problem]:
    """Report declared writes of counts and of given fields."""
    given = {place.root: place.name for place in table.places.values() if place.given}
    for place in table.places.values():
        for name in place.declared or ():
            if name in table.counts:
                found = (
                    f"{place.name!r} declares to write {name!r}, which is a count, and only the engine writes counts"
                )
                yield Problem("count-written", (place.name,), found, "remove it from what the place declares")
            if name in given:
                found = f"{place.name!r} declares to write {name!r}, on which {given[name]!r} branches as given"
                fix = "remove it from what the place declares, or given=True from the branch"
                yield Problem("given-written", (place.name, given[name]), found, fix)


def check_parts(table: Table) -> Iterator[Problem]:
    """Report what cannot stand side by side: undeclared or overlapping writes, and names that stand twice."""
    unread = {name for problem in table.problems if problem.code == "bad-return" for name in problem.places}
    for place in list_all(table):
        if isinstance(place.work, Together):
            yield from _check_together(place, unread)


def _check_together(place: Place, unread: set[str]) -> Iterator[Problem]:
    """Check one set of parts; what `unread` parts write could not be read, which is reported already."""
    owners: dict[str, str] = {}
    names: set[str] = set()
    for part in place.parts:
        if part.name in names:
            found = f"two parts of {place.name!r} are called {part.name!r}"
            yield Problem(
                "duplicate-name", (place.name,), found, "give one of them another name: node(..., name='...')"
            )
        names.add(part.name)
        if part.declared is None and part.name not in unread:
            found = f"{part.name!r} stands in {place.name!r} and does not declare what it writes"
            yield Problem(
                "undeclared-part", (place.name, part.name), found, "annotate it to return a TypedDict, or None"
            )
        for name in part.declared or ():
            if name in owners and name not in place.model.grown:
                found = f"{owners[name]!r} and {part.name!r} stand in {place.name!r} and both write {name!r}"
                fix = f"let one of them write it, or declare {name!r} by grows()"
                yield Problem("overlapping-writes", (place.name, owners[name], part.name), found, fix)
            owners.setdefault(name, part.name)


def check_pauses(table: Table) -> Iterator[Problem]:
    """Report pauses that ask with a field that the state does not have."""
    for place in list_all(table):
        work = place.work
        if (
            isinstance(work, Pause)
            and isinstance(work.question, Field)
            and work.question.name not in place.model.shapes
        ):
            nearest = find_nearest(work.question.name, place.model.names)
            found = f"{place.name!r} asks with {work.question.name!r}, which is no field of {place.model.cls.__name__}"
            fix = f"did you mean {nearest!r}?" if nearest else f"one of {show_names(place.model.names)}"
            yield Problem("pause-question", (place.name,), found, fix)


def list_all(table: Table) -> Iterator[Place]:
    """Yield every place of a table and the parts inside, but nothing of graphs inside: they have their own checks."""
    waiting = list(table.places.values())[::-1]
    while waiting:
        place = waiting.pop()
        yield place
        waiting.extend(place.parts[::-1])
