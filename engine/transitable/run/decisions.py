"""All that a run decides: what an update makes of a state, and which row is taken.

Responsible for: pure functions from values to values, used by the kernel and by both drivers. Not for: who calls the
nodes (`transitable.run.sync`, `transitable.run.aio`), nor for open work (`transitable.run.kernel`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from transitable.errors import UpdateError, find_nearest
from transitable.model.nodes import name_of
from transitable.model.shapes import DICT, Attribute, Fault, is_mapping, show_value
from transitable.run.failures import REFUSED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from transitable.model.table import Arc, Place, Table
    from transitable.run.failures import Failure

NOTHING: Mapping[str, Any] = {}


def decide(place: Place, state: Any, update: Any, values: list[Any] | None = None) -> tuple[Any, Arc]:
    """Apply the update of a place that completed, and choose the way on.

    Args:
        place: The place.
        state: The state that it was given.
        update: What it handed back; None changes nothing.
        values: All fields of the state in order, where the caller has them at hand; brought up to the next state. After
            an error they are of no use. None reads them.

    Returns:
        The next state and the way taken.

    Raises:
        UpdateError: If the update is refused; every fault at once.
    """
    if type(update) is not DICT:
        update = _read_update(place, update)
    if values is None:
        values = [*place.read(state)]
    quick_of = place.quick
    for name in update:
        if name not in quick_of:
            _refuse(place, state, update)
        index, quick = quick_of[name]
        value = update[name]
        if type(value) in quick:
            values[index] = value
        else:
            _admit(place, state, update, name, values)
    arc = place.arc
    if arc is None:
        arc = _choose(place, state, update, values)
    if arc.count >= 0:
        arc = _take_bounded(arc, values)
    elif not update:
        return state, arc
    if place.builder is not None:
        try:
            return place.builder(*values), arc
        except Exception:  # noqa: BLE001, S110  # the class's own validators; told by the full look that follows
            pass
    faults: list[Fault] = []
    made = place.model.make(values, faults, place.counts)
    if faults:
        raise UpdateError(place.name, tuple(faults))
    if place.root is not None and read_label(place, place.read(made)) is not read_label(place, values):
        faults.append(_tell_altered(place, made))
        raise UpdateError(place.name, tuple(faults))
    values[:] = place.read(made)
    return made, arc


def read_label(place: Place, values: Sequence[Any]) -> Any:
    """Read what the branch of a place reads, from all fields in order; None when something on the way is None."""
    label = values[place.index]
    for name in place.field_path[1:]:
        label = None if label is None else getattr(label, name)
    return label


def _tell_altered(place: Place, made: Any) -> Fault:
    came = f"{show_value(read_label(place, place.read(made)))}, made by the class itself"
    return Fault((place.root,), came, "what the place wrote: the branch has been chosen by it")


def _choose(place: Place, state: Any, update: Mapping[str, Any], values: list[Any]) -> Arc:
    if place.root not in update and not place.given:
        _refuse(place, state, update)
    arc = place.arcs.get(read_label(place, values))
    if arc is None:
        _refuse(place, state, update)
    return arc


def _admit(place: Place, state: Any, update: Mapping[str, Any], name: str, values: list[Any]) -> None:
    slot = place.slots[name]
    faults: list[Fault] = []
    values[slot.index] = slot.admit(update[name], values[slot.index], faults)
    if faults:
        _refuse(place, state, update)


def _read_update(place: Place, update: Any) -> Mapping[str, Any]:
    if update is None:
        return NOTHING
    if is_mapping(update):
        try:
            return dict(update)
        except Exception as error:  # a foreign mapping may raise anything
            came = f"a mapping that cannot be read ({type(error).__name__}: {error})"
            raise UpdateError(place.name, (Fault((), came, "a mapping of changed fields, or None"),)) from error
    expected = "a mapping of changed fields, or None"
    if hasattr(update, "__await__"):
        expected += "; this is awaitable: make the node `async def` and use arun"
    raise UpdateError(place.name, (Fault((), show_value(update), expected),))


def _take_bounded(arc: Arc, values: list[Any]) -> Arc:
    most = arc.limit if arc.limit_field < 0 else min(arc.limit, values[arc.limit_field])
    if values[arc.count] < most:
        values[arc.count] += 1
        return arc
    return arc.spent


def find_faults(place: Place, state: Any, update: Mapping[Any, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """Look at every field of an update: the frozen values, and all faults."""
    faults: list[Fault] = []
    frozen: dict[str, Any] = {}
    for name, value in update.items():
        slot = place.slots.get(name)
        if slot is None:
            faults.append(_explain_unknown(place, name, value))
            continue
        frozen[name] = slot.admit_part(value, getattr(state, name), faults)
    return frozen, faults


def _explain_unknown(place: Place, name: Any, value: object) -> Fault:
    path, came = (name,), show_value(value)
    if name in place.model.shapes:
        if place.declared is not None and name not in place.declared:
            return Fault(
                path,
                came,
                f"only the fields that {place.name!r} is annotated to write: {', '.join(place.slots) or 'none'}",
            )
        return Fault(path, came, f"nothing: {_say_who_writes(place, name)}")
    return Fault(path, came, f"a field of {place.model.cls.__qualname__}", find_nearest(name, place.model.names))


def _say_who_writes(place: Place, name: str) -> str:
    if place.model.index[name] in place.counts:
        return "this is a count, and only the engine writes counts"
    if name in place.model.derived:
        return f"{place.model.cls.__qualname__} sets this field itself (init=False)"
    return "a branch reads this field as given, so no node writes it without declaring it"


def _refuse(place: Place, state: Any, update: Mapping[str, Any]) -> NoReturn:
    frozen, faults = find_faults(place, state, update)
    if place.by is not None and not place.given and place.root not in update:
        nearest = find_nearest(place.root, update)
        faults.append(
            Fault(
                (place.root,),
                "nothing",
                f"a value: the branch at {place.name!r} reads what the place has just written",
                nearest,
            )
        )
    elif place.by is not None and not faults:
        label: Any = frozen.get(place.root or "", getattr(state, place.root or "", None))
        for name in place.field_path[1:]:
            label = None if label is None else getattr(label, name)
        path = (place.root, *(Attribute(name) for name in place.field_path[1:]))
        faults.append(
            Fault(
                path,
                show_value(label),
                f"one of the values that {place.name!r} has a row for: {', '.join(map(repr, place.arcs))}",
            )
        )
    raise UpdateError(place.name, tuple(faults))


def freeze_update(place: Place, state: Any, update: Any) -> dict[str, Any]:
    """Check and freeze an update without applying it, for a part of a composite that finishes before the others.

    Raises:
        UpdateError: If it is refused.
    """
    given = _read_update(place, update)
    frozen, faults = find_faults(place, state, given)
    if faults:
        raise UpdateError(place.name, tuple(faults))
    return frozen


def find_error_arc(place: Place, failure: Failure) -> Arc | None:
    """Find the error row of a failure: the first of its class names that has one."""
    names = (REFUSED,) if failure.refused else failure.names
    return next((place.errors[name] for name in names if name in place.errors), None)


def decide_failure(table: Table, place: Place, state: Any, failure: Failure) -> tuple[Any, Arc] | None:
    """Choose the way of a failure, and let the table's `note` write it into the state; None when no row catches it.

    Raises:
        UpdateError: If `note` hands back an update that is refused.
    """
    arc = find_error_arc(place, failure)
    return None if arc is None else _follow(table, place, state, arc, failure)


def decide_cancel(table: Table, place: Place, state: Any, failure: Failure) -> tuple[Any, Arc] | None:
    """Take the cancel row of a place; None when it has none.

    Raises:
        UpdateError: If `note` hands back an update that is refused.
    """
    return None if place.cancel is None else _follow(table, place, state, place.cancel, failure)


def _follow(table: Table, place: Place, state: Any, arc: Arc, failure: Failure) -> tuple[Any, Arc]:
    values = list(table.model.read(state))
    if arc.count >= 0:
        arc = _take_bounded(arc, values)
    update = _read_update(place, table.note(state, failure, arc.row)) if table.note is not None else NOTHING
    faults: list[Fault] = []
    open_slots = table.note_slots
    for name, value in update.items():
        slot = open_slots.get(name)
        if slot is None:
            expected = f"a field of {table.model.cls.__qualname__} that a place may write; this is what `note` wrote"
            faults.append(Fault((name,), show_value(value), expected, find_nearest(name, open_slots)))
            continue
        values[slot.index] = slot.admit(value, values[slot.index], faults)
    made = None if faults else table.model.make(values, faults, place.counts)
    if faults:
        raise UpdateError(place.name, tuple(faults))
    return made, arc


def find_broken_invariant(table: Table, state: Any) -> str | None:
    """Check the table's invariants on a state; the name of the first that is broken, with the reason, or None."""
    for invariant in table.invariants:
        try:
            holds = invariant(state)
        except Exception as error:  # noqa: BLE001  # the user's predicate may raise anything; then it does not hold
            return f"{name_of(invariant) or repr(invariant)} ({type(error).__name__}: {error})"
        if not holds:
            return name_of(invariant) or repr(invariant)
    return None
