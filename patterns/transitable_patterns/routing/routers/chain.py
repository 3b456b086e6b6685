"""A chain of routers: the first that can be asked answers; a cheap one may hand on what it is not sure of.

The chain keeps the order that it was given, and says what it skipped and why. It never answers by itself: with nobody to
ask, its output says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from ..errors import RouterUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports import Router, RouterQuery

Settled = Callable[[object], bool]
"""Tells if an output need not be handed on to the next router."""


@frozen
class Skip:
    """One router that the chain passed over."""

    router: str
    """Its name."""
    reason: str
    """Why it did not answer, or why its answer was handed on."""
    unavailable: bool
    """Whether it could not be asked; otherwise its answer was not sure enough."""


@frozen
class Routed:
    """What a chain came back with."""

    raw: object
    """Output of the router that answered; `None` where none did."""
    router: str | None
    """Its name; `None` where none could be asked."""
    skipped: tuple[Skip, ...] = ()
    """Routers passed over, in order."""


class Chain:
    """Asks routers in order.

    Args:
        routers: In the order in which they are asked; none is allowed, and leads to clarification.
        settled: Tells if an output is good enough; `None` takes the first output. The last answer is always taken.
    """

    def __init__(self, routers: Sequence[Router], *, settled: Settled | None = None) -> None:
        self.routers = tuple(routers)
        """The routers, in order."""
        self._settled = settled

    @property
    def name(self) -> str:
        """Names of the routers, in order."""
        return " > ".join(router.name for router in self.routers)

    def decide(self, query: RouterQuery) -> Routed:
        """Ask the routers in order.

        Raises:
            Exception: What the router raised whose turn it was, unless it is `RouterUnavailable`.
        """
        skipped: list[Skip] = []
        answer: Routed | None = None
        for router in self.routers:
            try:
                raw = router.decide(query)
            except RouterUnavailable as missing:
                skipped.append(Skip(router.name, missing.reason, unavailable=True))
                continue
            if answer is not None and answer.router is not None:
                skipped.append(Skip(answer.router, "not sure enough", unavailable=False))
            answer = Routed(raw, router.name)
            if self._settled is None or self._settled(raw):
                break
        if answer is None:
            return Routed(None, None, tuple(skipped))
        return Routed(answer.raw, answer.router, tuple(skipped))
