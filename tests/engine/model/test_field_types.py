"""Which types a state may have: each of them takes its values and refuses others, and what may not be says what to use."""

from __future__ import annotations

import collections
import enum
import typing
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest
from attrs import frozen, make_class
from hypothesis import find, given
from hypothesis import strategies as st

from transitable import END, FrozenDict, Graph, StateError, Status, TableError, grows


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Word(enum.StrEnum):
    YES = "yes"


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


@frozen
class Point:
    x: int
    y: float = 0.0


@frozen
class Chain:
    value: int
    rest: Chain | None = None


UserId = NewType("UserId", str)
texts = st.text(max_size=5)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
json_values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
KINDS: Mapping[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "str": (str, texts),
    "bytes": (bytes, st.binary(max_size=5)),
    "bool": (bool, st.booleans()),
    "int": (int, st.integers()),
    "float": (float, st.floats(allow_nan=False)),
    "Decimal": (Decimal, st.decimals(allow_nan=False)),
    "UUID": (uuid.UUID, st.uuids()),
    "date": (date, st.dates()),
    "datetime": (datetime, st.datetimes(timezones=st.just(UTC))),
    "timedelta": (timedelta, st.timedeltas()),
    "enum": (Colour, st.sampled_from(Colour)),
    "str enum": (Word, st.sampled_from(Word)),
    "flag": (Mode, st.sampled_from([Mode.READ, Mode.READ | Mode.WRITE])),
    "Literal": (Literal["a", 1], st.sampled_from(["a", 1])),
    "None": (type(None), st.none()),
    "tuple": (tuple[int, ...], st.lists(st.integers(), max_size=3).map(tuple)),
    "fixed tuple": (tuple[int, str], st.tuples(st.integers(), texts)),
    "empty tuple": (tuple[()], st.just(())),
    "frozenset": (frozenset[str], st.frozensets(texts, max_size=3)),
    "mapping": (Mapping[str, int], st.dictionaries(texts, st.integers(), max_size=3).map(FrozenDict)),
    "class": (Point, st.builds(Point, x=st.integers(), y=st.floats(allow_nan=False))),
    "recursive class": (Chain, st.recursive(st.builds(Chain, st.integers()), lambda rest: st.builds(Chain, st.integers(), rest))),
    "union": (int | str | None, st.none() | st.integers() | texts),
    "union of classes": (Point | tuple[Point, ...], st.builds(Point, st.integers()) | st.just((Point(1),))),
    "Optional": (typing.Optional[int], st.none() | st.integers()),  # noqa: UP045  # the old spelling is what is tested
    "Annotated": (Annotated[int, "metres"], st.integers()),
    "NewType": (UserId, texts),
    "nested": (tuple[Mapping[str, tuple[Point, ...]], ...], st.just((FrozenDict(a=(Point(1, 2.0),)),))),
    "bare frozenset": (frozenset, st.frozensets(texts, max_size=2)),
}  # fmt: skip
STRANGERS: Mapping[str, tuple[object, ...]] = {
    "str": (1, None, Word.YES),
    "bytes": ("a", bytearray(b"a")),
    "bool": (1, None),
    "int": (True, 1.0, "1"),
    "float": (True, "1.0", None, 10**400),
    "Decimal": (1, 1.0),
    "UUID": ("00000000-0000-0000-0000-000000000000",),
    "date": (datetime(2026, 1, 1, tzinfo=UTC),),
    "datetime": (date(2026, 1, 1),),
    "timedelta": (1,),
    "enum": ("red", Word.YES),
    "str enum": ("yes",),
    "flag": (1,),
    "Literal": ("b", True, 1.0, []),
    "None": (0, ""),
    "tuple": (None, 5, "ab", {1}, [True], ("a",)),
    "fixed tuple": (None, (1,), (1, 2), (1, "a", 3), "ab"),
    "empty tuple": ((1,), None),
    "frozenset": (None, ["a"], {1}, {"a": 1}),
    "mapping": (None, {1: 1}, {"a": True}, [("a", 1)]),
    "class": (None, {"x": 1}, Chain(1), Point("a"), Point(1, True)),  # type: ignore[arg-type]  # wrong on purpose
    "recursive class": (Chain(1, Chain("a")), Point(1)),  # type: ignore[arg-type]  # wrong on purpose
    "union": (1.0, True, ()),
    "union of classes": (Chain(1), (Chain(1),), None),
    "Optional": ("a", True),
    "Annotated": (True,),
    "NewType": (1,),
    "nested": (({"a": (Point(1, True),)},), None),
    "bare frozenset": (None, [1]),
}


