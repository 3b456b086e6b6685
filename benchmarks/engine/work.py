"""The work that all contenders do: states, node functions, and what a finished run must hold.

The state has the eleven fields of the routing pattern and is frozen with slots. Node functions do next to nothing, so
that what is measured is the engine. The same functions serve the plain loop and Transitable; peers that hand nodes a
dict or an object of their own write the same values to the same fields (`CHAIN`, `classify`...).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict

from attrs import frozen

from transitable import FrozenDict, grows

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Route(StrEnum):
    """Where a request can go."""

    ORDER_STATUS = "order_status"
    PRODUCT_INFO = "product_info"
    TECHNICAL_SUPPORT = "technical_support"
    CLARIFY = "clarify"


@frozen(slots=True)
class Routing:
    """The eleven fields of the routing pattern."""

    input: str
    normalized_input: str = ""
    route: Route | None = None
    route_reason: str | None = None
    route_confidence: float | None = None
    handler_output: str | None = None
    final_output: str | None = None
    errors: tuple[str, ...] = grows()
    retry_count: int = 0
    requires_human_review: bool = False
    metadata: Mapping[str, Any] = FrozenDict()


@frozen(slots=True)
class Small:
    """A state of two fields: what a step costs when there is next to no state to build."""

    text: str = ""
    count: int = 0


@frozen(slots=True)
class Fan:
    """State of the fan-out."""

    items: tuple[int, ...] = ()
    results: tuple[int, ...] = ()


REQUEST = "Where is   order 12345?"
NORMAL = "where is order 12345?"
METADATA: Mapping[str, Any] = FrozenDict(channel="chat", account="a-77")
START = Routing(REQUEST, metadata=METADATA)
SMALL_START = Small()
LOOPS = 1000
FAN = 100
WIDE_FAN = 5000

FAN_START = Fan(tuple(range(FAN)))
WIDE_START = Fan(tuple(range(WIDE_FAN)))

CHAIN: tuple[tuple[str, object], ...] = (
    ("normalized_input", NORMAL),
    ("route", Route.ORDER_STATUS),
    ("route_reason", "an order number"),
    ("route_confidence", 0.93),
    ("handler_output", "found"),
    ("requires_human_review", True),
    ("final_output", "It left on Monday."),
    ("route_reason", "an order number, checked"),
    ("route_confidence", 0.97),
    ("final_output", "It left on Monday and arrives on Thursday."),
)
"""What the ten nodes of the chain write: one field each."""
CHAIN_END: Mapping[str, object] = dict(CHAIN)
"""Fields after the chain."""
ROUTING_END: Mapping[str, object] = {
    "normalized_input": NORMAL,
    "route": Route.ORDER_STATUS,
    "route_reason": "an order number",
    "route_confidence": 0.93,
    "handler_output": "found",
    "final_output": "found",
}
"""Fields after the routing run."""
LOOP_END: Mapping[str, object] = {"route": Route.CLARIFY, "retry_count": LOOPS - 1}
"""Fields after the loop."""
FAN_END: Mapping[str, object] = {"results": list(range(1, FAN + 1))}
"""Results of the fan-out, in item order."""


class Normalized(TypedDict):
    """Write of the node that normalises."""

    normalized_input: str


class Decided(TypedDict):
    """Write of a node that decides a route."""

    route: Route | None


class Reasoned(TypedDict):
    """Write of a node that gives the reason."""

    route_reason: str


class Weighed(TypedDict):
    """Write of a node that gives a confidence."""

    route_confidence: float


class Handled(TypedDict):
    """Write of a handler."""

    handler_output: str


class Reviewed(TypedDict):
    """Write of a node that asks for review."""

    requires_human_review: bool


class Answered(TypedDict):
    """Write of a node that answers."""

    final_output: str


class Classified(TypedDict):
    """Write of the classifier."""

    route: Route | None
    route_reason: str
    route_confidence: float


class Counted(TypedDict):
    """Write of a loop whose node counts for itself."""

    route: Route | None
    retry_count: int


class Text(TypedDict):
    """Write of a node of the small chain."""

    text: str


def n1(_state: Routing) -> Normalized:
    """Write the first value of the chain."""
    return {"normalized_input": NORMAL}


def n2(_state: Routing) -> Decided:
    """Write the second value of the chain."""
    return {"route": Route.ORDER_STATUS}


def n3(_state: Routing) -> Reasoned:
    """Write the third value of the chain."""
    return {"route_reason": "an order number"}


def n4(_state: Routing) -> Weighed:
    """Write the fourth value of the chain."""
    return {"route_confidence": 0.93}


def n5(_state: Routing) -> Handled:
    """Write the fifth value of the chain."""
    return {"handler_output": "found"}


def n6(_state: Routing) -> Reviewed:
    """Write the sixth value of the chain."""
    return {"requires_human_review": True}


def n7(_state: Routing) -> Answered:
    """Write the seventh value of the chain."""
    return {"final_output": "It left on Monday."}


def n8(_state: Routing) -> Reasoned:
    """Write the eighth value of the chain."""
    return {"route_reason": "an order number, checked"}


def n9(_state: Routing) -> Weighed:
    """Write the ninth value of the chain."""
    return {"route_confidence": 0.97}


def n10(_state: Routing) -> Answered:
    """Write the last value of the chain."""
    return {"final_output": "It left on Monday and arrives on Thursday."}


def preprocess_input(state: Routing) -> Normalized:
    """Normalise white space and case."""
    return {"normalized_input": " ".join(state.input.lower().split())}


def classify_route(_state: Routing) -> Classified:
    """Pretend to ask a classifier."""
    return {"route": Route.ORDER_STATUS, "route_reason": "an order number", "route_confidence": 0.93}


def validate_route(state: Routing) -> Decided:
    """Send what is not certain enough to clarification."""
    certain = state.route_confidence is not None and state.route_confidence >= 0.5
    return {"route": state.route if certain else Route.CLARIFY}


def order_status_handler(_state: Routing) -> Handled:
    """Pretend to look up an order."""
    return {"handler_output": "found"}


def product_info_handler(_state: Routing) -> Handled:
    """Stand in the table; this run does not come here."""
    return {"handler_output": "found"}


def technical_support_handler(_state: Routing) -> Handled:
    """Stand in the table; this run does not come here."""
    return {"handler_output": "found"}


def clarification_handler(_state: Routing) -> Handled:
    """Stand in the table; this run does not come here."""
    return {"handler_output": "found"}


def format_response(state: Routing) -> Answered:
    """Put the handler's output into the answer."""
    return {"final_output": state.handler_output or ""}


