"""Random tables: checks and claims agree with paths written out one by one.

The enumeration in this file knows nothing of the flow that proofs walk. It plays every run of a table from the meaning of
places (items in their order, a composite fails when something in it failed, ...), as a list of events, and judges each
claim by the sentence that defines it.
"""

import itertools
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Literal, NamedTuple

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from transitable.check.claims import (
    Claim,
    always,
    at_most_one,
    between,
    ends_at,
    exactly_one,
    inside,
    never,
    precedes,
    prove,
)
from transitable.check.findings import find_problems
from transitable.model.compiler import compile_table
from transitable.model.nodes import Each, Together, each, node, together
from transitable.model.rows import END, Row, RowKind, again, by, then
from transitable.model.state import describe_state, grows
from transitable.model.table import Place, Table

Label = Literal["x", "y", "z"]
LABELS = ("x", "y", "z")
MOST_ITEMS = 2
"""Items that are played; nothing that a claim can say needs a third."""
MOST_ROWS, MOST_TRACES, CLAIMS = 8, 800, 40
"""How long runs are played, how many of a table at most, and how many claims are made of each."""


@attrs.frozen
class State:
    label: Label = "x"
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = grows()
    first: int = 0
    second: int = 0
    most: int = 1


MODEL = describe_state(State)


def do_nothing(state: State) -> Mapping[str, object]:
    return {}


def work(item: str) -> str:
    return item


