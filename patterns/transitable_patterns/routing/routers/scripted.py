"""A router for tests: it answers what it is told to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..ports import RouterQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..state import Route

Script = Iterable[object] | Callable[[RouterQuery], object]
"""Outputs one after the other, the last one again and again, or a function of the query."""


class ScriptedRouter:
    """Answers from a script; an exception in it is raised instead of returned.

    `ScriptedRouter.always("order_status")` answers the same to everything.
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self._script: Callable[[RouterQuery], object] = script if callable(script) else _replay(tuple(script))
        self._name = name
        self.queries: list[RouterQuery] = []
        """What the router was asked so far."""

    @classmethod
    def always(cls, route: Route | str, confidence: object = 0.9, **fields: object) -> ScriptedRouter:
        """Make a router that answers the same decision to everything; `fields` are further fields of it."""
        decision: Mapping[str, object] = {"route": str(route), "confidence": confidence, "reason": "scripted", **fields}
        return cls([decision])

    @property
    def name(self) -> str:
        """Name for the trace."""
        return self._name

    def decide(self, query: RouterQuery) -> object:
        """Give the next output of the script.

        Raises:
            BaseException: Whatever exception stands in the script at this place.
        """
        self.queries.append(query)
        output = self._script(query)
        if isinstance(output, BaseException):
            raise output.with_traceback(None)  # raised again and again, it would gather the frames of every time
        return output


def _replay(outputs: tuple[object, ...]) -> Callable[[RouterQuery], object]:
    remaining = list(outputs)

    def answer(_query: RouterQuery) -> object:
        if not remaining:
            return None
        return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    return answer
