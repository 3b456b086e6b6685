"""`Context`: what a node may know of its run besides the state.

Responsible for: the second argument of nodes and workers. Dependencies do not come through it; they are closures or
fields of the object that builds the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transitable.errors import UpdateError
from transitable.model.shapes import ABSENT, Fault, JsonShape, admit_foreign, show_value

if TYPE_CHECKING:
    from transitable.run.session import Session
    from transitable.run.work import Address

JSON = JsonShape()


class Context:
    """What a node or worker may know of the attempt that it makes."""

    __slots__ = ("_is_over", "_session", "address", "attempt", "deadline", "step")

    def __init__(self, session: Session, address: Address, attempt: int, timeout: float | None) -> None:
        self._session = session
        self._is_over = False
        self.address = address
        """Where it stands: the place's name, then item numbers and names inside."""
        self.step = session.step + 1
        """The number of the step in its graph, counted from 1."""
        self.attempt = attempt
        """Which attempt this is; the first is 1."""
        self.deadline: float | None = session.find_deadline(timeout)
        """When the attempt or the run has to be done, in seconds since the epoch; None for never."""

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self._session.top.run_id

    @property
    def key(self) -> str:
        """The idempotency key: the same for every attempt at this piece of work, in this run only."""
        return f"{self.run_id}:{self._session.key_prefix}{self.step - 1}:{'/'.join(map(str, self.address))}"

    def close(self) -> None:
        """End the attempt: what is emitted or spent after its time-out comes too late, and is dropped."""
        self._is_over = True

    def emit(self, value: Any, *, keep: bool = True) -> None:
        """Tell something to whoever listens; dropped when the attempt is over.

        Args:
            value: A JSON value.
            keep: Keep it with the step; False for what is only of use live, such as tokens.

        Raises:
            UpdateError: If it is no JSON value.
        """
        faults: list[Fault] = []
        frozen = admit_foreign(JSON, value, ABSENT, ("emit(...)",), faults)
        if faults:
            raise UpdateError("/".join(map(str, self.address)), tuple(faults))
        if not self._is_over:
            self._session.emit(self.address, frozen, keep=keep)

    def spend(self, cost: float) -> None:
        """Add to the cost of the run, which `max_cost` stops before its next step; dropped when the attempt is over.

        Args:
            cost: In the unit that `max_cost` is given in; at least 0.

        Raises:
            UpdateError: If it is no number of at least 0.
        """
        if not _is_cost(cost):
            place = "/".join(map(str, self.address))
            raise UpdateError(place, (Fault(("spend(...)",), show_value(cost), "a number of at least 0"),))
        if not self._is_over:
            self._session.top.cost += cost


def _is_cost(cost: object) -> bool:
    return isinstance(cost, (int, float)) and not isinstance(cost, bool) and cost >= 0
