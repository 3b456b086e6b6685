"""Random graphs: plans as plain data, and the graphs made of them.

A plan says what every place does, in words that know nothing of the engine: what a node writes or raises follows from the
state alone, so that whoever runs the plan, in whatever order, has to come to the same end. The places of a graph lead
forward, and back only by bounded rows, so nearly every plan makes a sound graph.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypedDict

from attrs import evolve, frozen
from hypothesis import strategies as st

from transitable import (
    END,
    Context,
    Failure,
    Graph,
    Retry,
    Row,
    UpdateError,
    again,
    by,
    each,
    field,
    grows,
    limit,
    node,
    pause,
    subgraph,
    then,
    together,
)

Label = Literal["x", "y"]
LABELS: tuple[Label | None, ...] = ("x", "y", None)


@frozen
class S:
    """A state with a field for every way of writing."""

    label: Label | None = None
    number: int = 0
    loops: int = 0
    rounds: int = 0
    most: int = 2
    items: tuple[int, ...] = (1, 2, 3)
    results: tuple[int, ...] = ()
    allowed: bool | None = None
    log: tuple[str, ...] = grows()


class Logged(TypedDict):
    """What a node writes that only tells of itself."""

    log: tuple[str, ...]


class Labelled(Logged):
    """What a node writes whose label can be branched on."""

    label: Label | None
    number: int


Act = Literal["x", "y", "none", "value", "key", "refused"]
"""What a node does: write a label, raise ValueError or KeyError, or hand back what has to be refused."""


@frozen
class Step:
    """A node: what it does the first time, the second, ..., counted by the lines of the log; and failing attempts."""

    acts: tuple[Act, ...]
    failing: int
    attempts: int
    labels: bool
    awaits: int


@frozen
class Fan:
    """A worker over the items: which of them fail, and how."""

    acts: tuple[Act, ...]
    at_once: int
    stop_early: bool
    awaits: tuple[int, ...]


@frozen
class Runs:
    """A graph over the items."""

    graph: Wiring
    at_once: int
    stop_early: bool


@frozen
class Sides:
    """Places side by side."""

    parts: tuple[Kind, ...]
    stop_early: bool


@frozen
class Ask:
    """A question."""


@frozen
class Child:
    """A graph as a place."""

    graph: Wiring


Kind = Step | Fan | Runs | Sides | Ask | Child


@frozen
class Target:
    """Where a row leads: place number `to`, the length of the table for END; `back` bounds it, with another way out."""

    to: int
    back: int | None = None
    count: Literal["loops", "rounds"] = "loops"
    at_most: int | Literal["most"] = 1


@frozen
class Spot:
    """One entry of a table: what runs there, and where each label, or None for one way on, and each error leads."""

    kind: Kind
    ways: tuple[Target, ...]
    errors: Mapping[Literal["value", "lookup", "any", "refused"], Target]


@frozen
class Wiring:
    """A table."""

    spots: tuple[Spot, ...]
    tells: bool


CAUGHT: Mapping[str, type[Exception]] = {
    "value": ValueError,
    "lookup": LookupError,
    "any": Exception,
    "refused": UpdateError,
}
"""The error rows that a plan can have."""


# -- what nodes do, the same for every driver


def act(name: str, acts: tuple[Act, ...], turn: int, number: int) -> dict[str, Any]:
    """Do what a node does at this turn, and say what it writes."""
    doing = acts[turn % len(acts)]
    if doing == "value":
        raise ValueError(f"{name} {turn}")
    if doing == "key":
        raise KeyError(f"{name} {turn}")
    if doing == "refused":
        return {"log": (1,)}
    return {"log": (f"{name}{turn}",), "label": None if doing == "none" else doing, "number": number + 1}


def do_step(step: Step, name: str, state: S, attempt: int) -> dict[str, Any]:
    """Do a node's work."""
    if attempt <= step.failing:
        raise TimeoutError(f"{name} attempt {attempt}")
    written = act(name, step.acts, len(state.log), state.number)
    return written if step.labels else {"log": written["log"]}


def do_item(fan: Fan, name: str, item: int) -> Any:
    """Do a worker's work."""
    written = act(name, fan.acts, item, item)
    return written.get("number", "no int")


def note(state: S, failure: Failure, row: Row) -> Logged:
    """Write what failed, where, how often, and by which row the place was left."""
    return {"log": (tell(failure.names[0], failure.message, failure.place, len(failure.others), row.source),)}


