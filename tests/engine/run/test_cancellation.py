"""Cancelling a run is an outcome with rows; cancelling its task is re-raised, and the run can go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Context,
    DriverError,
    EventKind,
    Failure,
    Graph,
    Handle,
    ManualClock,
    ResumeError,
    Retry,
    Row,
    RowKind,
    Status,
    each,
    grows,
    node,
    pause,
    then,
    together,
)


@frozen
class State:
    """A log, items and an answer."""

    log: tuple[str, ...] = grows()
    items: tuple[int, ...] = (1, 2, 3)
    results: tuple[int, ...] = ()
    answer: bool | None = None


class Log(TypedDict):
    """Writes the log."""

    log: tuple[str, ...]


def close(state: State) -> Log:
    return {"log": ("closed",)}


def first(state: State) -> Log:
    return {"log": ("first",)}


def second(state: State) -> Log:
    return {"log": ("second",)}


ask = pause("ask", question="go on?", answer=bool, into="answer")


class Meddler:
    """A node that cancels the run that it is part of, so many times."""

    def __init__(self, times: int = 1) -> None:
        self.times = times
        self.handles: list[Handle[State]] = []

    def call(self, state: State) -> Log:
        for _ in range(self.times):
            self.handles[0].cancel()
        return {"log": ("meddled",)}


def note_cancel(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
    return {"log": (f"{row.source}: {failure.message}",)}


def start_meddled(times: int, **options: Any) -> Handle[State]:
    """A run that is cancelled by its first node."""
    meddler = Meddler(times)
    closing: dict[Any, Any] = {close: END} if options else {}
    graph = Graph(State, start=meddler.call, table={meddler.call: second, second: END, **closing}, **options)
    meddler.handles.append(graph.start(State()))
    return meddler.handles[0]


@pytest.mark.parametrize("listens", [False, True])
def test_a_cancelled_run_takes_the_cancel_row(listens: bool) -> None:
    """The node that is running finishes; then the row leads to the closing part, and the status is CANCELLED at END."""
    handle = start_meddled(1, on_cancel=close, note=note_cancel)
    run = (list(handle), handle.run)[1] if listens else handle.finish()
    assert (run.status, run.reason, run.place) == (Status.CANCELLED, "cancelled from outside", None)
    assert run.state.log == ("meddled", "second: the run was cancelled", "closed")
    assert [row.kind for row in run.path] == [RowKind.NEXT, RowKind.CANCEL, RowKind.NEXT]


def test_without_a_cancel_row_a_cancelled_run_stops() -> None:
    """It rests at the place that was due."""
    run = start_meddled(1).finish()
    assert (run.status, run.place, run.state.log) == (Status.CANCELLED, "second", ("meddled",))


def test_a_second_cancel_stops_at_once() -> None:
    """No cancel row is taken when the run is cancelled twice."""
    run = start_meddled(2, on_cancel=close).finish()
    assert (run.status, run.place, run.state.log) == (Status.CANCELLED, "second", ("meddled",))


@pytest.mark.parametrize("wrong", [ValueError("no note"), {"answers": True}])
def test_a_note_that_fails_on_a_cancel_row_fails_the_run(wrong: Any) -> None:
    """What `note` raises, or writes and may not, is the failure."""

    def note(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
        if isinstance(wrong, Exception):
            raise wrong
        return dict(wrong)

    run = start_meddled(1, on_cancel=close, note=note).finish()
    assert (run.status, run.place) == (Status.FAILED, "second")
    assert "no note" in run.reason or "did you mean 'answer'" in run.reason


def test_a_cancelled_run_is_not_resumed() -> None:
    """Its end is an end."""
    graph = Graph(State, start=first, table={first: END})
    handle = graph.start(State())
    handle.cancel()
    assert handle.finish().steps == 0
    with pytest.raises(ResumeError, match="cancelled cannot go on"):
        graph.resume(handle.run)


def test_cancelling_at_the_last_step_tells_cancelled() -> None:
    """A cancel that comes while the last node runs changes the status only."""
    meddler = Meddler()
    graph = Graph(State, start=meddler.call, table={meddler.call: END})
    meddler.handles.append(graph.start(State()))
    assert meddler.handles[0].finish().status is Status.CANCELLED


def test_a_paused_run_is_cancelled_by_its_row() -> None:
    """A cancel at a question leaves it unanswered."""
    handle = Graph(State, start=ask, table={ask: END, close: END}, on_cancel=close).start(State())
    assert handle.finish().status is Status.PAUSED
    handle.cancel()
    assert handle.status is Status.RUNNING
    assert handle.finish().state == State(log=("closed",))
    assert handle.status is Status.CANCELLED


def test_a_question_in_the_closing_part_can_be_answered_later() -> None:
    """A resumed closing part still ends as CANCELLED, and another cancel stops it."""
    graph = Graph(State, start=first, table={first: END, ask: END}, on_cancel=ask)
    handle = graph.start(State())
    handle.cancel()
    run = handle.finish()
    assert run.status is Status.PAUSED
    resumed = graph.resume(run, answers={run.questions[0].id: True})
    assert (resumed.status, resumed.place, resumed.state.answer) == (Status.CANCELLED, None, True)
    handle.cancel()
    assert (handle.finish().status, handle.run.place) == (Status.CANCELLED, "ask")


def test_a_cancel_row_is_an_event() -> None:
    """It is told as FINISHED with the row and what `note` changed."""
    handle = start_meddled(1, on_cancel=close, note=note_cancel)
    (event,) = [each for each in handle if each.row is not None and each.row.kind is RowKind.CANCEL]
    assert (event.place, event.kind) == ("second", EventKind.FINISHED)
    assert event.failure is not None
    assert (event.failure.message, event.failure.place) == ("the run was cancelled", "second")


@pytest.mark.parametrize("times", [1, 2])
def test_a_composite_stops_between_its_items(times: int) -> None:
    """No further item starts once the run is cancelled."""
    handles: list[Handle[State]] = []
    worked: list[int] = []

    def work(item: int) -> int:
        worked.append(item)
        for _ in range(times):
            handles[0].cancel()
        return item

    place = each("items", work, into="results", name="fan")
    graph = Graph(State, start=place, table={place: END, close: END}, on_cancel=close)
    handles.append(graph.start(State()))
    run = handles[0].finish()
    assert (run.status, worked, run.state.results) == (Status.CANCELLED, [1], ())
    assert run.state.log == (("closed",) if times == 1 else ())


# -- async work in flight


class Waiting:
    """An async node that waits for ever the first time, and tells how it ended."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.went: list[str] = []

    async def call(self, state: State) -> Log:
        self.went.append("call")
        self.started.set()
        if len(self.went) == 1:
            try:
                await asyncio.Event().wait()
            finally:
                self.went.append("interrupted")
        return {"log": ("called",)}

    async def work(self, item: int) -> int:
        if item == 2:
            await self.call(State())
        return item

    async def work_with(self, item: int, context: Context) -> int:
        return await self.work(item)

    def make_graph(self) -> Graph[State]:
        return Graph(State, start=first, table={first: self.call, self.call: END, close: END}, on_cancel=close)


