"""How values of each shape are written as JSON and read back, unions and classes left aside.

Responsible for: closed types, tuples, sets and mappings, made of the forms of their parts. Not for: plain types
(`transitable.journal.leaves`), unions (`transitable.journal.unions`), classes (`transitable.journal.codec`).
"""

from __future__ import annotations

import enum
import functools
import json
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from transitable.errors import find_nearest
from transitable.journal.leaves import (
    READERS,
    WRITERS,
    Misfit,
    exact_type,
    keep,
    read_float,
    read_json,
    refuse,
    take_list,
    take_object,
    write_float,
    write_json,
)
from transitable.model.frozen import FrozenDict
from transitable.model.shapes import Attribute, ClosedShape, Fault, FloatShape, JsonShape, show_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from transitable.model.shapes import Shape

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
    return len({(exact_type(form), form) for _, form in pairs}) == len(pairs)


def compile_closed(shape: ClosedShape) -> Form:
    """Make the form of an enum, a `Literal`, a bool or None."""
    pairs = list_forms(shape)
    forms = {(type(member), member): form for member, form in pairs}
    members = {(exact_type(form), form): member for member, form in pairs}
    expected = f"{shape.text}: {', '.join(json.dumps(form, ensure_ascii=False) for _, form in pairs)}"

    def write(value: Any) -> Any:
        return forms[exact_type(value), value]

    def read(data: Any) -> Any:
        if exact_type(data) in (str, int, bool, type(None)) and (exact_type(data), data) in members:
            return members[exact_type(data), data]
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

    return Form(operator.attrgetter("value"), read)


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
        return tuple(read_parts((index, each, read_item) for index, each in enumerate(take_list(data, "a list"))))

    def write(value: Any) -> Any:
        return [write_item(each) for each in value]

    return Form(write, read)


def compile_fixed_tuple(text: str, items: tuple[Form, ...]) -> Form:
    """Make the form of a tuple of one length."""
    readers = [form.read for form in items]

    def write(value: Any) -> Any:
        return [form.write(each) for form, each in zip(items, value, strict=True)]

    def read(data: Any) -> Any:
        expected = f"{text}, a list of {len(items)} items"
        parts = take_list(data, expected)
        if len(parts) != len(items):
            raise refuse(data, expected)
        return tuple(read_parts(zip(range(len(items)), parts, readers, strict=True)))

    return Form(write, read)


def compile_set(item: Form) -> Form:
    """Make the form of a frozenset: a list, sorted by the text of its items."""

    def write(value: Any) -> Any:
        return sorted((item.write(each) for each in value), key=functools.partial(json.dumps, sort_keys=True))

    def read(data: Any) -> Any:
        parts = take_list(data, "a list")
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


def is_text(shape: Shape) -> bool:
    """Tell whether a key is any text, so that a mapping can be an object."""
    return shape.text == "str" and str in shape.quick


def compile_object(key: Form, value: Form) -> Form:
    """Make the form of a mapping with text as keys."""

    def write(mapping: Any) -> Any:
        return {key.write(name): value.write(each) for name, each in mapping.items()}

    def read(data: Any) -> Any:
        items = take_object(data, "an object")
        names = read_parts((name, name, key.read) for name in items)
        return FrozenDict(zip(names, read_parts((name, each, value.read) for name, each in items.items()), strict=True))

    return Form(write, read)


def compile_pairs(key: Form, value: Form) -> Form:
    """Make the form of a mapping with other keys: a list of pairs."""
    pair = compile_fixed_tuple("a pair of key and value", (key, value))

    def write(mapping: Any) -> Any:
        return [pair.write(each) for each in mapping.items()]

    def read(data: Any) -> Any:
        pairs = read_parts((index, each, pair.read) for index, each in enumerate(take_list(data, "a list of pairs")))
        return _freeze(FrozenDict, pairs, data)

    return Form(write, read)


def name_part(part: object) -> object:
    """Give a key or item as a part of a path; as text where it has no `repr`, as ints of too many digits."""
    try:
        repr(part)
    except ValueError:
        return show_value(part)
    return part


def find_unwritable(value: Any, path: tuple[object, ...]) -> list[Fault]:
    """Find every part of a value that would not come back the same; only needed once writing has failed."""
    kind = exact_type(value)
    parts: list[tuple[tuple[object, ...], Any]]
    if attrs.has(kind):
        parts = [((*path, Attribute(field.name)), getattr(value, field.name)) for field in attrs.fields(kind)]
    elif kind is tuple:
        parts = [((*path, index), item) for index, item in enumerate(value)]
    elif kind is frozenset:
        parts = [((*path, name_part(item)), item) for item in value]
    elif kind is FrozenDict:
        parts = [((*path, name_part(key)), part) for key, item in value.items() for part in (key, item)]
    else:
        try:
            WRITERS.get(kind, keep)(value)
        except Misfit as misfit:
            return [fault._replace(path=path) for fault in misfit.faults]
        return []
    return [fault for where, part in parts for fault in find_unwritable(part, where)]
