"""The doors of a graph and of the kernel: what each takes, and what each refuses at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Context,
    DriverError,
    Graph,
    OutcomeError,
    PlaceError,
    ResumeError,
    StateError,
    Status,
    SystemClock,
    advance,
    again,
    answered,
    begin,
    by,
    done,
    each,
    list_questions,
    pause,
    pending,
    raised,
    together,
)


@frozen
class State:
    """Numbers, items and an answer."""

    number: int = 0
    rounds: int = 0
    items: tuple[int, ...] = (1, 2, 3)
    results: tuple[int, ...] = ()
    answer: bool | None = None


class Number(TypedDict):
    """Writes the number."""

    number: int


def add(state: State) -> Number:
    return {"number": state.number + 1}


async def add_later(state: State) -> Number:
    return add(state)


def double(item: int) -> int:
    return item * 2


ask = pause("ask", question="?", answer=bool, into="answer")


def make_graph(place: Any, **options: Any) -> Graph[State]:
    """A graph of one place."""
    return Graph(State, start=place, table={place: END}, **options)


# -- the wrong door


def test_run_in_a_running_loop_is_refused() -> None:
    """It would block the loop; the error names the door to take."""
    graph = make_graph(add)

    async def check() -> None:
        paused = await make_graph(ask).arun(State())
        for door in (
            lambda: graph.run(State()),
            lambda: graph.start(State()).finish(),
            lambda: graph.stream(State()),
            lambda: make_graph(ask).resume(paused, answers={"ask@1": True}),
        ):
            with pytest.raises(DriverError, match=r"inside a running event loop.*arun"):
                door()

    asyncio.run(check())


async def double_later(item: int) -> int:
    return item * 2


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (add_later, "add_later"),
        (each("items", double_later, into="results"), "double_later"),
        (together(add_later, each("items", double, into="results"), name="both"), "add_later"),
        (make_graph(add_later, name="inner"), "inner/add_later"),
    ],
)
def test_an_async_place_under_run_is_refused(place: Any, name: str) -> None:
    """Nothing has run when a place anywhere inside is async."""
    graph = make_graph(place)
    for door in (graph.run, graph.stream):
        with pytest.raises(DriverError, match=f"place '{name}' is async.*arun"):
            door(State())
    assert asyncio.run(graph.arun(State())).status is Status.COMPLETED


class Later:
    """Something to await."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return {"number": 5}


def test_an_awaitable_from_a_sync_function() -> None:
    """Under `arun` it is awaited; under `run` the node is told to be async."""

    def late(state: State) -> Any:
        return Later()

    def late_with(state: State, context: Context) -> Any:
        return Later()

    for function in (late, late_with):
        graph = make_graph(function)
        assert asyncio.run(graph.arun(State())).unwrap().number == 5
        run = graph.run(State())
        assert run.status is Status.FAILED
        assert "this is awaitable: make the node `async def` and use arun" in run.reason


@pytest.mark.parametrize("at_once", [0, -1, True, 1.5])
def test_a_concurrency_below_1_is_refused(at_once: Any) -> None:
    """A fan-out that could start nothing is refused where it is written."""
    with pytest.raises(PlaceError, match="at_once"):
        each("items", double, into="results", at_once=at_once)


def test_a_state_of_another_shape_is_refused_at_the_door() -> None:
    """A wrong type, to the leaves, is found before anything runs."""
    graph: Any = make_graph(add)
    with pytest.raises(StateError, match=r"items\[1\]"):
        graph.run(State(items=(1, "2")))  # type: ignore[arg-type]  # what no type checker lets pass
    with pytest.raises(StateError, match="State"):
        graph.run({"number": 1})


# -- resuming


def test_a_completed_run_is_not_resumed() -> None:
    """There is nothing to go on with."""
    graph = make_graph(add)
    with pytest.raises(ResumeError, match="completed cannot go on"):
        graph.resume(graph.run(State()))


def test_a_run_that_failed_after_the_end_is_not_resumed() -> None:
    """A broken invariant at END leaves nothing to run."""

    def never(state: State) -> bool:
        return False

    graph = make_graph(add, invariants=[never])
    with pytest.raises(ResumeError, match="it failed after END"):
        graph.resume(graph.run(State()))


