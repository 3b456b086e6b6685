"""Retries, time-outs and threads: how often, after what wait, and what becomes of a result that comes too late."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Context,
    EventKind,
    Failure,
    Graph,
    ManualClock,
    NodeTimeout,
    Retry,
    Status,
    advance,
    begin,
    cursor_from_json,
    cursor_to_json,
    done,
    each,
    node,
    pending,
    raised,
    then,
)


@frozen
class State:
    """A number and results."""

    number: int = 0
    items: tuple[int, ...] = (1, 2)
    results: tuple[int, ...] = ()


class Number(TypedDict):
    """Writes the number."""

    number: int


class Flaky:
    """A node that fails so many times."""

    def __init__(self, failures: int, error: type[Exception] = ConnectionError) -> None:
        self.left = failures
        self.error = error
        self.attempts: list[int] = []

    def call(self, state: State, context: Context) -> Number:
        self.attempts.append(context.attempt)
        if self.left:
            self.left -= 1
            raise self.error(f"attempt {context.attempt}")
        return {"number": context.attempt}

    async def call_later(self, state: State, context: Context) -> Number:
        return self.call(state, context)


def make_graph(function: Any, **policy: Any) -> Graph[State]:
    """A graph of one node with a policy."""
    place = node(function, **policy)
    return Graph(State, start=place, table={place: END})


@pytest.mark.parametrize(
    ("retry", "waits"),
    [
        (Retry(4), []),
        (Retry(4, wait=1.0), [1.0, 2.0, 4.0]),
        (Retry(4, wait=1.0, factor=1.0), [1.0, 1.0, 1.0]),
        (Retry(4, wait=10.0, factor=3.0, longest=20.0), [10.0, 20.0, 20.0]),
        (Retry(4, wait=1.0, jitter=0.5), [1.25, 2.5, 5.0]),
        (Retry(4, wait=1.0, longest=2.0, jitter=1.0), [1.5, 3.0, 3.0]),
    ],
)
def test_waits_grow_up_to_the_longest_and_jitter_comes_on_top(retry: Retry, waits: list[float]) -> None:
    """The waits of both drivers are those of the policy; the random source is the injected one (EI-07)."""
    clock = ManualClock()
    run = make_graph(Flaky(3).call, retry=retry).run(State(), clock=clock, random=lambda: 0.5)
    assert (run.unwrap().number, clock.waits) == (4, waits)
    later = ManualClock()
    graph = make_graph(Flaky(3).call_later, retry=retry)
    assert asyncio.run(graph.arun(State(), clock=later, random=lambda: 0.5)).unwrap().number == 4
    assert later.waits == waits


@pytest.mark.parametrize("wait", [0.0, 1.0])
def test_very_many_attempts_wait_no_longer_than_the_longest(wait: float) -> None:
    """Where the growth is beyond all numbers, the wait is the longest, or still none."""
    clock = ManualClock()
    graph = make_graph(Flaky(1100).call, retry=Retry(1200, wait=wait, longest=2.0))
    assert graph.run(State(), clock=clock).unwrap().number == 1101
    assert clock.waits[-1:] == ([2.0] if wait else [])


def test_jitter_comes_from_the_library_when_none_is_injected() -> None:
    """The default source gives numbers from 0 up to 1."""
    clock = ManualClock()
    make_graph(Flaky(1).call, retry=Retry(2, wait=1.0, jitter=0.5)).run(State(), clock=clock).unwrap()
    assert 1.0 <= clock.waits[0] <= 1.5


def test_attempts_are_all_attempts() -> None:
    """After the last attempt the run fails, with the number of the attempt, and the retries before are events."""
    flaky = Flaky(9)
    run = make_graph(flaky.call, retry=Retry(3)).run(State(), keep_events=True)
    assert (run.status, flaky.attempts) == (Status.FAILED, [1, 2, 3])
    assert run.failure is not None
    assert (run.failure.message, run.failure.attempt) == ("attempt 3", 3)
    told = [event.failure.message for event in run.events if event.kind is EventKind.RETRIED and event.failure]
    assert told == ["attempt 1", "attempt 2"]


@pytest.mark.parametrize(("error", "attempts"), [(ConnectionError, 3), (ConnectionResetError, 3), (ValueError, 1)])
def test_only_what_on_names_is_tried_again(error: type[Exception], attempts: int) -> None:
    """`on=` matches a class or any below it."""
    flaky = Flaky(9, error)
    make_graph(flaky.call, retry=Retry(3, on=(ConnectionError,))).run(State())
    assert len(flaky.attempts) == attempts


def test_a_refused_update_is_never_tried_again() -> None:
    """It is a fault of the program; another attempt would not help."""
    calls: list[int] = []

    def wrong(state: State, context: Context) -> Number:
        calls.append(context.attempt)
        context.emit(object())
        return {"number": 1}

    run = make_graph(wrong, retry=Retry(3)).run(State())
    assert (run.status, calls) == (Status.FAILED, [1])


def test_a_resume_starts_with_a_first_attempt() -> None:
    """A person who resumes a failed run grants fresh attempts."""
    flaky = Flaky(2)
    graph = make_graph(flaky.call, retry=Retry(2))
    assert graph.resume(graph.run(State())).unwrap().number == 1
    assert flaky.attempts == [1, 2, 1]


def test_workers_have_policies() -> None:
    """A worker is tried again for its own item, with one idempotency key for all its attempts."""
    keys: list[str] = []

    def work(item: int, context: Context) -> int:
        keys.append(context.key)
        if context.attempt == 1:
            raise ConnectionError
        return item

    place = each("items", node(work, retry=Retry(2)), into="results", name="each")
    graph = Graph(State, start=place, table={place: END})
    assert graph.run(State(), run_id="r").unwrap().results == (1, 2)
    assert keys == ["r:0:each/0", "r:0:each/0", "r:0:each/1", "r:0:each/1"]


def test_a_wait_ends_where_the_run_must_stop() -> None:
    """A wait that would go beyond `max_seconds` ends there; the resumed run makes the attempt that was due."""
    clock, flaky = ManualClock(), Flaky(1)
    graph = make_graph(flaky.call, retry=Retry(2, wait=30.0))
    run = graph.run(State(), clock=clock, max_seconds=10.0)
    assert (run.status, clock.waits, flaky.attempts) == (Status.LIMIT, [10.0], [1])
    assert graph.resume(run, more_seconds=60.0).unwrap().number == 2
    assert (clock.waits, flaky.attempts) == ([10.0, 20.0], [1, 2])


def test_attempts_are_counted_across_cursors() -> None:
    """EI-05: a stored cursor keeps the attempt that is due and its time; a crash grants no fresh one."""
    graph = make_graph(Flaky(0).call, retry=Retry(3, wait=5.0))
    table = graph.table
    failure = raised(ConnectionError("lost"))
    cursor = begin(table, State())
    for attempt, due in ((1, None), (2, 105.0), (3, 110.0)):
        cursor = cursor_from_json(table, cursor_to_json(table, cursor))
        (work,) = pending(table, cursor, run_id="r")
        assert (work.attempt, work.not_before, work.key) == (attempt, due, "r:0:call")
        cursor = advance(table, cursor, {work.address: failure}, now=100.0)
    assert (cursor.status, pending(table, cursor)) == (Status.FAILED, ())
    assert cursor.failure is not None
    assert (cursor.failure.attempt, cursor.failure.message) == (3, "lost")
    again = advance(table, begin(table, State()), {("call",): failure}, now=1.0)
    assert advance(table, again, {("call",): done({"number": 2})}).state == State(number=2)


# -- time-outs


class Slow:
    """A node that waits until it is let go, and tells when it has returned."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.returned = threading.Event()
        self.contexts: list[Context] = []

    def call(self, state: State, context: Context) -> Number:
        self.contexts.append(context)
        self.let_go.wait(10)
        context.emit("too late")
        context.spend(5.0)
        self.returned.set()
        return {"number": 99}