def make_state(annotation: Any) -> Any:
    """Make a state class with one field of a type."""
    return make_class(
        "State", {"value": attrs.field(type=annotation), "other": attrs.field(default=0, type=int)}, frozen=True
    )


def hold(state: Any) -> Mapping[str, Any]:
    return {"value": state.value}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_type_takes_its_values(kind: str) -> None:
    """A value of the type comes back the same from a state handed in and from an update."""
    annotation, values = KINDS[kind]
    state_class = make_state(annotation)
    chosen: list[Any] = []

    def write(state: Any) -> Mapping[str, Any]:
        return {"value": chosen[-1]}

    graph = Graph(state_class, start=write, table={write: END})

    @given(values)
    def check(value: Any) -> None:
        chosen.append(value)
        final: Any = graph.run(state_class(value)).unwrap()
        assert final.value == value
        assert type(final.value) is type(value)

    check()


@pytest.mark.parametrize(
    ("kind", "stranger"), [(kind, each) for kind, those in STRANGERS.items() for each in those], ids=str
)
def test_every_field_type_refuses_other_values(kind: str, stranger: object) -> None:
    """A value of another type, also deep inside, is refused when handed in and when written, and names the field."""
    annotation, values = KINDS[kind]
    state_class = make_state(annotation)

    def write(state: Any) -> Mapping[str, Any]:
        return {"value": stranger}

    graph = Graph(state_class, start=write, table={write: END})
    with pytest.raises(StateError, match="value"):
        graph.run(state_class(stranger))
    run = graph.run(state_class(find(values, lambda _: True)))
    assert run.status is Status.FAILED
    assert run.failure is not None
    assert run.failure.refused
    assert run.exception.faults[0].path[0] == "value"  # type: ignore[union-attr]  # an UpdateError


@given(json_values)
def test_any_takes_json_values_and_freezes_them(value: Any) -> None:
    """`Any` holds a JSON value; a list reads back as a tuple, to the leaves."""
    state_class = make_state(Any)
    graph = Graph(state_class, start=hold, table={hold: END})
    final: Any = graph.run(state_class(value)).unwrap()
    assert final.value == freeze(value)
    assert not any(isinstance(part, (list, set)) or type(part) is dict for part in walk(final.value))


def freeze(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(freeze, value))
    return {key: freeze(item) for key, item in value.items()} if isinstance(value, dict) else value


def walk(value: Any) -> Any:
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from walk(item)
    if isinstance(value, dict):
        for item in value.values():
            yield from walk(item)


@pytest.mark.parametrize(
    "stranger",
    [{1: "a"}, {"a": {None: 1}}, [{1}], object(), b"a", Point(1), [[Colour.RED]]],
    ids=lambda value: type(value).__name__,
)
def test_any_refuses_what_json_has_not(stranger: object) -> None:
    """Keys that are no text, and values that JSON has not, are refused under `Any`."""
    state_class = make_state(Any)
    graph = Graph(state_class, start=hold, table={hold: END})
    with pytest.raises(StateError, match=r"JSON|keys of type str"):
        graph.run(state_class(stranger))


@pytest.mark.parametrize("twice", [False, True])
def test_a_value_without_an_end_is_refused(twice: bool) -> None:
    """A list that contains itself, once or twice, is a fault with its path, told without walking for ever."""
    endless: list[Any] = []
    endless.extend([endless] * (1 + twice))
    state_class = make_state(Any)
    graph = Graph(state_class, start=hold, table={hold: END})
    with pytest.raises(StateError, match="value: came a value nested too deeply"):
        graph.run(state_class(endless))


class Unreadable(Mapping[str, int]):
    """A mapping of somebody else that raises when it is read."""

    def __getitem__(self, key: str) -> int:
        raise OSError("gone")

    def __iter__(self) -> Any:
        raise OSError("gone")

    def __len__(self) -> int:
        return 1


class Hidden:
    def __repr__(self) -> str:
        raise OSError("gone")


def test_a_value_that_cannot_be_read_is_refused() -> None:
    """What a foreign class raises while it is looked at is a fault, and so is one that cannot be shown."""
    state_class = make_state(Mapping[str, int])
    graph = Graph(state_class, start=hold, table={hold: END})
    with pytest.raises(StateError, match=r"cannot be read \(OSError: gone\)"):
        graph.run(state_class(Unreadable()))
    with pytest.raises(StateError, match="no repr: OSError"):
        graph.run(state_class(Hidden()))


