"""Shapes: how a value of a declared type is checked and frozen.

A `Shape` is made once from an annotation (`transitable.model.annotations` does that) and asked at every update.
Responsible for: exact types down to the leaves, freezing lists, sets and dicts on the way in, and saying where a value
does not fit. Not for: which fields a class has; see `transitable.model.state`.

Every shape answers one question, `admit(value, old, path, faults)`: the frozen value, or, with a `Fault` added to
`faults`, something that must not be used. A part that is the very object that stood there before (`old`) is not looked
at again, so the cost of an update follows what changed.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, NamedTuple, TypeGuard

from transitable.errors import find_nearest
from transitable.model.frozen import FrozenDict

Path = tuple[object, ...]
"""Where a value stands: field name first, then indexes, keys and field names."""

NOTHING: frozenset[type] = frozenset()
JSON_LEAVES: frozenset[type] = frozenset({str, int, float, bool, type(None)})
DICT: type[dict[str, Any]] = dict
"""`dict` with the types of an update's items, so that type checkers know them after `type(update) is DICT`."""
TUPLE: type[tuple[Any, ...]] = tuple
"""`tuple` with the type of its items, as above."""
FROZEN_SET: type[frozenset[Any]] = frozenset
"""`frozenset` with the type of its items, as above."""
FROZEN_DICT: type[FrozenDict[Any, Any]] = FrozenDict
"""`FrozenDict` with the types of its items, as above."""
TEXT: frozenset[type] = frozenset({str})


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a value is a list; with the type of its items, for type checkers."""
    return isinstance(value, list)


def is_set(value: object) -> TypeGuard[AbstractSet[Any]]:
    """Tell whether a value is a set or frozenset; with the type of its items, for type checkers."""
    return isinstance(value, AbstractSet)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell whether a value is a mapping; with the types of its items, for type checkers."""
    return isinstance(value, Mapping)


class Fault(NamedTuple):
    """One place where a value does not fit."""

    path: Path
    """Where: field name first, then indexes and keys."""
    came: str
    """What came, with its type."""
    expected: str
    """What was expected, and what to write instead where that helps."""
    nearest: str | None = None
    """The known name that looks most like the one given; None when none does."""

    def __str__(self) -> str:
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        return f"{show_path(self.path)}: came {self.came}, expected {self.expected}{hint}"


def show_path(path: Path) -> str:
    """Write a path as Python would: `calls[0].name`, `metadata['user']`."""
    head, *rest = path or ("(state)",)
    parts = [str(head)]
    parts.extend(part.text if isinstance(part, Attribute) else f"[{part!r}]" for part in rest)
    return "".join(parts)


class Attribute(str):
    """A path part that is a field of a nested class, not a key."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """The part as it is written in a path."""
        return f".{self}"


def show_value(value: object) -> str:
    """Show a value and its type in at most some 80 characters."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  # a foreign __repr__ may do anything; the message must still come
        text = f"<no repr: {type(error).__name__}>"
    if len(text) > 60:
        text = f"{text[:57]}..."
    return f"{text} ({type(value).__qualname__})"


class Shape:
    """The base of all shapes: an exact type."""

    __slots__ = ("quick", "text")

    def __init__(self, text: str, quick: frozenset[type] = NOTHING) -> None:
        self.text = text
        self.quick = quick
        """The exact types whose values are admitted as they are."""

    def admit(self, value: Any, _old: Any, path: Path, faults: list[Fault]) -> Any:
        """Give back the frozen value; when it does not fit, add to `faults` instead."""
        if type(value) not in self.quick:
            faults.append(Fault(path, show_value(value), self.hint(value)))
        return value

    def hint(self, value: object) -> str:
        """Say what is expected, and for a subclass of it how to get there."""
        for wanted in self.quick:
            if isinstance(value, wanted) and not isinstance(value, bool) and not issubclass(wanted, enum.Enum):
                return f"{self.text}, exactly; a subclass cannot be stored and come back the same, write {wanted.__name__}(value)"
        return self.text

    def members(self) -> tuple[object, ...] | None:
        """List the values of a closed type in declaration order; None when the type is open."""
        return None


