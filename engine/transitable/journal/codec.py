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

import enum
import functools
import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import attrs
from cattrs import ClassValidationError, Converter
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from transitable.errors import StateError, find_nearest
from transitable.journal.leaves import (
    READERS,
    WRITERS,
    Misfit,
    keep,
    read_float,
    read_json,
    refuse,
    write_float,
    write_json,
)
from transitable.model.frozen import FrozenDict
from transitable.model.shapes import (
    Attribute,
    ClassShape,
    ClosedShape,
    Fault,
    FixedTupleShape,
    FloatShape,
    FrozenSetShape,
    JsonShape,
    MappingShape,
    Shape,
    TupleShape,
    UnionShape,
    show_value,
)
from transitable.model.state import describe_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

S = TypeVar("S")
KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    list: "array",
    dict: "object",
}
"""What JSON shows of a value, as Python's `json` reads it."""


class Form(NamedTuple):
    """How the values of one shape are written and read; both raise `Misfit`."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def state_to_json(state: Any) -> dict[str, Any]:
    """Turn a state into what `json.dumps` takes.

    The state is checked first, so lists, dicts and sets in it are taken as the frozen values that a run would hold.

    Returns:
        Every field that `__init__` takes, by name.

    Raises:
        StateError: If the state does not fit its class, or holds a value that would not come back the same; all faults.
    """
    codec = find_codec(type(state))
    admitted = codec.model.admit(state)
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


@functools.lru_cache(maxsize=256)
def find_codec(cls: type) -> Codec:
    """Find the codec of a state class; it is made once.

    Raises:
        StateError: If the class cannot be a state.
    """
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


def find_unwritable(value: Any, path: tuple[object, ...]) -> list[Fault]:
    """Find every part of a value that would not come back the same; only needed once writing has failed."""
    if attrs.has(type(value)):
        parts = [((*path, Attribute(field.name)), getattr(value, field.name)) for field in attrs.fields(type(value))]
    elif type(value) is tuple:
        parts = [((*path, index), item) for index, item in enumerate(value)]
    elif type(value) is frozenset:
        parts = [((*path, item), item) for item in value]
    elif type(value) is FrozenDict:
        parts = [((*path, key), part) for key, item in value.items() for part in (key, item)]
    else:
        try:
            WRITERS.get(type(value), keep)(value)
        except Misfit as misfit:
            return [fault._replace(path=path) for fault in misfit.faults]
        return []
    return [fault for where, part in parts for fault in find_unwritable(part, where)]


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
            return _Union(shape, self).form
        if isinstance(shape, TupleShape):
            return compile_tuple(self.compile(shape.item))
        if isinstance(shape, FixedTupleShape):
            return compile_fixed_tuple(shape.text, tuple(self.compile(item) for item in shape.items))
        if isinstance(shape, FrozenSetShape):
            return compile_set(self.compile(shape.item))
        if isinstance(shape, MappingShape):
            key, value = self.compile(shape.key), self.compile(shape.value)
            return compile_object(key, value) if shape.key.quick == {str} else compile_pairs(key, value)
        return compile_plain(shape)

    def defer_class(self, shape: ClassShape) -> Form:
        """Make the form of a nested class when the first value comes."""

        @functools.cache
        def make() -> Form:
            return self.compile_class(shape.cls, {name: each for name, parameter, each in shape.fields if parameter})

        return Form(lambda value: make().write(value), lambda data: make().read(data))

    def compile_class(self, cls: type, shapes: Mapping[str, Shape]) -> Form:
        """Make the form of a class from those of its fields."""
        overrides = {name: self.make_override(shape) for name, shape in shapes.items()}
        write = make_dict_unstructure_fn(cls, self.converter, **overrides)
        structure = make_dict_structure_fn(cls, self.converter, _cattrs_forbid_extra_keys=True, **overrides)

        def read(data: Any) -> Any:
            if type(data) is not dict:
                raise refuse(data, f"an object with the fields of {cls.__qualname__}")
            try:
                return structure(data, cls)
            except ClassValidationError as group:
                raise Misfit(*list_faults(group, cls, shapes)) from None

        return Form(write, read)

    def make_override(self, shape: Shape) -> Any:
        """Tell cattrs how a field is written and read."""
        form = self.compile(shape)
        return override(unstruct_hook=form.write, struct_hook=lambda data, _: form.read(data))


def list_faults(group: ClassValidationError, cls: type, shapes: Mapping[str, Shape]) -> list[Fault]:
    """Turn what cattrs collected for one object into faults."""
    noted, others = group.group_exceptions()
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


def compile_plain(shape: Shape) -> Form:
    """Make the form of a shape without parts."""
    if isinstance(shape, JsonShape):
        return Form(write_json, read_json)
    if isinstance(shape, FloatShape):
        return Form(write_float, read_float)
    if isinstance(shape, ClosedShape):
        return compile_closed(shape)
    (kind,) = shape.quick
    return compile_flag(kind) if issubclass(kind, enum.Flag) else Form(WRITERS[kind], READERS[kind])


def list_forms(shape: ClosedShape) -> list[tuple[object, Any]]:
    """Pair each member of a closed type with what it is written as."""
    members = shape.members()
    kind = type(members[0])
    if shape.quick and issubclass(kind, enum.Enum):
        return list_enum_forms(kind)
    pairs = [(member, _write_member(member)) for member in members]
    return pairs if _are_distinct(pairs) else [(member, repr(member)) for member in members]


def list_enum_forms(kind: type[enum.Enum]) -> list[tuple[object, Any]]:
    """Pair each member of an enum with its value, where every value is plain and unlike the others; else with its name."""
    pairs: list[tuple[object, Any]] = [(member, member.value) for member in kind]
    plain = all(type(form) in (str, int, bool) and not find_unwritable(form, ()) for _, form in pairs)
    return pairs if plain and _are_distinct(pairs) else [(member, member.name) for member in kind]


def _write_member(member: object) -> Any:
    if isinstance(member, enum.Enum):
        return dict(list_enum_forms(type(member)))[member]
    return WRITERS[type(member)](member)


def _are_distinct(pairs: list[tuple[object, Any]]) -> bool:
    return len({(type(form), form) for _, form in pairs}) == len(pairs)


def compile_closed(shape: ClosedShape) -> Form:
    """Make the form of an enum, a `Literal`, a bool or None."""
    pairs = list_forms(shape)
    forms = {(type(member), member): form for member, form in pairs}
    members = {(type(form), form): member for member, form in pairs}
    expected = f"{shape.text}: {', '.join(json.dumps(form, ensure_ascii=False) for _, form in pairs)}"

    def write(value: Any) -> Any:
        return forms[type(value), value]

    def read(data: Any) -> Any:
        if type(data) in KINDS and not isinstance(data, (list, dict)) and (type(data), data) in members:
            return members[type(data), data]
        nearest = find_nearest(data, (form for _, form in pairs)) if isinstance(data, str) else None
        raise Misfit(Fault((), show_value(data), expected, nearest))

    return Form(write, read)


def compile_flag(kind: type[enum.Flag]) -> Form:
    """Make the form of a flag: its number."""

    def read(data: Any) -> Any:
        try:
            made = kind(READERS[int](data))
        except ValueError as error:
            raise refuse(data, f"a number of {kind.__qualname__} ({error})") from None
        if made.value != data:
            raise refuse(data, f"a number of {kind.__qualname__}; this one stands for {made.value}")
        return made

    return Form(lambda value: value.value, read)


def read_list(data: Any, expected: str) -> list[Any]:
    """Take a list as it is.

    Raises:
        Misfit: If it is none.
    """
    if type(data) is not list:
        raise refuse(data, expected)
    return cast("list[Any]", data)


def read_parts(parts: Iterable[tuple[object, Any, Callable[[Any], Any]]]) -> list[Any]:
    """Read parts, each with its place in the path and its reader.

    Raises:
        Misfit: If any does not fit; with the faults of all.
    """
    made: list[Any] = []
    faults: list[Fault] = []
    for where, data, read in parts:
        try:
            made.append(read(data))
        except Misfit as misfit:
            faults.extend(misfit.below(where))
    if faults:
        raise Misfit(*faults)
    return made


def compile_tuple(item: Form) -> Form:
    """Make the form of a tuple of any length."""
    write_item, read_item = item

    def read(data: Any) -> Any:
        return tuple(read_parts((index, each, read_item) for index, each in enumerate(read_list(data, "a list"))))

    return Form(lambda value: [write_item(each) for each in value], read)


def compile_fixed_tuple(text: str, items: tuple[Form, ...]) -> Form:
    """Make the form of a tuple of one length."""

    def write(value: Any) -> Any:
        return [form.write(each) for form, each in zip(items, value, strict=True)]

    def read(data: Any) -> Any:
        expected = f"{text}, a list of {len(items)} items"
        if len(read_list(data, expected)) != len(items):
            raise refuse(data, expected)
        return tuple(
            read_parts((index, each, form.read) for index, (each, form) in enumerate(zip(data, items, strict=True)))
        )

    return Form(write, read)


def compile_set(item: Form) -> Form:
    """Make the form of a frozenset: a list, sorted by the text of its items."""

    def write(value: Any) -> Any:
        return sorted((item.write(each) for each in value), key=functools.partial(json.dumps, sort_keys=True))

    def read(data: Any) -> Any:
        parts = read_list(data, "a list")
        made = read_parts((index, each, item.read) for index, each in enumerate(parts))
        return _freeze(frozenset, made, data)

    return Form(write, read)


def _freeze(kind: Callable[[Any], Any], parts: list[Any], data: Any) -> Any:
    """Build a set or mapping of parts that must be hashable and differ."""
    try:
        made = kind(parts)
    except TypeError:  # under Any, an item may be a mapping of what is not hashable
        raise refuse(data, "items that can be hashed") from None
    if len(made) != len(parts):
        raise refuse(data, "items or keys that differ from each other; one came twice")
    return made


def compile_object(key: Form, value: Form) -> Form:
    """Make the form of a mapping with text as keys."""

    def write(mapping: Any) -> Any:
        return {key.write(name): value.write(each) for name, each in mapping.items()}

    def read(data: Any) -> Any:
        if type(data) is not dict:
            raise refuse(data, "an object")
        items = cast("dict[Any, Any]", data)
        names = read_parts((name, name, key.read) for name in items)
        return FrozenDict(zip(names, read_parts((name, each, value.read) for name, each in items.items()), strict=True))

    return Form(write, read)


def compile_pairs(key: Form, value: Form) -> Form:
    """Make the form of a mapping with other keys: a list of pairs."""
    pair = compile_fixed_tuple("a pair of key and value", (key, value))

    def write(mapping: Any) -> Any:
        return [pair.write(each) for each in mapping.items()]

    def read(data: Any) -> Any:
        pairs = read_parts((index, each, pair.read) for index, each in enumerate(read_list(data, "a list of pairs")))
        return _freeze(FrozenDict, pairs, data)

    return Form(write, read)


def find_kinds(shape: Shape) -> dict[str, bool]:
    """Tell which kinds of JSON a shape's values are written as, and for each whether the JSON is the very value."""
    if isinstance(shape, JsonShape):
        return dict.fromkeys(KINDS.values(), True)
    if isinstance(shape, FloatShape):
        return {"float": True, "object": False}
    if isinstance(shape, ClosedShape):
        pairs = list_forms(shape)
        plain = all(type(form) is type(member) and form == member for member, form in pairs)
        return {KINDS[type(form)]: plain for _, form in pairs}
    if isinstance(shape, (TupleShape, FixedTupleShape, FrozenSetShape)):
        return {"array": False}
    if isinstance(shape, MappingShape):
        return {"object" if shape.key.quick == {str} else "array": False}
    if isinstance(shape, ClassShape):
        return {"object": False}
    (kind,) = shape.quick
    return {"int": kind is int} if kind is int or issubclass(kind, enum.Flag) else {"str": kind is str}


