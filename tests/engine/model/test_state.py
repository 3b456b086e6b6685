"""State classes: how they are described, how the next state is built, and how one that is handed in is admitted."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs
import pytest
from attrs import Factory, evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import FrozenDict, StateError, grows
from transitable.model.annotations import ShapeReader
from transitable.model.shapes import Fault
from transitable.model.state import MOST_REMEMBERED, Slot, StateModel, describe_state, make_reader


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@frozen
class Inner:
    flag: bool = False
    colour: Colour | None = None


@frozen
class Other:
    flag: Literal["yes"] = "yes"


@frozen
class State:
    number: int = 0
    count: int = 0
    score: float = 0.0
    names: tuple[str, ...] = ()
    prices: Mapping[str, int] = FrozenDict()
    inner: Inner = Inner()
    maybe: Inner | Other | None = None
    errors: tuple[str, ...] = grows()


@frozen
class Small:
    number: int = field(default=0)

    @number.validator
    def check(self, _attribute: object, value: int) -> None:
        if value > 9:
            raise ValueError("larger than nine")


def make(cls: Any, *values: Any, counts: tuple[int, ...] = ()) -> tuple[Any, list[Fault]]:
    faults: list[Fault] = []
    return describe_state(cls).make(list(values), faults, counts), faults


# -- describing


def test_a_class_is_described_once() -> None:
    """The same model comes back, also for who asks at the same time as others."""
    model = describe_state(State)
    assert describe_state(State) is model
    assert repr(model) == "StateModel(State)"
    assert model.names == tuple(field.name for field in attrs.fields(State))
    assert (model.grown, model.derived, model.problems) == ({"errors"}, set(), ())
    assert model.index["score"] == 2


def test_fields_are_read_in_order() -> None:
    """`read` gives all of them, for none, one and several alike."""
    assert describe_state(State).read(State(3)) == (3, 0, 0.0, (), {}, Inner(), None, ())
    assert make_reader(())(State()) == ()
    assert make_reader(("number",))(State(3)) == (3,)
    assert make_reader(("count", "number"))(State(3)) == (0, 3)


def describe_problems(cls: Any) -> list[tuple[str, str]]:
    return [(code, instead) for code, _, instead in describe_state(cls).problems]


def test_what_cannot_be_a_state_is_told_and_not_raised() -> None:
    """Each reason with its code; all of them at once."""

    @attrs.define
    class Open:
        words: list[str]
        table: dict[str, int]

    @frozen
    class Growing:
        text: str = grows("")  # type: ignore[arg-type, assignment]  # wrong on purpose

    @frozen
    class Lost:
        value: Nowhere = 0  # type: ignore[name-defined]  # noqa: F821  # wrong on purpose

    assert describe_problems(int) == describe_problems("State") == [("state-not-frozen", "@attrs.frozen")]
    assert describe_problems(Open) == [
        ("state-not-frozen", "@attrs.frozen"),
        ("unreadable-field", "tuple[X, ...]"),
        ("unreadable-field", "Mapping[K, V]"),
    ]
    assert describe_problems(Growing) == [("grows-not-tuple", "tuple[X, ...]")]
    assert [code for code, _ in describe_problems(Lost)] == ["unreadable-field"]
    assert describe_state(Open).problems[1][1] == "field 'words': list[str], which can change"


def test_growing_fields_start_with_their_default() -> None:
    """Empty unless told otherwise."""

    @frozen
    class Started:
        errors: tuple[str, ...] = grows()
        notes: tuple[str, ...] = grows(("first",))

    assert Started() == Started((), ("first",))
    assert describe_state(Started).grown == {"errors", "notes"}


# -- building


def test_a_plain_class_is_built_by_position() -> None:
    """The class itself is the builder, and stays so for whoever is fast."""
    model = describe_state(State)
    assert model.builder is State
    assert make(State, *model.read(State(4))) == (State(4), [])


def test_a_validator_is_run() -> None:
    """Its words are in the fault, and there is no state."""
    made, (fault,) = make(Small, 10)
    assert made is None
    assert (
        str(fault)
        == "(state): came values that Small refuses, expected what its own __init__ accepts (larger than nine)"
    )


def test_a_converter_is_run_and_its_work_checked() -> None:
    """What it makes has to be of the field's type, and frozen."""

    @frozen
    class Converted:
        number: int = field(default=0, converter=lambda value: value if value < 5 else str(value))
        names: tuple[str, ...] = field(default=(), converter=lambda value: value if len(value) < 2 else list(value))

    assert describe_state(Converted).builder is None
    assert make(Converted, 4, ("a",)) == (Converted(4, ("a",)), [])
    faults = make(Converted, 5, ("a", "b"))[1]
    assert [fault.path for fault in faults] == [("number",), ("names",)]
    assert str(faults[0]) == (
        "number: came '5' (str), made by the class itself, expected int, frozen, also from a converter or __attrs_post_init__"
    )