class FloatShape(Shape):
    """A float; an int becomes one, a bool is refused."""

    __slots__ = ()

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Turn an int into a float, else check the type."""
        if type(value) is int:
            try:
                return float(value)
            except OverflowError:
                faults.append(
                    Fault(path, f"an int of {value.bit_length()} bits", "float; this int is too large for one")
                )
                return value
        return super().admit(value, old, path, faults)


class ClosedShape(Shape):
    """A closed set of values: an enum, a `Literal`, a bool or None."""

    __slots__ = ("_known", "_members")

    def __init__(self, text: str, members: tuple[object, ...], quick: frozenset[type] = NOTHING) -> None:
        super().__init__(text, quick)
        self._members = members
        self._known = frozenset((type(member), member) for member in members)

    def admit(self, value: Any, _old: Any, path: Path, faults: list[Fault]) -> Any:
        """Check that the value is a member, by type and value."""
        try:
            known = (type(value), value) in self._known
        except TypeError:  # not hashable, so not a member
            known = False
        if not known:
            faults.append(Fault(path, show_value(value), self.text, find_nearest(value, self._members)))
        return value

    def members(self) -> tuple[object, ...]:
        """List the members in declaration order."""
        return self._members


class TupleShape(Shape):
    """`tuple[X, ...]`; a list becomes a tuple."""

    __slots__ = ("item",)

    def __init__(self, text: str, item: Shape) -> None:
        super().__init__(text)
        self.item = item

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Freeze a list, and check the items from the first that is not the old one."""
        if value is old:
            return value
        if type(value) is not TUPLE:
            if not is_list(value):
                faults.append(Fault(path, show_value(value), f"{self.text} (a list or tuple)"))
                return value
            value = tuple(value)
        quick = self.item.quick
        if not value or (quick and quick.issuperset(map(type, value))):
            return value
        known = old if type(old) is TUPLE else ()
        start = count_same(value, known)
        if start == len(value):
            return value
        kept = len(known)
        fresh = [
            item
            if type(item) in quick
            else self.item.admit(item, known[index] if index < kept else ABSENT, (*path, index), faults)
            for index, item in enumerate(value[start:], start)
        ]
        if start + count_same(tuple(fresh), value[start:]) == len(value):
            return value
        return value[:start] + tuple(fresh)


class FixedTupleShape(Shape):
    """`tuple[X, Y]`; a list becomes a tuple."""

    __slots__ = ("items",)

    def __init__(self, text: str, items: tuple[Shape, ...]) -> None:
        super().__init__(text)
        self.items = items

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Check the length, then each item by its own shape."""
        if value is old:
            return value
        if not (type(value) is TUPLE or is_list(value)) or len(value) != len(self.items):
            faults.append(Fault(path, show_value(value), f"{self.text} ({len(self.items)} items)"))
            return value
        known = old if type(old) is TUPLE and len(old) == len(self.items) else (ABSENT,) * len(self.items)
        made = tuple(
            shape.admit(item, before, (*path, index), faults)
            for index, (shape, item, before) in enumerate(zip(self.items, value, known, strict=True))
        )
        return value if isinstance(value, tuple) and count_same(made, value) == len(made) else made


class FrozenSetShape(Shape):
    """`frozenset[X]`; a set becomes a frozenset."""

    __slots__ = ("item",)

    def __init__(self, text: str, item: Shape) -> None:
        super().__init__(text)
        self.item = item

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Freeze a set, and check its items."""
        if value is old:
            return value
        if not is_set(value) or is_mapping(value):
            faults.append(Fault(path, show_value(value), f"{self.text} (a set or frozenset)"))
            return value
        quick = self.item.quick
        fresh = [
            (item, self.item.admit(item, ABSENT, (*path, item), faults)) for item in value if type(item) not in quick
        ]
        if type(value) is FROZEN_SET and all(made is item for item, made in fresh):
            return value
        return frozenset((*(item for item in value if type(item) in quick), *(made for _, made in fresh)))


