"""Shapes: which values a declared type admits, what becomes of them, and where a value that does not fit is found.

The tests ask shapes directly; the same rules seen through a run stand in `test_field_types.py` and `test_freezing.py`.
"""

from __future__ import annotations

import enum
import math
import re
from collections import OrderedDict, UserDict, UserList
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple
from uuid import UUID

import pytest
from attrs import Factory, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import FrozenDict
from transitable.model.annotations import ShapeReader
from transitable.model.shapes import (
    ABSENT,
    Attribute,
    Fault,
    JsonShape,
    Shape,
    TupleShape,
    UnionShape,
    admit_foreign,
    count_same,
    show_path,
    show_value,
)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Word(enum.StrEnum):
    YES = "yes"


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Real(float):
    pass


class Pair(NamedTuple):
    left: int
    right: int


@frozen
class Point:
    x: int
    y: float = 0.0


@frozen
class Line:
    points: tuple[Point, ...] = ()
    names: Mapping[str, str] = FrozenDict()
    tags: frozenset[str] = frozenset()
    length: int = field(init=False, default=Factory(lambda self: len(self.points), takes_self=True))


@frozen
class Sub(Point):
    z: int = 0


def admit(annotation: Any, value: Any, old: Any = ABSENT) -> tuple[Any, list[Fault]]:
    faults: list[Fault] = []
    return admit_foreign(ShapeReader().read(annotation), value, old, ("f",), faults), faults


def take(annotation: Any, value: Any, old: Any = ABSENT) -> Any:
    """Admit a value that has to fit."""
    made, faults = admit(annotation, value, old)
    assert faults == []
    return made


def refuse(annotation: Any, value: Any, old: Any = ABSENT) -> Fault:
    """Admit a value that has to have one fault."""
    (fault,) = admit(annotation, value, old)[1]
    return fault


# -- exact types


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (str, "a"),
        (bytes, b"a"),
        (int, 1),
        (float, 1.5),
        (bool, True),
        (Decimal, Decimal("1.5")),
        (UUID, UUID(int=1)),
        (date, date(2026, 1, 1)),
        (datetime, datetime(2026, 1, 1, tzinfo=UTC)),
        (timedelta, timedelta(1)),
        (Colour, Colour.RED),
        (Literal["a", 1], 1),
        (None, None),
        (tuple[int, ...], (1, 2)),
        (tuple[int, str], (1, "a")),
        (frozenset[int], frozenset({1})),
        (Mapping[str, int], FrozenDict(a=1)),
        (Point, Point(1, 2.0)),
        (Line, Line((Point(1),), FrozenDict(a="b"), frozenset({"t"}))),
        (int | None, None),
        (Any, (1, FrozenDict(a=(None,)))),
        (tuple[Point, ...], (Point(1), Point(2))),
        (tuple[Point | None, Mapping[str, Point]], (None, FrozenDict(a=Point(1)))),
        (Mapping[str, tuple[Point, ...]], FrozenDict(a=(Point(1),))),
        (frozenset[Point], frozenset({Point(1)})),
    ],
    ids=str,
)
def test_a_value_that_is_frozen_already_stays_the_very_object(annotation: Any, value: Any) -> None:
    """Nothing is built anew where nothing had to be frozen, so identity is kept."""
    assert take(annotation, value) is value


