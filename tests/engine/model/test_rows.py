"""Rows: the words that a table is written with refuse what they cannot use, and a row reads as a sentence."""

from __future__ import annotations

import enum
import pickle
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import END, Graph, again, by, limit, then
from transitable.errors import PlaceError
from transitable.model.rows import Bound, Limit, Otherwise, Row, RowKind, show_label


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    YES = "yes"


@frozen
class State:
    colour: Colour | None = None
    retries: int = 0
    budget: int = 0


def paint(state: State) -> Mapping[str, object]:
    return {"colour": Colour.RED}


def mend(state: State) -> None: ...


# -- what is refused


@pytest.mark.parametrize("given_rows", [None, [(1, END)], "red", 5, {Colour.RED}])
def test_rows_are_a_mapping(given_rows: Any) -> None:
    """The error names the branch, what came and what was expected."""
    with pytest.raises(PlaceError, match=r"the rows of by\('colour', ...\): found .*; expected a mapping") as caught:
        by("colour", given_rows)
    assert caught.value.found == type(given_rows).__qualname__


@pytest.mark.parametrize("make", [lambda rows: then(END, on_error=rows), lambda rows: by("colour", {}, on_error=rows)])
def test_error_rows_are_a_mapping(make: Any) -> None:
    """Of classes to targets; None and an empty one are none."""
    with pytest.raises(PlaceError, match=r"on_error of (then|by)\(...\): found list; expected a mapping"):
        make([ValueError])
    assert make(None).on_error == make({}).on_error == {}


@pytest.mark.parametrize(
    "make",
    [
        lambda name: by(name, {}),
        lambda name: limit(name, cap=1),
        lambda name: again(END, count=name, at_most=1, otherwise=END),
    ],
)
@pytest.mark.parametrize("name", [None, 5, ["colour"], Colour.RED])
def test_a_field_is_named_by_a_text(make: Any, name: Any) -> None:
    """In `by`, `limit` and `again` alike."""
    with pytest.raises(PlaceError, match="expected the name of a field, as text") as caught:
        make(name)
    assert caught.value.found == repr(name)


@pytest.mark.parametrize("inner", [then(END), by("colour", {}), again(END, count="n", at_most=1, otherwise=END)])
@pytest.mark.parametrize("role", ["target", "otherwise"])
def test_a_bounded_row_leads_to_a_place(role: str, inner: Any) -> None:
    """Not to another bounded row or branch."""
    targets: dict[str, Any] = {"target": END, "otherwise": END, role: inner}
    with pytest.raises(PlaceError, match=rf"{role} of again\(...\): found \w+\(...\); expected a place or END"):
        again(targets["target"], count="retries", at_most=1, otherwise=targets["otherwise"])


def test_what_was_handed_in_may_change_afterwards() -> None:
    """Rows and error rows are copied; a table keeps none of the caller's dicts."""
    rows: dict[Any, Any] = {Colour.RED: END}
    errors: dict[Any, Any] = {ValueError: END}
    branch, plain = by("colour", rows, on_error=errors), then(END, on_error=errors)
    rows.clear()
    errors.clear()
    assert branch.rows == {Colour.RED: END}
    assert branch.on_error == plain.on_error == {ValueError: END}
    assert by("colour", MappingProxyType({None: END})).rows == {None: END}


def test_no_fall_back_is_not_none() -> None:
    """None is a label like any other."""
    assert by("colour", {}).otherwise is Otherwise.NOT_GIVEN
    assert by("colour", {}, otherwise=None).otherwise is None


def test_words_are_values_that_do_not_change() -> None:
    """Every one is frozen."""
    for word in (then(END), by("colour", {}), again(END, count="n", at_most=1, otherwise=END), limit("n", cap=1), Bound("n", 1), Row("a", RowKind.NEXT, None, None, "b")):  # fmt: skip
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(word, attrs.fields(type(word))[0].name, "changed")


def test_the_end_shows_itself_as_written() -> None:
    """And survives a pickle as the one that it is."""
    assert repr(END) == "END"
    assert pickle.loads(pickle.dumps(END)) is END  # noqa: S301  # our own bytes


