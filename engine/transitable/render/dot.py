"""A table as a Graphviz digraph.

Responsible for: valid DOT with the same places, branches and labels as the other drawings. Not for: reading it back;
that is what the Mermaid drawing is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transitable.model.rows import RowKind
from transitable.render.drawing import Labels, PlaceKind, lay_out, word_bound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transitable.model.rows import Row
    from transitable.model.table import Table

SHAPES = {
    PlaceKind.NODE: "box",
    PlaceKind.EACH: "trapezium",
    PlaceKind.TOGETHER: "parallelogram",
    PlaceKind.PAUSE: "hexagon",
    PlaceKind.GRAPH: "component",
}
STYLES = {RowKind.NEXT: "solid", RowKind.VALUE: "solid", RowKind.ERROR: "dashed", RowKind.CANCEL: "bold"}


def draw_dot(table: Table) -> str:
    """Draw a table as a Graphviz digraph.

    Returns:
        The text, ending with a line break.
    """
    drawing = lay_out(table)
    labels = Labels(table.model)
    ids = {place.name: f"p{number}" for number, place in enumerate(drawing.places)}
    lines = [f"digraph {quote([drawing.name])} {{", '    start [shape=circle, label="start"];']
    for place in drawing.places:
        lines.append(f"    {ids[place.name]} [shape={SHAPES[place.kind]}, label={quote([place.name, place.detail])}];")
        if place.branch_field is not None:
            lines.append(f"    b{ids[place.name][1:]} [shape=diamond, label={quote(place.branch_text)}];")
    if drawing.ends:
        lines.append('    finish [shape=doublecircle, label="END"];')
    if drawing.start is not None:
        lines.append(f"    start -> {ids[drawing.start]};")
    lines.extend(
        f"    {ids[place.name]} -> b{ids[place.name][1:]};"
        for place in drawing.places
        if place.branch_field is not None
    )
    lines.extend(f"    {_draw_row(row, ids, labels)}" for row in drawing.rows)
    return "\n".join([*lines, "}"]) + "\n"


def _draw_row(row: Row, ids: dict[str, str], labels: Labels) -> str:
    source = ("b" if row.kind is RowKind.VALUE else "p") + ids[row.source][1:]
    target = "finish" if row.target == "END" else ids[row.target]
    reason = {
        RowKind.NEXT: "",
        RowKind.VALUE: labels.show(row.field, row.value),
        RowKind.ERROR: f"error {row.value}",
        RowKind.CANCEL: "cancel",
    }[row.kind]
    label = quote([reason, word_bound(row.bound) if row.bound else ""])
    return f"{source} -> {target} [style={STYLES[row.kind]}, label={label}];"


def quote(lines: Iterable[str]) -> str:
    """Put lines under each other into a quoted string; what cannot be seen is written as Python does."""
    return '"' + "\\n".join(_escape(line) for line in lines if line) + '"'


def _escape(text: str) -> str:
    visible = "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode() for each in text
    )
    return visible.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


__all__ = ["draw_dot"]
