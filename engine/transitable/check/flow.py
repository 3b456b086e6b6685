"""The flow that proofs walk: every row of a table, and of the tables inside it, as one graph.

Responsible for: spreading composite places out into vertices and edges (`expand`), and the shortest walk through them
(`find_shortest`). Not for: what a claim means (`transitable.check.claims`), nor for what it names
(`transitable.check.references`).

Paths are canonical: items of `each` and parts of `together` stand in their order, one after the other, because the
order in which they finish never changes state, path or outcome. A place becomes these vertices:

- a plain place or pause: one vertex. Its rows leave from it.
- a composite: `enter`, what is inside, `ok` (its work completed; its next and value rows leave from here) and `failed`
  (its work failed). Error rows leave from all three, because `enter=`, `leave=` and the update can fail as well.
- inside `each` and `together` everything stands twice: a clean copy as long as nothing failed, and a failed copy after
  that, so that `ok` is only reached when nothing failed. Nested `d` deep, a place so stands up to `2 ** d` times.
- what breaks off halfway (`stop_early=`, an `enter=` or `leave=` that fails for one item, cancelling) needs no edges of
  its own: error and cancel rows leave from `enter`, `ok` and `failed`, every place inside may fail, and no claim can tell
  a part of the work from none and all of it.
- only the outermost graph's cancel rows are walked, because a run is cancelled as a whole.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import attrs

from transitable.model.nodes import Each
from transitable.model.rows import RowKind

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from transitable.model.rows import Row
    from transitable.model.table import Place, Table

NOWHERE = -1
"""Stands where there is no position."""
AT_END = 0
"""The position of the end of the run."""


class Edge:
    """One move from vertex to vertex: a row, or a move inside a composite that no row describes."""

    __slots__ = ("completes", "position", "row", "source", "target")

    def __init__(self, source: int, target: int, position: int, row: Row | None, *, completes: bool) -> None:
        self.source = source
        self.target = target
        self.position = position
        """The position that is left; `NOWHERE` for a move that stays in a composite."""
        self.row = row
        """The row as its own table has it; None for a move without a row."""
        self.completes = completes
        """Whether the position has completed when it is left."""


class Flow:
    """The vertices and edges of a table. A position is a place as it stands at one address, over all its vertices."""

    __slots__ = ("end", "entered", "leaving", "paths", "positions", "start")

    def __init__(self) -> None:
        self.entered: list[int] = []
        """By vertex: the position that is visited by coming to it, or `NOWHERE`."""
        self.leaving: list[list[Edge]] = []
        """By vertex: the edges out of it."""
        self.paths: list[tuple[str, ...]] = []
        """By position: the names of the places around it and its own, outermost first."""
        self.positions: dict[tuple[str, ...], int] = {}
        """The position of each such path."""
        self.end = self.add_vertex(self.add_position(("END",)))
        self.start = self.end
        """The vertex where a run starts."""

    def add_vertex(self, entered: int = NOWHERE) -> int:
        """Add a vertex; coming to it visits the position `entered`."""
        self.entered.append(entered)
        self.leaving.append([])
        return len(self.entered) - 1

    def add_position(self, path: tuple[str, ...]) -> int:
        """Give the position of a path, a new one at its first mention."""
        known = self.positions.setdefault(path, len(self.paths))
        if known == len(self.paths):
            self.paths.append(path)
        return known

    def link(
        self,
        sources: Iterable[int],
        target: int,
        position: int = NOWHERE,
        row: Row | None = None,
        *,
        completes: bool = False,
    ) -> None:
        """Add an edge from each of the sources."""
        for source in sources:
            self.leaving[source].append(Edge(source, target, position, row, completes=completes))

    def name_row(self, edge: Edge) -> Row | None:
        """Give the row of an edge with the full names of its places (`use_tools/think`); None when it has none."""
        scope = self.paths[edge.position][:-1] if edge.position != NOWHERE else ()
        if edge.row is None or not scope:
            return edge.row
        prefix = "/".join(scope)
        return attrs.evolve(edge.row, source=f"{prefix}/{edge.row.source}", target=f"{prefix}/{edge.row.target}")


class _Exits(NamedTuple):
    """Where a scope leads."""

    done: int
    """The vertex for its end."""
    failed: int
    """The vertex for its failure."""


class _Body(NamedTuple):
    """The vertices of one copy of a place."""

    enter: int
    ok: int
    all: tuple[int, ...]
    """Those from which it can fail."""


def expand(table: Table) -> Flow:
    """Spread a table and the tables inside it out; linear in rows, which count twice for each `each` around them."""
    flow = Flow()
    failed = flow.add_vertex()  # nothing leaves from here: the run has FAILED, and rests at its place
    start = _add_table(flow, table, (), _Exits(flow.end, failed))
    flow.start = flow.end if start is None else start
    return flow


def _add_table(flow: Flow, table: Table, scope: tuple[str, ...], exits: _Exits) -> int | None:
    """Add all places and rows of a table; gives the vertex of its start."""
    bodies = {name: _add_place(flow, place, scope) for name, place in table.places.items()}
    for name, place in table.places.items():
        body, position = bodies[name], flow.positions[(*scope, name)]
        for arc in place.ways():
            if arc.row.kind is RowKind.CANCEL and scope:
                continue
            target = exits.done if arc.place is None else bodies[arc.place.name].enter
            sources = (body.ok,) if arc.row.completes else body.all
            flow.link(sources, target, position, arc.row, completes=arc.row.completes)
        flow.link(body.all, exits.failed, position)
    return bodies[table.start.name].enter if table.start else None


def _add_place(flow: Flow, place: Place, scope: tuple[str, ...]) -> _Body:
    """Add one place with what is inside, but without its rows."""
    path = (*scope, place.name)
    enter = flow.add_vertex(flow.add_position(path))
    if place.child is None and not place.parts:
        return _Body(enter, enter, (enter,))
    ok, failed = flow.add_vertex(), flow.add_vertex()
    if isinstance(place.work, Each):
        _add_items(flow, place, path, enter, _Exits(ok, failed))
    elif place.child is None:
        _add_parts(flow, place, path, enter, _Exits(ok, failed))
    else:
        start = _add_table(flow, place.child, path, _Exits(ok, failed))
        flow.link((enter,), ok if start is None else start)
    return _Body(enter, ok, (enter, ok, failed))


def _add_items(flow: Flow, place: Place, path: tuple[str, ...], enter: int, exits: _Exits) -> None:
    """Add the worker of `each`: no item, or some, one after the other, in a clean and a failed copy."""
    clean, failed = flow.add_vertex(), flow.add_vertex()
    first = _add_worker(flow, place, path, _Exits(clean, failed))
    after = _add_worker(flow, place, path, _Exits(failed, failed))
    flow.link((enter, clean), exits.done)
    flow.link((enter, clean), first)
    flow.link((failed,), after)
    flow.link((failed,), exits.failed)


def _add_worker(flow: Flow, place: Place, path: tuple[str, ...], exits: _Exits) -> int:
    if place.child is None:
        return _add_part(flow, place.parts[0], path, exits)
    start = _add_table(flow, place.child, path, exits)
    return exits.done if start is None else start


def _add_part(flow: Flow, part: Place, path: tuple[str, ...], exits: _Exits) -> int:
    """Add a place that has no rows of its own: it completes or fails."""
    body = _add_place(flow, part, path)
    position = flow.positions[(*path, part.name)]
    flow.link((body.ok,), exits.done, position, completes=True)
    flow.link(body.all, exits.failed, position)
    return body.enter


def _add_parts(flow: Flow, place: Place, path: tuple[str, ...], enter: int, exits: _Exits) -> None:
    """Add the parts of `together`, last first, in a clean and a failed copy."""
    clean, failed = exits
    for part in reversed(place.parts):
        after = _add_part(flow, part, path, _Exits(failed, failed))
        clean = _add_part(flow, part, path, _Exits(clean, failed))
        failed = after
    flow.link((enter,), clean)


def find_shortest(
    flow: Flow,
    step: Callable[[Edge, int], int | None],
    *,
    marks: int,
    first: int,
    goals: Container[int],
    wanted: Container[int],
) -> tuple[Row, ...] | None:
    """Find the walk with the fewest rows from the start to a goal; edges without a row cost nothing.

    Each vertex is visited at most once for every mark, so this is linear in edges.

    Args:
        flow: Where to walk.
        step: Gives the mark after an edge from the mark before it; None where the edge must not be taken.
        marks: How many marks there are; they are the numbers from 0.
        first: The mark at the start.
        goals: The vertices to reach.
        wanted: The marks to reach them with.

    Returns:
        The rows, first row first, with full names; empty when the start is a goal; None when no goal is reached.
    """
    begin = flow.start * marks + first
    came: dict[int, tuple[int, Edge] | None] = {begin: None}
    cost = {begin: 0}
    waiting = deque([(0, begin)])  # ordered by cost, of which it never holds more than two
    while waiting:
        price, here = waiting.popleft()
        if price > cost[here]:
            continue  # it was reached more cheaply since
        vertex, mark = divmod(here, marks)
        if vertex in goals and mark in wanted:
            return _list_rows(flow, came, here)
        for edge in flow.leaving[vertex]:
            after = step(edge, mark)
            if after is None:
                continue
            there, total = edge.target * marks + after, price + (edge.row is not None)
            if there not in cost or total < cost[there]:
                cost[there], came[there] = total, (here, edge)
                (waiting.append if edge.row is not None else waiting.appendleft)((total, there))
    return None


def _list_rows(flow: Flow, came: dict[int, tuple[int, Edge] | None], goal: int) -> tuple[Row, ...]:
    rows: list[Row] = []
    last = came[goal]
    while last is not None:
        row = flow.name_row(last[1])
        if row is not None:
            rows.append(row)
        last = came[last[0]]
    return tuple(reversed(rows))
