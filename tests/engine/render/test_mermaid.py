"""EI-11: the Mermaid drawing shows exactly the table's places, labels and rows, in both directions."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable.model.compiler import compile_table
from transitable.model.nodes import each, field, node, pause, together
from transitable.model.rows import END, Row, RowKind, again, by, limit, then
from transitable.model.state import describe_state
from transitable.render.drawing import DrawingError
from transitable.render.mermaid import draw_mermaid, escape, parse_mermaid, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transitable.model.table import Table

Odd = enum.Enum("Odd", {'quo"te': 1, "pipe|[bracket]": "x", "한국어": 2, "line\nbreak": (1, 2), "end": None})  # type: ignore[misc]  # member names that no class body can have


class Route(enum.StrEnum):
    ORDER = "order"
    CLARIFY = "clarify"


Twin = enum.Enum("Route", {"ORDER": "order"})  # type: ignore[misc]  # a second enum of the same name, on purpose


@attrs.frozen
class Inner:
    flag: bool = False


@attrs.frozen
class Sample:
    odd: Odd = Odd["end"]  # type: ignore[valid-type]  # mypy reads no functional enum of odd names
    route: Route | None = None
    twins: Route | Twin | None = None  # type: ignore[valid-type]  # as above
    text: Literal["a", 'b"c', "<br/>", "#35;", "%% x", "`t`", "\n", "", 3, True] = "a"
    inner: Inner = Inner()
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    answer: str = ""
    rounds: int = 0
    tries: int = 0
    most: int = 2


MODEL = describe_state(Sample)
FIELDS = ("odd", "route", "twins", "text", "inner.flag")
NAMES = st.one_of(
    st.text(min_size=1, max_size=12),
    st.sampled_from(
        [
            'say "hi"',
            "a|b",
            "[x](y)",
            "주문 상태",
            "two\nlines",
            "end",
            "p0",
            "<b>&amp;</b>",
            "#35;",
            "%%{init}%%",
            "`md`",
            "\ud800",
        ]
    ),
).filter(lambda name: name != "END" and name.strip())


def work(state: Sample) -> Mapping[str, object]:
    return {}


def shorten(item: str) -> str:
    return item


def make_place(kind: str, name: str) -> Any:
    makers: dict[str, Callable[[], Any]] = {
        "node": lambda: node(work, name=name),
        "each": lambda: each("items", shorten, into="results", name=name, at_once=2),
        "together": lambda: together(node(work, name="left"), node(work, name="right"), name=name),
        "pause": lambda: pause(name, question=field("answer"), answer=str, into="answer"),
    }
    return makers[kind]()


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Random tables of odd names, with every kind of row; not all of them are sound, and all can be drawn."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    places = [make_place(draw(st.sampled_from(["node", "node", "each", "together", "pause"])), name) for name in names]
    ends = st.sampled_from([*places, END])
    bounds = st.one_of(st.integers(0, 5), st.integers(0, 5).map(lambda cap: limit("most", cap=cap)))
    bounded = st.builds(again, ends, count=st.sampled_from(["rounds", "tries"]), at_most=bounds, otherwise=ends)
    targets = st.one_of(ends, ends, bounded)
    errors = st.dictionaries(st.sampled_from([Exception, KeyError, TimeoutError]), targets, max_size=2)

    def branch(name: str) -> st.SearchStrategy[Any]:
        shape, _ = MODEL.shape_at(tuple(name.split(".")))
        members = (shape.members() if shape else None) or ()
        rows = st.fixed_dictionaries(dict.fromkeys(members, targets))
        return st.builds(by, st.just(name), rows, name=st.none() | NAMES, on_error=errors)

    ways = st.one_of(targets, st.builds(then, targets, on_error=errors), st.sampled_from(FIELDS).flatmap(branch))
    written = {place: draw(ways) for place in places}
    on_cancel = draw(st.sampled_from([None, places[-1]]))
    return compile_table(MODEL, places[0], written, on_cancel=on_cancel, name=draw(NAMES))


@given(tables())
def test_parsing_a_drawing_gives_exactly_the_rows(table: Table) -> None:
    """EI-11, from table to drawing and back: same rows, same order, labels of the same type."""
    rows = parse_mermaid(draw_mermaid(table), MODEL)
    assert rows == table.rows
    assert [type(row.value) for row in rows] == [type(row.value) for row in table.rows]


@given(tables(), st.data())
def test_every_line_of_a_row_counts(table: Table, data: st.DataObject) -> None:
    """EI-11, from drawing to table: a drawing without one of its arrows shows exactly one row less."""
    lines = draw_mermaid(table).splitlines()
    arrows = [
        number
        for number, line in enumerate(lines)
        if re.search(r"^ +[pb]\d+ (-->|-\.->|==>)", line) and " --> b" not in line
    ]
    assert len(arrows) == len(table.rows)
    if arrows:
        chosen = data.draw(st.integers(0, len(arrows) - 1))
        del lines[arrows[chosen]]
        assert parse_mermaid("\n".join(lines), MODEL) == table.rows[:chosen] + table.rows[chosen + 1 :]


@given(tables())
def test_every_place_and_branch_is_drawn(table: Table) -> None:
    """Each place is one box with its name, each named branch a diamond with its name; nothing else is drawn."""
    text = draw_mermaid(table)
    boxes = re.findall(r'^ +p\d+[\[{/]+"([^"]*)"', text, re.MULTILINE)
    assert [unescape(box.split("<br/>")[0]) for box in boxes] == list(table.places)
    diamonds = re.findall(r'^ +b\d+\{"([^"]*)"\}', text, re.MULTILINE)
    branches = [place.by for place in table.places.values() if place.by]
    shown = [[unescape(line) for line in diamond.split("<br/>")] for diamond in diamonds]
    assert shown == [[each for each in (branch.name, branch.field) if each is not None] for branch in branches]


@given(st.text())
def test_escaping_can_be_undone_and_leaves_only_harmless_characters(text: str) -> None:
    """Whatever a name holds, its text cannot end a quoted string, start a comment or be markup."""
    escaped = escape(text)
    assert unescape(escaped) == text
    assert not re.search(r'["|<>{}\[\]`%&:\n\\/*~]', escaped)


def test_a_branch_is_drawn_with_its_name_field_and_labels() -> None:
    """RA-39: the branch's name stands on the branch, and each label on an arrow out of it."""
    ask = node(work, name="ask")
    look = node(work, name="look")
    rows = {
        Route.ORDER: look,
        Route.CLARIFY: END,
        None: again(ask, count="tries", at_most=limit("most", cap=3), otherwise=END),
    }
    ways = {ask: by("route", rows, name="route_by_decision", on_error={KeyError: look}), look: END}
    table = compile_table(MODEL, ask, ways, on_cancel=look)
    assert draw_mermaid(table).splitlines() == [
        "flowchart TD",
        '    start(("start"))',
        '    p0["ask"]',
        '    b0{"route_by_decision<br/>route"}',
        '    p1["look"]',
        '    finish(("END"))',
        "    start --> p0",
        "    p0 --> b0",
        '    b0 -->|"Route.ORDER"| p1',
        '    b0 -->|"Route.CLARIFY"| finish',
        '    b0 -->|"None<br/>tries below min(most, 3)"| p0',
        '    b0 -->|"None<br/>tries at min(most, 3)"| finish',
        '    p0 -.->|"error builtins.KeyError"| p1',
        '    p0 ==>|"cancel"| p1',
        "    p1 --> finish",
    ]


