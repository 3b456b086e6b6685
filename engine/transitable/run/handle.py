"""`Handle`: a run in the caller's hands.

Responsible for: going on step by step, listening, answering, cancelling, and resuming a run at rest. `Graph.run`,
`arun`, `stream` and `astream` are short uses of it. Not for: the loops (`transitable.run.sync`, `transitable.run.aio`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from transitable.errors import AnswerError, ResumeError
from transitable.run import sync
from transitable.run.events import Event, EventKind
from transitable.run.kernel import find_pause, freeze_answer, list_questions, put, reopen_cursor
from transitable.run.policy import DriverOptions, ResumeOptions, RunOptions, check_options
from transitable.run.result import Run
from transitable.run.session import Session
from transitable.run.threads import bind_to_loop
from transitable.run.work import Status, answered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from transitable.model.table import Table

S = TypeVar("S")


class Handle(Generic[S]):
    """A run that has been started, or is to be resumed. Iterate it for its events; `run` is where it is now.

    It goes on only while it is iterated or finished; at a pause, iteration ends: answer, and iterate again.
    """

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session
        session.quiet = False  # who has a handle may cancel, so every step looks for that

    @property
    def run(self) -> Run[S]:
        """The run as it is now; RUNNING when it is not at rest."""
        return self._session.make_run()

    @property
    def status(self) -> Status:
        """How the run is now."""
        return self._session.status

    def finish(self) -> Run[S]:
        """Go on until the run is at rest, without listening.

        Raises:
            DriverError: If the graph has async places, or an event loop is running.
        """
        sync.refuse_async(self._session.table)
        sync.run_to_rest(self._session)
        return self.run

    async def afinish(self) -> Run[S]:
        """Go on until the run is at rest, without listening."""
        await self._drive()
        return self.run

    def __iter__(self) -> Iterator[Event]:
        """Go on, and give each event as it happens; what a sync node emits comes once it returns.

        Raises:
            DriverError: If the graph has async places, or an event loop is running.
        """
        sync.refuse_async(self._session.table)
        return self._listen()

    def _listen(self) -> Iterator[Event]:
        session = self._session
        live = self._open_live()
        while session.status is Status.RUNNING and session.prepare():
            try:
                while live:
                    yield live.popleft()
                sync.take_step(session)
            finally:
                session.working = False  # also when the listener leaves between the start of a step and its work
            while live:
                yield live.popleft()
        while live:
            yield live.popleft()

    def _open_live(self) -> deque[Event]:
        session = self._session
        if session.trail is None:
            session.trail = []
        if session.live is None:
            session.live = deque()
        return session.live

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Go on beside the caller, and give each event as it happens."""
        import asyncio  # the async door: asyncio is loaded by who uses it

        session = self._session
        live = self._open_live()
        changed = asyncio.Event()
        session.wake = bind_to_loop(changed.set)
        task = asyncio.ensure_future(self._drive())
        task.add_done_callback(lambda _task: changed.set())
        try:
            while True:
                changed.clear()
                while live:
                    yield live.popleft()
                if task.done():
                    break
                await changed.wait()
            await task
        finally:
            session.wake = None
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _drive(self) -> None:
        """Run to rest; a cancelled run interrupts the work in flight and goes on with its cancel row."""
        import asyncio  # the async door: asyncio is loaded by who uses it

        from transitable.run import aio  # as above

        session = self._session
        while session.status is Status.RUNNING and session.prepare():
            work = asyncio.ensure_future(aio.take_step(session))
            session.on_cancel = bind_to_loop(work.cancel)
            try:
                await asyncio.wait({work})
            finally:
                session.on_cancel = None
                if not work.done():
                    work.cancel()
                    await asyncio.gather(work, return_exceptions=True)
                session.working = False  # also when the step was cancelled before it began
            if not work.cancelled() and (error := work.exception()) is not None:
                raise error
            if work.cancelled() and session.cancels <= session.cancels_seen:
                raise asyncio.CancelledError

    def cancel(self) -> None:
        """Cancel the run: take the cancel row of where it is, or stop; a second cancel stops in any case.

        A sync node that is running finishes first; an async one is interrupted, unless it stands in the part behind
        `on_cancel`. A paused run goes on with its cancel row when it is iterated or finished.
        """
        session = self._session
        session.cancels += 1
        if session.status is Status.PAUSED:
            session.status, session.reason = Status.RUNNING, ""
        session.tell_change()

    def answer(self, question: str, value: Any) -> None:
        """Answer an open question; iterate or finish the handle to go on.

        Args:
            question: The question's id.
            value: An instance of the pause's answer type.

        Raises:
            AnswerError: If the id is unknown or stale, the answer does not fit, or the run is under way just now; the
                question stays open.
        """
        answer_question(self._session, question, value)


