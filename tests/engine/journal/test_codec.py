"""States as JSON: exact both ways, strict, and every fault with its path."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import math
import re
import subprocess
import sys
import uuid
import zoneinfo
from collections.abc import Mapping
from typing import Any, Literal, NewType

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable.errors import StateError
from transitable.journal.codec import Codec, find_codec, state_from_json, state_to_json
from transitable.model.frozen import FrozenDict
from transitable.model.shapes import show_path
from transitable.model.state import grows

Ticket = NewType("Ticket", str)


class Route(enum.StrEnum):
    ORDER = "order_status"
    CLARIFY = "clarify"


class Odd(enum.Enum):
    PAIR = (1, 2)
    NUMBER = 1


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@attrs.frozen
class Circle:
    radius: float


@attrs.frozen
class Square:
    side: float
    _hidden: int = 0


@attrs.frozen
class Tree:
    label: str
    children: tuple[Tree, ...] = ()
    twin: Tree | None = None


@attrs.frozen
class Plain:
    """Every type without parts."""

    text: str
    data: bytes
    yes: bool
    count: int
    score: float
    price: decimal.Decimal
    key: uuid.UUID
    day: dt.date
    moment: dt.datetime
    span: dt.timedelta
    route: Route
    odd: Odd
    rights: Rights
    level: Level
    word: Literal["a", 1, True, b"a", "YQ=="]
    nothing: None
    ticket: Ticket


@attrs.frozen
class Compound:
    """Every type with parts."""

    words: tuple[str, ...]
    pair: tuple[int, Route]
    empty: tuple[()]
    routes: frozenset[Route]
    pairs: frozenset[tuple[int, str]]
    prices: Mapping[str, decimal.Decimal]
    by_day: Mapping[dt.date, tuple[bytes, ...]]
    by_route: Mapping[Route, float]
    tree: Tree
    notes: tuple[str, ...] = grows()


@attrs.frozen
class Unions:
    """Unions that JSON tells apart by itself, and unions that it does not."""

    maybe: Circle | None
    mixed: int | str | None
    number: float | int
    shape: Circle | Square
    holder: Circle | Mapping[str, float]
    when: dt.date | dt.datetime | str | None
    rows: tuple[int, ...] | tuple[str, ...]
    word: Route | str
    closed: Literal["a", "b"] | int
    anything: Any
    loose: Any | Circle
    score: float | Circle


class FakeZone(dt.tzinfo):
    """A zone that only code could name."""

    def utcoffset(self, dt: object) -> Any:
        return None


ZONES = [None, dt.UTC, dt.timezone(dt.timedelta(hours=9)), dt.timezone(dt.timedelta(seconds=-3601, microseconds=5)), dt.timezone(dt.timedelta(hours=9), "KST [x]"), zoneinfo.ZoneInfo("Asia/Seoul"), zoneinfo.ZoneInfo("America/New_York"), zoneinfo.ZoneInfo("UTC")]  # fmt: skip
ODD_TEXTS = ["NaN", '{"Circle": 1}', "Circle", "\ud800", "\udc00", "주문", "a\x00b", "__class__"]
TEXTS = st.one_of(st.text(), st.sampled_from(ODD_TEXTS))
FLOATS = st.floats(allow_nan=False)
MOMENTS = st.builds(lambda moment, zone, fold: moment.replace(tzinfo=zone, fold=fold), st.datetimes(), st.sampled_from(ZONES), st.sampled_from([0, 1]))  # fmt: skip
TAGS = st.sampled_from(
    [
        {"float": "NaN"},
        {"Circle": {"radius": 1.0}},
        {"literal": "a"},
        {"Any": None},
        {"a": [{"float": "NaN"}]},
        {"": []},
    ]
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), FLOATS, TEXTS, TAGS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CIRCLES = st.builds(Circle, FLOATS)
SQUARES = st.builds(Square, FLOATS, st.integers())
TREES = st.recursive(
    st.builds(Tree, TEXTS),
    lambda inner: st.builds(Tree, TEXTS, st.lists(inner, max_size=2).map(tuple), st.none() | inner),
    max_leaves=5,
)
PLAINS = st.builds(
    Plain, TEXTS, st.binary(), st.booleans(), st.integers(-(10**30), 10**30), FLOATS, st.decimals(allow_nan=False), st.uuids(), st.dates(),
    MOMENTS, st.timedeltas(), st.sampled_from(Route), st.sampled_from(Odd), st.sampled_from([Rights(0), *Rights, Rights.READ | Rights.WRITE]),
    st.sampled_from(Level), st.sampled_from(["a", 1, True, b"a", "YQ=="]), st.none(), TEXTS,
)  # fmt: skip
COMPOUNDS = st.builds(
    Compound, st.lists(TEXTS).map(tuple), st.tuples(st.integers(), st.sampled_from(Route)), st.just(()), st.frozensets(st.sampled_from(Route)),
    st.frozensets(st.tuples(st.integers(), TEXTS)), st.dictionaries(TEXTS, st.decimals(allow_nan=False)),
    st.dictionaries(st.dates(), st.lists(st.binary()).map(tuple)), st.dictionaries(st.sampled_from(Route), FLOATS), TREES,
    st.lists(TEXTS).map(tuple),
)  # fmt: skip
UNIONS = st.builds(
    Unions, st.none() | CIRCLES, st.none() | st.integers() | TEXTS, FLOATS | st.integers(), CIRCLES | SQUARES,
    CIRCLES | st.dictionaries(TEXTS, FLOATS), st.none() | st.dates() | MOMENTS | TEXTS,
    st.lists(st.integers()).map(tuple) | st.lists(TEXTS).map(tuple), st.sampled_from(Route) | TEXTS,
    st.sampled_from(["a", "b"]) | st.integers(), JSON, JSON | CIRCLES, FLOATS | CIRCLES,
)  # fmt: skip
PLAIN = Plain(
    "t", b"\x00", True, 3, 0.5, decimal.Decimal("1.50"), uuid.UUID(int=7), dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 12, 0, 0, 1, zoneinfo.ZoneInfo("Asia/Seoul")),
    dt.timedelta(days=-1, microseconds=1), Route.ORDER, Odd.PAIR, Rights.READ | Rights.WRITE, Level.HIGH, b"a", None, Ticket("T-1"),
)  # fmt: skip


def frozen(state: Any) -> Any:
    """The state as a run holds it: lists, dicts and sets frozen."""
    return find_codec(type(state)).model.admit(state)


def list_types(value: Any) -> Any:
    """The types of a value, to the leaves."""
    if attrs.has(type(value)):
        return type(value), [list_types(getattr(value, field.name)) for field in attrs.fields(type(value))]
    if isinstance(value, tuple):
        return type(value), [list_types(each) for each in value]
    if isinstance(value, frozenset):
        return type(value), {repr(list_types(each)) for each in value}
    if isinstance(value, FrozenDict):
        return type(value), {key: (type(key), list_types(each)) for key, each in value.items()}
    if isinstance(value, dt.datetime):
        return type(value), repr(value), value.fold, value.tzname()
    if isinstance(value, (float, decimal.Decimal)):
        return type(value), str(value)
    return type(value)


@given(st.one_of(PLAINS, COMPOUNDS, UNIONS))
def test_every_state_comes_back_equal_and_of_the_same_types(state: Any) -> None:
    """The codec's promise: through JSON text and back, nothing changes, to the leaves."""
    text = json.dumps(state_to_json(state))
    back = state_from_json(type(state), json.loads(text))
    assert back == frozen(state)
    assert list_types(back) == list_types(frozen(state))
    assert json.dumps(state_to_json(back)) == text