def test_a_hook_is_run_and_its_work_checked() -> None:
    """`__attrs_post_init__` may set any field, of its type."""

    @frozen
    class Hooked:
        number: int = 0
        double: Any = 0

        def __attrs_post_init__(self) -> None:
            object.__setattr__(self, "double", self.number * 2 if self.number < 5 else [self.number])

    assert make(Hooked, 2, 0)[0].double == 4
    (fault,) = make(Hooked, 5, 0)[1]
    assert fault.path == ("double",)


def test_the_class_may_not_alter_what_only_the_engine_writes() -> None:
    """Growing fields and counts; other fields are its own."""

    @frozen
    class Altering:
        count: int = field(default=0, converter=lambda value: min(value, 1))
        errors: tuple[str, ...] = attrs.field(
            default=(), metadata={"transitable.grows": True}, converter=lambda value: value[-1:]
        )

    assert describe_state(Altering).grown == {"errors"}
    assert make(Altering, 1, ("a",), counts=(0,)) == (Altering(1, ("a",)), [])
    assert make(Altering, 3, ("a",)) == (Altering(1, ("a",)), [])
    faults = make(Altering, 3, ("a", "b"), counts=(0,))[1]
    assert [str(fault) for fault in faults] == [
        "count: came 1 (int), made by the class itself, expected 3 (int); only the engine writes this field",
        "errors: came ('b',) (tuple), made by the class itself, expected ('a', 'b') (tuple); only the engine writes this field",
    ]


def test_parameters_have_the_names_that_the_class_gives_them() -> None:
    """Keyword-only, private and aliased fields are built by their parameters."""

    @frozen(kw_only=True)
    class Named:
        number: int = 0
        _secret: int = 0
        spelt: int = field(default=0, alias="written")

    assert describe_state(Named).builder is None
    assert make(Named, 1, 2, 3) == (Named(number=1, secret=2, written=3), [])


def test_some_fields_may_be_keyword_only() -> None:
    """The order of the fields is that of the class, not that of its parameters."""

    @frozen
    class Mixed:
        first: int = field(default=0, kw_only=True)
        second: str = ""

    assert make(Mixed, 1, "a") == (Mixed("a", first=1), [])


def test_a_field_that_the_class_sets_itself_is_not_handed_in() -> None:
    """`init=False`: made anew by the class each time."""

    @frozen
    class Derived:
        number: int = 0
        double: int = field(init=False, default=Factory(lambda self: self.number * 2, takes_self=True))

    model = describe_state(Derived)
    assert model.derived == {"double"}
    assert make(Derived, 3, 99)[0].double == 6


def test_a_hand_written_init_is_used() -> None:
    """What it makes of its arguments is checked."""

    @frozen(init=False)
    class Own:
        number: Any

        def __init__(self, number: Any = 0) -> None:
            self.__attrs_init__([number] if number == 7 else number)  # type: ignore[attr-defined]  # attrs makes it

    assert describe_state(Own).builder is None
    assert make(Own, 3)[0].number == 3
    assert make(Own, 7)[1][0].path == ("number",)


