"""Compiled tables: their rows say everything that a run can do, and their hash and equality follow the rows."""

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from attrs import evolve, frozen, make_class
from attrs import field as attrs_field
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from tests.engine.strategies import Maker, S, Target, Wiring, states, wirings

from transitable import END, FrozenDict, Graph, Row, RowKind, Status, TableError, again, by, limit, then

MAKER = Maker(is_async=False)
QUICK = settings(max_examples=60, deadline=None)
FOUND = settings(phases=[Phase.generate], database=None)


@frozen
class State:
    label: Literal["x", "y"] | None = None
    count: int = 0
    most: int = 1


def first(state: State) -> Mapping[str, object]:
    """Decide."""
    return {"label": "x"}


def second(state: State) -> Mapping[str, object]:
    return {}


def make_table(most: Any = 2) -> dict[Any, Any]:
    bounded = again(first, count="count", at_most=most, otherwise=END)
    return {
        first: by("label", {"x": second, "y": END, None: bounded}, on_error={ValueError: second}),
        second: then(END, on_error={KeyError: END}),
    }


def make_graph(table: dict[Any, Any] | None = None, **arguments: Any) -> Graph[State]:
    return Graph(State, start=first, table=table or make_table(), **arguments)


def test_rows_are_in_the_order_in_which_they_are_written() -> None:
    """One for every label, two for a bounded one, then the error rows, place by place."""
    assert list(map(str, make_graph().rows)) == [
        "first -> second  [label = 'x']",
        "first -> END  [label = 'y']",
        "first -> first  [label = None, count < 2]",
        "first -> END  [label = None, count >= 2]",
        "first -> second  [error builtins.ValueError]",
        "second -> END",
        "second -> END  [error builtins.KeyError]",
    ]


def test_otherwise_stands_for_a_row_of_each_member_without_one() -> None:
    """And cancel rows come last, from every place that `on_cancel` does not lead back to."""
    graph = make_graph({first: by("label", {"y": END}, otherwise=second), second: END}, on_cancel=second)
    assert list(map(str, graph.rows)) == [
        "first -> END  [label = 'y']",
        "first -> second  [label = 'x']",
        "first -> second  [label = None]",
        "first -> second  [cancel]",
        "second -> END",
    ]


@QUICK
@given(wirings(), states)
def test_a_run_takes_rows_of_its_table_only(wiring: Wiring, state: S) -> None:
    """EI-01: every row of a path is one of `graph.rows`, and each starts where the one before led."""
    graph = MAKER.make(wiring)
    run = graph.run(state)
    assert set(run.path) <= set(graph.rows)
    assert run.place == (run.path[-1].target if run.path else graph.table.start.name) or run.status is Status.COMPLETED  # type: ignore[union-attr]
    for before, after in zip(run.path, run.path[1:], strict=False):
        assert before.target == after.source


@QUICK
@given(wirings())
def test_building_twice_gives_equal_graphs(wiring: Wiring) -> None:
    """Places are other objects, and the graphs are equal, with equal hashes and rows."""
    one, other = MAKER.make(wiring), MAKER.make(wiring)
    assert one == other
    assert (hash(one), one.hash, one.rows) == (hash(other), other.hash, other.rows)


@QUICK
@given(wirings(), st.integers(0, 5), st.data())
def test_the_hash_follows_the_rows(wiring: Wiring, number: int, data: st.DataObject) -> None:
    """A row that leads elsewhere changes it, the number of a limit does not."""
    index = data.draw(st.integers(0, len(wiring.spots) - 1))
    spot = wiring.spots[index]
    way = data.draw(st.integers(0, len(spot.ways) - 1))
    target = spot.ways[way]
    graph = MAKER.make(wiring)

    def with_target(changed: Target) -> Wiring:
        ways = (*spot.ways[:way], changed, *spot.ways[way + 1 :])
        spots = (*wiring.spots[:index], evolve(spot, ways=ways), *wiring.spots[index + 1 :])
        return evolve(wiring, spots=spots)

    if target.back is not None and isinstance(target.at_most, int):
        raised = MAKER.make(with_target(evolve(target, at_most=number)))
        assert raised.hash == graph.hash
        assert (raised == graph) == (number == target.at_most)
        elsewhere = with_target(evolve(target, back=None))
    else:
        elsewhere = with_target(evolve(target, back=index, at_most=1))
    try:
        changed = MAKER.make(elsewhere)
    except TableError:  # without that way the plan is not sound any more
        return
    if set(changed.rows) != set(graph.rows):
        assert changed.hash != graph.hash or only_limits_differ(changed.rows, graph.rows)


