"""The kernel by hand, errors and their facts, and values that a state holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict, assert_type

from attrs import frozen

from transitable import (
    END,
    Cursor,
    FrozenDict,
    Graph,
    ManualClock,
    RunFailed,
    Status,
    TableError,
    TransitableError,
    advance,
    answered,
    begin,
    done,
    list_questions,
    pending,
    prove,
    raised,
)

if TYPE_CHECKING:
    from transitable import (
        Clock,
        Failure,
        Finding,
        Outcome,
        Row,
        RunOptions,
    )


TEA = FrozenDict(tea=3)


@frozen
class Count:
    """A number."""

    number: int = 0
    prices: Mapping[str, int] = TEA


class Counted(TypedDict):
    """What `count` writes."""

    number: int


def count(state: Count) -> Counted:
    """Count one up."""
    return {"number": state.number + 1}


counting = Graph(Count, start=count, table={count: END})


def walk(failure: Failure | None) -> Count:
    """Move a run on by hand."""
    cursor = begin(counting.table, Count())
    assert_type(cursor, Cursor)
    while cursor.status is Status.RUNNING:
        outcomes: dict[tuple[str | int, ...], Outcome] = {}
        for work in pending(counting.table, cursor, run_id="r1"):
            outcomes[work.address] = raised(failure) if failure else done(work.place.call(work.argument))
        for question in list_questions(counting.table, cursor):
            outcomes[question.address] = answered(True)
        cursor = advance(counting.table, cursor, outcomes, now=1.0, random=lambda: 0.0)
    state: Count = cursor.state
    return state


def explain() -> list[str]:
    """Read the facts of errors."""
    try:
        Graph(Count, start=count, table={})
    except TableError as error:
        assert_type(error.findings, tuple["Finding", ...])
        return [finding.fix for finding in error.findings]
    except TransitableError:
        return []
    return [str(prove(counting.table, claim)) for claim in counting.claims]


def pass_options(clock: Clock) -> Count:
    """Hold options in a variable."""
    options: RunOptions = {"clock": clock, "max_steps": 3}
    run = counting.run(Count(), **options)
    try:
        return run.unwrap()
    except RunFailed as error:
        path: tuple[Row, ...] = error.run.path
        return Count(len(path))


walk(None)
pass_options(ManualClock())
prices: dict[str, Any] = {**Count().prices}
assert_type(FrozenDict(tea=3), FrozenDict[str, int])
names: dict[int, str] = {1: "one"}
assert_type(FrozenDict(names), FrozenDict[int, str])
assert_type(FrozenDict(names.items()), FrozenDict[int, str])
assert_type(FrozenDict({"tea": 3}, milk=2), FrozenDict[str, int])
empty: Mapping[int, str] = FrozenDict()
