"""What checks cost: linear in rows, counted in what they look at, not in seconds."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import pytest

from transitable import END, Graph, again, always, at_most_one, between, by, exactly_one, never, node, precedes, then
from transitable.check import claims as claims_module
from transitable.check import cycles, flow
from transitable.check.claims import Claim, prove
from transitable.check.findings import find_problems
from transitable.model.compiler import compile_table
from transitable.model.state import describe_state
from transitable.model.table import Place, Table


@attrs.frozen
class State:
    way: Literal["on", "back", "out"] = "on"
    turns: int = 0


def do(state: State) -> Mapping[str, object]:
    return {"way": "on"}


def note(state: State, failure: object, row: object) -> None:
    return None


def make_long(size: int) -> tuple[list[Any], dict[Any, Any]]:
    """Make a table of so many places with four rows each: on, back by a bounded row, out, and an error row."""
    places = [node(do, name=f"p{number}") for number in range(size)]
    last = places[-1]
    table: dict[Any, Any] = {last: END}
    for number, place in enumerate(places[:-1]):
        back = again(places[number // 2], count="turns", at_most=3, otherwise=last)
        rows = {"on": places[number + 1], "back": back, "out": last}
        table[place] = by("way", rows, on_error={Exception: last})
    return places, table


def list_claims(places: list[Any]) -> list[Claim]:
    first, middle, last = places[0], places[len(places) // 2], places[-1]
    return [
        precedes(first, last),
        precedes(places[len(places) // 2 - 1], middle),
        between(first, last, through=first),
        never(after=last, reach=first),
        exactly_one(last),
        at_most_one(last),
        always(last),
        always(middle),
    ]


def build(places: list[Any], table: Mapping[Any, Any]) -> Table:
    return compile_table(describe_state(State), places[0], table, note=note)


def count_work(size: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count the ways that checks read and the edges that proofs step over."""
    places, table = make_long(size)
    compiled = build(places, table)
    counted = {"ways": 0, "steps": 0, "rows": len(compiled.rows)}
    read_ways, search = Place.ways, flow.find_shortest

    def count_ways(place: Place) -> Any:
        for arc in read_ways(place):
            counted["ways"] += 1
            yield arc

    def count_steps(where: Any, step: Any, **options: Any) -> Any:
        def counting(edge: Any, mark: int) -> Any:
            counted["steps"] += 1
            return step(edge, mark)

        return search(where, counting, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Place, "ways", count_ways)
        patch.setattr(claims_module, "find_shortest", count_steps)
        find_problems(compiled, list_claims(places))
    return counted


def test_checks_and_proofs_are_linear_in_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the table is at most twice the work, and a proof steps over each row at most once for each mark."""
    small, large = count_work(300, monkeypatch), count_work(600, monkeypatch)

    assert large["rows"] < 2.01 * small["rows"]
    assert large["ways"] < 2.01 * small["ways"]
    assert large["steps"] < 2.01 * small["steps"]
    assert large["ways"] <= 12 * large["rows"]
    assert large["steps"] <= 3 * large["rows"] * len(list_claims([0, 1, 2, 3]))


def test_a_deep_table_needs_no_recursion() -> None:
    """Groups of places are found in a chain of thousands, and the cycle around all of it."""
    places = [node(do, name=f"p{number}") for number in range(3000)]
    ring = dict(zip(places, [*places[1:], places[0]], strict=True)) | {
        places[-1]: then(places[0], on_error={Exception: END})
    }

    (finding,) = find_problems(build(places, ring))

    assert finding.code == "unbounded-cycle"
    assert len(finding.path) == 3000


def test_groups_are_those_that_lead_to_each_other() -> None:
    """Two loops that are joined one way are two groups; a place without a loop is one of its own."""
    a, b, c, d, e = (node(do, name=name) for name in "abcde")
    table = build(
        [a], {a: then(b), b: by("way", {"on": a, "back": c}), c: then(d), d: by("way", {"on": c, "out": e}), e: END}
    )

    groups = cycles.find_groups({name: list(place.ways()) for name, place in table.places.items()})

    assert sorted(map(sorted, groups)) == [["a", "b"], ["c", "d"], ["e"]]


def test_building_twice_gives_equal_graphs() -> None:
    """The same table gives the same graph, with the same hash, bound, warnings and proofs."""
    places, table = make_long(40)
    first, second = places[0], places[-1]

    one, two = (Graph(State, start=first, table=table, claims=[always(second)], note=note) for _ in range(2))

    assert one == two
    assert hash(one) == hash(two)
    assert one.hash == two.hash
    assert one.longest_run == two.longest_run
    assert one.warnings == two.warnings
    assert prove(one.table, always(places[1])) == prove(two.table, always(places[1]))
    assert one != Graph(State, start=first, table=table, note=note)
