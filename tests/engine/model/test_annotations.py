"""Annotations: which types a state may have, and what the finding says of those that it may not."""

from __future__ import annotations

import collections
import enum
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, ForwardRef, Literal, NewType, Optional

import attrs
import pytest
import typing_extensions
from attrs import frozen

from transitable import FrozenDict
from transitable.model.annotations import (
    ShapeReader,
    Unreadable,
    is_frozen,
    read_field_types,
    read_hints,
    show_annotation,
)
from transitable.model.shapes import ABSENT, ClassShape, ClosedShape, FixedTupleShape, JsonShape, TupleShape


@dataclass
class Size:
    metres: int


class Animal(Size, enum.Enum):
    ANT = 1


@dataclass(frozen=True)
class FixedSize:
    metres: int


class Building(FixedSize, enum.Enum):
    SHED = 3


@frozen
class Tree:
    value: int
    children: tuple[Tree, ...] = ()
    parent: Tree | None = None
    named: Mapping[str, Tree] = FrozenDict()


@frozen
class Even:
    odd: Odd | None = None


@frozen
class Odd:
    even: Even | None = None


@attrs.define
class Changing:
    value: int = 0


@frozen
class Holder:
    changing: Changing


class Own(dict[str, int]):
    pass


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


UserId = NewType("UserId", str)
AdminId = NewType("AdminId", UserId)
T = typing.TypeVar("T")


def read_refusal(annotation: Any, *, handed_in: bool = False) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        ShapeReader(handed_in=handed_in).read(annotation)
    return caught.value


@pytest.mark.parametrize(
    ("annotation", "instead"),
    [
        (list, "tuple[X, ...]"),
        (list[int], "tuple[X, ...]"),
        (typing.List, "tuple[X, ...]"),  # noqa: UP006  # the old spelling is what is tested
        (typing.List[int], "tuple[X, ...]"),  # noqa: UP006  # as above
        (dict, "Mapping[K, V]"),
        (dict[str, int], "Mapping[K, V]"),
        (typing.Dict, "Mapping[K, V]"),  # noqa: UP006  # as above
        (set, "frozenset[X]"),
        (set[int], "frozenset[X]"),
        (tuple, "tuple[X, ...]"),
        (typing.Tuple, "tuple[X, ...]"),  # noqa: UP006  # as above
        (bytearray, "bytes"),
        (Sequence, "tuple[X, ...]"),
        (typing.Sequence, "tuple[X, ...]"),
        (Mapping, "Mapping[K, V]"),
        (typing.Mapping, "Mapping[K, V]"),
        (Own, "Mapping[K, V]"),
        (collections.OrderedDict, "Mapping[K, V]"),
        (collections.OrderedDict[str, int], "Mapping[K, V]"),
        (collections.deque[int], "tuple[X, ...]"),
        (types.MappingProxyType[str, int], "Mapping[K, V]"),
        (frozenset[Mapping[str, int]], "a hashable type"),
        (Mapping[Mapping[str, int], int], "a hashable type"),
        (object, "Any (for JSON values) or a closed union"),
        (T, "a concrete type"),
        (Animal, "an enum with a __hash__ (of a data class: frozen=True)"),
        (Changing, "a class made with @attrs.frozen"),
        (Holder, "a class made with @attrs.frozen"),
        (complex, "a frozen attrs class, an enum, or a plain type"),
        (Size, "a frozen attrs class, an enum, or a plain type"),
        (type[int], "a frozen attrs class, an enum, or a plain type"),
        (Callable[[int], str], "a frozen attrs class, an enum, or a plain type"),
        (Final[int], "a frozen attrs class, an enum, or a plain type"),
        (typing.Union, "a frozen attrs class, an enum, or a plain type"),
        (Literal, "a frozen attrs class, an enum, or a plain type"),
        (5, "a frozen attrs class, an enum, or a plain type"),
    ],
    ids=str,
)
def test_a_type_that_a_state_cannot_have_names_the_one_to_use(annotation: Any, instead: str) -> None:
    """Also inside another type."""
    refusal = read_refusal(annotation)
    assert refusal.instead == instead
    assert refusal.args == (refusal.found, instead)
    assert read_refusal(tuple[annotation, ...]).instead == instead


def test_a_fault_inside_a_class_names_class_and_field() -> None:
    """So that it is found where it was written."""
    assert read_refusal(Holder).found == "Changing, a class that can change in field 'changing' of Holder"


