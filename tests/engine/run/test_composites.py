"""Composites: `each`, `together` and graphs inside, what they hand back, how they fail, and what a resume does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest
from attrs import evolve, frozen

from transitable import (
    END,
    Context,
    Graph,
    Row,
    Run,
    Status,
    again,
    each,
    grows,
    node,
    subgraph,
    then,
    together,
)


@frozen
class State:
    """Items, results and a log."""

    items: tuple[int, ...] = (1, 2, 3)
    others: tuple[int, ...] = (7,)
    results: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    total: int = 0
    rounds: int = 0
    log: tuple[str, ...] = grows()


class Total(TypedDict):
    """Writes the total."""

    total: int


@frozen
class Inner:
    """The state of a graph inside."""

    text: str = ""


class Text(TypedDict):
    """Writes the text."""

    text: str


class Log(TypedDict):
    """Writes the log."""

    log: tuple[str, ...]


def double(item: int) -> int:
    return item * 2


def run_place(place: Any, state: State | None = None, **options: Any) -> Run[State]:
    """Run a graph of one place."""
    return Graph(State, start=place, table={place: END}).run(state or State(), **options)


async def arun_place(place: Any, state: State | None = None) -> Run[State]:
    """Run a graph of one place in an event loop."""
    return await Graph(State, start=place, table={place: END}).arun(state or State())


# -- what they hand back


def test_results_stand_in_item_order() -> None:
    """The results of `each` are in the order of the items."""
    assert run_place(each("items", double, into="results")).unwrap().results == (2, 4, 6)


def test_no_items_is_fine() -> None:
    """`each` over nothing writes nothing, in both drivers."""
    place = each("items", double, into="results", at_once=4)
    empty = State(items=(), results=(9,))
    assert run_place(place, empty).unwrap().results == ()
    assert asyncio.run(arun_place(place, empty)).unwrap().results == ()


def test_composites_nest() -> None:
    """`each` and `together` stand in `together`, and each part writes its own fields."""
    inner = together(
        each("items", double, into="results"), each("others", node(double, name="again"), into="seconds"), name="inner"
    )

    def add(state: State) -> Total:
        return {"total": sum(state.items)}

    state = run_place(together(inner, add, name="outer")).unwrap()
    assert (state.results, state.seconds, state.total) == ((2, 4, 6), (14,), 6)


@pytest.mark.parametrize("at_once", [1, 2, 3, 8])
def test_no_more_than_at_once_run_side_by_side(at_once: int) -> None:
    """`at_once` is the most workers under way at a time."""
    under_way: set[int] = set()
    most = 0

    async def work(item: int) -> int:
        nonlocal most
        under_way.add(item)
        most = max(most, len(under_way))
        for _ in range(3):
            await asyncio.sleep(0)
        under_way.discard(item)
        return item

    state = State(items=tuple(range(6)))
    place = each("items", work, into="results", at_once=at_once)
    assert asyncio.run(arun_place(place, state)).unwrap().results == state.items
    assert most == min(at_once, 6)


def test_together_joins_growing_fields_in_branch_order() -> None:
    """Parts that all write a growing field are joined in the order they were written, not in that of finishing."""

    async def slow(state: State) -> Log:
        for _ in range(5):
            await asyncio.sleep(0)
        return {"log": ("slow",)}

    async def fast(state: State) -> Log:
        return {"log": ("fast",)}

    state = State(log=("before",))
    assert asyncio.run(arun_place(together(slow, fast), state)).unwrap().log == ("before", "slow", "fast")


# -- graphs inside


def say(state: State) -> Log:
    return {"log": (f"said at {state.total}",)}


def add_one(state: State) -> Total:
    return {"total": state.total + 1}


def make_counting() -> Graph[State]:
    """A graph that goes round three times, counted in `rounds`."""
    return Graph(
        State,
        start=add_one,
        table={add_one: say, say: again(add_one, count="rounds", at_most=2, otherwise=END)},
        name="counting",
    )


def test_a_graph_inside_hands_back_what_it_wrote() -> None:
    """It starts from the parent's state, hands back the fields it wrote, and of growing fields its own items."""
    state = run_place(make_counting(), State(total=10, results=(5,), log=("before",))).unwrap()
    assert state.total == 13
    assert state.log == ("before", "said at 11", "said at 12", "said at 13")
    assert state.results == (5,)


def test_a_graph_inside_counts_its_own() -> None:
    """A child's count starts at 0 at every visit, and the parent's is neither read nor written by it."""
    child = make_counting()
    graph = Graph(State, start=child, table={child: again(child, count="rounds", at_most=1, otherwise=END)})
    run = graph.run(State())
    assert run.unwrap().total == 6
    assert (run.state.rounds, run.steps) == (1, 2)


