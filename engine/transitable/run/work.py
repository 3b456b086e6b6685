"""The values that say where a run is: cursor, open work, pending work, outcomes and questions.

Responsible for: plain frozen values, without behaviour. What happens to them is `transitable.run.kernel`.
"""

from __future__ import annotations

import enum
from typing import Any

import attrs

from transitable.model.rows import Row
from transitable.run.failures import Failure, describe_failure

Address = tuple[str | int, ...]
"""Where work stands: the place's name, then item numbers and names of places inside."""


class Status(enum.StrEnum):
    """How a run is."""

    RUNNING = "running"
    """On its way; only seen on the handle of a run that is not at rest."""
    PAUSED = "paused"
    """Waits for the answers to open questions."""
    COMPLETED = "completed"
    """Reached END."""
    FAILED = "failed"
    """A failure that no row catches, or a broken invariant; the work is kept and can be resumed."""
    LIMIT = "limit"
    """Stopped at a step, time or cost limit; can be resumed with more."""
    CANCELLED = "cancelled"
    """Cancelled from outside, also when a cancel row led it to END."""


@attrs.frozen
class Task:
    """An attempt to make."""

    attempt: int = 1
    """Which one; the first is 1."""
    not_before: float | None = None
    """The earliest time in seconds since the epoch; None for at once."""


@attrs.frozen
class Done:
    """Work that finished, with its frozen update, result or answer."""

    value: Any


@attrs.frozen
class Lost:
    """Work that failed and will not be tried again by itself."""

    failure: Failure


@attrs.frozen
class Asked:
    """A question that waits for its answer."""


@attrs.frozen
class Group:
    """The open work of `each` or `together`, in item order."""

    members: tuple[Open, ...]


@attrs.frozen
class Nested:
    """The run of a graph inside."""

    cursor: Cursor


Open = Task | Done | Lost | Asked | Group | Nested
"""The work of one place, open or settled."""


@attrs.frozen
class Cursor:
    """Where a run is: all that it needs to go on."""

    state: Any
    """The state of the last completed place."""
    place: str | None
    """The place that is due; None after END."""
    step: int = 0
    """How many steps are finished."""
    open: Open | None = None
    """The work of the place; None when it has not been opened, or after END."""
    status: Status = Status.RUNNING
    reason: str = ""
    """Why it is not running; empty while it is, and when it completed."""
    failure: Failure | None = None
    """What it failed with; None unless FAILED."""
    taken: tuple[Row, ...] = ()
    """The rows taken by the last `begin` or `advance`."""
    written: frozenset[str] = frozenset()
    """The fields written so far; kept for graphs inside, which hand them back."""


@attrs.frozen
class Work:
    """Work that may run now."""

    address: Address
    place: Any
    """What runs there; `place.call` is the function."""
    argument: Any
    """The state, or the item of `each`."""
    key: str
    """The same for every attempt at this work, so that an effect outside can be made once."""
    attempt: int
    not_before: float | None
    """The earliest time in seconds since the epoch; None for at once."""


@attrs.frozen
class Question:
    """A question that is open."""

    id: str
    """Names the question in this run; a later visit of the same place asks under another id."""
    address: Address
    text: Any
    """The text, or the value of the field that the pause asks with."""
    answer: Any
    """The type of the answer."""


@attrs.frozen
class Outcome:
    """What became of a piece of work; made by `done`, `raised` and `answered`."""

    kind: str
    """`done`, `raised` or `answered`."""
    value: Any


def done(value: Any = None) -> Outcome:
    """The work finished with this update or result."""
    return Outcome("done", value)


def raised(failure: Failure | Exception) -> Outcome:
    """The attempt failed, with an exception or with what another process wrote down of one."""
    return Outcome("raised", failure if isinstance(failure, Failure) else describe_failure(failure, ""))


def answered(value: Any) -> Outcome:
    """The question is answered."""
    return Outcome("answered", value)
