"""What claims name: places, rows, and places inside other places.

Responsible for: finding what a reference stands for in a flow, and saying what is near when it is not there. Not for:
what is claimed of it (`transitable.check.claims`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transitable.errors import find_nearest
from transitable.model.nodes import Each, Subgraph, name_of
from transitable.model.rows import END, show_label
from transitable.model.table import identify, name_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transitable.check.flow import Edge, Flow
    from transitable.model.rows import Row
    from transitable.model.table import Arc, Place, Table


class Inside:
    """A place inside another; made by `inside`."""

    __slots__ = ("chain",)

    def __init__(self, chain: tuple[Any, ...]) -> None:
        self.chain = chain
        """The places, outermost first; at least two."""

    def __repr__(self) -> str:
        return show_reference(self)


def inside(child: Any, node: Any) -> Inside:
    """Name a place inside a graph, `each` or `together`, for a claim.

    Args:
        child: The place of the table that has others inside: a graph, `subgraph(...)`, `each(...)` or `together(...)`.
        node: The place inside; itself `inside(...)` for one that is deeper.
    """
    before = child.chain if isinstance(child, Inside) else (child,)
    after = node.chain if isinstance(node, Inside) else (node,)
    return Inside((*before, *after))


class Unknown(Exception):  # noqa: N818  # never leaves this package: it becomes a finding, or the error of `prove`
    """A reference to what is not in the table; `found` and `fix` word the finding."""

    def __init__(self, found: str, fix: str) -> None:
        super().__init__(found, fix)
        self.found = found
        self.fix = fix


class Reference:
    """A place or row, found in a flow."""

    __slots__ = ("_required", "_started", "position")

    def __init__(self, position: int, arc: Arc | None = None) -> None:
        self.position = position
        """The position of the place, or of the place that the row leaves."""
        self._required: Row | None = arc.row if arc else None
        self._started: tuple[Row, ...] = (arc.row, arc.spent.row) if arc else ()

    def is_left_by(self, edge: Edge) -> bool:
        """Tell whether an edge leaves the place in any way, or takes the row by either of its arms."""
        if edge.position != self.position:
            return False
        return self._required is None or any(edge.row is row for row in self._started)

    def is_met_by(self, edge: Edge) -> bool:
        """Tell whether an edge completes the place, or takes the row by its bounded arm."""
        if edge.position != self.position:
            return False
        return edge.completes if self._required is None else edge.row is self._required


def is_row(reference: Any) -> bool:
    """Tell whether a reference names a row: a pair of its place and its value."""
    return reference.__class__ is tuple and len(reference) == len(("place", "value"))


def show_reference(reference: Any) -> str:
    """Write a reference as in source code, by names."""
    if isinstance(reference, Inside):
        *outer, last = map(show_reference, reference.chain)
        return "".join(f"inside({name}, " for name in outer) + last + ")" * len(outer)
    if is_row(reference):
        place, value = reference
        return f"({show_reference(place)}, {value.__name__ if isinstance(value, type) else show_label(value)})"
    return name_of(reference) or repr(reference)


def find_place(flow: Flow, table: Table, reference: Any, *, may_end: bool = False) -> Reference:
    """Find the place that a reference names.

    Args:
        flow: The flow of the table.
        table: The table that the claim is about.
        reference: A place, or `inside(...)`.
        may_end: Whether `END` may be named, too.

    Raises:
        Unknown: If it names no place of the table.
    """
    if reference is END and may_end:
        return Reference(flow.positions["END",])
    if is_row(reference):
        raise Unknown(
            f"{show_reference(reference)} is a row", "name a place here; rows can stand where a path starts or passes"
        )
    return Reference(flow.positions[_locate(table, reference)[0]])


def find_reference(flow: Flow, table: Table, reference: Any) -> Reference:
    """Find the place or row that a reference names.

    Raises:
        Unknown: If it names no place and no row of the table.
    """
    if not is_row(reference):
        return find_place(flow, table, reference)
    path, place = _locate(table, reference[0])
    return Reference(flow.positions[path], _find_arc(place, reference[1]))


def _locate(table: Table, reference: Any) -> tuple[tuple[str, ...], Place]:
    """Find a place and the names on the way to it."""
    chain = reference.chain if isinstance(reference, Inside) else (reference,)
    place = _find_in_table(table, chain[0])
    path = [place.name]
    for step in chain[1:]:
        place = _find_inside(place, step)
        path.append(place.name)
    return tuple(path), place


def _find_in_table(table: Table, thing: Any) -> Place:
    place = table.find(thing)
    if place is not None:
        return place
    around = [each for each in table.places.values() if thing is not None and _graph_of(each) is thing]
    if len(around) == 1:
        return around[0]
    raise Unknown(*_explain(thing, table.places, _find_hosts(table, thing), len(around)))


def _graph_of(place: Place) -> Any:
    """Give the graph that runs at a place, where the place is not that graph itself."""
    if isinstance(place.work, Subgraph):
        return place.work.graph
    return place.work.worker if isinstance(place.work, Each) and place.child is not None else None


def _find_inside(place: Place, thing: Any) -> Place:
    if place.child is not None:
        return _find_in_table(place.child, thing)
    for part in place.parts:
        if identify(part.work) == identify(thing):
            return part
    if not place.parts:
        raise Unknown(f"{place.name!r} has nothing inside", "name a graph, each(...) or together(...) first")
    raise Unknown(*_explain(thing, [part.name for part in place.parts], [], 0))


def _explain(thing: Any, known: Any, hosts: list[str], around: int) -> tuple[str, str]:
    """Word what is wrong with a reference, and the fix."""
    name = show_reference(thing)
    if around > 1:
        return f"the graph {name} stands at {around} places", "name the place: wrap each in subgraph(..., name='...')"
    if hosts:
        return f"{name} is no place of the table itself", f"it is inside {hosts[0]}: inside({hosts[0]}, {name})"
    if name in known:
        return f"this {name} is not the object that the table has under that name", "use the very object of the table"
    nearest = find_nearest(name, known)
    return f"{name} is not in the table", f"did you mean {nearest}?" if nearest else f"one of {', '.join(known)}"


def _find_hosts(table: Table, thing: Any) -> list[str]:
    """List the places of a table that have a thing inside, at the first level."""
    return [place.name for place in table.places.values() if any(found for found in _find_parts(place, thing))]


def _find_parts(place: Place, thing: Any) -> Iterator[bool]:
    if place.child is not None:
        yield place.child.find(thing) is not None
    for part in place.parts:
        yield identify(part.work) == identify(thing)


def _find_arc(place: Place, value: Any) -> Arc:
    """Find the row that leaves a place for a value or a class of exception."""
    if isinstance(value, type):
        name = name_class(value)
        if name in place.errors:
            return place.errors[name]
        found = f"{place.name!r} has no error row for {name}"
        raise Unknown(found, _advise(find_nearest(name, place.errors), list(place.errors)))
    labels = [arc.row.value for arc in place.arcs.values()]
    for arc, label in zip(place.arcs.values(), labels, strict=True):
        if type(label) is type(value) and label == value:
            return arc
    found = f"{place.name!r} has no row for {show_label(value)}"
    if not labels:
        raise Unknown(found, f"it has one way on: name the place {place.name} itself")
    known = [show_label(label) for label in labels]
    equal = next((show_label(label) for label in labels if label == value), None)
    raise Unknown(found, _advise(equal or find_nearest(show_label(value), known), known))


def _advise(nearest: str | None, known: list[str]) -> str:
    return f"did you mean {nearest}?" if nearest else f"its rows are for: {', '.join(known) or 'nothing'}"
