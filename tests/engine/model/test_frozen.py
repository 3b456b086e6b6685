"""`FrozenDict`: a mapping that refuses every change and is a value to everything that reads it."""

from __future__ import annotations

import copy
import json
import pickle
from collections import ChainMap, OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable import FrozenDict
from transitable.errors import FrozenError

keys = st.text(max_size=3)
plain = st.dictionaries(keys, st.integers() | st.text(max_size=3) | st.none(), max_size=4)
nested = st.dictionaries(keys, plain | st.integers(), max_size=3)


def freeze(value: Any) -> Any:
    return FrozenDict({key: freeze(item) for key, item in value.items()}) if isinstance(value, dict) else value


@given(nested)
def test_json_writes_it_as_a_dict(value: dict[str, Any]) -> None:
    """`json.dumps` gives the same text for the frozen as for the plain mapping."""
    assert json.dumps(freeze(value)) == json.dumps(value)


@given(nested)
def test_copies_and_pickles_are_equal_and_frozen(value: dict[str, Any]) -> None:
    """A deep copy and a pickle of every protocol come back equal, as `FrozenDict`s to the leaves."""
    frozen = freeze(value)
    loaded = [pickle.loads(pickle.dumps(frozen, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301  # our own bytes
    for again in (copy.deepcopy(frozen), *loaded):
        assert again == frozen
        assert list(again) == list(frozen)
        assert type(again) is FrozenDict
        assert all(type(item) is FrozenDict for item in again.values() if isinstance(item, dict))


def test_a_shallow_copy_is_the_object_itself() -> None:
    """What never changes needs no copy."""
    frozen = FrozenDict(a=1)
    assert copy.copy(frozen) is frozen
    assert frozen.copy() is frozen


def test_a_deep_copy_copies_what_can_change() -> None:
    """A list inside, which only a caller can have put there, is copied, and once."""
    shared = [1]
    again = copy.deepcopy(FrozenDict(a=shared, b=shared))
    assert again["a"] == [1]
    assert again["a"] is not shared
    assert again["a"] is again["b"]


@given(plain)
def test_equal_ones_hash_equal(value: dict[str, Any]) -> None:
    """The hash does not depend on the order of the items."""
    frozen = FrozenDict(value)
    turned = FrozenDict(reversed(value.items()))
    assert frozen == turned == value
    assert hash(frozen) == hash(turned)
    assert {frozen: 1}[turned] == 1


def test_the_hash_needs_hashable_values() -> None:
    """A value that cannot be hashed is told as Python tells it."""
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(FrozenDict(a=[1]))


@given(plain, plain)
def test_the_union_is_a_new_frozen_one(left: dict[str, Any], right: dict[str, Any]) -> None:
    """`|`, from either side, gives what dicts give, frozen, and leaves both as they were."""
    frozen = FrozenDict(left)
    for made in (frozen | right, frozen | FrozenDict(right), left | FrozenDict(right)):
        assert made == left | right
        assert type(made) is FrozenDict
    assert type(MappingProxyType(left) | FrozenDict(right)) is FrozenDict
    assert frozen == left


def test_the_union_in_place_gives_a_new_one() -> None:
    """`|=` binds the name anew; who else holds the old one sees no change."""
    held = frozen = FrozenDict(a=1)
    frozen |= {"b": 2}
    assert (frozen, held) == ({"a": 1, "b": 2}, {"a": 1})
    assert type(frozen) is FrozenDict


@pytest.mark.parametrize("other", [[("b", 2)], None, 1])
def test_the_union_with_no_mapping_is_refused(other: Any) -> None:
    """As with dicts, also from the left."""
    frozen = FrozenDict(a=1)
    with pytest.raises(TypeError, match="unsupported operand"):
        frozen | other
    with pytest.raises(TypeError, match="unsupported operand"):
        other | frozen
    with pytest.raises(TypeError, match="unsupported operand"):
        frozen |= other


def drop(frozen: Any) -> None:
    del frozen["a"]


def put(frozen: Any) -> None:
    frozen["a"] = 2


@pytest.mark.parametrize(
    "change",
    [
        put,
        drop,
        lambda frozen: frozen.clear(),
        lambda frozen: frozen.pop("a"),
        lambda frozen: frozen.pop("nope", None),
        lambda frozen: frozen.popitem(),
        lambda frozen: frozen.setdefault("b", 1),
        lambda frozen: frozen.update(a=2),
        lambda frozen: frozen.update({"a": 2}),
    ],
)
def test_every_change_is_refused(change: Any) -> None:
    """The error says what to do instead, and nothing has changed."""
    frozen = FrozenDict(a=1)
    with pytest.raises(FrozenError, match=r"a FrozenDict cannot be changed; build a new one with frozen \| \{...\}"):
        change(frozen)
    assert frozen == {"a": 1}


def test_no_method_of_dict_that_changes_is_left_open() -> None:
    """What `dict` can do and a plain mapping cannot is refused, replaced or makes a new one."""
    changing = {"__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"}
    assert changing <= vars(FrozenDict).keys()
    beyond = {name for name in dir(dict) if not hasattr(MappingProxyType, name)}
    assert beyond - changing <= {"fromkeys", "__init__"}


def test_no_attribute_can_be_set() -> None:
    """It holds its items and nothing else."""
    frozen: Any = FrozenDict(a=1)
    with pytest.raises(AttributeError):
        frozen.note = 1


def test_a_second_init_does_nothing() -> None:
    """`__init__` cannot refill what `__new__` filled."""
    frozen: Any = FrozenDict(a=1)
    frozen.__init__({"a": 2, "b": 3})
    frozen.__init__(c=4)
    assert frozen == {"a": 1}


@pytest.mark.parametrize(
    "made",
    [
        FrozenDict({"a": 1, "b": 2}),
        FrozenDict([("a", 1), ("b", 2)]),
        FrozenDict({"a": 1}, b=2),
        FrozenDict(a=1, b=2),
        FrozenDict(OrderedDict(a=1, b=2)),
        FrozenDict(ChainMap({"a": 1}, {"b": 2})),
        FrozenDict(FrozenDict(a=1, b=2)),
    ],
)
def test_it_is_made_as_a_dict_is(made: FrozenDict[str, int]) -> None:
    """From a mapping, pairs, names, or some of each."""
    assert made == {"a": 1, "b": 2}


def test_it_is_made_from_keys() -> None:
    """`fromkeys` gives a frozen one with one value for all."""
    made = FrozenDict.fromkeys("ab", 1)
    assert made == {"a": 1, "b": 1}
    assert type(made) is FrozenDict
    assert FrozenDict.fromkeys(["a"]) == {"a": None}


def test_it_keeps_nothing_of_its_source() -> None:
    """A dict that is changed afterwards changes nothing."""
    source = {"a": 1}
    frozen = FrozenDict(source)
    source["a"] = 2
    assert frozen == {"a": 1}


@given(plain)
def test_its_text_makes_it_again(value: dict[str, Any]) -> None:
    """`repr` is an expression that gives an equal one."""
    frozen = FrozenDict(value)
    assert eval(repr(frozen), {"FrozenDict": FrozenDict}) == frozen  # noqa: S307  # the text is our own
