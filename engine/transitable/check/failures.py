"""Whether error rows can catch something, and whether the failure is kept.

Responsible for: the classes that error rows name. Not for: which row a failure takes (`transitable.run.decisions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transitable.check.reach import show_names
from transitable.errors import UpdateError
from transitable.model.nodes import Pause
from transitable.model.table import Problem, name_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transitable.model.table import Place, Table


def check_error_rows(table: Table) -> Iterator[Problem]:
    """Report error rows that name no class of exceptions, the same name twice, or what never happens at their place."""
    for place in table.places.values():
        seen: set[str] = set()
        for key in place.on_error_keys:
            if not (isinstance(key, type) and issubclass(key, Exception)):
                yield Problem(
                    "bad-error-row",
                    (place.name,),
                    f"{place.name!r} has an error row for {_show_key(key)}",
                    _advise(key),
                )
                continue
            name = name_class(key)
            if name in seen:
                found = f"{place.name!r} has error rows for two classes that are both called {name}"
                yield Problem(
                    "bad-error-row",
                    (place.name,),
                    found,
                    "give one of the classes another name; rows are matched by it",
                )
            seen.add(name)
            if isinstance(place.work, Pause) and key is not UpdateError:
                found = f"{place.name!r} is a pause, which never fails with {name}"
                yield Problem(
                    "dead-row",
                    (place.name,),
                    found,
                    "remove the row: an answer that does not fit leaves the question open",
                )


def _show_key(key: Any) -> str:
    return name_class(key) if isinstance(key, type) else repr(key)


def _advise(key: Any) -> str:
    if isinstance(key, tuple):
        return "a row for each class"
    if isinstance(key, type) and issubclass(key, BaseException):
        return "a subclass of Exception; for cancelling there is on_cancel=..."
    return "a subclass of Exception, the class itself"


def check_notes(table: Table) -> Iterator[Problem]:
    """Report error rows of a table without `note`: the run goes on, and nobody can see why."""
    places: list[Place] = [place for place in table.places.values() if place.errors]
    if places and table.note is None:
        names = tuple(place.name for place in places)
        found = f"error rows at {show_names(names)}, and no note= that writes the failure into the state"
        yield Problem("unnoted-errors", names, found, "Graph(..., note=f) with f(state, failure, row) -> update")