def test_another_class_goes_in_by_enter_and_out_by_leave() -> None:
    """`enter` makes the child's state and `leave` the parent's update."""

    def shout(state: Inner) -> Text:
        return {"text": state.text.upper()}

    def leave(state: State, child: Any) -> Log:
        return {"log": (child.text,)}

    inner = Graph(Inner, start=shout, table={shout: END}, name="inner")
    place = subgraph(inner, enter=lambda state: Inner(f"total {state.total}"), leave=leave)
    assert run_place(place, State(total=4)).unwrap().log == ("TOTAL 4",)


def make_worker_graph(fail_at: int = -1) -> Graph[State]:
    """A graph that doubles its total, and fails at one."""

    def twice(state: State) -> Total:
        if state.total == fail_at:
            raise ValueError(f"no {fail_at}")
        return {"total": state.total * 2}

    return Graph(State, start=twice, table={twice: END}, name="worker")


def enter_item(state: State, item: int) -> State:
    """Start the worker's graph with the item as total."""
    if item == 13:
        raise KeyError("thirteen")
    return State(total=item)


def leave_item(state: State, child: State) -> int:
    """Take the total; refuse 8."""
    if child.total == 8:
        raise LookupError("eight")
    return child.total


def each_by_graph(fail_at: int = -1, **options: Any) -> Any:
    return each(
        "items", make_worker_graph(fail_at), into="results", enter=enter_item, leave=leave_item, name="each", **options
    )


def test_a_graph_can_be_a_worker() -> None:
    """One run of the graph for every item."""
    assert run_place(each_by_graph()).unwrap().results == (2, 4, 6)


@pytest.mark.parametrize(("items", "reason"), [((1, 13), "KeyError: 'thirteen'"), ((1, 4), "LookupError: eight")])
def test_enter_and_leave_that_raise_fail_their_item(items: tuple[int, ...], reason: str) -> None:
    """What `enter` or `leave` raises is a failure of that item."""
    run = run_place(each_by_graph(), State(items=items))
    assert (run.status, run.state.results) == (Status.FAILED, ())
    assert run.reason == f"each: {reason}"
    assert run.failure is not None
    assert run.failure.place == "each/1"


def test_enter_and_leave_of_a_subgraph_that_raise_fail_the_place() -> None:
    """A table catches them by an error row like any failure."""

    def refuse(*_: State) -> Total:
        raise KeyError("closed")

    child = make_worker_graph()
    for place in (
        subgraph(child, enter=lambda state: refuse(state) and state, leave=lambda state, inner: {}),
        subgraph(child, enter=lambda state: state, leave=refuse),
    ):
        run = Graph(State, start=place, table={place: then(say, on_error={KeyError: say}), say: END}).run(State())
        assert run.path[0].value == "builtins.KeyError"
        assert run.unwrap().log == ("said at 0",)


def test_leave_may_hand_back_nothing_or_what_is_refused() -> None:
    """In `together` the update of `leave` is held to what it declares, like that of any part."""

    def nothing(state: State, child: State) -> Log | None:
        return None

    def wrong(state: State, child: State) -> Log:
        return {"total": 3}  # type: ignore[typeddict-item, typeddict-unknown-key]  # what is to be refused

    def inside(leave: Any) -> Any:
        return together(add_one, subgraph(make_worker_graph(), enter=lambda state: state, leave=leave), name="both")

    assert run_place(inside(nothing)).unwrap() == State(total=1)
    run = run_place(inside(wrong))
    assert run.failure is not None
    assert run.failure.refused
    assert "only the fields that 'worker' is annotated to write: log" in run.reason


# -- failures


class Flaky:
    """A worker that fails for some items and remembers what it was asked."""

    def __init__(self, *bad: int) -> None:
        self.bad = set(bad)
        self.asked: list[int] = []

    def work(self, item: int) -> int:
        self.asked.append(item)
        if item in self.bad:
            raise ValueError(f"item {item}")
        return item * 2

    async def work_later(self, item: int) -> int:
        for _ in range(10 - item):
            await asyncio.sleep(0)
        return self.work(item)


@pytest.mark.parametrize("at_once", [1, 2, 3, 9])
def test_the_first_failure_in_item_order_is_told_and_the_rest_beside_it(at_once: int) -> None:
    """The order of finishing changes nothing; all items run to their end."""
    flaky = Flaky(1, 3)
    run = asyncio.run(arun_place(each("items", flaky.work_later, into="results", at_once=at_once, name="each")))
    assert sorted(flaky.asked) == [1, 2, 3]
    assert run.failure is not None
    assert (run.failure.message, run.failure.place) == ("item 1", "each/0")
    assert [(other.message, other.place) for other in run.failure.others] == [("item 3", "each/2")]
    assert run.reason == "each: ValueError: item 1 (and 1 more)"


