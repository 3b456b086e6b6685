"""How long a run can get: small tables by hand, and runs of the engine against the number."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from transitable import END, Graph, ManualClock, again, by, each, limit, node, then
from transitable.check import bounds
from transitable.check.bounds import longest_run
from transitable.model.compiler import compile_table
from transitable.model.rows import Limit
from transitable.model.state import describe_state, grows
from transitable.model.table import Place, Table


@attrs.frozen
class State:
    way: Literal["on", "back"] = "on"
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = grows()
    first: int = 0
    second: int = 0
    most: int = 5


def do(state: State) -> Mapping[str, object]:
    return {"way": "back"}


def make_nodes(names: str) -> list[Any]:
    return [node(do, name=name) for name in names.split()]


def build(table: Mapping[Any, Any], start: Any, **options: Any) -> Table:
    return compile_table(describe_state(State), start, table, **options)


intake, classify, decide, handle, reply = make_nodes("intake classify decide handle reply")


def make_routing(retries: Any) -> dict[Any, Any]:
    retry = again(classify, count="first", at_most=retries, otherwise=handle)
    return {
        intake: then(classify, on_error={Exception: handle}),
        classify: then(decide, on_error={Exception: decide}),
        decide: by("way", {"on": handle, "back": retry}),
        handle: then(reply, on_error={Exception: reply}),
        reply: END,
    }


@pytest.mark.parametrize(("retries", "steps"), [(0, 5), (1, 7), (2, 9), (10, 25), (limit("most", cap=3), 11)])
def test_a_loop_adds_its_steps_for_every_time_it_may_run(retries: Any, steps: int) -> None:
    """Five places in a row and a loop of two take 5 steps, and 2 more for every retry; a limit counts with its cap."""
    assert longest_run(build(make_routing(retries), intake)) == steps


def test_rows_that_name_one_count_share_it() -> None:
    """Two loops on one count run no more often together than the larger limit allows."""
    one, two = make_nodes("one two")
    shared = {
        one: by("way", {"back": again(one, count="first", at_most=2, otherwise=two), "on": two}),
        two: by("way", {"back": again(two, count="first", at_most=3, otherwise=END), "on": END}),
    }
    apart = shared | {two: by("way", {"back": again(two, count="second", at_most=3, otherwise=END), "on": END})}

    assert longest_run(build(shared, one)) == 5
    assert longest_run(build(apart, one)) == 7


def test_otherwise_of_a_limit_from_a_field_may_come_at_any_time() -> None:
    """A field may hold a smaller limit than the cap, so the way beside the loop is open from the start."""
    one, two = make_nodes("one two")
    table = {
        one: again(END, count="first", at_most=limit("most", cap=2), otherwise=two),
        two: by("way", {"back": again(two, count="first", at_most=2, otherwise=END), "on": END}),
    }

    assert longest_run(build(table, one)) == 4
    assert longest_run(build(table | {one: again(END, count="first", at_most=2, otherwise=two)}, one)) == 1


def test_a_composite_counts_as_one_step() -> None:
    """What runs inside a place is no step of the table."""
    several = each("items", lambda item: item, into="results", name="several")

    assert longest_run(build({several: then(reply), reply: END}, several)) == 2


def test_a_table_without_a_start_runs_no_step() -> None:
    """A table that will be refused anyway has a number all the same."""
    assert longest_run(build({}, None)) == 0


def test_cancel_rows_count() -> None:
    """A cancelled run takes the steps of its cancel row."""
    last, tidy = make_nodes("last tidy")

    assert longest_run(build({intake: END, last: then(tidy), tidy: END}, intake, on_cancel=last)) == 3


def test_many_counts_fall_back_to_the_linear_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the number of situations that is worth counting, the bound adds each count's largest gain."""
    table = build(make_routing(2), intake)
    assert longest_run(table) == 9

    monkeypatch.setattr(bounds, "MOST_SITUATIONS", 1)

    assert longest_run(table) == 9
    assert longest_run(build(make_routing(10**9), intake)) == 5 + 2 * 10**9


def test_a_long_chain_needs_no_recursion() -> None:
    """A table of thousands of places in a row is measured like any other."""
    chain = make_nodes(" ".join(f"p{number}" for number in range(5000)))
    table = dict(zip(chain, [*chain[1:], END], strict=True))

    assert longest_run(build(table, chain[0])) == 5000


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_a_real_run_takes_exactly_the_longest_run_when_it_always_goes_back(retries: int) -> None:
    """The engine's steps reach the number, and never go beyond it."""
    graph = Graph(State, start=intake, table=make_routing(retries), silence=("unnoted-errors",))

    run = graph.run(State(), clock=ManualClock())

    assert run.steps == graph.longest_run == 5 + 2 * retries


# -- against every run of random tables


@st.composite
def bounded_tables(draw: st.DrawFn) -> Table:
    """Draw tables whose rows lead on in one direction, but for bounded ones."""
    places = make_nodes(" ".join(f"p{number}" for number in range(draw(st.integers(1, 4)))))
    counts = ["first", "second"]
    written: dict[Any, Any] = {}
    for number, place in enumerate(places):
        later: Any = st.sampled_from([*places[number + 1 :], END])
        labels = ("on", "back")[: draw(st.integers(1, 2))]
        rows: dict[str, Any] = {}
        for label in labels:
            if draw(st.booleans()):
                at_most = draw(st.sampled_from([0, 1, 2, limit("most", cap=2)]))
                target, count = draw(st.sampled_from([*places, END])), draw(st.sampled_from(counts))
                rows[label] = again(target, count=count, at_most=at_most, otherwise=draw(later))
            else:
                rows[label] = draw(later)
        written[place] = by("way", rows, on_error={ValueError: draw(later)} if draw(st.booleans()) else None)
    return build(written, places[0])


def measure_longest(table: Table) -> int:
    """Play every run with its counts, and count the visits of the longest."""
    longest = 0
    waiting: list[tuple[Place, dict[str, int], int]] = [(table.start, {"first": 0, "second": 0}, 1)]  # type: ignore[list-item]
    while waiting:
        place, counts, steps = waiting.pop()
        longest = max(longest, steps)
        for arc in place.ways():
            bound = arc.row.bound
            if arc.place is None:
                continue
            if bound is None or (
                bound.spent and (isinstance(bound.limit, Limit) or counts[bound.count] >= bound.limit)
            ):
                waiting.append((arc.place, counts, steps + 1))
            elif not bound.spent and counts[bound.count] < bound.most:
                waiting.append((arc.place, counts | {bound.count: counts[bound.count] + 1}, steps + 1))
    return longest


@settings(max_examples=100, deadline=None)
@given(table=bounded_tables())
def test_longest_run_agrees_with_every_run(table: Table) -> None:
    """The longest run is exactly as long as the longest of all runs, with shared counts and limits from fields."""
    assert longest_run(table) == measure_longest(table)


@settings(max_examples=100, deadline=None)
@given(table=bounded_tables())
def test_the_bound_of_large_tables_is_never_too_low(table: Table) -> None:
    """What stands in for the exact number where counting would take too long is an upper bound."""
    assume(table.start is not None)
    assert bounds._find_upper(table, table.start) >= longest_run(table)  # both halves of one function
