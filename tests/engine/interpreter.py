"""An interpreter of random graphs written from the rules, and ways to drive the same graphs with the engine.

The interpreter walks a plan (`tests/engine/strategies.py`) by itself: it knows rows, failures and what composites hand
back, and nothing of the engine's kernel. What it comes to is compared with where each driver comes to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from types import SimpleNamespace
from typing import Any

from attrs import evolve, frozen
from tests.engine.strategies import (
    CAUGHT,
    LABELS,
    Ask,
    Child,
    Fan,
    Kind,
    Runs,
    S,
    Sides,
    Step,
    Target,
    Wiring,
    do_item,
    do_step,
    enter,
    leave,
    list_counts,
    tell,
)

from transitable import (
    Cursor,
    Graph,
    Outcome,
    Row,
    Run,
    Status,
    Work,
    advance,
    answered,
    begin,
    cursor_from_json,
    cursor_to_json,
    done,
    list_questions,
    pending,
    raised,
)

# -- the interpreter


@frozen
class Broke:
    """A failure: its class, what it says, where, and the others beside it."""

    error: type[Exception]
    message: str
    place: tuple[str, ...]
    others: tuple[Broke, ...] = ()
    refused: bool = False

    def under(self, *above: str) -> Broke:
        """Give the failure as the graph around it sees it."""
        return evolve(self, place=(*above, *self.place), others=tuple(each.under(*above) for each in self.others))


@frozen
class Played:
    """Where a table came to."""

    state: S
    path: tuple[tuple[object, ...], ...] = ()
    failure: Broke | None = None
    written: frozenset[str] = frozenset()


def refuse(*place: str) -> Broke:
    return Broke(CAUGHT["refused"], "", place, refused=True)


def play(wiring: Wiring, state: S, name: str = "g") -> Played:
    """Walk a table: do the place, write, choose the row, until END or until no row catches."""
    state, path, written, at = evolve(state, **dict.fromkeys(list_counts(wiring), 0)), [], set[str](), 0
    while at < len(wiring.spots):
        spot, source = wiring.spots[at], f"{name}{at}"
        found = do(spot.kind, source, state)
        read = {1: None, 2: "allowed", 3: "label"}[len(spot.ways)]
        if not isinstance(found, Broke) and read is not None and read not in found:
            found = refuse(source)
        if isinstance(found, Broke):
            kinds = ["refused"] if found.refused else ["value", "lookup", "any"]
            kind = next((each for each in kinds if each in spot.errors and issubclass(found.error, CAUGHT[each])), None)
            if kind is None:
                return Played(state, tuple(path), found, frozenset(written))
            where = "/".join(found.place)
            line = tell(name_class(found.error), found.message, where, len(found.others), source)
            found = {"log": (line,)} if wiring.tells else {}
            row: tuple[object, ...] = ("error", name_class(CAUGHT[kind]))
            target = spot.errors[kind]
        else:
            label = found[read] if read else None
            labels = {1: (None,), 2: (True, False), 3: LABELS}[len(spot.ways)]
            target = spot.ways[labels.index(label)]
            row = ("value" if read else "next", label)
        state = evolve(state, **{**found, "log": state.log + found.get("log", ())})
        written.update(found)
        state, at, spent = follow(target, state)
        path.append((source, *row, f"{name}{at}" if at < len(wiring.spots) else "END", spent))
    return Played(state, tuple(path), None, frozenset(written))


def follow(target: Target, state: S) -> tuple[S, int, bool | None]:
    if target.back is None:
        return state, target.to, None
    most = target.at_most if isinstance(target.at_most, int) else min(state.most, 3)
    taken = getattr(state, target.count)
    if taken < most:
        return evolve(state, **{target.count: taken + 1}), target.back, False
    return state, target.to, True


def do(kind: Kind, name: str, state: S) -> dict[str, Any] | Broke:
    """Do a place: what it writes, or how it failed."""
    if isinstance(kind, Ask):
        return {"allowed": say(state.log)}
    if isinstance(kind, Step):
        return do_attempts(kind, name, state)
    if isinstance(kind, Child):
        return hand_back(kind, name, state, play(kind.graph, state, f"{name}_"))
    if isinstance(kind, Sides):
        sides = [lambda n=n, part=part: do(part, f"{name}p{n}", state) for n, part in enumerate(kind.parts)]
        found = gather(name, [None] * len(sides), sides, stop_early=kind.stop_early)
        if isinstance(found, Broke):
            return found
        log = tuple(line for update in found for line in update.get("log", ()))
        joined = {field: value for update in found for field, value in update.items()}
        return {**joined, "log": log} if "log" in joined else joined
    items = [lambda item=item: do_one(kind, name, state, item) for item in state.items]
    results = gather(name, list(range(len(items))), items, stop_early=kind.stop_early)
    return results if isinstance(results, Broke) else {"results": tuple(results)}


def do_attempts(step: Step, name: str, state: S) -> dict[str, Any] | Broke:
    for attempt in range(1, step.attempts + 1):
        try:
            update = do_step(step, name, state, attempt)
        except (TimeoutError, ValueError, KeyError) as error:
            found = Broke(type(error), str(error), (name,))
            if not isinstance(error, TimeoutError):
                break
        else:
            return refuse(name) if update["log"] == (1,) else update
    return found


def do_one(kind: Fan | Runs, name: str, state: S, item: int) -> Any:
    if isinstance(kind, Runs):
        child = play(kind.graph, enter(state, item), f"{name}_")
        return child.failure or leave(state, child.state)
    try:
        result = do_item(kind, f"{name}w", item)
    except (ValueError, KeyError) as error:
        return Broke(type(error), str(error), ())
    return result if isinstance(result, int) else refuse()


def gather(name: str, numbers: list[int | None], works: list[Any], *, stop_early: bool) -> Any:
    """Do all of them; the first refused fails the whole, else the first that failed, with the others beside it."""
    found: list[Any] = []
    for number, work in zip(numbers, works, strict=True):
        result = work()
        if isinstance(result, Broke):
            result = result.under(name, *([] if number is None else [str(number)]))
        found.append(result)
        if stop_early and isinstance(result, Broke):
            break
    broken = [evolve(one, others=()) for each in found if isinstance(each, Broke) for one in (each, *each.others)]
    if not broken:
        return found
    first = next((each for each in broken if each.refused), broken[0])
    return evolve(first, others=tuple(each for each in broken if each is not first))


def hand_back(kind: Child, name: str, state: S, child: Played) -> dict[str, Any] | Broke:
    if child.failure is not None:
        return child.failure.under(name)
    fields = child.written - list_counts(kind.graph)
    update = {field: getattr(child.state, field) for field in fields}
    return {**update, "log": child.state.log[len(state.log) :]} if "log" in fields else update


def say(log: object) -> bool:
    """Answer a question, which shows the log."""
    assert isinstance(log, tuple)
    return len(log) % 2 == 0


def name_class(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


# -- what is compared

Ending = tuple[S, tuple[tuple[object, ...], ...], Status, object]


def expect(wiring: Wiring, state: S) -> Ending:
    played = play(wiring, state)
    if played.failure is None:
        return played.state, played.path, Status.COMPLETED, None
    return played.state, played.path, Status.FAILED, show_broke(played.failure)


def show_broke(broke: Broke) -> tuple[object, ...]:
    others = tuple(show_broke(each) for each in broke.others)
    return name_class(broke.error), "/".join(broke.place), broke.refused, others


def show_failure(failure: Any) -> tuple[object, ...] | None:
    if failure is None:
        return None
    return failure.names[0], failure.place, failure.refused, tuple(show_failure(each) for each in failure.others)


def show_row(row: Row) -> tuple[object, ...]:
    return row.source, row.kind.value, row.value, row.target, row.bound.spent if row.bound else None


def show_run(run: Run[S]) -> Ending:
    return run.state, tuple(map(show_row, run.path)), run.status, show_failure(run.failure)


# -- the drivers


def answers_of(run: Run[S], pick: Random) -> Mapping[str, bool]:
    """Answer some of the open questions."""
    chosen = pick.sample(run.questions, pick.randint(1, len(run.questions)))
    return {question.id: say(question.text) for question in chosen}


def run_sync(graph: Graph[S], state: S, pick: Random, steps: int | None = None) -> Run[S]:
    """Run to the end, answering; with `steps`, never more of them at a time."""
    run = graph.run(state) if steps is None else graph.run(state, max_steps=steps)
    while run.status in (Status.PAUSED, Status.LIMIT):
        more: Any = {} if steps is None else {"more_steps": steps}
        answers: Any = {"answers": answers_of(run, pick)} if run.status is Status.PAUSED else {}
        run = graph.resume(run, **answers, **more)
    return run


async def run_async(graph: Graph[S], state: S, pick: Random) -> Run[S]:
    run = await graph.arun(state)
    while run.status is Status.PAUSED:
        run = await graph.aresume(run, answers=answers_of(run, pick))
    return run


def run_by_handle(graph: Graph[S], state: S, pick: Random) -> Run[S]:
    """Listen to the run, answering on the handle."""
    handle = graph.start(state)
    live = list(handle)
    while handle.status is Status.PAUSED:
        for question, answer in answers_of(handle.run, pick).items():
            handle.answer(question, answer)
        live += list(handle)
    assert tuple(live) == handle.run.events
    return handle.run


def run_by_hand(graph: Graph[S], state: S, pick: Random, *, in_order: bool) -> Ending:
    """Move a cursor on by batches of outcomes in any order, and through JSON now and then."""
    table = graph.table
    cursor = begin(table, state)
    path = [*cursor.taken]
    while cursor.status in (Status.RUNNING, Status.PAUSED):
        work = pending(table, cursor)
        assert work or cursor.status is Status.PAUSED
        some = {work[0].address: attempt(work[0])} if in_order else choose(graph, cursor, pick)
        cursor = advance(table, cursor, some)
        path.extend(cursor.taken)
        if pick.random() < 0.2:
            cursor = survive(graph, cursor)
    return cursor.state, tuple(map(show_row, path)), cursor.status, show_failure(cursor.failure)


def attempt(work: Work) -> Outcome:
    """Call what is pending."""
    try:
        if work.place.takes_context:
            return done(work.place.call(work.argument, SimpleNamespace(attempt=work.attempt)))
        return done(work.place.call(work.argument))
    except (ValueError, KeyError, TimeoutError) as error:
        return raised(error)


def survive(graph: Graph[S], cursor: Cursor) -> Cursor:
    read = cursor_from_json(graph.table, json.loads(json.dumps(cursor_to_json(graph.table, cursor))))
    assert read == cursor
    return read


def choose(graph: Graph[S], cursor: Cursor, pick: Random) -> dict[Any, Outcome]:
    """Do some of what is pending."""
    todo = [*pending(graph.table, cursor), *list_questions(graph.table, cursor)]
    some = pick.sample(todo, pick.randint(1, len(todo)))
    return {each.address: attempt(each) if isinstance(each, Work) else answered(say(each.text)) for each in some}


def finish(graph: Graph[S], cursor: Cursor, pick: Random) -> Cursor:
    """Move a cursor to its end."""
    while cursor.status in (Status.RUNNING, Status.PAUSED):
        cursor = advance(graph.table, cursor, choose(graph, cursor, pick))
    return cursor
