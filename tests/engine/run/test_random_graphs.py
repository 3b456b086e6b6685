"""Both drivers, the kernel by hand and an interpreter written from the rules agree on random graphs of any depth."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.interpreter import (
    answers_of,
    attempt,
    choose,
    expect,
    finish,
    run_async,
    run_by_hand,
    run_by_handle,
    run_sync,
    say,
    show_failure,
    show_run,
    survive,
)
from tests.engine.strategies import Maker, S, Wiring, states, wirings

from transitable import (
    EventKind,
    Handle,
    Run,
    Status,
    advance,
    answered,
    begin,
    list_questions,
    pending,
)

SETTINGS = settings(max_examples=150, deadline=None)


@SETTINGS
@given(wiring=wirings(), state=states, pick=st.randoms(use_true_random=False))
def test_all_drivers_agree(wiring: Wiring, state: S, pick: Random) -> None:
    """EI-01, EI-07, EI-08: state, path, status and failure are the same from every driver, in any order of finishing."""
    expected = expect(wiring, state)
    graph = Maker(is_async=False).make(wiring)
    assert show_run(run_sync(graph, state, pick)) == expected
    assert show_run(run_by_handle(graph, state, pick)) == expected
    assert run_by_hand(graph, state, pick, in_order=False) == expected
    twin = Maker(is_async=True).make(wiring)
    assert show_run(asyncio.run(run_async(twin, state, pick))) == expected


@SETTINGS
@given(wiring=wirings(), state=states, pick=st.randoms(use_true_random=False), steps=st.integers(1, 3))
def test_a_run_stopped_anywhere_ends_the_same(wiring: Wiring, state: S, pick: Random, steps: int) -> None:
    """EI-05: stopped after every few steps, and resumed with more."""
    assert show_run(run_sync(Maker(is_async=False).make(wiring), state, pick, steps)) == expect(wiring, state)


@SETTINGS
@given(wiring=wirings(early=True), state=states, pick=st.randoms(use_true_random=False))
def test_drivers_agree_on_stopping_early(wiring: Wiring, state: S, pick: Random) -> None:
    """One after the other, `stop_early` starts nothing after the first failure."""
    graph = Maker(is_async=False).make(wiring)
    assert show_run(run_sync(graph, state, pick)) == expect(wiring, state)
    assert run_by_hand(graph, state, pick, in_order=True) == expect(wiring, state)


@settings(max_examples=60, deadline=None)
@given(wiring=wirings(depth=1), state=states, pick=st.randoms(use_true_random=False))
def test_a_cursor_goes_on_the_same_from_any_prefix(wiring: Wiring, state: S, pick: Random) -> None:
    """EI-05: a cursor kept anywhere, written and read again, comes to the same end, and nothing finished is done again."""
    graph = Maker(is_async=False).make(wiring)
    table = graph.table
    kept = [begin(table, state)]
    while kept[-1].status in (Status.RUNNING, Status.PAUSED):
        kept.append(advance(table, kept[-1], choose(graph, kept[-1], pick)))
    ended = [finish(graph, survive(graph, cursor), pick) for cursor in kept]
    assert {(cursor.state, cursor.status, cursor.step) for cursor in ended} == {
        (kept[-1].state, kept[-1].status, kept[-1].step)
    }
    assert all(show_failure(cursor.failure) == show_failure(kept[-1].failure) for cursor in ended)


@SETTINGS
@given(wiring=wirings(), state=states, pick=st.randoms(use_true_random=False), cut=st.integers(0, 20))
def test_a_task_cancelled_anywhere_ends_the_same(wiring: Wiring, state: S, pick: Random, cut: int) -> None:
    """EI-05: cancelled at any await, again and again, and gone on with from what the handle kept."""
    graph = Maker(is_async=True).make(wiring)

    async def check() -> Run[S]:
        handle, patience = graph.start(state), cut
        while True:
            await cancel_after(handle, patience)
            patience += 3
            run = handle.run
            if run.status in (Status.COMPLETED, Status.FAILED):
                return run
            answers: Any = {"answers": answers_of(run, pick)} if run.status is Status.PAUSED else {}
            handle = graph.reopen(run, **answers)

    assert show_run(asyncio.run(check())) == expect(wiring, state)


async def cancel_after(handle: Handle[S], turns: int) -> None:
    """Drive a run for so many turns of the event loop, then cancel the task that does."""
    task = asyncio.ensure_future(handle.afinish())
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})


@SETTINGS
@given(wiring=wirings(), state=states, pick=st.randoms(use_true_random=False))
def test_every_piece_of_work_has_a_key_of_its_own(wiring: Wiring, state: S, pick: Random) -> None:
    """The idempotency key is the same from the driver and from the kernel, and only attempts share one."""
    told: list[tuple[str, int]] = []
    graph = Maker(is_async=False, hear=lambda context: told.append((context.key, context.attempt))).make(wiring)
    run = graph.run(state, run_id="r")
    while run.status is Status.PAUSED:
        run = graph.resume(run, answers=answers_of(run, pick))
    assert len(set(told)) == len(told)
    graph = Maker(is_async=False).make(wiring)
    cursor, by_hand = begin(graph.table, state), list[tuple[str, int]]()
    while cursor.status in (Status.RUNNING, Status.PAUSED):
        work = pending(graph.table, cursor, run_id="r")
        if work:
            by_hand += [(work[0].key, work[0].attempt)] if work[0].place.takes_context else []
            outcomes = {work[0].address: attempt(work[0])}
        else:
            questions = list_questions(graph.table, cursor)
            outcomes = {question.address: answered(say(question.text)) for question in questions}
        cursor = advance(graph.table, cursor, outcomes)
    assert sorted(told) == sorted(by_hand)


@SETTINGS
@given(wiring=wirings(), state=states, pick=st.randoms(use_true_random=False))
def test_an_async_listener_hears_what_is_kept(wiring: Wiring, state: S, pick: Random) -> None:
    """Live and record are the same list, and its rows are the path."""
    handle = Maker(is_async=True).make(wiring).start(state)

    async def listen() -> list[Any]:
        live = [event async for event in handle]
        while handle.status is Status.PAUSED:
            for question, answer in answers_of(handle.run, pick).items():
                handle.answer(question, answer)
            live += [event async for event in handle]
        return live

    live = asyncio.run(listen())
    assert tuple(live) == handle.run.events
    left = [event for event in live if event.kind is EventKind.FINISHED and len(event.address) == 1]
    assert tuple(event.row for event in left) == handle.run.path
    assert show_run(handle.run) == expect(wiring, state)