class Inner:
    """A graph, as a table sees it."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name


# -- random tables


def draw_targets(draw: st.DrawFn, places: list[Any]) -> Any:
    target = draw(st.sampled_from([*places, END]))
    if target is not END and draw(st.integers(0, 3)) == 0:
        otherwise = draw(st.sampled_from([*places, END]))
        return again(target, count=draw(st.sampled_from(["first", "second"])), at_most=2, otherwise=otherwise)
    return target


def draw_table(draw: st.DrawFn, places: list[Any], *, may_cancel: bool = False) -> Table:
    written: dict[Any, Any] = {}
    for place in places:
        errors = {ValueError: draw_targets(draw, places)} if draw(st.integers(0, 2)) == 0 else {}
        if draw(st.booleans()):
            written[place] = then(draw_targets(draw, places), on_error=errors)
        else:
            labels = LABELS[: draw(st.integers(1, 2))]
            written[place] = by("label", {label: draw_targets(draw, places) for label in labels}, on_error=errors)
    on_cancel = draw(st.sampled_from(places)) if may_cancel and draw(st.booleans()) else None
    return compile_table(MODEL, places[0], written, on_cancel=on_cancel, name="random")


def make_plain(prefix: str, count: int) -> list[Any]:
    return [node(do_nothing, name=f"{prefix}{number}") for number in range(count)]


@st.composite
def flat_tables(draw: st.DrawFn) -> Table:
    return draw_table(draw, make_plain("p", draw(st.integers(1, 4))), may_cancel=True)


def draw_composite(draw: st.DrawFn, name: str, depth: int = 1) -> Any:
    """Draw a composite place; with `depth` left, something composite may be inside."""
    kind = draw(st.sampled_from(["sub", "items", "runs", "parts"]))
    if kind == "items":
        return each("items", node(work, name="w"), into="results", name=name)
    if kind == "parts":
        parts = make_plain("q", 2)
        if depth and draw(st.booleans()):
            parts[draw(st.integers(0, 1))] = draw_composite(draw, "d", depth - 1)
        return together(*parts, name=name, stop_early=draw(st.booleans()))
    places = make_plain("i", draw(st.integers(1, 2)))
    if depth and draw(st.integers(0, 2)) == 0:
        places.append(draw_composite(draw, "d", depth - 1))
    graph = Inner(draw_table(draw, places), name)
    return graph if kind == "sub" else each("items", graph, into="results", name=name, enter=lambda state, item: state)


@st.composite
def nested_tables(draw: st.DrawFn) -> Table:
    places = [draw_composite(draw, "c"), *make_plain("p", draw(st.integers(1, 2)))]
    return draw_table(draw, places, may_cancel=True)


# -- every run, written out


class Event(NamedTuple):
    """What happens at the place at `path`: it is visited, or left by a row, as done, as failed, or with the run."""

    kind: Literal["visit", "leave"]
    path: tuple[str, ...]
    row: Row | None = None
    completes: bool = False


class Trace(NamedTuple):
    """A run, or the beginning of one."""

    events: tuple[Event, ...]
    rows: int
    outcome: Literal["ok", "failed", "open"]


def play_place(place: Place, path: tuple[str, ...], room: int) -> Iterator[Trace]:
    """Play one visit of a place with at most `room` rows inside."""
    visit = (Event("visit", path),)
    yield Trace(visit, 0, "open")
    yield Trace(visit, 0, "failed")
    for trace in play_inside(place, path, room):
        yield Trace(visit + trace.events, trace.rows, trace.outcome)
        if trace.outcome == "ok":  # its update may be refused
            yield Trace(visit + trace.events, trace.rows, "failed")


def play_inside(place: Place, path: tuple[str, ...], room: int) -> Iterator[Trace]:
    if isinstance(place.work, Each):
        yield from play_items(place, path, room, MOST_ITEMS)
    elif isinstance(place.work, Together):
        yield from play_parts(place.parts, path, room, stop_early=place.work.stop_early)
    elif place.child is not None:
        yield from play_table(place.child, path, room)
    else:
        yield Trace((), 0, "ok")


def play_items(place: Place, path: tuple[str, ...], room: int, most: int) -> Iterator[Trace]:
    yield Trace((), 0, "ok")
    if not most:
        return
    for item in play_item(place, path, room):
        if item.outcome == "open":
            yield item
            continue
        for rest in play_items(place, path, room - item.rows, most - 1):
            yield join(item, rest)


def play_item(place: Place, path: tuple[str, ...], room: int) -> Iterator[Trace]:
    if place.child is None:
        yield from play_part(place.parts[0], path, room)
        return
    yield Trace((), 0, "failed")  # `enter=` fails
    for trace in play_table(place.child, path, room):
        yield trace
        if trace.outcome == "ok":  # `leave=` fails
            yield trace._replace(outcome="failed")


def play_parts(parts: tuple[Place, ...], path: tuple[str, ...], room: int, *, stop_early: bool) -> Iterator[Trace]:
    if not parts:
        yield Trace((), 0, "ok")
        return
    for part in play_part(parts[0], path, room):
        if part.outcome == "open" or (stop_early and part.outcome == "failed"):
            yield part
        if part.outcome != "open":
            for rest in play_parts(parts[1:], path, room - part.rows, stop_early=stop_early):
                yield join(part, rest)


def play_part(part: Place, path: tuple[str, ...], room: int) -> Iterator[Trace]:
    here = (*path, part.name)
    for trace in play_place(part, here, room):
        if trace.outcome == "open":
            yield trace
        else:
            yield trace._replace(events=(*trace.events, Event("leave", here, completes=trace.outcome == "ok")))


def join(one: Trace, rest: Trace) -> Trace:
    """Put two traces side by side: the whole fails if one of them failed, but is open while the rest is."""
    failed = one.outcome == "failed" and rest.outcome == "ok"
    return Trace(one.events + rest.events, one.rows + rest.rows, "failed" if failed else rest.outcome)


def play_table(table: Table, path: tuple[str, ...], room: int) -> Iterator[Trace]:
    """Play every run of a table with at most `room` rows; `ok` at its end, `failed` where no row catches."""
    assert table.start is not None
    waiting = [(table.start, (), 0)]
    while waiting:
        place, before, rows = waiting.pop()
        here = (*path, place.name)
        for trace in play_place(place, here, room - rows):
            events, used = before + trace.events, rows + trace.rows
            if trace.outcome == "open":
                yield Trace(events, used, "open")
            if trace.outcome == "failed" and path:
                yield Trace((*events, Event("leave", here)), used, "failed")
            for arc in place.ways():
                if used >= room or not fits(arc.row, trace.outcome, is_outermost=not path):
                    continue
                left = (*close(events, here), Event("leave", here, arc.row, arc.row.completes))
                if arc.place is None:
                    yield Trace(left, used + 1, "ok")
                else:
                    waiting.append((arc.place, left, used + 1))


def fits(row: Row, outcome: str, *, is_outermost: bool) -> bool:
    """Tell whether a place that has this outcome can be left by a row."""
    if row.kind is RowKind.CANCEL:
        return is_outermost
    return outcome == ("failed" if row.kind is RowKind.ERROR else "ok")


def close(events: tuple[Event, ...], here: tuple[str, ...]) -> tuple[Event, ...]:
    """Leave everything that is still open inside a place, innermost first."""
    opened: list[tuple[str, ...]] = []
    for event in events:
        if event.kind == "visit":
            opened.append(event.path)
        else:
            opened.remove(event.path)
    inner = [path for path in reversed(opened) if path != here]
    return (*events, *(Event("leave", path) for path in inner))


# -- claims, by the sentence that defines them


class Named(NamedTuple):
    """A place or row, as a claim names it and as events show it."""

    reference: Any
    path: tuple[str, ...]
    row: Row | None = None
    """The bounded arm where it has two; None for a place."""

    def is_left(self, event: Event) -> bool:
        if event.kind != "leave" or event.path != self.path:
            return False
        return self.row is None or (event.row is not None and is_same_row(event.row, self.row))

    def is_met(self, event: Event) -> bool:
        if event.kind != "leave" or event.path != self.path:
            return False
        return event.completes if self.row is None else event.row == self.row

    def is_visited(self, event: Event) -> bool:
        return event.kind == "visit" and event.path == self.path


def is_same_row(left: Row, right: Row) -> bool:
    """Tell whether two rows are one, or the two arms of one."""
    return (left.kind, left.value) == (right.kind, right.value)


class Sentence(NamedTuple):
    """A claim, with what it names."""

    claim: Claim
    subjects: tuple[Named, ...]
    target: Named | None = None
    through: Named | None = None


class Runs:
    """Every run of a table with as many rows as leave no more than `MOST_TRACES` of them."""

    def __init__(self, table: Table) -> None:
        self.room = 0
        traces = list(play_table(table, (), 0))
        for more in range(1, MOST_ROWS + 1):
            longer = list(itertools.islice(play_table(table, (), more), MOST_TRACES + 1))
            if len(longer) > MOST_TRACES:
                break
            self.room, traces = more, longer
        self.complete = [trace for trace in traces if trace.outcome == "ok"]
        self.arriving: dict[tuple[str, ...], list[Trace]] = {}
        """The runs that have just come to a place, by its path."""
        for trace in traces:
            if trace.outcome == "open" and trace.events[-1].kind == "visit":
                self.arriving.setdefault(trace.events[-1].path, []).append(trace)

    def find_shortest_break(self, sentence: Sentence) -> int | None:
        """Count the rows of the shortest run that breaks a claim; None when none does."""
        if sentence.target is None:
            broken = [trace.rows for trace in self.complete if breaks_visits(sentence, trace.events)]
        else:
            arriving = self.arriving.get(sentence.target.path, [])
            broken = [trace.rows for trace in arriving if breaks_order(sentence, trace.events[:-1])]
        return min(broken, default=None)


def breaks_order(sentence: Sentence, before: tuple[Event, ...]) -> bool:
    """Tell whether coming to the target after these events breaks a claim."""
    subject = sentence.subjects[0]
    if sentence.claim.kind == "precedes":
        return not any(subject.is_met(event) for event in before)
    for number, event in enumerate(before):
        if subject.is_left(event):
            through = sentence.through
            if through is None or not any(through.is_met(each) for each in before[number + 1 :]):
                return True
    return False


def breaks_visits(sentence: Sentence, events: tuple[Event, ...]) -> bool:
    if sentence.claim.kind == "ends_at":
        return events[-1].path not in {subject.path for subject in sentence.subjects}
    visits = sum(subject.is_visited(event) for event in events for subject in sentence.subjects)
    return {"exactly_one": visits != 1, "at_most_one": visits > 1, "always": visits < 1}[sentence.claim.kind]


def list_named(table: Table, path: tuple[str, ...] = (), chain: tuple[Any, ...] = ()) -> Iterator[Named]:
    """List every place and row that a claim can name."""
    for place in table.places.values():
        reference = wrap(chain, place.work)
        yield Named(reference, (*path, place.name))
        for label, arc in place.arcs.items():
            yield Named((reference, label), (*path, place.name), arc.row)
        for arc in place.errors.values():
            yield Named((reference, ValueError), (*path, place.name), arc.row)
        yield from list_inner(place, (*path, place.name), (*chain, place.work))


def list_inner(place: Place, path: tuple[str, ...], chain: tuple[Any, ...]) -> Iterator[Named]:
    if place.child is not None:
        yield from list_named(place.child, path, chain)
    for part in place.parts:
        yield Named(wrap(chain, part.work), (*path, part.name))
        yield from list_inner(part, (*path, part.name), (*chain, part.work))


def wrap(chain: tuple[Any, ...], thing: Any) -> Any:
    for outer in reversed(chain):
        thing = inside(outer, thing)
    return thing


def choose_sentence(random: Random, table: Table) -> Sentence:
    """Choose a claim of any kind about anything in a table."""
    named = list(list_named(table))
    places = [each for each in named if each.row is None]
    first, target, through = random.choice(named), random.choice(places), random.choice(named)
    one, other = random.choice(places), random.choice(places)
    outermost = [each for each in places if len(each.path) == 1]
    last = random.choices(outermost, k=2)
    return random.choice(
        [
            Sentence(precedes(first.reference, target.reference), (first,), target),
            Sentence(never(after=first.reference, reach=target.reference), (first,), target),
            Sentence(between(first.reference, target.reference, through=through.reference), (first,), target, through),
            Sentence(always(one.reference), (one,)),
            Sentence(at_most_one(one.reference), (one,)),
            Sentence(exactly_one(one.reference, other.reference), tuple({one.path: one, other.path: other}.values())),
            Sentence(ends_at(*(each.reference for each in last)), tuple(last)),
        ]
    )


def compare_claims(table: Table, random: Random) -> None:
    """Compare the proofs of many claims with all runs of a table."""
    runs = Runs(table)
    for _ in range(CLAIMS):
        sentence = choose_sentence(random, table)
        broken, path = runs.find_shortest_break(sentence), prove(table, sentence.claim)
        if path is None:
            assert broken is None, f"{sentence.claim} was proved, and breaks after {broken} rows"
        elif len(path) <= runs.room:
            assert broken == len(path), f"{sentence.claim} was refuted by {list(map(str, path))}, not {broken}"
        else:
            assert broken is None


@settings(max_examples=100, deadline=None)
@given(table=flat_tables(), random=st.randoms(use_true_random=False))
def test_claims_agree_with_every_path_of_a_flat_table(table: Table, random: Random) -> None:
    """Whatever is claimed of rows, error rows, bounded rows and cancel rows, a proof finds the shortest breaking path."""
    compare_claims(table, random)


@settings(max_examples=100, deadline=None)
@given(table=nested_tables(), random=st.randoms(use_true_random=False))
def test_claims_agree_with_every_path_of_a_nested_table(table: Table, random: Random) -> None:
    """Inside graphs, `each` and `together`, also one in the other, a proof finds the shortest breaking path."""
    compare_claims(table, random)


# -- reachability and cycles


def list_paths(
    table: Table, start: Place, rows: int, *, bounded: bool = True, cancel: bool = True
) -> Iterator[list[Row]]:
    """List every path of up to so many rows from a place, the empty one first."""
    waiting: list[tuple[Place | None, list[Row]]] = [(start, [])]
    while waiting:
        place, path = waiting.pop()
        yield path
        if place is None or len(path) == rows:
            continue
        for arc in place.ways():
            is_bounded = arc.row.bound is not None and not arc.row.bound.spent
            if (bounded or not is_bounded) and (cancel or arc.row.kind is not RowKind.CANCEL):
                waiting.append((arc.place, [*path, arc.row]))


@settings(max_examples=100, deadline=None)
@given(table=flat_tables())
def test_reachability_and_cycles_agree_with_every_path(table: Table) -> None:
    """Unreachable places, places without a way to END and unbounded cycles are exactly those that paths show."""
    assert table.start is not None
    size = len(table.places)
    visited = {table.start.name} | {row.target for path in list_paths(table, table.start, size) for row in path}
    ending = {
        name
        for name, place in table.places.items()
        if any(path and path[-1].target == "END" for path in list_paths(table, place, size, cancel=False))
    }
    cycling = {
        name
        for name, place in table.places.items()
        if any(path and path[-1].target == name for path in list_paths(table, place, size, bounded=False))
    }

    found = find_problems(table)

    assert {finding.places[0] for finding in found if finding.code == "unreachable"} == set(table.places) - visited
    assert {name for finding in found if finding.code == "no-end" for name in finding.places} == set(
        table.places
    ) - ending
    shown = [finding for finding in found if finding.code == "unbounded-cycle"]
    for finding in shown:
        assert set(finding.places) <= cycling
        assert all(one.target == two.source for one, two in itertools.pairwise([*finding.path, finding.path[0]]))
        assert not any(row.bound and not row.bound.spent for row in finding.path)
    if cycling & ending:
        assert shown
    else:
        assert not shown


@settings(max_examples=100, deadline=None)
@given(table=nested_tables())
def test_no_check_raises(table: Table) -> None:
    """Whatever a table is like, checking it gives findings, and the same ones each time."""
    assert find_problems(table) == find_problems(table)
