"""Transitable's tables of the workloads; nothing is built when this module is loaded.

The node functions are those of the plain loop. Not for: the built graphs that are run (`ours`).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from benchmarks.engine import work

from transitable import END, Graph, again, always, by, each, ends_at, exactly_one, node, precedes, then

if TYPE_CHECKING:
    from collections.abc import Callable


def define_chain(*, awaited: bool) -> Graph[work.Routing]:
    """Build the chain of ten places."""
    nodes: list[Any] = [work.make_async(each) if awaited else each for each in work.CHAIN_NODES]
    table: dict[Any, Any] = {source: then(target) for source, target in itertools.pairwise(nodes)}
    return Graph(work.Routing, start=nodes[0], table={**table, nodes[-1]: END})


def define_small() -> Graph[work.Small]:
    """Build ten places over the state of two fields."""
    nodes = [node(work.write_text, name=f"t{number}") for number in range(10)]
    table: dict[Any, Any] = {source: then(target) for source, target in itertools.pairwise(nodes)}
    return Graph(work.Small, start=nodes[0], table={**table, nodes[-1]: END})


def define_routing(*, awaited: bool = False) -> Graph[work.Routing]:
    """Build the routing graph: eight places, a bounded way back, error rows, and five claims."""
    places: dict[str, Any] = {each.__name__: work.make_async(each) if awaited else each for each in work.ROUTING_NODES}
    classify, validate, last = places["classify_route"], places["validate_route"], places["format_response"]
    handlers = {route: places[name] for route, name in work.HANDLERS.items()}
    clarify = handlers[work.Route.CLARIFY]
    table: dict[Any, Any] = {
        places["preprocess_input"]: then(classify, on_error={Exception: clarify}),
        classify: then(validate, on_error={Exception: validate}),
        validate: by(
            "route",
            {**handlers, None: again(classify, count="retry_count", at_most=2, otherwise=clarify)},
            on_error={Exception: clarify},
        ),
        **{handler: then(last, on_error={Exception: last}) for handler in handlers.values()},
        last: END,
    }
    claims = [exactly_one(*handlers.values()), always(last)]
    claims += [precedes(validate, handler) for route, handler in handlers.items() if route is not work.Route.CLARIFY]
    return Graph(work.Routing, start=places["preprocess_input"], table=table, claims=claims)


def define_loop(*, awaited: bool) -> Graph[work.Routing]:
    """Build one place with a bounded way back to itself."""
    attempt: Any = work.make_async(work.attempt) if awaited else work.attempt
    rows = {None: again(attempt, count="retry_count", at_most=work.LOOPS, otherwise=END)}
    return Graph(work.Routing, start=attempt, table={attempt: by("route", rows, otherwise=END)})


def define_fan(worker: Callable[[int], Any], at_once: int) -> Graph[work.Fan]:
    """Build one `each` over the items.

    Args:
        worker: Called for each item.
        at_once: How many may be on their way.
    """
    fan = each("items", worker, into="results", at_once=at_once, name="fan")
    return Graph(work.Fan, start=fan, table={fan: END})


def define_long(places: int) -> Graph[work.Routing]:
    """Build a table of many places: every third branches on the route, with a bounded way back; three claims.

    Args:
        places: How many.
    """
    nodes: list[Any] = [
        node(work.validate_route if number % 3 == 2 else work.preprocess_input, name=f"p{number}")
        for number in range(places)
    ]
    last = nodes[-1]
    table: dict[Any, Any] = {last: END}
    for number, place in enumerate(nodes[:-1]):
        following = nodes[number + 1]
        if number % 3 == 2:
            back = again(nodes[number - 2], count="retry_count", at_most=5, otherwise=last)
            rows: dict[Any, Any] = dict.fromkeys(work.Route, following) | {work.Route.CLARIFY: last, None: back}
            table[place] = by("route", rows)
        else:
            table[place] = then(following, on_error={Exception: last})
    claims = [always(last), ends_at(last), precedes(nodes[0], nodes[places // 2])]
    return Graph(work.Routing, start=nodes[0], table=table, claims=claims, name="long")