def catch_timeout(function: Any, other: Any, **policy: Any) -> Graph[State]:
    """A graph that goes on with another node when the first takes too long."""
    place = node(function, **policy)
    return Graph(State, start=place, table={place: then(END, on_error={TimeoutError: other}), other: END})


@pytest.mark.parametrize("is_async", [False, True])
def test_a_late_result_of_a_thread_is_dropped(is_async: bool) -> None:
    """A sync node with a time-out has a thread; what it hands back, emits or spends later changes nothing."""
    slow = Slow()

    def other(state: State) -> Number:
        slow.let_go.set()
        assert slow.returned.wait(10)
        return {"number": state.number + 1}

    graph = catch_timeout(slow.call, other, timeout=0.01)
    run = asyncio.run(graph.arun(State(), keep_events=True)) if is_async else graph.run(State(), keep_events=True)
    assert (run.unwrap().number, run.cost) == (1, 0.0)
    assert run.path[0].value == "builtins.TimeoutError"
    assert [event.kind for event in run.events if event.kind is EventKind.EMITTED] == []
    assert slow.contexts[0].key == f"{run.run_id}:0:call"


def test_a_late_result_after_the_loop_closed_is_dropped() -> None:
    """A thread that outlives its event loop ends without an error."""
    slow = Slow()
    run = asyncio.run(make_graph(slow.call, timeout=0.01).arun(State()))
    before = set(threading.enumerate())
    slow.let_go.set()
    assert slow.returned.wait(10)
    for thread in before - {threading.current_thread()}:
        if thread.name.startswith("transitable:"):
            thread.join(10)
    assert run.status is Status.FAILED