def test_what_is_handed_in_may_be_annotated_as_it_can_change() -> None:
    """`list`, `dict` and `set` in what a node returns stand for their frozen forms; nothing else is let in."""
    reader = ShapeReader(handed_in=True)
    pairs: list[tuple[Any, Any]] = [
        (list[int], [1]), (list, [1, "a"]), (typing.List, [1]), (dict[str, int], {"a": 1}), (dict, {"a": [1]}),  # noqa: UP006  # the old spelling is what is tested
        (set[int], {1}), (set, {1}), (list[dict[str, set[int]]], [{"a": {1}}]),
    ]  # fmt: skip
    for annotation, value in pairs:
        faults: list[Any] = []
        made = reader.read(annotation).admit(value, ABSENT, (), faults)
        assert faults == []
        hash(made)
    assert read_refusal(bytearray, handed_in=True).instead == "bytes"
    assert read_refusal(collections.deque[int], handed_in=True).instead == "tuple[X, ...]"


def test_spellings_of_one_type_are_one() -> None:
    """`Optional`, `Annotated`, `NewType` (of a `NewType`), aliases and `type X = ...` are read through."""
    read = ShapeReader().read
    assert read(Annotated[int, "metres"]).text == "int"
    assert read(AdminId).text == "str"
    assert read(typing_extensions.TypeAliasType("Number", int)).text == "int"
    assert read(Optional[int]).quick == read(int | None).quick == {int, type(None)}  # noqa: UP045  # as above
    assert read(None).members() == read(type(None)).members() == (None,)
    assert isinstance(read(tuple[()]), FixedTupleShape)
    assert isinstance(read(Sequence[int]), TupleShape)
    assert read(frozenset).text == read(collections.abc.Set[Any]).text.replace("Set[Any]", "frozenset") == "frozenset"
    assert isinstance(read(Any), JsonShape)
    assert isinstance(read(Building), ClosedShape)


def test_a_flag_is_open() -> None:
    """Its combinations are values too, so it has no members to branch on."""
    shape = ShapeReader().read(Mode)
    faults: list[Any] = []
    assert shape.admit(both := Mode.READ | Mode.WRITE, ABSENT, (), faults) is both
    assert faults == []
    assert shape.members() is None


def test_a_class_is_read_once() -> None:
    """One reader gives the same shape for the same class, which is what ends a recursion."""
    reader = ShapeReader()
    shape = reader.read(Tree)
    assert isinstance(shape, ClassShape)
    assert reader.read(Tree) is shape
    inner = {name: part for name, _, part in shape.fields}
    assert isinstance(inner["children"], TupleShape)
    assert inner["children"].item is shape
    assert isinstance(reader.read(Even), ClassShape)


def test_recursive_values_are_checked_to_the_leaves() -> None:
    """A class may hold itself, or another that holds it."""
    faults: list[Any] = []
    good = Tree(1, (Tree(2, (), Tree(3)),), None, FrozenDict(a=Tree(4)))
    assert ShapeReader().read(Tree).admit(good, ABSENT, ("f",), faults) is good
    bad: Any = Tree(1, (Tree(2, (), Tree("x")),))  # type: ignore[arg-type]  # wrong on purpose
    ShapeReader().read(Tree).admit(bad, ABSENT, ("f",), faults)
    assert ["".join(str(fault)).split(":")[0] for fault in faults] == ["f.children[0].parent.value"]


def test_annotations_are_written_as_in_source_code() -> None:
    """Without the modules of `typing` and `collections.abc`."""
    assert show_annotation(None.__class__) == "None"
    assert show_annotation(Tree) == "Tree"
    assert show_annotation(Mapping[str, int]) == "Mapping[str, int]"
    assert show_annotation(Optional[int]) == "Optional[int]"  # noqa: UP045  # as above


# -- which classes are frozen


def test_frozen_classes_are_told_from_those_that_change() -> None:
    """By what their assignment does: a subclass of a frozen class is frozen, unless it opens it again."""

    class Plain(Tree):
        pass

    class Opened(Tree):
        def __setattr__(self, name: str, value: object) -> None:
            object.__setattr__(self, name, value)

    assert is_frozen(Tree)
    assert is_frozen(attrs.frozen(slots=False)(type("Loose", (), {})))
    assert is_frozen(Plain)
    assert not is_frozen(Opened)
    assert not is_frozen(Changing)
    assert not is_frozen(int)


# -- names written as text


def test_names_as_text_are_read_at_any_depth() -> None:
    """The whole annotation or a name inside; text in a `Literal` and beside `Annotated` stands for itself."""
    assert read_field_types(Quoted) == {
        "whole": int,
        "inside": tuple[Quoted, ...],
        "optional": Optional[Quoted],  # noqa: UP045  # as above
        "literal": Literal["Nowhere"],
        "noted": Annotated[int, "Nowhere"],
    }


Quoted: Any = attrs.make_class(
    "Quoted",
    {
        "whole": attrs.field(type="int"),  # type: ignore[call-overload]  # text on purpose
        "inside": attrs.field(type=tuple["Quoted", ...]),  # type: ignore[misc]  # as above
        "optional": attrs.field(type=Optional["Quoted"]),
        "literal": attrs.field(type=Literal["Nowhere"]),
        "noted": attrs.field(type=Annotated[int, "Nowhere"]),
    },
    frozen=True,
)
Quoted.__module__ = __name__


