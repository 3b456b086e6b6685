"""The Markdown and Graphviz drawings: what they show, and that no name can break out of them."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable.model.compiler import compile_table
from transitable.model.nodes import each, node, pause, subgraph, together
from transitable.model.rows import END, again, by, then
from transitable.model.state import describe_state
from transitable.model.table import Table
from transitable.render.dot import draw_dot
from transitable.render.mermaid import draw_mermaid
from transitable.render.text import draw_table, measure

if TYPE_CHECKING:
    from collections.abc import Mapping


class Route(enum.StrEnum):
    ORDER = "order"
    CLARIFY = "clarify"


@attrs.frozen
class Request:
    route: Route | None = None
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    verdict: str = ""
    tries: int = 0


MODEL = describe_state(Request)


def screen(state: Request) -> Mapping[str, object]:
    return {}


def look_up(state: Request) -> Mapping[str, object]:
    return {}


def shorten(item: str) -> str:
    return item


@attrs.frozen
class Holder:
    """Stands for a graph: what a place needs of one."""

    table: Table
    name: str


@pytest.fixture
def table() -> Table:
    rows = {
        Route.ORDER: look_up,
        Route.CLARIFY: END,
        None: again(screen, count="tries", at_most=2, otherwise=END),
    }
    ways = {screen: by("route", rows, name="route_by_decision"), look_up: then(END, on_error={KeyError: END})}
    return compile_table(MODEL, screen, ways, on_cancel=look_up, name="routing")


def test_the_markdown_table_has_a_line_a_row_and_the_start(table: Table) -> None:
    """Columns are aligned, so that the text can be read before Markdown renders it."""
    assert draw_table(table).splitlines() == [
        "**routing** starts at **screen**",
        "",
        "| place   | when                                           | next    |",
        "| ------- | ---------------------------------------------- | ------- |",
        "| screen  | route_by_decision: route = Route.ORDER         | look_up |",
        "| screen  | route_by_decision: route = Route.CLARIFY       | END     |",
        "| screen  | route_by_decision: route = None, tries below 2 | screen  |",
        "| screen  | route_by_decision: route = None, tries at 2    | END     |",
        "| screen  | cancel                                         | look_up |",
        "| look_up | always                                         | END     |",
        "| look_up | error builtins.KeyError                        | END     |",
    ]


def test_composite_places_are_listed_below() -> None:
    """What a composite place does does not fit into a cell."""
    inner = Holder(compile_table(MODEL, screen, {screen: END}), "checks")
    many = each("items", shorten, into="results", name="many")
    both = together(node(screen, name="left"), node(look_up, name="right"), name="both")
    ask = pause("ask", question="go on?", answer=str, into="verdict")
    child = subgraph(inner, name="child")
    drawn = draw_table(compile_table(MODEL, many, {many: both, both: ask, ask: child, child: inner, inner: END}))
    assert drawn.split("\n\n")[-1] == (
        "- many: each of items, into results\n- both: side by side: left, right\n"
        "- ask: asks, answer into verdict\n- child: graph checks\n- checks: graph checks\n"
    )


def test_a_table_that_starts_nowhere_can_be_drawn() -> None:
    """Drawing helps to find what is wrong, so it must not need a sound table."""
    broken = compile_table(MODEL, None, {screen: END})
    assert "starts at **nowhere**" in draw_table(broken)
    assert "start ->" not in draw_dot(broken)


def test_a_table_without_an_end_shows_none() -> None:
    """No box stands for what no row leads to."""
    endless = compile_table(MODEL, screen, {screen: look_up, look_up: screen})
    assert "END" not in draw_dot(endless) + draw_table(endless) + draw_mermaid(endless)


@given(st.text(min_size=1).filter(lambda name: name != "END"))
def test_no_name_breaks_the_markdown_table(name: str) -> None:
    """Every line of the table has its three cells, whatever a name holds."""
    place = node(screen, name=name)
    lines = draw_table(compile_table(MODEL, place, {place: END})).split("\n")
    table_lines = lines[2:-1]
    assert len(table_lines) == 3
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4 for line in table_lines)


def test_wide_characters_take_two_columns() -> None:
    """Korean names keep the columns aligned."""
    place = node(screen, name="주문_상태")
    lines = draw_table(compile_table(MODEL, place, {place: END})).split("\n")[2:-1]
    assert len({measure(line) for line in lines}) == 1
    assert measure("주문") == 4
    assert measure("e\u0301") == 1


def test_the_graphviz_drawing_has_the_same_places_branches_and_rows(table: Table) -> None:
    """Same boxes, same words; error rows dashed, cancel rows bold."""
    assert draw_dot(table).splitlines() == [
        'digraph "routing" {',
        '    start [shape=circle, label="start"];',
        '    p0 [shape=box, label="screen"];',
        '    b0 [shape=diamond, label="route_by_decision\\nroute"];',
        '    p1 [shape=box, label="look_up"];',
        '    finish [shape=doublecircle, label="END"];',
        "    start -> p0;",
        "    p0 -> b0;",
        '    b0 -> p1 [style=solid, label="Route.ORDER"];',
        '    b0 -> finish [style=solid, label="Route.CLARIFY"];',
        '    b0 -> p0 [style=solid, label="None\\ntries below 2"];',
        '    b0 -> finish [style=solid, label="None\\ntries at 2"];',
        '    p0 -> p1 [style=bold, label="cancel"];',
        '    p1 -> finish [style=solid, label=""];',
        '    p1 -> finish [style=dashed, label="error builtins.KeyError"];',
        "}",
    ]


@given(st.text(min_size=1).filter(lambda name: name != "END"))
def test_no_name_breaks_out_of_a_graphviz_string(name: str) -> None:
    """Every line of the drawing is one statement with closed quotes, and the text can be written as UTF-8."""
    place = node(screen, name=name)
    lines = draw_dot(compile_table(MODEL, place, {place: END}, name=name)).split("\n")
    assert len(lines) == 8
    for line in lines:
        assert re.fullmatch(r'(?:[^"\\]|"(?:[^"\\]|\\.)*")*', line.encode().decode())
