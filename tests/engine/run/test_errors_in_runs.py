"""Failures in runs: which row catches what, what `note` may write, and that errors pickle."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict

import pytest
from attrs import evolve, field, frozen

from transitable import (
    END,
    Failure,
    Graph,
    NodeTimeout,
    Row,
    Run,
    RunCancelled,
    RunFailed,
    RunLimited,
    RunPaused,
    Status,
    TransitableError,
    UpdateError,
    again,
    each,
    grows,
    pause,
    subgraph,
    then,
)
from transitable import errors as tree


@frozen
class State:
    """A number, a log, and a count."""

    number: int = 0
    log: tuple[str, ...] = grows()
    rounds: int = 0
    items: tuple[int, ...] = (1,)
    results: tuple[int, ...] = ()


class Number(TypedDict):
    """Writes the number."""

    number: int


class OwnError(ConnectionResetError):
    """An error of the program's own."""


def make_failing(error: BaseException) -> Any:
    def fails(state: State) -> Number:
        raise error

    return fails


def on_os(state: State) -> Number:
    return {"number": 1}


def on_connection(state: State) -> Number:
    return {"number": 2}


def on_any(state: State) -> Number:
    return {"number": 3}


ENDS: Mapping[Any, Any] = {on_os: END, on_connection: END, on_any: END}
ROWS: Mapping[Any, Any] = {Exception: on_any, OSError: on_os, ConnectionError: on_connection}


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (OwnError("x"), "on_connection"),
        (ConnectionError("x"), "on_connection"),
        (FileNotFoundError("x"), "on_os"),
        (NodeTimeout("x", 1.0), "on_os"),
        (ValueError("x"), "on_any"),
    ],
)
def test_the_nearest_class_of_the_failure_has_the_row(error: Exception, place: str) -> None:
    """Rows are matched in the failure's class order, whatever order they are written in."""
    fails = make_failing(error)
    run = Graph(State, start=fails, table={fails: then(END, on_error=ROWS), **ENDS}).run(State())
    assert run.unwrap().number == {"on_os": 1, "on_connection": 2, "on_any": 3}[place]
    assert run.places == ("fails", place)


def test_what_no_row_catches_fails_the_run() -> None:
    """The cause is the live exception, and the run can be resumed at that node."""
    error = LookupError("nothing there")
    error.add_note("look elsewhere")
    fails = make_failing(error)
    run = Graph(State, start=fails, table={fails: then(END, on_error={OSError: END})}).run(State())
    assert (run.status, run.place, run.reason) == (Status.FAILED, "fails", "fails: LookupError: nothing there")
    assert run.failure is not None
    assert (run.failure.names[0], run.failure.notes) == ("builtins.LookupError", ("look elsewhere",))
    assert "LookupError: nothing there" in run.failure.traceback
    with pytest.raises(RunFailed, match="the run is failed at 'fails'") as caught:
        run.unwrap()
    assert caught.value.__cause__ is error


def refuse(state: State) -> Number:
    return {"number": "seven"}  # type: ignore[typeddict-item]  # what is to be refused


def test_a_refused_update_is_caught_by_its_own_row_only() -> None:
    """It is a fault of the program: no row for a class above UpdateError catches it."""
    for rows in ({Exception: END}, {ValueError: END}, {RuntimeError: END}, {TransitableError: END}):
        run = Graph(State, start=refuse, table={refuse: then(END, on_error=rows)}).run(State())
        assert (run.status, run.state) == (Status.FAILED, State())
    caught = Graph(State, start=refuse, table={refuse: then(END, on_error={UpdateError: END, Exception: END})})
    assert caught.run(State()).path[0].value == "transitable.errors.UpdateError"


