"""A table as Markdown that can also be read on a terminal.

Responsible for: one line a row, in the table's order, columns aligned. Not for: what the lines say about a place, which
all formats share (`transitable.render.drawing`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from transitable.model.rows import RowKind
from transitable.render.drawing import Labels, lay_out, word_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transitable.model.rows import Row
    from transitable.model.table import Table
    from transitable.render.drawing import Drawing

MARKUP = re.compile(r"[\\`*|\[\]~$]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])")
"""What Markdown (with GitHub's tables) would read as markup; an underscore inside a word is none."""


def draw_table(table: Table) -> str:
    """Draw a table as Markdown: where it starts, one line a row, then what its composite places do.

    Returns:
        The text, ending with a line break.
    """
    drawing = lay_out(table)
    labels = Labels(table.model)
    start = escape(drawing.start) if drawing.start is not None else "nowhere"
    lines = [f"**{escape(drawing.name)}** starts at **{start}**", ""]
    branches = {place.name: place.branch_name for place in drawing.places}
    rows = [
        (escape(row.source), escape(_word_reason(row, branches.get(row.source), labels)), escape(row.target))
        for row in drawing.rows
    ]
    lines.extend(_align([("place", "when", "next"), *rows]))
    lines.extend(_list_composites(drawing))
    return "\n".join(lines) + "\n"


def _word_reason(row: Row, branch_name: str | None, labels: Labels) -> str:
    if row.kind is RowKind.VALUE:
        reason = f"{row.field} = {labels.show(row.field, row.value)}"
        reason = f"{branch_name}: {reason}" if branch_name is not None else reason
    elif row.kind is RowKind.NEXT:
        reason = ""
    else:
        reason = f"{row.kind.value} {row.value}" if row.value is not None else row.kind.value
    parts = [reason, word_bound(row.bound) if row.bound else ""]
    return ", ".join(part for part in parts if part) or "always"


def _list_composites(drawing: Drawing) -> list[str]:
    composites = [place for place in drawing.places if place.detail]
    if not composites:
        return []
    return ["", *(f"- {escape(place.name)}: {escape(place.detail)}" for place in composites)]


def _align(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(3, *(measure(cell) for cell in column)) for column in zip(*rows, strict=True)]
    padded = [
        "| " + " | ".join(cell + " " * (width - measure(cell)) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return [padded[0], "| " + " | ".join("-" * width for width in widths) + " |", *padded[1:]]


def escape(text: str) -> str:
    """Escape markup, and write line breaks and other characters that cannot be seen as Python does."""
    visible = "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode() for each in text
    )
    return MARKUP.sub(r"\\\g<0>", visible)


def measure(text: str) -> int:
    """Measure a text in columns of a terminal; wide characters, such as Korean, take two."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


__all__ = ["draw_table"]
