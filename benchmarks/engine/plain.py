"""What the bars refer to: the loops that somebody without an engine would write.

A dict look-up of the node, `attrs.evolve` with what it returned, a dict look-up of the next one. No check, no history,
no limit, no error handling. `attrs.evolve` runs the class's own `__init__`, as the engine does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs
from benchmarks.engine import work

SyncNodes = Mapping[str, Callable[[Any], Mapping[str, Any]]]
AsyncNodes = Mapping[str, Callable[[Any], Awaitable[Any]]]
Edges = Mapping[str, str | None]
Branches = Mapping[str, Callable[[Any], str | None]]


def follow(nodes: SyncNodes, edges: Edges, place: str | None, state: Any) -> Any:
    """Run nodes one after another until there is no next one."""
    while place is not None:
        state = attrs.evolve(state, **nodes[place](state))
        place = edges[place]
    return state


def follow_branching(nodes: SyncNodes, edges: Edges, branches: Branches, place: str | None, state: Any) -> Any:
    """Run nodes until there is no next one; a place in `branches` chooses its next one by the state."""
    while place is not None:
        state = attrs.evolve(state, **nodes[place](state))
        place = branches[place](state) if place in branches else edges[place]
    return state


async def afollow(nodes: AsyncNodes, edges: Edges, place: str | None, state: Any) -> Any:
    """`follow` for async nodes."""
    while place is not None:
        state = attrs.evolve(state, **await nodes[place](state))
        place = edges[place]
    return state


async def afollow_branching(nodes: AsyncNodes, edges: Edges, branches: Branches, place: str | None, state: Any) -> Any:
    """`follow_branching` for async nodes."""
    while place is not None:
        state = attrs.evolve(state, **await nodes[place](state))
        place = branches[place](state) if place in branches else edges[place]
    return state


def _line(names: tuple[str, ...]) -> dict[str, str | None]:
    return dict(zip(names, (*names[1:], None), strict=True))


CHAIN: SyncNodes = {node.__name__: node for node in work.CHAIN_NODES}
CHAIN_ASYNC: AsyncNodes = {name: work.make_async(node) for name, node in CHAIN.items()}
CHAIN_EDGES: Edges = _line(tuple(CHAIN))
SMALL: SyncNodes = {f"t{number}": work.write_text for number in range(10)}
SMALL_EDGES: Edges = _line(tuple(SMALL))
ROUTING: SyncNodes = {node.__name__: node for node in work.ROUTING_NODES}
ROUTING_ASYNC: AsyncNodes = {name: work.make_async(node) for name, node in ROUTING.items()}
ROUTING_EDGES: Edges = {
    "preprocess_input": "classify_route",
    "classify_route": "validate_route",
    **dict.fromkeys(work.HANDLERS.values(), "format_response"),
    "format_response": None,
}
ROUTING_BRANCHES: Branches = {"validate_route": lambda state: work.HANDLERS[state.route]}
LOOP: SyncNodes = {"attempt": work.attempt_and_count}
LOOP_ASYNC: AsyncNodes = {"attempt": work.make_async(work.attempt_and_count)}
LOOP_NEXT: Mapping[work.Route | None, str | None] = {None: "attempt", **dict.fromkeys(work.Route)}
LOOP_BRANCHES: Branches = {"attempt": lambda state: LOOP_NEXT[state.route]}


def chain() -> Any:
    """Run the chain."""
    return follow(CHAIN, CHAIN_EDGES, "n1", work.START)


def small() -> Any:
    """Run ten steps over the state of two fields."""
    return follow(SMALL, SMALL_EDGES, "t0", work.SMALL_START)


def routing() -> Any:
    """Run the five steps of routing."""
    return follow_branching(ROUTING, ROUTING_EDGES, ROUTING_BRANCHES, "preprocess_input", work.START)


def loop() -> Any:
    """Run the loop."""
    return follow_branching(LOOP, {}, LOOP_BRANCHES, "attempt", work.START)


async def achain() -> Any:
    """Run the chain of async nodes."""
    return await afollow(CHAIN_ASYNC, CHAIN_EDGES, "n1", work.START)


async def arouting() -> Any:
    """Run the five steps of routing, async."""
    return await afollow_branching(ROUTING_ASYNC, ROUTING_EDGES, ROUTING_BRANCHES, "preprocess_input", work.START)


async def aloop() -> Any:
    """Run the loop of an async node."""
    return await afollow_branching(LOOP_ASYNC, {}, LOOP_BRANCHES, "attempt", work.START)


def fan(start: work.Fan) -> work.Fan:
    """Call the worker for each item and keep the results in the state."""
    return attrs.evolve(start, results=tuple([work.work_item(item) for item in start.items]))


async def gather(start: work.Fan, worker: Callable[[int], Awaitable[int]]) -> list[int]:
    """Start bare `asyncio.gather`: no state, no engine."""
    return await asyncio.gather(*[worker(item) for item in start.items])