def tell(name: str, message: str, place: str, others: int, source: str) -> str:
    """Word a failure; what the engine words itself is left out."""
    return f"{source}: {name} {'' if 'Update' in name else message} at {place} and {others}"


def enter(state: S, item: int) -> S:
    """Start a graph on an item."""
    return evolve(state, number=item)


def leave(state: S, child: S) -> int:
    """Take the result of a graph on an item."""
    return child.number + len(child.log) - len(state.log)


# -- the graphs


@frozen
class Maker:
    """Makes graphs of plans, with sync or with async nodes; each attempt at a node is told to `hear`."""

    is_async: bool
    hear: Callable[[Context], object] = id

    def make(self, wiring: Wiring, name: str = "g") -> Graph[S]:
        """Make the graph of a plan.

        Raises:
            TableError: If its wiring is unsound.
        """
        places = [self.make_place(spot.kind, f"{name}{index}") for index, spot in enumerate(wiring.spots)]

        def find(target: Target) -> Any:
            to = places[target.to] if target.to < len(places) else END
            if target.back is None:
                return to
            most = target.at_most if isinstance(target.at_most, int) else limit("most", cap=3)
            return again(places[target.back], count=target.count, at_most=most, otherwise=to)

        table: dict[Any, Any] = {}
        for place, spot in zip(places, wiring.spots, strict=True):
            on_error = {CAUGHT[kind]: find(target) for kind, target in spot.errors.items()}
            ways = [find(target) for target in spot.ways]
            if len(ways) == 1:
                table[place] = then(ways[0], on_error=on_error)
            else:
                labels: tuple[Any, ...] = LABELS if len(ways) == 3 else (True, False)
                field = "label" if len(ways) == 3 else "allowed"
                table[place] = by(field, dict(zip(labels, ways, strict=True)), on_error=on_error)
        return Graph(S, start=places[0], table=table, name=name, note=note if wiring.tells else None)

    def make_place(self, kind: Kind, name: str) -> Any:
        """Make the place of a plan."""
        if isinstance(kind, Step):
            return self.make_step(kind, name)
        if isinstance(kind, Fan):
            worker = self.make_worker(kind, f"{name}w")
            return each("items", worker, into="results", at_once=kind.at_once, name=name, stop_early=kind.stop_early)
        if isinstance(kind, Runs):
            graph = self.make(kind.graph, f"{name}_")
            return each(
                "items", graph, into="results", at_once=kind.at_once, name=name, stop_early=kind.stop_early,
                enter=enter, leave=leave,
            )  # fmt: skip
        if isinstance(kind, Sides):
            parts = [self.make_place(part, f"{name}p{index}") for index, part in enumerate(kind.parts)]
            return together(*parts, name=name, stop_early=kind.stop_early)
        if isinstance(kind, Ask):
            return pause(name, question=field("log"), answer=bool, into="allowed")
        return subgraph(self.make(kind.graph, f"{name}_"), name=name)

    def make_step(self, step: Step, name: str) -> Any:
        """Make a node."""

        def run(state: S, context: Context) -> Mapping[str, Any]:
            self.hear(context)
            return do_step(step, name, state, context.attempt)

        async def arun(state: S, context: Context) -> Mapping[str, Any]:
            self.hear(context)
            await give_way(step.awaits)
            return do_step(step, name, state, context.attempt)

        function: Callable[..., Any] = arun if self.is_async else run
        function.__annotations__["return"] = Labelled if step.labels else Logged
        retry = Retry(step.attempts, on=(TimeoutError,)) if step.attempts > 1 else None
        return node(function, name=name, retry=retry)

    def make_worker(self, fan: Fan, name: str) -> Any:
        """Make a worker."""

        def run(item: int) -> Any:
            return do_item(fan, name, item)

        async def arun(item: int) -> Any:
            await give_way(fan.awaits[item % len(fan.awaits)])
            return do_item(fan, name, item)

        function: Callable[[int], Any] | Callable[[int], Awaitable[Any]] = arun if self.is_async else run
        return node(function, name=name)


async def give_way(times: int) -> None:
    """Let others go first, so many times."""
    for _ in range(times):
        await asyncio.sleep(0)


# -- strategies

Fields = frozenset[str]
ALL: Fields = frozenset({"label", "results", "allowed"})
"""The fields besides the log that places may write; side by side, each by one of them only."""


