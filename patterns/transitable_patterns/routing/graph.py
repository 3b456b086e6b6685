"""The routing graph: its table, what is claimed of it, and the builder with exchangeable parts.

The edges are those of the specification. What it leaves to be worked out is visible in the table as well: a request with
nothing to classify goes straight to clarification, a retry is a row with a bound, and every failure has a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from transitable import END, Graph, again, always, by, exactly_one, precedes, then

from .errors import ERROR_CHARS
from .guide import read_guide
from .nodes import RoutingNodes
from .policy import RoutingPolicy
from .replies import read_replies
from .routers import Chain, RulesRouter
from .shop import open_sample_shop
from .state import Code, Entry, Route, RoutingState
from .wording import Wording

if TYPE_CHECKING:
    from .ports import Catalogue, Clock, Constraint, OrderBook, Router, SignalReader, SupportGuide
    from .replies import Replies

CODES: Final = frozenset(Code)
"""Codes with which an entry of `errors` begins."""


def routing_graph(
    router: Router | Sequence[Router] | Chain | None = None,
    *,
    orders: OrderBook | None = None,
    catalogue: Catalogue | None = None,
    guide: SupportGuide | None = None,
    signals: SignalReader | None = None,
    replies: Replies | None = None,
    policy: RoutingPolicy | None = None,
    constraint: Constraint | None = None,
    shadow: Router | None = None,
    clock: Clock | None = None,
) -> Graph[RoutingState]:
    """Build the routing graph; without arguments it runs on the shipped rules and sample data.

    Args:
        router: One router, several in the order in which they are asked, or a chain; the shipped rules by default. An empty
            sequence is allowed, and every request is then clarified.
        orders: Order book; the sample one by default.
        catalogue: Catalogue; the sample one by default.
        guide: Support guide; the shipped one by default.
        signals: Reads wishes for a person and danger; by default the rules router given, else the shipped rules.
        replies: Reply templates; the shipped ones by default.
        policy: Thresholds and limits; the defaults of `RoutingPolicy`.
        constraint: The operator's own rule, asked last; none by default.
        shadow: A router that is asked beside the others and never acted on; none by default.
        clock: Measures how long an attempt takes; without one nothing is measured, and equal requests give equal states.
    """
    settings = RoutingPolicy() if policy is None else policy
    chain = _as_chain(RulesRouter() if router is None else router)
    shop = None
    if orders is None or catalogue is None:
        shop = open_sample_shop()
    nodes = RoutingNodes(
        chain=chain,
        orders=orders or shop or open_sample_shop(),
        catalogue=catalogue or shop or open_sample_shop(),
        guide=guide if guide is not None else read_guide(),
        signals=signals if signals is not None else _find_reader(chain),
        wording=Wording(replies if replies is not None else read_replies(), settings.max_options),
        policy=settings,
        constraint=constraint,
        shadow=shadow,
        clock=clock,
    )
    return build_graph(nodes, settings)


def has_reply(state: RoutingState) -> bool:
    """Hold that a reply, once there is one, is not blank."""
    return state.final_output is None or bool(state.final_output.strip())


def has_short_errors(state: RoutingState) -> bool:
    """Hold that every error is one line with a code, at most as long as EI-09 allows."""
    return all(
        len(error) <= ERROR_CHARS and "\n" not in error and error.partition(":")[0] in CODES for error in state.errors
    )


def keeps_route_and_reply_together(state: RoutingState) -> bool:
    """Hold that a reply comes only after a route was decided."""
    return state.final_output is None or state.route is not None


def _as_chain(router: Router | Sequence[Router] | Chain) -> Chain:
    if isinstance(router, Chain):
        return router
    return Chain(router) if isinstance(router, Sequence) else Chain([router])


def _find_reader(chain: Chain) -> SignalReader:
    """Take the signals from the rules router of the chain, so that one file rules both; else from the shipped rules."""
    return next((router for router in chain.routers if isinstance(router, RulesRouter)), None) or RulesRouter()


def build_graph(nodes: RoutingNodes, policy: RoutingPolicy) -> Graph[RoutingState]:
    """Lay the table out around nodes that are already bound to what they need."""
    ask = nodes.clarification_handler
    reply = nodes.format_response
    specialists = {
        Route.ORDER_STATUS: nodes.order_status_handler,
        Route.PRODUCT_INFO: nodes.product_info_handler,
        Route.TECHNICAL_SUPPORT: nodes.technical_support_handler,
    }
    return Graph(
        RoutingState,
        start=nodes.preprocess_input,
        table={
            nodes.preprocess_input: by(
                "entry",
                {
                    Entry.CLASSIFY: nodes.classify_route,
                    Entry.DECIDED: nodes.validate_route,
                    Entry.ASK: ask,
                },
                on_error={Exception: ask},
            ),
            nodes.classify_route: then(nodes.validate_route, on_error={Exception: nodes.validate_route}),
            nodes.validate_route: by(
                "route",
                {
                    **specialists,
                    Route.CLARIFY: ask,
                    None: again(
                        nodes.classify_route, count="retry_count", at_most=policy.max_route_retries, otherwise=ask
                    ),
                },
                name="route_by_decision",
                on_error={Exception: ask},
            ),
            **{handler: then(reply, on_error={Exception: reply}) for handler in specialists.values()},
            ask: then(reply, on_error={Exception: reply}),
            reply: END,
        },
        note=nodes.note_error,
        claims=[
            exactly_one(*specialists.values(), ask),
            always(reply),
            *(
                claim
                for route, handler in specialists.items()
                for claim in (precedes((nodes.validate_route, route), handler), precedes(nodes.validate_route, handler))
            ),
        ],
        invariants=[has_reply, has_short_errors, keeps_route_and_reply_together, nodes.says_escalation],
        name="routing",
    )
