"""Places as they are written: what each of them refuses as soon as it is built, and what it is called."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from typing import Any, TypedDict

import attrs
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import END, Graph, Retry, TableError, each, field, node, pause, subgraph, together
from transitable.errors import PlaceError
from transitable.model.nodes import Field, has_table, is_place_object, name_of


@frozen
class State:
    number: int = 0
    items: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    answer: bool | None = None


@frozen
class Child:
    item: int = 0


class Number(TypedDict):
    number: int


class Worker:
    def method(self, state: State) -> None: ...

    def __call__(self, state: State) -> None: ...


class Named(Worker):
    name = "named"


def work(state: State) -> None: ...


def count(state: State) -> Number:
    return {"number": 1}


def double(item: int) -> int:
    return item * 2


def grow(child: Child) -> None: ...


graph = Graph(State, start=work, table={work: END}, name="inner")
child_graph = Graph(Child, start=grow, table={grow: END}, name="child")
NUMBERS: Any = [None, "1", True, math.nan, math.inf, -math.inf, 1j, [1]]


# -- retries


def show_without_address(value: object) -> str:
    """Name a parameter the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


@pytest.mark.parametrize("value", [*NUMBERS, 0, -1, 1.0, 1.5])
def test_attempts_are_a_whole_number_from_one(value: Any) -> None:
    """The first attempt is one of them."""
    with pytest.raises(PlaceError, match=r"Retry\(attempts=...\): found .*; expected a whole number of at least 1"):
        Retry(value)


@pytest.mark.parametrize("name", ["wait", "factor", "longest", "jitter"])
@pytest.mark.parametrize("value", [*NUMBERS, -1, -0.001])
def test_waits_are_finite_numbers_from_zero(name: str, value: Any) -> None:
    """Every number of the policy."""
    with pytest.raises(PlaceError, match=rf"Retry\({name}=...\): found .*; expected a finite number of at least 0"):
        Retry(2, **{name: value})


@pytest.mark.parametrize("on", [ValueError, [ValueError], (ValueError(),), (int,), (BaseException,), (KeyboardInterrupt,), ("ValueError",), None])  # fmt: skip
def test_a_retry_is_for_exceptions(on: Any) -> None:
    """A tuple of classes of `Exception`: what ends a program is never tried again."""
    with pytest.raises(PlaceError, match=r"Retry\(on=...\): found .*; expected a tuple of Exception classes"):
        Retry(2, on=on)


@given(st.integers(min_value=1), st.floats(min_value=0, allow_infinity=False, allow_nan=False))
def test_any_other_number_is_taken(attempts: int, wait: float) -> None:
    """Of any size; a whole number has no largest one."""
    retry = Retry(attempts, on=(OSError, ValueError), wait=wait, factor=attempts, longest=wait, jitter=wait)
    assert (retry.attempts, retry.factor) == (attempts, attempts)
    assert Retry(1) == Retry(1, on=(Exception,), wait=0.0, factor=2.0, longest=60.0, jitter=0.0)


def test_a_number_that_no_float_holds_is_taken() -> None:
    """Whole numbers have no largest one, and none is too large to be compared."""
    assert Retry(10**400, wait=10**400).wait == 10**400
    with pytest.raises(PlaceError, match="found -1000"):
        Retry(-(10**400))


# -- node


@pytest.mark.parametrize("function", [None, "work", 5, State, int, graph, pause("p", question="?", answer=bool, into="answer")])  # fmt: skip
def test_a_node_is_of_a_callable(function: Any) -> None:
    """Not of a class, which would be built, nor of a place."""
    with pytest.raises(PlaceError, match=r"node\(...\): found .*; expected a function, method or other callable"):
        node(function)


@pytest.mark.parametrize("function", [lambda state: None, functools.partial(work), Worker()])
def test_a_node_has_a_name(function: Any) -> None:
    """Of its own where the function has none that can be read."""
    with pytest.raises(PlaceError, match=r"which has no name; expected name='...'"):
        node(function)
    with pytest.raises(PlaceError, match="which has no name"):
        node(function, name="")
    assert name_of(node(function, name="own")) == "own"


