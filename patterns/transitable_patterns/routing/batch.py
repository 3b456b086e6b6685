"""Many requests through one graph: results as plain values, one after the other, for files of any length.

Only the request at hand is held. A line without a request becomes a bad line and stops nothing.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final, TextIO

from attrs import frozen

from transitable import Run, StateError

from .errors import RAW_CHARS, clip
from .requests import BadLine
from .state import Code, Route, RoutingState
from .trace import read_trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transitable import Graph

    from .requests import NumberedRequest

EXPORT_COLUMNS: Final = (
    "line",
    "input",
    "label",
    "route",
    "code",
    "reason",
    "confidence",
    "requires_human_review",
    "candidates",
)
"""Columns of an export; `label` is empty, to be filled in by people."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings that a spreadsheet takes for a formula."""


@frozen
class Answered:
    """One request and the run that it took."""

    line: int
    """Line of the file on which it began, from 1."""
    run: Run[RoutingState]
    """Its run."""


def route_all(
    graph: Graph[RoutingState], requests: Iterable[NumberedRequest | BadLine]
) -> Iterator[Answered | BadLine]:
    """Run the graph on each request, lazily and in order; what no state can hold becomes a bad line."""
    for item in requests:
        if isinstance(item, BadLine):
            yield item
            continue
        try:
            run = graph.run(RoutingState(request=item.request))
        except (StateError, RecursionError) as problem:
            yield BadLine(item.line, f"not a request: {clip(str(problem), RAW_CHARS)}")
        else:
            yield Answered(item.line, run)


def is_open(state: RoutingState) -> bool:
    """Tell if a request was clarified or handed to a person, so that it is worth labelling."""
    return state.route is Route.CLARIFY or state.requires_human_review


def describe_state(state: RoutingState) -> dict[str, Any]:
    """Give the fields of the specification as JSON values, in its order."""
    return {
        "input": state.input,
        "normalized_input": state.normalized_input,
        "route": state.route,
        "route_reason": state.route_reason,
        "route_confidence": state.route_confidence,
        "handler_output": state.handler_output,
        "final_output": state.final_output,
        "errors": state.errors,
        "retry_count": state.retry_count,
        "requires_human_review": state.requires_human_review,
        "metadata": state.metadata,
    }


class OpenRequestsWriter:
    """Writes clarified and escalated requests to a CSV, ready to be labelled."""

    def __init__(self, file: TextIO) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._writer.writerow(EXPORT_COLUMNS)
        self.rows = 0
        """Requests written so far."""

    def add(self, answered: Answered) -> None:
        """Write one request if it is open; others are left out."""
        state = answered.run.state
        if not is_open(state):
            return
        trace = read_trace(state)
        candidates = ", ".join(f"{each['route']} {each['score']:.3f}" for each in trace.get("candidates", ()))
        cells = [
            answered.line,
            state.input,
            "",
            state.route,
            trace.get("code", Code.NODE_FAILED),
            state.route_reason,
            state.route_confidence,
            state.requires_human_review,
            candidates,
        ]
        self._writer.writerow([guard_cell(cell) for cell in cells])
        self.rows += 1


def guard_cell(cell: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would run as a formula; everything else stays."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