# -- slots


def test_a_slot_appends_to_what_grows() -> None:
    """The part is the new items; an item that does not fit, or no tuple, appends nothing."""
    model = describe_state(State)
    slot = Slot("errors", 7, model.shapes["errors"], appends=True)
    faults: list[Fault] = []
    assert slot.admit(["b"], ("a",), faults) == ("a", "b")
    assert slot.admit([], old := ("a",), faults) is old
    assert slot.admit_part(["b"], ("a",), faults) == ("b",)
    assert faults == []
    assert slot.admit("b", ("a",), faults) == ("a",)
    assert slot.quick == set()
    assert [fault.path for fault in faults] == [("errors",)]


def test_a_slot_holds_to_the_narrower_type() -> None:
    """What the place declares comes first and is told alone; types that both take need no look."""
    reader = ShapeReader()
    slot = Slot("f", 0, reader.read(int | str | None), appends=False, narrow=reader.read(int | None))
    faults: list[Fault] = []
    assert slot.quick == {int, type(None)}
    assert slot.admit(1, 0, faults) == 1
    assert slot.admit("a", "a", faults) == "a"
    assert [str(fault) for fault in faults] == ["f: came 'a' (str), expected int | None"]


# -- admitting


def test_a_frozen_state_is_taken_as_it_is() -> None:
    """The very object, the first time and the next."""
    model = describe_state(State)
    for state in (
        State(),
        State(),
        State(names=("a",), prices=FrozenDict(a=1)),
        State(inner=Inner(True)),
        State(maybe=Inner()),
    ):
        assert model.admit(state) is state


@given(st.integers(), st.lists(st.text(max_size=2)), st.dictionaries(st.text(max_size=2), st.integers()))
def test_a_state_with_lists_and_dicts_is_frozen(score: int, names: list[str], prices: dict[str, int]) -> None:
    """An int for a float, a list for a tuple and a dict for a mapping become what the class declares."""
    made = describe_state(State).admit(State(score=score, names=names, prices=prices))  # type: ignore[arg-type]  # frozen on the way in
    assert made == State(score=float(score), names=tuple(names), prices=FrozenDict(prices))
    assert (type(made.score), type(made.names), type(made.prices)) == (float, tuple, FrozenDict)


def test_all_faults_of_a_state_are_told_at_once() -> None:
    """With their paths, as attributes and in the message."""
    state: Any = State("a", 0, True, (1, "b"), {"k": "v"}, Inner("x"), 5, [2])  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(StateError, match="this is not a valid State:\n  number: came 'a'") as caught:
        describe_state(State).admit(state)
    assert caught.value.state_class == "State"
    paths = [fault.path for fault in caught.value.faults]
    assert paths == [
        ("number",), ("score",), ("names", 0), ("prices", "k"), ("inner", "flag"), ("maybe",), ("errors", 0)
    ]  # fmt: skip


@pytest.mark.parametrize("stranger", [None, {}, Inner(), type("Sub", (State,), {})()], ids=repr)
def test_a_state_of_another_class_is_refused(stranger: Any) -> None:
    """Also a subclass, which could hold more than the engine knows."""
    with pytest.raises(StateError, match=r"\(state\): came .* expected an instance of State"):
        describe_state(State).admit(stranger)


def test_counts_start_at_zero() -> None:
    """Whatever was handed in, and nothing else is touched; a state with zeros is taken as it is."""
    model = describe_state(State)
    assert model.admit(State(3, 5), (1,)) == State(3, 0)
    assert model.admit(State(3, 5, names=["a"]), (1,)) == State(3, 0, names=("a",))  # type: ignore[arg-type]  # frozen on the way in
    assert model.admit(state := State(3), (1,)) is state
    assert model.restart(State(3, 5), (1,)) == State(3, 0)
    assert model.restart(state, (1,)) is state
    assert model.restart(counted := State(3, 5), ()) is counted


