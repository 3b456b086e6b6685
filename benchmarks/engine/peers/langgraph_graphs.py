"""LangGraph's graphs of the workloads; nothing is compiled when this module is loaded. See `with_langgraph`."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from benchmarks.engine import work
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

if TYPE_CHECKING:
    from collections.abc import Mapping


class State(TypedDict, total=False):
    """The eleven fields."""

    input: str
    normalized_input: str
    route: work.Route | None
    route_reason: str | None
    route_confidence: float | None
    handler_output: str | None
    final_output: str | None
    errors: Annotated[list[str], operator.add]
    retry_count: int
    requires_human_review: bool
    metadata: dict[str, Any]


class FanState(TypedDict, total=False):
    """State of the fan-out."""

    items: list[int]
    results: Annotated[list[int], operator.add]


FIRST: State = {
    "input": work.REQUEST,
    "normalized_input": "",
    "route": None,
    "route_reason": None,
    "route_confidence": None,
    "handler_output": None,
    "final_output": None,
    "errors": [],
    "retry_count": 0,
    "requires_human_review": False,
    "metadata": {"channel": "chat", "account": "a-77"},
}
Node = Callable[[Any], Any]


def _make_writer(name: str, value: object) -> Node:
    update = {name: value}
    return lambda _state: update


def preprocess_input(state: State) -> State:
    """As `work.preprocess_input`."""
    return {"normalized_input": " ".join(state["input"].lower().split())}


def classify_route(_state: State) -> State:
    """As `work.classify_route`."""
    return {"route": work.Route.ORDER_STATUS, "route_reason": "an order number", "route_confidence": 0.93}


def validate_route(state: State) -> State:
    """As `work.validate_route`."""
    confidence = state["route_confidence"]
    return {"route": state["route"] if confidence is not None and confidence >= 0.5 else work.Route.CLARIFY}


def handle(_state: State) -> State:
    """As the handlers of `work`."""
    return {"handler_output": "found"}


def format_response(state: State) -> State:
    """As `work.format_response`."""
    return {"final_output": state["handler_output"] or ""}


def attempt(state: State) -> State:
    """As `work.attempt_and_count`."""
    if state["retry_count"] < work.LOOPS - 1:
        return {"route": None, "retry_count": state["retry_count"] + 1}
    return {"route": work.Route.CLARIFY}


CHAIN: Mapping[str, Node] = {f"n{number}": _make_writer(*write) for number, write in enumerate(work.CHAIN, start=1)}
ROUTING: Mapping[str, Node] = {
    "preprocess_input": preprocess_input,
    "classify_route": classify_route,
    "validate_route": validate_route,
    **dict.fromkeys(work.HANDLERS.values(), handle),
    "format_response": format_response,
}


def _twin(node: Node, *, awaited: bool) -> Node:
    return work.make_async(node) if awaited else node


def define_chain(*, awaited: bool) -> Any:
    """Define and compile the chain."""
    graph: Any = StateGraph(State)
    previous = START
    for name, node in CHAIN.items():
        graph.add_node(name, _twin(node, awaited=awaited))
        graph.add_edge(previous, name)
        previous = name
    graph.add_edge(previous, END)
    return graph.compile()


def define_routing(*, awaited: bool = False) -> Any:
    """Add the eight nodes and the edges of the routing graph; not compiled yet."""
    graph: Any = StateGraph(State)
    for name, node in ROUTING.items():
        graph.add_node(name, _twin(node, awaited=awaited))
    graph.add_edge(START, "preprocess_input")
    graph.add_edge("preprocess_input", "classify_route")
    graph.add_edge("classify_route", "validate_route")
    targets: dict[Any, str] = {**work.HANDLERS, None: "classify_route"}
    graph.add_conditional_edges("validate_route", lambda state: state["route"], targets)
    for handler in work.HANDLERS.values():
        graph.add_edge(handler, "format_response")
    graph.add_edge("format_response", END)
    return graph


def define_loop(*, awaited: bool) -> Any:
    """Define and compile the loop."""
    graph: Any = StateGraph(State)
    graph.add_node("attempt", _twin(attempt, awaited=awaited))
    graph.add_edge(START, "attempt")
    graph.add_conditional_edges("attempt", lambda state: state["route"] is None, {True: "attempt", False: END})
    return graph.compile()


def _send_items(state: FanState) -> list[Send]:
    return [Send("worker", item) for item in state["items"]]


def send_work_item(item: Any) -> FanState:
    """As `work.work_item`."""
    return {"results": [work.work_item(item)]}


async def send_wait_item(item: Any) -> FanState:
    """As `work.wait_item`."""
    await asyncio.sleep(0)
    return {"results": [item + 1]}


def define_fan(worker: Node) -> Any:
    """Define and compile the fan-out over a worker."""
    graph: Any = StateGraph(FanState)
    graph.add_node("worker", worker)
    graph.add_conditional_edges(START, _send_items, ["worker"])
    graph.add_edge("worker", END)
    return graph.compile()
