"""How a table looks: Markdown (`text`), Mermaid (`mermaid`), Graphviz (`dot`), all from one `drawing`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transitable.render.dot import draw_dot
from transitable.render.mermaid import draw_mermaid, parse_mermaid
from transitable.render.text import draw_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transitable.model.table import Table

FORMS: Mapping[str, Callable[[Table], str]] = {"table": draw_table, "mermaid": draw_mermaid, "dot": draw_dot}
"""The forms in which a table can be drawn."""

__all__ = ["FORMS", "draw_dot", "draw_mermaid", "draw_table", "parse_mermaid"]