@pytest.mark.parametrize("timeout", [*NUMBERS[1:], 0, -1, 1e-9])
def test_a_time_out_is_a_number_of_seconds(timeout: Any) -> None:
    """Above nothing."""
    with pytest.raises(
        PlaceError, match=r"timeout of node 'work': found .*; expected a finite number of at least 1e-06"
    ):
        node(work, timeout=timeout)


@pytest.mark.parametrize("retry", [3, True, (2,), {"attempts": 2}])
def test_a_policy_is_a_retry(retry: Any) -> None:
    """Not a number of attempts."""
    with pytest.raises(PlaceError, match=r"retry of node 'work': found .*; expected Retry\(attempts=...\)"):
        node(work, retry=retry)


# -- each


@pytest.mark.parametrize("at_once", [*NUMBERS, 0, -1, 1.0])
def test_items_run_at_least_one_at_once(at_once: Any) -> None:
    """A concurrency of 0 would never start."""
    with pytest.raises(PlaceError, match=r"at_once of each 'double': found .*; expected a whole number of at least 1"):
        each("items", double, into="results", at_once=at_once)


@pytest.mark.parametrize("name", [None, ["items"], field("items"), 5])
def test_items_and_results_are_fields_by_name(name: Any) -> None:
    """Not the items themselves."""
    with pytest.raises(
        PlaceError, match=r"the items of each 'double': found .*; expected the name of a field, as text"
    ):
        each(name, double, into="results")
    with pytest.raises(PlaceError, match=r"into= of each 'double': found .*; expected the name of a field, as text"):
        each("items", double, into=name)


@pytest.mark.parametrize("worker", [None, 5, "double", together(work, count), pause("p", question="?", answer=bool, into="answer")])  # fmt: skip
def test_a_worker_is_a_function_a_node_or_a_graph(worker: Any) -> None:
    """Not another kind of place."""
    with pytest.raises(PlaceError, match=r"the worker of each 'all': found .*; expected a function"):
        each("items", worker, into="results", name="all")


def test_a_worker_has_a_name() -> None:
    """Or the place is given one."""
    with pytest.raises(PlaceError, match=r"each\(...\): found <function .*, which has no name; expected name='...'"):
        each("items", lambda item: item, into="results")
    assert [name_of(each("items", one, into="results")) for one in (double, node(double, name="twice"))] == ["double", "twice"]  # fmt: skip


def test_only_a_graph_is_entered_and_left() -> None:
    """`enter` is needed for a graph, and neither is for a function."""
    with pytest.raises(PlaceError, match=r"each 'child' over a graph: found no enter=; expected enter=\(state, item\)"):
        each("items", child_graph, into="results")  # type: ignore[call-overload]  # wrong on purpose
    for named in ({"enter": double}, {"leave": double}):
        with pytest.raises(PlaceError, match="each 'double' over a function: found enter= or leave=; expected neither"):
            each("items", double, into="results", **named)  # type: ignore[call-overload]  # wrong on purpose
    assert name_of(each("items", child_graph, into="results", enter=lambda state, item: Child(item))) == "child"


# -- together, pause, subgraph


@pytest.mark.parametrize("places", [(), (work,)])
def test_at_least_two_stand_together(places: Any) -> None:
    """One place stands for itself."""
    with pytest.raises(PlaceError, match=rf"together\(...\): found {len(places)} place\(s\); expected at least two"):
        together(*places)


def test_parts_have_names() -> None:
    """The place is called after them, unless it has a name of its own."""
    with pytest.raises(PlaceError, match=r"together\(...\): found <function .*, which has no name; expected node\("):
        together(work, lambda state: None)
    assert name_of(together(work, count)) == "work+count"
    assert name_of(together(work, count, name="both")) == "both"


@pytest.mark.parametrize("name", ["", "  ", None, 5])
def test_a_pause_has_a_name(name: Any) -> None:
    """It is part of the id of every question."""
    with pytest.raises(PlaceError, match=r"pause\(...\): found .*; expected a name that is not blank"):
        pause(name, question="?", answer=bool, into="answer")


@pytest.mark.parametrize("question", [None, 5, ["?"], lambda state: "?"])
def test_a_question_is_a_text_or_a_field(question: Any) -> None:
    """Data, so that it can be stored."""
    with pytest.raises(PlaceError, match=r"the question of pause 'ask': found .*; expected a text or field\('name'\)"):
        pause("ask", question=question, answer=bool, into="answer")