@pytest.mark.parametrize(
    ("annotation", "stranger"),
    [
        (str, Text("a")),
        (str, Word.YES),
        (int, Whole(1)),
        (int, True),
        (float, Real(1)),
        (float, True),
        (float, "1"),
        (bool, 1),
        (date, datetime(2026, 1, 1, tzinfo=UTC)),
        (Colour, 1),
        (Word, "yes"),
        (Literal["yes"], Word.YES),
        (Literal[1], True),
        (Literal[1], 1.0),
        (Literal["a"], []),
        (None, 0),
        (tuple[int, ...], Pair(1, 2)),
        (tuple[int, int], Pair(1, 2)),
        (tuple[int, ...], UserList([1])),
        (tuple[int, ...], {1}),
        (tuple[int, ...], "ab"),
        (tuple[str, ...], "ab"),
        (tuple[str, str], "ab"),
        (tuple[int, ...], iter((1,))),
        (tuple[int, str], (1,)),
        (tuple[int, str], [1, "a", 2]),
        (tuple[()], (1,)),
        (frozenset[int], [1]),
        (frozenset[str], {"a": 1}),
        (Mapping[str, int], [("a", 1)]),
        (Point, {"x": 1}),
        (Point, Sub(1)),
        (Any, Text("a")),
        (Any, Whole(1)),
        (Any, Decimal(1)),
        (Any, {1}),
        (Any, Pair(1, 2)),
        (int | str, 1.0),
        (int | str, Text("a")),
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", repr(value)),
)
def test_types_are_exact(annotation: Any, stranger: Any) -> None:
    """A subclass, or a look-alike, would not come back the same from a store, so it is refused."""
    fault = refuse(annotation, stranger)
    assert fault.path == ("f",)
    assert fault.came == show_value(stranger)


@pytest.mark.parametrize(("annotation", "value", "how"), [(str, Text("a"), "str"), (int, Whole(1), "int"), (float, Real(1), "float")])  # fmt: skip
def test_a_subclass_is_told_how_to_fit(annotation: Any, value: Any, how: str) -> None:
    """The fault says what to write, but for bools and enum members, which are not meant as the plain value."""
    assert refuse(annotation, value).expected.endswith(f"write {how}(value)")
    assert refuse(int, True).expected == "int"
    assert refuse(Word, "yes").expected == "Word"


def test_a_class_says_what_is_wrong() -> None:
    """A mapping, a subclass and a stranger each get their own advice."""
    assert refuse(Point, {"x": 1}).expected == "an instance of Point; build it with Point(**mapping)"
    assert refuse(Point, Sub(1)).expected == "exactly Point; name the subclass in a union of the field's type"
    assert refuse(Point, 5).expected == "an instance of Point"
    assert take(Point | Sub, Sub(1)) == Sub(1)


def test_closed_types_name_the_nearest_member() -> None:
    """Also through a union; None where nothing is near."""
    assert refuse(Literal["order", "product"], "ordr").nearest == "order"
    assert refuse(Literal["order", "product"] | None, "produkt").nearest == "product"
    assert refuse(Literal["order", "product"], "zzz").nearest is None
    assert refuse(int | None, "x").nearest is None


# -- int for float


@given(st.integers(min_value=-(2**1000), max_value=2**1000))
def test_an_int_for_a_float_becomes_one(number: int) -> None:
    """At the top and in every kind of part."""
    wanted = float(number)
    assert take(float, number) == wanted
    assert take(tuple[float, ...], [number]) == (wanted,)
    assert take(tuple[float, str], [number, "a"]) == (wanted, "a")
    assert take(Mapping[str, float], {"a": number}) == {"a": wanted}
    assert take(Mapping[float, str], {number: "a"}) == {wanted: "a"}
    assert take(frozenset[float], {number, 0.5}) == {wanted, 0.5}
    assert take(float | str, number) == wanted
    made = take(Point, Point(1, number))
    assert type(made.y) is float


def test_an_int_that_is_too_large_for_a_float_is_refused() -> None:
    """Told by its size, because its digits would fill the screen."""
    fault = refuse(float, 10**400)
    assert str(fault) == "f: came an int of 1329 bits, expected float; this int is too large for one"


def test_a_float_that_is_no_number_is_one() -> None:
    """NaN and infinity are floats."""
    assert math.isnan(take(float, math.nan))
    assert take(float, math.inf) == math.inf


def test_an_int_stays_one_where_the_union_has_int() -> None:
    """The exact type wins over the member that comes first."""
    assert type(take(float | int, 1)) is int


# -- freezing

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def freeze(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(freeze, value))
    return FrozenDict({key: freeze(item) for key, item in value.items()}) if isinstance(value, dict) else value


@given(json_like)
def test_any_freezes_json_values_to_the_leaves(value: Any) -> None:
    """Lists become tuples, dicts `FrozenDict`s, so the value can be hashed; what is frozen stays the very object."""
    made = take(Any, value)
    assert made == freeze(value)
    hash(made)
    assert take(Any, made) is made


@given(json_like, json_like)
def test_any_admits_the_same_whatever_stood_there(value: Any, before: Any) -> None:
    """The old value only saves looks; it never changes the answer."""
    old = take(Any, before)
    assert take(Any, value, old) == take(Any, value)
    assert take(Any, [value, old], (old, old)) == (freeze(value), old)
    assert take(Any, {"a": old, "b": value}, FrozenDict(a=old)) == {"a": old, "b": freeze(value)}


@pytest.mark.parametrize(
    ("annotation", "value", "frozen_value"),
    [
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[int, ...], [], ()),
        (tuple[tuple[int, ...], ...], [[1], (2,)], ((1,), (2,))),
        (tuple[tuple[int, ...], str], [[1], "a"], ((1,), "a")),
        (tuple[tuple[int, ...], str], ([1], "a"), ((1,), "a")),
        (frozenset[int], {1, 2}, frozenset({1, 2})),
        (frozenset[int], {1: 2}.keys(), frozenset({1})),
        (Mapping[str, int], {"a": 1}, FrozenDict(a=1)),
        (Mapping[str, int], OrderedDict(a=1), FrozenDict(a=1)),
        (Mapping[str, int], UserDict(a=1), FrozenDict(a=1)),
        (Mapping[str, tuple[int, ...]], FrozenDict(a=[1]), FrozenDict(a=(1,))),
        (Mapping[str, Mapping[str, tuple[int, ...]]], {"a": {"b": [1]}}, FrozenDict(a=FrozenDict(b=(1,)))),
        (Any, OrderedDict(a=[UserDict(b=1)]), FrozenDict(a=(FrozenDict(b=1),))),
        (Any, (1, [2]), (1, (2,))),
        (Any, FrozenDict(a=[1]), FrozenDict(a=(1,))),
        (tuple[int, ...] | None, [1], (1,)),
        (tuple[int, ...] | Mapping[str, int], {"a": 1}, FrozenDict(a=1)),
    ],
    ids=repr,
)
def test_what_can_change_is_frozen(annotation: Any, value: Any, frozen_value: Any) -> None:
    """Lists, dicts, sets and other mappings become their frozen forms, to the leaves."""
    made = take(annotation, value)
    assert made == frozen_value
    assert type(made) is type(frozen_value)
    assert made is not value