@given(JSON)
def test_any_json_is_data_even_where_it_looks_like_our_own_forms(value: Any) -> None:
    """Under `Any`, and beside a class in a union, user data is never read as a tag."""
    state = attrs.evolve(UNION, anything=value, loose=value)
    back = state_from_json(Unions, json.loads(json.dumps(state_to_json(state))))
    assert back.anything == back.loose == frozen(state).anything
    if not isinstance(value, tuple):
        assert json.dumps(state_to_json(state)["anything"]) == json.dumps(value)


UNION = Unions(None, None, 1, Circle(1.0), Circle(1.0), None, (), "x", 1, None, None, 0.0)


def test_the_forms_are_as_documented() -> None:
    """People read and write these forms by hand, so they are part of the interface."""
    assert state_to_json(PLAIN) == {
        "text": "t", "data": "AA==", "yes": True, "count": 3, "score": 0.5, "price": "1.50",
        "key": "00000000-0000-0000-0000-000000000007", "day": "2024-02-29", "moment": "2024-02-29T12:00:00.000001[Asia/Seoul]",
        "span": "-86399.999999s", "route": "order_status", "odd": "PAIR", "rights": 3, "level": 2, "word": "b'a'", "nothing": None,
        "ticket": "T-1",
    }  # fmt: skip
    state = Compound(("a",), (1, Route.ORDER), (), frozenset(Route), frozenset({(2, "b"), (1, "a")}), {"x": decimal.Decimal(1)}, {dt.date(2024, 1, 1): (b"",)}, {Route.ORDER: 1.0}, Tree("t", (Tree("u"),)))  # fmt: skip
    assert state_to_json(state) == {
        "words": ["a"], "pair": [1, "order_status"], "empty": [], "routes": ["clarify", "order_status"], "pairs": [[1, "a"], [2, "b"]],
        "prices": {"x": "1"}, "by_day": [["2024-01-01", [""]]], "by_route": [["order_status", 1.0]],
        "tree": {"label": "t", "children": [{"label": "u", "children": [], "twin": None}], "twin": None}, "notes": [],
    }  # fmt: skip


