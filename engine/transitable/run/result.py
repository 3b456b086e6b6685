"""`Run`: a run at rest.

Responsible for: what a caller gets. Not for: going on with it; that is `Graph.resume`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from transitable.errors import OptionError, RunCancelled, RunError, RunFailed, RunLimited, RunPaused
from transitable.run.events import expand_trail
from transitable.run.kernel import list_questions
from transitable.run.work import Cursor, Status

if TYPE_CHECKING:
    from transitable.model.rows import Row
    from transitable.run.events import Event
    from transitable.run.session import Session
    from transitable.run.work import Question

S = TypeVar("S")
ERRORS: dict[Status, type[RunError]] = {
    Status.FAILED: RunFailed,
    Status.PAUSED: RunPaused,
    Status.LIMIT: RunLimited,
    Status.CANCELLED: RunCancelled,
}


class Run(Generic[S]):
    """A run at rest: how it ended or why it waits, with its state and the path it took. It does not change."""

    __slots__ = ("_session", "arcs", "cost", "exceptions", "failure", "limits", "place_due", "reason", "seconds", "state", "status", "steps", "table", "trail", "work", "written")  # fmt: skip

    def __init__(self, session: Session) -> None:
        self._session = session
        self.table = session.table
        self.state: S = session.state
        """The state of the last completed place."""
        self.status = session.status
        """How it rests."""
        self.reason = session.reason
        """Why it rests; empty when it completed."""
        self.failure = session.failure
        """What it failed with; None unless FAILED."""
        self.steps = session.step
        """How many steps are finished."""
        self.arcs = tuple(session.arcs)
        """The ways taken, as the drivers see them; `path` has the rows."""
        self.work = session.open
        """The open work of the place that is due; None where there is none."""
        self.place_due = session.place
        self.written = session.written
        self.limits = (session.max_steps, session.max_seconds, session.max_cost)
        """Most steps, seconds and cost; None each for no limit."""
        self.seconds = session.worked if session.since is None else session.seconds
        """How long it has worked, by its clock; 0.0 for a run without a time limit."""
        self.cost = session.cost
        """What its nodes spent, in the unit of `max_cost`."""
        self.exceptions = session.exceptions
        """The live exceptions by place and message; None where none was raised in this process."""
        self.trail = tuple(session.trail) if session.trail is not None else None
        """The events in their compact form; None when none were kept."""

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self._session.run_id

    @property
    def cursor(self) -> Cursor:
        """Where it is, as the kernel sees it."""
        return Cursor(
            self.state,
            self.place,
            self.steps,
            self.work,
            self.status,
            self.reason,
            self.failure,
            taken=self.path[-1:],
            written=frozenset(self.written or ()),
        )

    @property
    def exception(self) -> BaseException | None:
        """The live exception that it failed with; None where it did not fail, or another process did."""
        if self.failure is None or self.exceptions is None:
            return None
        return self.exceptions.get((self.failure.place, self.failure.message))

    @property
    def place(self) -> str | None:
        """The place that is due; None after END."""
        return self.place_due.name if self.place_due is not None else None

    @property
    def path(self) -> tuple[Row, ...]:
        """The rows taken, first row first."""
        return tuple(arc.row for arc in self.arcs)

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the places visited and left, in order."""
        return tuple(arc.row.source for arc in self.arcs)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The open questions; empty unless PAUSED."""
        return list_questions(self.table, self.cursor)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order.

        Raises:
            OptionError: If the run kept no events.
        """
        if self.trail is None:
            raise OptionError("keep_events", "this run kept no events", "keep_events=True when it is started")
        return expand_trail(self.table.model, self.trail)

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