def test_a_mapping_that_cannot_be_read_is_refused() -> None:
    """A foreign mapping may raise anything when it is read."""

    class Broken(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            raise KeyError(key)

        def __iter__(self) -> Iterator[str]:
            return iter(["number"])

        def __len__(self) -> int:
            return 1

    def broken(state: State) -> Mapping[str, object]:
        return Broken()

    run = Graph(State, start=broken, table={broken: END}).run(State())
    assert "a mapping that cannot be read (KeyError: 'number')" in run.reason


def test_what_the_class_itself_refuses_fails_its_node() -> None:
    """A validator of the state class is part of the look at an update."""

    def check(instance: Any, attribute: Any, value: int) -> None:
        if value > 5:
            raise ValueError("at most 5")

    @frozen
    class Checked:
        number: int = field(default=0, validator=check)

    def grow(state: Any) -> Number:
        return {"number": state.number + 3}

    graph = Graph(Checked, start=grow, table={grow: END})
    assert graph.run(Checked()).unwrap() == Checked(3)
    run = graph.run(Checked(3))
    assert (run.status, run.state) == (Status.FAILED, Checked(3))
    assert "at most 5" in run.reason


def test_an_error_that_cannot_be_shown_is_told_by_its_class() -> None:
    """A `__str__` that fails does not end the process."""

    class Mute(Exception):  # noqa: N818  # named for what it does
        def __str__(self) -> str:
            raise KeyError("mute")

    fails = make_failing(Mute())
    run = Graph(State, start=fails, table={fails: END}).run(State())
    assert run.failure is not None
    assert run.failure.message == "<no message: KeyError>"


# -- note


def note_line(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
    return {"log": [f"{row.source}: {failure.message}"], "number": 9}


def run_noted(note: Any) -> Run[State]:
    """Run a failing node whose row is noted."""
    fails = make_failing(ValueError("no"))
    return Graph(State, start=fails, table={fails: then(END, on_error={ValueError: END})}, note=note).run(
        State(log=("before",))
    )


def test_note_writes_a_failure_into_the_state() -> None:
    """What it writes of a growing field is appended, and frozen."""
    assert run_noted(note_line).unwrap() == State(number=9, log=("before", "fails: no"))


def test_note_may_write_nothing() -> None:
    """None changes nothing."""
    assert run_noted(lambda state, failure, row: None).unwrap() == State(log=("before",))


def raise_key(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
    raise KeyError("note")


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (raise_key, "KeyError: 'note'"),
        (lambda state, failure, row: {"numbre": 1}, "did you mean 'number'"),
        (lambda state, failure, row: {"number": "x"}, "number: came 'x'"),
        (lambda state, failure, row: 3, "a mapping of changed fields, or None"),
    ],
)
def test_a_note_that_fails_fails_the_run_with_the_first_failure_beside(note: Any, reason: str) -> None:
    """The failure that was to be noted is not lost."""
    run = run_noted(note)
    assert (run.status, run.place, run.state) == (Status.FAILED, "fails", State(log=("before",)))
    assert reason in run.reason
    assert run.failure is not None
    assert [other.message for other in run.failure.others] == ["no"]


def test_a_note_may_not_write_a_count() -> None:
    """Only the engine writes counts."""
    fails = make_failing(ValueError("no"))
    retry = again(fails, count="rounds", at_most=2, otherwise=END)
    rows = then(END, on_error={ValueError: retry})
    graph = Graph(State, start=fails, table={fails: rows}, note=lambda state, failure, row: {"rounds": 0})
    run = graph.run(State())
    assert (run.status, run.state.rounds) == (Status.FAILED, 0)
    assert "a field of State that a place may write" in run.reason


# -- invariants


def is_small(state: State) -> bool:
    if state.number == 3:
        raise LookupError("three")
    return state.number < 2


def add(state: State) -> Number:
    return {"number": state.number + 1}


def make_watched() -> Graph[State]:
    loop = again(add, count="rounds", at_most=1, otherwise=END)
    return Graph(State, start=add, table={add: loop}, invariants=[is_small], name="watched")


@pytest.mark.parametrize(
    ("number", "checks", "steps", "reason"),
    [
        (-5, False, 2, ""),
        (0, False, 2, "invariant broken: is_small"),
        (1, False, 2, "invariant broken: is_small (LookupError: three)"),
        (1, True, 1, "invariant broken: is_small"),
        (-5, True, 2, ""),
    ],
)
def test_invariants_hold_at_the_end_or_after_every_step(number: int, checks: bool, steps: int, reason: str) -> None:
    """Broken, or raising, the run is FAILED with its state kept."""
    run = make_watched().run(State(number=number), check_invariants=checks)
    assert (run.status is Status.FAILED, run.steps, run.reason) == (bool(reason), steps, reason)
    assert run.state.number == number + steps


def test_a_broken_invariant_inside_fails_the_place() -> None:
    """The failure names the invariant, and a row for RunFailed catches it."""
    place = subgraph(make_watched())
    caught = Graph(State, start=place, table={place: then(END, on_error={RunFailed: END})})
    assert caught.run(State()).path[0].value == "transitable.errors.RunFailed"
    plain = Graph(State, start=place, table={place: END})
    run = plain.run(State())
    assert "invariant broken: is_small" in run.reason
    assert plain.resume(run).status is Status.FAILED


# -- pickles and unwrap

ask = pause("ask", question="?", answer=int, into="number")


def end_all() -> dict[Status, Run[State]]:
    """A run of each status but COMPLETED."""
    fails = make_failing(ValueError("no"))
    asked = Graph(State, start=ask, table={ask: END})
    cancelled = asked.start(State())
    cancelled.cancel()
    return {
        Status.FAILED: Graph(State, start=fails, table={fails: END}).run(State()),
        Status.PAUSED: asked.run(State()),
        Status.LIMIT: make_watched().run(State(), max_steps=1),
        Status.CANCELLED: cancelled.finish(),
    }


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (Status.FAILED, RunFailed),
        (Status.PAUSED, RunPaused),
        (Status.LIMIT, RunLimited),
        (Status.CANCELLED, RunCancelled),
    ],
)
def test_unwrap_raises_for_every_other_status(status: Status, error: type[tree.RunError]) -> None:
    """Each has an error of its own, which keeps the run, and pickles to its text."""
    run = end_all()[status]
    with pytest.raises(error, match=f"the run is {status}") as caught:
        run.unwrap()
    assert caught.value.run is run
    copied = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(caught.value))))  # noqa: S301  # its own bytes
    assert (type(copied), str(copied), repr(copied.run)) == (error, str(caught.value), repr(run))


