"""Bradley-Terry strengths from pairwise results: the batch result of a tournament.

Bradley and Terry, "Rank Analysis of Incomplete Block Designs" (Biometrika 1952); the iteration is that of Newman, "Efficient
Computation of Rankings from Pairwise Comparisons" (JMLR 2023), which needs far fewer rounds than Zermelo's.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from attrs import field, frozen

from transitable_patterns.ranking.errors import EntrantError, ScheduleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PRIOR: Final = 0.1
"""Weight of one imagined win and one loss against an average entrant: keeps strengths finite, hardly moves the order."""
TOLERANCE: Final = 1e-6
"""The iteration ends when no strength changes by more than this share."""
MOST_ROUNDS: Final = 1000
"""It ends here at the latest; `Strengths.converged` then says so."""
CENTRING_STEPS: Final = 3
"""Newton steps that find the common factor of all strengths in a round; the next round goes on from there."""


@frozen
class Strengths:
    """The fitted strengths."""

    values: dict[str, float]
    """Strength of each entrant; x beats y with probability x / (x + y). The average entrant has about 1."""
    errors: dict[str, float] = field(repr=False)
    """Standard error of the logarithm of each strength, from the diagonal of the information matrix."""
    rounds: int
    """Rounds of the iteration."""
    converged: bool
    """Whether it ended by itself."""

    @property
    def order(self) -> tuple[str, ...]:
        """The entrants, strongest first; equal ones by name."""
        return tuple(sorted(self.values, key=lambda name: (-self.values[name], name)))

    def measure_confidence(self, better: str, worse: str) -> float:
        """Give the probability that the first is truly the stronger of two, by a normal approximation; 0.5 is a coin."""
        gap = math.log(self.values[better]) - math.log(self.values[worse])
        spread = math.hypot(self.errors[better], self.errors[worse])
        return 0.5 * (1 + math.erf(gap / spread / math.sqrt(2)))


def fit_strengths(
    entrants: Sequence[str],
    results: Iterable[tuple[str, str, float]],
    *,
    prior: float = PRIOR,
    tolerance: float = TOLERANCE,
) -> Strengths:
    """Fit the strengths of all entrants. Linear in different pairs, a round.

    Args:
        entrants: Names, each once.
        results: Games as (left, right, points of left): 1, 0, or 0.5 for a draw.
        prior: Weight of the imagined games, above 0; small ones need strongly connected results to converge soon.
        tolerance: Largest relative change that ends the iteration.

    Raises:
        EntrantError: If a game names somebody else, or one entrant twice, or an entrant is listed twice.
        ScheduleError: If points, prior or tolerance are out of range.
    """
    if not prior > 0:
        raise ScheduleError("prior", repr(prior), "a number above 0")
    if not tolerance > 0:
        raise ScheduleError("tolerance", repr(tolerance), "a number above 0")
    numbers = _number_entrants(entrants)
    games = _sum_wins(numbers, results)
    strengths = [1.0] * len(entrants)
    rounds, change = 0, math.inf
    while rounds < MOST_ROUNDS and change > tolerance:
        change = _improve(strengths, games, prior)
        _centre(strengths)
        rounds += 1
    errors = _estimate_errors(strengths, games, prior)
    return Strengths(
        dict(zip(entrants, strengths, strict=True)),
        dict(zip(entrants, errors, strict=True)),
        rounds,
        change <= tolerance,
    )


def _number_entrants(entrants: Sequence[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, name in enumerate(entrants):
        if name in numbers:
            raise EntrantError(name, "listed twice", "an item that changed is a new entrant: give it a name of its own")
        numbers[name] = number
    return numbers


def _sum_wins(
    numbers: dict[str, int], results: Iterable[tuple[str, str, float]]
) -> list[list[tuple[int, float, float]]]:
    """Sum up results: for each entrant (opponent, points won, points lost)."""
    won: list[defaultdict[int, float]] = [defaultdict(float) for _ in numbers]
    for left, right, points in results:
        for name in (left, right):
            if name not in numbers:
                raise EntrantError(name, "not an entrant", "enter it before it is judged")
        if left == right:
            raise EntrantError(left, "its own opponent", "a game needs two entrants")
        if not 0 <= points <= 1:
            raise ScheduleError(f"points of {left!r} against {right!r}", repr(points), "0 to 1")
        one, other = numbers[left], numbers[right]
        won[one][other] += points
        won[other][one] += 1 - points
    return [
        [(rival, mine, won[rival][number]) for rival, mine in sorted(row.items())] for number, row in enumerate(won)
    ]


def _improve(strengths: list[float], games: list[list[tuple[int, float, float]]], prior: float) -> float:
    """Do one round in place; the answer is the largest relative change."""
    change = 0.0
    for number, rivals in enumerate(games):
        own = strengths[number]
        above = below = prior / (own + 1)
        for rival, won, lost in rivals:
            other = strengths[rival]
            both = own + other
            above += won * other / both
            below += lost / both
        fresh = above / below
        change = max(change, abs(fresh - own) / own)
        strengths[number] = fresh
    return change


def _centre(strengths: list[float]) -> None:
    """Scale all strengths in place to the common factor that the imagined games ask for.

    Results fix ratios only; without this step the common factor would creep to its place over hundreds of rounds. It is
    where the sum of (1 - x) / (1 + x) is 0, which Newton's steps on the logarithm find.
    """
    factor = 1.0
    for _ in range(CENTRING_STEPS if strengths else 0):
        pull = [2 / (1 + factor * strength) - 1 for strength in strengths]
        slope = sum(1 - value * value for value in pull) / 2
        factor *= math.exp(max(-2.0, min(2.0, sum(pull) / slope)))
    strengths[:] = [strength * factor for strength in strengths]


def _estimate_errors(strengths: list[float], games: list[list[tuple[int, float, float]]], prior: float) -> list[float]:
    """Estimate standard errors of log strengths: 1 / sqrt(sum of n p (1 - p)), imagined games included."""
    errors: list[float] = []
    for own, rivals in zip(strengths, games, strict=True):
        information = 2 * prior * own / (own + 1) ** 2
        for rival, won, lost in rivals:
            other = strengths[rival]
            information += (won + lost) * own * other / (own + other) ** 2
        errors.append(1 / math.sqrt(information))
    return errors
