"""Cursors as JSON and back: where a run is, so that another process can go on from there.

Responsible for: `cursor_to_json` and `cursor_from_json`, exact inverses for a cursor and the table it belongs to. The
table says which types and places there are; nothing is imported or found by name. Not for: states
(`transitable.journal.codec`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from cattrs import Converter
from cattrs.errors import BaseValidationError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from transitable.errors import StateError, find_nearest
from transitable.journal.codec import find_codec, state_from_json, state_to_json
from transitable.model.nodes import Each, Pause
from transitable.model.shapes import Fault, show_value
from transitable.run.failures import Failure
from transitable.run.kernel import list_questions, part_at, pending, settle
from transitable.run.work import Asked, Cursor, Done, Group, Lost, Nested, Status, Task

if TYPE_CHECKING:
    from transitable.model.table import Place, Table
    from transitable.run.work import Open

T = TypeVar("T")
VERSION = 1
"""The version of this form; one that is not known is refused."""
PLAIN = Converter(forbid_extra_keys=True)
"""Writes and reads what holds no value of the user's: failures and tasks."""
LEFT_OUT = override(omit=True)
PLAIN.register_unstructure_hook(Failure, make_dict_unstructure_fn(Failure, PLAIN, live=LEFT_OUT))
PLAIN.register_structure_hook(
    Failure, make_dict_structure_fn(Failure, PLAIN, _cattrs_forbid_extra_keys=True, live=LEFT_OUT)
)


def cursor_to_json(table: Table, cursor: Cursor) -> dict[str, Any]:
    """Write a cursor.

    Args:
        table: The table that it belongs to.
        cursor: Where the run is.

    Returns:
        A value for `json.dumps`.

    Raises:
        StateError: If a value would not come back the same.
    """
    place = table.places[cursor.place] if cursor.place is not None else None
    rows = list(table.rows)
    return {
        "version": VERSION,
        "state": state_to_json(cursor.state),
        "place": cursor.place,
        "step": cursor.step,
        "open": _write_open(place, cursor.open) if place is not None and cursor.open is not None else None,
        "status": cursor.status.value,
        "reason": cursor.reason,
        "failure": PLAIN.unstructure(cursor.failure) if cursor.failure else None,
        "taken": [rows.index(row) for row in cursor.taken],
        "written": sorted(cursor.written),
    }


def _write_open(place: Place, opened: Open) -> dict[str, Any]:
    if isinstance(opened, Task):
        return {"task": PLAIN.unstructure(opened)}
    if isinstance(opened, Asked):
        return {"asked": None}
    if isinstance(opened, Lost):
        return {"lost": PLAIN.unstructure(opened.failure)}
    if isinstance(opened, Nested):
        assert place.child is not None  # noqa: S101  # only a place with a graph inside opens one
        return {"nested": cursor_to_json(place.child, opened.cursor)}
    if isinstance(opened, Group):
        return {"group": [_write_member(place, index, member) for index, member in enumerate(opened.members)]}
    return {"done": find_codec(place.model.cls).write_fields(opened.value)}


def _write_member(place: Place, index: int, member: Open) -> dict[str, Any]:
    if isinstance(place.work, Each) and isinstance(member, Done):
        into = place.work.into
        return {"item": find_codec(place.model.cls).write_fields({into: (member.value,)})[into][0]}
    return _write_open(part_at(place, index), member)


def cursor_from_json(table: Table, data: object) -> Cursor:
    """Read a cursor that `cursor_to_json` wrote for the same table.

    Args:
        table: The table that it belongs to.
        data: What `json.loads` gave.

    Raises:
        StateError: If it is not of that form, of another version, or does not fit the table.
    """
    read = _read_object(data, "a cursor", CURSOR_KEYS)
    if type(read["version"]) is not int or read["version"] != VERSION:
        raise refuse(("version",), read["version"], f"version {VERSION}")
    place = _find_place(table, read["place"])
    opened = read["open"]
    cursor = Cursor(
        state=state_from_json(table.model.cls, read["state"]),
        place=read["place"],
        step=_expect(("step",), read["step"], int),
        open=_read_open(place, opened) if place is not None and opened is not None else None,
        status=_read_status(read["status"]),
        reason=_expect(("reason",), read["reason"], str),
        failure=_read_plain(read["failure"], Failure, "failure") if read["failure"] is not None else None,
        taken=tuple(table.rows[_read_row(table, number)] for number in _expect(("taken",), read["taken"], list)),
        written=frozenset(_expect(("written",), each, str) for each in _expect(("written",), read["written"], list)),
    )
    check_fit(table, cursor)
    return cursor


def check_fit(table: Table, cursor: Cursor) -> None:
    """Refuse a cursor that no run of this table can be at.

    Raises:
        StateError: If its step, counts, fields, status, place and open work do not go together.
    """
    if cursor.step < 0:
        raise refuse(("step",), cursor.step, "a number of at least 0")
    for name, most in table.counts.items():
        if not 0 <= getattr(cursor.state, name) <= most:
            raise refuse(("state", name), getattr(cursor.state, name), f"a count from 0 to {most}")
    for name in cursor.written:
        if name not in table.model.shapes:
            raise refuse(("written",), name, "fields of the state", find_nearest(name, table.model.names))
    if (cursor.failure is not None) and cursor.status is not Status.FAILED:
        raise refuse(("failure",), cursor.failure, "no failure of a run that has not failed")
    if cursor.place is None:
        if cursor.status in GOING or cursor.open is not None:
            raise refuse(("place",), cursor.place, f"a place, because the run is {cursor.status}")
    else:
        _check_place(table, table.places[cursor.place], cursor)


