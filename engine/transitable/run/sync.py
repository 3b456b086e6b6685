"""The sync driver: calls nodes one after the other, in this thread.

Responsible for: walking the open work of a place and calling what can be called. Everything that is decided comes from
the kernel. Its twin is `transitable.run.aio`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from transitable.errors import DriverError, NodeTimeout
from transitable.run.attempts import after_attempt
from transitable.run.context import Context
from transitable.run.decisions import decide
from transitable.run.kernel import argument_at, is_settled, name_member, part_at, stops_early
from transitable.run.threads import start_call
from transitable.run.work import Group, Nested, Status, Task, done, raised

if TYPE_CHECKING:
    from collections.abc import Callable

    from transitable.model.table import Place, Table
    from transitable.run.session import Session
    from transitable.run.work import Address, Done, Lost, Open, Outcome


def refuse_async(table: Table) -> None:
    """Refuse to run a table that has async places, and to run at all inside an event loop.

    Raises:
        DriverError: If it is so.
    """
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:  # the documented C accessor that does not raise
        raise DriverError(
            "`run` was called inside a running event loop, which it would block", "use `await graph.arun(...)`"
        )
    name = table.async_name
    if name is not None:
        raise DriverError(f"place {name!r} is async", "use `await graph.arun(...)`, or asyncio.run(graph.arun(...))")


def run_to_rest(session: Session) -> None:
    """Run until the session is at rest, or its top must stop."""
    while session.status is Status.RUNNING:
        if session.quiet:
            run_plain_places(session)
            if session.status is not Status.RUNNING:
                return
        if not session.prepare():
            return
        take_step(session)


def run_plain_places(session: Session) -> None:
    """Run places that a driver may call directly, for as long as they come; the loop that makes short runs cheap."""
    place, state, arcs = session.place, session.state, session.arcs
    left = session.count_plain_steps()
    if not left or place is None or not place.plain_sync:
        return
    before, keep = len(arcs), session.watch_steps()
    written, now = session.written, session.clock.now
    values = [*place.read(state)]
    error: Exception | None = None
    try:
        for _ in range(left):
            update = place.call(state)
            made, arc = decide(place, state, update, values)
            arcs.append(arc)
            if keep is not None:
                keep((arc, made, now()))
            if written is not None and update:
                written.update(update)
            state, place = made, arc.place
            if place is None or not place.plain_sync:
                break
    except Exception as raised_here:  # noqa: BLE001  # a node may raise anything; it becomes a failure of its place
        error = raised_here
    finally:  # also for KeyboardInterrupt, which goes on to the caller
        session.place, session.state = place, state
        session.step += len(arcs) - before
    session.close_steps(error)


def take_step(session: Session) -> None:
    """Do the work of the place that is due, and move on."""
    place = session.place
    assert place is not None and session.open is not None  # noqa: PT018, S101  # called after prepare

    def save(opened: Open) -> None:
        session.open = opened

    session.working = True
    try:
        save(work_through(session, place, session.open, session.state, (*session.address, place.name), save, None))
    finally:
        session.working = False
    session.settle()


def work_through(
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
        return make_attempts(session, place, opened, argument, address, save, owner)
    if isinstance(opened, Nested) and place.child is not None and not is_settled(opened):
        return run_child(session, place.child, opened, address, save)
    if isinstance(opened, Group):
        return work_members(session, place, opened, address, save)
    return opened


def work_members(session: Session, place: Place, group: Group, address: Address, save: Callable[[Open], None]) -> Open:
    """Do the members of a composite, one after the other."""
    members = list(group.members)
    try:
        for index, member in enumerate(members):
            if session.find_stop() is not None:
                break
            if not is_settled(member):
                members[index] = work_through(
                    session,
                    part_at(place, index),
                    member,
                    argument_at(place, session.state, index),
                    (*address, name_member(place, index)),
                    lambda opened, index=index: members.__setitem__(index, opened),  # type: ignore[misc]  # the default binds the loop's index
                    place,
                )
            if stops_early(place, session.state, index, members[index]):
                break
    finally:
        save(Group(tuple(members)))
    return Group(tuple(members))


def run_child(session: Session, table: Table, nested: Nested, address: Address, save: Callable[[Open], None]) -> Open:
    """Run a graph inside until it is at rest."""
    child = session.open_child(table, nested.cursor, address)
    try:
        run_to_rest(child)
    finally:
        save(Nested(child.cursor()))
    return Nested(child.cursor())


def make_attempts(
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
            session.clock.sleep(wait)
        if session.find_stop() is not None:
            return task
        outcome = call_place(session, place, argument, address, task.attempt)
        now = session.clock.now() if place.retry is not None else 0.0
        result = after_attempt(place, session.state, task, outcome, now, session.random, owner)
        if not isinstance(result, Task):
            return result
        session.tell_retry(address, outcome.value)
        task = result
        save(task)


def call_place(session: Session, place: Place, argument: Any, address: Address, attempt: int) -> Outcome:
    """Call a node or worker once."""
    context = Context(session, address, attempt, place.timeout) if place.takes_context else None
    arguments = (argument,) if context is None else (argument, context)
    try:
        if place.timeout is None:
            return done(place.call(*arguments))
        return done(call_in_time(place, arguments, place.timeout))
    except Exception as error:  # noqa: BLE001  # a node may raise anything; it becomes a failure of its place
        return raised(session.describe(error, address, attempt))
    finally:
        if context is not None:
            context.close()


def call_in_time(place: Place, arguments: tuple[Any, ...], seconds: float) -> Any:
    """Call a node in a thread, and wait at most so many seconds for it."""
    call = start_call(place.call, arguments)
    if not call.wait(seconds):
        raise NodeTimeout(place.name, seconds)
    return call.unwrap()