@pytest.mark.parametrize("listens", [False, True])
def test_async_work_in_flight_is_interrupted(listens: bool) -> None:
    """A cancel interrupts what is awaited, and the run goes on with its cancel row."""

    async def check() -> None:
        waiting = Waiting()
        handle = waiting.make_graph().start(State())

        async def listen() -> None:
            async for _ in handle:
                pass

        task = asyncio.ensure_future(listen() if listens else handle.afinish())
        await waiting.started.wait()
        handle.cancel()
        await task
        assert waiting.went == ["call", "interrupted"]
        assert (handle.status, handle.run.places) == (Status.CANCELLED, ("first", "call", "close"))

    asyncio.run(check())


def test_a_node_that_ignores_its_interrupt_finishes() -> None:
    """Its update is taken, and the cancel row is that of the next place."""

    async def check() -> None:
        started = asyncio.Event()

        async def stubborn(state: State) -> Log:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return {"log": ("finished",)}
            return {}  # type: ignore[typeddict-item]  # never reached

        graph = Graph(State, start=stubborn, table={stubborn: second, second: END, close: END}, on_cancel=close)
        handle = graph.start(State())
        task = asyncio.ensure_future(handle.afinish())
        await started.wait()
        handle.cancel()
        assert (await task).state.log == ("finished", "closed")

    asyncio.run(check())


