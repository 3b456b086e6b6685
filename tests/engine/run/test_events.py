"""Events: the live stream is the record, what is emitted is JSON, and tokens can be live only."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Context,
    Event,
    EventKind,
    Graph,
    Handle,
    ManualClock,
    OptionError,
    Status,
    again,
    each,
    grows,
    node,
    pause,
    then,
    together,
)


@frozen
class State:
    """A number, a log, items and an answer."""

    number: int = 0
    rounds: int = 0
    log: tuple[str, ...] = grows()
    items: tuple[int, ...] = (1, 2)
    results: tuple[int, ...] = ()
    answer: bool | None = None


class Both(TypedDict):
    """Writes number and log."""

    number: int
    log: tuple[str, ...]


class Number(TypedDict):
    """Writes the number."""

    number: int


def add(state: State) -> Both:
    return {"number": state.number + 1, "log": (f"add {state.number}",)}


def emit_some(state: State, context: Context) -> Number:
    context.emit({"kept": [1]})
    context.emit("token", keep=False)
    return {"number": 7}


async def emit_later(state: State, context: Context) -> Number:
    return emit_some(state, context)


def show(events: Any) -> list[tuple[str, int, str, Any]]:
    """Give what is compared of events."""
    return [(event.kind.value, event.step, event.place, event.value) for event in events]


def make_graph(start: Any) -> Graph[State]:
    """One node, then a loop of three plain steps, then a fan-out."""
    fan = each("items", work, into="results", name="fan")
    loop = again(add, count="rounds", at_most=2, otherwise=fan)
    return Graph(State, start=start, table={start: add, add: loop, fan: END})


def work(item: int, context: Context) -> int:
    context.emit(item)
    return item


EXPECTED = [
    ("started", 1, "emit_some", None),
    ("emitted", 1, "emit_some", {"kept": (1,)}),
    ("finished", 1, "emit_some", None),
    ("started", 2, "add", None),
    ("finished", 2, "add", None),
    ("started", 3, "add", None),
    ("finished", 3, "add", None),
    ("started", 4, "add", None),
    ("finished", 4, "add", None),
    ("started", 5, "fan", None),
    ("emitted", 5, "fan/0", 1),
    ("emitted", 5, "fan/1", 2),
    ("finished", 5, "fan", None),
    ("ended", 5, "", None),
]
TOKEN = ("emitted", 1, "emit_some", "token")


def test_the_record_is_the_live_stream_without_what_is_live_only() -> None:
    """Live, in the record of a listener, and in that of a fast run, the same events stand."""
    graph = make_graph(emit_some)
    live = show(graph.stream(State()))
    assert live == [*EXPECTED[:2], TOKEN, *EXPECTED[2:]]
    handle = graph.start(State())
    heard = list(handle)
    assert [event for event in heard if event.value != "token"] != heard
    assert show(handle.run.events) == EXPECTED
    assert show(graph.run(State(), keep_events=True).events) == EXPECTED
    assert show(asyncio.run(graph.arun(State(), keep_events=True)).events) == EXPECTED


async def collect(handle: Handle[State]) -> list[Event]:
    """Listen to the end."""
    return [event async for event in handle]


@pytest.mark.parametrize("debug", [False, True])
def test_an_async_listener_hears_the_same(debug: bool) -> None:
    """The async stream tells what the sync one tells."""
    handle = make_graph(node(emit_later, name="emit_some")).start(State())
    assert show(asyncio.run(collect(handle), debug=debug)) == [*EXPECTED[:2], TOKEN, *EXPECTED[2:]]
    assert show(handle.run.events) == EXPECTED


def test_tokens_are_heard_while_the_node_still_runs() -> None:
    """What an async node emits is told before it returns, also out of a thread."""

    async def check(thread: bool) -> None:
        let_go = threading.Event()

        def speak(state: State, context: Context) -> Number:
            context.emit("token", keep=False)
            assert let_go.wait(10)
            return {"number": 1}

        async def speak_later(state: State, context: Context) -> Number:
            context.emit("token", keep=False)
            while not let_go.is_set():
                await asyncio.sleep(0)
            return {"number": 1}

        place = node(speak, thread=True) if thread else node(speak_later)
        handle = Graph(State, start=place, table={place: END}).start(State())
        heard: list[Any] = []
        async for event in handle:
            heard.append(event.value)
            if event.kind is EventKind.EMITTED:
                assert handle.run.state.number == 0
                let_go.set()
        assert heard == [None, "token", None, None]
        assert handle.run.unwrap().number == 1

    for thread in (False, True):
        asyncio.run(check(thread), debug=True)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": {3}}, b"x"])
def test_only_json_is_emitted(value: Any) -> None:
    """Anything else is refused at the node, and caught by no row for Exception."""

    def wrong(state: State, context: Context) -> Number:
        context.emit(value)
        return {"number": 1}

    graph = Graph(State, start=wrong, table={wrong: then(END, on_error={Exception: END})})
    run = graph.run(State(), keep_events=True)
    assert run.status is Status.FAILED
    assert run.failure is not None
    assert run.failure.refused
    assert "emit(...)" in run.reason
    assert [event for event in run.events if event.kind is EventKind.EMITTED] == []


def test_what_is_emitted_is_frozen() -> None:
    """A later change by the node does not reach the record."""

    def speak(state: State, context: Context) -> Number:
        value = {"words": ["one"]}
        context.emit(value)
        value["words"].append("two")
        return {"number": 1}

    run = Graph(State, start=speak, table={speak: END}).run(State(), keep_events=True)
    assert [event.value for event in run.events if event.kind is EventKind.EMITTED] == [{"words": ("one",)}]


def test_changes_are_the_changed_fields_and_new_items() -> None:
    """FINISHED tells the fields that changed, of a growing field only the new items, and the row."""
    graph = Graph(State, start=add, table={add: again(add, count="rounds", at_most=1, otherwise=END)})
    run = graph.run(State(log=("before",)), keep_events=True, clock=ManualClock(5.0))
    finished = [event for event in run.events if event.kind is EventKind.FINISHED]
    assert finished[0].changes == {"number": 1, "rounds": 1, "log": ("add 0",)}
    assert finished[1].changes == {"number": 2, "log": ("add 1",)}
    assert tuple(event.row for event in finished) == run.path
    assert {event.at for event in run.events} == {5.0}


def test_events_of_graphs_inside_have_their_address() -> None:
    """The steps of a child are told under the address where it runs."""
    child = Graph(State, start=add, table={add: END}, name="child")
    side = each("items", work, into="results", name="side")
    both = together(child, side, name="both")
    run = Graph(State, start=both, table={both: END}).run(State(), keep_events=True)
    assert [(event.kind.value, event.place) for event in run.events] == [
        ("started", "both"),
        ("started", "both/child/add"),
        ("finished", "both/child/add"),
        ("emitted", "both/side/0"),
        ("emitted", "both/side/1"),
        ("finished", "both"),
        ("ended", ""),
    ]


def test_an_error_row_and_a_failed_end_tell_the_failure() -> None:
    """The failure stands in the event of the row, and of the end that no row prevents."""

    def fails(state: State) -> Number:
        raise ValueError("no")

    caught = Graph(State, start=fails, table={fails: then(add, on_error={ValueError: add}), add: END})
    for options in ({"keep_events": True}, {"keep_events": True, "max_cost": 1.0}):
        told = [event.failure.message for event in caught.run(State(), **options).events if event.failure]  # type: ignore[arg-type]  # a dict of options
        assert told == ["no"]
    run = Graph(State, start=fails, table={fails: END}).run(State(), keep_events=True)
    last = run.events[-1]
    assert (last.kind, last.status, last.failure, last.value) == ("ended", Status.FAILED, run.failure, run.reason)


def test_a_run_that_kept_no_events_says_so() -> None:
    """Events are kept only where they are wanted."""
    run = Graph(State, start=add, table={add: END}).run(State())
    with pytest.raises(OptionError, match="this run kept no events; expected keep_events=True"):
        _ = run.events


def test_a_resumed_run_keeps_the_events_before() -> None:
    """The record goes on where it was; one that is to be kept from the resume on starts there."""
    graph = Graph(State, start=add, table={add: again(add, count="rounds", at_most=5, otherwise=END)})
    run = graph.run(State(), max_steps=2, keep_events=True)
    more = graph.resume(run, more_steps=1)
    assert more.events[: len(run.events)] == run.events
    assert [event.step for event in more.events if event.kind is EventKind.FINISHED] == [1, 2, 3]
    late = graph.resume(graph.run(State(), max_steps=2), more_steps=1, keep_events=True)
    assert [event.step for event in late.events if event.kind is EventKind.FINISHED] == [3]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_listener_may_leave_and_come_back(is_async: bool) -> None:
    """A handle goes on only while somebody listens or finishes it; nothing is told twice."""
    handle = make_graph(node(emit_later if is_async else emit_some, name="emit_some")).start(State())

    async def listen() -> list[Event]:
        heard: list[Event] = []
        stream = aiter(handle)
        async for event in stream:
            heard.append(event)
            if event.kind is EventKind.EMITTED:
                await stream.aclose()  # type: ignore[attr-defined]  # an async generator
                break
        return heard + [event async for event in handle]

    if is_async:
        heard = asyncio.run(listen())
    else:
        stream = iter(handle)
        heard = [next(stream), next(stream), *handle]
    assert [event for event in show(heard) if event[0] == "finished"] == [
        each for each in EXPECTED if each[0] == "finished"
    ]
    assert handle.run.unwrap().number == 10


def test_iteration_ends_at_a_pause_and_goes_on_after_the_answer() -> None:
    """The stream of a paused run ends with the question and the rest."""
    ask = pause("ask", question="go on?", answer=bool, into="answer")
    handle = Graph(State, start=ask, table={ask: add, add: END}).start(State())
    assert [event.kind.value for event in handle] == ["started", "asked", "ended"]
    handle.answer("ask@1", True)
    assert [event.kind.value for event in handle] == ["answered", "finished", "started", "finished", "ended"]
    assert list(handle) == []


def test_what_a_driver_raises_reaches_the_async_listener() -> None:
    """An interrupt that is no Exception is raised out of the iteration."""

    class Stop(BaseException):
        """Ends the task."""

    async def stop(state: State) -> Number:
        raise Stop

    handle = Graph(State, start=stop, table={stop: END}).start(State())
    with pytest.raises(Stop):
        asyncio.run(collect(handle))
    assert handle.status is Status.RUNNING


def test_emitting_costs_nothing_where_nobody_listens() -> None:
    """Without a listener or a record, what is emitted is checked and dropped."""
    assert Graph(State, start=emit_some, table={emit_some: END}).run(State()).unwrap().number == 7
