"""States as JSON and back, by the types of the state class.

Responsible for: `state_to_json` and `state_from_json`, which are exact inverses, strict, and tell every fault with its
path; `Codec`, the same for some fields of a class. What is loaded is data: nothing is imported, evaluated or found by
name, and the classes are those that the state class's annotations name. Not for: the text forms of plain types
(`transitable.journal.leaves`), nor for files and records.

Forms of types with parts (those of plain types are in `leaves`):

| type | JSON |
| --- | --- |
| enum | its value when all values are text, int or bool and none is written like another, else its name; flags their number |
| `Literal` | the value, by the rules of its type |
| `tuple`, `frozenset` | a list; a set's items are sorted, so that equal sets give equal text |
| `Mapping[str, V]` | an object |
| `Mapping` with other keys | a list of pairs |
| frozen attrs class | an object of its fields |
| union | as its member, where JSON shows which one it is; else `{"member": ...}` for every member but None |
| `Any` | the JSON value, never looked into, so that it may hold anything that looks like the forms above |

A class is a member by its name, any other type as annotated (`{"tuple[int, ...]": [1]}`). Floats under `Any` that are no
numbers stay what Python's `json` makes of them (`NaN`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs
from cattrs import ClassValidationError, Converter
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from transitable.errors import StateError, find_nearest
from transitable.journal.forms import (
    Form,
    compile_fixed_tuple,
    compile_object,
    compile_pairs,
    compile_plain,
    compile_set,
    compile_tuple,
    find_unwritable,
    is_text,
)
from transitable.journal.leaves import Misfit, take_object
from transitable.journal.unions import Union
from transitable.model.shapes import (
    Attribute,
    ClassShape,
    Fault,
    FixedTupleShape,
    FrozenSetShape,
    MappingShape,
    TupleShape,
    UnionShape,
)
from transitable.model.state import describe_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from transitable.model.shapes import Shape

S = TypeVar("S")


def state_to_json(state: Any) -> dict[str, Any]:
    """Turn a state into what `json.dumps` takes.

    The state is checked first, so lists, dicts and sets in it are taken as the frozen values that a run would hold.

    Returns:
        Every field that `__init__` takes, by name.

    Raises:
        StateError: If the state does not fit its class, or holds a value that would not come back the same; all faults.
    """
    codec = find_codec(type(state))
    try:
        admitted = codec.model.admit(state)
    except RecursionError:
        raise StateError(type(state).__qualname__, (_too_deep(()),)) from None
    return codec.write_fields({name: getattr(admitted, name) for name in codec.names})


def state_from_json(cls: type[S], data: object) -> S:
    """Build a state from what `json.loads` gave; the inverse of `state_to_json`.

    Fields with a default may be left out. Nothing is coerced but an int for a float. The state is built through the
    class's own `__init__` and then checked as any state handed in.

    Raises:
        StateError: If anything does not fit; all faults at once, each with its path.
    """
    codec = find_codec(cls)
    try:
        made = codec.read_whole(data)
    except Misfit as misfit:
        raise StateError(cls.__qualname__, _lift(misfit.faults)) from None
    except RecursionError:
        raise StateError(cls.__qualname__, (_too_deep(()),)) from None
    return cast("S", codec.model.admit(made))


def find_codec(cls: Any) -> Codec:
    """Find the codec of a state class; it is made once.

    Raises:
        StateError: If the class cannot be a state.
    """
    return _make_codec(cls)


@functools.lru_cache(maxsize=256)
def _make_codec(cls: Any) -> Codec:
    return Codec(cls)


class Codec:
    """Writes and reads fields of one state class."""

    def __init__(self, cls: type) -> None:
        self.model = describe_state(cls)
        if self.model.problems:
            name = getattr(cls, "__qualname__", repr(cls))
            raise StateError(name, tuple(Fault((), found, instead) for _, found, instead in self.model.problems))
        self.names = tuple(field.name for field in attrs.fields(cls) if field.init)
        """The fields that are written, in the order of the class: those that `__init__` takes."""
        compiler = _Compiler()
        shapes = self.model.shapes
        self._forms = {name: compiler.compile(shapes[name]) for name in self.names}
        self.read_whole = compiler.compile_class(cls, {name: shapes[name] for name in self.names}).read
        """Reads an object of all fields into an instance; raises `Misfit`."""

    def write_fields(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Write some fields; the values are those of a state that the engine has checked.

        Raises:
            StateError: If a value would not come back the same; all faults at once.
        """
        try:
            return {name: self._forms[name].write(value) for name, value in values.items()}
        except Misfit as misfit:
            found = tuple(fault for name, value in values.items() for fault in find_unwritable(value, (name,)))
            raise StateError(self.model.cls.__qualname__, found or misfit.faults) from None
        except RecursionError:
            raise StateError(self.model.cls.__qualname__, (_too_deep(()),)) from None

    def read_fields(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Read some fields; of a growing field, any run of its items.

        Raises:
            StateError: If a field is unknown or its data does not fit; all faults at once.
        """
        values: dict[str, Any] = {}
        faults: list[Fault] = []
        for name, each in data.items():
            if name not in self._forms:
                faults.append(_unknown_key(name, self.model.cls, self.names))
                continue
            try:
                values[name] = self._forms[name].read(each)
            except Misfit as misfit:
                faults.extend(misfit.below(name))
            except RecursionError:
                faults.append(_too_deep((name,)))
        if faults:
            raise StateError(self.model.cls.__qualname__, _lift(faults))
        return values


def _lift(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Make the first part of each path a plain field name, as all paths of states begin."""
    return tuple(
        fault._replace(path=(str(fault.path[0]), *fault.path[1:])) if fault.path else fault for fault in faults
    )


def _too_deep(path: tuple[object, ...]) -> Fault:
    return Fault(path, "a value nested too deeply to walk", "a value with an end")


def _unknown_key(key: object, cls: type, names: Iterable[str]) -> Fault:
    names = tuple(names)
    expected = f"a field of {cls.__qualname__} ({', '.join(names) or 'it has none'})"
    return Fault((Attribute(key),), "a key that is no field", expected, find_nearest(key, names))


class _Compiler:
    """Makes forms of shapes; the form of a class is made once, when it is first used, so that recursive ones have an end."""

    def __init__(self) -> None:
        self.converter = Converter(detailed_validation=True, forbid_extra_keys=True)
        self.classes: dict[type, Form] = {}

    def compile(self, shape: Shape) -> Form:
        """Make the form of a shape."""
        if isinstance(shape, ClassShape):
            if shape.cls not in self.classes:
                self.classes[shape.cls] = self.defer_class(shape)
            return self.classes[shape.cls]
        if isinstance(shape, UnionShape):
            return Union(shape, self.compile).form
        if isinstance(shape, TupleShape):
            return compile_tuple(self.compile(shape.item))
        if isinstance(shape, FixedTupleShape):
            return compile_fixed_tuple(shape.text, tuple(self.compile(item) for item in shape.items))
        if isinstance(shape, FrozenSetShape):
            return compile_set(self.compile(shape.item))
        if isinstance(shape, MappingShape):
            key, value = self.compile(shape.key), self.compile(shape.value)
            return compile_object(key, value) if is_text(shape.key) else compile_pairs(key, value)
        return compile_plain(shape)

    def defer_class(self, shape: ClassShape) -> Form:
        """Make the form of a nested class when the first value comes."""

        @functools.cache
        def make() -> Form:
            return self.compile_class(shape.cls, {name: each for name, parameter, each in shape.fields if parameter})

        def write(value: Any) -> Any:
            return make().write(value)

        def read(data: Any) -> Any:
            return make().read(data)

        return Form(write, read)

    def compile_class(self, cls: type, shapes: Mapping[str, Shape]) -> Form:
        """Make the form of a class from those of its fields."""
        overrides = {name: self.make_override(shape) for name, shape in shapes.items()}
        write: Callable[[Any], Any] = make_dict_unstructure_fn(cls, self.converter, **overrides)
        structure = cast(
            "Callable[[Any, Any], Any]",
            make_dict_structure_fn(cls, self.converter, _cattrs_forbid_extra_keys=True, **overrides),
        )

        def read(data: Any) -> Any:
            try:
                return structure(take_object(data, f"an object with the fields of {cls.__qualname__}"), cls)
            except ClassValidationError as group:
                raise Misfit(*list_faults(group, cls, shapes)) from None

        return Form(write, read)

    def make_override(self, shape: Shape) -> Any:
        """Tell cattrs how a field is written and read."""
        form = self.compile(shape)
        return override(unstruct_hook=form.write, struct_hook=lambda data, _: form.read(data))


def list_faults(group: ClassValidationError, cls: type, shapes: Mapping[str, Shape]) -> list[Fault]:
    """Turn what cattrs collected for one object into faults.

    Raises:
        RecursionError: If that is what it collected.
    """
    noted, others = group.group_exceptions()
    for error in group.exceptions:
        if isinstance(error, RecursionError):  # cattrs collects it like any other
            raise error
    faults: list[Fault] = []
    for error, note in noted:
        if isinstance(error, Misfit):
            faults.extend(error.below(Attribute(note.name)))
        else:  # the object has no such key
            expected = f"{shapes[note.name].text}; the field has no default"
            faults.append(Fault((Attribute(note.name),), "nothing", expected))
    for error in others:
        if isinstance(error, ForbiddenExtraKeysError):
            faults.extend(_unknown_key(key, cls, shapes) for key in sorted(error.extra_fields, key=str))
        else:
            faults.append(
                Fault((), f"values that {cls.__qualname__} refuses", f"what its own __init__ accepts ({error})")
            )
    return faults
