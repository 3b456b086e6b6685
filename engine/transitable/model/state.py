"""The state class, described: its fields, their shapes, and how the next state is built.

Responsible for: reading a frozen attrs class once (`describe_state`), checking a state handed in, and building states
through the class's own `__init__`. Not for: which place may write which field (`transitable.model.table`).
"""

from __future__ import annotations

from operator import attrgetter, contains, is_
from typing import TYPE_CHECKING, Any, TypeVar, overload
from weakref import WeakKeyDictionary

import attrs

from transitable.errors import StateError
from transitable.model.annotations import ShapeReader, Unreadable, is_frozen, read_field_types
from transitable.model.shapes import (
    ABSENT,
    NOTHING,
    Attribute,
    ClassShape,
    Fault,
    Shape,
    TupleShape,
    UnionShape,
    admit_foreign,
    show_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
GROWS = "transitable.grows"
"""The key in an attrs field's metadata that marks a field made by `grows()`."""


@overload
def grows() -> tuple[Any, ...]: ...
@overload
def grows(default: tuple[T, ...]) -> tuple[T, ...]: ...
def grows(default: tuple[Any, ...] = ()) -> Any:
    """Declare a tuple field that only ever grows: an update of it holds the *new* items, and the engine appends them.

    Args:
        default: What a state starts with; empty by default.

    >>> @attrs.frozen
    ... class Notes:
    ...     errors: tuple[str, ...] = grows()
    """
    return attrs.field(default=default, metadata={GROWS: True})


MOST_REMEMBERED = 256
"""How many combinations of field types a state class remembers as sound."""


class Slot:
    """One field as a place may write it."""

    __slots__ = ("appends", "index", "name", "narrow", "quick", "shape")

    def __init__(self, name: str, index: int, shape: Shape, *, appends: bool, narrow: Shape | None = None) -> None:
        self.name = name
        self.index = index
        self.shape = shape
        self.appends = appends
        self.narrow = narrow
        """What the place declares to write where that is narrower than the field; None when it is the field's own type."""
        self.quick = NOTHING if appends else shape.quick if narrow is None else shape.quick & narrow.quick
        """The exact types that need no further look."""

    def admit(self, value: Any, old: Any, faults: list[Fault]) -> Any:
        """Freeze and check a value for this field; for a growing field, append its items to the old ones."""
        new = self.admit_part(value, old, faults)
        if not self.appends:
            return new
        return old + new if type(new) is tuple and new else old

    def admit_part(self, value: Any, old: Any, faults: list[Fault]) -> Any:
        """Freeze and check a value for this field; of a growing field that is the new items, not yet appended."""
        path, before = (self.name,), len(faults)
        if self.narrow is not None:
            admit_foreign(self.narrow, value, ABSENT, path, faults)
        if len(faults) > before:
            return value
        return admit_foreign(self.shape, value, ABSENT if self.appends else old, path, faults)


class StateModel:
    """A state class, described once; immutable after `describe_state` made it.

    `problems` is empty for a class that can be a state; otherwise the model is only good for reporting them.
    """

    __slots__ = (
        "_exact",
        "_make_parts",
        "_passed",
        "_quicks",
        "_read_quick",
        "_rechecked",
        "_slow",
        "builder",
        "cls",
        "derived",
        "grown",
        "index",
        "names",
        "problems",
        "read",
        "shapes",
    )

    def __init__(
        self,
        cls: type,
        shapes: Mapping[str, Shape],
        grown: frozenset[str],
        problems: tuple[tuple[str, str, str], ...] = (),
    ) -> None:
        self.cls = cls
        self.shapes = dict(shapes)
        self.names = tuple(self.shapes)
        self.index = {name: position for position, name in enumerate(self.names)}
        self.grown = grown
        self.derived = frozenset(field.name for field in _list_fields(cls) if not field.init)
        """The fields that the class sets itself (`init=False`); nobody else writes them."""
        self.problems = problems
        """Code, what was found and what to use instead, for each reason why this class cannot be a state."""
        quick = {name: shape.quick for name, shape in self.shapes.items() if shape.quick}
        self._quicks = tuple(quick.values())
        self._passed: set[tuple[type, ...]] = set()
        self._read_quick = make_reader(tuple(quick))
        self._slow = tuple((name, shape) for name, shape in self.shapes.items() if name not in quick)
        self.read = make_reader(self.names)
        """Reads all fields of a state, in the order of `names`, as a tuple."""
        self._exact, self._rechecked, self._make_parts = _read_init(cls)
        self.builder: Callable[..., Any] | None = cls if self._exact and not self._rechecked else None
        """The class itself where `cls(*values)` builds a state and nothing needs another look; None otherwise."""

    def __repr__(self) -> str:
        return f"StateModel({self.cls.__qualname__})"

    def make(self, values: list[Any], faults: list[Fault], counts: tuple[int, ...] = ()) -> Any:
        """Build a state from the values of all fields, through the class's own `__init__`.

        What a converter, a hook or a hand-written `__init__` made of the values is checked as well; it must not touch
        growing fields, nor those at `counts`.
        """
        try:
            if self._exact:
                made = self.cls(*values)
            else:
                made = self.cls(**{parameter: values[position] for parameter, position in self._make_parts})
        except Exception as error:  # noqa: BLE001  # validators and converters of the user may raise anything
            faults.append(
                Fault(
                    ("(state)",),
                    f"values that {self.cls.__qualname__} refuses",
                    f"what its own __init__ accepts ({error})",
                )
            )
            return None
        for name in self._rechecked:
            value, position = getattr(made, name), self.index[name]
            if value is values[position]:
                continue
            if name in self.grown or position in counts:
                came = f"{show_value(value)}, made by the class itself"
                faults.append(
                    Fault((name,), came, f"{show_value(values[position])}; only the engine writes this field")
                )
            else:
                self._recheck(name, value, faults)
        return made

    def _recheck(self, name: str, value: Any, faults: list[Fault]) -> None:
        found: list[Fault] = []
        kept = admit_foreign(self.shapes[name], value, ABSENT, (name,), found)
        if found or kept is not value:
            expected = f"{self.shapes[name].text}, frozen, also from a converter or __attrs_post_init__"
            faults.append(Fault((name,), f"{show_value(value)}, made by the class itself", expected))

    def admit(self, state: Any, counts: tuple[int, ...] = ()) -> Any:
        """Check and freeze a state handed in; the fields at `counts` are set to 0, where every run starts.

        Raises:
            StateError: If it is of another class, or a field does not fit; all faults at once.
        """
        if type(state) is not self.cls:
            raise StateError(
                self.cls.__qualname__, (Fault((), show_value(state), f"an instance of {self.cls.__qualname__}"),)
            )
        kinds = tuple(map(type, self._read_quick(state)))
        if kinds in self._passed or self._learn(kinds):
            faults: list[Fault] = []
            try:
                for name, shape in self._slow:
                    came = getattr(state, name)
                    if shape.admit(came, ABSENT, (), faults) is not came or faults:
                        return self._admit_slowly(state, counts)
            except Exception:  # noqa: BLE001  # foreign mappings may raise anything; told with its path by the full look
                return self._admit_slowly(state, counts)
            for position in counts:
                if getattr(state, self.names[position]):
                    return self._admit_slowly(state, counts)
            return state
        return self._admit_slowly(state, counts)

    def _learn(self, kinds: tuple[type, ...]) -> bool:
        """Tell whether values of these types need no further look, and remember a yes."""
        if not all(map(contains, self._quicks, kinds)):
            return False
        if len(self._passed) >= MOST_REMEMBERED:
            self._passed.clear()
        self._passed.add(kinds)
        return True

    def _admit_slowly(self, state: Any, counts: tuple[int, ...]) -> Any:
        faults: list[Fault] = []
        came = self.read(state)
        values = list(came)
        for position, (name, shape) in enumerate(self.shapes.items()):
            if type(came[position]) not in shape.quick:
                values[position] = admit_foreign(shape, came[position], ABSENT, (name,), faults)
        for position in counts:
            values[position] = 0
        if not faults and all(map(is_, values, came)):
            return state
        made = None if faults else self.make(values, faults, counts)
        if faults:
            raise StateError(self.cls.__qualname__, tuple(faults))
        return made

    def restart(self, state: Any, counts: tuple[int, ...]) -> Any:
        """Set the fields at `counts` to 0 in a state that has been checked before.

        Raises:
            StateError: If its own `__init__` refuses that.
        """
        if not any(getattr(state, self.names[position]) for position in counts):
            return state
        faults: list[Fault] = []
        values = [0 if position in counts else value for position, value in enumerate(self.read(state))]
        made = self.make(values, faults, counts)
        if faults:
            raise StateError(self.cls.__qualname__, tuple(faults))
        return made

    def shape_at(self, path: tuple[str, ...], root: Shape | None = None) -> tuple[Shape | None, str | None]:
        """Follow a dotted path into nested classes.

        Args:
            path: Field names, outermost first.
            root: The shape to use for the first field, where a place declares a narrower one; None for the field's own.

        Returns:
            The shape at its end and None; or None and the name that is not there.
        """
        shape = root or self.shapes.get(path[0])
        if shape is None:
            return None, path[0]
        for name in path[1:]:
            shape = _step_into(shape, name)
            if shape is None:
                return None, name
        return shape, None


def _step_into(shape: Shape, name: str) -> Shape | None:
    """Find the shape of a field of a nested class; through a union, that of every part, None included."""
    if isinstance(shape, ClassShape):
        return next((inner for field, _, inner in shape.fields if field == name), None)
    if not isinstance(shape, UnionShape):
        return None
    parts: list[Shape] = []
    for part in shape.shapes:
        if part.members() == (None,):
            parts.append(part)
            continue
        inner = _step_into(part, name)
        if inner is None:
            return None
        parts.append(inner)
    return UnionShape(" | ".join(part.text for part in parts), tuple(parts))


def make_reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Make the function that reads these attributes of an object as a tuple."""
    if not names:
        return lambda _state: ()
    getter = attrgetter(*names)
    if len(names) == 1:
        return lambda state: (getter(state),)
    return getter


def _has_made_init(cls: Any) -> bool:
    """Tell whether `__init__` is the one that attrs made, so that values can go in by position."""
    code = getattr(cls.__init__, "__code__", None)
    return code is not None and code.co_filename.startswith("<attrs generated")


def _read_init(cls: type) -> tuple[bool, tuple[str, ...], tuple[tuple[str, int], ...]]:
    """Say how a class is built: by position or not, which fields it may alter itself, and its parameters' positions."""
    fields = _list_fields(cls)
    exact = all(field.init and not field.kw_only for field in fields) and _has_made_init(cls)
    altered = tuple(field.name for field in fields if field.converter is not None or _may_alter(cls))
    parts = tuple((field.alias or field.name, position) for position, field in enumerate(fields) if field.init)
    return exact, altered, parts


def _list_fields(cls: type) -> tuple[Any, ...]:
    """List the `attrs.Attribute`s of a class; none of one that is no attrs class."""
    return attrs.fields(cls) if attrs.has(cls) else ()


def _may_alter(cls: type) -> bool:
    """Tell whether building may set fields otherwise than by position: by hooks, validators or defaults of its own."""
    own = any(field.validator is not None or not field.init for field in _list_fields(cls))
    return own or hasattr(cls, "__attrs_post_init__") or not _has_made_init(cls)


DESCRIBED: WeakKeyDictionary[type, StateModel] = WeakKeyDictionary()
"""Classes that have been read; a class and its model never change."""


def describe_state(cls: Any) -> StateModel:
    """Read a state class, once; what is wrong with it is in the model's `problems`, for the checks to report."""
    if not isinstance(cls, type):
        return _read_class(cls)
    known = DESCRIBED.get(cls)
    if known is None:
        known = DESCRIBED[cls] = _read_class(cls)
    return known


def _read_class(cls: Any) -> StateModel:
    if not isinstance(cls, type) or not attrs.has(cls):
        name = getattr(cls, "__qualname__", repr(cls))
        return StateModel(
            object, {}, frozenset(), (("state-not-frozen", f"{name} is not an attrs class", "@attrs.frozen"),)
        )
    problems: list[tuple[str, str, str]] = []
    if not is_frozen(cls):
        problems.append(("state-not-frozen", f"{cls.__qualname__} can change", "@attrs.frozen"))
    try:
        types = read_field_types(cls)
    except Unreadable as problem:
        return StateModel(cls, {}, frozenset(), (*problems, ("unreadable-field", problem.found, problem.instead)))
    reader = ShapeReader()
    shapes: dict[str, Shape] = {}
    grown: set[str] = set()
    for field in attrs.fields(cls):
        try:
            shapes[field.name] = shape = reader.read(types[field.name])
        except Unreadable as problem:
            problems.append(("unreadable-field", f"field {field.name!r}: {problem.found}", problem.instead))
            shapes[field.name] = shape = Shape("?")
        if field.metadata.get(GROWS):
            grown.add(field.name)
            if not isinstance(shape, TupleShape):
                problems.append(("grows-not-tuple", f"field {field.name!r} grows and is {shape.text}", "tuple[X, ...]"))
    return StateModel(cls, shapes, frozenset(grown), tuple(problems))


__all__ = ["Attribute", "Slot", "StateModel", "describe_state", "grows", "make_reader"]
