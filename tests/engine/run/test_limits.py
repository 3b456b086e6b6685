"""Limits: a run stops at a number of steps, seconds or cost, keeps its work, and can go on with more."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Context,
    Graph,
    ManualClock,
    OptionError,
    ResumeError,
    Run,
    Status,
    UpdateError,
    again,
    each,
    together,
)


@frozen
class State:
    """A number, a count and items."""

    number: int = 0
    rounds: int = 0
    items: tuple[int, ...] = (1, 2, 3, 4)
    results: tuple[int, ...] = ()


class Number(TypedDict):
    """Writes the number."""

    number: int


def add(state: State) -> Number:
    return {"number": state.number + 1}


async def add_later(state: State) -> Number:
    return add(state)


def make_loop(function: Any) -> Graph[State]:
    """Ten steps of one place."""
    return Graph(State, start=function, table={function: again(function, count="rounds", at_most=9, otherwise=END)})


def run_both(graph: Graph[State], **options: Any) -> Run[State]:
    """Run in an event loop when the graph is async."""
    if graph.table.async_name is not None:
        return asyncio.run(graph.arun(State(), **options))
    return graph.run(State(), **options)


@pytest.mark.parametrize("function", [add, add_later])
@pytest.mark.parametrize("most", [1, 2, 9, 10, 11])
@pytest.mark.parametrize("options", [{}, {"keep_events": True}, {"max_cost": 1.0}, {"check_invariants": True}])
def test_a_step_limit_of_n_runs_exactly_n(function: Any, most: int, options: dict[str, Any]) -> None:
    """A step is one visit of a place; the limit is neither exceeded nor undercut, whichever loop drives."""
    run = run_both(make_loop(function), max_steps=most, **options)
    assert (run.steps, run.state.number) == (min(most, 10), min(most, 10))
    assert run.status is (Status.COMPLETED if most >= 10 else Status.LIMIT)
    assert run.reason == ("" if most >= 10 else f"it has made {most} steps; max_steps is {most}")


def test_a_limited_run_goes_on_with_more() -> None:
    """`more_steps` counts from where the run is; without it a resume is refused and says what to give."""
    graph = make_loop(add)
    run = graph.run(State(), max_steps=3)
    with pytest.raises(ResumeError, match=r"it has made 3 steps.*give more_steps="):
        graph.resume(run)
    run = graph.resume(run, more_steps=4)
    assert (run.status, run.steps, run.limits) == (Status.LIMIT, 7, (7, None, None))
    assert graph.resume(run, more_steps=3).unwrap().number == 10


def test_items_and_steps_inside_are_no_steps() -> None:
    """A composite is one step of its graph, whatever runs inside."""

    def double(item: int) -> int:
        return item * 2

    child = make_loop(add)
    fan = each("items", double, into="results")
    graph = Graph(State, start=child, table={child: fan, fan: END})
    run = graph.run(State(), max_steps=2)
    assert (run.status, run.steps, run.state.number) == (Status.COMPLETED, 2, 10)


class Timed:
    """Nodes and workers that take ten seconds of a clock that stands still."""

    def __init__(self) -> None:
        self.clock = ManualClock(1000.0)

    def call(self, state: State) -> Number:
        self.clock.sleep(10.0)
        return add(state)

    async def call_later(self, state: State) -> Number:
        return self.call(state)

    def work(self, item: int) -> int:
        self.clock.sleep(10.0)
        return item

    async def work_later(self, item: int) -> int:
        return self.work(item)


@pytest.mark.parametrize("name", ["call", "call_later"])
def test_max_seconds_stops_before_the_next_step(name: str) -> None:
    """The step that goes beyond the limit is finished; a rest between does not count, and more can be given."""
    timed = Timed()
    graph = make_loop(getattr(timed, name))
    run = run_both(graph, max_seconds=25.0, clock=timed.clock)
    assert (run.status, run.steps, run.seconds) == (Status.LIMIT, 3, 30.0)
    assert run.reason == "it has worked for 30.000 s; max_seconds is 25.0"
    timed.clock.time += 10_000
    with pytest.raises(ResumeError, match="it has worked for 30"):
        graph.reopen(run)
    more = graph.reopen(run, more_seconds=20.0)
    run = asyncio.run(more.afinish())
    assert (run.status, run.steps, run.seconds) == (Status.LIMIT, 5, 50.0)


@pytest.mark.parametrize("name", ["work", "work_later"])
def test_a_limit_stops_a_composite_between_its_items(name: str) -> None:
    """What is finished is kept, and the resumed run makes the rest."""
    timed = Timed()
    place = each("items", getattr(timed, name), into="results", name="each")
    graph = Graph(State, start=place, table={place: END})
    run = run_both(graph, max_seconds=15.0, clock=timed.clock)
    assert (run.status, run.steps, timed.clock.waits) == (Status.LIMIT, 0, [10.0, 10.0])
    run = asyncio.run(graph.aresume(run, more_seconds=100.0))
    assert (run.unwrap().results, len(timed.clock.waits)) == ((1, 2, 3, 4), 4)


def test_a_limit_stops_a_graph_inside() -> None:
    """The child keeps its steps, and goes on where it was."""
    timed = Timed()
    child = make_loop(timed.call)
    graph = Graph(State, start=child, table={child: END})
    run = graph.run(State(), max_seconds=25.0, clock=timed.clock)
    assert (run.status, run.state.number) == (Status.LIMIT, 0)
    assert graph.resume(run, more_seconds=500.0).unwrap().number == 10
    assert len(timed.clock.waits) == 10


def test_a_deadline_is_told_to_nodes() -> None:
    """The context's deadline is the end of the run's time; None without a limit."""
    told: list[float | None] = []

    def tell(state: State, context: Context) -> Number:
        told.append(context.deadline)
        return add(state)

    clock = ManualClock(50.0)
    graph = make_loop(tell)
    graph.run(State(), clock=clock, max_steps=1)
    graph.run(State(), clock=clock, max_steps=1, max_seconds=7.0)
    assert told == [None, 57.0]


def spend(state: State, context: Context) -> Number:
    context.spend(2)
    return add(state)


def test_max_cost_stops_before_the_next_step() -> None:
    """Costs add up; at the limit nothing more starts, and more can be given."""
    graph = make_loop(spend)
    run = graph.run(State(), max_cost=5.0)
    assert (run.status, run.steps, run.cost) == (Status.LIMIT, 3, 6.0)
    assert run.reason == "it has spent 6.0; max_cost is 5.0"
    with pytest.raises(ResumeError, match="it has spent 6"):
        graph.resume(run)
    run = graph.resume(run, more_cost=4.0)
    assert (run.status, run.steps, run.cost) == (Status.LIMIT, 5, 10.0)


def test_costs_add_up_without_a_limit_and_from_inside() -> None:
    """Parts and graphs inside spend from the run's own cost."""

    def left(state: State, context: Context) -> Number:
        context.spend(0.5)
        return add(state)

    def spend_item(item: int, context: Context) -> int:
        context.spend(item)
        return item

    both = together(left, each("items", spend_item, into="results", name="fan"), name="both")
    inner = Graph(State, start=both, table={both: END}, name="inner")
    run = Graph(State, start=inner, table={inner: END}).run(State())
    assert (run.status, run.cost) == (Status.COMPLETED, 10.5)


