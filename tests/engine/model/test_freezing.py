"""Freezing: what is handed in may be changed afterwards, and no state, result or event ever shows it."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest
from attrs import field, frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import (
    END,
    Context,
    EventKind,
    FrozenDict,
    Graph,
    StateError,
    advance,
    answered,
    begin,
    by,
    done,
    each,
    node,
    pause,
    pending,
    together,
)


@frozen
class Note:
    words: tuple[str, ...] = ()
    marks: Mapping[str, tuple[int, ...]] = FrozenDict()


@frozen
class State:
    items: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()
    table: Mapping[str, tuple[int, ...]] = FrozenDict()
    tags: frozenset[str] = frozenset()
    anything: Any = None
    results: tuple[tuple[int, ...], ...] = ()
    answer: tuple[int, ...] | None = None


def hold(state: State) -> None:
    return None


def spoil(value: Any) -> None:
    """Change everything inside that can be changed."""
    if isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoilt")
    elif type(value) is dict:
        for item in value.values():
            spoil(item)
        value["spoilt"] = 1
    elif isinstance(value, set):
        value.add("spoilt")
    elif isinstance(value, Note):
        spoil(value.words)
        spoil(value.marks)


def make_parts(numbers: list[int], words: list[str]) -> dict[str, Any]:
    """Make values for all fields, everything in them changeable."""
    return {
        "items": [*numbers],
        "notes": [Note(words=[*words], marks={word: [*numbers] for word in words})],  # type: ignore[arg-type]  # frozen on the way in
        "table": {word: [*numbers] for word in words},
        "tags": {*words},
        "anything": {"list": [numbers, {"deep": [*words]}]},
    }


def freeze_parts(numbers: list[int], words: list[str]) -> State:
    """Make the state that these values have to become."""
    ints, texts = tuple(numbers), tuple(words)
    return State(
        items=ints,
        notes=(Note(texts, FrozenDict(dict.fromkeys(words, ints))),),
        table=FrozenDict(dict.fromkeys(words, ints)),
        tags=frozenset(words),
        anything=FrozenDict({"list": (ints, FrozenDict(deep=texts))}),
    )


numbers = st.lists(st.integers(), max_size=3)
words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)


@given(numbers, words)
def test_a_state_handed_in_is_frozen(numbers: list[int], words: list[str]) -> None:
    """Lists, dicts and sets are copied into tuples, `FrozenDict`s and frozensets, also inside frozen classes."""
    parts, expected = make_parts(numbers, words), freeze_parts(numbers, words)
    handle = Graph(State, start=hold, table={hold: END}).start(State(**parts))
    spoil(parts)
    for value in parts.values():
        spoil(value)
    assert handle.run.state == expected
    assert isinstance(handle.run.state.table, FrozenDict)


@given(numbers, words)
def test_an_update_is_frozen(numbers: list[int], words: list[str]) -> None:
    """Values, and the update itself, can be changed by the node that kept them."""
    parts, expected = make_parts(numbers, words), freeze_parts(numbers, words)

    def write(state: State) -> Mapping[str, object]:
        return parts

    def change(state: State) -> None:
        for value in [*parts.values()]:
            spoil(value)
        parts.clear()

    graph = Graph(State, start=write, table={write: change, change: END})
    assert graph.run(State(), keep_events=True).unwrap() == expected


def test_a_state_that_is_frozen_already_is_taken_as_it_is() -> None:
    """Nothing is built anew when nothing had to be frozen, so identity is kept."""
    state = freeze_parts([1, 2], ["a"])
    assert Graph(State, start=hold, table={hold: END}).run(state).state is state


def test_results_of_items_are_frozen_when_they_come() -> None:
    """A worker that keeps its list and changes it while the other items run changes nothing, under both drivers."""
    kept: list[list[int]] = []

    def work(item: int) -> list[int]:
        for other in kept:
            other.append(99)
        kept.append([item])
        return kept[-1]

    async def work_later(item: int) -> list[int]:
        await asyncio.sleep(0)
        return work(item)

    def make(worker: Any, at_once: int) -> Graph[State]:
        place = each("items", worker, into="results", name="all", at_once=at_once)
        return Graph(State, start=place, table={place: END})

    expected = ((1,), (2,), (3,))
    assert make(work, 1).run(State(items=(1, 2, 3))).unwrap().results == expected
    for at_once in (1, 2, 3):
        kept.clear()
        run = asyncio.run(make(work_later, at_once).arun(State(items=(1, 2, 3))))
        assert run.unwrap().results == expected


def test_updates_of_parts_are_frozen_when_they_come() -> None:
    """A part that changes its update while the others run changes nothing."""

    class Items(TypedDict):
        items: list[int]

    class Anything(TypedDict):
        anything: Any

    kept: Items = {"items": [1]}

    def first(state: State) -> Items:
        return kept

    def second(state: State) -> Anything:
        kept["items"].append(2)
        kept["items"] = []
        return {"anything": [1]}

    place = together(first, second)
    final = Graph(State, start=place, table={place: END}).run(State()).unwrap()
    assert (final.items, final.anything) == ((1,), (1,))


def test_answers_are_frozen() -> None:
    """Whoever answers with a list keeps nothing of the run; `accepts` sees the frozen answer."""
    seen: list[object] = []

    def accept(state: State, answer: object) -> str | None:
        seen.append(answer)
        return None

    ask = pause("ask", question="which?", answer=tuple[int, ...], into="answer", accepts=accept)
    graph = Graph(State, start=ask, table={ask: hold, hold: END})
    handle = graph.start(State())
    handle.finish()
    given_answer = [1]
    handle.answer("ask@1", given_answer)
    given_answer.append(2)
    assert handle.finish().unwrap().answer == (1,)
    assert seen == [(1,)]


def test_emitted_values_are_frozen() -> None:
    """What a node emits is kept as it was, also the event's answer and changes."""
    told = {"tokens": [1]}

    def tell(state: State, context: Context) -> None:
        context.emit(told)
        told["tokens"].append(2)

    run = Graph(State, start=tell, table={tell: END}).run(State(), keep_events=True)
    (event,) = [event for event in run.events if event.kind is EventKind.EMITTED]
    assert event.value == {"tokens": (1,)}
    assert isinstance(event.value, FrozenDict)