def test_a_union_is_tagged_only_where_json_does_not_show_the_member() -> None:
    """An optional class or `int | str` reads as plain JSON; two classes, or a class beside a mapping, need a name."""
    state = Unions(
        Circle(1.0),
        3,
        2.0,
        Square(2.0),
        {"Circle": 1.0},
        dt.date(2024, 1, 1),
        ("a",),
        Route.ORDER,
        "a",
        {"Circle": 1},
        Circle(3.0),
        math.inf,
    )
    written = state_to_json(state)
    assert written == {
        "maybe": {"radius": 1.0},
        "mixed": 3,
        "number": 2.0,
        "shape": {"Square": {"side": 2.0, "_hidden": 0}},
        "holder": {"Mapping[str, float]": {"Circle": 1.0}},
        "when": {"date": "2024-01-01"},
        "rows": {"tuple[str, ...]": ["a"]},
        "word": {"Route": "order_status"},
        "closed": "a",
        "anything": {"Circle": 1},
        "loose": {"Circle": {"radius": 3.0}},
        "score": {"float": {"float": "Infinity"}},
    }
    assert state_from_json(Unions, written) == frozen(state)


def test_two_member_classes_of_one_name_are_tagged_by_module_and_place() -> None:
    """A tag stands for one class only."""
    first, second = (
        attrs.make_class("Same", {"a": attrs.field(type=int)}, frozen=True),
        attrs.make_class("Same", {"a": attrs.field(type=int)}, frozen=True),
    )
    cls = attrs.make_class("Holder", {"one": attrs.field(type=first | second)}, frozen=True)  # type: ignore[operator]  # classes made at run time
    written = [state_to_json(cls(made(1)))["one"] for made in (first, second)]
    assert [list(each) for each in written] == [[f"{__name__}.Same#1"], [f"{__name__}.Same#2"]]
    assert [type(state_from_json(cls, {"one": each}).one) for each in written] == [first, second]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_floats_that_are_no_numbers_are_tagged_text(value: float) -> None:
    """Standard JSON has no NaN, and a float field has no other use for an object."""
    written = state_to_json(Circle(value))
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert str(state_from_json(Circle, written).radius) == str(value)


@attrs.frozen
class Person:
    name: str
    age: int
    circle: Circle | None = None
    route: Route | None = None
    circles: tuple[Circle, ...] = ()
    scores: Mapping[str, float] = FrozenDict()
    rights: frozenset[int] = frozenset()
    turns: Mapping[int, str] = FrozenDict()


