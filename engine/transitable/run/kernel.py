"""The kernel: a run as a value, moved on by outcomes. Pure; no clock, no I/O, no threads.

Responsible for: opening the work of a place, taking in outcomes, counting attempts, and moving from place to place with
the decisions of `transitable.run.decisions`. The drivers use the same functions and only walk the open work in another
order. Not for: calling nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from transitable.errors import AnswerError, OutcomeError, RunFailed, UpdateError
from transitable.model.nodes import Each, Field, Together
from transitable.model.shapes import ABSENT, admit_foreign
from transitable.model.table import name_class
from transitable.run.attempts import after_attempt, check_result
from transitable.run.decisions import decide, decide_failure, find_broken_invariant
from transitable.run.events import find_changes
from transitable.run.failures import Failure, choose_failure, describe_failure
from transitable.run.work import (
    Asked,
    Cursor,
    Done,
    Group,
    Lost,
    Nested,
    Question,
    Status,
    Task,
    Work,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from transitable.model.shapes import Fault
    from transitable.model.table import Arc, Place, Table
    from transitable.run.work import (
        Address,
        Open,
        Outcome,
    )

FIRST = Task()
ONLY_DONE: frozenset[type] = frozenset({Done})
ASKED = Asked()


def no_jitter() -> float:
    """The random source of who wants none: always 0."""
    return 0.0


def begin(table: Table, state: Any) -> Cursor:
    """Start a run at the first place; counts are set to 0.

    Raises:
        StateError: If the state does not fit its class.
    """
    return _start(table, table.model.admit(state, table.count_positions))


def _start(table: Table, state: Any) -> Cursor:
    assert table.start is not None  # noqa: S101  # a graph is only built when the checks found its start
    return _settle_all(table, Cursor(state, table.start.name), ())


def pending(table: Table, cursor: Cursor, *, run_id: str = "") -> tuple[Work, ...]:
    """List the work that may run now, in address order.

    Args:
        table: The table that the cursor belongs to.
        cursor: Where the run is.
        run_id: Goes into the idempotency keys.
    """
    if cursor.status is not Status.RUNNING or cursor.place is None or cursor.open is None:
        return ()
    place = table.places[cursor.place]
    return tuple(_list_work(place, cursor.state, cursor.open, (place.name,), f"{run_id}:{cursor.step}", cursor.state))


def advance(
    table: Table,
    cursor: Cursor,
    outcomes: Mapping[Address, Outcome],
    *,
    now: float = 0.0,
    random: Callable[[], float] = no_jitter,
) -> Cursor:
    """Take in outcomes, in address order, and move on as far as the open work allows.

    Args:
        table: The table that the cursor belongs to.
        cursor: Where the run is.
        outcomes: What became of pending work or open questions, by address.
        now: Seconds since the epoch; waits between attempts count from here.
        random: Gives numbers from 0 up to 1 for the jitter of waits.

    Raises:
        OutcomeError: If an address is not pending, or is a question and gets no answer.
        AnswerError: If an answer does not fit or is not accepted.
    """
    if not outcomes:
        return attrs.evolve(cursor, taken=())
    work = {each.address for each in pending(table, cursor)}
    asked = {each.address for each in list_questions(table, cursor)}
    for address, outcome in outcomes.items():
        if address not in (asked if outcome.kind == "answered" else work):
            raise OutcomeError(address, f"nothing is pending there that can be {outcome.kind}", [*work, *asked])
    return _take_in(table, cursor, outcomes, (), now, random)


def _take_in(
    table: Table,
    cursor: Cursor,
    outcomes: Mapping[Address, Outcome],
    above: Address,
    now: float,
    random: Callable[[], float],
) -> Cursor:
    """Take in outcomes of work that is pending; `above` is the address of the graph itself, for messages."""
    place = table.places[cursor.place or ""]
    inside = {address[1:]: outcome for address, outcome in outcomes.items()}
    assert cursor.open is not None  # noqa: S101  # there is work pending
    opened = put(place, cursor.state, cursor.open, (*above, place.name), inside, now, random)
    return _settle_all(table, attrs.evolve(cursor, open=opened, status=Status.RUNNING, reason=""), ())


def _settle_all(table: Table, cursor: Cursor, taken: tuple[Any, ...]) -> Cursor:
    """Move from place to place until there is work to do, a question open, or an end."""
    while cursor.place is not None:
        place = table.places[cursor.place]
        opened = cursor.open if cursor.open is not None else open_place(place, cursor.state)
        result = settle(place, cursor.state, opened, (place.name,))
        if result is None:
            waits = not any(_list_work(place, cursor.state, opened, (), "", None))
            status = Status.PAUSED if waits else Status.RUNNING
            return attrs.evolve(cursor, open=opened, status=status, reason=WAITING if waits else "", taken=taken)
        moved = conclude(table, place, cursor.state, result)
        if isinstance(moved, Failure):
            reason = f"{place.name}: {moved}"
            opened = Lost(moved) if isinstance(opened, Done) else opened
            return attrs.evolve(cursor, open=opened, status=Status.FAILED, reason=reason, failure=moved, taken=taken)
        state, arc, result = moved
        taken = (*taken, arc.row)
        names = result.value if isinstance(result, Done) else find_changes(table.model, cursor.state, state)
        written = cursor.written.union(names or ())
        target = arc.place.name if arc.place is not None else None
        cursor = Cursor(state, target, cursor.step + 1, written=written)
    broken = find_broken_invariant(table, cursor.state)
    if broken is not None:
        return attrs.evolve(cursor, status=Status.FAILED, reason=f"invariant broken: {broken}", taken=taken)
    return attrs.evolve(cursor, status=Status.COMPLETED, taken=taken)


WAITING = "it waits for the answers to its questions"
BROKEN = tuple(name_class(cls) for cls in RunFailed.__mro__ if issubclass(cls, BaseException))
"""The class names of the failure of a graph inside that ended with a broken invariant."""


def open_place(place: Place, state: Any) -> Open:
    """Open the work of a place for this state."""
    work = place.work
    if isinstance(work, Each):
        items = getattr(state, work.items)
        if place.child is None:
            return Group((FIRST,) * len(items))
        return Group(tuple(_enter(place, work.enter, state, item) for item in items))
    if isinstance(work, Together):
        return Group(tuple(open_place(part, state) for part in place.parts))
    if place.child is not None:
        return _enter(place, getattr(work, "enter", None), state)
    return FIRST if place.call is not None else ASKED


def _enter(place: Place, enter: Callable[..., Any] | None, *arguments: Any) -> Open:
    child = place.child
    assert child is not None  # noqa: S101  # only called where a graph runs inside
    try:
        if enter is not None:
            return Nested(begin(child, enter(*arguments)))
        return Nested(_start(child, child.model.restart(arguments[0], child.count_positions)))
    except Exception as error:  # noqa: BLE001  # what the caller's `enter` raises is a failure of this item
        return Lost(describe_failure(error, place.name))


def part_at(place: Place, index: int) -> Place:
    """Find the place of a member of a composite: the part, the worker, or, over a graph, the place itself."""
    if isinstance(place.work, Together):
        return place.parts[index]
    return place.parts[0] if place.parts else place


def argument_at(place: Place, state: Any, index: int) -> Any:
    """Find what a member of a composite works on: the item, or the state."""
    return getattr(state, place.work.items)[index] if isinstance(place.work, Each) else state


def name_member(place: Place, index: int) -> str | int:
    """Name a member of a composite in addresses: its number in `each`, its name in `together`."""
    return place.parts[index].name if isinstance(place.work, Together) else index


def is_settled(opened: Open) -> bool:
    """Tell whether nothing more happens to this work by itself."""
    return isinstance(opened, (Done, Lost)) or (isinstance(opened, Nested) and opened.cursor.status in ENDED)


ENDED = frozenset({Status.COMPLETED, Status.FAILED})


def _list_work(place: Place, state: Any, opened: Open, address: Address, key: str, argument: Any) -> Iterator[Work]:
    if isinstance(opened, Task):
        yield Work(address, place, argument, f"{key}:{'/'.join(map(str, address))}", opened.attempt, opened.not_before)
    elif isinstance(opened, Nested):
        cursor = opened.cursor
        if (
            place.child is not None
            and cursor.place is not None
            and cursor.open is not None
            and cursor.status is Status.RUNNING
        ):
            inner = place.child.places[cursor.place]
            inner_key = f"{key}:{'/'.join(map(str, address))}:{cursor.step}"
            yield from _list_work(inner, cursor.state, cursor.open, (*address, inner.name), inner_key, cursor.state)
    elif isinstance(opened, Group):
        if any(stops_early(place, state, index, member) for index, member in enumerate(opened.members)):
            return
        room = place.work.at_once if isinstance(place.work, Each) else len(opened.members)
        for index, member in enumerate(opened.members):
            if room <= 0:
                return
            if not is_settled(member):
                where = (*address, name_member(place, index))
                item = argument_at(place, state, index)
                found = tuple(_list_work(part_at(place, index), state, member, where, key, item))
                room -= bool(found)  # a member that waits for an answer takes no room
                yield from found


def put(
    place: Place,
    state: Any,
    opened: Open,
    address: Address,
    outcomes: Mapping[Address, Outcome],
    now: float,
    random: Callable[[], float],
    owner: Place | None = None,
) -> Open:
    """Put outcomes into the open work of a place.

    Args:
        place: The place.
        state: The state that it works on.
        opened: Its open work.
        address: Where it stands.
        outcomes: By the part of the address below this place; for work that is pending, and all that comes at a time.
        now: Seconds since the epoch.
        random: Gives numbers from 0 up to 1.
        owner: The composite that the place is a part of; None for a place of the table.

    Raises:
        AnswerError: If an answer is refused.
    """
    if isinstance(opened, Group):
        members = list(opened.members)
        for index, inside in _group_by_member(place, outcomes):
            where = (*address, name_member(place, index))
            members[index] = put(part_at(place, index), state, members[index], where, inside, now, random, place)
        return Group(tuple(members))
    if isinstance(opened, Nested) and place.child is not None:
        return Nested(_take_in(place.child, opened.cursor, outcomes, address, now, random))
    if isinstance(opened, Task):
        return after_attempt(place, state, opened, outcomes[()], now, random, owner)
    return take_answer(place, state, outcomes[()].value, "/".join(map(str, address)))


def _group_by_member(place: Place, outcomes: Mapping[Address, Outcome]) -> list[tuple[int, dict[Address, Outcome]]]:
    """Sort outcomes by the member of a composite that they are for, in the order of the members."""
    numbers: dict[str | int, int] = {part.name: index for index, part in enumerate(place.parts)}
    inside: dict[int, dict[Address, Outcome]] = {}
    for rest, outcome in outcomes.items():
        index = rest[0] if isinstance(rest[0], int) else numbers[rest[0]]
        inside.setdefault(index, {})[rest[1:]] = outcome
    return sorted(inside.items())


def settle(place: Place, state: Any, opened: Open, address: Address) -> Done | Lost | None:
    """Say what the work of a place came to; None while some of it is open.

    A failure gets the address where it stands in this graph, whoever told it, so that all drivers tell the same.
    """
    if isinstance(opened, Done):
        return opened
    if isinstance(opened, Lost):
        return Lost(attrs.evolve(opened.failure, place="/".join(map(str, address))))
    if isinstance(opened, Nested):
        return _settle_child(place, state, opened.cursor, address)
    return _settle_group(place, state, opened, address) if isinstance(opened, Group) else None


def _settle_group(place: Place, state: Any, opened: Group, address: Address) -> Done | Lost | None:
    if place.child is None and isinstance(place.work, Each) and ONLY_DONE.issuperset(map(type, opened.members)):
        return Done({place.work.into: tuple([member.value for member in opened.members])})  # type: ignore[union-attr]  # all are Done
    results = [_settle_member(place, state, index, member, address) for index, member in enumerate(opened.members)]
    lost = [result.failure for result in results if isinstance(result, Lost)]
    if None in results and not (place.work.stop_early and lost):
        return None
    if lost:
        return Lost(choose_failure(lost))
    values = [result.value for result in results if isinstance(result, Done)]
    if isinstance(place.work, Each):
        return Done({place.work.into: tuple(values)})
    return Done(_join(place, values))


def stops_early(place: Place, state: Any, index: int, member: Open) -> bool:
    """Tell whether a member of a composite failed and nothing more is to be started there."""
    return place.work.stop_early and isinstance(_settle_member(place, state, index, member, ()), Lost)


def _settle_member(place: Place, state: Any, index: int, member: Open, address: Address) -> Done | Lost | None:
    part, where = part_at(place, index), (*address, name_member(place, index))
    result = settle(part, state, member, where)
    if not isinstance(member, (Nested, Group)) or not isinstance(result, Done):
        return result
    return settle(part, state, check_result(part, place, state, result.value), where)


def _join(place: Place, updates: list[Any]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for update in updates:
        for name, value in update.items():
            joined[name] = joined[name] + value if name in joined and name in place.model.grown else value
    return joined


def _settle_child(place: Place, state: Any, cursor: Cursor, address: Address) -> Done | Lost | None:
    here = "/".join(map(str, address))
    if cursor.status is Status.FAILED:
        if cursor.failure is None:
            return Lost(Failure(BROKEN, cursor.reason, here))
        others = tuple(attrs.evolve(each, place=f"{here}/{each.place}") for each in cursor.failure.others)
        return Lost(attrs.evolve(cursor.failure, place=f"{here}/{cursor.failure.place}", others=others))
    if cursor.status is not Status.COMPLETED:
        return None
    leave = getattr(place.work, "leave", None)
    if leave is None:
        return Done(cursor.state if isinstance(place.work, Each) else _hand_back(place, state, cursor))
    try:
        return Done(leave(state, cursor.state))
    except Exception as error:  # noqa: BLE001  # what the caller's `leave` raises is a failure of the place
        return Lost(describe_failure(error, here))


def _hand_back(place: Place, state: Any, cursor: Cursor) -> dict[str, Any]:
    """Give the fields that a child of the same class wrote; of a growing field its own items."""
    assert place.child is not None  # noqa: S101  # only called where a graph runs inside
    update: dict[str, Any] = {}
    for name in place.model.names:
        if name in cursor.written and name not in place.child.counts:
            value = getattr(cursor.state, name)
            update[name] = value[len(getattr(state, name)) :] if name in place.model.grown else value
    return update


def conclude(table: Table, place: Place, state: Any, result: Done | Lost) -> tuple[Any, Arc, Done | Lost] | Failure:
    """Leave a place by the row that its result has.

    Returns:
        The next state, the way taken, and the result that it was taken for, which is `Lost` where the update was refused;
        or the failure that no row catches.
    """
    if isinstance(result, Done):
        try:
            return (*decide(place, state, result.value), result)
        except UpdateError as error:
            result = Lost(describe_failure(error, place.name))
    try:
        moved = decide_failure(table, place, state, result.failure)
    except Exception as error:  # noqa: BLE001  # the caller's `note` may raise anything; the run fails with that
        return attrs.evolve(describe_failure(error, place.name), others=(result.failure,))
    return result.failure if moved is None else (*moved, result)


def list_questions(table: Table, cursor: Cursor) -> tuple[Question, ...]:
    """List the open questions, in address order; a run that failed or was cancelled has none."""
    if cursor.place is None or cursor.open is None or cursor.status in (Status.FAILED, Status.CANCELLED):
        return ()
    place = table.places[cursor.place]
    return tuple(_list_asked(place, cursor.state, cursor.open, (place.name,), f"@{cursor.step + 1}"))


def _list_asked(place: Place, state: Any, opened: Open, address: Address, visit: str) -> Iterator[Question]:
    if isinstance(opened, Asked):
        pause = place.work
        text = getattr(state, pause.question.name) if isinstance(pause.question, Field) else pause.question
        yield Question("/".join(map(str, address)) + visit, address, text, pause.answer)
    elif isinstance(opened, Nested) and place.child is not None:
        cursor = opened.cursor
        if cursor.place is not None and cursor.open is not None and cursor.status not in ENDED:
            inner = place.child.places[cursor.place]
            yield from _list_asked(
                inner, cursor.state, cursor.open, (*address, inner.name), f"{visit}.{cursor.step + 1}"
            )
    elif isinstance(opened, Group):
        for index, member in enumerate(opened.members):
            where = (*address, name_member(place, index))
            yield from _list_asked(part_at(place, index), state, member, where, visit)


def freeze_answer(place: Place, answer: Any, question: str) -> Any:
    """Check and freeze an answer to a pause.

    Raises:
        AnswerError: If it does not fit the type.
    """
    faults: list[Fault] = []
    assert place.item is not None  # noqa: S101  # a graph is only built when the pause's answer fits its field
    frozen = admit_foreign(place.item, answer, ABSENT, (place.work.into,), faults)
    if faults:
        raise AnswerError(question, "; ".join(map(str, faults)))
    return frozen


def find_pause(place: Place, inside: Address) -> Place:
    """Find the pause at an address below a place."""
    for part in inside:
        if isinstance(place.work, Together):
            place = next(each for each in place.parts if each.name == part)
        elif place.child is not None and isinstance(part, str):
            place = place.child.places[part]
    return place


def take_answer(place: Place, state: Any, answer: Any, question: str) -> Done:
    """Check an answer and make it the pause's update.

    Raises:
        AnswerError: If it does not fit the type, or `accepts` gives a reason against it.
    """
    pause = place.work
    frozen = freeze_answer(place, answer, question)
    if pause.accepts is not None:
        try:
            reason = pause.accepts(state, frozen)
        except Exception as error:  # the caller's check may raise anything; then the answer is not taken
            raise AnswerError(question, f"accepts() raised {type(error).__name__}: {error}") from error
        if reason is not None:
            raise AnswerError(question, str(reason))
    return Done({pause.into: frozen})


def open_member(place: Place, state: Any, index: int) -> Open:
    """Open the work of one member of a composite."""
    if isinstance(place.work, Together):
        return open_place(place.parts[index], state)
    if place.child is None:
        return FIRST
    return _enter(place, place.work.enter, state, argument_at(place, state, index))


def reopen(place: Place, state: Any, opened: Open) -> Open:
    """Open failed work again for a resume: what failed gets a fresh first attempt, what is done stays done."""
    if isinstance(opened, Lost):
        return open_place(place, state)
    if isinstance(opened, Nested) and opened.cursor.status is Status.FAILED and place.child is not None:
        return Nested(reopen_cursor(place.child, opened.cursor))
    if isinstance(opened, Group):
        members = [
            open_member(place, state, index)
            if isinstance(member, Lost)
            else reopen(part_at(place, index), state, member)
            for index, member in enumerate(opened.members)
        ]
        return Group(tuple(members))
    return opened


def reopen_cursor(table: Table, cursor: Cursor) -> Cursor:
    """Open a failed run again at its place; one that failed by an invariant after END stays there."""
    place = table.places.get(cursor.place or "")
    opened = None
    if place is not None and cursor.open is not None and not isinstance(cursor.open, Done):
        opened = reopen(place, cursor.state, cursor.open)
    return attrs.evolve(cursor, open=opened, status=Status.RUNNING, reason="", failure=None, taken=())
