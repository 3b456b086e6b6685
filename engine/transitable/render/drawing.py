"""What every drawing shows, before any syntax: places, branches, rows, and the words for them.

Responsible for: which boxes there are, what kind each is, and the wording of labels, so that all formats say the same.
Not for: any format (`transitable.render.text`, `.mermaid`, `.dot`).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import attrs

from transitable.errors import DefinitionError
from transitable.model.nodes import Each, Field, HasTable, Pause, Subgraph, Together
from transitable.model.rows import Row, RowKind, show_label

if TYPE_CHECKING:
    from transitable.model.rows import Bound
    from transitable.model.state import StateModel
    from transitable.model.table import Place, Table


class DrawingError(DefinitionError):
    """A text is no drawing of a table of this state class; `line` counts from 1, 0 stands for the whole text."""

    def __init__(self, line: int, found: str, expected: str) -> None:
        super().__init__(line, found, expected)
        self.line = line
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Say which line, what it holds and what was expected."""
        where = f"line {self.line} of the drawing" if self.line else "the drawing"
        return f"{where}: found {self.found}; expected {self.expected}; only what `draw_mermaid` wrote is read back"


class PlaceKind(enum.StrEnum):
    """What a place is, as far as its shape in a drawing goes."""

    NODE = "node"
    """A function."""
    EACH = "each"
    """One worker over many items."""
    TOGETHER = "together"
    """Several places side by side."""
    PAUSE = "pause"
    """A question that waits for an answer."""
    GRAPH = "graph"
    """A graph inside this one."""


@attrs.frozen
class DrawnPlace:
    """One place."""

    name: str
    """The place's name."""
    kind: PlaceKind
    """Which shape it gets."""
    detail: str
    """What a composite place does, in a few words; empty for a node."""
    branch_name: str | None
    """The name that the caller gave to the branch; None when there is none."""
    branch_field: str | None
    """The field that the branch reads; None when the place does not branch."""

    @property
    def branch_text(self) -> tuple[str, ...]:
        """The lines on the branch: its name where it has one, and the field."""
        return tuple(line for line in (self.branch_name, self.branch_field) if line is not None)


@attrs.frozen
class Drawing:
    """A table as it is drawn."""

    name: str
    """The graph's name."""
    start: str | None
    """The name of the first place; None when it could not be resolved."""
    places: tuple[DrawnPlace, ...]
    """All places, in the order they were written."""
    rows: tuple[Row, ...]
    """All rows, in the table's order."""

    @property
    def ends(self) -> bool:
        """Whether any row leads to the end."""
        return any(row.target == "END" for row in self.rows)


def lay_out(table: Table) -> Drawing:
    """Make the drawing of a table."""
    places = tuple(_draw_place(place) for place in table.places.values())
    return Drawing(table.name, table.start.name if table.start else None, places, table.rows)


def _draw_place(place: Place) -> DrawnPlace:
    kind, detail = describe_work(place)
    branches = any(arc.row.kind is RowKind.VALUE for arc in place.ways())
    if place.by is None or not branches:
        return DrawnPlace(place.name, kind, detail, None, None)
    return DrawnPlace(place.name, kind, detail, place.by.name, place.by.field)


def describe_work(place: Place) -> tuple[PlaceKind, str]:
    """Tell what kind of place this is, and what a composite one does in a few words."""
    work = place.work
    if isinstance(work, Each):
        pace = f", {work.at_once} at once" if work.at_once > 1 else ""
        return PlaceKind.EACH, f"each of {work.items}, into {work.into}{pace}"
    if isinstance(work, Together):
        return PlaceKind.TOGETHER, f"side by side: {', '.join(part.name for part in place.parts)}"
    if isinstance(work, Pause):
        asks = f"asks with {work.question.name}" if isinstance(work.question, Field) else "asks"
        return PlaceKind.PAUSE, f"{asks}, answer into {work.into}"
    if isinstance(work, Subgraph):
        return PlaceKind.GRAPH, f"graph {work.graph.name}"
    if isinstance(work, HasTable):
        return PlaceKind.GRAPH, f"graph {work.name}"
    return PlaceKind.NODE, ""


def word_bound(bound: Bound) -> str:
    """Word a bound: `retry_count below 3`, or `retry_count at 3` on the row for when it is spent."""
    return f"{bound.count} {'at' if bound.spent else 'below'} {bound.limit}"


class Labels:
    """The texts of the members of closed fields, each text standing for one member only.

    Two enums of the same name give the same texts in source code; the later members then get `#2`, `#3` and so on.
    """

    def __init__(self, model: StateModel) -> None:
        self._model = model
        self._texts: dict[str, dict[str, object] | None] = {}

    def read_field(self, field: str) -> dict[str, object] | None:
        """List the members of a dotted field by text, in declaration order; None when it is no closed field."""
        if field not in self._texts:
            shape, _ = self._model.shape_at(tuple(field.split(".")))
            members = shape.members() if shape is not None else None
            self._texts[field] = None if members is None else _name_members(members)
        return self._texts[field]

    def show(self, field: str | None, value: object) -> str:
        """Give the text of a member; of a value that is no member, how source code would write it."""
        for text, member in (self.read_field(field or "") or {}).items():
            if type(member) is type(value) and member == value:
                return text
        return show_label(value)


def _name_members(members: tuple[object, ...]) -> dict[str, object]:
    named: dict[str, object] = {}
    for member in members:
        text = plain = show_label(member)
        count = 1
        while text in named:
            count += 1
            text = f"{plain}#{count}"
        named[text] = member
    return named


__all__ = ["Drawing", "DrawingError", "DrawnPlace", "Labels", "PlaceKind", "describe_work", "lay_out", "word_bound"]