# -- bounds


@given(st.integers(0, 99))
def test_the_largest_number_of_a_bound(number: int) -> None:
    """The number itself, or the cap of a limit."""
    assert Bound("n", number).most == number
    assert Bound("n", limit("budget", cap=number)).most == number


def test_a_limit_reads_as_the_smaller_of_two() -> None:
    """The field, never above the cap."""
    assert str(limit("budget", cap=3)) == "min(budget, 3)"
    assert limit("budget", cap=3) == Limit("budget", 3)


# -- the text of a row


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Row("a", RowKind.NEXT, None, None, "b"), "a -> b"),
        (Row("a", RowKind.NEXT, None, None, "END"), "a -> END"),
        (Row("a", RowKind.VALUE, "colour", Colour.RED, "b"), "a -> b  [colour = Colour.RED]"),
        (Row("a", RowKind.VALUE, "word", Word.YES, "b"), "a -> b  [word = Word.YES]"),
        (Row("a", RowKind.VALUE, "colour", None, "b"), "a -> b  [colour = None]"),
        (Row("a", RowKind.VALUE, "word", "yes", "b"), "a -> b  [word = 'yes']"),
        (Row("a", RowKind.VALUE, "x.flag", True, "b"), "a -> b  [x.flag = True]"),
        (Row("a", RowKind.ERROR, None, "builtins.ValueError", "b"), "a -> b  [error builtins.ValueError]"),
        (Row("a", RowKind.CANCEL, None, None, "b"), "a -> b  [cancel]"),
        (Row("a", RowKind.NEXT, None, None, "b", Bound("n", 3)), "a -> b  [n < 3]"),
        (Row("a", RowKind.NEXT, None, None, "b", Bound("n", 3, spent=True)), "a -> b  [n >= 3]"),
        (Row("a", RowKind.VALUE, "word", 1, "b", Bound("n", Limit("k", 9))), "a -> b  [word = 1, n < min(k, 9)]"),
        (
            Row("a", RowKind.ERROR, None, "builtins.OSError", "a", Bound("n", 1)),
            "a -> a  [error builtins.OSError, n < 1]",
        ),
    ],
)
def test_a_row_reads_as_a_sentence(row: Row, text: str) -> None:
    """Source, target, and in brackets why it is taken."""
    assert str(row) == text
    assert text == f"{row.source} -> {row.target}{row.describe_reason()}"


def test_only_an_error_or_a_cancel_leaves_a_place_unfinished() -> None:
    """Proofs count a place as completed by its other rows."""
    completes = {kind: Row("a", kind, None, None, "b").completes for kind in RowKind}
    assert completes == {RowKind.NEXT: True, RowKind.VALUE: True, RowKind.ERROR: False, RowKind.CANCEL: False}


def test_labels_are_written_as_in_source_code() -> None:
    """Members of enums by class and name, anything else by its `repr`."""
    assert [show_label(value) for value in (Colour.RED, Word.YES, "yes", None, True)] == [
        "Colour.RED", "Word.YES", "'yes'", "None", "True"
    ]  # fmt: skip


def test_rows_are_compared_by_value() -> None:
    """The rows of two graphs that were built alike are equal, hash equal, and survive a pickle."""
    branch = by(
        "colour",
        {Colour.RED: again(mend, count="retries", at_most=limit("budget", cap=2), otherwise=END), None: END},
        on_error={ValueError: mend},
    )

    rows = Graph(State, start=paint, table={paint: branch, mend: END}).rows
    assert rows == Graph(State, start=paint, table={paint: branch, mend: END}).rows
    assert len(set(rows)) == len(rows) == 5
    assert pickle.loads(pickle.dumps(rows)) == rows  # noqa: S301  # our own bytes
    assert [row.bound for row in rows] == [
        Bound("retries", Limit("budget", 2)), Bound("retries", Limit("budget", 2), spent=True), None, None, None
    ]  # fmt: skip