GOING = frozenset({Status.RUNNING, Status.PAUSED})
"""A run that is one of these has work or questions at a place."""


def _check_place(table: Table, place: Place, cursor: Cursor) -> None:
    if cursor.status is Status.COMPLETED:
        raise refuse(("place",), cursor.place, "no place, because the run has completed")
    if cursor.open is not None:
        _check_open(place, cursor.state, cursor.open)
    if cursor.status not in GOING:
        return
    settled = cursor.open is None or settle(place, cursor.state, cursor.open, (place.name,)) is not None
    if settled or not (pending(table, cursor) or list_questions(table, cursor)):
        raise refuse(("open",), cursor.open, f"work or a question, because the run is {cursor.status}")


def _check_open(place: Place, state: Any, opened: Open) -> None:
    """Refuse open work of a kind or size that the place cannot have."""
    if isinstance(opened, Task) and (place.call is None or opened.attempt < 1):
        raise refuse(("task",), opened, f"open work as {place.name!r} can have it")
    if isinstance(opened, Asked) and not isinstance(place.work, Pause):
        raise refuse(("asked",), opened, f"open work as {place.name!r} can have it")
    if isinstance(opened, Group):
        size = len(getattr(state, place.work.items)) if isinstance(place.work, Each) else len(place.parts)
        if len(opened.members) != size:
            raise refuse(("group",), len(opened.members), f"{size} members of {place.name!r}")
        for index, member in enumerate(opened.members):
            _check_open(part_at(place, index), state, member)


CURSOR_KEYS = frozenset({"version", *(field.name for field in attrs.fields(Cursor))})


def refuse(path: tuple[object, ...], value: object, expected: str, nearest: str | None = None) -> StateError:
    """Make the error of one value of a cursor."""
    return StateError("Cursor", (Fault(path, show_value(value), expected, nearest),))


def _expect(path: tuple[object, ...], value: Any, kind: Any) -> Any:
    if type(value) is not kind:
        raise refuse(path, value, kind.__name__)
    return value


def _read_object(data: Any, what: str, keys: frozenset[str]) -> dict[str, Any]:
    read: dict[str, Any] = _expect((what,), data, dict)
    if frozenset(read) != keys:
        raise refuse((what,), read, f"an object with the keys {', '.join(sorted(keys))}")
    return read


def _find_place(table: Table, name: Any) -> Place | None:
    if name is None:
        return None
    place = table.places.get(_expect(("place",), name, str))
    if place is None:
        raise refuse(("place",), name, "a place of the table", find_nearest(name, table.places))
    return place


def _read_status(value: Any) -> Status:
    try:
        return Status(value)
    except ValueError:
        raise refuse(("status",), value, f"one of {', '.join(Status)}") from None


def _read_row(table: Table, number: Any) -> int:
    if type(number) is not int or not 0 <= number < len(table.rows):
        raise refuse(("taken",), number, f"the number of a row, below {len(table.rows)}")
    return number


def _read_plain(data: Any, cls: type[T], path: str) -> T:
    try:
        return PLAIN.structure(data, cls)
    except (BaseValidationError, TypeError, ValueError, AttributeError) as error:
        raise refuse((path,), data, f"a {cls.__name__} as it is written ({error})") from None


def _read_open(place: Place, data: Any) -> Open:
    kind, value = _split(data)
    if kind == "task":
        return _read_plain(value, Task, "task")
    if kind == "asked":
        return Asked()
    if kind == "lost":
        return Lost(_read_plain(value, Failure, "lost"))
    if kind == "nested" and place.child is not None:
        return Nested(cursor_from_json(place.child, value))
    if kind == "group" and (place.parts or isinstance(place.work, Each)):
        members = [_read_member(place, index, each) for index, each in enumerate(_expect(("group",), value, list))]
        return Group(tuple(members))
    if kind == "done":
        return Done(find_codec(place.model.cls).read_fields(_expect(("done",), value, dict)))
    raise refuse(("open",), data, f"open work as {place.name!r} can have it")


def _read_member(place: Place, index: int, data: Any) -> Open:
    kind, value = _split(data)
    if kind == "item" and isinstance(place.work, Each):
        into = place.work.into
        return Done(find_codec(place.model.cls).read_fields({into: [value]})[into][0])
    if not isinstance(place.work, Each) and index >= len(place.parts):
        raise refuse(("group",), data, f"{len(place.parts)} members of {place.name!r}")
    return _read_open(part_at(place, index), data)


def _split(data: Any) -> tuple[str, Any]:
    pairs: list[tuple[str, Any]] = list(_expect(("open",), data, dict).items())
    if len(pairs) != 1:
        raise refuse(("open",), data, "an object with one key")
    return pairs[0]