def test_composite_places_have_shapes_of_their_own() -> None:
    """One worker over many items, places side by side and a question to a person can be told apart at once."""
    places = [make_place(kind, kind) for kind in ("node", "each", "together", "pause")]
    text = draw_mermaid(compile_table(MODEL, places[0], dict.fromkeys(places, END)))
    assert '    p0["node"]' in text
    assert '    p1[/"each<br/>each of items, into results, 2 at once"\\]' in text
    assert '    p2[/"together<br/>side by side#58; left, right"/]' in text
    assert '    p3{{"pause<br/>asks with answer, answer into answer"}}' in text


def test_two_enums_of_one_name_stay_apart() -> None:
    """Members that source code writes alike get a number, so that every label stands for one member."""
    ask = node(work, name="ask")
    table = compile_table(
        MODEL, ask, {ask: by("twins", {Route.ORDER: END, Route.CLARIFY: END, Twin["ORDER"]: ask, None: END})}
    )
    assert "Route.ORDER#35;2" in draw_mermaid(table)
    assert parse_mermaid(draw_mermaid(table), MODEL)[2] == Row("ask", RowKind.VALUE, "twins", Twin["ORDER"], "ask")


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (["graph LR"], 1, "flowchart TD"),
        (["flowchart TD", "%% p0 --> p1"], 2, "a place, a branch or a row"),
        (["flowchart TD", 'p0["a"]', "p0 --> p9"], 3, "a place that is drawn above"),
        (["flowchart TD", 'p0["a"]', "start --> p3"], 3, "a place that is drawn above"),
        (["flowchart TD", 'p0["a"]', "p0 --> b0"], 3, "the way from a place to its own branch"),
        (["flowchart TD", 'p0["a"]', 'b0 -->|"None"| p0'], 3, "a branch that is drawn above"),
        (
            ["flowchart TD", 'p0["a"]', 'b0{"route"}', 'b0 -->|"Route.REFUND"| p0'],
            4,
            "Route.ORDER, Route.CLARIFY, None",
        ),
        (["flowchart TD", 'p0["a"]', 'b0{"answer"}', 'b0 -->|"None"| p0'], 4, "it is not closed"),
        (["flowchart TD", 'p0["a"]', 'b0{"route"}', 'b0 -.->|"None"| p0'], 4, "as every row of a branch has"),
        (["flowchart TD", 'p0["a"]', 'p0 -.->|"oops"| p0'], 3, "'error' and a class name"),
        (["flowchart TD", 'p0["a"]', "p0 ==> p0"], 3, "or 'cancel'"),
        (["flowchart TD", 'p0["a"]', 'p0 -->|"tries over 3"| p0'], 3, "a bound such as"),
        (["flowchart TD", 'p0["a"]', 'p0 -->|"tries at 3<br/>more"| p0'], 3, "at most a reason and a bound"),
    ],
)
def test_what_is_no_drawing_of_ours_is_refused_with_its_line(lines: list[str], line: int, expected: str) -> None:
    """A reader that guessed would make a proof about another table."""
    with pytest.raises(DrawingError, match=re.escape(expected)) as caught:
        parse_mermaid("\n".join(lines), MODEL)
    assert caught.value.line == line
    assert f"line {line} of the drawing" in str(caught.value)