def test_all_faults_come_at_once_with_their_paths_and_near_names() -> None:
    """A person who writes a state by hand gets one list, not one error a try."""
    data = {"nam": "Ada", "age": "3", "circle": {"radius": True, "radios": 1}, "route": "order_statsu", "circles": [{"radius": 1}, {}, 7], "scores": {"a": "1"}, "rights": [1, 1], "turns": [[1, "x"], [2]]}  # fmt: skip
    with pytest.raises(StateError, match="did you mean 'name'") as caught:
        state_from_json(Person, data)
    faults = {show_path(fault.path): (fault.came, fault.nearest) for fault in caught.value.faults}
    assert faults == {
        "name": ("nothing", None),
        "nam": ("a key that is no field", "name"),
        "age": ("'3' (str)", None),
        "circle.radius": ("True (bool)", None),
        "circle.radios": ("a key that is no field", "radius"),
        "route": ("'order_statsu' (str)", "order_status"),
        "circles[1].radius": ("nothing", None),
        "circles[2]": ("7 (int)", None),
        "scores['a']": ("'1' (str)", None),
        "rights": ("[1, 1] (list)", None),
        "turns[1]": ("[2] (list)", None),
    }
    assert all(type(fault.path[0]) is str for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("text", 1, "str"),
        ("data", "a", "base64"),
        ("data", "YR==", "'YQ==' is how these bytes are written"),
        ("data", "é", "base64"),
        ("yes", 1, "True, False".lower()),
        ("count", True, "int"),
        ("count", 1.0, "int"),
        ("score", "1.0", "float"),
        ("score", True, "float"),
        ("score", {"float": "1"}, '"-Infinity"'),
        ("score", 10**400, "too large"),
        ("price", 1.5, "Decimal"),
        ("price", " 1", "Decimal"),
        ("price", "1_0", "Decimal"),
        ("price", "1E99999999999999999999", "Decimal"),
        ("key", "{00000000-0000-0000-0000-000000000007}", "UUID"),
        ("key", "x", "UUID"),
        ("day", "2024-02-30", "day is out of range"),
        ("day", "2024-W01-1", "date"),
        ("day", "2024-01-01T00:00:00", "date"),
        ("moment", "2024-01-01", "datetime"),
        ("moment", "2024-01-01T25:00:00", "hour must be in"),
        ("moment", "2024-01-01T00:00:00[Asia/Soul]", "time zone"),
        ("moment", "2024-01-01T00:00:00[../../etc/passwd]", "time zone"),
        ("moment", "2024-01-01T00:00:00[America]", "time zone"),
        ("moment", "2024-01-01T00:00:00+99:00", "datetime"),
        ("span", "90", "timedelta"),
        ("span", "99999999999999999999s", "within what a timedelta holds"),
        ("route", ["order_status"], "order_status"),
        ("odd", 1, "PAIR"),
        ("odd", "PAIRS", "PAIR"),
        ("rights", 8, "Rights"),
        ("rights", True, "int"),
        ("level", "HIGH", "1, 2"),
        ("level", True, "1, 2"),
        ("nothing", 0, "null"),
    ],
)
def test_nothing_is_coerced(name: str, data: object, expected: str) -> None:
    """What is not written like the type is refused, not guessed."""
    with pytest.raises(StateError, match=re.escape(expected)) as caught:
        state_from_json(Plain, state_to_json(PLAIN) | {name: data})
    assert [fault.path for fault in caught.value.faults] == [(name,)]


@pytest.mark.parametrize(
    ("name", "data", "value"),
    [
        ("score", 3, 3.0),
        ("moment", "2024-01-01T00:00:00Z", dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),
        (
            "moment",
            "2024-01-01T00:00:00.5+09:00",
            dt.datetime(2024, 1, 1, 0, 0, 0, 500_000, dt.timezone(dt.timedelta(hours=9))),
        ),
        ("key", "ABCDEF00-0000-0000-0000-000000000007", uuid.UUID("abcdef00-0000-0000-0000-000000000007")),
        ("span", "1.5s", dt.timedelta(seconds=1.5)),
    ],
)
def test_a_few_spellings_that_people_write_mean_the_same(name: str, data: object, value: object) -> None:
    """An int for a float, `Z`, short fractions and capital letters lose nothing."""
    made = getattr(state_from_json(Plain, state_to_json(PLAIN) | {name: data}), name)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("shape", {"radius": 1.0}, "names the type: Circle, Square"),
        ("shape", {"Circl": {"radius": 1.0}}, "did you mean 'Circle'"),
        ("shape", {"Circle": {"radius": 1.0}, "Square": {}}, "one key"),
        ("shape", None, "one key"),
        ("mixed", 1.5, "int | str | None"),
        ("closed", "c", '"a", "b"'),
        ("maybe", [], "Circle | None"),
    ],
)
def test_data_of_no_member_is_refused(name: str, data: object, expected: str) -> None:
    """A renamed or missing class is an error, never a dict."""
    with pytest.raises(StateError, match=re.escape(expected)):
        state_from_json(Unions, state_to_json(UNION) | {name: data})