def test_a_wait_between_attempts_is_interrupted() -> None:
    """The clock's wait is awaited like a node."""

    async def check() -> None:
        class Clock(ManualClock):
            async def asleep(self, seconds: float) -> None:
                waits.set()
                await asyncio.Event().wait()

        waits = asyncio.Event()

        async def fails(state: State) -> Log:
            raise ConnectionError

        place = node(fails, retry=Retry(3, wait=1.0))
        handle = Graph(State, start=place, table={place: END}).start(State(), clock=Clock())
        task = asyncio.ensure_future(handle.afinish())
        await waits.wait()
        handle.cancel()
        assert (await task).status is Status.CANCELLED

    asyncio.run(check())


# -- the task


@pytest.mark.parametrize("worker", ["work", "work_with"])
@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_cancelled_task_keeps_the_finished_items(worker: str, at_once: int) -> None:
    """State, path and finished items stay on the handle; the run goes on with the rest."""

    async def check() -> None:
        waiting = Waiting()
        fan = each("items", getattr(waiting, worker), into="results", at_once=at_once, name="fan")
        graph = Graph(State, start=first, table={first: fan, fan: END})
        handle = graph.start(State())
        task = asyncio.ensure_future(handle.afinish())
        await waiting.started.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        run = handle.run
        assert (run.status, run.places, run.state.log) == (Status.RUNNING, ("first",), ("first",))
        assert (await graph.aresume(run)).unwrap().results == (1, 2, 3)
        assert (await handle.afinish()).unwrap().log == ("first",)

    asyncio.run(check())


@pytest.mark.parametrize("listens", [False, True])
def test_a_time_limit_around_a_run_is_raised(listens: bool) -> None:
    """`asyncio.timeout` is re-raised as it should be, and the handle goes on afterwards."""

    async def check() -> None:
        waiting = Waiting()
        handle = waiting.make_graph().start(State())

        async def drive() -> None:
            async with asyncio.timeout(0.01):
                _ = [event async for event in handle] if listens else await handle.afinish()

        with pytest.raises(TimeoutError):
            await drive()
        assert (handle.status, handle.run.places) == (Status.RUNNING, ("first",))
        assert waiting.went == ["call", "interrupted"]
        assert (await handle.afinish()).unwrap().log == ("first", "called")

    asyncio.run(check())


def test_a_failing_neighbour_in_a_task_group_cancels_the_task() -> None:
    """The group raises the neighbour's error, and the run can go on."""

    async def check() -> None:
        waiting = Waiting()
        handle = waiting.make_graph().start(State())

        async def fail() -> None:
            await waiting.started.wait()
            raise LookupError("neighbour")

        async def drive() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(handle.afinish())
                group.create_task(fail())

        with pytest.raises(ExceptionGroup, match="unhandled errors") as caught:
            await drive()
        assert [str(error) for error in caught.value.exceptions] == ["neighbour"]
        assert (await handle.afinish()).unwrap().log == ("first", "called")

    asyncio.run(check())


def test_arun_in_a_cancelled_task_is_raised() -> None:
    """`arun` has no handle, but raises all the same."""

    async def check() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Waiting().make_graph().arun(State()), 0.01)

    asyncio.run(check())


