"""Branches and counts: a branch reads what was just written, and only the engine counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    Failure,
    Graph,
    Row,
    Run,
    Status,
    UpdateError,
    again,
    by,
    decide,
    limit,
    then,
)

Label = Literal["x", "y"]


@frozen
class Verdict:
    """A nested value."""

    label: Label | None = None


@frozen
class State:
    """Labels, a verdict, counts and a limit."""

    label: Label | None = None
    mode: Label = "x"
    verdict: Verdict | None = None
    number: int = 0
    rounds: int = 0
    most: int = 3


class Labelled(TypedDict):
    """Writes the label."""

    label: Label | None


class Number(TypedDict):
    """Writes the number."""

    number: int


class Judged(TypedDict):
    """Writes the verdict."""

    verdict: Verdict | None


def left(state: State) -> Number:
    return {"number": 1}


def right(state: State) -> Number:
    return {"number": 2}


ENDS: Mapping[Any, Any] = {left: END, right: END}


def run_branch(update: Any, state: State | None = None) -> Run[State]:
    """Run a branch on the label over a node that hands back this update."""

    def choose(state: State) -> Labelled:
        return update  # type: ignore[no-any-return]  # what is under test

    rows = by("label", {"x": left, "y": right, None: END}, on_error={Exception: left})
    return Graph(State, start=choose, table={choose: rows, **ENDS}).run(state or State())


@pytest.mark.parametrize(("label", "number"), [("x", 1), ("y", 2), (None, 0)])
def test_a_branch_takes_the_row_of_what_was_written(label: Label | None, number: int) -> None:
    """Every member has its row, None included."""
    run = run_branch({"label": label})
    assert (run.unwrap().number, run.path[0].value) == (number, label)


@pytest.mark.parametrize("update", [{}, None])
def test_a_branch_never_reads_what_was_not_written(update: Any) -> None:
    """EI-13: a preset value does not steer; the node that did not write it has failed, past any row for Exception."""
    run = run_branch(update, State(label="y"))
    assert (run.status, run.place, run.steps) == (Status.FAILED, "choose", 0)
    assert isinstance(run.exception, UpdateError)
    assert "the branch at 'choose' reads what the place has just written" in run.reason


@pytest.mark.parametrize(
    ("update", "path"),
    [
        ({"label": "z"}, "label: came 'z'"),
        ({"lable": "x"}, "did you mean 'label'"),
        ({"number": 3, "label": "x"}, "only the fields that 'choose' is annotated to write: label"),
        ({"rounds": 3, "label": "x"}, "only the fields"),
        ([("label", "x")], "a mapping of changed fields, or None"),
    ],
)
def test_what_a_branch_has_no_row_for_is_refused(update: Any, path: str) -> None:
    """EI-02, EI-04: an unknown value or field is an error at the node, with path and what was expected."""
    run = run_branch(update)
    assert (run.status, run.state) == (Status.FAILED, State())
    assert path in run.reason


def test_a_given_field_steers_and_is_never_written() -> None:
    """`given=True` reads an input; a node that may write anything may still not write that."""

    def plain(state: State) -> Number:
        return {"number": 0}

    def loose(state: State) -> Mapping[str, object]:
        return {"mode": "y"}

    for start, status in ((plain, Status.COMPLETED), (loose, Status.FAILED)):
        rows = by("mode", {"x": left, "y": right}, given=True)
        graph = Graph(State, start=start, table={start: rows, **ENDS})
        assert graph.run(State()).status is status
    assert "a branch reads this field as given" in graph.run(State()).reason


def run_judged(verdict: Verdict | None) -> Run[State]:
    """Run a branch into a nested class."""

    def judge(state: State) -> Judged:
        return {"verdict": verdict}

    rows = by("verdict.label", {"x": left, "y": right, None: END})
    return Graph(State, start=judge, table={judge: rows, **ENDS}).run(State())


@pytest.mark.parametrize(("verdict", "number"), [(Verdict("x"), 1), (Verdict("y"), 2), (Verdict(None), 0), (None, 0)])
def test_a_dotted_branch_takes_none_on_the_way_as_none(verdict: Verdict | None, number: int) -> None:
    """A branch reads into nested classes; a None on the way takes the row for None."""
    assert run_judged(verdict).unwrap().number == number


def test_a_value_without_a_row_is_refused_by_path() -> None:
    """A dotted branch without a row for what came is refused; it can only be met past the types."""
    graph = Graph(State, start=left, table={left: END})
    assert decide(graph.table.places["left"], State(), {"number": 3})[0] == State(number=3)
    smuggled = Verdict("z")  # type: ignore[arg-type]  # a class that attrs does not check
    run = run_judged(smuggled)
    assert (run.status, run.place) == (Status.FAILED, "judge")
    assert "verdict.label: came 'z'" in run.reason


# -- counts


def make_loop(most: Any, start: Any = left, **rows: Any) -> Graph[State]:
    """A loop of one place."""
    return Graph(State, start=start, table={start: again(start, count="rounds", at_most=most, otherwise=END)}, **rows)


@pytest.mark.parametrize("preset", [0, 2, 99, -5])
def test_counts_start_at_0(preset: int) -> None:
    """A value that the caller presets is not read."""
    run = make_loop(2).run(State(rounds=preset))
    assert (run.unwrap().rounds, run.steps) == (2, 3)


def test_only_the_engine_writes_counts() -> None:
    """EI-06: a node that may write anything may not write a count."""

    def loose(state: State) -> Mapping[str, object]:
        return {"rounds": 0}

    run = make_loop(2, loose).run(State())
    assert (run.status, run.state.rounds) == (Status.FAILED, 0)
    assert "this is a count, and only the engine writes counts" in run.reason


def test_a_count_is_shared_by_all_rows_that_name_it() -> None:
    """Two loops with one count have one budget."""
    back = again(left, count="rounds", at_most=3, otherwise=END)
    graph = Graph(State, start=left, table={left: again(right, count="rounds", at_most=3, otherwise=END), right: back})
    run = graph.run(State())
    assert (run.state.rounds, run.places) == (3, ("left", "right", "left", "right"))


@pytest.mark.parametrize(("most", "rounds"), [(3, 3), (0, 0), (-1, 0), (5, 5), (6, 5), (1000, 5)])
def test_a_limit_from_the_state_is_capped(most: int, rounds: int) -> None:
    """Below 0 counts as 0, and the cap is never exceeded."""
    run = make_loop(limit("most", cap=5)).run(State(most=most))
    assert (run.unwrap().rounds, run.steps) == (rounds, rounds + 1)
    assert run.path[-1].bound is not None
    assert run.path[-1].bound.spent


def test_an_error_row_counts_too() -> None:
    """A bounded error row is taken as often as its limit says, with or without a note."""

    def fails(state: State) -> Number:
        raise ValueError("no")

    def note(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
        return {"number": state.number + 10}

    for noted in (None, note):
        retry = again(fails, count="rounds", at_most=2, otherwise=END)
        graph = Graph(State, start=fails, table={fails: then(END, on_error={ValueError: retry})}, note=noted)
        run = graph.run(State())
        assert (run.unwrap().rounds, run.steps, run.state.number) == (2, 3, 30 if noted else 0)


def test_decide_refuses_a_state_that_no_door_lets_in() -> None:
    """By hand, a given field without a row is refused like any value."""
    rows = by("mode", {"x": left, "y": right}, given=True)

    def plain(state: State) -> Number:
        return {"number": 0}

    place = Graph(State, start=plain, table={plain: rows, **ENDS}).table.places["plain"]
    dotted = by("verdict.label", {"x": left, "y": right, None: END}, given=True)
    inner = Graph(State, start=plain, table={plain: dotted, **ENDS}).table.places["plain"]
    with pytest.raises(UpdateError, match=r"verdict\.label: came 'z'"):
        decide(inner, State(verdict=Verdict("z")), {"number": 1})  # type: ignore[arg-type]  # what is to be refused
    with pytest.raises(UpdateError, match=r"mode: came 'z'.*one of the values that 'plain' has a row for: 'x', 'y'"):
        decide(place, State(mode="z"), {"number": 1})  # type: ignore[arg-type]  # what is to be refused
