"""The async driver: awaits nodes, side by side where a composite allows it.

Responsible for: walking the open work of a place and calling what can be called. Everything that is decided comes from
the kernel, and the order in which work finishes changes nothing. Its twin is `transitable.run.sync`.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from transitable.errors import NodeTimeout
from transitable.model.nodes import Each
from transitable.model.shapes import DICT, ClosedShape, FloatShape, Shape
from transitable.run.attempts import after_attempt
from transitable.run.context import Context
from transitable.run.decisions import decide
from transitable.run.kernel import FIRST, argument_at, is_settled, name_member, part_at, stops_early
from transitable.run.threads import start_call
from transitable.run.work import Done, Group, Lost, Nested, Status, Task, done, raised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transitable.model.table import Place, Table
    from transitable.run.session import Session
    from transitable.run.threads import Call
    from transitable.run.work import Address, Open, Outcome


LEAVES: frozenset[type] = frozenset({Shape, FloatShape, ClosedShape})
"""Shapes whose values cannot change, so that looking at a result may wait until all are there."""


async def run_to_rest(session: Session) -> None:
    """Run until the session is at rest, or its top must stop."""
    while session.status is Status.RUNNING:
        if session.quiet:
            await run_plain_places(session)
            if session.status is not Status.RUNNING:
                return
        if not session.prepare():
            return
        await take_step(session)


async def run_plain_places(session: Session) -> None:
    """Run places that a driver may call directly, for as long as they come; the loop that makes short runs cheap."""
    place, state, arcs = session.place, session.state, session.arcs
    left = session.count_plain_steps()
    if not left or place is None or not place.plain:
        return
    before, keep = len(arcs), session.watch_steps()
    written, now = session.written, session.clock.now
    values = [*place.read(state)]
    error: Exception | None = None
    try:
        for _ in range(left):
            update = place.call(state)
            if place.is_async or (type(update) is not DICT and inspect.isawaitable(update)):
                update = await update
            made, arc = decide(place, state, update, values)
            arcs.append(arc)
            if keep is not None:
                keep((arc, made, now()))
            if written is not None and update:
                written.update(update)
            state, place = made, arc.place
            if place is None or not place.plain:
                break
    except Exception as raised_here:  # noqa: BLE001  # a node may raise anything; it becomes a failure of its place
        error = raised_here
    finally:  # also for a cancelled task, whose error goes on to the caller
        session.place, session.state = place, state
        session.step += len(arcs) - before
    session.close_steps(error)


async def take_step(session: Session) -> None:
    """Do the work of the place that is due, and move on."""
    place = session.place
    assert place is not None and session.open is not None  # noqa: PT018, S101  # called after prepare

    def save(opened: Open) -> None:
        session.open = opened

    session.working = True
    try:
        save(
            await work_through(session, place, session.open, session.state, (*session.address, place.name), save, None)
        )
    finally:
        session.working = False
    session.settle()


async def work_through(
    session: Session,
    place: Place,
    opened: Open,
    argument: Any,
    address: Address,
    save: Callable[[Open], None],
    owner: Place | None,
) -> Open:
    """Do what can be done of a piece of open work; `save` keeps what is done when this is interrupted."""
    if isinstance(opened, Task):
        return await make_attempts(session, place, opened, argument, address, save, owner)
    if isinstance(opened, Nested) and place.child is not None and not is_settled(opened):
        return await run_child(session, place.child, opened, address, save)
    if isinstance(opened, Group):
        return await work_members(session, place, opened, address, save)
    return opened


async def work_members(
    session: Session, place: Place, group: Group, address: Address, save: Callable[[Open], None]
) -> Open:
    """Do the members of a composite, so many at once as it allows."""
    members = list(group.members)
    open_now = [index for index, member in enumerate(members) if not is_settled(member)]
    waiting = iter(open_now)
    is_plain = _is_plain_each(session, place)
    work = work_plainly if is_plain else work_in_turn
    at_once = min(place.work.at_once if isinstance(place.work, Each) else len(members), len(open_now))
    try:
        if at_once <= 1:
            await work(session, place, members, waiting, address)
        elif is_plain and at_once == len(open_now) and type(place.item) in LEAVES and not place.work.stop_early:
            results = await work_all_at_once(session, place, members, open_now, address)
            if results is not None and len(results) == len(members):
                return Done({place.work.into: tuple(results)})
        else:
            await gather_all(
                [asyncio.ensure_future(work(session, place, members, waiting, address)) for _ in range(at_once)]
            )
    finally:
        save(Group(tuple(members)))
    return Group(tuple(members))


async def work_all_at_once(
    session: Session, place: Place, members: list[Open], open_now: list[int], address: Address
) -> list[Any] | None:
    """Await a plain worker on all items side by side; what is finished is kept in `members`, also when cancelled.

    Returns:
        The results, when all are of a type that needs no further look; then `members` is left alone. None otherwise.
    """
    part = place.parts[0]
    items = getattr(session.state, place.work.items)
    quick = place.item.quick if place.item is not None else frozenset[type]()
    tasks = [asyncio.ensure_future(part.call(items[index])) for index in open_now]
    try:
        results: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    except BaseException:
        _keep_finished(session, place, members, dict(zip(open_now, tasks, strict=True)), address)
        raise
    if quick.issuperset(map(type, results)):
        return results
    _keep_finished(session, place, members, dict(zip(open_now, tasks, strict=True)), address)
    for task in tasks:
        if task.cancelled():  # the worker raised it itself; under one task it would have ended the run's task as well
            raise asyncio.CancelledError
    return None


def _keep_finished(
    session: Session, place: Place, members: list[Open], tasks: dict[int, asyncio.Task[Any]], address: Address
) -> None:
    part, interrupts = place.parts[0], list[BaseException]()
    for index, task in tasks.items():
        if not task.done() or task.cancelled():
            continue
        error = task.exception()
        if error is None:
            members[index] = after_attempt(part, session.state, FIRST, done(task.result()), 0.0, session.random, place)
        elif isinstance(error, Exception):
            members[index] = Lost(session.describe(error, (*address, index)))
        else:
            interrupts.append(error)
    if interrupts:  # raised last, so that all that is finished is kept
        raise interrupts[0]


async def gather_all(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for all tasks; when this is cancelled, cancel them and wait for their ends."""
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _is_plain_each(session: Session, place: Place) -> bool:
    plain = isinstance(place.work, Each) and place.child is None and place.parts[0].plain
    return plain and place.parts[0].is_async and session.top.quiet