def test_outcomes_given_to_the_kernel_are_frozen() -> None:
    """By hand as well: results, updates and answers are copied by the `advance` that takes them in."""
    place = each("items", lambda item: item, into="results", name="all")
    table = Graph(State, start=place, table={place: END}).table
    cursor = begin(table, State(items=(1, 2)))
    result = [1]
    cursor = advance(table, cursor, {("all", 0): done(result)})
    result.append(2)
    (work,) = pending(table, cursor)
    assert advance(table, cursor, {work.address: done([5])}).state.results == ((1,), (5,))
    ask = pause("ask", question="?", answer=tuple[int, ...], into="answer")
    table = Graph(State, start=ask, table={ask: END}).table
    answer = [1]
    ended = advance(table, begin(table, State()), {("ask",): answered(answer)})
    answer.append(2)
    assert ended.state.answer == (1,)


def test_a_nested_class_that_undoes_the_freezing_is_refused() -> None:
    """A converter inside that makes a list again would leak it."""

    @frozen
    class Thawing:
        words: tuple[str, ...] = field(converter=list)

    @frozen
    class Holder:
        inner: Thawing

    graph = Graph(Holder, start=hold, table={hold: END})  # type: ignore[arg-type]  # hold takes any state
    with pytest.raises(StateError, match=r"inner.words: came \['a'\] \(list\).*converter or hook"):
        graph.run(Holder(Thawing(["a"])))


def test_a_nested_class_that_refuses_its_frozen_parts_is_refused() -> None:
    """Building it anew goes through its own validators."""

    @frozen
    class Fussy:
        words: list[str] | tuple[str, ...] = field()

        @words.validator
        def check(self, _attribute: object, value: object) -> None:
            if not isinstance(value, list):
                raise TypeError("a list, please")

    @frozen
    class Inner:
        words: tuple[str, ...] = field(
            validator=lambda _self, _attribute, value: None if isinstance(value, list) else 1 / 0
        )

    @frozen
    class Holder:
        inner: Inner

    graph = Graph(Holder, start=hold, table={hold: END})  # type: ignore[arg-type]  # hold takes any state
    with pytest.raises(StateError, match=r"inner: .* its own __init__ accepts once its parts are frozen \(division"):
        graph.run(Holder(Inner(["a"])))  # type: ignore[arg-type]  # wrong on purpose


def test_the_answer_that_steers_is_the_frozen_one() -> None:
    """A branch reads what was written, not what the node still holds."""

    @frozen
    class Flag:
        up: bool

    @frozen
    class Flagged:
        flag: Flag | None = None
        seen: bool = False

    box = {"flag": Flag(True)}

    def raise_flag(state: Flagged) -> Mapping[str, object]:
        return box

    def see(state: Flagged) -> Mapping[str, object]:
        box["flag"] = Flag(False)
        return {"seen": True}

    graph = Graph(
        Flagged, start=raise_flag, table={raise_flag: by("flag.up", {True: see, False: END, None: END}), see: END}
    )
    assert graph.run(Flagged()).unwrap() == Flagged(Flag(True), seen=True)


def test_a_node_object_keeps_its_own_list() -> None:
    """The engine never hands out something that can be changed, so a node cannot change the state in place either."""

    def meddle(state: State) -> None:
        for value in (state.items, state.table, state.tags):
            assert not isinstance(value, (list, set))
        with pytest.raises(TypeError, match="FrozenDict cannot be changed"):
            state.table["a"] = (1,)  # type: ignore[index]  # wrong on purpose

    place = node(meddle)
    parts: Any = {"items": [1], "table": {"a": [2]}, "tags": {"x"}}
    assert Graph(State, start=place, table={place: END}).run(State(**parts)).unwrap().table == {"a": (2,)}