def attempt(state: Routing) -> Decided:
    """Find no route until the last round; who runs it counts the rounds."""
    return {"route": None if state.retry_count < LOOPS - 1 else Route.CLARIFY}


def attempt_and_count(state: Routing) -> Counted:
    """`attempt` for runners that leave the counting to the node: one update with both fields."""
    if state.retry_count < LOOPS - 1:
        return {"route": None, "retry_count": state.retry_count + 1}
    return {"route": Route.CLARIFY, "retry_count": state.retry_count}


def write_text(_state: Small) -> Text:
    """Write one of two fields; all ten places of the small chain do this."""
    return {"text": NORMAL}


CHAIN_NODES: tuple[Callable[[Routing], Mapping[str, Any]], ...] = (n1, n2, n3, n4, n5, n6, n7, n8, n9, n10)
ROUTING_NODES: tuple[Callable[[Routing], Mapping[str, Any]], ...] = (
    preprocess_input,
    classify_route,
    validate_route,
    order_status_handler,
    product_info_handler,
    technical_support_handler,
    clarification_handler,
    format_response,
)
HANDLERS: Mapping[Route, str] = {
    Route.ORDER_STATUS: "order_status_handler",
    Route.PRODUCT_INFO: "product_info_handler",
    Route.TECHNICAL_SUPPORT: "technical_support_handler",
    Route.CLARIFY: "clarification_handler",
}
"""Name of the handler of each route."""


def make_async(node: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    """Make the async twin of a node: a coroutine function of the same name and annotations that awaits nothing."""

    async def twin(state: Any) -> Any:
        return node(state)

    twin.__name__, twin.__qualname__, twin.__module__ = node.__name__, node.__qualname__, node.__module__
    twin.__annotations__ = node.__annotations__
    return twin


def work_item(item: int) -> int:
    """Do the work of one item of the sync fan-out."""
    return item + 1


async def wait_item(item: int) -> int:
    """Do the work of one item of the async fan-out: gives way to the event loop once, as any real wait would."""
    await asyncio.sleep(0)
    return item + 1


async def return_item(item: int) -> int:
    """Do the work of an item that turns out to need no wait."""
    return item + 1


class UnequalError(Exception):
    """A contender did not do the same work as the others."""

    def __init__(self, contender: str, field: str, found: object, expected: object) -> None:
        super().__init__(
            f"{contender} ended with {field} = {found!r}, expected {expected!r}; its times would mean nothing"
        )
        self.contender, self.field, self.found, self.expected = contender, field, found, expected


def check_end(contender: str, read: Callable[[str], object], expected: Mapping[str, object]) -> None:
    """Make sure that a contender's run ended with the values that all end with.

    Raises:
        UnequalError: If a field has another value.
    """
    for name, value in expected.items():
        if read(name) != value:
            raise UnequalError(contender, name, read(name), value)
