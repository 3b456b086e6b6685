"""Attempts: what one that was made leads to.

Responsible for: the end of the work, another attempt after some wait, or a failure; and for freezing what a part of a
composite hands back as soon as it comes. Pure. Not for: making attempts, nor for what a whole place comes to
(`transitable.run.kernel`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from transitable.errors import UpdateError
from transitable.model.nodes import Together
from transitable.model.shapes import ABSENT, admit_foreign
from transitable.model.table import name_class
from transitable.run.decisions import freeze_update
from transitable.run.failures import describe_failure
from transitable.run.work import Done, Lost, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from transitable.model.nodes import Retry
    from transitable.model.shapes import Fault
    from transitable.model.table import Place
    from transitable.run.failures import Failure
    from transitable.run.work import Outcome


def after_attempt(
    place: Place,
    state: Any,
    task: Task,
    outcome: Outcome,
    now: float,
    random: Callable[[], float],
    owner: Place | None = None,
) -> Task | Done | Lost:
    """Say what an attempt leads to: another one, the end of the work, or a failure.

    Args:
        place: The node or worker.
        state: The state of the composite or of the run.
        task: The attempt.
        outcome: What became of it.
        now: Seconds since the epoch.
        random: Gives numbers from 0 up to 1.
        owner: The composite that the work belongs to; its result is checked at once. None for a node of the table.
    """
    if outcome.kind == "done":
        return Done(outcome.value) if owner is None else check_result(place, owner, state, outcome.value)
    failure: Failure = attrs.evolve(outcome.value, attempt=task.attempt)
    retry = place.retry
    if retry is None or failure.refused or task.attempt >= retry.attempts or not _is_worth_retry(failure, place):
        return Lost(failure)
    wait = _wait_after(task.attempt, retry)
    wait += wait * retry.jitter * random()
    return Task(task.attempt + 1, now + wait if wait else None)


def _wait_after(attempt: int, retry: Retry) -> float:
    """Say how many seconds to wait after an attempt that failed, without jitter."""
    try:
        growth = float(retry.factor) ** (attempt - 1)
    except OverflowError:  # far beyond any longest wait
        return retry.longest if retry.wait else 0.0
    return min(retry.wait * growth, retry.longest)


def _is_worth_retry(failure: Failure, place: Place) -> bool:
    assert place.retry is not None  # noqa: S101  # asked only for places with a policy
    wanted = {name_class(cls) for cls in place.retry.on}
    return not wanted.isdisjoint(failure.names)


def check_result(place: Place, owner: Place, state: Any, value: Any) -> Done | Lost:
    """Freeze the result of a member when it comes in, so that nobody can change it while the others still run."""
    try:
        if isinstance(owner.work, Together):
            return Done(freeze_update(place, state, value))
        return Done(_freeze_item(owner, value))
    except UpdateError as error:  # where it stands is added when it is settled
        return Lost(describe_failure(error, place.name))


def _freeze_item(owner: Place, value: Any) -> Any:
    item = owner.item
    if item is None or type(value) in item.quick:
        return value
    faults: list[Fault] = []
    frozen = admit_foreign(item, value, ABSENT, (owner.work.into,), faults)
    if faults:
        raise UpdateError(owner.name, tuple(faults))
    return frozen
