"""The state of a routing run, and the closed words in it.

The fields of the specification have its names and order. Four more carry what one place hands to the next: `request` as it
came, `entry` (the branch of `preprocess_input`), and what `classify_route` left for `validate_route`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import field, frozen

from transitable import FrozenDict, grows


class Language(StrEnum):
    """Languages in which the shipped rules read and the shipped templates reply."""

    EN = "en"
    KO = "ko"


class Route(StrEnum):
    """The bounded destinations; no other label reaches a handler."""

    ORDER_STATUS = "order_status"
    PRODUCT_INFO = "product_info"
    TECHNICAL_SUPPORT = "technical_support"
    CLARIFY = "clarify"


SPECIALISTS: tuple[Route, ...] = (Route.ORDER_STATUS, Route.PRODUCT_INFO, Route.TECHNICAL_SUPPORT)
"""The routes whose handler acts; `clarify` asks."""


class Entry(StrEnum):
    """Where a request goes after `preprocess_input`."""

    CLASSIFY = "classify"
    """To the router."""
    DECIDED = "decided"
    """Straight to validation: the operator allowed the override that the request carries."""
    ASK = "ask"
    """To clarification: there is nothing to classify."""


class Classified(StrEnum):
    """How the last visit of `classify_route` ended."""

    DECIDED = "decided"
    """A router gave an output; whether it is a decision is for `validate_route` to say."""
    FAILED = "failed"
    """The router raised; another attempt may help."""
    UNAVAILABLE = "unavailable"
    """No router of the chain could be asked; another attempt does not help."""


class Code(StrEnum):
    """Why a run took its route: `metadata.routing.code`."""

    ACCEPTED = "accepted"
    ROUTER_CLARIFY = "router_clarify"
    UNSUPPORTED = "unsupported"
    LOW_CONFIDENCE = "low_confidence"
    AMBIGUOUS = "ambiguous"
    MULTI_INTENT = "multi_intent"
    ROUTE_DISABLED = "route_disabled"
    POLICY = "policy"
    PERSON_WISH = "person_wish"
    INPUT_EMPTY = "input_empty"
    INPUT_TYPE = "input_type"
    INPUT_TOO_LONG = "input_too_long"
    REQUEST_INVALID = "request_invalid"
    UNKNOWN_LABEL = "unknown_label"
    INVALID_DECISION = "invalid_decision"
    ROUTER_FAILED = "router_failed"
    ROUTER_UNAVAILABLE = "router_unavailable"
    NODE_FAILED = "node_failed"


@frozen
class RoutingState:
    """Everything a routing run knows.

    A state is made from a request alone: `RoutingState(request={"input": "Where is order 12345?"})`.
    """

    request: Any = None
    """The request as it came: a mapping with `input`, optionally `user_id`, `account_id`, `metadata`; or the text alone."""
    input: str = ""
    """Original request of the user, unchanged; `""` where the request held no text."""
    normalized_input: str = ""
    """Normalised text used for classification."""
    entry: Entry | None = None
    """Where the request goes after `preprocess_input`; the branch there reads it."""
    classified: Classified | None = None
    """How the last visit of `classify_route` ended; `None` before the first, and for an override."""
    router_output: Any = None
    """Raw output of the router in JSON values, until `validate_route` has read it."""
    invalid_count: int = 0
    """Router outputs so far that were no decision."""
    route: Route | None = None
    """The bounded destination; the branch of `validate_route` reads it. `None` only on the way to another attempt."""
    route_reason: str | None = None
    """Short explanation for people who read traces."""
    route_confidence: float | None = None
    """Confidence that the router gave, from 0 to 1; kept also where the route became `clarify`. `None` without a decision."""
    handler_output: str | None = None
    """Text of the handler; `None` before it ran and where it raised."""
    final_output: str | None = None
    """Reply to the user; never blank at the end of a run."""
    errors: tuple[str, ...] = grows()
    """Errors that the run lived through: one line each, a code first, at most 300 characters, no configured secret."""
    retry_count: int = 0
    """Attempts to classify after the first; only the engine writes it."""
    requires_human_review: bool = False
    """Whether a person takes over instead of an automatic reply."""
    metadata: Mapping[str, Any] = field(factory=lambda: FrozenDict[str, Any]())
    """What the caller sent along, and the trace of the decision under `routing`."""


def next_turn(state: RoutingState, request: Any) -> RoutingState:
    """Begin the next turn of a conversation: a new state that keeps the metadata and nothing else.

    An override that was meant for the last turn is not kept.
    """
    return RoutingState(
        request=request,
        metadata=FrozenDict({key: value for key, value in state.metadata.items() if key != "route_override"}),
    )