class Settings(enum.Flag, boundary=enum.CONFORM):
    DARK = 1


@attrs.frozen(unsafe_hash=False)
class Unhashable:
    x: int = 0
    __hash__ = None  # type: ignore[assignment]  # as a class may have it


@attrs.frozen
class Score:
    settings: Settings = Settings.DARK
    odd: frozenset[Unhashable] = frozenset()
    sets: frozenset[int] | Mapping[str, int] | None = None
    words: Literal[Route.ORDER, "other"] = "other"
    either: Literal["a"] | str = "b"  # noqa: PYI051  # a member that another one holds, on purpose
    value: float | None = None
    anything: Any | None = None
    digits: Literal[1, 2] | float | bool = 1


def test_an_int_stands_for_a_float_where_nothing_else_takes_it() -> None:
    """`float | None` reads 3 as 3.0; beside an int it stays an int."""
    made = state_from_json(Score, {"value": 3})
    assert (made.value, type(made.value)) == (3.0, float)
    assert state_from_json(Score, {"anything": [None]}) == Score(anything=(None,))
    assert type(state_from_json(Score, {"digits": True}).digits) is bool


def test_members_that_json_writes_alike_are_tried_in_order() -> None:
    """Where JSON is the very value, it does not matter which member takes it."""
    assert [state_from_json(Score, {"either": text}).either for text in ("a", "b")] == ["a", "b"]
    assert state_to_json(Score(words=Route.ORDER))["words"] == "order_status"
    assert state_from_json(Score, {"words": "order_status"}).words is Route.ORDER
    for value in (frozenset({1}), FrozenDict(a=1)):
        assert state_from_json(Score, state_to_json(Score(sets=value))).sets == value


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"settings": 9}, "this one stands for 1"),
        ({"odd": [{"x": 1}]}, "items that can be hashed"),
        ({"odd": "ab"}, "a list"),
        ({"anything": {1: 2}}, "keys of type str"),
    ],
)
def test_data_that_a_type_cannot_hold_is_refused(data: object, expected: str) -> None:
    """A flag that would drop bits, a set of what has no hash, and keys that no JSON has."""
    with pytest.raises(StateError, match=expected):
        state_from_json(Score, data)


SEOUL = zoneinfo.ZoneInfo("Asia/Seoul")


@attrs.frozen
class Loose:
    value: Any = None
    moments: tuple[dt.datetime, ...] = ()
    words: Mapping[str, str] = FrozenDict()
    ints: frozenset[int] = frozenset()
    tree: Tree | None = None


@pytest.mark.parametrize(
    ("state", "path", "expected"),
    [
        (Loose(value={"a": ["\ud83d\ude00"]}), "value['a'][0]", "two surrogates"),
        (Loose(value=(1, 10**5000)), "value[1]", "14000 bits"),
        (Loose(words={"\ud83d\ude00": "x"}), "words['\\ud83d\\ude00']", "two surrogates"),
        (Loose(ints={10**5000}), "ints[", "14000 bits"),
        (Loose(tree=Tree("\ud83d\ude00")), "tree.label", "two surrogates"),
        (Loose(moments=(dt.datetime(2024, 1, 1, tzinfo=FakeZone()),)), "moments[0]", "ZoneInfo that its key finds again"),
    ],
    ids=["text", "int", "key", "set", "field", "zone"],
)  # fmt: skip
def test_what_would_come_back_changed_is_refused_when_written(state: Loose, path: str, expected: str) -> None:
    """JSON joins surrogates, Python reads no giant ints, and a zone without a name is code; the path says where."""
    with pytest.raises(StateError, match=re.escape(expected)) as caught:
        state_to_json(state)
    assert show_path(caught.value.faults[0].path).startswith(path)