@pytest.mark.parametrize("cost", [-1, float("nan"), True, "3", None])
def test_a_cost_is_a_number_of_at_least_0(cost: Any) -> None:
    """Anything else is refused at the node, and nothing is spent."""

    def wrong(state: State, context: Context) -> Number:
        context.spend(cost)
        return add(state)

    run = Graph(State, start=wrong, table={wrong: END}).run(State())
    assert (run.status, run.cost) == (Status.FAILED, 0.0)
    assert isinstance(run.exception, UpdateError)
    assert "a number of at least 0" in run.reason


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("max_steps", 0, "a whole number of at least 1"),
        ("max_steps", True, "a whole number of at least 1"),
        ("max_steps", 1.5, "a whole number of at least 1"),
        ("max_seconds", 0, "a finite number above 0"),
        ("max_seconds", float("inf"), "a finite number above 0"),
        ("max_seconds", 10**400, "a finite number above 0"),
        ("max_cost", "3", "a finite number above 0"),
        ("max_cost", False, "a finite number above 0"),
        ("run_id", "", "a text that is not empty"),
        ("run_id", 3, "a text that is not empty"),
        ("keep_events", 1, "True or False"),
        ("check_invariants", None, "True or False"),
        ("random", 0.5, "a function that gives numbers from 0 up to 1"),
        ("clock", object(), "a Clock with now, sleep and asleep"),
    ],
)
def test_options_out_of_range_are_refused(option: str, value: object, expected: str) -> None:
    """The error names the option, what came and what is expected."""
    graph: Any = make_loop(add)
    with pytest.raises(OptionError, match=expected) as caught:
        graph.run(State(), **{option: value})
    assert caught.value.option == option
    assert repr(value) in caught.value.found


@pytest.mark.parametrize(("option", "nearest"), [("max_step", "max_steps"), ("clocks", "clock"), ("zzz", None)])
def test_unknown_options_are_refused_with_the_nearest(option: str, nearest: str | None) -> None:
    """All doors refuse an unknown option at once."""
    graph: Any = make_loop(add)
    hint = f"did you mean '{nearest}'" if nearest else "there is no such option here; expected one of"
    for door in (graph.run, graph.start, graph.stream, graph.astream):
        with pytest.raises(OptionError, match=hint) as caught:
            door(State(), **{option: 3})
        assert caught.value.nearest == nearest
    with pytest.raises(OptionError, match=hint):
        asyncio.run(graph.arun(State(), **{option: 3}))


@pytest.mark.parametrize(("option", "nearest"), [("max_steps", "more_steps"), ("answer", "answers"), ("state", None)])
def test_a_resume_has_options_of_its_own(option: str, nearest: str | None) -> None:
    """Name and limits are those of the run, extended by what is given."""
    graph: Any = make_loop(add)
    run = graph.run(State(), max_steps=3)
    with pytest.raises(OptionError, match="there is no such option here") as caught:
        graph.resume(run, **{option: 3})
    assert caught.value.nearest == nearest
    for wrong in ({"more_steps": 0}, {"more_seconds": -1.0}, {"more_cost": "x"}):
        with pytest.raises(OptionError, match="number"):
            graph.resume(run, **wrong)