def test_a_run_of_another_graph_is_refused() -> None:
    """A run goes on with the wiring that it started with; one written again with other limits is the same wiring."""
    run = make_graph(ask).run(State())
    with pytest.raises(ResumeError, match="belongs to another graph"):
        Graph(State, start=ask, table={ask: add, add: END}).resume(run, answers={"ask@1": True})
    same = make_graph(pause("ask", question="another text", answer=bool, into="answer"))
    assert same.resume(run, answers={"ask@1": True}).unwrap().answer is True


def test_answers_are_for_paused_runs_only() -> None:
    """A run at a limit has no question that is open."""
    graph = Graph(State, start=add, table={add: ask, ask: END})
    run = graph.run(State(), max_steps=1)
    with pytest.raises(ResumeError, match="it has no open question"):
        graph.resume(run, answers={"ask@2": True}, more_steps=1)


def test_a_failed_run_goes_on_at_its_place() -> None:
    """A node that failed runs again; what was before it does not."""
    bad = [ValueError("once")]
    seen: list[str] = []

    def first(state: State) -> Number:
        seen.append("first")
        return {"number": 1}

    def flaky(state: State) -> Number:
        seen.append("flaky")
        for error in bad:
            bad.clear()
            raise error
        return {"number": state.number + 1}

    graph = Graph(State, start=first, table={first: flaky, flaky: END})
    run = graph.run(State())
    assert (run.status, run.path[-1].target) == (Status.FAILED, "flaky")
    resumed = graph.resume(run)
    assert (resumed.unwrap().number, resumed.run_id) == (2, run.run_id)
    assert seen == ["first", "flaky", "flaky"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_resume_after_a_refused_update_calls_the_node_again(is_async: bool) -> None:
    """What was refused is not kept as done."""
    updates: list[dict[str, Any]] = [{"number": 2}, {"number": "one"}]

    def wavering(state: State, context: Context) -> Number:
        return updates.pop()  # type: ignore[return-value]  # the first is to be refused

    graph = make_graph(wavering)
    run = asyncio.run(graph.arun(State())) if is_async else graph.run(State())
    assert (run.status, run.state.number) == (Status.FAILED, 0)
    assert graph.resume(run).unwrap().number == 2


# -- names and keys


def test_a_run_has_a_name() -> None:
    """The given one, or one that is made once."""
    keys: list[str] = []

    def tell(state: State, context: Context) -> Number:
        keys.append(context.key)
        assert (context.step, context.attempt, context.run_id) == (1, 1, keys[-1].split(":")[0])
        return {"number": 1}

    graph = make_graph(tell)
    run = graph.run(State())
    assert keys == [f"{run.run_id}:0:tell"]
    assert run.run_id != graph.run(State()).run_id
    assert graph.run(State(), run_id="mine").run_id == "mine"


def test_a_run_shows_how_it_rests() -> None:
    """The text of a run names status, place and steps."""
    assert repr(make_graph(add).run(State())) == "<Run completed after 1 steps>"
    assert repr(make_graph(ask).run(State())).startswith("<Run paused at 'ask' after 0 steps: it waits for")


def test_the_system_clock_waits() -> None:
    """The default clock gives seconds since the epoch, and waits in both drivers."""
    clock = SystemClock()
    before = clock.now()
    clock.sleep(0.001)
    asyncio.run(clock.asleep(0.001))
    assert 0.002 <= clock.now() - before < 60


# -- the kernel by hand


def test_an_outcome_that_is_not_pending_is_refused() -> None:
    """The error lists what is pending; nothing has changed."""
    table = make_graph(together(add, ask, name="both")).table
    cursor = begin(table, State())
    wrong: list[Mapping[Any, Any]] = [
        {("both", "nothing"): done({})},
        {("both",): done({})},
        {(): done({})},
        {("other",): done({})},
        {("both", 0): done({})},
        {("both", "add", 0): done({})},
        {("both", "ask"): done({})},
        {("both", "ask"): raised(ValueError("no"))},
        {("both", "add"): answered(True)},
    ]
    for outcomes in wrong:
        with pytest.raises(OutcomeError, match="nothing is pending there") as caught:
            advance(table, cursor, outcomes)
        assert set(caught.value.pending) == {("both", "add"), ("both", "ask")}
    moved = advance(table, cursor, {("both", "ask"): answered(True), ("both", "add"): done({"number": 3})})
    assert (moved.state, moved.status) == (State(number=3, answer=True), Status.COMPLETED)


def test_an_outcome_after_the_end_is_refused() -> None:
    """A run that ended has nothing pending, nor has one that failed."""
    table = make_graph(add).table
    for outcome in (done({"number": 1}), raised(ValueError("no")), done({"number": "x"})):
        ended = advance(table, begin(table, State()), {("add",): outcome})
        assert (pending(table, ended), list_questions(table, ended)) == ((), ())
        with pytest.raises(OutcomeError, match="pending: nothing"):
            advance(table, ended, {("add",): outcome})


def test_no_outcomes_change_nothing() -> None:
    """`advance` without outcomes gives the cursor, with no row taken."""
    table = Graph(State, start=add, table={add: ask, ask: END}).table
    cursor = advance(table, begin(table, State()), {("add",): done({"number": 1})})
    assert [str(row) for row in cursor.taken] == ["add -> ask"]
    assert advance(table, cursor, {}).taken == ()


def test_the_kernel_lists_no_more_than_may_run() -> None:
    """`at_once` bounds what is pending; with `stop_early` nothing is after a failure."""
    fan = each("items", double, into="results", at_once=2, name="fan", stop_early=True)
    table = make_graph(fan).table
    cursor = begin(table, State())
    assert [work.address for work in pending(table, cursor)] == [("fan", 0), ("fan", 1)]
    cursor = advance(table, cursor, {("fan", 1): done(4)})
    assert [work.address for work in pending(table, cursor)] == [("fan", 0), ("fan", 2)]
    assert advance(table, cursor, {("fan", 0): raised(ValueError("no"))}).status is Status.FAILED


def test_the_kernel_tells_a_broken_invariant_and_a_failed_note() -> None:
    """By hand a run ends like any other."""

    def is_small(state: State) -> bool:
        return state.number < 2

    table = make_graph(add, invariants=[is_small]).table
    for number, status in ((1, Status.COMPLETED), (2, Status.FAILED)):
        assert advance(table, begin(table, State()), {("add",): done({"number": number})}).status is status


def test_outcomes_in_any_order_give_the_same() -> None:
    """EI-07: a batch is taken in address order."""
    child = make_graph(together(add, each("items", double, into="results", name="fan"), name="both"), name="child")
    again_child = again(child, count="rounds", at_most=1, otherwise=END)
    graph = Graph(State, start=child, table={child: ask, ask: by("answer", {True: again_child, False: END})})
    for seed in range(20):
        shuffle, cursor = random.Random(seed), begin(graph.table, State())  # noqa: S311  # an order, no secret
        while cursor.status in (Status.RUNNING, Status.PAUSED):
            work = list(pending(graph.table, cursor))
            shuffle.shuffle(work)
            some = work[: shuffle.randint(1, 4)]
            outcomes: dict[Any, Any] = {one.address: done(one.place.call(one.argument)) for one in some}
            outcomes |= {question.address: answered(True) for question in list_questions(graph.table, cursor)}
            cursor = advance(graph.table, cursor, outcomes)
        assert cursor.state == State(number=2, rounds=1, results=(2, 4, 6), answer=True)


def test_a_part_that_stopped_early_lists_nothing_more() -> None:
    """Beside it the other parts are still pending."""
    fan = each("items", double, into="results", at_once=2, name="fan", stop_early=True)
    table = make_graph(together(fan, add, name="both")).table
    cursor = advance(table, begin(table, State()), {("both", "fan", 0): raised(ValueError("no"))})
    assert [work.address for work in pending(table, cursor)] == [("both", "add")]
    assert advance(table, cursor, {("both", "add"): done({"number": 1})}).status is Status.FAILED
