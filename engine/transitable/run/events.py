"""`Event`: what a run tells while it goes, and afterwards.

Responsible for: one flat kind of event, the same live and in the record. Not for: storing them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from transitable.model.frozen import FrozenDict
from transitable.model.rows import Row
from transitable.run.failures import Failure
from transitable.run.work import Address, Question, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transitable.model.state import StateModel


class EventKind(enum.StrEnum):
    """What an event tells."""

    STARTED = "started"
    """A place is visited."""
    EMITTED = "emitted"
    """A node called `context.emit`."""
    RETRIED = "retried"
    """An attempt failed and will be made again."""
    FINISHED = "finished"
    """The place was left by a row."""
    ASKED = "asked"
    """A question is open."""
    ANSWERED = "answered"
    """A question was answered."""
    ENDED = "ended"
    """The run is at rest."""


@attrs.frozen
class Event:
    """One thing that happened; fields that do not belong to its kind are None."""

    kind: EventKind
    step: int
    """The number of the step, counted from 1; in a graph inside, of the step there."""
    address: Address
    """Where: the place's name, then item numbers and names inside; empty for ENDED."""
    at: float
    """Seconds since the epoch, by the run's clock."""
    row: Row | None = None
    """FINISHED: the row taken."""
    changes: Mapping[str, Any] | None = None
    """FINISHED: the fields whose value changed; of a growing field the new items."""
    value: Any = None
    """EMITTED: the value; ANSWERED: the answer; ASKED: the question's text."""
    failure: Failure | None = None
    """RETRIED, FINISHED by an error row, ENDED when FAILED: the failure."""
    question: Question | None = None
    """ASKED and ANSWERED: the question."""
    status: Status | None = None
    """ENDED: how the run rests."""

    @property
    def place(self) -> str:
        """The address as text; empty for ENDED."""
        return "/".join(map(str, self.address))


def find_changes(model: StateModel, before: Any, after: Any) -> FrozenDict[str, Any]:
    """List the fields that are other objects than before; of a growing field the new items."""
    changes: dict[str, Any] = {}
    for name, old, new in zip(model.names, model.read(before), model.read(after), strict=True):
        if new is not old:
            changes[name] = new[len(old) :] if name in model.grown else new
    return FrozenDict(changes)


class Stretch(NamedTuple):
    """The start of a row of plain steps in a trail; the steps follow it as bare tuples."""

    state: Any
    """The state before the first of them."""
    step: int
    """How many steps were finished before."""
    started: float
    """When the first started, in seconds since the epoch."""


Step = tuple[Any, Any, float]
"""A plain step as the fast loop keeps it: the way taken, the state after it, the end in seconds since the epoch."""


def expand_trail(model: StateModel, trail: Iterable[Event | Stretch | Step]) -> tuple[Event, ...]:
    """Turn a trail into events; a plain step is two, STARTED and FINISHED."""
    events: list[Event] = []
    before, step, started = None, 0, 0.0
    for entry in trail:
        if isinstance(entry, Event):
            events.append(entry)
        elif isinstance(entry, Stretch):
            before, step, started = entry
        else:
            arc, after, finished = entry
            step += 1
            address = (arc.row.source,)
            changes = find_changes(model, before, after)
            events.append(Event(EventKind.STARTED, step, address, started))
            events.append(Event(EventKind.FINISHED, step, address, finished, row=arc.row, changes=changes))
            before, started = after, finished
    return tuple(events)
