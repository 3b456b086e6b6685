"""Many requests through one graph, and the export of the open ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from transitable import Graph
from transitable_patterns.routing import RoutingState, RulesRouter
from transitable_patterns.routing.batch import (
    EXPORT_COLUMNS,
    Answered,
    OpenRequestsWriter,
    describe_state,
    guard_cell,
    is_open,
    route_all,
)
from transitable_patterns.routing.requests import BadLine, NumberedRequest

Build = Callable[..., Graph[RoutingState]]


def test_results_come_in_order_with_bad_lines_between(build: Build, rules: RulesRouter) -> None:
    """Each request gives a run, each bad line itself, in the order of the file."""
    items: list[NumberedRequest | BadLine] = [
        NumberedRequest(1, {"input": "where is order 12345"}),
        BadLine(2, "x"),
        NumberedRequest(3, {"input": ""}),
    ]
    found = list(route_all(build(rules), items))
    assert [item.line for item in found] == [1, 2, 3]
    assert found[1] == BadLine(2, "x")
    assert isinstance(found[2], Answered)
    assert found[2].run.state.route == "clarify"


def test_what_no_state_can_hold_is_a_bad_line(build: Build, rules: RulesRouter) -> None:
    """A value that is no JSON, or nested without end, costs its own line."""
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    items = [NumberedRequest(1, {"input": object()}), NumberedRequest(2, {"input": "a", "metadata": {"x": deep}})]
    found = list(route_all(build(rules), items))
    assert [type(item) for item in found] == [BadLine, BadLine]


def test_the_export_has_the_open_requests(build: Build, rules: RulesRouter) -> None:
    """Clarified and escalated requests, with cause, reason and candidates, and an empty column for the label."""
    out = io.StringIO()
    writer = OpenRequestsWriter(out)
    texts = [
        "my printer prints stripes",
        "hm",
        "=cmd()",
        "where is order 99999",
        "is the phone broken or what does it cost",
    ]
    for item in route_all(build(rules), [NumberedRequest(line, {"input": text}) for line, text in enumerate(texts, 1)]):
        assert isinstance(item, Answered)
        writer.add(item)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert tuple(rows[0]) == EXPORT_COLUMNS
    assert [row["line"] for row in rows] == ["2", "3", "4", "5"]
    assert {row["label"] for row in rows} == {""}
    assert rows[1]["input"] == "'=cmd()"
    assert (rows[2]["route"], rows[2]["code"], rows[2]["requires_human_review"]) == ("order_status", "accepted", "True")
    assert "product_info" in rows[3]["candidates"]
    assert writer.rows == 4


@pytest.mark.parametrize(
    ("cell", "guarded"), [("=1", "'=1"), ("@x", "'@x"), ("-", "'-"), ("a=1", "a=1"), ("", ""), (3, 3), (None, None)]
)
def test_formulas_are_made_harmless(cell: object, guarded: object) -> None:
    """A text that a spreadsheet would run gets an apostrophe; nothing else changes."""
    assert guard_cell(cell) == guarded


def test_the_description_is_json(build: Build, rules: RulesRouter) -> None:
    """RI-17: the fields of the specification, in its order, as JSON values."""
    state = build(rules).run(RoutingState(request="where is order 12345")).state
    described: dict[str, Any] = json.loads(json.dumps(describe_state(state)))
    assert list(described) == [
        "input", "normalized_input", "route", "route_reason", "route_confidence", "handler_output", "final_output", "errors",
        "retry_count", "requires_human_review", "metadata",
    ]  # fmt: skip
    assert described["route"] == "order_status"
    assert is_open(state)