def test_a_zone_from_a_file_is_written_only_where_its_key_finds_it() -> None:
    """A zone's key is what comes back, so it must lead to the same time."""
    path = zoneinfo.TZPATH
    with zoneinfo_file(path) as file:
        unnamed = zoneinfo.ZoneInfo.from_file(file)
    with pytest.raises(StateError, match="ZoneInfo that its key finds again"):
        state_to_json(Loose(moments=(dt.datetime(2024, 1, 1, tzinfo=unnamed),)))
    with zoneinfo_file(path) as file:
        wrong = zoneinfo.ZoneInfo.from_file(file, key="No/Such")
    with pytest.raises(StateError, match="ZoneInfo that its key finds again"):
        state_to_json(Loose(moments=(dt.datetime(2024, 1, 1, tzinfo=wrong),)))


def zoneinfo_file(path: tuple[str, ...]) -> Any:
    import pathlib

    found = [pathlib.Path(folder, "Asia/Seoul") for folder in path]
    return next(each for each in found if each.exists()).open("rb")


def test_a_value_without_end_is_a_fault_not_a_crash() -> None:
    """Depth is limited by the stack; the error says so."""
    tree = Tree("leaf")
    data: Any = {"label": "leaf"}
    for _ in range(3000):
        tree = Tree("node", (tree,))
        data = {"label": "node", "children": [data]}
    with pytest.raises(StateError, match="nested too deeply"):
        state_to_json(tree)
    with pytest.raises(StateError, match="nested too deeply"):
        state_from_json(Tree, data)
    with pytest.raises(StateError, match="nested too deeply"):
        find_codec(Tree).read_fields({"twin": data})
    with pytest.raises(StateError, match="nested too deeply"):
        find_codec(Tree).write_fields({"twin": tree})


def test_a_state_is_built_by_its_class_and_checked() -> None:
    """Validators, converters and computed fields of the class run, and their refusal is a fault."""
    assert state_from_json(Checked, {"name": " Ada "}) == Checked(" Ada ")
    assert state_to_json(Checked(" Ada ")) == {"name": "Ada"}
    with pytest.raises(StateError, match=r"Checked refuses.*no name"):
        state_from_json(Checked, {"name": " "})
    with pytest.raises(StateError, match=r"inner: came values that Checked refuses"):
        state_from_json(Outer, {"inner": {"name": ""}})
    with pytest.raises(StateError, match="an object with the fields of Checked"):
        state_from_json(Checked, [])


@attrs.frozen
class Checked:
    name: str = attrs.field(converter=str.strip)
    length: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))

    @name.validator
    def check(self, _: object, value: str) -> None:
        if not value:
            raise ValueError("no name")


@attrs.frozen
class Outer:
    inner: Checked


def test_a_class_that_cannot_be_a_state_is_refused() -> None:
    """The faults say what is wrong with the class."""
    with pytest.raises(StateError, match="not an attrs class"):
        state_from_json(int, 3)
    with pytest.raises(StateError, match=r"list\[int\], which can change"):
        Codec(attrs.make_class("Bad", {"a": attrs.field(type=list[int])}, frozen=True))


def test_some_fields_can_be_written_and_read_by_themselves() -> None:
    """What changed is enough for a record; unknown fields and wrong data are faults, all at once."""
    codec = find_codec(Person)
    data = codec.write_fields({"route": Route.ORDER, "circles": (Circle(1.0),)})
    assert data == {"route": "order_status", "circles": [{"radius": 1.0}]}
    assert codec.read_fields(data) == {"route": Route.ORDER, "circles": (Circle(1.0),)}
    with pytest.raises(StateError) as caught:
        codec.read_fields({"rout": "x", "age": "3", "circle": {"radius": None}})
    assert [show_path(fault.path) for fault in caught.value.faults] == ["rout", "age", "circle.radius"]


def test_equal_sets_are_written_the_same_in_every_process() -> None:
    """Text of sets must not depend on the hash seed, or equal runs would differ in their bytes."""
    code = "import attrs, json\nfrom transitable.journal.codec import state_to_json\n@attrs.frozen\nclass S:\n    a: frozenset[str]\nprint(json.dumps(state_to_json(S(frozenset('hypothesis')))))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {'{"a": ["e", "h", "i", "o", "p", "s", "t", "y"]}\n'}