def list_members(shape: Shape) -> list[Shape]:
    """List the members of a union, those of unions inside it too; of any other shape, itself."""
    return [each for part in shape.shapes for each in list_members(part)] if isinstance(shape, UnionShape) else [shape]


def name_members(shapes: list[Shape]) -> list[str]:
    """Name the members of a union so that no two have the same name."""
    plain = [shape.cls.__name__ if isinstance(shape, ClassShape) else shape.text for shape in shapes]
    full = [f"{shape.cls.__module__}.{shape.text}" if isinstance(shape, ClassShape) else shape.text for shape in shapes]
    names = [short if plain.count(short) == 1 else long for short, long in zip(plain, full, strict=True)]
    return [name if names.count(name) == 1 else f"{name}#{number}" for number, name in enumerate(names, 1)]


class _Union:
    """The form of a union: which member a value is, and which member data stands for."""

    def __init__(self, shape: UnionShape, compiler: _Compiler) -> None:
        members = list_members(shape)
        self.text = shape.text
        self.optional = any(each.members() == (None,) for each in members)
        self.shapes = [each for each in members if each.members() != (None,)]
        self.forms = [compiler.compile(each) for each in self.shapes]
        self.names = name_members(self.shapes)
        self.kinds = [find_kinds(each) for each in self.shapes]
        self.by_type: dict[type, list[int]] = {}
        for number, each in enumerate(self.shapes):
            for kind in list_types(each):
                self.by_type.setdefault(kind, []).append(number)
        tagged = any(self.is_unclear(kind) for kind in KINDS.values())
        self.form = Form(self.write_tagged, self.read_tagged) if tagged else Form(self.write_bare, self.read_bare)

    def is_unclear(self, kind: str) -> bool:
        """Whether this kind of JSON could be two members, and it matters which."""
        plain = [kinds[kind] for kinds in self.kinds if kind in kinds]
        return len(plain) > 1 and not all(plain)

    def pick(self, value: Any) -> int:
        """Find the member that a value belongs to."""
        numbers = self.by_type[type(value)]
        return (
            numbers[0] if len(numbers) == 1 else next(number for number in numbers if fits(self.shapes[number], value))
        )

    def write_bare(self, value: Any) -> Any:
        return None if value is None else self.forms[self.pick(value)].write(value)

    def write_tagged(self, value: Any) -> Any:
        if value is None:
            return None
        number = self.pick(value)
        return {self.names[number]: self.forms[number].write(value)}

    def read_bare(self, data: Any) -> Any:
        if data is None and self.optional:
            return None
        kind = KINDS.get(type(data), "")
        numbers = [number for number, kinds in enumerate(self.kinds) if kind in kinds]
        if kind == "int" and not numbers:  # an int stands for a float where nothing else takes it
            numbers = [number for number, kinds in enumerate(self.kinds) if "float" in kinds]
        if not numbers:
            raise refuse(data, self.text)
        for number in numbers[:-1]:
            try:
                return self.forms[number].read(data)
            except Misfit:
                continue
        return self.forms[numbers[-1]].read(data)

    def read_tagged(self, data: Any) -> Any:
        if data is None and self.optional:
            return None
        expected = f"{self.text}, as an object with one key that names the type: {', '.join(self.names)}"
        if type(data) is not dict or len(cast("dict[Any, Any]", data)) != 1:
            raise refuse(data, expected)
        ((name, inner),) = cast("dict[Any, Any]", data).items()
        if name not in self.names:
            raise Misfit(Fault((), f"the key {name!r}", expected, find_nearest(name, self.names)))
        return self.forms[self.names.index(name)].read(inner)


def list_types(shape: Shape) -> frozenset[type]:
    """List the exact types that a member's values can have."""
    if isinstance(shape, ClassShape):
        return frozenset({shape.cls})
    if isinstance(shape, (TupleShape, FixedTupleShape)):
        return frozenset({tuple})
    if isinstance(shape, FrozenSetShape):
        return frozenset({frozenset})
    if isinstance(shape, MappingShape):
        return frozenset({FrozenDict})
    if isinstance(shape, JsonShape):
        return shape.quick | {tuple, FrozenDict}
    return shape.quick or frozenset(type(member) for member in shape.members() or ())


def fits(shape: Shape, value: Any) -> bool:
    """Tell whether a value can be one of a shape's, as it is."""
    faults: list[Fault] = []
    return shape.admit(value, None, (), faults) is value and not faults
