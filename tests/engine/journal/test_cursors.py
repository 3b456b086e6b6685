"""A cursor survives JSON: a run goes on from it as if nothing had happened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Graph,
    StateError,
    Status,
    advance,
    again,
    answered,
    begin,
    by,
    done,
    each,
    grows,
    list_questions,
    node,
    pause,
    pending,
    raised,
    together,
)
from transitable.journal.cursors import cursor_from_json, cursor_to_json
from transitable.run.failures import describe_failure

if TYPE_CHECKING:
    from transitable import (
        Cursor,
    )


@frozen
class Job:
    items: tuple[int, ...] = ()
    doubled: tuple[int, ...] = ()
    log: tuple[str, ...] = grows()
    allowed: bool | None = None
    kind: Literal["a", "b"] | None = None


class Logs(TypedDict):
    log: tuple[str, ...]


def double(item: int) -> int:
    return 2 * item


def note_left(_state: Job) -> Logs:
    return {"log": ("left",)}


def note_right(_state: Job) -> Logs:
    return {"log": ("right",)}


fan = each("items", double, into="doubled", at_once=3, name="fan")
ask = pause("ask", question="go on?", answer=bool, into="allowed")
inner = Graph(Job, start=ask, table={ask: by("allowed", {True: note_left, False: END}), note_left: END}, name="inner")
sides = together(note_left, node(note_right, name="right"), name="sides")
graph = Graph(Job, start=fan, table={fan: sides, sides: inner, inner: END})


def survive(cursor: Cursor) -> Cursor:
    """Write, read, and hold that nothing changed."""
    text = json.dumps(cursor_to_json(graph.table, cursor))
    read = cursor_from_json(graph.table, json.loads(text))
    assert read == cursor
    return read


def test_goes_on_from_json_after_every_outcome() -> None:
    """Written and read after every single outcome, a run ends as an undisturbed one."""
    cursor = survive(begin(graph.table, Job(items=(1, 2, 3))))
    while cursor.status in (Status.RUNNING, Status.PAUSED):
        work = pending(graph.table, cursor)
        if work:
            last = work[-1]
            outcome = {last.address: done(last.place.call(last.argument))}
        else:
            outcome = {list_questions(graph.table, cursor)[0].address: answered(True)}
        cursor = survive(advance(graph.table, cursor, outcome))
    paused = graph.run(Job(items=(1, 2, 3)))
    assert cursor.state == graph.resume(paused, answers={paused.questions[0].id: True}).state


def test_keeps_a_failed_member_beside_the_finished_ones() -> None:
    """A failure inside a composite is written with its message, and finished items stay."""
    cursor = begin(graph.table, Job(items=(1, 2)))
    outcomes = {("fan", 0): done(2), ("fan", 1): raised(describe_failure(ValueError("no"), "fan/1"))}
    failed = survive(advance(graph.table, cursor, outcomes))
    assert failed.status is Status.FAILED
    assert failed.failure.message == "no"


FAILURE = {
    "names": ["builtins.ValueError"],
    "message": "no",
    "place": "fan",
    "attempt": 1,
    "refused": False,
    "notes": [],
    "traceback": "",
    "others": [],
}


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("version", 2, "version 1"),
        ("place", "fin", "a place of the table"),
        ("status", "asleep", "one of running"),
        ("step", "3", "expected int"),
        ("taken", [99], "the number of a row"),
        ("open", {"group": [{"item": "x"}]}, "expected int"),
        ("open", {"nested": {}}, "as 'fan' can have it"),
        ("open", [], "expected dict"),
        ("open", {}, "one key"),
        ("failure", {"name": 3}, "a Failure as it is written"),
        ("written", None, "expected list"),
        ("written", [[1]], "expected str"),
        ("written", ["nope"], "fields of the state"),
        ("version", True, "version 1"),
        ("step", -1, "at least 0"),
        ("place", None, "a place, because the run is running"),
        ("status", "completed", "no place, because the run has completed"),
        ("failure", {**FAILURE}, "has not failed"),
        ("open", None, "work or a question"),
        ("open", {"asked": None}, "as 'fan' can have it"),
        ("open", {"task": {"attempt": 1, "not_before": None}}, "as 'fan' can have it"),
        ("open", {"group": []}, "1 members of 'fan'"),
        ("open", {"group": [{"item": 7}]}, "work or a question"),
        ("open", {"lost": FAILURE}, "work or a question"),
    ],
)
def test_refuses_what_no_writer_made(key: str, value: object, match: str) -> None:
    """Every part that does not fit is a typed error that says where."""
    data = cursor_to_json(graph.table, begin(graph.table, Job(items=(1,))))
    with pytest.raises(StateError, match=match):
        cursor_from_json(graph.table, {**data, key: value})


def test_refuses_other_keys() -> None:
    """A cursor with a key too many or too few is refused as a whole."""
    with pytest.raises(StateError, match="an object with the keys"):
        cursor_from_json(graph.table, {"state": {}})


@frozen
class Looped:
    done: bool | None = None
    loops: int = 0


class Finished(TypedDict):
    done: bool


def go(_state: Looped) -> Finished:
    return {"done": False}


@pytest.mark.parametrize("loops", [-20, 4])
def test_refuses_counts_that_no_run_can_have(loops: int) -> None:
    """A stored count outside of its limit would let a loop run on; it is refused."""
    looped = Graph(
        Looped, start=go, table={go: by("done", {True: END, False: again(go, count="loops", at_most=3, otherwise=END)})}
    )
    data = cursor_to_json(looped.table, begin(looped.table, Looped()))
    data["state"]["loops"] = loops
    with pytest.raises(StateError, match="a count from 0 to 3"):
        cursor_from_json(looped.table, data)