@st.composite
def steps(draw: st.DrawFn, fields: Fields) -> Step:
    """Draw a node."""
    return Step(
        acts=tuple(draw(st.lists(st.sampled_from(ACTS), min_size=1, max_size=3))),
        failing=draw(st.sampled_from([0, 0, 0, 1, 2])),
        attempts=draw(st.sampled_from([1, 2])),
        labels="label" in fields and draw(st.booleans()),
        awaits=draw(st.integers(0, 3)),
    )


ACTS: tuple[Act, ...] = ("x", "x", "y", "y", "none", "none", "value", "key", "refused")


@st.composite
def kinds(draw: st.DrawFn, depth: int, fields: Fields, *, early: bool) -> Kind:
    """Draw what runs at a place.

    Args:
        draw: Draws.
        depth: How many levels of composites may be inside.
        fields: What it may write besides the log.
        early: Composites may stop early, and nothing asks; the end then depends on the order of work.
    """
    choices = ["step", "step", *(["sides", "child"] if depth else [])]
    if "results" in fields:
        choices += ["fan", *(["runs"] if depth else [])]
    if "allowed" in fields and not early:
        choices += ["ask"]
    choice = draw(st.sampled_from(choices))
    at_once, stop_early = draw(st.integers(1, 3)), early and draw(st.booleans())
    if choice == "fan":
        acts = tuple(
            draw(st.lists(st.sampled_from(ACTS[:8] if draw(st.booleans()) else ACTS[:6]), min_size=1, max_size=3))
        )
        return Fan(acts, at_once, stop_early, tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))))
    if choice == "runs":
        return Runs(draw(wirings(depth - 1, ALL, early=early)), at_once, stop_early)
    if choice == "sides":
        owners = {name: draw(st.integers(0, 2)) for name in sorted(fields)}
        shares = [
            frozenset(name for name in owners if owners[name] == index) for index in range(draw(st.integers(2, 3)))
        ]
        return Sides(tuple(draw(kinds(depth - 1, share, early=early)) for share in shares), stop_early)
    if choice == "child":
        return Child(draw(wirings(depth - 1, fields, early=early)))
    return Ask() if choice == "ask" else draw(steps(fields))


@st.composite
def wirings(draw: st.DrawFn, depth: int = 2, fields: Fields = ALL, *, early: bool = False) -> Wiring:
    """Draw a table whose rows lead forward, and back only where they are bounded."""
    count = draw(st.integers(1, 3))
    spots: list[Spot] = []
    for index in range(count):
        kind = draw(kinds(depth, fields, early=early))

        def draw_target(to: int, index: int = index) -> Target:
            back = draw(st.integers(0, index)) if draw(st.integers(0, 3)) == 0 else None
            return Target(to, back, draw(st.sampled_from(COUNTS)), draw(st.sampled_from(MOSTS)))

        branches = 1
        if "label" in list_writes(kind) and draw(st.booleans()):
            branches = 3
        elif isinstance(kind, Ask) and draw(st.booleans()):
            branches = 2
        ways = [
            draw_target(index + 1),
            *(draw_target(draw(st.integers(index + 1, count))) for _ in range(branches - 1)),
        ]
        caught = (
            [] if isinstance(kind, Ask) else draw(st.lists(st.sampled_from(sorted(CAUGHT)), unique=True, max_size=3))
        )
        errors = {each_name: draw_target(draw(st.integers(index + 1, count))) for each_name in caught}
        spots.append(Spot(kind, tuple(ways), errors))
    return Wiring(tuple(spots), draw(st.booleans()))


COUNTS: tuple[Literal["loops", "rounds"], ...] = ("loops", "rounds")
MOSTS: tuple[int | Literal["most"], ...] = (0, 1, 2, "most")


def list_writes(kind: Kind) -> Fields:
    """List the fields that a place may write."""
    if isinstance(kind, Step):
        return frozenset({"label", "log"} if kind.labels else {"log"})
    if isinstance(kind, Child):
        return frozenset().union(*(list_writes(spot.kind) for spot in kind.graph.spots))
    if isinstance(kind, Sides):
        return frozenset().union(*(list_writes(part) for part in kind.parts))
    return frozenset({"allowed"} if isinstance(kind, Ask) else {"results"})


def list_counts(wiring: Wiring) -> Fields:
    """List the counts of a table."""
    targets = (target for spot in wiring.spots for target in (*spot.ways, *spot.errors.values()))
    return frozenset(target.count for target in targets if target.back is not None)


states = st.builds(
    S, most=st.integers(-1, 4), items=st.lists(st.integers(1, 3), max_size=3).map(tuple), number=st.integers(0, 2)
)
"""States to start from."""