def test_an_int_for_a_float_becomes_one_everywhere() -> None:
    """Also in tuples, mappings, keys, sets, classes and unions; a bool never does."""

    @frozen
    class State:
        one: float = 1
        many: tuple[float, ...] = (1, 2)
        named: Mapping[str, float] = FrozenDict(a=1)
        keyed: Mapping[float, int] = FrozenDict({1: 1})
        some: frozenset[float] = frozenset({1})
        either: float | str = 1
        point: Point = Point(1, 2)

    def work(state: State) -> None:
        return None

    final = Graph(State, start=work, table={work: END}).run(State()).unwrap()
    floats = (
        final.one, *final.many, *final.named.values(), *final.keyed, *final.some, final.either, final.point.y
    )  # fmt: skip
    assert [type(each) for each in floats] == [float] * 8


class Loose:
    pass


@attrs.define
class Changing:
    x: int = 0


@frozen
class Deep:
    inner: list[int]


class OwnMapping(dict[str, int]):
    pass


T = typing.TypeVar("T")


@pytest.mark.parametrize(
    ("annotation", "instead"),
    [
        (list[int], r"tuple\[X, ...\]"),
        (list, r"tuple\[X, ...\]"),
        (dict[str, int], r"Mapping\[K, V\]"),
        (dict, r"Mapping\[K, V\]"),
        (set[int], r"frozenset\[X\]"),
        (set, r"frozenset\[X\]"),
        (bytearray, "bytes"),
        (collections.deque[int], r"tuple\[X, ...\]"),
        (collections.OrderedDict[str, int], r"Mapping\[K, V\]"),
        (collections.defaultdict[str, int], r"Mapping\[K, V\]"),
        (MappingProxyType[str, int], r"Mapping\[K, V\]"),
        (collections.abc.MutableSequence[int], r"tuple\[X, ...\]"),
        (collections.abc.MutableSet[int], r"frozenset\[X\]"),
        (collections.abc.MutableMapping[str, int], r"Mapping\[K, V\]"),
        (collections.abc.Iterable[int], r"tuple\[X, ...\]"),
        (OwnMapping, r"Mapping\[K, V\]"),
        (tuple, r"tuple\[X, ...\]"),
        (tuple[list[int], ...], r"tuple\[X, ...\]"),
        (int | list[int], r"tuple\[X, ...\]"),
        (Mapping[str, set[int]], r"frozenset\[X\]"),
        (frozenset[Mapping[str, int]], "hashable"),
        (Changing, "attrs.frozen"),
        (Deep, r"field 'inner' of Deep.*tuple\[X, ...\]"),
        (Loose, "frozen attrs class"),
        (Path, "frozen attrs class"),
        (complex, "frozen attrs class"),
        (object, "Any"),
        (type[int], "frozen attrs class"),
        (T, "concrete type"),
    ],
)  # fmt: skip
def test_a_type_that_can_change_is_refused_with_the_type_to_use(annotation: Any, instead: str) -> None:
    """The finding names the field and what to write."""
    state_class = make_state(annotation)
    with pytest.raises(TableError, match=f"(?s)'value'.*{instead}") as caught:
        Graph(state_class, start=hold, table={hold: END})
    assert caught.value.codes == ("unreadable-field",)


def test_abstract_types_are_held_as_their_frozen_forms() -> None:
    """`Sequence[X]` is held as a tuple and `Set[X]` as a frozenset, as `Mapping` is as a `FrozenDict`."""
    for annotation, came, kept in ((Sequence[int], [1], (1,)), (collections.abc.Set[int], {1}, frozenset({1}))):
        state_class = make_state(annotation)
        graph = Graph(state_class, start=hold, table={hold: END})
        final: Any = graph.run(state_class(came)).unwrap()
        assert (final.value, type(final.value)) == (kept, type(kept))


def test_a_state_class_has_to_be_a_frozen_attrs_class() -> None:
    """A plain class, a changing one, a field without a type and a name that cannot be found are findings."""

    @attrs.define
    class Open:
        value: int = 0

    @frozen
    class Local:
        value: Nowhere = 0  # type: ignore[name-defined]  # noqa: F821  # wrong on purpose

    untyped = make_class("Untyped", ["value"], frozen=True)
    for cls, code in ((Loose, "state-not-frozen"), ("text", "state-not-frozen"), (Open, "state-not-frozen"),
                      (untyped, "unreadable-field"), (Local, "unreadable-field")):  # fmt: skip
        with pytest.raises(TableError) as caught:
            Graph(cls, start=hold, table={hold: END})  # type: ignore[type-var, arg-type]  # wrong on purpose
        assert code in caught.value.codes


def test_growing_fields_are_tuples() -> None:
    """`grows()` on anything else is a finding."""

    @frozen
    class State:
        value: str = grows("")  # type: ignore[arg-type, assignment]  # wrong on purpose

    with pytest.raises(TableError, match="grows-not-tuple"):
        Graph(State, start=hold, table={hold: END})