def test_a_nested_class_is_built_anew_from_frozen_parts() -> None:
    """Through its own `__init__`, so what it derives is derived again; the one handed in is left alone."""
    came = Line([Point(1, 2)], {"a": "b"}, {"t"})  # type: ignore[arg-type]  # frozen on the way in
    made = take(Line, came)
    assert made == Line((Point(1, 2.0),), FrozenDict(a="b"), frozenset({"t"}))
    assert (type(made.points), type(made.names), type(made.tags)) == (tuple, FrozenDict, frozenset)
    assert type(came.points) is list
    assert take(tuple[Line, ...], [came]) == (made,)


def test_a_hook_that_thaws_what_was_frozen_is_a_fault() -> None:
    """What the class makes of its frozen parts has to be frozen too."""

    @frozen
    class Thawing:
        words: tuple[str, ...] = field(converter=list)

    fault = refuse(Thawing, Thawing(("a",)))
    assert str(fault).startswith("f.words: came ['a'] (list), expected tuple[str, ...], frozen, also from a converter")


def test_a_class_that_refuses_its_frozen_parts_is_a_fault() -> None:
    """With the reason that the class gave."""

    @frozen
    class OnlyLists:
        words: tuple[str, ...] = field()

        @words.validator
        def check(self, _attribute: object, value: object) -> None:
            if not isinstance(value, list):
                raise TypeError("no list")

    fault = refuse(OnlyLists, OnlyLists(["a"]))  # type: ignore[arg-type]  # wrong on purpose
    assert fault.expected.endswith("its own __init__ accepts once its parts are frozen (no list)")


# -- values without an end, and values that cannot be read


def test_a_list_that_contains_itself_is_refused() -> None:
    """Under `Any` and under types that nest, with the path at which the walk began."""
    endless: list[Any] = []
    endless.append(endless)
    table: dict[str, Any] = {}
    table["self"] = table
    for value in (endless, table, [1, {"a": endless}]):
        assert str(refuse(Any, value)) == "f: came a value nested too deeply to walk, expected a value with an end"


def test_a_class_that_contains_itself_is_refused() -> None:
    """An attrs class can be closed into a ring only by force, and is then refused as well."""
    ring = Ring(())
    object.__setattr__(ring, "rest", (Ring((ring,)),))
    assert "nested too deeply" in refuse(Ring, ring).came


@frozen
class Ring:
    rest: tuple[Ring, ...]


def test_any_takes_two_hundred_levels() -> None:
    """The limit is that of `JsonShape`, whatever the interpreter's own is."""
    value: Any = 1
    for _ in range(JsonShape.deepest):
        value = [value]
    assert take(Any, value) == freeze(value)
    assert "nested too deeply" in refuse(Any, [value]).came