class MappingShape(Shape):
    """`Mapping[K, V]`; any mapping becomes a `FrozenDict`."""

    __slots__ = ("key", "value")

    def __init__(self, text: str, key: Shape, value: Shape) -> None:
        super().__init__(text)
        self.key = key
        self.value = value

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Freeze the mapping, and check keys and the values that are not the old ones."""
        if value is old or (type(value) is FROZEN_DICT and self._is_quick(value)):
            return value
        if not is_mapping(value):
            faults.append(Fault(path, show_value(value), f"{self.text} (a mapping)"))
            return value
        known: Mapping[Any, Any] = old if type(old) is FROZEN_DICT else {}
        changed = type(value) is not FROZEN_DICT
        frozen: dict[Any, Any] = {}
        for key, item in value.items():
            here = (*path, key)
            made = (
                item if item is known.get(key, ABSENT) else self.value.admit(item, known.get(key, ABSENT), here, faults)
            )
            name = self.key.admit(key, ABSENT, here, faults)
            changed = changed or made is not item or name is not key
            frozen[name] = made
        return FrozenDict(frozen) if changed else value

    def _is_quick(self, value: Mapping[Any, Any]) -> bool:
        """Tell whether all keys and values are of types that need no further look."""
        return self.value.quick.issuperset(map(type, value.values())) and self.key.quick.issuperset(map(type, value))


class ClassShape(Shape):
    """A frozen attrs class, exactly; its fields are checked as well, and frozen by building it anew where needed."""

    __slots__ = ("cls", "fields")

    def __init__(self, cls: type) -> None:
        super().__init__(cls.__qualname__)
        self.cls = cls
        self.fields: tuple[tuple[str, str | None, Shape], ...] = ()
        """Name, parameter name (None when the class sets the field itself) and shape; filled by the reader of annotations."""

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Check every field; where one had to be frozen, build the value anew through its own `__init__`."""
        if value is old:
            return value
        if type(value) is not self.cls:
            faults.append(Fault(path, show_value(value), self.describe_wrong(value)))
            return value
        same = type(old) is self.cls
        before = len(faults)
        changed = False
        made: dict[str, Any] = {}
        for name, parameter, shape in self.fields:
            came = getattr(value, name)
            was = getattr(old, name) if same else ABSENT
            fits = came is was or type(came) in shape.quick
            kept = came if fits else shape.admit(came, was, (*path, Attribute(name)), faults)
            changed = changed or kept is not came
            if parameter is not None:
                made[parameter] = kept
        if not changed or len(faults) > before:
            return value
        try:
            built = self.cls(**made)
        except Exception as error:  # noqa: BLE001  # the class's own __init__ and validators may raise anything
            faults.append(
                Fault(
                    path,
                    show_value(value),
                    f"a {self.text} that its own __init__ accepts once its parts are frozen ({error})",
                )
            )
            return value
        self._check_built(built, path, faults)
        return built

    def _check_built(self, built: Any, path: Path, faults: list[Fault]) -> None:
        """Look at what a converter or hook of the class made of frozen parts; it has to be frozen as well."""
        for name, _, shape in self.fields:
            came, here = getattr(built, name), (*path, Attribute(name))
            if shape.admit(came, ABSENT, here, faults) is not came:
                expected = f"{shape.text}, frozen, also from a converter or hook of {self.text}"
                faults.append(Fault(here, show_value(came), expected))

    def describe_wrong(self, value: object) -> str:
        """Say what is expected; a mapping is a common mistake."""
        if is_mapping(value):
            return f"an instance of {self.text}; build it with {self.text}(**mapping)"
        if isinstance(value, self.cls):
            return f"exactly {self.text}; name the subclass in a union of the field's type"
        return f"an instance of {self.text}"