def test_a_node_that_cancels_its_own_task_ends_the_task() -> None:
    """A CancelledError that nobody asked for goes on to the caller."""

    async def cancels(state: State) -> Log:
        raise asyncio.CancelledError

    async def check() -> None:
        handle = Graph(State, start=cancels, table={cancels: END}).start(State())
        with pytest.raises(asyncio.CancelledError):
            await handle.afinish()
        assert handle.status is Status.RUNNING

    asyncio.run(check())


@pytest.mark.parametrize("listens", [False, True])
def test_a_keyboard_interrupt_is_raised_and_the_run_goes_on(listens: bool) -> None:
    """The sync driver keeps state, path and finished parts on the handle."""
    interrupts = [KeyboardInterrupt]
    calls: list[str] = []

    def once(state: State) -> Log:
        calls.append("once")
        return {"log": ("once",)}

    def interrupted(state: State) -> None:
        calls.append("interrupted")
        for error in interrupts:
            interrupts.clear()
            raise error

    both = together(once, interrupted, name="both")
    graph = Graph(State, start=first, table={first: both, both: END})
    handle = graph.start(State())
    with pytest.raises(KeyboardInterrupt):
        _ = list(handle) if listens else handle.finish()
    assert (handle.status, handle.run.places) == (Status.RUNNING, ("first",))
    assert graph.resume(handle.run).unwrap().log == ("first", "once")
    assert handle.finish().unwrap().log == ("first", "once")
    assert calls == ["once", "interrupted", "interrupted", "interrupted"]


def test_a_keyboard_interrupt_in_a_plain_place_is_raised() -> None:
    """The fast loop keeps what is done, too: a resumed run goes on where it was interrupted."""
    interrupts = [KeyboardInterrupt]
    runs: list[Handle[State]] = []

    def interrupted(state: State) -> None:
        for error in interrupts:
            interrupts.clear()
            raise error

    graph = Graph(
        State, start=ask, table={ask: first, first: interrupted, interrupted: then(second), second: END}, name="plain"
    )
    run = graph.run(State())
    runs.append(graph.reopen(run, answers={"ask@1": True}))
    with pytest.raises(KeyboardInterrupt):
        runs[0].finish()
    assert runs[0].run.places == ("ask", "first")
    assert runs[0].finish().unwrap().log == ("first", "second")


def test_a_run_under_way_is_not_driven_twice() -> None:
    """A second driver is refused, and the first one ends its work."""

    async def check() -> None:
        started, let_go = asyncio.Event(), asyncio.Event()

        async def wait(state: State) -> Log:
            started.set()
            await let_go.wait()
            return {"log": ("waited",)}

        handle = Graph(State, start=wait, table={wait: END}).start(State())
        task = asyncio.ensure_future(handle.afinish())
        await started.wait()
        with pytest.raises(DriverError, match="under way already"):
            await handle.afinish()
        let_go.set()
        assert (await task).unwrap().log == ("waited",)

    asyncio.run(check())


def test_a_handle_that_is_cancelled_first_tells_only_its_end() -> None:
    """Nothing has started."""
    handle = Graph(State, start=first, table={first: END}).start(State())
    handle.cancel()
    assert [event.kind for event in handle] == [EventKind.ENDED]


def test_a_first_cancel_in_the_closing_part_lets_it_go_on() -> None:
    """There is no cancel row there; the rest of the closing part runs, and the status is CANCELLED."""
    meddler = Meddler()
    graph = Graph(
        State,
        start=first,
        table={first: then(END, on_error={ValueError: meddler.call}), meddler.call: close, close: END},
        on_cancel=close,
    )
    assert graph.run(State()).status is Status.COMPLETED

    def fails(state: State) -> Log:
        raise ValueError("no")

    graph = Graph(
        State,
        start=fails,
        table={fails: then(END, on_error={ValueError: meddler.call}), meddler.call: second, second: close, close: END},
        on_cancel=meddler.call,
    )
    meddler.handles[:] = [graph.start(State())]
    run = meddler.handles[0].finish()
    assert (run.status, run.state.log) == (Status.CANCELLED, ("meddled", "second", "closed"))
