"""Elo ratings: live updates, a judgement at a time.

Elo, "The Rating of Chessplayers, Past and Present" (1978). Ratings move in steps of 2**-20, so that what one gains is exactly
what the other loses and the sum never drifts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from transitable_patterns.ranking.errors import EntrantError, ScheduleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

START: Final = 1500.0
"""Rating of a new entrant."""
FACTOR: Final = 32.0
"""Most points that one game moves (K)."""
SCALE: Final = 400.0
"""Difference at which the better one is expected to win ten of eleven."""
_STEP: Final = 2.0**20


class EloRatings:
    """Ratings by name. An item that changed is a new entrant, at the start rating.

    Examples:
        >>> ratings = EloRatings(["a", "b"])
        >>> ratings.record("a", "b", 1.0)
        >>> ratings.values
        {'a': 1516.0, 'b': 1484.0}
    """

    def __init__(self, entrants: Iterable[str] = (), *, factor: float = FACTOR) -> None:
        """Enter the first entrants.

        Raises:
            EntrantError: If one is listed twice.
            ScheduleError: If the factor is not above 0 and at most 400.
        """
        if not 0 < factor <= SCALE:
            raise ScheduleError("factor", repr(factor), "a number above 0 and at most 400")
        self._factor = factor
        self._ratings: dict[str, float] = {}
        self._voids = 0
        for name in entrants:
            self.enter(name)

    @property
    def values(self) -> Mapping[str, float]:
        """The ratings, in order of entrance; a copy."""
        return dict(self._ratings)

    @property
    def voids(self) -> int:
        """Judgements that were void."""
        return self._voids

    @property
    def order(self) -> tuple[str, ...]:
        """The entrants, best first; equal ones by name."""
        return tuple(sorted(self._ratings, key=lambda name: (-self._ratings[name], name)))

    def enter(self, name: str) -> None:
        """Enter somebody new at the start rating.

        Raises:
            EntrantError: If the name is taken.
        """
        if name in self._ratings:
            raise EntrantError(
                name, "entered already", "an item that changed is a new entrant: give it a name of its own"
            )
        self._ratings[name] = START

    def record(self, left: str, right: str, points: float | None) -> None:
        """Record a game by the points of the left one (1, 0.5, 0); `None` is a void judgement: counted, nothing moves.

        Raises:
            EntrantError: If a name is unknown, or both are the same.
            ScheduleError: If points are not from 0 to 1.
        """
        for name in (left, right):
            if name not in self._ratings:
                raise EntrantError(name, "not an entrant", "enter it before it is judged")
        if left == right:
            raise EntrantError(left, "its own opponent", "a game needs two entrants")
        if points is None:
            self._voids += 1
            return
        if not 0 <= points <= 1:
            raise ScheduleError("points", repr(points), "0 to 1, or None for a void judgement")
        gap = max(-4000.0, min(4000.0, self._ratings[right] - self._ratings[left]))
        expected = 1 / (1 + 10 ** (gap / SCALE))
        moved = round(self._factor * (points - expected) * _STEP) / _STEP
        self._ratings[left] += moved
        self._ratings[right] -= moved