def test_an_answer_goes_into_a_field_by_name() -> None:
    """As the results of `each` do."""
    with pytest.raises(PlaceError, match=r"into= of pause 'ask': found .*; expected the name of a field, as text"):
        pause("ask", question="?", answer=bool, into=field("answer"))  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("thing", [None, work, State, "inner", graph.table])
def test_a_sub_graph_is_a_graph(thing: Any) -> None:
    """Not a table, which may not have passed its checks."""
    with pytest.raises(PlaceError, match=r"subgraph\(...\): found .*; expected a Graph"):
        subgraph(thing)


@pytest.mark.parametrize("named", [{"enter": work}, {"leave": work}])
def test_a_sub_graph_is_entered_and_left(named: Any) -> None:
    """Both, or neither."""
    with pytest.raises(PlaceError, match="subgraph 'inner': found one of enter= and leave=; expected both, or neither"):
        subgraph(graph, **named)


def test_a_sub_graph_is_called_after_its_graph() -> None:
    """Unless it has a name of its own."""
    assert name_of(subgraph(graph)) == "inner"
    assert name_of(subgraph(graph, name="own")) == "own"


# -- names and kinds


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (work, "work"),
        (Worker().method, "method"),
        (graph, "inner"),
        (node(work), "work"),
        (Named(), "named"),
        (lambda state: None, None),
        (functools.partial(work), None),
        (Worker(), None),
        (None, None),
        (5, None),
    ],
)
def test_things_are_called_by_their_own_name(thing: Any, name: str | None) -> None:
    """Of a function, method, place or graph; None where there is none to use."""
    assert name_of(thing) == name


def test_places_and_graphs_are_told_from_functions() -> None:
    """A graph by what it has, since the model knows no graph."""
    assert has_table(graph)
    assert not any(map(has_table, (work, Worker().method, node(work), State, None)))
    assert all(map(is_place_object, (graph, node(work), together(work, count), subgraph(graph), each("items", double, into="results"))))  # fmt: skip
    assert not any(map(is_place_object, (work, Worker(), field("items"), END)))


def test_places_are_compared_by_identity() -> None:
    """Two places of one function are two; a `Retry` and a `field` are values."""
    assert node(work) != node(work)
    assert together(work, count) != together(work, count)
    assert Retry(2) == Retry(2)
    assert field("items") == Field("items")


def test_places_do_not_change() -> None:
    """Each is frozen once it is built."""
    made: Any = [node(work), each("items", double, into="results"), together(work, count), subgraph(graph),
                 pause("p", question="?", answer=bool, into="answer"), Retry(1), field("items")]  # fmt: skip
    for place in made:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(place, attrs.fields(type(place))[0].name, None)


# -- what runs at a place, and what it declares


def undeclared(state: State) -> Mapping[str, object]:
    return {"number": 1}


def codes_of(place: Any, state_class: Any = State) -> tuple[str, ...]:
    with pytest.raises(TableError) as caught:
        Graph(state_class, start=place, table={place: END})
    return caught.value.codes


@pytest.mark.parametrize(
    ("place", "code", "words"),
    [
        (each("nope", double, into="results"), "each-items", "reads 'nope', which is no field"),
        (each("number", double, into="results"), "each-items", "reads 'number', which is int"),
        (each("items", double, into="nope"), "each-into", "writes into 'nope', which is no field"),
        (each("items", double, into="number"), "each-into", "writes into 'number', which is int"),
        (each("items", lambda: 1, into="results", name="all"), "bad-signature", "takes 0 arguments"),
        (pause("ask", question="?", answer=bool, into="nope"), "unknown-write", "no field of State"),
        (pause("ask", question="?", answer=str, into="answer"), "wrong-write-type", "the field is bool"),
        (child_graph, "subgraph-state", "has the state class Child"),
        (subgraph(child_graph), "subgraph-state", "has the state class Child"),
        (subgraph(child_graph, enter=lambda state: Child(), leave=double), "bad-return", "annotated to return int"),
    ],
    ids=show_without_address,
)
def test_what_a_place_cannot_do_is_a_finding(place: Any, code: str, words: str) -> None:
    """With the place's name and what was found; the place itself could be built."""
    with pytest.raises(TableError, match=words) as caught:
        Graph(State, start=place, table={place: END})
    assert code in caught.value.codes