def test_text_that_is_no_name_is_left_alone() -> None:
    """A class without names as text is not evaluated at all, so a `Literal` needs no name in the module."""
    made: Any = attrs.make_class("Made", {"one": attrs.field(type=Literal["Nowhere"])}, frozen=True)
    assert read_field_types(made) == {"one": Literal["Nowhere"]}


def test_a_name_that_is_not_in_the_module_is_refused() -> None:
    """A local class cannot be found from its text; the finding says so. By itself it is read like any other."""

    @frozen
    class Local:
        value: int = 0

    @frozen
    class Asks:
        local: Local

    with pytest.raises(Unreadable, match="Local") as caught:
        read_field_types(Asks)
    assert caught.value.instead.startswith("types that are importable at module level (not local classes")
    made: Any = attrs.make_class("Made", {"local": attrs.field(type=Local)}, frozen=True)
    assert read_field_types(made) == {"local": Local}
    assert isinstance(ShapeReader().read(made), ClassShape)


@pytest.mark.parametrize("text", ["int |", "int | 5", "typing.Nope", "Nowhere"])
def test_a_text_that_cannot_be_evaluated_is_refused(text: str) -> None:
    """Whatever it raises, the finding names the class and what Python said."""
    made: Any = attrs.make_class("Made", {"one": attrs.field(type=text)}, frozen=True)  # type: ignore[call-overload]  # text on purpose
    made.__module__ = __name__
    with pytest.raises(Unreadable, match="an annotation of Made that cannot be read"):
        read_field_types(made)


def test_every_field_has_a_type() -> None:
    """One without is refused; None is a type, and a class variable is no field."""

    @frozen
    class WithNone:
        nothing: None = None
        shared: ClassVar[list[int]] = []

    assert read_field_types(WithNone) == {"nothing": type(None)}
    direct: Any = attrs.make_class("Direct", {"nothing": attrs.field(type=None)}, frozen=True)
    direct.__annotations__ = {"nothing": None}
    assert read_field_types(direct) == {"nothing": None}
    with pytest.raises(Unreadable, match="field 'value' of Untyped without a type"):
        read_field_types(attrs.make_class("Untyped", ["value"], frozen=True))


# -- annotations of functions


def test_annotations_of_functions_are_evaluated_where_they_stand() -> None:
    """With the names of the module, and those that the closure holds."""

    class Known:
        pass

    def plain(state: int) -> Tree: ...  # type: ignore[empty-body]  # never called

    def nested(state: int) -> Optional[Tree]: ...  # noqa: UP045  # as above

    def closed(state: int) -> Known | None:
        return Known()

    assert read_hints(plain, ("return",)) == {"return": Tree}
    assert read_hints(plain, ("state", "nope")) == {"state": int}
    assert read_hints(nested, ("return",)) == {"return": Optional[Tree]}  # noqa: UP045  # as above
    assert read_hints(closed, ("return",)) == {"return": Known | None}
    assert read_hints(len, ("return",)) == {}


def test_a_name_of_the_closure_without_a_value_yet_is_passed_over() -> None:
    """A node may name the graph that it is being built into; its annotation is read all the same."""

    def make() -> dict[str, Any]:
        def work(state: int) -> Tree | None:
            return later

        hints = read_hints(work, ("return",))
        later = None
        return hints

    assert make() == {"return": Tree | None}


def test_a_name_that_is_nowhere_is_told() -> None:
    """As Python tells it; the reader of nodes turns it into a finding."""

    def work(state: int) -> Nowhere: ...  # type: ignore[name-defined]  # noqa: F821  # wrong on purpose

    with pytest.raises(NameError, match="Nowhere"):
        read_hints(work, ("return",))


def test_texts_inside_an_annotation_of_a_function_are_evaluated() -> None:
    """`Optional["Tree"]` is no text itself, and still holds one."""

    def work(state: int) -> None: ...

    work.__annotations__["return"] = Optional[ForwardRef("Tree")]  # noqa: UP045  # as above
    assert read_hints(work, ("return",)) == {"return": Optional[Tree]}  # noqa: UP045  # as above


def test_decorators_are_seen_through() -> None:
    """However many there are, and wherever they were written, the function's own names count."""

    def decorate(function: Any) -> Any:
        exec(  # noqa: S102  # a decorator of a module without this one's names
            "def wrapper(*args): return function(*args)", elsewhere := {"function": function}
        )
        return functools.wraps(function)(elsewhere["wrapper"])

    @decorate
    @decorate
    def work(state: int) -> Tree | None: ...

    assert read_hints(work, ("return",)) == {"return": Tree | None}
