"""`Session`: a run on its way, in this process.

Responsible for: the mutable bookkeeping that both drivers share: where the run is, its limits, events, cancellation and
end. Every decision comes from `transitable.run.kernel` and `transitable.run.decisions`. Not for: calling nodes.
"""

from __future__ import annotations

import os
import sys
from copy import copy
from typing import TYPE_CHECKING, Any

import attrs

from transitable.errors import DriverError
from transitable.model.rows import RowKind
from transitable.run.decisions import decide_cancel, find_broken_invariant
from transitable.run.events import Event, EventKind, Stretch, find_changes
from transitable.run.failures import Failure, describe_failure
from transitable.run.kernel import WAITING, conclude, list_questions, open_place, settle
from transitable.run.policy import SYSTEM_CLOCK, system_random
from transitable.run.result import Run
from transitable.run.work import Cursor, Done, Lost, Nested, Status, Task

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable

    from transitable.model.table import Arc, Place, Table
    from transitable.run.events import Step
    from transitable.run.policy import Clock, RunOptions
    from transitable.run.work import Address, Open

CANCELLED = Failure(("transitable.Cancelled",), "the run was cancelled", "")


class Session:
    """A run on its way; `top` is the run itself, the others are runs of graphs inside."""

    # Class-level defaults, so that starting a run costs little; an instance sets what differs.
    open: Open | None = None
    status = Status.RUNNING
    reason = ""
    failure: Failure | None = None
    address: Address = ()
    key_prefix = ""
    written: set[str] | None = None
    started = 0.0
    told = False
    """Whether STARTED was told for the place that is due."""
    known_id: str | None = None
    """The name of the run; None until it is given or first asked for."""
    clock: Clock = SYSTEM_CLOCK
    random: Callable[[], float] = staticmethod(system_random)
    max_steps: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    check_invariants = False
    cost = 0.0
    worked = 0.0
    since: float | None = None
    trail: list[Event | Stretch | Step] | None = None
    live: deque[Event] | None = None
    wake: Callable[[], None] | None = None
    """Called when an event is there for a listener."""
    on_cancel: Callable[[], object] | None = None
    """Called when the run is cancelled while work is in flight."""
    cancels = 0
    cancels_seen = 0
    cancelling = False
    working = False
    """Whether a driver is at work on the place that is due."""
    quiet = True
    """Whether plain places may be run without looking at anything but the step limit."""

    def __init__(
        self, table: Table, state: Any, place: Place | None, step: int = 0, top: Session | None = None
    ) -> None:
        self.table = table
        self.state = state
        self.place = place
        self.step = step
        self.top = top or self
        self.arcs: list[Arc] = []
        # What every run reads is set here, because a default on the class is slower to read.
        self.open = None
        self.status = Status.RUNNING
        self.quiet = True
        self.trail = None
        self.live = None
        self.written = None
        self.max_steps = None

    def set_options(self, options: RunOptions) -> None:
        """Take over the options of the run."""
        for name, value in options.items():
            if name == "keep_events":
                self.trail = [] if value else None
            else:
                setattr(self, "known_id" if name == "run_id" else name, value)
        self.set_limits(self.max_steps, self.max_seconds, self.max_cost)

    def set_limits(self, max_steps: int | None, max_seconds: float | None, max_cost: float | None) -> None:
        """Take over limits; None each for none."""
        self.max_steps, self.max_seconds, self.max_cost = max_steps, max_seconds, max_cost
        self.quiet = max_seconds is None and max_cost is None and not self.check_invariants

    def set_cursor(self, cursor: Cursor) -> None:
        """Go on where a cursor is."""
        self.state, self.step, self.open = cursor.state, cursor.step, cursor.open
        self.place = self.table.places[cursor.place] if cursor.place is not None else None

    def open_child(self, table: Table, cursor: Cursor, address: Address) -> Session:
        """Make the session of a graph inside."""
        child = Session(table, None, None, 0, self.top)
        child.set_cursor(cursor)
        child.address = address
        child.key_prefix = f"{self.key_prefix}{self.step}:{'/'.join(map(str, address))}:"
        child.clock, child.random = self.clock, self.random
        child.written = set(cursor.written)
        child.quiet = self.top.quiet and self.top.trail is None
        return child

    @property
    def run_id(self) -> str:
        """The name of the run; made when it is first asked for."""
        if self.known_id is None:
            self.known_id = os.urandom(8).hex()
        return self.known_id

    # -- where it is

    def cursor(self) -> Cursor:
        """Give the place of the run as a value."""
        return Cursor(
            self.state,
            self.place.name if self.place is not None else None,
            self.step,
            self.open,
            self.status,
            self.reason,
            self.failure,
            written=frozenset(self.written or ()),
        )

    def make_run(self) -> Run[Any]:
        """Give the run as it is now, for a session that goes on."""
        snapshot = copy(self)
        snapshot.top = snapshot
        snapshot.arcs = list(self.arcs)
        snapshot.trail = list(self.trail) if self.trail is not None else None
        snapshot.known_id = self.run_id
        snapshot.worked, snapshot.since = self.seconds, None
        return Run(snapshot)

    @property
    def seconds(self) -> float:
        """How long the run has worked, without the time that it rested; 0.0 when nothing timed it."""
        return self.worked + (max(0.0, self.clock.now() - self.since) if self.since is not None else 0.0)

    def find_deadline(self, timeout: float | None) -> float | None:
        """Say when an attempt that starts now has to be done; None for never."""
        top = self.top
        ends = [] if timeout is None else [self.clock.now() + timeout]
        if top.max_seconds is not None:
            ends.append(self.clock.now() + max(0.0, top.max_seconds - top.seconds))
        return min(ends, default=None)

    def find_wait(self, task: Task) -> float:
        """Say how many seconds to wait before an attempt; no longer than the run may work."""
        if task.not_before is None:
            return 0.0
        deadline = self.find_deadline(None)
        until = task.not_before if deadline is None else min(task.not_before, deadline)
        return until - self.clock.now()

    # -- before a step

    def find_stop(self) -> str | None:
        """Say why the run must not start anything more; None when it may."""
        top = self.top
        if top.cancels > top.cancels_seen:
            return "cancelled"
        if top.max_seconds is not None and top.seconds >= top.max_seconds:
            return f"it has worked for {top.seconds:.3f} s; max_seconds is {top.max_seconds}"
        if top.max_cost is not None and top.cost >= top.max_cost:
            return f"it has spent {top.cost}; max_cost is {top.max_cost}"
        return None

    def prepare(self) -> bool:
        """Get ready for a step; False when there is none to make now.

        Raises:
            DriverError: If another caller is in the middle of one.
        """
        if self.working:
            raise DriverError("this run is under way already", "wait for the one that drives it")
        if self.max_seconds is not None and self.since is None:
            self.since = self.clock.now()
        while self.place is not None:
            stop = self.find_stop()
            if stop == "cancelled":
                if self.top is not self or not self._take_cancel():
                    return False
                continue
            if self.max_steps is not None and self.step >= self.max_steps:
                stop = f"it has made {self.step} steps; max_steps is {self.max_steps}"
            if stop is not None:
                self._rest_at_limit(stop)
                return False
            self._start_place(self.place)
            self.working = True  # from here on another driver is refused; the step's end gives it free
            return True
        self.end()
        return False

    def _start_place(self, place: Place) -> None:
        if self.open is None:
            self.open = open_place(place, self.state)
        if self.is_observed and not self.told:
            self.started = self.clock.now()
            self.told = True
            self.record(Event(EventKind.STARTED, self.step + 1, (*self.address, place.name), self.started))

    def _rest_at_limit(self, reason: str) -> None:
        if self.top is self:
            self.rest(Status.LIMIT, reason)

    def _take_cancel(self) -> bool:
        """Follow the cancel row of the place; False when the run stops instead."""
        assert self.place is not None  # noqa: S101  # asked only before a step
        self.cancels_seen += 1
        if self.cancels > self.cancels_seen or self.cancelling or self.table.cancel_target is None:
            self.cancels_seen = self.cancels
            self.rest(Status.CANCELLED, "cancelled from outside")
            return False
        self.cancelling = True
        try:
            moved = decide_cancel(self.table, self.place, self.state, attrs.evolve(CANCELLED, place=self.place.name))
        except Exception as error:  # noqa: BLE001  # the caller's `note` may raise anything; the run fails with that
            self.rest(Status.FAILED, f"{self.place.name}: {error}", describe_failure(error, self.place.name))
            return False
        if moved is not None:
            self.move(*moved, None)
        return self.status is Status.RUNNING

    # -- after a step

    def settle(self) -> None:
        """Take in what the work of the place came to."""
        assert self.place is not None and self.open is not None  # noqa: PT018, S101  # called after prepare
        result = settle(self.place, self.state, self.open, (self.place.name,))
        if result is not None:
            self.finish_place(result)
        elif self.find_stop() is None and not self.has_task_left():
            self.rest(Status.PAUSED, WAITING)

    def has_task_left(self) -> bool:
        """Whether some of the open work could run now; only after a stop, because drivers do all that can run."""
        return isinstance(self.open, Nested) and self.open.cursor.status is Status.RUNNING

    def finish_place(self, result: Done | Lost) -> None:
        """Leave the place by the row that its result has, or fail there."""
        assert self.place is not None  # noqa: S101  # called after prepare
        moved = conclude(self.table, self.place, self.state, result)
        if isinstance(moved, Failure):
            if self.open is None or isinstance(self.open, (Done, Task)):
                self.open = Lost(moved)  # what was refused is not kept: only checked values are
            self.rest(Status.FAILED, f"{self.place.name}: {moved}", moved)
        else:
            self.move(*moved)

    def move(self, state: Any, arc: Arc, result: Done | Lost | None) -> None:
        """Record a row taken, and go to its target."""
        if self.is_observed:
            now = self.clock.now()
            self.record(
                Event(
                    EventKind.FINISHED,
                    self.step + 1,
                    (*self.address, arc.row.source),
                    now,
                    row=arc.row,
                    changes=find_changes(self.table.model, self.state, state),
                    failure=result.failure
                    if isinstance(result, Lost)
                    else attrs.evolve(CANCELLED, place=arc.row.source)
                    if arc.row.kind is RowKind.CANCEL
                    else None,
                )
            )
        if self.written is not None:
            self.written.update(
                result.value or () if isinstance(result, Done) else find_changes(self.table.model, self.state, state)
            )
        self.arcs.append(arc)
        self.state, self.place, self.open, self.told = state, arc.place, None, False
        self.step += 1
        if self.top.check_invariants:
            broken = find_broken_invariant(self.table, state)
            if broken is not None:
                self.rest(Status.FAILED, f"invariant broken: {broken}")
                return
        if arc.place is None:
            self.end()

    def count_plain_steps(self) -> int:
        """Say how many plain steps may be made in a row; 0 when the place that is due has open work."""
        if self.open is not None:
            return 0
        return sys.maxsize if self.max_steps is None else max(0, self.max_steps - self.step)

    def watch_steps(self) -> Callable[[Any], None] | None:
        """Start a row of plain steps in the trail; gives what takes each of them, None when no events are kept."""
        if self.trail is None:
            return None
        self.trail.append(Stretch(self.state, self.step, self.clock.now()))
        return self.trail.append

    def close_steps(self, error: Exception | None) -> None:
        """Take in the end of a row of plain steps: END, an error, or a place of another kind."""
        if error is not None and self.place is not None:
            self.prepare()  # there is room for this step, or the node would not have been called
            self.working = False
            self.finish_place(Lost(self.describe(error, (*self.address, self.place.name))))
        elif self.place is None:
            self.end()

    def end(self) -> None:
        """Reach END: check the invariants and rest."""
        broken = find_broken_invariant(self.table, self.state) if self.table.invariants else None
        if broken is not None:
            self.rest(Status.FAILED, f"invariant broken: {broken}")
        elif self.cancelling or self.cancels > self.cancels_seen:
            self.rest(Status.CANCELLED, "cancelled from outside")
        else:
            self.rest(Status.COMPLETED, "")

    def rest(self, status: Status, reason: str, failure: Failure | None = None) -> None:
        """Stop here."""
        self.status, self.reason, self.failure = status, reason, failure
        if self.since is not None:
            self.worked, self.since = self.seconds, None
        if self.top is not self or (self.trail is None and self.live is None):
            return
        now = self.clock.now()
        if status is Status.PAUSED:
            for question in list_questions(self.table, self.cursor()):
                self.record(
                    Event(EventKind.ASKED, self.step + 1, question.address, now, value=question.text, question=question)
                )
        self.record(Event(EventKind.ENDED, self.step, (), now, failure=failure, status=status, value=reason or None))

    # -- failures and events

    def describe(self, error: Exception, address: Address, attempt: int = 1) -> Failure:
        """Turn an exception into data."""
        return describe_failure(error, "/".join(map(str, address[len(self.address) :])), attempt)

    @property
    def is_observed(self) -> bool:
        """Whether anybody wants the events."""
        return self.top.trail is not None or self.top.live is not None

    def record(self, event: Event, *, keep: bool = True) -> None:
        """Tell an event to the record and to whoever listens."""
        top = self.top
        if keep and top.trail is not None:
            top.trail.append(event)
        if top.live is not None:
            top.live.append(event)
            if top.wake is not None:
                top.wake()

    def _is_closing(self) -> bool:
        """Whether the work in flight is in the closing part, which a first cancel lets finish."""
        here = self.place
        return self.cancels == 1 and self.table.cancel_target is not None and here is not None and here.cancel is None

    def tell_change(self) -> None:
        """Wake whoever waits for a change of the run from outside."""
        if self.on_cancel is not None and not self._is_closing():
            self.on_cancel()
        if self.wake is not None:
            self.wake()

    def emit(self, address: Address, value: Any, *, keep: bool) -> None:
        """Tell what a node emitted."""
        if self.is_observed:
            self.record(Event(EventKind.EMITTED, self.step + 1, address, self.clock.now(), value=value), keep=keep)

    def tell_retry(self, address: Address, failure: Failure) -> None:
        """Tell that an attempt failed and is made again."""
        if self.is_observed:
            self.record(Event(EventKind.RETRIED, self.step + 1, address, self.clock.now(), failure=failure))
