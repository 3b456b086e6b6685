"""A table as a Mermaid flowchart, and the way back.

Responsible for: valid Mermaid in which every place, label and row can be seen, and a reader that gets exactly the rows
out of what is seen; nothing is hidden in comments. Not for: Mermaid written by others.

The shape of the text, one thing a line:

    flowchart TD
        start(("start"))                        the way in; finish(("END")) the way out
        p0["name<br/>detail"]                   a place; its brackets tell its kind
        b0{"name of the branch<br/>field"}      the branch of place 0
        p0 -->|"label<br/>bound"| p1            a row: --> next or value, -.-> error, ==> cancel

Text stands in double quotes; every character that is not a letter, a digit or known to be harmless is written as its
code point, `#10;`, which Mermaid shows as the character itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transitable.model.rows import Bound, Limit, Row, RowKind
from transitable.render.drawing import DrawingError, Labels, PlaceKind, lay_out, word_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transitable.model.state import StateModel
    from transitable.model.table import Table

SHAPES = {
    PlaceKind.NODE: ('["', '"]'),
    PlaceKind.EACH: ('[/"', '"\\]'),
    PlaceKind.TOGETHER: ('[/"', '"/]'),
    PlaceKind.PAUSE: ('{{"', '"}}'),
    PlaceKind.GRAPH: ('[["', '"]]'),
}
"""Opening and closing of each kind: rectangle, trapezoid, parallelogram, hexagon, sub-routine."""
ARROWS = {RowKind.NEXT: "-->", RowKind.VALUE: "-->", RowKind.ERROR: "-.->", RowKind.CANCEL: "==>"}
HARMLESS = frozenset(" _-.,'=+()")
BREAK = "<br/>"

HEAD = re.compile(r"flowchart TD")
ENDPOINT = re.compile(r'(start\(\("start"\)\)|finish\(\("END"\)\))')
PLACE = re.compile(r'p(\d+)(?:\["([^"]*)"\]|\[/"([^"]*)"\\\]|\[/"([^"]*)"/\]|\{\{"([^"]*)"\}\}|\[\["([^"]*)"\]\])')
BRANCH = re.compile(r'b(\d+)\{"([^"]*)"\}')
JOINT = re.compile(r"(start|p\d+) --> ([bp]\d+)")
EDGE = re.compile(r'([pb])(\d+) (-->|-\.->|==>)(?:\|"([^"]*)"\|)? (p\d+|finish)')
BOUND = re.compile(r"(\w+) (below|at) (?:(-?\d+)|min\((\w+), (-?\d+)\))")


def draw_mermaid(table: Table) -> str:
    """Draw a table as a Mermaid flowchart; `parse_mermaid` gives exactly its rows back.

    Returns:
        The text, ending with a line break, without the fence that Markdown needs around it.
    """
    drawing = lay_out(table)
    labels = Labels(table.model)
    ids = {place.name: f"p{number}" for number, place in enumerate(drawing.places)}
    lines = ["flowchart TD", '    start(("start"))']
    for place in drawing.places:
        opening, closing = SHAPES[place.kind]
        lines.append(f"    {ids[place.name]}{opening}{join_text([place.name, place.detail])}{closing}")
        if place.branch_field is not None:
            branch = "b" + ids[place.name][1:]
            lines.append(f'    {branch}{{"{join_text(place.branch_text)}"}}')
    if drawing.ends:
        lines.append('    finish(("END"))')
    if drawing.start is not None:
        lines.append(f"    start --> {ids[drawing.start]}")
    lines.extend(
        f"    {ids[place.name]} --> b{ids[place.name][1:]}"
        for place in drawing.places
        if place.branch_field is not None
    )
    lines.extend(f"    {_draw_row(row, ids, labels)}" for row in drawing.rows)
    return "\n".join(lines) + "\n"


def _draw_row(row: Row, ids: dict[str, str], labels: Labels) -> str:
    source = ("b" if row.kind is RowKind.VALUE else "p") + ids[row.source][1:]
    target = "finish" if row.target == "END" else ids[row.target]
    text = join_text([_word_reason(row, labels), word_bound(row.bound) if row.bound else ""])
    label = f'|"{text}"|' if text else ""
    return f"{source} {ARROWS[row.kind]}{label} {target}"


def _word_reason(row: Row, labels: Labels) -> str:
    if row.kind is RowKind.VALUE:
        return labels.show(row.field, row.value)
    if row.kind is RowKind.ERROR:
        return f"error {row.value}"
    return "cancel" if row.kind is RowKind.CANCEL else ""


def join_text(lines: Iterable[str]) -> str:
    """Escape lines, and put them under each other; empty ones are left out."""
    return BREAK.join(escape(line) for line in lines if line)


def escape(text: str) -> str:
    """Write every character that could mean something to Mermaid, HTML or Markdown as its code point."""
    return "".join(each if each.isalnum() or each in HARMLESS else f"#{ord(each)};" for each in text)


def unescape(text: str) -> str:
    """Undo `escape`."""
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)


def parse_mermaid(text: str, model: StateModel) -> tuple[Row, ...]:
    """Read the rows out of a drawing made by `draw_mermaid`.

    The text has no types, so the state class says which member a label stands for; nothing else of a table is needed.

    Args:
        text: The flowchart, without a fence around it.
        model: The description of the state class, `graph.table.model` or `describe_state(cls)`.

    Returns:
        The rows, in the order of the drawing.

    Raises:
        DrawingError: If a line is none that `draw_mermaid` writes, names a place that is not drawn, or carries a label
            that is no member of the branch's field.
    """
    return _Reader(model).read(text)


class _Reader:
    """The state of one reading."""

    def __init__(self, model: StateModel) -> None:
        self.labels = Labels(model)
        self.places: dict[str, str] = {}
        self.fields: dict[str, str] = {}
        self.rows: list[Row] = []
        self.line = 0

    def read(self, text: str) -> tuple[Row, ...]:
        head, *lines = text.split("\n")
        self.line = 1
        if not HEAD.fullmatch(head):
            raise DrawingError(1, repr(head), "'flowchart TD'")
        readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...] = (
            (EDGE, self.read_edge),
            (PLACE, self.read_place),
            (BRANCH, self.read_branch),
            (JOINT, self.read_joint),
            (ENDPOINT, lambda _: None),
        )
        for line in lines:
            self.line += 1
            self.read_line(line.strip(" "), readers)
        return tuple(self.rows)

    def read_line(
        self, line: str, readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...]
    ) -> None:
        if not line:
            return
        for pattern, use in readers:
            found = pattern.fullmatch(line)
            if found:
                use(found)
                return
        raise DrawingError(self.line, repr(line), "a place, a branch or a row")

    def read_place(self, found: re.Match[str]) -> None:
        number, *texts = found.groups()
        text = next(each for each in texts if each is not None)
        self.places[number] = unescape(text.split(BREAK)[0])

    def read_branch(self, found: re.Match[str]) -> None:
        self.fields[found[1]] = unescape(found[2].split(BREAK)[-1])

    def read_joint(self, found: re.Match[str]) -> None:
        """Check the way from the start, or from a place to its branch."""
        if found[2][0] == "p":
            self.find_place(found[2][1:])
        elif found[1] != f"p{found[2][1:]}" or found[2][1:] not in self.fields:
            raise DrawingError(self.line, repr(found[0]), "the way from a place to its own branch, drawn above")

    def read_edge(self, found: re.Match[str]) -> None:
        letter, number, arrow, label, target = found.groups()
        texts = [unescape(text) for text in label.split(BREAK)] if label else []
        kind = RowKind.VALUE if letter == "b" else next(kind for kind, drawn in ARROWS.items() if drawn == arrow)
        if letter == "b" and arrow != "-->":
            raise DrawingError(self.line, repr(found[0]), "-->, as every row of a branch has")
        field = self.find_field(number) if kind is RowKind.VALUE else None
        value = self.take_value(kind, field, texts)
        bound = self.take_bound(texts)
        if texts:
            raise DrawingError(self.line, repr(texts[0]), "at most a reason and a bound")
        to = "END" if target == "finish" else self.find_place(target[1:])
        self.rows.append(Row(self.find_place(number), kind, field, value, to, bound))

    def take_value(self, kind: RowKind, field: str | None, texts: list[str]) -> object:
        """Take the reason off the texts of a row, and find the value that it stands for."""
        if kind is RowKind.NEXT:
            return None
        text = texts.pop(0) if texts else ""
        if kind is RowKind.VALUE:
            members = self.labels.read_field(field or "")
            if members is None or text not in members:
                raise DrawingError(
                    self.line,
                    repr(text),
                    f"a member of field {field!r}: {', '.join(members or ()) or 'it is not closed'}",
                )
            return members[text]
        word, _, name = text.partition(" ")
        if word != kind.value or bool(name) != (kind is RowKind.ERROR):
            raise DrawingError(self.line, repr(text), "'error' and a class name, or 'cancel'")
        return name or None

    def take_bound(self, texts: list[str]) -> Bound | None:
        if not texts:
            return None
        found = BOUND.fullmatch(texts[0])
        if found is None:
            raise DrawingError(self.line, repr(texts[0]), "a bound such as 'count below 3'")
        del texts[0]
        count, word, number, field, cap = found.groups()
        return Bound(count, int(number) if number is not None else Limit(field, int(cap)), spent=word == "at")

    def find_place(self, number: str) -> str:
        if number not in self.places:
            raise DrawingError(self.line, f"p{number}", "a place that is drawn above")
        return self.places[number]

    def find_field(self, number: str) -> str:
        if number not in self.fields:
            raise DrawingError(self.line, f"b{number}", "a branch that is drawn above")
        return self.fields[number]


__all__ = ["draw_mermaid", "parse_mermaid"]
