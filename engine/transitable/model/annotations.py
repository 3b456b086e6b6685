"""Annotations read into shapes: which types a state may have, and what to use instead of those it may not.

Responsible for: turning type annotations into `Shape`s, and refusing mutable or unknown types with the type to use.
Not for: checking values (`transitable.model.shapes`).
"""

from __future__ import annotations

import collections.abc
import enum
import inspect
import types
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ForwardRef,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs

from transitable.model.shapes import (
    NOTHING,
    ClassShape,
    ClosedShape,
    FixedTupleShape,
    FloatShape,
    FrozenSetShape,
    JsonShape,
    MappingShape,
    Shape,
    TupleShape,
    UnionShape,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEAVES = frozenset(
    {
        ("builtins", "str"),
        ("builtins", "bytes"),
        ("builtins", "int"),
        ("decimal", "Decimal"),
        ("uuid", "UUID"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "timedelta"),
    }
)
"""Leaf types by module and name, so that `decimal` and `uuid` are only imported by who uses them."""

INSTEAD: Mapping[Any, str] = {
    list: "tuple[X, ...]",
    dict: "Mapping[K, V]",
    set: "frozenset[X]",
    bytearray: "bytes",
    collections.abc.MutableSequence: "tuple[X, ...]",
    collections.abc.Sequence: "tuple[X, ...]",
    collections.abc.Iterable: "tuple[X, ...]",
    collections.abc.Collection: "tuple[X, ...]",
    collections.abc.MutableMapping: "Mapping[K, V]",
    collections.abc.MutableSet: "frozenset[X]",
    types.MappingProxyType: "Mapping[K, V]",
    collections.deque: "tuple[X, ...]",
    collections.OrderedDict: "Mapping[K, V]",
    collections.defaultdict: "Mapping[K, V]",
    object: "Any (for JSON values) or a closed union",
}


FROZEN_FORMS: Mapping[Any, Any] = {
    list: collections.abc.Sequence,
    set: collections.abc.Set,
    dict: collections.abc.Mapping,
}
"""What stands for what in annotations of values that are frozen when they are handed in."""


class Unreadable(Exception):  # noqa: N818  # never leaves this package: the reader turns it into a finding
    """An annotation that a state cannot have; `found` and `instead` word the finding."""

    def __init__(self, found: str, instead: str) -> None:
        super().__init__(found, instead)
        self.found = found
        self.instead = instead


def show_annotation(annotation: object) -> str:
    """Write an annotation as in source code."""
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__
    return str(annotation).replace("typing.", "").replace("collections.abc.", "")


class ShapeReader:
    """Reads annotations of one state class; remembers classes, so that recursive ones have an end.

    Args:
        handed_in: Read annotations of what nodes hand in, where `list`, `dict` and `set` stand for their frozen forms.
    """

    def __init__(self, *, handed_in: bool = False) -> None:
        self.handed_in = handed_in
        self._classes: dict[type, ClassShape] = {}

    def read(self, annotation: Any) -> Shape:
        """Make the shape of an annotation.

        Raises:
            Unreadable: If a state cannot have this type.
        """
        if annotation is Any:  # a class since Python 3.11, so asked first
            return JsonShape()
        if isinstance(annotation, type) and get_origin(annotation) is None:
            return self._read_class(annotation)
        if annotation is None:
            return ClosedShape("None", (None,), frozenset({type(None)}))
        if isinstance(annotation, NewType):
            return self.read(annotation.__supertype__)
        aliased: Any = getattr(annotation, "__value__", annotation)  # `type X = ...` of Python 3.12
        if aliased is not annotation:
            return self.read(aliased)
        if isinstance(annotation, TypeVar):
            raise Unreadable(f"the type variable {annotation}", "a concrete type")
        return self._read_generic(annotation, get_origin(annotation), get_args(annotation))

    def _read_class(self, annotation: type[Any]) -> Shape:
        if annotation is type(None):
            return self.read(None)
        if annotation is bool:
            return ClosedShape("bool", (True, False), frozenset({bool}))
        if annotation is float:
            return FloatShape("float", frozenset({float}))
        if (annotation.__module__, annotation.__qualname__) in LEAVES:
            return Shape(annotation.__qualname__, frozenset({annotation}))
        if issubclass(annotation, enum.Enum):
            return self._read_enum(annotation)
        if attrs.has(annotation):
            return self._read_attrs(annotation)
        return self._read_bare(annotation)

    def _read_enum(self, annotation: type[enum.Enum]) -> Shape:
        if issubclass(
            annotation, enum.Flag
        ):  # a flag has members by the power set; as a value it is fine, as a branch not
            return Shape(annotation.__qualname__, frozenset({annotation}))
        hashes: Any = annotation.__hash__
        if hashes is None:  # a data class mixed in sets it to None
            found = f"{annotation.__qualname__}, an enum whose members cannot be hashed"
            raise Unreadable(found, "an enum with a __hash__ (of a data class: frozen=True)")
        return ClosedShape(annotation.__qualname__, tuple(annotation), frozenset({annotation}))

    def _read_attrs(self, annotation: type) -> Shape:
        known = self._classes.get(annotation)
        if known is not None:
            return known
        if not is_frozen(annotation):
            raise Unreadable(f"{annotation.__qualname__}, a class that can change", "a class made with @attrs.frozen")
        shape = self._classes[annotation] = ClassShape(annotation)
        hints = read_field_types(annotation)
        fields: list[tuple[str, str | None, Shape]] = []
        for field in attrs.fields(annotation):
            try:
                fields.append((field.name, field.alias if field.init else None, self.read(hints[field.name])))
            except Unreadable as problem:
                found = f"{problem.found} in field {field.name!r} of {annotation.__qualname__}"
                raise Unreadable(found, problem.instead) from None
        shape.fields = tuple(fields)
        return shape

    def _read_bare(self, annotation: type) -> Shape:
        if annotation is tuple:
            raise Unreadable("tuple without the type of its items", "tuple[X, ...]")
        if annotation is frozenset:
            return self._read_generic(annotation, frozenset, (Any,))
        if self.handed_in and annotation in (list, dict, set):
            return self._read_generic(annotation, annotation, (Any, Any))
        if issubclass(annotation, collections.abc.Mapping) and annotation not in INSTEAD:
            raise Unreadable(f"{annotation.__qualname__}, a class of its own", "Mapping[K, V]")
        for kind, instead in INSTEAD.items():
            if annotation is kind or (kind is not object and issubclass(annotation, kind)):
                raise Unreadable(f"{annotation.__qualname__}, which can change or be anything", instead)
        raise Unreadable(
            f"{annotation.__qualname__}, a class that the engine cannot check or store",
            "a frozen attrs class, an enum, or a plain type",
        )

    def _read_generic(self, annotation: Any, origin: Any, args: tuple[Any, ...]) -> Shape:
        text = show_annotation(annotation)
        is_bare = not args and not hasattr(annotation, "__args__")  # `typing.Mapping` without its types
        if is_bare and isinstance(origin, type):
            return self._read_class(origin)
        if origin is Annotated:
            return self.read(args[0])
        if origin is Literal:
            return ClosedShape(text, args)
        if origin in (Union, types.UnionType):
            return UnionShape(text, tuple(self.read(each) for each in args))
        if origin is tuple:
            return self._read_tuple(text, args)
        if self.handed_in:
            origin = FROZEN_FORMS.get(origin, origin)
        if origin is collections.abc.Sequence:
            return TupleShape(text, self.read(args[0]))
        if origin in (frozenset, collections.abc.Set):
            return FrozenSetShape(text, self._read_hashable(args[0]))
        if origin is collections.abc.Mapping:
            return MappingShape(text, self._read_hashable(args[0]), self.read(args[1]))
        if isinstance(origin, type) and origin in INSTEAD:
            raise Unreadable(f"{text}, which can change", INSTEAD[origin])
        raise Unreadable(
            f"{text}, a type that the engine cannot check", "a frozen attrs class, an enum, or a plain type"
        )

    def _read_tuple(self, text: str, args: tuple[Any, ...]) -> Shape:
        if len(args) == 2 and args[1] is Ellipsis:
            return TupleShape(text, self.read(args[0]))
        return FixedTupleShape(text, tuple(self.read(each) for each in args if each != ()))

    def _read_hashable(self, annotation: Any) -> Shape:
        if get_origin(annotation) is collections.abc.Mapping:
            raise Unreadable(f"{show_annotation(annotation)} as a key or set item", "a hashable type")
        return self.read(annotation)


def is_frozen(cls: type) -> bool:
    """Tell whether an attrs class refuses assignment after its `__init__`."""
    return "__setattr__" in dir(cls) and getattr(cls.__setattr__, "__name__", "") == "_frozen_setattrs"


def read_field_types(cls: type) -> Mapping[str, Any]:
    """Read the types of an attrs class's fields, with string annotations evaluated.

    Raises:
        Unreadable: If an annotation names something that cannot be found, or a field has none.
    """
    fields = attrs.fields(cls)
    found: dict[str, Any] = {field.name: field.type for field in fields}
    if any(map(_names_later, found.values())):
        try:
            hints = get_type_hints(cls, include_extras=True)
        except (NameError, AttributeError, SyntaxError, TypeError) as error:
            raise Unreadable(
                f"an annotation of {cls.__qualname__} that cannot be read ({error})",
                "types that are importable at module level (not local classes, not under TYPE_CHECKING)",
            ) from None
        found = {name: hints.get(name) for name in found}
    for name, annotation in found.items():
        if annotation is None and not _is_declared_none(cls, name):
            raise Unreadable(f"field {name!r} of {cls.__qualname__} without a type", "an annotation")
    return found


def _names_later(annotation: object) -> bool:
    """Tell whether an annotation is, or holds, a text that stands for a type."""
    if isinstance(annotation, (str, ForwardRef)):
        return True
    origin = get_origin(annotation)
    args = () if origin is None or origin is Literal else get_args(annotation)
    return any(map(_names_later, args[:1] if origin is Annotated else args))


def _is_declared_none(cls: type, name: str) -> bool:
    return any(name in vars(base).get("__annotations__", {}) for base in cls.__mro__)


def read_hints(owner: Callable[..., Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Evaluate some annotations of a function, with the names that its closure knows.

    Args:
        owner: A function or method.
        names: Parameters, or `"return"`; those without an annotation are left out of the answer.

    Raises:
        NameError: If an annotation names something that cannot be found. An annotation that is a text may raise
            anything else as well, as it is evaluated.
    """
    function: Any = inspect.unwrap(getattr(owner, "__func__", owner))
    annotations: dict[str, Any] = {
        name: each for name, each in getattr(function, "__annotations__", {}).items() if name in names
    }
    if not any(map(_names_later, annotations.values())):
        return annotations
    names_here = getattr(function, "__globals__", {})
    found = {name: names_here.get(each) if isinstance(each, str) else each for name, each in annotations.items()}
    if all(isinstance(each, type) for each in found.values()) and not getattr(function, "__closure__", None):
        return found
    code = getattr(function, "__code__", None)
    cells = getattr(function, "__closure__", None) or ()
    names_of_cells: tuple[str, ...] = code.co_freevars if code else ()
    free = {name: cell.cell_contents for name, cell in zip(names_of_cells, cells, strict=False) if not _is_empty(cell)}
    holder = types.SimpleNamespace(__annotations__=annotations)
    return get_type_hints(holder, names_here, free, include_extras=True)


def _is_empty(cell: types.CellType) -> bool:
    """Tell whether a closure's name has no value yet, as that of a graph while it is built."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return True
    return False


__all__ = ["NOTHING", "ShapeReader", "Unreadable", "is_frozen", "read_field_types", "read_hints", "show_annotation"]