def answer_question(session: Session, question: str, value: Any) -> None:
    """Take an answer into a session.

    Raises:
        AnswerError: If it is refused; nothing has changed.
    """
    open_now = {each.id: each for each in list_questions(session.table, session.cursor())}
    if session.working:
        raise AnswerError(str(question), "the run is under way; answer once it has paused", tuple(open_now))
    asked = open_now.get(question)
    if asked is None or session.place is None or session.open is None:
        stem = str(question).split("@")[0]
        is_stale = any(each.split("@")[0] == stem for each in open_now)
        reason = "it was asked at an earlier visit" if is_stale else "there is no such open question"
        raise AnswerError(str(question), reason, tuple(open_now))
    address, now = asked.address, session.clock.now()
    try:
        value = freeze_answer(find_pause(session.place, address[1:]), value, question)  # for the event, too
        inside = {address[1:]: answered(value)}
        session.open = put(session.place, session.state, session.open, address[:1], inside, now, session.random)
    except AnswerError as error:
        raise AnswerError(question, error.reason, tuple(open_now)) from error
    session.status, session.reason = Status.RUNNING, ""
    if session.is_observed:
        session.record(Event(EventKind.ANSWERED, session.step + 1, address, now, value=value, question=asked))


def start_session(table: Table, state: Any, options: RunOptions) -> Session:
    """Start a run.

    Raises:
        StateError: If the state does not fit its class.
        ResumeError: If it is a run.
        OptionError: If an option is unknown or out of range.
    """
    if options:
        check_options(options)
    if type(state) is not table.model.cls and isinstance(state, Run):
        raise ResumeError(str(state.status), "it has been started; use resume(run, answers=...)")
    assert table.start is not None  # noqa: S101  # a graph is only built when the checks found its start
    session = Session(table, table.model.admit(state, table.count_positions), table.start)
    if options:
        session.set_options(options)
    return session


def is_run(thing: object) -> bool:
    """Tell whether something is a run; callers without a type checker hand in handles and states."""
    return isinstance(thing, Run)


def resume_session(table: Table, run: Run[Any], options: ResumeOptions) -> Session:
    """Make the session that goes on with a run at rest.

    Args:
        table: The graph's table.
        run: A run of this table that is PAUSED, FAILED or LIMIT, or RUNNING because its task was cancelled.
        options: Answers, and how much more it may do; name and limits are the run's own.

    Raises:
        ResumeError: If the run cannot go on like this.
        AnswerError: If an answer is refused.
        OptionError: If an option is unknown or out of range.
    """
    check_options(options, ResumeOptions.__annotations__)
    if not is_run(run):
        raise ResumeError("no run", f"found {type(run).__qualname__}; give the Run that run() or handle.run gave")
    answers = options.get("answers", {})
    _refuse_resume(table, run, answers)
    session = Session(table, None, None)
    session.clock, session.random = run.session.clock, run.session.random
    session.check_invariants = run.session.check_invariants
    session.set_options(RunOptions(**{name: value for name, value in options.items() if name in SHARED}))  # type: ignore[typeddict-item]  # the names that both have
    session.set_cursor(reopen_cursor(table, run.cursor) if run.status is Status.FAILED else run.cursor)
    session.arcs = list(run.session.arcs)
    session.cancelling = run.session.cancelling
    session.cancels = session.cancels_seen = run.session.cancels_seen
    if run.session.trail is not None:
        session.trail = list(run.session.trail)
    session.known_id = run.run_id
    session.cost, session.worked = run.cost, run.seconds
    _extend_limits(session, run, options)
    for question, value in answers.items():
        answer_question(session, question, value)
    return session


SHARED = frozenset(DriverOptions.__annotations__)
"""The options of a resume that are those of a run."""


def _refuse_resume(table: Table, run: Run[Any], answers: Mapping[str, Any]) -> None:
    """Refuse a run that cannot go on, or not like this."""
    status = str(run.status)
    if run.table is not table and run.table.hash != table.hash:
        raise ResumeError(status, "it belongs to another graph; resume it with the graph that ran it")
    if run.status in (Status.COMPLETED, Status.CANCELLED):
        raise ResumeError(status, "only a run that is paused, failed, at a limit or interrupted can be resumed")
    if run.status is Status.FAILED and run.place is None:
        raise ResumeError(status, "it failed after END, and nothing is left to run; correct the invariant or the input")
    if answers and run.status is not Status.PAUSED:
        raise ResumeError(status, "it has no open question")
    if run.status is Status.PAUSED and not answers:
        ids = ", ".join(question.id for question in run.questions)
        raise ResumeError(status, f"it needs answers={{id: value}}; open questions: {ids}")


def _extend_limits(session: Session, run: Run[Any], options: ResumeOptions) -> None:
    """Take over the run's limits, each extended by what is given."""
    steps, seconds, cost = run.limits
    if "more_steps" in options:
        steps = max(steps or 0, run.steps) + options["more_steps"]
    if "more_seconds" in options:
        seconds = max(seconds or 0.0, run.seconds) + options["more_seconds"]
    if "more_cost" in options:
        cost = max(cost or 0.0, run.cost) + options["more_cost"]
    session.set_limits(steps, seconds, cost)
    stop = session.find_stop()
    if stop is None and steps is not None and session.step >= steps:
        stop = f"it has made {session.step} steps; max_steps is {steps}"
    if stop is not None:
        raise ResumeError(str(run.status), f"{stop}; give more_steps=, more_seconds= or more_cost=")
