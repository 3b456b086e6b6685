"""Places as they are written: what each maker refuses at once, and the names that places get."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from attrs import frozen

from transitable import (
    END,
    DefinitionError,
    Graph,
    PlaceError,
    Retry,
    TableError,
    TransitableError,
    again,
    by,
    each,
    field,
    limit,
    node,
    pause,
    subgraph,
    then,
    together,
)


@frozen
class State:
    items: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    answer: bool | None = None
    count: int = 0


def work(state: State) -> Mapping[str, object]:
    return {}


def rest(state: State) -> Mapping[str, object]:
    return {}


def double(item: int) -> int:
    return 2 * item


class Callee:
    def __call__(self, state: State) -> None:
        return None

    def method(self, state: State) -> None:
        return None


INNER: Graph[State] = Graph(State, start=work, table={work: END}, name="inner")

REFUSED: Mapping[str, tuple[Callable[[], Any], str]] = {
    "no function": (lambda: node(5), r"node\(...\): found 5; expected a function"),  # type: ignore[arg-type]
    "a class": (lambda: node(Callee), "expected a function, method or other callable"),  # type: ignore[arg-type]
    "no name": (lambda: node(lambda state: None), r"which has no name; expected name='...'"),
    "an object without a name": (lambda: node(Callee()), r"has no name"),
    "a partial without a name": (lambda: node(partial(work)), r"has no name"),
    "a blank name": (lambda: node(work, name=""), r"has no name"),
    "no time": (lambda: node(work, timeout=0), "timeout of node 'work': found 0; expected a finite number"),
    "endless time": (lambda: node(work, timeout=float("inf")), "timeout of node 'work': found inf"),
    "a bool as time": (lambda: node(work, timeout=True), "timeout of node 'work': found True"),
    "a number as retry": (lambda: node(work, retry=3), r"retry of node 'work': found 3; expected Retry"),  # type: ignore[arg-type]
    "no attempt": (lambda: Retry(0), r"Retry\(attempts=...\): found 0; expected a whole number of at least 1"),
    "half an attempt": (lambda: Retry(1.5), "expected a whole number"),  # type: ignore[arg-type]
    "a negative wait": (lambda: Retry(2, wait=-1), r"Retry\(wait=...\): found -1"),
    "a negative factor": (lambda: Retry(2, factor=-1), r"Retry\(factor=...\): found -1"),
    "a wait without an end": (lambda: Retry(2, longest=float("nan")), r"Retry\(longest=...\): found nan"),
    "a class alone": (lambda: Retry(2, on=ValueError), r"Retry\(on=...\): .* a tuple of Exception classes"),  # type: ignore[arg-type]
    "no class": (lambda: Retry(2, on=("ValueError",)), "a tuple of Exception classes"),  # type: ignore[arg-type]
    "an interrupt": (lambda: Retry(2, on=(KeyboardInterrupt,)), "a tuple of Exception classes"),  # type: ignore[arg-type]
    "none at once": (lambda: each("items", double, into="results", at_once=0), "at_once of each 'double': found 0"),
    "no worker": (lambda: each("items", 5, into="results", name="x"), "the worker of each 'x': found 5"),  # type: ignore[call-overload]
    "a worker without a name": (lambda: each("items", lambda item: item, into="results"), "which has no name"),
    "a graph without enter": (lambda: each("items", INNER, into="results"), "each 'inner' over a graph: found no enter="),  # type: ignore[call-overload]
    "enter for a function": (lambda: each("items", double, into="results", enter=work), "they are for graphs"),  # type: ignore[call-overload]
    "one side": (lambda: together(work), r"found 1 place\(s\); expected at least two"),
    "sides without a name": (lambda: together(work, lambda state: None), "which has no name"),
    "a blank pause": (lambda: pause(" ", question="?", answer=bool, into="answer"), "a name that is not blank"),
    "a pause without a name": (lambda: pause(None, question="?", answer=bool, into="answer"), "a name that is not blank"),  # type: ignore[arg-type]
    "a number as question": (lambda: pause("ask", question=5, answer=bool, into="answer"), r"a text or field\('name'\)"),  # type: ignore[arg-type]
    "no graph": (lambda: subgraph(work), r"subgraph\(...\): .* expected a Graph"),  # type: ignore[call-overload]
    "enter alone": (lambda: subgraph(INNER, enter=lambda state: state), "one of enter= and leave="),  # type: ignore[call-overload]
    "a bound in a bound": (lambda: again(again(work, count="count", at_most=1, otherwise=END), count="count", at_most=1, otherwise=END), r"target of again\(...\)"),
    "a branch as fall-back": (lambda: again(work, count="count", at_most=1, otherwise=by("answer", {})), r"otherwise of again\(...\): found by\(...\)"),
    "rows as a list": (lambda: by("answer", [work]), r"the rows of by\('answer', ...\): found list; expected a mapping"),  # type: ignore[arg-type]
    "errors as a list": (lambda: then(work, on_error=[ValueError]), r"on_error of then\(...\): found list"),  # type: ignore[arg-type]
    "a limit without a name": (lambda: limit(5, cap=1), "the name of a field"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_place_is_refused_where_it_is_written(case: str) -> None:
    """The error says what was built, what was found and what is expected; it is a ValueError and a TypeError."""
    make, words = REFUSED[case]
    with pytest.raises(PlaceError, match=words) as caught:
        make()
    assert isinstance(caught.value, (DefinitionError, TransitableError, ValueError, TypeError))
    assert str(caught.value) == f"{caught.value.what}: found {caught.value.found}; expected {caught.value.expected}"


def test_places_are_named_after_what_they_run() -> None:
    """A function, method or graph gives its name; parts are joined; `name=` goes before all."""
    callee = Callee()
    made = {
        node(work): "work",
        node(callee.method): "method",
        node(callee, name="callee"): "callee",
        each("items", double, into="results"): "double",
        each("items", node(double, name="twice"), into="results"): "twice",
        each("items", INNER, into="results", enter=lambda state, item: state): "inner",
        together(work, rest): "work+rest",
        together(work, rest, name="both"): "both",
        subgraph(INNER): "inner",
        subgraph(INNER, name="again"): "again",
        pause("ask", question=field("items"), answer=bool, into="answer"): "ask",
    }
    assert [place.name for place in made] == list(made.values())  # type: ignore[attr-defined]  # the classes below have it


def test_places_compare_by_identity() -> None:
    """Two places made of one function are two places; a bound method is the same wherever it is looked up."""
    first, second = node(work, name="first"), node(work, name="second")
    callee = Callee()
    graph: Graph[State] = Graph(State, start=first, table={first: second, second: callee.method, callee.method: END})
    assert graph.run(State()).places == ("first", "second", "method")
    assert graph.table.find(callee.method) is graph.table.places["method"]
    assert graph.table.find(Callee().method) is None
    assert node(work) != node(work)


def test_two_places_with_one_name_are_a_finding() -> None:
    """Also two parts of a composite."""
    one, other = node(work, name="same"), node(rest, name="same")
    with pytest.raises(TableError) as caught:
        Graph(State, start=one, table={one: other, other: END})
    assert "duplicate-name" in caught.value.codes


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: None, "takes 0 arguments"),
        (lambda one, two, three: None, "takes 3 arguments"),
        (lambda state, *, needed: None, "needs the keyword argument 'needed'"),
        (lambda state: (yield), "is a generator"),
    ],
)
def test_a_function_that_cannot_be_called_with_a_state_is_a_finding(function: Any, words: str) -> None:
    """A node is `f(state)` or `f(state, context)`."""
    place = node(function, name="odd")
    with pytest.raises(TableError, match=words) as caught:
        Graph(State, start=place, table={place: END})
    assert caught.value.codes == ("bad-signature",)


def takes_defaults(state: State, factor: int = 2) -> Mapping[str, object]:
    return {"count_seen": factor} if factor != 2 else {"results": (factor,)}


def takes_context(state: State, context: Any = None) -> Mapping[str, object]:
    return {"results": (context.step,)}


def takes_all(*arguments: Any) -> Mapping[str, object]:
    return {"results": (len(arguments),)}


def takes_two(state: State, told: Any, /) -> Mapping[str, object]:
    return {"results": (told.attempt,)}


class Given:
    @staticmethod
    def static(_state: State) -> Mapping[str, object]:
        return {"results": (7,)}

    @classmethod
    def of_class(cls, _state: State, context: Any) -> Mapping[str, object]:
        return {"results": (context.step,)}


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (takes_defaults, 2),
        (takes_context, 1),
        (takes_all, 1),
        (takes_two, 1),
        (Given.static, 7),
        (Given.of_class, 1),
        (partial(takes_defaults, factor=2), 2),
        (node(takes_two, name="named"), 1),
    ],
)
def test_a_second_argument_is_the_context(function: Any, result: int) -> None:
    """It is passed to what requires two arguments, or calls the second `context`; other defaults are left alone."""
    place = node(function, name="partial") if isinstance(function, partial) else function
    assert Graph(State, start=place, table={place: END}).run(State()).unwrap().results == (result,)


def test_a_builtin_without_a_signature_is_called_with_the_item() -> None:
    """Some functions in C say nothing about their arguments."""
    place = each("items", int, into="results")
    assert Graph(State, start=place, table={place: END}).run(State(items=(3,))).unwrap().results == (3,)


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ({}, "empty-table"),
        ({work: None}, "not-a-place"),
        ({work: "rest"}, "not-a-place"),
        ({work: Callee}, "not-a-place"),
        ({work: then(then(rest)), rest: END}, "not-a-place"),
        ({work: by("answer", {True: by("answer", {}), False: END, None: END})}, "not-a-place"),
        ({work: rest}, "dead-end"),
        ({work: again(work, count="nope", at_most=1, otherwise=END)}, "bad-count"),
        ({work: again(work, count="items", at_most=1, otherwise=END)}, "bad-count"),
        ({work: again(work, count="count", at_most=-1, otherwise=END)}, "bad-limit"),
        ({work: again(work, count="count", at_most=True, otherwise=END)}, "bad-limit"),
        ({work: again(work, count="count", at_most=limit("nope", cap=1), otherwise=END)}, "bad-limit"),
        ({work: again(work, count="count", at_most=limit("count", cap=-1), otherwise=END)}, "bad-limit"),
        ({work: again("nope", count="count", at_most=1, otherwise=END)}, "not-a-place"),
        ({each("items", double, into="count", name="e"): END}, "each-into"),
        ({each("count", double, into="results", name="e"): END}, "each-items"),
        ({pause("p", question="?", answer=bool, into="nope"): END}, "unknown-write"),
        ({Callee(): END}, "bad-name"),
        ({lambda state: None: END}, "bad-name"),
    ],
)
def test_what_cannot_be_resolved_is_a_finding(table: Any, code: str) -> None:
    """Nothing is refused half-way: the table is compiled, and its checks tell everything."""
    start = next(iter(table), None)
    with pytest.raises(TableError) as caught:
        Graph(State, start=start, table=table)
    assert code in caught.value.codes


def test_start_and_on_cancel_have_to_be_places() -> None:
    """END, None and places without an entry are findings."""
    for arguments, code in (
        ({"start": END}, "no-start"),
        ({"start": None}, "no-start"),
        ({"start": rest}, "dead-end"),
        ({"start": work, "on_cancel": END}, "not-a-place"),
        ({"start": work, "on_cancel": rest}, "dead-end"),
    ):
        with pytest.raises(TableError) as caught:
            Graph(State, table={work: END}, **arguments)  # type: ignore[arg-type]  # wrong on purpose
        assert code in caught.value.codes


def test_an_error_row_that_leads_nowhere_is_a_finding() -> None:
    """It is told, and the other rows are compiled."""
    with pytest.raises(TableError) as caught:
        Graph(State, start=work, table={work: then(END, on_error={ValueError: None})})
    assert caught.value.codes == ("not-a-place",)


def test_compiled_places_and_ways_show_themselves() -> None:
    """For whoever looks at a table in a debugger."""
    place = Graph(State, start=work, table={work: END}).table.places["work"]
    assert repr(place) == "Place('work')"
    assert repr(place.arc) == "Arc(work -> END)"
