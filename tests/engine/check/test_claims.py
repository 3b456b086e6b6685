"""Every claim: it holds in a sound table, and breaking one row gives the shortest path that breaks it."""

import enum
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from transitable.check.claims import (
    PROOFS,
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
from transitable.errors import PlaceError
from transitable.model.compiler import compile_table
from transitable.model.nodes import each, node, pause, subgraph, together
from transitable.model.rows import END, again, by, then
from transitable.model.state import describe_state, grows
from transitable.model.table import Table


class Route(enum.StrEnum):
    SAFE = "safe"
    RISKY = "risky"


@attrs.frozen
class State:
    route: Route | None = None
    allowed: bool | None = None
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = grows()
    turns: int = 0


class Inner:
    """A graph, as a table sees it."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name


class Desk:
    """An object whose methods are places."""

    def think(self, state: State) -> Mapping[str, object]:
        return {}

    def answer(self, state: State) -> None:
        return None


def do(state: State) -> Mapping[str, object]:
    return {}


def work(item: str) -> str:
    return item


def make_nodes(names: str) -> list[Any]:
    return [node(do, name=name) for name in names.split()]


def build(table: Mapping[Any, Any], start: Any, **options: Any) -> Table:
    return compile_table(describe_state(State), start, table, **options)


def show(path: tuple[Any, ...] | None) -> list[str] | None:
    return None if path is None else [str(row) for row in path]


think, check, act, talk, stop = make_nodes("think check act talk stop")
approve = pause("approve", question="?", answer=bool, into="allowed")
AGENT: dict[Any, Any] = {
    think: by("route", {Route.SAFE: talk, Route.RISKY: check, None: stop}, on_error={ValueError: stop}),
    check: then(approve, on_error={ValueError: stop}),
    approve: by("allowed", {True: act, False: talk}),
    act: again(think, count="turns", at_most=2, otherwise=stop),
    talk: again(think, count="turns", at_most=2, otherwise=stop),
    stop: END,
}
MUTATIONS: list[tuple[Claim, dict[Any, Any], list[str]]] = [
    (
        precedes(check, act),
        {check: then(approve, on_error={ValueError: act})},
        ["think -> check  [route = Route.RISKY]", "check -> act  [error builtins.ValueError]"],
    ),
    (
        precedes((approve, True), act),
        {approve: by("allowed", {True: act, False: act})},
        [
            "think -> check  [route = Route.RISKY]",
            "check -> approve",
            "approve -> act  [allowed = False]",
        ],
    ),
    (
        precedes((think, Route.RISKY), approve),
        {talk: again(approve, count="turns", at_most=2, otherwise=stop)},
        ["think -> talk  [route = Route.SAFE]", "talk -> approve  [turns < 2]"],
    ),
    (
        precedes((think, None), stop),
        {},
        ["think -> stop  [error builtins.ValueError]"],
    ),
    (
        between(think, act, through=(approve, True)),
        {talk: again(act, count="turns", at_most=2, otherwise=stop)},
        ["think -> talk  [route = Route.SAFE]", "talk -> act  [turns < 2]"],
    ),
    (
        between(act, act, through=check),
        {talk: again(approve, count="turns", at_most=2, otherwise=stop)},
        [
            "think -> talk  [route = Route.SAFE]",
            "talk -> approve  [turns < 2]",
            "approve -> act  [allowed = True]",
            "act -> think  [turns < 2]",
            "think -> talk  [route = Route.SAFE]",
            "talk -> approve  [turns < 2]",
            "approve -> act  [allowed = True]",
        ],
    ),
    (
        between((think, Route.SAFE), stop, through=talk),
        {talk: then(stop, on_error={ValueError: stop})},
        ["think -> talk  [route = Route.SAFE]", "talk -> stop  [error builtins.ValueError]"],
    ),
    (
        never(after=stop, reach=act),
        {stop: then(END, on_error={ValueError: act})},
        ["think -> stop  [route = None]", "stop -> act  [error builtins.ValueError]"],
    ),
    (
        never(after=(think, ValueError), reach=act),
        {think: by("route", {Route.SAFE: talk, Route.RISKY: check, None: stop}, on_error={ValueError: approve})},
        ["think -> approve  [error builtins.ValueError]", "approve -> act  [allowed = True]"],
    ),
    (
        exactly_one(stop),
        {talk: END},
        ["think -> talk  [route = Route.SAFE]", "talk -> END"],
    ),
    (
        at_most_one(stop),
        {stop: then(END, on_error={ValueError: stop})},
        ["think -> stop  [route = None]", "stop -> stop  [error builtins.ValueError]", "stop -> END"],
    ),
    (
        always(stop),
        {act: again(think, count="turns", at_most=2, otherwise=END)},
        [
            "think -> check  [route = Route.RISKY]",
            "check -> approve",
            "approve -> act  [allowed = True]",
            "act -> END  [turns >= 2]",
        ],
    ),
    (
        ends_at(stop),
        {check: then(END)},
        ["think -> check  [route = Route.RISKY]", "check -> END"],
    ),
]


@pytest.mark.parametrize(("claim", "mutation", "path"), MUTATIONS, ids=[str(claim) for claim, _, _ in MUTATIONS])
def test_breaking_one_row_gives_the_shortest_breaking_path(
    claim: Claim, mutation: dict[Any, Any], path: list[str]
) -> None:
    """A claim that holds in the sound table is refuted by one changed row, with exactly that finding and path."""
    if mutation:
        assert prove(build(AGENT, think), claim) is None

    broken = build(AGENT | mutation, think, note=do)

    assert show(prove(broken, claim)) == path
    (finding,) = [each for each in find_problems(broken, [claim]) if each.code == "broken-claim"]
    assert [str(row) for row in finding.path] == path
    assert finding.places == tuple(dict.fromkeys(line.split(" ")[0] for line in path))
    assert finding.found == f"{claim} does not hold"


def test_every_kind_of_claim_has_a_mutation() -> None:
    """No kind of claim exists that no test refutes."""
    assert {claim.kind for claim, _, _ in MUTATIONS} == set(PROOFS)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (precedes(think, act), "precedes(think, act)"),
        (precedes((think, Route.SAFE), END), "precedes((think, Route.SAFE), END)"),
        (between(think, act, through=(approve, True)), "between(think, act, through=(approve, True))"),
        (never(after=(think, ValueError), reach=act), "never(after=(think, ValueError), reach=act)"),
        (exactly_one(act, talk), "exactly_one(act, talk)"),
        (at_most_one(act), "at_most_one(act)"),
        (always(stop), "always(stop)"),
        (ends_at(stop, talk), "ends_at(stop, talk)"),
        (always(inside(think, inside(act, talk))), "always(inside(think, inside(act, talk)))"),
        (precedes((inside(think, act), None), stop), "precedes((inside(think, act), None), stop)"),
        (always(5), "always(5)"),
    ],
)
def test_a_claim_reads_as_it_was_written(claim: Claim, text: str) -> None:
    """The text of a claim is the call that makes it, with the names of its places."""
    assert str(claim) == text


def test_the_repr_of_inside_is_its_call() -> None:
    """A reference that goes wrong is shown as it was written."""
    assert repr(inside(think, act)) == "inside(think, act)"


@pytest.mark.parametrize("make", [exactly_one, at_most_one, ends_at])
def test_a_claim_about_no_place_is_refused(make: Callable[..., Claim]) -> None:
    """A claim about no place at all says nothing, and is refused where it is written."""
    with pytest.raises(PlaceError, match="no place; expected at least one") as caught:
        make()
    assert caught.value.found == "no place"


# -- what counts as completing, leaving and reaching


def test_the_start_itself_can_break_a_claim() -> None:
    """The path that breaks a claim at the very start has no rows."""
    assert prove(build(AGENT, think), precedes(act, think)) == ()
    assert prove(build(AGENT, think), always(think)) is None


def test_an_error_exit_does_not_complete_a_place() -> None:
    """`precedes` asks for a completed place; an error row out of it is no completion."""
    first, second = make_nodes("first second")
    completing = build({first: then(second), second: END}, first)
    failing = build({first: then(END, on_error={OSError: second}), second: END}, first)

    assert prove(completing, precedes(first, second)) is None
    assert show(prove(failing, precedes(first, second))) == ["first -> second  [error builtins.OSError]"]


def test_a_bounded_row_counts_as_taken_only_by_its_bounded_arm() -> None:
    """As a requirement, `otherwise` of a row is not that row; as a start, both arms are."""
    first, second = make_nodes("first second")
    loop = by("allowed", {True: again(first, count="turns", at_most=2, otherwise=second), False: END, None: END})
    table = build({first: loop, second: END}, first)

    assert show(prove(table, precedes((first, True), second))) == ["first -> second  [allowed = True, turns >= 2]"]
    assert show(prove(table, never(after=(first, True), reach=second))) == [
        "first -> second  [allowed = True, turns >= 2]"
    ]


def test_coming_by_the_start_again_does_not_end_the_obligation() -> None:
    """`between` stays open over further rounds until the requirement completes."""
    first, second, third = make_nodes("first second third")
    rows = by("route", {Route.SAFE: second, Route.RISKY: first, None: third})
    table = build({first: rows, second: then(third), third: END}, first)

    assert show(prove(table, between(first, third, through=second))) == ["first -> third  [route = None]"]
    assert prove(table, between((first, Route.SAFE), third, through=second)) is None
    assert show(prove(table, between((first, Route.RISKY), third, through=second))) == [
        "first -> first  [route = Route.RISKY]",
        "first -> third  [route = None]",
    ]


def test_a_row_that_leaves_the_start_and_completes_the_requirement_opens_the_obligation() -> None:
    """Where start and requirement are one place, leaving it is what counts."""
    first, second = make_nodes("first second")
    table = build({first: then(second), second: END}, first)

    assert show(prove(table, between(first, second, through=first))) == ["first -> second"]


def test_limits_are_ignored() -> None:
    """A path that only the number of a limit forbids still counts, so proofs hold whatever the limits are."""
    first, second = make_nodes("first second")
    table = build({first: again(second, count="turns", at_most=0, otherwise=END), second: END}, first)

    assert show(prove(table, never(after=first, reach=second))) == ["first -> second  [turns < 0]"]


def test_cancel_rows_are_rows() -> None:
    """What a cancelled run does is part of what is proved."""
    first, second, last = make_nodes("first second last")
    table = build({first: then(second), second: END, last: END}, first, on_cancel=last)

    assert show(prove(table, always(second))) == ["first -> last  [cancel]", "last -> END"]
    assert show(prove(table, precedes(first, last))) == ["first -> last  [cancel]"]


def test_the_end_can_be_what_is_reached() -> None:
    """`END` can stand where a place is reached."""
    table = build(AGENT, think)

    assert prove(table, precedes(stop, END)) is None
    assert show(prove(table, precedes(talk, END))) == ["think -> stop  [route = None]", "stop -> END"]


# -- inside composites


plan, write, review = make_nodes("plan write review")
CHILD = Inner(
    build({plan: then(write), write: by("allowed", {True: END, False: review, None: END}), review: END}, plan), "draft"
)
before, after, rescue = make_nodes("before after rescue")


def test_claims_see_into_a_graph() -> None:
    """Places and rows of a graph inside are named by `inside`, and shown with the names around them."""
    table = build({before: then(CHILD), CHILD: then(after), after: END}, before)

    assert prove(table, precedes(inside(CHILD, write), after)) is None
    assert prove(table, precedes(before, inside(CHILD, plan))) is None
    assert prove(table, exactly_one(inside(CHILD, plan))) is None
    assert show(prove(table, precedes((inside(CHILD, write), False), after))) == [
        "before -> draft",
        "draft/plan -> draft/write",
        "draft/write -> draft/END  [allowed = True]",
        "draft -> after",
    ]
    assert show(prove(table, always(inside(CHILD, review)))) == [
        "before -> draft",
        "draft/plan -> draft/write",
        "draft/write -> draft/END  [allowed = True]",
        "draft -> after",
        "after -> END",
    ]


def test_a_failure_inside_leaves_by_the_error_rows_outside() -> None:
    """Any place of a graph inside may fail, so what follows it is not sure once the graph has an error row."""
    table = build({CHILD: then(after, on_error={Exception: rescue}), after: END, rescue: END}, CHILD)

    assert prove(table, precedes(inside(CHILD, write), after)) is None
    assert show(prove(table, precedes(inside(CHILD, write), rescue))) == ["draft -> rescue  [error builtins.Exception]"]
    assert show(prove(table, never(after=inside(CHILD, review), reach=rescue))) == [
        "draft/plan -> draft/write",
        "draft/write -> draft/review  [allowed = False]",
        "draft -> rescue  [error builtins.Exception]",
    ]


def test_a_graph_inside_takes_no_cancel_row_of_its_own() -> None:
    """A run is cancelled as a whole: the row of the outermost graph is taken, from wherever it is inside."""
    tidy, last = make_nodes("tidy last")
    child = Inner(build({plan: END, tidy: END}, plan, on_cancel=tidy), "child")
    table = build({child: then(after), after: END, last: END}, child, on_cancel=last)

    assert prove(child.table, never(after=plan, reach=tidy)) is not None
    assert prove(table, never(after=inside(child, plan), reach=inside(child, tidy))) is None
    assert show(prove(table, never(after=inside(child, plan), reach=last))) == ["child -> last  [cancel]"]


def test_a_worker_runs_not_at_all_or_often() -> None:
    """Inside `each` a place may run for no item, or for several."""
    worker = node(work, name="worker")
    items = each("items", worker, into="results", name="items")
    table = build({items: then(after), after: END}, items)

    assert show(prove(table, always(inside(items, worker)))) == ["items -> after", "after -> END"]
    assert show(prove(table, at_most_one(inside(items, worker)))) == ["items -> after", "after -> END"]
    assert prove(table, exactly_one(items)) is None


def test_a_composite_completes_only_when_nothing_inside_failed() -> None:
    """The next row of `together` means that every part completed; its error row means nothing of the kind."""
    left, right = make_nodes("left right")
    both = together(left, right, name="both")
    table = build({both: then(after, on_error={Exception: rescue}), after: END, rescue: END}, both)

    assert prove(table, precedes(inside(both, left), after)) is None
    assert prove(table, precedes(inside(both, right), after)) is None
    assert show(prove(table, precedes(inside(both, right), rescue))) == ["both -> rescue  [error builtins.Exception]"]


def test_items_of_a_graph_start_anew() -> None:
    """For every item the graph inside begins at its start, also after an item that failed."""
    items = each("items", CHILD, into="results", name="items", enter=lambda state, item: state)
    table = build({items: then(after), after: END}, items)

    assert prove(table, between(inside(items, review), inside(items, write), through=inside(items, plan))) is None
    assert show(prove(table, never(after=inside(items, review), reach=inside(items, plan)))) == [
        "items/plan -> items/write",
        "items/write -> items/review  [allowed = False]",
    ]


def test_references_reach_as_deep_as_places_stand() -> None:
    """`inside` nests, from outside in or from inside out, and names rows there."""
    outer = Inner(build({CHILD: END}, CHILD), "outer")
    table = build({outer: then(after), after: END}, outer)
    path = [
        "outer/draft/plan -> outer/draft/write",
        "outer/draft/write -> outer/draft/END  [allowed = True]",
        "outer/draft -> outer/END",
        "outer -> after",
    ]

    assert show(prove(table, precedes((inside(outer, inside(CHILD, write)), False), after))) == path
    assert show(prove(table, precedes((inside(inside(outer, CHILD), write), False), after))) == path


def test_a_graph_stands_for_the_one_place_where_it_runs() -> None:
    """`inside` takes the graph where `subgraph(...)` or `each(...)` wraps it, as long as it stands there once."""
    wrapped = subgraph(CHILD, name="wrapped")
    once = build({wrapped: then(after), after: END}, wrapped)
    twice = build({wrapped: then(after), after: END, subgraph(CHILD, name="again"): END}, wrapped)

    assert prove(once, precedes(inside(CHILD, write), after)) is None
    with pytest.raises(PlaceError, match="the graph draft stands at 2 places"):
        prove(twice, always(inside(CHILD, write)))


def test_bound_methods_are_places() -> None:
    """A bound method names its place by its object and function, however often it is fetched."""
    desk = Desk()
    table = build({desk.think: then(desk.answer), desk.answer: END}, desk.think)

    assert prove(table, precedes(desk.think, desk.answer)) is None


# -- references to what is not there


loose = node(do, name="act")
items = each("items", node(work, name="worker"), into="results", name="items")
both = together(*make_nodes("left right"), name="both")
HOSTS: dict[Any, Any] = AGENT | {stop: then(items), items: then(CHILD), CHILD: then(both), both: END}


@pytest.mark.parametrize(
    ("claim", "found", "fix"),
    [
        (always(loose), "this act is not the object", "use the very object of the table"),
        (always(node(do, name="thunk")), "thunk is not in the table", "did you mean think?"),
        (always("thinks"), "'thinks' is not in the table", "did you mean think?"),
        (always(None), "None is not in the table", "one of think, check"),
        (always(END), "END is not in the table", "one of think, check"),
        (always(write), "write is no place of the table itself", "it is inside draft: inside(draft, write)"),
        (always(items.worker), "worker is no place of the table itself", "it is inside items: inside(items, worker)"),
        (always((think, None)), "(think, None) is a row", "name a place here"),
        (always(inside(think, act)), "'think' has nothing inside", "name a graph, each(...) or together(...) first"),
        (always(inside(items, act)), "act is not in the table", "one of worker"),
        (always(inside(both, node(do, name="lift"))), "lift is not in the table", "did you mean left?"),
        (always(inside(CHILD, act)), "act is not in the table", "one of plan, write, review"),
        (
            ends_at(inside(CHILD, write)),
            "inside(draft, write) never leads to END itself",
            "name the place around it: draft",
        ),
        (precedes((think, "safe"), act), "'think' has no row for 'safe'", "did you mean Route.SAFE?"),
        (precedes((think, 7), act), "'think' has no row for 7", "its rows are for: Route.SAFE, Route.RISKY, None"),
        (precedes((act, None), act), "'act' has no row for None", "it has one way on: name the place act itself"),
        (
            precedes((think, KeyError), act),
            "'think' has no error row for builtins.KeyError",
            "did you mean builtins.ValueError?",
        ),
        (precedes((talk, KeyError), act), "'talk' has no error row for builtins.KeyError", "its rows are for: nothing"),
        (
            between(think, act, through=(approve, None)),
            "'approve' has no row for None",
            "its rows are for: True, False",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, Claim) else None,
)
def test_a_reference_to_what_is_not_there_is_a_finding(claim: Claim, found: str, fix: str) -> None:
    """A claim about an unknown place or row says what is wrong and what is near, and raises nothing while checking."""
    table = build(HOSTS, think, note=do)

    (finding,) = [each for each in find_problems(table, [claim]) if each.code == "unknown-claim"]

    assert finding.found.startswith(f"{claim}: {found}")
    assert finding.fix.startswith(fix)
    with pytest.raises(PlaceError) as caught:
        prove(table, claim)
    assert caught.value.what == str(claim)
    assert caught.value.expected == finding.fix