def only_limits_differ(one: tuple[Row, ...], other: tuple[Row, ...]) -> bool:
    """Tell whether two tables have the same rows apart from the numbers of their limits."""

    def plain(row: Row) -> tuple[object, ...]:
        bound = row.bound
        limited = None if bound is None else (bound.count, bound.spent, getattr(bound.limit, "field", None))
        return row.source, row.kind, row.field, type(row.value), row.value, row.target, limited

    return {plain(row) for row in one} == {plain(row) for row in other}


CHANGED: Mapping[str, Any] = {
    "another target": {first: by("label", {"x": END, "y": second, None: END}), second: END},
    "one row less": {first: by("label", {"x": second, "y": END, None: END}), second: END},
    "a limit from a field": make_table(limit("most", cap=2)),
    "no error row": {**make_table(), second: END},
}


@pytest.mark.parametrize("change", CHANGED)
def test_any_other_row_changes_the_hash(change: str) -> None:
    """Also a limit that comes from a field instead of a number."""
    assert make_graph(CHANGED[change]).hash != make_graph().hash


def test_order_docstrings_and_limits_leave_the_hash_alone() -> None:
    """Only wiring counts."""
    table = make_table(7)
    assert make_graph(dict(reversed(table.items()))).hash == make_graph().hash
    assert make_graph(make_table(limit("most", cap=1))).hash == make_graph(make_table(limit("most", cap=9))).hash


def test_the_hash_is_the_same_in_every_process() -> None:
    """It does not depend on the seed of Python's own hashes."""
    code = (
        "from typing import Literal; import attrs, enum; from transitable import *\n"
        "class Way(enum.StrEnum):\n    LEFT = 'l'\n    RIGHT = 'r'\n"
        "@attrs.frozen\nclass State:\n    way: Way | None = None\n    flag: Literal['a', 'b'] = 'a'\n"
        "def go(state) -> dict: return {}\ndef halt(state) -> dict: return {}\n"
        "table = {go: by('way', {Way.LEFT: halt, Way.RIGHT: END, None: END}), halt: by('flag', {'a': END}, otherwise=END)}\n"
        "print(Graph(State, start=go, table=table).hash)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1
    assert len(printed.pop().strip()) == 64


def test_labels_that_python_takes_for_equal_are_told_apart_in_the_hash() -> None:
    """`1` and `True`, `"1"` and `1` are other labels."""

    def graph_of(label: object) -> str:
        made: Any = make_class("Labelled", {"label": attrs_field(type=Literal[label])}, frozen=True)  # type: ignore[valid-type]

        def decide(state: Any) -> Mapping[str, object]:
            return {"label": label}

        return Graph(made, start=decide, table={decide: by("label", {label: END})}).hash

    assert len({graph_of(label) for label in (1, True, "1", "True", b"1")}) == 5


def test_graphs_differ_by_name_class_and_claims() -> None:
    """Equality is more than wiring; something that is no graph is never equal."""

    @frozen
    class Other:
        label: Literal["x", "y"] | None = None
        count: int = 0
        most: int = 1

    graph = make_graph()
    assert graph != make_graph(name="other")
    assert graph != Graph(Other, start=first, table=make_table())  # type: ignore[type-var, arg-type, dict-item]
    assert graph != "graph"
    assert repr(graph) == "<Graph 'State': 2 places, 7 rows, 0 claims>"


def test_nothing_can_be_changed_after_it_is_built() -> None:
    """Neither the graph, nor its table; and the mapping that it was written with is a copy."""
    table = make_table()
    graph = make_graph(table)
    before = graph.hash, graph.rows
    table.clear()
    assert (graph.hash, graph.rows) == before
    for thing, name in ((graph, "table"), (graph.table, "rows"), (graph.rows[0], "target")):
        with pytest.raises(AttributeError):
            setattr(thing, name, None)
    assert isinstance(graph.table.places, FrozenDict)


def test_rows_can_be_matched_and_told() -> None:
    """A row completes its place unless it is an error or cancel row; a limit from a field is told with its cap."""
    graph = make_graph(make_table(limit("most", cap=3)), on_cancel=second)
    assert {row.kind for row in graph.rows if not row.completes} == {RowKind.ERROR, RowKind.CANCEL}
    bounded = next(row for row in graph.rows if row.bound)
    assert bounded.bound is not None
    assert bounded.bound.most == 3
    assert str(bounded) == "first -> first  [label = None, count < min(most, 3)]"


def test_wirings_reach_every_kind_of_row() -> None:
    """The strategy that other tests rest on draws bounded, branching and error rows."""

    def has(wiring: Wiring, kind: RowKind, *, bounded: bool) -> bool:
        rows = MAKER.make(wiring).rows
        return any(row.kind is kind and (row.bound is not None) == bounded for row in rows)

    for kind in (RowKind.NEXT, RowKind.VALUE, RowKind.ERROR):
        for bounded in (False, True):
            find(
                wirings(depth=1),
                lambda wiring, kind=kind, bounded=bounded: has(wiring, kind, bounded=bounded),
                settings=FOUND,
            )