def test_unwrap_gives_the_state_of_a_completed_run() -> None:
    """A completed run has no exception and no failure."""
    run = Graph(State, start=add, table={add: END}).run(State())
    assert (run.unwrap(), run.exception, run.failure) == (State(number=1), None, None)


def test_unwrap_of_a_run_under_way_raises() -> None:
    """A run that was started and not finished has no final state."""
    with pytest.raises(tree.RunError, match="the run is running at 'add'"):
        make_watched().start(State()).run.unwrap()


def test_failures_in_items_pickle_with_their_others() -> None:
    """A failure is data."""

    def work(item: int) -> int:
        raise ValueError(f"item {item}")

    fan = each("items", work, into="results", name="fan")
    run = Graph(State, start=fan, table={fan: END}).run(evolve(State(), items=(1, 2)))
    assert run.failure is not None
    assert pickle.loads(pickle.dumps(run.failure)) == run.failure  # noqa: S301  # its own bytes
    assert str(run.failure) == "ValueError: item 1 (and 1 more)"


def test_notes_that_cannot_be_read_are_told_by_their_class() -> None:
    """`__notes__` may be anything that somebody put there."""
    error = ValueError("no")
    error.__notes__ = 3  # type: ignore[assignment]  # what is under test
    fails = make_failing(error)
    run = Graph(State, start=fails, table={fails: END}).run(State())
    assert run.failure is not None
    assert run.failure.notes == ("<no notes: TypeError>",)


@frozen
class Derived:
    """A state that makes one field itself, and converts another."""

    number: int = field(default=0, converter=abs)
    double: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "double", self.number * 2)


def test_converters_run_and_what_the_class_sets_itself_is_not_written() -> None:
    """The class's own `__init__` makes the next state."""

    def loose(state: Derived) -> Mapping[str, object]:
        return {"number": state.number - 4}

    def wrong(state: Derived) -> Mapping[str, object]:
        return {"double": 3}

    state = Graph(Derived, start=loose, table={loose: END}).run(Derived(1)).unwrap()
    assert (state.number, state.double) == (3, 6)
    run = Graph(Derived, start=wrong, table={wrong: END}).run(Derived(1))
    assert "Derived sets this field itself (init=False)" in run.reason