class Wrong(TypedDict):
    nope: int
    double: int
    number: complex
    items: str


def test_everything_that_a_node_declares_wrongly_is_told() -> None:
    """A field that is not there, one that the class sets itself, a type that no state can have, and one that never fits."""

    @frozen
    class Derived:
        number: int = 0
        items: tuple[int, ...] = ()
        double: int = attrs.field(init=False, default=0)

    def write(state: Derived) -> Wrong: ...  # type: ignore[empty-body]  # never called

    with pytest.raises(TableError) as caught:
        Graph(Derived, start=write, table={write: END})
    told = [(finding.code, finding.found) for finding in caught.value.findings]
    expected = [
        ("unknown-write", "'write' declares to write 'nope', which is no field of Derived"),
        ("unknown-write", "'write' declares to write 'double', which Derived sets itself (init=False)"),
        (
            "wrong-write-type",
            "'write' declares to write 'number' as complex, a class that the engine cannot check or store",
        ),
        ("wrong-write-type", "'write' declares to write 'items' as str"),
    ]
    assert told == expected


def declared_by(place: Any) -> list[str] | None:
    declared = Graph(State, start=place, table={place: END}).table.places[name_of(place) or ""].declared
    return None if declared is None else list(declared)


def leave(state: State, child: Child) -> Number:
    return {"number": child.item}


def note_number(state: State, failure: object, row: object) -> Number:
    return {"number": 1}


@pytest.mark.parametrize(
    ("place", "fields"),
    [
        (work, []),
        (count, ["number"]),
        (undeclared, None),
        (each("items", double, into="results"), ["results"]),
        (together(work, count), ["number"]),
        (together(count, work, each("items", double, into="results")), ["number", "results"]),
        (pause("ask", question="?", answer=bool, into="answer"), ["answer"]),
        (graph, []),
        (Graph(State, start=count, table={count: END}, name="counts"), ["number"]),
        (Graph(State, start=undeclared, table={undeclared: END}, name="anything"), None),
        (Graph(State, start=work, table={work: END}, note=note_number, name="notes"), ["number"]),
        (Graph(State, start=work, table={work: END}, note=lambda state, failure, row: {}, name="lambda"), None),
        (subgraph(child_graph, enter=lambda state: Child(), leave=leave), ["number"]),
        (subgraph(child_graph, enter=lambda state: Child(), leave=lambda state, child: {}), None),
    ],
    ids=show_without_address,
)
def test_what_a_place_declares_to_write(place: Any, fields: list[str] | None) -> None:
    """Its annotation, its results, its parts, or the graph inside with its note; None for anything."""
    assert declared_by(place) == fields


@pytest.mark.parametrize(
    ("written", "wanted", "fits"),
    [
        (bool, bool | None, True),
        (bool | None, bool, False),
        (int, float, True),
        (int | str, str | None, True),
        (int, str, False),
        (str, bool, False),
        (list[str], tuple[str, ...], True),
        (None, bool | None, True),
        (None, str, False),
        (str, tuple[str, ...], False),
        (list[str], str, False),
        (list[str], bool, False),
        (list[str], frozenset[str], False),
        (set[str], frozenset[str], True),
        (dict[str, int], Mapping[str, int], True),
        (dict[str, int], tuple[str, ...], False),
        (tuple[int, int], tuple[int, ...], True),
        (Child, Child, True),
        (Child, State, False),
        (Child, Child | State, True),
        (Child | State, Child, True),
        (list[int], Any, True),
        (Any, tuple[int, ...], True),
    ],
    ids=show_without_address,
)
def test_a_declared_type_fits_the_field_when_some_value_does(written: Any, wanted: Any, fits: bool) -> None:
    """Of closed types every member has to; what cannot be known before the run is left to it."""
    state_class: Any = attrs.make_class("Made", {"value": attrs.field(type=wanted)}, frozen=True)

    def write(state: Any) -> Any: ...

    write.__annotations__["return"] = TypedDict("Value", {"value": written})  # type: ignore[operator, misc]  # made at run time
    if fits:
        assert list(Graph(state_class, start=write, table={write: END}).table.places["write"].declared or ()) == [
            "value"
        ]
    else:
        assert codes_of(write, state_class) == ("wrong-write-type",)
