"""A routing graph: closed words, nodes that declare their writes, error rows, a bounded retry, claims, and all doors."""

from __future__ import annotations

import enum
from collections.abc import Mapping  # the engine reads what a node is annotated to return
from typing import TYPE_CHECKING, Any, TypedDict, assert_type

from attrs import frozen

from transitable import (
    END,
    Event,
    Graph,
    Handle,
    Retry,
    Run,
    again,
    always,
    at_most_one,
    by,
    grows,
    limit,
    node,
    precedes,
    then,
)

if TYPE_CHECKING:
    from transitable import (
        Context,
        Failure,
        PlaceLike,
        Row,
        TargetLike,
    )


class Route(enum.StrEnum):
    """Where a request goes."""

    ORDER = "order"
    CLARIFY = "clarify"


@frozen
class State:
    """What is known of a request."""

    request: Any = None
    user_input: str = ""
    route: Route | None = None
    confidence: float = 0.0
    retries: int = 0
    allowed: int = 2
    output: str = ""
    errors: tuple[str, ...] = grows()


class Read(TypedDict):
    """What `preprocess_input` writes."""

    user_input: str


class Routed(TypedDict, total=False):
    """What `validate_route` writes."""

    route: Route | None
    confidence: float
    errors: list[str]


class Answered(TypedDict):
    """What handlers write."""

    output: str


class Handlers:
    """Handlers that need something from outside."""

    def __init__(self, orders: Mapping[str, str]) -> None:
        self.orders = orders

    def order_handler(self, state: State) -> Answered:
        """Look an order up."""
        return {"output": self.orders.get(state.user_input, "no such order")}

    async def slow_handler(self, state: State, context: Context) -> Answered:
        """Look an order up, somewhere slow."""
        context.emit({"step": context.step})
        return {"output": state.user_input}


def preprocess_input(state: State) -> Read:
    """Read the request."""
    return {"user_input": str(state.request)}


def classify_route(state: State, context: Context) -> Mapping[str, object]:
    """Ask a router; may write anything."""
    context.spend(0.01)
    return {"confidence": len(state.user_input) / 100}


def validate_route(state: State) -> Routed | None:
    """Decide."""
    if state.confidence > 0.5:
        return {"route": Route.ORDER}
    return {"route": None, "errors": ["no decision"]}


def format_response(state: State) -> None:
    """Nothing to write."""


def make_clarification(text: str) -> PlaceLike[State]:
    """Close over a text."""

    def clarification_handler(state: State) -> Answered:
        return {"output": text + state.user_input}

    return clarification_handler


def note_error(state: State, failure: Failure, row: Row) -> Mapping[str, object]:
    """Write a failure into the state."""
    return {"errors": [f"{row.source}: {failure.message}"]}


def only_known_labels(state: State) -> bool:
    """Nothing unknown is written."""
    return state.confidence >= 0


def build(handlers: Handlers) -> Graph[State]:
    """Build the graph."""
    clarification_handler = make_clarification("What do you mean by ")
    return Graph(
        State,
        start=preprocess_input,
        table={
            preprocess_input: then(classify_route, on_error={Exception: clarification_handler}),
            classify_route: validate_route,
            validate_route: by(
                "route",
                name="route_by_decision",
                on_error={ValueError: clarification_handler, Exception: clarification_handler},
                rows={
                    Route.ORDER: handlers.order_handler,
                    Route.CLARIFY: clarification_handler,
                    None: again(
                        classify_route,
                        count="retries",
                        at_most=limit("allowed", cap=5),
                        otherwise=clarification_handler,
                    ),
                },
            ),
            handlers.order_handler: format_response,
            clarification_handler: format_response,
            format_response: END,
        },
        note=note_error,
        claims=[
            at_most_one(handlers.order_handler, clarification_handler),
            precedes((validate_route, Route.ORDER), handlers.order_handler),
            always(format_response),
        ],
        invariants=[only_known_labels],
        on_cancel=format_response,
        silence=["unnoted-errors"],
    )


def build_slow(handlers: Handlers) -> Graph[State]:
    """Build a graph whose table stands in a variable, with places of their own names and policies."""
    look_up = node(handlers.slow_handler, name="look_up", retry=Retry(attempts=3, wait=0.1), timeout=5.0)
    shout: PlaceLike[State] = node(lambda state: {"output": state.output.upper()}, name="shout")
    table: Mapping[PlaceLike[State], TargetLike[State]] = {
        preprocess_input: look_up,
        look_up: then(shout, on_error={TimeoutError: END}),
        shout: END,
    }
    return Graph(State, start=preprocess_input, table=table)


def use(graph: Graph[State]) -> None:
    """Use the sync doors."""
    run = graph.run(State(request="where is it"), max_steps=10, keep_events=True, run_id="r1")
    assert_type(run, Run[State])
    assert_type(run.state, State)
    assert_type(run.unwrap().route, Route | None)
    assert_type(run.path, tuple["Row", ...])
    assert_type(graph.resume(run, answers={}, more_steps=2), Run[State])
    for event in graph.stream(State()):
        assert_type(event, Event)
    handle = graph.start(State(), max_seconds=1.5, max_cost=2.0, check_invariants=True, random=lambda: 0.5)
    assert_type(handle, Handle[State])
    handle.answer("id", True)
    handle.cancel()
    assert_type(handle.run.state.errors, tuple[str, ...])


async def use_async(graph: Graph[State]) -> str:
    """Use the async doors."""
    async for event in graph.astream(State()):
        assert_type(event, Event)
    run = await graph.arun(State())
    assert_type(run, Run[State])
    return run.unwrap().output