def test_an_async_node_is_interrupted_at_its_time_out() -> None:
    """An async node is cancelled, and the failure says which place and which limit."""
    ended: list[str] = []

    async def slow(state: State) -> Number:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("interrupted")
        return {"number": 1}

    run = asyncio.run(make_graph(slow, timeout=0.01).arun(State()))
    assert ended == ["interrupted"]
    assert "place 'slow' did not finish within 0.01 s" in run.reason
    assert isinstance(run.exception, NodeTimeout)


@pytest.mark.parametrize("timeout", [None, 10.0])
def test_a_time_out_of_the_node_s_own_is_told_apart(timeout: float | None) -> None:
    """A TimeoutError that a node raises itself is no time-out of the place."""

    async def gave_up(state: State) -> Number:
        raise TimeoutError("the server's own")

    def gave_up_too(state: State) -> Number:
        raise TimeoutError("the server's own")

    for function in (gave_up, gave_up_too):
        run = asyncio.run(make_graph(function, timeout=timeout).arun(State()))
        assert run.failure is not None
        assert (run.failure.name, run.failure.message) == ("builtins.TimeoutError", "the server's own")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_node_within_its_time_out_is_like_any(is_async: bool) -> None:
    """Update and failure come out of the thread as they are; the deadline stands in the context."""

    def quick(state: State, context: Context) -> Number:
        assert context.deadline == 110.0
        return {"number": threading.get_ident()}

    async def quick_later(state: State, context: Context) -> Number:
        return quick(state, context)

    clock = ManualClock(100.0)
    graph = make_graph(quick, timeout=10.0)
    run = asyncio.run(graph.arun(State(), clock=clock)) if is_async else graph.run(State(), clock=clock)
    assert run.unwrap().number not in (0, threading.get_ident())
    inline = asyncio.run(make_graph(quick_later, timeout=10.0).arun(State(), clock=clock))
    assert inline.unwrap().number == threading.get_ident()


def test_a_time_out_is_tried_again_where_the_policy_says_so() -> None:
    """A time-out is a failure like others for `retry`."""
    calls: list[int] = []

    async def slow_once(state: State, context: Context) -> Number:
        calls.append(context.attempt)
        if context.attempt == 1:
            await asyncio.Event().wait()
        return {"number": context.attempt}

    graph = make_graph(slow_once, timeout=0.01, retry=Retry(2, on=(TimeoutError,)))
    assert asyncio.run(graph.arun(State())).unwrap().number == 2
    assert calls == [1, 2]


# -- threads


def test_a_thread_keeps_the_event_loop_free() -> None:
    """With `thread=True` a sync node waits for what another task of the same loop does; inline it would not end."""
    let_go = threading.Event()

    def wait(state: State) -> Number:
        return {"number": int(let_go.wait(10))}

    async def check() -> int:
        task = asyncio.ensure_future(make_graph(wait, thread=True).arun(State()))
        await asyncio.sleep(0)
        let_go.set()
        return (await task).unwrap().number

    assert asyncio.run(check()) == 1


def test_without_a_thread_a_sync_node_runs_inline() -> None:
    """Under `arun` a sync node runs in the loop's thread, and under `run` also with `thread=True`."""

    def tell(state: State) -> Number:
        return {"number": threading.get_ident()}

    here = threading.get_ident()
    assert asyncio.run(make_graph(tell).arun(State())).unwrap().number == here
    assert make_graph(tell, thread=True).run(State()).unwrap().number == here


def test_a_failure_in_a_thread_is_the_node_s() -> None:
    """What a thread raises fails its place, with the live exception beside it."""
    run = asyncio.run(make_graph(Flaky(1, LookupError).call, thread=True).arun(State()))
    assert run.reason == "call: LookupError: attempt 1"
    assert isinstance(run.exception, LookupError)
    assert isinstance(run.failure, Failure)


def test_a_wait_of_an_async_run_ends_where_the_run_must_stop() -> None:
    """The async driver stops at the deadline, too, without the attempt that was due."""
    clock, flaky = ManualClock(), Flaky(1)
    graph = make_graph(flaky.call_later, retry=Retry(2, wait=30.0))
    run = asyncio.run(graph.arun(State(), clock=clock, max_seconds=10.0))
    assert (run.status, clock.waits, flaky.attempts) == (Status.LIMIT, [10.0], [1])
