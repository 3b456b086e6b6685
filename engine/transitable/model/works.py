"""What runs at a place, read: its function, its worker, its parts or its graph, and the fields it declares to write.

Responsible for: filling a `Place` from what the caller wrote. What cannot be read is reported, never refused. Not for:
rows (`transitable.model.compiler`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from transitable.model.annotations import ShapeReader, Unreadable
from transitable.model.nodes import Each, Node, Pause, Subgraph, Together, has_table, name_of
from transitable.model.shapes import (
    ABSENT,
    ClassShape,
    FixedTupleShape,
    FrozenSetShape,
    JsonShape,
    MappingShape,
    TupleShape,
    UnionShape,
)
from transitable.model.signatures import read_signature, read_writes
from transitable.model.state import Slot
from transitable.model.table import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transitable.model.shapes import Shape
    from transitable.model.state import StateModel
    from transitable.model.table import Table

Report = Callable[[str, tuple[str, ...], str, str], None]
"""Takes the code, the places, what was found and the fix of something that cannot be resolved."""


def compile_work(place: Place, report: Report) -> None:
    """Read what runs at a place and what it declares to write."""
    work = place.work
    if isinstance(work, Each):
        _compile_each(place, work, report)
    elif isinstance(work, Together):
        place.parts = tuple(_compile_part(part, place.model, report) for part in work.places)
        _join_writes(place)
    elif isinstance(work, Pause):
        declare(place, {work.into: work.answer}, report)
        slot = (place.declared or {}).get(work.into)
        place.item = (slot.narrow or slot.shape) if slot is not None else None
    elif isinstance(work, Subgraph) or has_table(work):
        _compile_child(place, work, report)
    else:
        _compile_function(place, work, report)
        _declare_from(place, place.call, report)


def _compile_part(work: Any, model: StateModel, report: Report) -> Place:
    part = Place(name_of(work) or "?", work, model)
    compile_work(part, report)
    part.slots = part.declared or {}
    return part


def _compile_function(place: Place, work: Any, report: Report) -> None:
    if isinstance(work, Node):
        place.call, place.retry, place.timeout, place.thread = work.function, work.retry, work.timeout, work.thread
    else:
        place.call = work
    place.signature = read_signature(place.call)
    place.is_async, place.takes_context = place.signature.is_async, place.signature.takes_context
    place.plain = not (place.takes_context or place.retry or place.timeout or place.thread)
    place.plain_sync = place.plain and not place.is_async
    if place.signature.problem:
        report(
            "bad-signature",
            (place.name,),
            f"{place.name!r} {place.signature.problem}",
            "a node is f(state) or f(state, context)",
        )


def _declare_from(place: Place, function: Any, report: Report) -> None:
    writes = read_writes(function)
    if writes.problem:
        report(
            "bad-return",
            (place.name,),
            f"{place.name!r}: {writes.problem}",
            "annotate a TypedDict of the fields it writes, or Mapping[str, object]",
        )
    if writes.declared is not None:
        declare(place, writes.declared, report)


def declare(place: Place, annotations: Mapping[str, Any], report: Report) -> None:
    """Turn declared writes into slots; what is no field, or cannot be read, is reported."""
    slots: dict[str, Slot] = {}
    model = place.model
    reader = ShapeReader(handed_in=True)
    for name, annotation in annotations.items():
        shape = model.shapes.get(name)
        if shape is None:
            report(
                "unknown-write",
                (place.name,),
                f"{place.name!r} declares to write {name!r}, which is no field of {model.cls.__name__}",
                "name a field of the state class",
            )
            continue
        if name in model.derived:
            report(
                "unknown-write",
                (place.name,),
                f"{place.name!r} declares to write {name!r}, which {model.cls.__name__} sets itself (init=False)",
                "leave it out, or let the field be given to __init__",
            )
            continue
        try:
            written = reader.read(annotation)
        except Unreadable as problem:
            report(
                "wrong-write-type",
                (place.name,),
                f"{place.name!r} declares to write {name!r} as {problem.found}",
                f"use {problem.instead}",
            )
            continue
        if not _may_fit(written, shape):
            report(
                "wrong-write-type",
                (place.name,),
                f"{place.name!r} declares to write {name!r} as {written.text}",
                f"the field is {shape.text}",
            )
            continue
        narrow = None if written.text == shape.text else written
        slots[name] = Slot(name, model.index[name], shape, appends=name in model.grown, narrow=narrow)
    place.declared = slots


def _may_fit(written: Shape, wanted: Shape) -> bool:
    """Tell whether some value of a declared type can be a value of the field; members of closed types all must be."""
    members, allowed = written.members(), wanted.members()
    if members is not None and allowed is not None:
        known = {(type(each), each) for each in allowed}
        return all((type(each), each) in known for each in members)
    if members is not None:
        return all(not _try(wanted, each) for each in members)
    kind, wanted_kind = _kind_of(written), _kind_of(wanted)
    if kind is not None and wanted_kind is not None and kind != wanted_kind:
        return False
    if written.quick and wanted.quick:
        ints = {int} if float in wanted.quick else set[type]()
        return written.quick <= wanted.quick | ints or not wanted.quick.isdisjoint(written.quick)
    return not (written.quick and allowed is not None)


def _kind_of(shape: Shape) -> object:
    """Say what sort of value a shape takes, so that sorts without a common value are told apart; None when several."""
    if isinstance(shape, (UnionShape, JsonShape)):
        return None
    if isinstance(shape, ClassShape):
        return shape.cls
    if isinstance(shape, (TupleShape, FixedTupleShape)):
        return tuple
    return type(shape) if isinstance(shape, (FrozenSetShape, MappingShape)) else "leaf"


def _try(shape: Shape, value: object) -> bool:
    faults: list[Any] = []
    shape.admit(value, ABSENT, (), faults)
    return bool(faults)


def _compile_each(place: Place, work: Each, report: Report) -> None:
    model = place.model
    items = model.shapes.get(work.items)
    if not isinstance(items, TupleShape):
        report(
            "each-items",
            (place.name,),
            f"each {place.name!r} reads {work.items!r}, which is {items.text if items else 'no field'}",
            "a field of type tuple[X, ...]",
        )
    into = model.shapes.get(work.into) if work.into not in model.derived else None
    if isinstance(into, TupleShape):
        place.item = into.item
        place.declared = {work.into: Slot(work.into, model.index[work.into], into, appends=work.into in model.grown)}
    else:
        report(
            "each-into",
            (place.name,),
            f"each {place.name!r} writes into {work.into!r}, which is {into.text if into else 'no field'}",
            "a field of type tuple[X, ...]",
        )
        place.declared = {}
    if has_table(work.worker):
        place.child = work.worker.table
    else:
        part = Place(name_of(work.worker) or place.name, work.worker, model)
        _compile_function(part, work.worker, report)
        place.parts = (part,)


def _compile_child(place: Place, work: Any, report: Report) -> None:
    graph = work.graph if isinstance(work, Subgraph) else work
    child: Table = graph.table
    place.child = child
    leave = work.leave if isinstance(work, Subgraph) else None
    if leave is not None:
        _declare_from(place, leave, report)
        return
    if child.model.cls is not place.model.cls:
        report(
            "subgraph-state",
            (place.name,),
            f"{place.name!r} has the state class {child.model.cls.__name__}",
            f"subgraph(..., enter=, leave=) for another class than {place.model.cls.__name__}",
        )
        return
    noted: Mapping[str, Any] | None = read_writes(child.note).declared if child.note is not None else {}
    written: list[Mapping[str, Any] | None] = [noted, *(inner.declared for inner in child.places.values())]
    if any(names is None for names in written):
        return
    place.declared = {
        name: Slot(name, place.model.index[name], place.model.shapes[name], appends=name in place.model.grown)
        for names in written
        for name in names or ()
        if name in place.model.index and name not in child.counts
    }


def _join_writes(place: Place) -> None:
    """A set of parts declares what its parts declare; parts without a declaration are a finding, see the checks."""
    declared: dict[str, Slot] = {}
    for part in place.parts:
        for name, slot in (part.declared or {}).items():
            shared = Slot(name, slot.index, slot.shape, appends=slot.appends)  # each part has been held to its own type
            declared[name] = shared if name in declared else slot
    place.declared = declared
