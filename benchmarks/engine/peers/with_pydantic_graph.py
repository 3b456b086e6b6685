"""pydantic-graph: steps of a `GraphBuilder` over a mutable dataclass; async only.

Steps change the state in place; nothing is checked or kept. There is no sync engine: its `run_sync` starts the same
coroutines on an event loop, and is what stands in the sync rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.engine import work
from pydantic_graph import GraphBuilder, reduce_list_append
from pydantic_graph import TypeExpression as _TypeExpression

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class State:
    """The eleven fields."""

    input: str = work.REQUEST
    normalized_input: str = ""
    route: work.Route | None = None
    route_reason: str | None = None
    route_confidence: float | None = None
    handler_output: str | None = None
    final_output: str | None = None
    errors: list[str] = field(default_factory=list)
    retry_count: int = 0
    requires_human_review: bool = False
    metadata: dict[str, Any] = field(default_factory=lambda: {"channel": "chat", "account": "a-77"})


@dataclass
class Fan:
    """State of the fan-out."""

    results: list[int] = field(default_factory=list)


TypeExpression: Any = _TypeExpression
Context = Any
"""`StepContext[State, None, Any]` and, below, `Graph[...]`: mypy sees neither as generic, so both stay untyped here."""
Step = Callable[[Context], Awaitable[Any]]


def _make_writer(name: str, value: object) -> Step:
    async def write(ctx: Context) -> None:
        setattr(ctx.state, name, value)

    return write


async def _preprocess_input(ctx: Context) -> None:
    ctx.state.normalized_input = " ".join(ctx.state.input.lower().split())


async def _classify_route(ctx: Context) -> None:
    ctx.state.route, ctx.state.route_reason, ctx.state.route_confidence = (
        work.Route.ORDER_STATUS,
        "an order number",
        0.93,
    )


async def _validate_route(ctx: Context) -> work.Route | None:
    state: State = ctx.state
    if state.route_confidence is None or state.route_confidence < 0.5:
        state.route = work.Route.CLARIFY
    return state.route


async def _handle(ctx: Context) -> None:
    ctx.state.handler_output = "found"


async def _format_response(ctx: Context) -> None:
    ctx.state.final_output = ctx.state.handler_output or ""


async def _attempt(ctx: Context) -> bool:
    state = ctx.state
    if state.retry_count < work.LOOPS - 1:
        state.retry_count += 1
        return False
    state.route = work.Route.CLARIFY
    return True


async def _wait_item(ctx: Context) -> int:
    await asyncio.sleep(0)
    return int(ctx.inputs + 1)


def _define_chain() -> Any:
    graph: Any = GraphBuilder(state_type=State, output_type=type(None))
    previous: Any = graph.start_node
    for number, write in enumerate(work.CHAIN, start=1):
        step = graph.step(_make_writer(*write), node_id=f"n{number}")
        graph.add_edge(previous, step)
        previous = step
    graph.add_edge(previous, graph.end_node)
    return graph.build()


def _define_routing() -> Any:
    graph: Any = GraphBuilder(state_type=State, output_type=type(None))
    preprocess = graph.step(_preprocess_input, node_id="preprocess_input")
    classify = graph.step(_classify_route, node_id="classify_route")
    validate = graph.step(_validate_route, node_id="validate_route")
    handlers = {route: graph.step(_handle, node_id=name) for route, name in work.HANDLERS.items()}
    last = graph.step(_format_response, node_id="format_response")
    decision = graph.decision()
    for route, handler in handlers.items():
        decision = decision.branch(graph.match(TypeExpression[Literal[route]]).to(handler))
    decision = decision.branch(graph.match(type(None)).to(classify))
    graph.add(
        graph.edge_from(graph.start_node).to(preprocess),
        graph.edge_from(preprocess).to(classify),
        graph.edge_from(classify).to(validate),
        graph.edge_from(validate).to(decision),
        graph.edge_from(*handlers.values()).to(last),
        graph.edge_from(last).to(graph.end_node),
    )
    return graph.build()


def _define_loop() -> Any:
    graph: Any = GraphBuilder(state_type=State, output_type=bool)
    attempt = graph.step(_attempt, node_id="attempt")
    decision = (
        graph.decision()
        .branch(graph.match(TypeExpression[Literal[False]]).to(attempt))
        .branch(graph.match(TypeExpression[Literal[True]]).to(graph.end_node))
    )
    graph.add(graph.edge_from(graph.start_node).to(attempt), graph.edge_from(attempt).to(decision))
    return graph.build()


def _define_fan() -> Any:
    graph: Any = GraphBuilder(state_type=Fan, input_type=tuple[int, ...], output_type=list[int])
    worker = graph.step(_wait_item, node_id="worker")
    join = graph.join(reduce_list_append, initial_factory=list[int])
    graph.add(
        graph.edge_from(graph.start_node).map().to(worker),
        graph.edge_from(worker).to(join),
        graph.edge_from(join).to(graph.end_node),
    )
    return graph.build()


_CHAIN, _ROUTING, _LOOP, _FAN = _define_chain(), _define_routing(), _define_loop(), _define_fan()


async def _run(graph: Any) -> State:
    state = State()
    await graph.run(state=state, infer_name=False)
    return state


async def _run_fan() -> Fan:
    state = Fan()
    state.results = await _FAN.run(state=state, inputs=work.FAN_START.items, infer_name=False)
    return state


def _run_sync(graph: Any) -> State:
    state = State()
    graph.run_sync(state=state, infer_name=False)
    return state


SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: _run_sync(_CHAIN),
    "routing": lambda: _run_sync(_ROUTING),
    "loop": lambda: _run_sync(_LOOP),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: _run(_CHAIN),
    "routing": lambda: _run(_ROUTING),
    "loop": lambda: _run(_LOOP),
    "fan": _run_fan,
}


def check() -> None:
    """Run each workload once and compare what it ends with.

    Raises:
        work.UnequalError: If this peer did other work.
    """
    ends = {"chain": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END}
    for name, end in ends.items():
        work.check_end(f"pydantic-graph, {name}", vars(asyncio.run(ASYNC[name]())).__getitem__, end)
    results = asyncio.run(_run_fan()).results
    work.check_end("pydantic-graph, fan", {"results": sorted(results)}.__getitem__, work.FAN_END)