class Broken(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise OSError("gone")

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")

    def __len__(self) -> int:
        return 1


class BrokenSet(AbstractSet[int]):
    def __contains__(self, item: object) -> bool:
        return False

    def __iter__(self) -> Iterator[int]:
        raise OSError("gone")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(("annotation", "value"), [(Mapping[str, int], Broken()), (frozenset[int], BrokenSet()), (Any, Broken())])  # fmt: skip
def test_what_a_foreign_class_raises_is_a_fault(annotation: Any, value: Any) -> None:
    """The fault carries the error's class and words."""
    assert refuse(annotation, value).came == "a value that cannot be read (OSError: gone)"


def test_any_wants_text_for_keys() -> None:
    """Every key that is none is told, exactly `str`."""
    faults = admit(Any, {"a": {1: 1, Text("b"): 2}})[1]
    assert [fault.path for fault in faults] == [("f", "a"), ("f", "a")]
    assert [fault.came for fault in faults] == ["the key 1 (int)", "the key 'b' (Text)"]


# -- identical parts


class Counting(Shape):
    """An int, which counts how often it is looked at."""

    __slots__ = ("looks",)

    def __init__(self) -> None:
        super().__init__("int")
        self.looks = 0

    def admit(self, value: Any, _old: Any, path: Any, faults: list[Fault]) -> Any:
        self.looks += 1
        if type(value) is not int:
            faults.append(Fault(path, show_value(value), "int"))
        return value


@given(st.lists(st.integers(1000, 2000), max_size=20), st.lists(st.integers(3000, 4000), max_size=5))
def test_appending_looks_only_at_what_is_new(old: list[int], new: list[int]) -> None:
    """The leading items that are the very same objects are not looked at again."""
    shape = Counting()
    before = tuple(old)
    made = TupleShape("tuple[int, ...]", shape).admit((*before, *new), before, ("f",), [])
    assert made == (*old, *new)
    assert shape.looks == len(new)


@pytest.mark.parametrize("annotation", [tuple[Point, ...], tuple[Point, Point], frozenset[Point], Mapping[str, Point], Line, tuple[int, ...] | Line, Any])  # fmt: skip
def test_the_old_value_itself_is_not_looked_at(annotation: Any) -> None:
    """It was admitted once; only whoever trusts it may say so, hence a broken one passes here."""
    broken = object()
    assert take(annotation, broken, broken) is broken


def test_parts_of_the_old_value_are_not_looked_at() -> None:
    """In fixed tuples, mappings, classes and JSON values: a part at its old position is taken as it is."""
    bad: Any = Point("x")  # type: ignore[arg-type]  # wrong, so that a look would tell
    assert take(tuple[Point, Point], (bad, Point(1)), (bad, Point(2))) == (bad, Point(1))
    assert take(Mapping[str, Point], {"a": bad, "b": Point(1)}, FrozenDict(a=bad)) == {"a": bad, "b": Point(1)}
    assert take(Line, Line((bad,), FrozenDict(a="b")), Line((bad,))).points == (bad,)
    assert take(Any, [bad, 1], (bad,)) == (bad, 1)
    assert take(Any, {"a": bad, "b": 1}, FrozenDict(a=bad)) == {"a": bad, "b": 1}
    assert refuse(tuple[Point, ...], (Point(1), bad), (bad,)).path == ("f", 1, "x")


def test_an_old_value_of_another_type_saves_nothing() -> None:
    """A tuple of another length, a plain dict or another class is no old value to skip parts of."""
    bad: Any = Point("x")  # type: ignore[arg-type]  # wrong, so that a look tells
    for annotation, value, old in (
        (tuple[Point, Point], (bad, Point(1)), (bad,)),
        (tuple[Point, ...], (bad,), [bad]),
        (Mapping[str, Point], {"a": bad}, {"a": bad}),
        (tuple[Line], (Line((bad,)),), (Point(1),)),
    ):
        assert refuse(annotation, value, old).came == "'x' (str)"


# -- unions

containers = st.sampled_from(
    [
        (tuple[int, ...] | tuple[str, ...], tuple),
        (Mapping[str, int] | Mapping[str, str], lambda items: FrozenDict((str(i), item) for i, item in enumerate(items))),
        (tuple[int, ...] | tuple[str, ...] | None, tuple),
        (tuple[int, int] | tuple[str, ...], tuple),
    ]
)  # fmt: skip
homogeneous = st.lists(st.integers(), min_size=2, max_size=2) | st.lists(st.text(max_size=2), min_size=2, max_size=2)


@given(containers, homogeneous, st.lists(st.integers() | st.text(max_size=2), max_size=2))
def test_no_member_takes_parts_that_another_let_in(kind: Any, items: list[Any], more: list[Any]) -> None:
    """A value fits a union with an old value exactly if it fits without: parts are not skipped across members."""
    annotation, make = kind
    old = make(items)
    value = make([*items, *more])
    assert admit(annotation, value, old)[1] == admit(annotation, value)[1]


def test_a_union_with_any_does_not_skip_into_json() -> None:
    """An old part that another member let in is no JSON value."""
    shape = UnionShape("x", (ShapeReader().read(tuple[Point, ...]), JsonShape()))
    point = Point(1)
    faults: list[Fault] = []
    shape.admit((point, "a"), (point,), ("f",), faults)
    assert [fault.path for fault in faults] == [("f", 0)]


def test_a_union_of_one_container_still_skips() -> None:
    """`tuple[X, ...] | None` costs what changed; so does a class next to two containers."""
    bad: Any = Point("x")  # type: ignore[arg-type]  # wrong, so that a look would tell
    assert take(tuple[Point, ...] | None, (bad, Point(1)), (bad,)) == (bad, Point(1))
    line = Line((bad,), FrozenDict(a="b"))
    assert take(Line | tuple[int, ...] | Mapping[str, int], line, Line((bad,))) is line


def test_a_union_tells_the_faults_of_the_member_that_came_closest() -> None:
    """A fault inside beats the list of members; without one the union's own text is told."""
    assert refuse(int | tuple[int, ...], [1, "a"]).path == ("f", 1)
    assert refuse(tuple[int, ...] | Point, Point("a")).path == ("f", "x")  # type: ignore[arg-type]  # wrong on purpose
    assert refuse(tuple[int, ...] | Point, 5) == Fault(
        ("f",), "5 (int)", "tuple[int, ...] | " + str(Point).split("'")[1]
    )


def test_members_of_closed_types() -> None:
    """Listed in the order of declaration, each once; an open part makes the whole open."""
    reader = ShapeReader()
    assert reader.read(bool).members() == (True, False)
    assert reader.read(Colour).members() == (Colour.RED, Colour.BLUE)
    assert reader.read(Literal["a", "b", "c"] | None).members() == ("a", "b", "c", None)
    assert reader.read(Colour | str).members() is None
    assert reader.read(str).members() is None


# -- what is told


def test_faults_are_told_with_their_path() -> None:
    """Fields with dots, keys and indexes in brackets; every fault at once."""
    value = {"a": [Line([Point(1), Point("x")], {"k": 1})], "b": [2]}  # type: ignore[list-item, dict-item, arg-type]  # wrong on purpose
    texts = [str(fault).split(",")[0] for fault in admit(Mapping[str, tuple[Line, ...]], value)[1]]
    assert texts == [
        "f['a'][0].points[1].x: came 'x' (str)",
        "f['a'][0].names['k']: came 1 (int)",
        "f['b'][0]: came 2 (int)",
    ]


def test_sets_and_keys_are_told_by_the_item_itself() -> None:
    """An item has no index, and a key stands for itself."""
    assert refuse(frozenset[int], {"a"}).path == ("f", "a")
    assert refuse(Mapping[int, int], {"a": 1}).path == ("f", "a")


def test_paths_read_as_python_would() -> None:
    """The empty path is the state itself."""
    assert show_path(()) == "(state)"
    assert show_path(("calls", 0, Attribute("name"), "key")) == "calls[0].name['key']"


def test_a_fault_reads_as_a_sentence() -> None:
    """With the nearest name where there is one."""
    assert str(Fault(("f",), "1 (int)", "str")) == "f: came 1 (int), expected str"
    assert str(Fault(("f",), "1 (int)", "str", "g")).endswith("expected str; did you mean 'g'?")


def test_long_values_are_cut() -> None:
    """A message stays readable, and a broken `__repr__` does not hide it."""

    class Hidden:
        def __repr__(self) -> str:
            raise OSError("gone")

    assert show_value("x" * 100) == f"'{'x' * 56}... (str)"
    assert show_value(Hidden()).startswith("<no repr: OSError> (")


def test_no_old_value_has_a_name() -> None:
    """`ABSENT` shows itself as what it is, should a debugger meet it."""
    assert repr(ABSENT) == "ABSENT"


def test_the_same_leading_items_are_counted() -> None:
    """By identity, not by equality."""
    one, two = Point(1), Point(1)
    assert count_same((one, two), (one, two)) == 2
    assert count_same((one, two), (one, one)) == 1
    assert count_same((one,), ()) == 0