def test_a_refused_result_comes_before_all_other_failures() -> None:
    """A refused result stands first, also when an earlier item failed otherwise."""

    def work(item: int) -> Any:
        if item == 1:
            raise ValueError("first")
        return "no number" if item == 3 else item

    run = run_place(each("items", work, into="results", name="each"))
    assert run.failure is not None
    assert (run.failure.refused, run.failure.place) == (True, "each/2")
    assert [other.message for other in run.failure.others] == ["first"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_resume_runs_only_the_failed_items(is_async: bool) -> None:
    """What is finished is kept, and only what failed runs again."""
    flaky = Flaky(2)
    worker: Any = flaky.work_later if is_async else flaky.work
    place = each("items", worker, into="results", at_once=3 if is_async else 1)
    graph = Graph(State, start=place, table={place: END})
    failed = asyncio.run(graph.arun(State())) if is_async else graph.run(State())
    assert failed.status is Status.FAILED
    flaky.bad.clear()
    flaky.asked.clear()
    resumed = asyncio.run(graph.aresume(failed)) if is_async else graph.resume(failed)
    assert resumed.unwrap().results == (2, 4, 6)
    assert flaky.asked == [2]


def test_a_resume_of_nested_work_runs_only_what_failed() -> None:
    """In `together` and in graphs inside, what is done stays done."""
    flaky, seen = Flaky(2), list[str]()

    def first(state: State) -> Total:
        seen.append("first")
        return {"total": 1}

    fan = each("items", flaky.work, into="results", name="fan")
    child = Graph(State, start=first, table={first: fan, fan: END}, name="child")
    both = together(child, say, name="both")
    graph = Graph(State, start=both, table={both: END})
    failed = graph.run(State())
    assert failed.failure is not None
    assert failed.failure.place == "both/child/fan/1"
    flaky.bad.clear()
    assert graph.resume(failed).unwrap() == State(total=1, results=(2, 4, 6), log=("said at 0",))
    assert (seen, flaky.asked) == (["first"], [1, 2, 3, 2])


def test_a_resume_enters_a_failed_item_again() -> None:
    """A graph for an item that could not be entered is entered at the resume."""
    entered: list[int] = []

    def enter(state: State, item: int) -> State:
        entered.append(item)
        if item == 2 and entered.count(2) == 1:
            raise KeyError("not yet")
        return State(total=item)

    place = each("items", make_worker_graph(), into="results", enter=enter, leave=leave_item, name="each")
    graph = Graph(State, start=place, table={place: END})
    assert graph.resume(graph.run(State())).unwrap().results == (2, 4, 6)
    assert entered == [1, 2, 3, 2]


@pytest.mark.parametrize("at_once", [1, 2])
def test_stop_early_starts_nothing_after_a_failure(at_once: int) -> None:
    """By name, `each` gives up the items that have not started."""
    flaky = Flaky(2)
    place = each("items", flaky.work, into="results", name="each", stop_early=True, at_once=at_once)
    run = run_place(place)
    assert (run.status, flaky.asked) == (Status.FAILED, [1, 2])
    later = Flaky(1, 2)
    place = each("items", later.work_later, into="results", name="each", stop_early=True, at_once=at_once)
    assert asyncio.run(arun_place(place, State(items=(1, 2, 3, 4)))).status is Status.FAILED
    assert set(later.asked) == set(range(1, at_once + 1))


def test_stop_early_holds_for_graphs_as_workers_and_for_together() -> None:
    """A failed graph stops the others, and so does a failed part."""
    run = run_place(each_by_graph(2, stop_early=True), State(items=(1, 2, 3, 13)))
    assert run.failure is not None
    assert (run.failure.place, run.failure.others) == ("each/1/twice", run.failure.others)
    seen: list[str] = []

    def fails(state: State) -> Total:
        raise ValueError("no")

    def after(state: State) -> Log:
        seen.append("after")
        return {"log": ("after",)}

    run = run_place(together(fails, after, name="both", stop_early=True))
    assert (run.status, seen) == (Status.FAILED, [])


@pytest.mark.parametrize("with_context", [False, True])
def test_stop_early_holds_in_async_runs(with_context: bool) -> None:
    """The plain and the general loop stop alike."""
    asked: list[int] = []

    async def plain(item: int) -> int:
        asked.append(item)
        raise ValueError(f"item {item}")

    async def telling(item: int, context: Context) -> int:
        return await plain(item)

    place: Any = each("items", telling if with_context else plain, into="results", name="each", stop_early=True)
    assert asyncio.run(arun_place(place)).reason == "each: ValueError: item 1"
    assert asked == [1]


# -- nothing leaks


def test_what_a_worker_changes_later_never_leaks() -> None:
    """A result is frozen when it comes in, while the others still run, however many run at once."""
    kept: list[list[str]] = []

    def work(item: int) -> list[str]:
        for earlier in kept:
            earlier.append("changed")
        kept.append([str(item)])
        return kept[-1]

    async def work_later(item: int) -> list[str]:
        for _ in range(item * 3):
            await asyncio.sleep(0)
        return work(item)

    expected = (("1",), ("2",), ("3",))
    assert run_place(each("items", work, into="parts")).unwrap().parts == expected
    for at_once in (1, 2, 3):
        kept.clear()
        place = each("items", work_later, into="parts", at_once=at_once)
        assert asyncio.run(arun_place(place)).unwrap().parts == expected


def test_what_a_part_changes_later_never_leaks() -> None:
    """The update of a part of `together` is frozen before the next one runs."""
    kept: list[Any] = []

    def first(state: State) -> Log:
        kept.append(["first"])
        return {"log": kept[0]}

    def second(state: State) -> Total:
        kept[0].append("changed")
        return {"total": 1}

    assert run_place(together(first, second)).unwrap().log == ("first",)


def test_items_of_the_worker_cannot_change_the_state() -> None:
    """The update that a failing composite would have written is not written."""
    before = State(results=(1,))
    run = run_place(each("items", Flaky(2).work, into="results"), before)
    assert run.state == before


# -- an interrupt that is no Exception


class Stop(BaseException):
    """Ends the task."""


@pytest.mark.parametrize("at_once", [2, 3])
def test_an_interrupt_keeps_the_finished_items(at_once: int) -> None:
    """What is no Exception goes on to the caller; what was finished is kept, and the run can go on."""
    calls: list[int] = []

    async def work(item: int) -> int:
        calls.append(item)
        await asyncio.sleep(0)
        if item == 1 and calls.count(1) == 1:
            for _ in range(5):
                await asyncio.sleep(0)
            raise Stop
        return item

    async def check() -> None:
        place = each("items", work, into="results", at_once=at_once)
        graph = Graph(State, start=place, table={place: END})
        handle = graph.start(State())
        with pytest.raises(Stop):
            await handle.afinish()
        assert (await graph.aresume(handle.run)).unwrap().results == (1, 2, 3)
        assert sorted(calls) == [1, 1, 2, 3]

    asyncio.run(check())


def test_a_worker_that_cancels_itself_cancels_the_run_s_task() -> None:
    """A CancelledError is no failure of an item, whichever loop drives it."""

    async def work(item: int) -> int:
        if item == 2:
            raise asyncio.CancelledError
        return item

    for at_once in (1, 2, 3):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(arun_place(each("items", work, into="results", at_once=at_once)))


def test_a_failure_is_noted_with_its_row() -> None:
    """`note` gets the first failure with the others beside it."""

    def note(state: State, failure: Any, row: Row) -> Mapping[str, object]:
        return {"log": (f"{row.source}: {failure.message}, {len(failure.others)} more",)}

    fan = each("items", Flaky(1, 2, 3).work, into="results", name="fan")
    graph = Graph(State, start=fan, table={fan: then(END, on_error={ValueError: END})}, note=note)
    assert graph.run(State()).unwrap() == evolve(State(), log=("fan: item 1, 2 more",))


def test_a_resume_opens_a_failed_part_again() -> None:
    """In `together` only the part that failed runs again."""
    bad = [ValueError("once")]

    def flaky(state: State) -> Total:
        for error in bad:
            bad.clear()
            raise error
        return {"total": 5}

    both = together(flaky, say, name="both")
    graph = Graph(State, start=both, table={both: END})
    assert graph.resume(graph.run(State())).unwrap() == State(total=5, log=("said at 0",))


@pytest.mark.parametrize("error", [Stop, asyncio.CancelledError])
def test_an_interrupt_of_items_that_all_run_at_once_is_raised(error: type[BaseException]) -> None:
    """Without a handle there is nothing to go on with; the interrupt goes to the caller."""

    async def work(item: int) -> int:
        if item == 2:
            raise error
        return item

    async def wait(item: int) -> int:
        return item if item == 1 else await asyncio.Event().wait()

    with pytest.raises(error):
        asyncio.run(arun_place(each("items", work, into="results", at_once=3)))

    async def check() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(arun_place(each("items", wait, into="results", at_once=3)), 0.01)

    asyncio.run(check())
