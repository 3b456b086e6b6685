"""Sync driver, async driver, kernel by hand and a plain interpreter agree on state, path and end, in any order of finishing.

The interpreter is written from the rules alone: it knows rows, not the engine's kernel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from transitable import (
    END,
    Cursor,
    Failure,
    Graph,
    ResumeError,
    Row,
    RowKind,
    Run,
    Status,
    TableError,
    advance,
    again,
    answered,
    begin,
    by,
    cursor_from_json,
    cursor_to_json,
    done,
    each,
    grows,
    list_questions,
    node,
    pause,
    pending,
    raised,
    then,
    together,
)
from transitable.run.failures import describe_failure

Label = Literal["x", "y"]


class Logged(TypedDict):
    """What a side writes."""

    log: tuple[str, ...]


@frozen
class S:
    """A state with a field for every kind of writing."""

    label: Label | None = None
    total: int = 0
    loops: int = 0
    items: tuple[int, ...] = (1, 2, 3)
    results: tuple[int, ...] = ()
    allowed: bool | None = None
    log: tuple[str, ...] = grows()


@frozen
class Plan:
    """One place of a random graph: what it is, and where it leads."""

    kind: Literal["step", "branch", "fan", "sides", "ask", "child"]
    label: Label | None
    fails: bool
    target: int
    other: int
    bounded: bool
    catches: bool


plans = st.lists(
    st.builds(
        Plan,
        kind=st.sampled_from(["step", "step", "branch", "branch", "fan", "sides", "ask", "child"]),
        label=st.sampled_from(["x", "y", None]),
        fails=st.sampled_from([False, False, False, True]),
        target=st.integers(0, 7),
        other=st.integers(0, 7),
        bounded=st.booleans(),
        catches=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def make_graph(written: list[Plan], *, is_async: bool) -> Graph[S] | None:
    """Build the graph of some plans; None when its wiring is unsound."""
    places = [make_place(index, plan, is_async=is_async) for index, plan in enumerate(written)]

    def find(number: int) -> Any:
        return places[number] if number < len(places) else END

    table: dict[Any, Any] = {}
    for index, plan in enumerate(written):
        onward: Any = find(index + 1)
        if plan.bounded or plan.target <= index:
            onward = again(find(plan.target), count="loops", at_most=3, otherwise=onward)
        caught = {ValueError: find(max(plan.other, index + 1))} if plan.catches and plan.kind != "ask" else {}
        after = find(index + 1)
        if plan.kind == "branch":
            table[places[index]] = by("label", {"x": onward, "y": after, None: END}, on_error=caught)
        elif plan.kind == "ask":
            table[places[index]] = by("allowed", {True: onward, False: after})
        else:
            table[places[index]] = then(onward, on_error=caught)
    try:
        return Graph(S, start=places[0], table=table, note=note_failure, name="random")
    except TableError:
        return None


def note_failure(state: S, failure: Failure, row: Row) -> Mapping[str, object]:
    """Write the failure, and who left by which row."""
    return {"log": (f"{row.source} failed: {failure.message} ({len(failure.others)} more) after {state.total}",)}


def make_place(index: int, plan: Plan, *, is_async: bool) -> Any:
    """Make the place of a plan; async workers finish in the reverse of the order in which they start."""
    name = f"p{index}"

    def step(state: S) -> Mapping[str, object]:
        if plan.fails and state.loops < 2:
            raise ValueError(f"{name} at {state.total}")
        return {"total": state.total + index + 1, "log": (name,), "label": plan.label}

    def work(item: int) -> int:
        if plan.fails and item != 2:
            raise ValueError(f"{name} item {item}")
        return item * 10 + index

    async def step_later(state: S) -> Mapping[str, object]:
        await asyncio.sleep(0)
        return step(state)

    async def work_later(item: int) -> int:
        for _ in range(5 - item):
            await asyncio.sleep(0)
        return work(item)

    if plan.kind == "fan":
        return each("items", work_later if is_async else work, into="results", at_once=3 if is_async else 1, name=name)
    if plan.kind == "sides":
        return together(make_side("a", plan, is_async=is_async), make_side("b", plan, is_async=is_async), name=name)
    if plan.kind == "ask":
        return pause(name, question="go on?", answer=bool, into="allowed")
    if plan.kind == "child":
        inner = node(step_later if is_async else step, name=f"{name}_in")
        side = make_side("c", plan, is_async=is_async)
        return Graph(S, start=inner, table={inner: side, side: END}, name=name)
    return node(step_later if is_async else step, name=name)


def make_side(letter: str, plan: Plan, *, is_async: bool) -> Any:
    """Make one part of a composite, which only grows the log."""

    def side(state: S) -> Logged:
        if plan.fails and letter != "a":
            raise ValueError(f"side {letter}")
        return {"log": (f"{letter}{state.total}",)}

    async def side_later(state: S) -> Logged:
        for _ in range(3 if letter == "a" else 1):
            await asyncio.sleep(0)
        return side(state)

    return node(side_later if is_async else side, name=f"side_{letter}")


Outcome = tuple[S, tuple[Row, ...], Status]


def answer_all(graph: Graph[S], run: Run[S], says: bool) -> Run[S]:
    """Answer every question the same way until the run rests otherwise."""
    while run.status is Status.PAUSED:
        run = graph.resume(run, answers={question.id: says for question in run.questions})
    return run


async def answer_all_later(graph: Graph[S], run: Run[S], says: bool) -> Run[S]:
    """The same in an event loop."""
    while run.status is Status.PAUSED:
        run = await graph.aresume(run, answers={question.id: says for question in run.questions})
    return run


def run_by_hand(graph: Graph[S], says: bool, pick: Callable[[int], int], *, through_json: bool) -> Outcome:
    """Move a cursor on by single outcomes in a picked order."""
    table = graph.table
    cursor = begin(table, S())
    path = list(cursor.taken)
    while cursor.status in (Status.RUNNING, Status.PAUSED):
        work = pending(table, cursor)
        outcomes = {}
        if work:
            one = work[pick(len(work))]
            try:
                outcomes[one.address] = done(one.place.call(one.argument))
            except ValueError as error:
                outcomes[one.address] = raised(describe_failure(error, "/".join(map(str, one.address))))
        else:
            outcomes = {question.address: answered(says) for question in list_questions(table, cursor)}
        cursor = advance(table, cursor, outcomes)
        path.extend(cursor.taken)
        if through_json:
            cursor = survive_json(graph, cursor)
    return cursor.state, tuple(path), cursor.status


def survive_json(graph: Graph[S], cursor: Cursor) -> Cursor:
    """Write and read a cursor, and hold that it is the same."""
    read = cursor_from_json(graph.table, cursor_to_json(graph.table, cursor))
    assert read == cursor
    return read


def interpret(graph: Graph[S], written: list[Plan], says: bool) -> Outcome:
    """Walk the rows from the rules alone: what each kind of place writes, and which row its value or failure takes."""
    state, path = S(), []
    name = "p0"
    while name != "END":
        index = int(name[1:])
        plan = written[index]
        failed = plan.fails and plan.kind != "ask" and (plan.kind in ("fan", "sides", "child") or state.loops < 2)
        rows = [row for row in graph.rows if row.source == name]
        if failed:
            rows = [row for row in rows if row.kind is RowKind.ERROR]
            if not rows:
                return state, tuple(path), Status.FAILED
            message, more = tell_failure(index, plan, state)
            line = f"{name} failed: {message} ({more} more) after {state.total}"
            state = evolve(state, log=(*state.log, line))
        else:
            state = apply(index, plan, state, says)
            value: Any = state.label if plan.kind == "branch" else says if plan.kind == "ask" else None
            kind = RowKind.VALUE if plan.kind in ("branch", "ask") else RowKind.NEXT
            rows = [row for row in rows if row.kind is kind and row.value == value]
        row = next(row for row in rows if row.bound is None or row.bound.spent == (state.loops >= row.bound.most))
        if row.bound is not None and not row.bound.spent:
            state = evolve(state, loops=state.loops + 1)
        path.append(row)
        name = row.target
    return state, tuple(path), Status.COMPLETED


def apply(index: int, plan: Plan, state: S, says: bool) -> S:
    """Write what a place of this plan writes."""
    name = f"p{index}"
    if plan.kind == "fan":
        return evolve(state, results=tuple(item * 10 + index for item in state.items))
    if plan.kind == "sides":
        return evolve(state, log=(*state.log, f"a{state.total}", f"b{state.total}"))
    if plan.kind == "ask":
        return evolve(state, allowed=says)
    stepped = evolve(state, total=state.total + index + 1, log=(*state.log, name), label=plan.label)
    return evolve(stepped, log=(*stepped.log, f"c{stepped.total}")) if plan.kind == "child" else stepped


def tell_failure(index: int, plan: Plan, state: S) -> tuple[str, int]:
    """Say what a failing place fails with, and how many failures stand beside it."""
    if plan.kind == "fan":
        return f"p{index} item 1", 1
    if plan.kind == "sides":
        return "side b", 0
    if plan.kind == "child":
        return (f"p{index} at {state.total}" if state.loops < 2 else "side c"), 0
    return f"p{index} at {state.total}", 0


async def run_later(graph: Graph[S], says: bool) -> Run[S]:
    """Run to the end in this event loop, answering."""
    return await answer_all_later(graph, await graph.arun(S()), says)


def rest(run: Run[S]) -> Outcome:
    """Give what is compared of a run."""
    return run.state, run.path, run.status


@given(written=plans, says=st.booleans(), order=st.randoms(use_true_random=False), through_json=st.booleans())
@settings(max_examples=200, deadline=None)
def test_all_drivers_agree_on_random_graphs(written: list[Plan], says: bool, order: Any, through_json: bool) -> None:
    """EI-05, EI-07: state, path and end do not depend on the driver, nor on the order in which work finishes."""
    graph = make_graph(written, is_async=False)
    twin = make_graph(written, is_async=True)
    if graph is None or twin is None:
        return
    expected = interpret(graph, written, says)
    assert rest(answer_all(graph, graph.run(S()), says)) == expected
    assert rest(asyncio.run(run_later(twin, says))) == expected
    assert run_by_hand(graph, says, lambda count: order.randrange(count), through_json=through_json) == expected
    assert run_by_hand(graph, says, lambda count: count - 1, through_json=False) == expected


@given(written=plans, says=st.booleans(), cut=st.integers(1, 6))
@settings(max_examples=100, deadline=None)
def test_a_run_cut_at_any_step_ends_as_an_undisturbed_one(written: list[Plan], says: bool, cut: int) -> None:
    """EI-05: a run stopped at any step limit and resumed ends in the same state by the same path."""
    graph = make_graph(written, is_async=False)
    if graph is None:
        return
    whole = answer_all(graph, graph.run(S()), says)
    run = graph.run(S(), max_steps=cut)
    while run.status in (Status.LIMIT, Status.PAUSED):
        if run.status is Status.LIMIT:
            assert run.steps % cut == 0
            run = graph.resume(run, more_steps=cut)
        else:
            run = answer_within(graph, run, says, cut)
    assert rest(run) == rest(whole)


def answer_within(graph: Graph[S], run: Run[S], says: bool, cut: int) -> Run[S]:
    """Answer, with more steps where the limit is reached at the pause."""
    answers = {question.id: says for question in run.questions}
    try:
        return graph.resume(run, answers=answers)
    except ResumeError:
        return graph.resume(run, answers=answers, more_steps=cut)


@given(written=plans, says=st.booleans())
@settings(max_examples=100, deadline=None)
def test_events_fold_to_the_state(written: list[Plan], says: bool) -> None:
    """The live stream is the record afterwards, it holds every step, and its changes rebuild the final state."""
    graph = make_graph(written, is_async=False)
    if graph is None:
        return
    handle = graph.start(S())
    live = list(handle)
    while handle.status is Status.PAUSED:
        for question in handle.run.questions:
            handle.answer(question.id, says)
        live.extend(handle)
    run = handle.run
    assert tuple(event for event in run.events if event.kind != "answered") == tuple(
        event for event in live if event.kind != "answered"
    )
    steps = [event for event in live if event.kind == "finished" and len(event.address) == 1]
    assert tuple(event.row for event in steps) == run.path
    state = S()
    for event in steps:
        assert event.changes is not None
        grown = {"log": state.log + event.changes["log"]} if "log" in event.changes else {}
        state = evolve(state, **{**event.changes, **grown})
    assert state == run.state
    assert run.steps <= graph.longest_run