async def work_plainly(
    session: Session, place: Place, members: list[Open], waiting: Iterator[int], address: Address
) -> None:
    """Take items from `waiting` and await a plain worker on each; the loop that makes wide fan-outs cheap."""
    part = place.parts[0]
    items = getattr(session.state, place.work.items)
    quick = place.item.quick if place.item is not None else frozenset[type]()
    stop_early = place.work.stop_early
    for index in waiting:
        try:
            value = await part.call(items[index])
        except Exception as error:  # noqa: BLE001  # a worker may raise anything; it becomes a failure of its item
            members[index] = Lost(session.describe(error, (*address, index)))
            if stop_early:
                for _ in waiting:
                    pass
                return
            continue
        if type(value) in quick:
            members[index] = Done(value)
        else:
            result = after_attempt(part, session.state, FIRST, done(value), 0.0, session.random, place)
            members[index] = result


async def work_in_turn(
    session: Session, place: Place, members: list[Open], waiting: Iterator[int], address: Address
) -> None:
    """Take members from `waiting` and work each through."""
    for index in waiting:
        if session.find_stop() is not None:
            return
        members[index] = await work_through(
            session,
            part_at(place, index),
            members[index],
            argument_at(place, session.state, index),
            (*address, name_member(place, index)),
            lambda opened, index=index: members.__setitem__(index, opened),  # type: ignore[misc]  # the default binds the loop's index
            place,
        )
        if stops_early(place, session.state, index, members[index]):
            for _ in waiting:
                pass
            return


async def run_child(
    session: Session, table: Table, nested: Nested, address: Address, save: Callable[[Open], None]
) -> Open:
    """Run a graph inside until it is at rest."""
    child = session.open_child(table, nested.cursor, address)
    try:
        await run_to_rest(child)
    finally:
        save(Nested(child.cursor()))
    return Nested(child.cursor())


async def make_attempts(
    session: Session,
    place: Place,
    task: Task,
    argument: Any,
    address: Address,
    save: Callable[[Open], None],
    owner: Place | None,
) -> Task | Done | Lost:
    """Attempt a node or worker until it is done, lost, or the run must stop."""
    while True:
        wait = session.find_wait(task)
        if wait > 0:
            await session.clock.asleep(wait)
        if session.find_stop() is not None:
            return task
        outcome = await call_place(session, place, argument, address, task.attempt)
        now = session.clock.now() if place.retry is not None else 0.0
        result = after_attempt(place, session.state, task, outcome, now, session.random, owner)
        if not isinstance(result, Task):
            return result
        session.tell_retry(address, outcome.value)
        task = result
        save(task)


async def call_place(session: Session, place: Place, argument: Any, address: Address, attempt: int) -> Outcome:
    """Call a node or worker once."""
    context = Context(session, address, attempt, place.timeout) if place.takes_context else None
    arguments = (argument,) if context is None else (argument, context)
    try:
        if not place.is_async and (place.thread or place.timeout is not None):
            call = await call_in_thread(place, arguments)
            return done(call.unwrap())
        if place.timeout is None:
            value = place.call(*arguments)
            return done(await value if inspect.isawaitable(value) else value)
        return done(await call_in_time(place, arguments, place.timeout))
    except Exception as error:  # noqa: BLE001  # a node may raise anything; it becomes a failure of its place
        return raised(session.describe(error, address, attempt))
    finally:
        if context is not None:
            context.close()


async def call_in_time(place: Place, arguments: tuple[Any, ...], seconds: float) -> Any:
    """Await an async node, at most so many seconds."""
    loop = asyncio.get_running_loop()
    limit, started = asyncio.timeout(seconds), loop.time()
    try:
        async with limit:
            value = await place.call(*arguments)
    except TimeoutError:
        if limit.expired():
            raise NodeTimeout(place.name, seconds) from None
        raise
    if limit.expired() or loop.time() - started > seconds:  # it held the loop, or took the cancellation for itself
        raise NodeTimeout(place.name, seconds)
    return value


async def call_in_thread(place: Place, arguments: tuple[Any, ...]) -> Call:
    """Call a sync node in a thread and wait for it beside the event loop, at most as long as its place allows.

    The call is given back as it ended, because a coroutine cannot raise every exception (`StopIteration`).
    """
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()

    def finish() -> None:
        if not finished.done():
            finished.set_result(None)

    def wake(_call: Call) -> None:
        try:
            loop.call_soon_threadsafe(finish)
        except RuntimeError:  # the loop has closed: nobody waits for this result any more
            return

    call = start_call(place.call, arguments, wake)
    try:
        await asyncio.wait_for(finished, place.timeout)
    except TimeoutError:
        raise NodeTimeout(place.name, place.timeout or 0.0) from None
    return call
