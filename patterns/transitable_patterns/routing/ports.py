"""What the routing graph needs from outside, as protocols: everything here can be exchanged without touching a node.

Shipped implementations: `routers` (rules, scripted, chain), `shop` (SQLite order book and catalogue), `guide`, `replies`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from attrs import field, frozen

from .state import Language, Route

Clock = Callable[[], float]
"""Seconds on a clock that never goes back, for durations only."""

Constraint = Callable[["RouteCase"], "str | None"]
"""The operator's own rule: a reason to ask instead of taking this route, or `None` to let it pass."""


@frozen
class RouterQuery:
    """What a router is given. It holds no identity: a router decides from the text."""

    text: str
    """Normalised, not blank text of the user. Data, never instructions."""
    language: Language
    """Language of the text by script."""


class Router(Protocol):
    """Anything that proposes a route: rules, a model, a fake in a test."""

    @property
    def name(self) -> str:
        """Name for the trace."""
        ...

    def decide(self, query: RouterQuery) -> object:
        """Propose a route.

        Returns:
            A `decisions.Decision`, or a mapping with `route` and `confidence` and optionally `reason`, `candidates`,
            `intents`, `unsupported`, `usage`. Whatever else comes back is an invalid decision, never an exception.

        Raises:
            RouterUnavailable: If this router cannot be asked at all; the next of the chain is.
            Exception: For what may work at another attempt.
        """
        ...


@frozen
class Identity:
    """Who asks, as the caller vouches for it."""

    user_id: str | None = None
    """User that the caller has signed in; `None` for a stranger."""
    account_id: str | None = None
    """Account that the caller has signed in; `None` for a stranger."""


@frozen
class Order:
    """One order, as its owner may see it."""

    order_id: str
    """Number that the owner knows it by."""
    status: str
    """One of the words of `shop.ORDER_STATUSES`."""
    items: tuple[str, ...]
    """What was ordered, a name each, in the order of the invoice."""
    placed_on: str
    """ISO date."""
    expected_on: str | None = None
    """ISO date of the expected arrival; `None` where none is known."""
    carrier: str | None = None
    """Who brings it; `None` before it was handed over."""
    tracking: str | None = None
    """The carrier's number; `None` before it was handed over."""
    refund: str | None = None
    """One of the words of `shop.REFUND_STATUSES`; `None` where nothing is to be paid back."""


class OrderBook(Protocol):
    """Orders, each only for its owner."""

    def find_order(self, order_id: str, owner: Identity) -> Order | None:
        """Find an order of this owner; `None` for another's, for an unknown number and for a stranger alike."""
        ...

    def list_orders(self, owner: Identity, *, limit: int) -> tuple[Order, ...]:
        """List the orders of this owner, newest first, at most `limit`; none for a stranger."""
        ...


@frozen
class Product:
    """One product of the catalogue."""

    sku: str
    """The shop's own key."""
    name: Mapping[str, str]
    """Name by language."""
    price: str
    """Price with its currency, ready to print."""
    stock: int
    """Pieces on hand; 0 when sold out."""
    facts: Mapping[str, str]
    """What people ask for, a sentence or two, by language."""


class Catalogue(Protocol):
    """Products that can be found by words."""

    def search_products(self, text: str, *, limit: int) -> tuple[Product, ...]:
        """Find products by the words of a text, best first, at most `limit`."""
        ...


@frozen
class GuideEntry:
    """One entry of the support guide."""

    entry_id: str
    """Key of the entry."""
    title: Mapping[str, str]
    """What it is about, by language."""
    risk: str | None
    """`low` if its steps are harmless for everybody; another word, or `None` where nobody has judged it, asks for a person."""
    steps: Mapping[str, tuple[str, ...]]
    """What to try, in order, by language."""


@frozen
class GuideAdvice:
    """What the guide has to say to a text."""

    entry: GuideEntry | None = None
    """The best entry; `None` where none fits."""
    risks: tuple[str, ...] = field(factory=tuple)
    """Marks of the risks that the text shows, such as `danger` or `permission`; none is the usual case."""


class SupportGuide(Protocol):
    """Troubleshooting knowledge."""

    def advise(self, text: str) -> GuideAdvice:
        """Find what the guide has to say to a text."""
        ...


@frozen
class Signals:
    """What a text shows beside its subject, whatever the router made of it."""

    person_wish: bool = False
    """Whether the user asks for a person."""
    danger: bool = False
    """Whether somebody may come to harm."""
    permission: bool = False
    """Whether the user asks for what only somebody else may allow, such as another's account."""


class SignalReader(Protocol):
    """Reads signals; the rule book is the shipped one."""

    def read_signals(self, text: str) -> Signals:
        """Read the signals of a normalised text."""
        ...


@frozen
class RouteCase:
    """What the operator's own constraint is asked about."""

    route: Route
    """The route that everything else let pass."""
    confidence: float
    """The router's confidence in it."""
    normalized_input: str
    """The text."""
    metadata: Mapping[str, Any]
    """What the caller sent along."""
