"""Tables: what is compiled of what was written, what cannot be resolved, the hash of the wiring, and that nothing changes.

Most tests compile without the checks, because a table is the value that the checks look at.
"""

from __future__ import annotations

import copy
import enum
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import attrs
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import END, Graph, again, by, each, grows, limit, node, pause, precedes, subgraph, then, together
from transitable.errors import FrozenError
from transitable.model.compiler import compile_table
from transitable.model.rows import Bound, Limit, Row, RowKind
from transitable.model.state import describe_state
from transitable.model.table import Place, Table, branch_shape, identify, name_class

Label = Literal["x", "y"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@frozen
class State:
    label: Label | None = None
    colour: Colour = Colour.RED
    flag: bool = False
    loops: int = 0
    rounds: int = 0
    most: int = 3
    text: str = ""
    items: tuple[int, ...] = ()
    log: tuple[str, ...] = grows()


class Labelled(TypedDict):
    label: Label | None


class Narrow(TypedDict):
    label: Literal["x"]


def first(state: State) -> Labelled:
    return {"label": "x"}


def second(state: State) -> Labelled:
    return {"label": "y"}


def third(state: State) -> None: ...


def narrow(state: State) -> Narrow:
    return {"label": "x"}


def anything(state: State) -> Mapping[str, object]:
    return {}


async def later(state: State) -> None: ...


def compile_it(written: Mapping[Any, Any], start: Any = first, **named: Any) -> Table:
    return compile_table(describe_state(State), start, written, **named)


def problems_of(written: Mapping[Any, Any], start: Any = first, **named: Any) -> list[tuple[str, tuple[str, ...]]]:
    return [(problem.code, problem.places) for problem in compile_it(written, start, **named).problems]


# -- rows


def test_every_way_becomes_a_row() -> None:
    """Values in the order they were written, then errors, then cancel; a bounded row is followed by its other arm."""
    bounded = again(first, count="loops", at_most=2, otherwise=third)
    table = compile_it(
        {
            first: by("label", {"x": second, "y": bounded, None: END}, on_error={ValueError: third, OSError: END}),
            second: then(END),
            third: END,
        },
        on_cancel=third,
    )
    assert list(map(str, table.rows)) == [
        "first -> second  [label = 'x']",
        "first -> first  [label = 'y', loops < 2]",
        "first -> third  [label = 'y', loops >= 2]",
        "first -> END  [label = None]",
        "first -> third  [error builtins.ValueError]",
        "first -> END  [error builtins.OSError]",
        "first -> third  [cancel]",
        "second -> END",
        "second -> third  [cancel]",
        "third -> END",
    ]
    assert table.counts == {"loops": 2}
    assert table.count_positions == (3,)
    assert [str(arc.row) for arc in table.places["first"].ways()] == list(map(str, table.rows[:7]))
    assert table.problems == ()


def test_otherwise_stands_for_every_member_without_a_row() -> None:
    """Of the type that the place declares to write; no member left adds nothing."""
    wide = compile_it({first: by("label", {"x": END}, otherwise=third), third: END})
    assert [row.value for row in wide.rows if row.source == "first"] == ["x", "y", None]
    declared = compile_it({narrow: by("label", {}, otherwise=END)}, narrow)
    assert [row.value for row in declared.rows] == ["x"]
    free = compile_it({anything: by("colour", {Colour.BLUE: END}, otherwise=END)}, anything)
    assert [row.value for row in free.rows] == [Colour.BLUE, Colour.RED]
    open_type = compile_it({anything: by("text", {"a": END}, otherwise=END)}, anything)
    assert [row.value for row in open_type.rows] == ["a"]
    unknown = compile_it({anything: by("nope", {"a": END}, otherwise=END)}, anything)
    assert ([row.value for row in unknown.rows], unknown.places["anything"].index) == (["a"], -1)


def test_a_count_is_bounded_by_the_largest_of_its_limits() -> None:
    """Rows that name one count share it; a limit counts with its cap."""
    table = compile_it({
        first: again(first, count="loops", at_most=2, otherwise=second),
        second: again(first, count="loops", at_most=limit("most", cap=7), otherwise=third),
        third: again(first, count="rounds", at_most=1, otherwise=END),
    })  # fmt: skip
    assert table.counts == {"loops": 7, "rounds": 1}
    arc = table.places["second"].arc
    assert arc is not None
    assert (arc.limit, arc.limit_field, arc.count) == (7, 5, 3)
    assert repr(arc) == "Arc(second -> first  [loops < min(most, 7)])"
    assert "loops" not in table.places["first"].slots


def test_cancel_rows_lead_from_every_place_that_the_target_cannot_reach() -> None:
    """So a run that is cancelled goes there once; the target's own way goes on undisturbed."""
    table = compile_it({first: second, second: END, third: narrow, narrow: END}, on_cancel=third)
    assert {row.source: row.target for row in table.rows if row.kind is RowKind.CANCEL} == {"first": "third", "second": "third"}  # fmt: skip
    assert table.cancel_target is table.find(third)
    looping = compile_it({first: by("label", {"x": third, "y": END, None: END}), third: first}, on_cancel=third)
    assert not any(row.kind is RowKind.CANCEL for row in looping.rows)


def test_what_a_branch_reads_as_given_is_closed_to_who_declares_nothing() -> None:
    """And to `note`; so are counts and what the class sets itself."""
    branch = by(
        "colour", {Colour.RED: END, Colour.BLUE: again(third, count="loops", at_most=1, otherwise=END)}, given=True
    )
    table = compile_it({anything: branch, third: END}, anything)
    assert set(describe_state(State).names) - set(table.places["anything"].slots) == {"colour", "loops"}
    assert table.note_slots.keys() == table.places["anything"].slots.keys()


def test_the_branch_has_the_type_that_the_place_declares() -> None:
    """Narrower than the field's where it says so; None where there is no branch."""
    table = compile_it({narrow: by("label", {"x": first}), first: by("label", {}, otherwise=END), third: END}, narrow)
    members = {
        name: shape.members() if (shape := branch_shape(place)) else None for name, place in table.places.items()
    }
    assert members == {"narrow": ("x",), "first": ("x", "y", None), "third": None}


# -- what cannot be resolved


class Callables:
    def __call__(self, state: State) -> None: ...


def named_end(state: State) -> None: ...


named_end.__name__ = "END"


def show_without_address(value: object) -> str:
    """Name a parameter the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        (END, ("not-a-place", ("End.END",))),
        ("first", ("not-a-place", ("first",))),
        (State, ("not-a-place", (str(State),))),
        (5, ("not-a-place", ("5",))),
        (named_end, ("bad-name", ("END",))),
        (node(third, name="END"), ("bad-name", ("END",))),
        (node(third, name="first"), ("duplicate-name", ("first",))),
    ],
    ids=show_without_address,
)
def test_what_is_no_place_is_told(key: Any, problem: Any) -> None:
    """As a key and as a target; the rest of the table is compiled all the same."""
    table = compile_it({first: END, key: END})
    assert [(each.code, each.places) for each in table.problems] == [problem]
    assert list(table.places) == ["first"]
    if key is not END:
        assert problem in problems_of({first: key})


@pytest.mark.parametrize("thing", [lambda state: None, Callables()])
def test_what_has_no_name_is_told(thing: Any) -> None:
    """A lambda, or an object that is called; `node` gives it one."""
    ((code, _),) = problems_of({first: END, thing: END})
    assert code == "bad-name"
    assert problems_of({first: node(thing, name="named"), node(thing, name="other"): END})[0][0] == "dead-end"


@pytest.mark.parametrize(
    ("written", "named", "problems"),
    [
        ({}, {}, [("empty-table", ())]),
        ({first: END}, {"start": None}, [("no-start", ())]),
        ({first: END}, {"start": END}, [("no-start", ())]),
        ({first: END}, {"start": second}, [("dead-end", ("second",))]),
        ({first: second}, {}, [("dead-end", ("second",))]),
        ({first: END}, {"on_cancel": END}, [("not-a-place", ("END",))]),
        ({first: END}, {"on_cancel": second}, [("dead-end", ("second",))]),
        ({first: None}, {}, [("not-a-place", ("first",))]),
        ({first: by("label", {"x": None})}, {}, [("not-a-place", ("first",))]),
        ({first: by("label", {"x": then(END)})}, {}, [("not-a-place", ("first",))]),
        ({first: by("label", {"x": by("label", {})})}, {}, [("not-a-place", ("first",))]),
        ({first: then(END, on_error={ValueError: then(END)})}, {}, [("not-a-place", ("first",))]),
        ({first: then(then(END))}, {}, [("not-a-place", ("first",))]),
    ],
)
def test_what_leads_nowhere_is_told(written: Any, named: Any, problems: Any) -> None:
    """With the place that it is written at, or the place that has no entry."""
    assert problems_of(written, **named) == problems


@pytest.mark.parametrize(
    ("count", "most", "codes"),
    [
        ("nope", 1, ["bad-count"]),
        ("text", 1, ["bad-count"]),
        ("flag", 1, ["bad-count"]),
        ("loops", -1, ["bad-limit"]),
        ("loops", True, ["bad-limit"]),
        ("loops", 1.5, ["bad-limit"]),
        ("loops", None, ["bad-limit"]),
        ("loops", limit("most", cap=-1), ["bad-limit"]),
        ("loops", limit("nope", cap=1), ["bad-limit"]),
        ("loops", limit("text", cap=1), ["bad-limit"]),
        ("text", limit("text", cap=-1), ["bad-count", "bad-limit", "bad-limit"]),
    ],
)
def test_a_bound_that_cannot_be_one_is_told(count: str, most: Any, codes: list[str]) -> None:
    """Everything that is wrong with it at once; the rows are there, and nothing is counted."""
    table = compile_it({first: again(first, count=count, at_most=most, otherwise=END)})
    assert [problem.code for problem in table.problems] == codes
    assert [row.target for row in table.rows] == ["first", "END"]
    assert table.counts == {}


def test_a_bound_that_leads_nowhere_is_told() -> None:
    """Either arm; then there is no way, so that nothing runs it."""
    for targets in ((None, END), (END, None)):
        table = compile_it({first: again(targets[0], count="loops", at_most=1, otherwise=targets[1])})
        assert [problem.code for problem in table.problems] == ["not-a-place"]
        assert table.rows == ()


def test_all_problems_are_kept() -> None:
    """A table never refuses; the checks report everything together."""
    written = {first: by("label", {"x": None, "y": second}), "third": END, END: END}
    assert [code for code, _ in problems_of(written, start=None, on_cancel=END)] == [
        "not-a-place", "not-a-place", "not-a-place", "dead-end", "no-start", "not-a-place"
    ]  # fmt: skip


def test_an_error_row_of_no_class_is_kept_for_the_checks() -> None:
    """By its text; the checks see the key itself."""
    table = compile_it({first: then(END, on_error={"ValueError": END})})
    assert list(table.places["first"].errors) == ["'ValueError'"]
    assert table.places["first"].on_error_keys == ("ValueError",)


# -- places by identity


class Worker:
    def __init__(self, name: str) -> None:
        self.name = name

    def method(self, state: State) -> None: ...

    def other(self, state: State) -> None: ...

    @classmethod
    def of_class(cls, state: State) -> None: ...

    @staticmethod
    def static(state: State) -> None: ...


def test_a_bound_method_is_known_by_its_object_and_function() -> None:
    """Each look-up makes a new method object, which is the same place; that of another object is another place."""
    one, two = Worker("one"), Worker("two")
    table = compile_it({one.method: one.other, one.other: END}, one.method)
    assert table.problems == ()
    assert table.start is table.find(one.method) is table.places["method"]
    assert table.find(two.method) is None
    assert identify(one.method) == identify(one.method) != identify(two.method)
    assert identify(Worker.of_class) == identify(one.of_class)
    assert problems_of({one.method: two.method, two.method: END}, one.method)[0][0] == "duplicate-name"


def test_a_static_method_is_a_function() -> None:
    """Also the object that stands in the body of its class."""
    inside = Worker.__dict__["static"]
    for thing in (Worker.static, inside):
        table = compile_it({thing: END}, thing)
        assert table.problems == ()
        assert table.find(thing) is table.places["static"]


def test_two_nodes_of_one_function_are_two_places() -> None:
    """Names tell them apart; the function itself is a third."""
    one, two = node(third, name="one"), node(third, name="two")
    table = compile_it({one: two, two: third, third: END}, one)
    assert table.problems == ()
    assert [place.name for place in (table.find(one), table.find(two), table.find(third)) if place] == ["one", "two", "third"]  # fmt: skip
    assert table.find(node(third, name="one")) is None
    assert [repr(place) for place in table.places.values()] == ["Place('one')", "Place('two')", "Place('third')"]


def test_classes_are_named_by_module() -> None:
    """As error rows are matched, on every machine alike."""
    assert name_class(ValueError) == "builtins.ValueError"
    assert name_class(Worker) == f"{__name__}.Worker"


def test_the_first_async_place_is_named() -> None:
    """Also inside other places, with the way to it."""
    inner = Graph(State, start=third, table={third: later, later: END}, name="inner")
    over = Graph(State, start=later, table={later: END}, name="over")
    assert compile_it({first: END}).async_name is None
    assert compile_it({first: later, later: END}).async_name == "later"
    assert compile_it({inner: END}, inner).async_name == "inner/later"
    both = together(third, later)
    assert compile_it({both: END}, both).async_name == "later"
    around = together(third, over, name="around")
    assert compile_it({around: END}, around).async_name == "over/later"
    fan = each("items", over, into="items", enter=lambda state, item: state, leave=lambda state, child: 1, name="fan")
    assert compile_it({fan: END}, fan).async_name == "fan/later"


# -- the hash

NAMES = ("a", "b", "c")
PLACES: dict[str, Any] = {name: node(first, name=name) for name in NAMES}
targets = st.sampled_from([*NAMES, "END"])
bounds = st.tuples(st.sampled_from(["loops", "rounds"]), st.integers(0, 3) | st.just("most"))
ways = targets | st.tuples(targets, bounds, targets)
entries = st.fixed_dictionaries(
    {"branch": st.none() | st.fixed_dictionaries({"x": ways, "y": ways, "none": ways}), "way": ways},
    optional={"error": st.tuples(st.sampled_from([ValueError, OSError]), ways)},
)
plans = st.fixed_dictionaries(dict.fromkeys(NAMES, entries))


def make_target(way: Any) -> Any:
    if isinstance(way, str):
        return PLACES.get(way, END)
    there, (count, most), otherwise = way
    at_most = limit("most", cap=3) if most == "most" else most
    return again(make_target(there), count=count, at_most=at_most, otherwise=make_target(otherwise))


def make_entry(entry: Any, order: Callable[[Any], Any]) -> Any:
    errors = {cls: make_target(way) for cls, way in [entry["error"]]} if "error" in entry else None
    if entry["branch"] is None:
        return then(make_target(entry["way"]), on_error=errors)
    rows = {None if label == "none" else label: make_target(way) for label, way in order(entry["branch"].items())}
    return by("label", rows, on_error=errors)


def make_table(plan: Any, order: Callable[[Any], Any] = list) -> Table:
    return compile_it({PLACES[name]: make_entry(entry, order) for name, entry in order(plan.items())}, PLACES["a"])


def strip_number(row: Row) -> Row:
    """Leave the number of a limit out of a row; that of a field keeps the field."""
    if row.bound is None:
        return row
    most = Limit(row.bound.limit.field, 0) if isinstance(row.bound.limit, Limit) else 0
    return evolve(row, bound=Bound(row.bound.count, most, row.bound.spent))


@given(plans)
def test_the_order_of_writing_does_not_change_the_hash(plan: Any) -> None:
    """Neither that of the table nor that of a branch."""
    table, turned = make_table(plan), make_table(plan, lambda items: list(items)[::-1])
    assert set(table.rows) == set(turned.rows)
    assert table.hash == turned.hash


@given(plans, plans)
def test_tables_hash_equal_exactly_if_their_rows_are_equal(plan: Any, other: Any) -> None:
    """Any row changes the hash, and the number of a limit never does."""
    left, right = make_table(plan), make_table(other)
    same = set(map(strip_number, left.rows)) == set(map(strip_number, right.rows))
    assert (left.hash == right.hash) is same


@given(plans, st.sampled_from(NAMES), st.data())
def test_every_single_row_changes_the_hash(plan: Any, name: str, data: st.DataObject) -> None:
    """One target that is another one is another wiring."""
    entry = plan[name]
    where = data.draw(st.sampled_from(list(entry["branch"]))) if entry["branch"] else None
    old = entry["branch"][where] if where else entry["way"]
    new = data.draw(targets.filter(lambda target: target != old))
    changed = {**plan, name: {**entry, "branch": {**entry["branch"], where: new}} if where else {**entry, "way": new}}
    assert make_table(plan).hash != make_table(changed).hash


@given(plans, st.integers(0, 9))
def test_the_number_of_a_limit_does_not_change_the_hash(plan: Any, number: int) -> None:
    """Changing how often is not changing the wiring."""

    def renumber(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: renumber(item) for key, item in part.items()}
        if isinstance(part, tuple):
            return tuple(map(renumber, part))
        return number if type(part) is int else part

    assert make_table(plan).hash == make_table(renumber(plan)).hash


def test_start_kinds_and_what_is_inside_change_the_hash() -> None:
    """The first place, what a place is made of, and the tables and parts inside."""
    one = Graph(State, start=third, table={third: END}, name="inner")
    two = Graph(State, start=first, table={first: third, third: END}, name="inner")
    parts = [
        one, two, subgraph(one), node(third, name="inner"),
        together(first, third, name="inner"), together(third, first, name="inner"), together(first, one, name="inner"),
        together(first, two, name="inner"), each("items", abs, into="items", name="inner"),
    ]  # fmt: skip
    hashes = [compile_it({part: END}, part).hash for part in parts]
    assert len(set(hashes)) == len(parts)
    starts = [compile_it({first: END, second: END}, start).hash for start in (first, second, None)]
    assert len(set(starts)) == 3


def test_names_that_are_not_wiring_do_not_change_the_hash() -> None:
    """Neither the graph's name nor a branch's, its policies, note or invariants."""
    plain = compile_it({first: by("label", {}, otherwise=END)}).hash
    assert plain == compile_it({first: by("label", {}, otherwise=END, name="route")}, name="other", note=anything).hash
    assert plain == compile_it({first: by("label", {"x": END, "y": END, None: END})}, invariants=(bool,)).hash
    placed = node(first, timeout=3, thread=True)
    assert plain == compile_it({placed: by("label", {}, otherwise=END)}, placed).hash


def test_labels_of_one_value_are_told_apart_by_their_type() -> None:
    """A text, a member of a `StrEnum` and a truth value are different rows."""

    class Word(enum.StrEnum):
        YES = "yes"

    hashes = {
        compile_it({anything: by("text", {label: END})}, anything).hash for label in ("yes", Word.YES, 1, True, "1")
    }
    assert len(hashes) == 5


SOURCE = '''
"""{comment}"""
import enum
from collections.abc import Mapping
from attrs import frozen
from transitable import END, Graph, again, by, limit, then

class Route(enum.Enum):
    ASK = 1
    TELL = 2

# {comment}
@frozen
class State:
    """{comment}"""
    route: Route | None = None
    loops: int = 0

def choose(state: State) -> Mapping[str, object]:
    """{comment}"""
    return {{"route": Route.TELL}}  # {comment}

def tell(state: State) -> None:
    "{comment}"

rows = {{Route.ASK: again(choose, count="loops", at_most={number}, otherwise=END), Route.TELL: tell, None: END}}
errors = {{ValueError: tell, OSError: END}}
table = {{choose: by("route", {order}(rows), on_error={order}(errors)), tell: END}}
print(Graph(State, start=choose, table={order}(table)).hash)
'''


def hash_elsewhere(seed: int, comment: str, number: int, order: str) -> str:
    source = SOURCE.format(comment=comment, number=number, order=order)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}, check=True
    )  # fmt: skip
    return done.stdout.strip()


def test_the_hash_is_the_same_in_every_process() -> None:
    """Whatever the seed of Python's own hashes, comments, docstrings, the order of dicts and the numbers of limits."""
    turned = "(lambda rows: dict(reversed(rows.items())))"
    found = {
        hash_elsewhere(0, "one", 1, "dict"),
        hash_elsewhere(1, "another", 1, turned),
        hash_elsewhere(4242, "", 9, "dict"),
    }
    assert len(found) == 1
    (text,) = found
    assert len(text) == 64


# -- graphs are values


def build(at_most: int = 2, **named: Any) -> Graph[State]:
    return Graph(
        State,
        start=first,
        table={first: by("label", {"x": again(first, count="loops", at_most=at_most, otherwise=END), "y": third, None: END}), third: END},
        claims=named.pop("claims", [precedes(first, third)]),
        **named,
    )  # fmt: skip


def test_graphs_that_are_built_twice_are_equal() -> None:
    """And hash equal; another name, limit, claim or table makes another graph."""
    assert build() == build()
    assert hash(build()) == hash(build())
    assert len({build(), build()}) == 1
    for other in (
        build(3),
        build(name="other"),
        build(claims=[]),
        Graph(State, start=third, table={third: END}),
        "graph",
    ):
        assert build() != other
    assert build(3).hash == build().hash


def test_a_graph_does_not_change() -> None:
    """No attribute, and nothing that it hands out, can be set."""
    graph = build()
    before = (graph.hash, graph.rows, graph.longest_run, graph)
    for thing, name in ((graph, "table"), (graph, "claims"), (graph, "name"), (graph.table, "rows"), (graph.table, "start"), (graph.rows[0], "target")):  # fmt: skip
        with pytest.raises((attrs.exceptions.FrozenInstanceError, AttributeError)):
            setattr(thing, name, None)
    changes: Any = (
        lambda: graph.table.places.clear(),  # type: ignore[attr-defined]  # wrong on purpose
        lambda: graph.table.counts.update(loops=9),  # type: ignore[attr-defined]  # wrong on purpose
        lambda: graph.table.by_identity.popitem(),  # type: ignore[attr-defined]  # wrong on purpose
    )
    for change in changes:
        with pytest.raises(FrozenError, match="cannot be changed"):
            change()
    assert isinstance(graph.rows, tuple)
    assert isinstance(graph.claims, tuple)
    assert isinstance(graph.warnings, tuple)
    assert (graph.hash, graph.rows, graph.longest_run, build()) == before


def test_a_graph_keeps_nothing_of_what_it_was_built_from() -> None:
    """The caller's table, rows, claims and invariants may change afterwards."""
    rows: dict[Any, Any] = {"x": END, "y": third, None: END}
    errors: dict[Any, Any] = {ValueError: END}
    written: dict[Any, Any] = {first: by("label", rows, on_error=errors), third: END}
    claims, invariants = [precedes(first, third)], [lambda state: True]
    graph = Graph(State, start=first, table=written, claims=claims, invariants=invariants)
    before = (graph.rows, graph.hash, graph.claims, graph.table.invariants)
    for container in (rows, errors, written, claims, invariants):
        container.clear()
    assert (graph.rows, graph.hash, graph.claims, graph.table.invariants) == before
    assert graph.run(State()).unwrap().label == "x"


def test_a_place_that_nothing_else_holds_stays_alive() -> None:
    """Identity is by address, so the table keeps what it knows from being freed and its address from being used again."""
    graph = Graph(State, start=(worker := Worker("only")).method, table={worker.method: END})
    del worker
    others = [Worker(str(number)) for number in range(50)]
    assert all(graph.table.find(other.method) is None for other in others)
    assert graph.run(State()).places == ("method",)


def test_a_pause_and_a_copy_of_a_row() -> None:
    """A pause is a place like any other, and its answer can be branched on; a copied row is equal."""
    ask = pause("ask", question="?", answer=bool, into="flag")
    table = compile_it({ask: by("flag", {True: END, False: END})}, ask)
    assert table.problems == ()
    assert copy.deepcopy(table.rows) == table.rows
    place = table.start
    assert isinstance(place, Place)
    assert place.item is not None
    assert place.item.members() == (True, False)