class UnionShape(Shape):
    """`X | Y`: the first member that takes the value."""

    __slots__ = ("_trusts_old", "shapes")

    def __init__(self, text: str, shapes: tuple[Shape, ...]) -> None:
        super().__init__(text, frozenset[type]().union(*(shape.quick for shape in shapes)))
        self.shapes = shapes
        walking = (TupleShape, FixedTupleShape, MappingShape, JsonShape, UnionShape)
        self._trusts_old = sum(isinstance(shape, walking) for shape in shapes) < 2
        """Whether a member may skip parts of the old value: no other member can have let them in, classes apart."""

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Try the members in order; the faults told are those of the member that came closest."""
        if value is old or type(value) in self.quick:
            return value
        closest: list[Fault] = []
        for shape in self.shapes:
            trial: list[Fault] = []
            known = old if self._trusts_old or isinstance(shape, ClassShape) else ABSENT
            made = shape.admit(value, known, path, trial)
            if not trial:
                return made
            if all(len(fault.path) > len(path) for fault in trial):
                closest = trial
        faults.extend(closest or [Fault(path, show_value(value), self.text, find_nearest(value, self.members() or ()))])
        return value

    def members(self) -> tuple[object, ...] | None:
        """List the members of all parts when every part is closed, else None."""
        parts = [shape.members() for shape in self.shapes]
        if any(part is None for part in parts):
            return None
        return tuple(dict.fromkeys(member for part in parts for member in part or ()))


class JsonShape(Shape):
    """`Any`: a JSON value. Lists and tuples become tuples, mappings with str keys become `FrozenDict`s."""

    __slots__ = ()

    deepest: ClassVar[int] = 200
    """How many levels a value may nest; a list that contains itself has no end."""

    def __init__(self) -> None:
        super().__init__("a JSON value (None, bool, int, float, str, list, mapping with str keys)", JSON_LEAVES)

    def admit(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        """Freeze the value to its leaves."""
        if value is old or type(value) in JSON_LEAVES:
            return value
        if (
            type(value) is FROZEN_DICT
            and TEXT.issuperset(map(type, value))
            and JSON_LEAVES.issuperset(map(type, value.values()))
        ):
            return value
        if len(path) > self.deepest:  # raised and not told as a fault, so that the walk ends here
            raise RecursionError
        if is_list(value) or type(value) is TUPLE:
            return self._admit_items(value, old, path, faults)
        if is_mapping(value):
            return self._admit_mapping(value, old, path, faults)
        faults.append(
            Fault(path, show_value(value), f"{self.text}; declare the type in the state class instead of Any")
        )
        return value

    def _admit_items(self, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
        if type(value) is TUPLE and JSON_LEAVES.issuperset(map(type, value)):
            return value
        known = old if type(old) is TUPLE else ()
        kept = len(known)
        made = tuple(
            self.admit(item, known[index] if index < kept else ABSENT, (*path, index), faults)
            for index, item in enumerate(value)
        )
        return value if type(value) is TUPLE and count_same(made, value) == len(value) else made

    def _admit_mapping(self, value: Mapping[Any, Any], old: Any, path: Path, faults: list[Fault]) -> Any:
        known: Mapping[Any, Any] = old if type(old) is FROZEN_DICT else {}
        changed = type(value) is not FROZEN_DICT
        frozen: dict[str, Any] = {}
        for key, item in value.items():
            if type(key) is not str:
                faults.append(Fault(path, f"the key {show_value(key)}", "keys of type str, as JSON has them"))
            made = self.admit(item, known.get(key, ABSENT), (*path, key), faults)
            changed = changed or made is not item
            frozen[key] = made
        return FrozenDict(frozen) if changed else value


class _Absent:
    """The class of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()
"""Stands for "there was no old value"; no value of a state is ever this object."""


def count_same(new: tuple[Any, ...], old: tuple[Any, ...]) -> int:
    """Count the leading items that are the very same objects."""
    same = 0
    for left, right in zip(new, old, strict=False):
        if left is not right:
            break
        same += 1
    return same


def admit_foreign(shape: Shape, value: Any, old: Any, path: Path, faults: list[Fault]) -> Any:
    """Ask a shape about a value that somebody handed in; one that has no end or cannot be read is a fault as well.

    Args:
        shape: The shape.
        value: What came.
        old: What stood there before, already frozen; `ABSENT` for nothing.
        path: Where the value stands.
        faults: Takes what is wrong.
    """
    try:
        return shape.admit(value, old, path, faults)
    except RecursionError:
        faults.append(Fault(path, "a value nested too deeply to walk", "a value with an end"))
    except Exception as error:  # noqa: BLE001  # mappings, sets and hashes of foreign classes may raise anything
        faults.append(Fault(path, f"a value that cannot be read ({type(error).__name__}: {error})", shape.text))
    return value
