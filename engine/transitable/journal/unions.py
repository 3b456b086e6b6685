"""Which member of a union a value is, and which member data stands for.

Responsible for: writing a member bare where JSON shows which one it is, else under a key that names it. The key stands
outside the member's own data, so data that looks like such a key stays data. Not for: the members' own forms.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from transitable.errors import find_nearest
from transitable.journal.forms import KINDS, Form, is_text, list_forms
from transitable.journal.leaves import Misfit, exact_type, refuse, take_object
from transitable.model.frozen import FrozenDict
from transitable.model.shapes import (
    ABSENT,
    ClassShape,
    ClosedShape,
    Fault,
    FixedTupleShape,
    FloatShape,
    FrozenSetShape,
    JsonShape,
    MappingShape,
    TupleShape,
    UnionShape,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from transitable.model.shapes import Shape


class Union:
    """The form of a union: which member a value is, and which member data stands for."""

    def __init__(self, shape: UnionShape, compile_shape: Callable[[Shape], Form]) -> None:
        members = list_members(shape)
        self.text = shape.text
        self.optional = any("null" in find_kinds(each) for each in members)
        self.shapes = [each for each in members if each.members() != (None,)]
        self.forms = [compile_shape(each) for each in self.shapes]
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
        """Write a value as its member does."""
        return None if value is None else self.forms[self.pick(value)].write(value)

    def write_tagged(self, value: Any) -> Any:
        """Write a value under the name of its member."""
        if value is None:
            return None
        number = self.pick(value)
        return {self.names[number]: self.forms[number].write(value)}

    def read_bare(self, data: Any) -> Any:
        """Read data as the member that its kind of JSON shows."""
        if data is None and self.optional:
            return None
        kind = KINDS.get(exact_type(data), "")
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
        """Read data as the member that its key names."""
        if data is None and self.optional:
            return None
        expected = f"{self.text}, as an object with one key that names the type: {', '.join(self.names)}"
        tagged = take_object(data, expected)
        if len(tagged) != 1:
            raise refuse(data, expected)
        ((name, inner),) = tagged.items()
        if name not in self.names:
            raise Misfit(Fault((), f"the key {name!r}", expected, find_nearest(name, self.names)))
        return self.forms[self.names.index(name)].read(inner)


def find_kinds(shape: Shape) -> dict[str, bool]:
    """Tell which kinds of JSON a shape's values are written as, and for each whether the JSON is the very value."""
    if isinstance(shape, JsonShape):
        return dict.fromkeys(KINDS.values(), True)
    if isinstance(shape, FloatShape):
        return {"float": True, "object": False}
    if isinstance(shape, ClosedShape):
        pairs = list_forms(shape)
        plain = all(exact_type(form) is type(member) and form == member for member, form in pairs)
        return {KINDS[exact_type(form)]: plain for _, form in pairs}
    if isinstance(shape, (TupleShape, FixedTupleShape, FrozenSetShape)):
        return {"array": False}
    if isinstance(shape, MappingShape):
        return {"object" if is_text(shape.key) else "array": False}
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
    return shape.admit(value, ABSENT, (), faults) is value and not faults