def test_a_count_that_is_no_int_is_told() -> None:
    """It is not quietly set to 0."""
    with pytest.raises(StateError, match="count: came 'a'"):
        describe_state(State).admit(State(0, "a"), (1,))  # type: ignore[arg-type]  # wrong on purpose


def test_a_class_that_refuses_its_start_is_told() -> None:
    """A count that the class wants above 0 cannot be one, from either door."""

    @frozen
    class Positive:
        count: int = field(default=1)

        @count.validator
        def check(self, _attribute: object, value: int) -> None:
            if value < 1:
                raise ValueError("not positive")

    model = describe_state(Positive)
    for door in (model.admit, model.restart):
        with pytest.raises(StateError, match=r"\(state\): came values that .*Positive refuses.*not positive"):
            door(Positive(3), (0,))


class Gone(Mapping[str, int]):
    """A mapping of somebody else that raises when it is read."""

    def __getitem__(self, key: str) -> int:
        raise OSError("gone")

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")

    def __len__(self) -> int:
        return 1


def test_what_a_foreign_mapping_raises_is_told_with_its_path() -> None:
    """Never as the mapping's own exception."""
    with pytest.raises(StateError, match=r"prices: came a value that cannot be read \(OSError: gone\)"):
        describe_state(State).admit(State(prices=Gone()))


def test_many_combinations_of_types_are_remembered_up_to_a_bound() -> None:
    """A field of many types cannot make a state class grow for ever, and the answers stay right."""
    names = [f"f{number}" for number in range(9)]
    wide: Any = attrs.make_class("Wide", {name: field(type=int | str, default=0) for name in names}, frozen=True)
    model = describe_state(wide)
    for number in range(2 * MOST_REMEMBERED):
        values: list[Any] = ["a" if number >> position & 1 else 0 for position in range(9)]
        assert model.admit(state := wide(*values)) is state
    assert len(model._passed) <= MOST_REMEMBERED  # the bound has no other witness
    with pytest.raises(StateError, match=r"f3: came 1\.5"):
        model.admit(wide(f3=1.5))


# -- dotted paths


def follow(model: StateModel, path: str) -> tuple[str | None, str | None]:
    shape, missing = model.shape_at(tuple(path.split(".")))
    return shape.text if shape else None, missing


def test_dotted_paths_lead_into_classes() -> None:
    """Through unions every part is followed, None included; a name that is not there is handed back."""
    model = describe_state(State)
    assert follow(model, "number") == ("int", None)
    assert follow(model, "inner.flag") == ("bool", None)
    assert follow(model, "maybe.flag") == ("bool | Literal['yes'] | None", None)
    assert follow(model, "nope") == (None, "nope")
    assert follow(model, "inner.nope") == (None, "nope")
    assert follow(model, "maybe.colour") == (None, "colour")
    assert follow(model, "number.real") == (None, "real")
    shape, _ = model.shape_at(("maybe", "flag"))
    assert shape is not None
    assert shape.members() == (True, False, "yes", None)


def test_a_dotted_path_may_start_from_a_narrower_type() -> None:
    """The one that a place declares to write."""
    root = ShapeReader().read(Inner)
    shape, missing = describe_state(State).shape_at(("maybe", "colour"), root)
    assert missing is None
    assert shape is not None
    assert shape.members() == (Colour.RED, Colour.BLUE, None)


def test_the_next_state_equals_an_evolved_one() -> None:
    """`make` and `attrs.evolve` agree where nothing is converted."""
    model = describe_state(State)
    before = State(1, 2, 3.0, ("a",))
    values = list(model.read(before))
    values[model.index["names"]] = ("b",)
    faults: list[Fault] = []
    assert model.make(values, faults) == evolve(before, names=("b",))
    assert faults == []
