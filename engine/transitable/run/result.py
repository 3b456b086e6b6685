"""`Run`: a run at rest.

Responsible for: what a caller gets. Not for: going on with it; that is `Graph.resume`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from transitable.errors import OptionError, RunCancelled, RunError, RunFailed, RunLimited, RunPaused
from transitable.run.events import expand_trail
from transitable.run.kernel import list_questions
from transitable.run.work import Status

if TYPE_CHECKING:
    from transitable.model.rows import Row
    from transitable.model.table import Table
    from transitable.run.events import Event
    from transitable.run.failures import Failure
    from transitable.run.session import Session
    from transitable.run.work import Cursor, Question

S = TypeVar("S")
ERRORS: dict[Status, type[RunError]] = {
    Status.FAILED: RunFailed,
    Status.PAUSED: RunPaused,
    Status.LIMIT: RunLimited,
    Status.CANCELLED: RunCancelled,
}


class Run(Generic[S]):
    """A run at rest: how it ended or why it waits, with its state and the path it took. It does not change."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def table(self) -> Table:
        """The table that it ran on."""
        return self._session.table

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self._session.run_id

    @property
    def status(self) -> Status:
        """How it rests."""
        return self._session.status

    @property
    def reason(self) -> str:
        """Why it rests; empty when it completed."""
        return self._session.reason

    @property
    def state(self) -> S:
        """The state of the last completed place."""
        return self._session.state  # type: ignore[no-any-return]  # the table's state class, which the graph's type names

    @property
    def place(self) -> str | None:
        """The place that is due; None after END."""
        return self._session.place.name if self._session.place is not None else None

    @property
    def steps(self) -> int:
        """How many steps are finished."""
        return self._session.step

    @property
    def failure(self) -> Failure | None:
        """What it failed with; None unless FAILED."""
        return self._session.failure

    @property
    def exception(self) -> BaseException | None:
        """The live exception that it failed with; None where it did not fail, or another process did."""
        failure = self._session.failure
        return failure.live if failure is not None else None

    @property
    def path(self) -> tuple[Row, ...]:
        """The rows taken, first row first."""
        return tuple(arc.row for arc in self._session.arcs)

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the places visited and left, in order."""
        return tuple(arc.row.source for arc in self._session.arcs)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The open questions, in address order; also of a run that stopped at a limit before all were answered."""
        return list_questions(self.table, self.cursor)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order.

        Raises:
            OptionError: If the run kept no events.
        """
        if self._session.trail is None:
            raise OptionError("keep_events", "this run kept no events", "keep_events=True when it is started")
        return expand_trail(self.table.model, self._session.trail)

    @property
    def seconds(self) -> float:
        """How long it has worked, by its clock; 0.0 for a run without a time limit."""
        return self._session.worked

    @property
    def cost(self) -> float:
        """What its nodes spent, in the unit of `max_cost`."""
        return self._session.cost

    @property
    def limits(self) -> tuple[int | None, float | None, float | None]:
        """Most steps, seconds and cost; None each for no limit."""
        return (self._session.max_steps, self._session.max_seconds, self._session.max_cost)

    @property
    def cursor(self) -> Cursor:
        """Where it is, as the kernel sees it; `taken` holds the last row."""
        return attrs.evolve(self._session.cursor(), taken=self.path[-1:])

    @property
    def session(self) -> Session:
        """The bookkeeping of the drivers, at rest; resuming copies from it."""
        return self._session

    def unwrap(self) -> S:
        """Give the final state of a run that completed.

        Raises:
            RunFailed: If it failed; the live exception is the cause.
            RunPaused: If it waits for answers.
            RunLimited: If it stopped at a limit.
            RunCancelled: If it was cancelled.
        """
        if self.status is Status.COMPLETED:
            return self.state
        raise ERRORS.get(self.status, RunError)(self) from self.exception

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what can be: a run inside an error keeps its text only."""
        return _restore_text, (repr(self), str(self.status), self.place, self.reason)

    def __repr__(self) -> str:
        where = f" at {self.place!r}" if self.place else ""
        return f"<Run {self.status}{where} after {self.steps} steps{': ' + self.reason if self.reason else ''}>"


class RunText:
    """What is left of a run that was pickled: how it rested, as text."""

    def __init__(self, text: str, status: str, place: str | None, reason: str) -> None:
        self.text = text
        self.status = status
        self.place = place
        self.reason = reason

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_text, (self.text, self.status, self.place, self.reason)


def _restore_text(text: str, status: str, place: str | None, reason: str) -> RunText:
    return RunText(text, status, place, reason)
