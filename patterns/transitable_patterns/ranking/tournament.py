"""A tournament: pairs are judged in both seats, and the judgements become one ranking, or none."""

from __future__ import annotations

from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING

from attrs import field, frozen

from transitable_patterns.ranking.bradley_terry import PRIOR, fit_strengths
from transitable_patterns.ranking.elo import EloRatings
from transitable_patterns.ranking.errors import EntrantError
from transitable_patterns.ranking.judgement import Game, judge_pair
from transitable_patterns.ranking.schedule import check_budget, choose_informative, pair_all, pair_swiss

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transitable_patterns.ranking.bradley_terry import Strengths
    from transitable_patterns.ranking.judgement import Judge


class Schedule(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round_robin"
    """Every pair."""
    SWISS = "swiss"
    """Rounds of neighbours by points."""
    ACTIVE = "active"
    """The most informative pair next."""


@frozen
class Standing:
    """One rank of a tournament."""

    name: str
    """The entrant."""
    rank: int
    """1 for the best."""
    strength: float
    """Bradley-Terry strength; the average entrant has about 1."""
    confidence: float | None
    """Probability that it is truly better than the next rank; `None` for the last."""
    games: int
    """Games that counted."""


@frozen
class Result:
    """What a tournament came to."""

    standings: tuple[Standing, ...] | None
    """Best first; `None` is "no ranking": no judgement was usable."""
    games: tuple[Game, ...] = field(repr=False)
    """All games, in the order in which they were judged."""
    elo: dict[str, float] = field(repr=False)
    """Elo ratings after the last game; what a live display would show."""

    @property
    def voids(self) -> int:
        """Games that were void."""
        return sum(game.points is None for game in self.games)

    @property
    def splits(self) -> int:
        """Games in which the same seat won twice; they count as draws."""
        return sum(game.is_split for game in self.games)


def tournament(
    entrants: Sequence[str],
    judge: Judge,
    *,
    schedule: Schedule = Schedule.ROUND_ROBIN,
    rounds: int = 5,
    games: int = 100,
    seed: int = 0,
    prior: float = PRIOR,
) -> Result:
    """Rank entrants by pairwise judgements. The same seed and the same verdicts give the same result.

    Each game asks the judge twice, once in each seat; a split counts as a draw; a game with a void verdict is kept, counted, and
    changes nothing.

    Args:
        entrants: Names, each once; an item that changed is a new entrant.
        judge: Called with the names in the first and in the second seat.
        schedule: Who meets whom.
        rounds: Rounds of a Swiss schedule.
        games: Games of an active schedule.
        seed: Of the own random source.
        prior: See `fit_strengths`.

    Raises:
        EntrantError: If an entrant is listed twice.
        ScheduleError: If rounds or games are below 1, or the prior is not above 0.
    """
    if len(set(entrants)) < len(entrants):
        repeated = next(name for name in entrants if entrants.count(name) > 1)
        raise EntrantError(repeated, "listed twice", "an item that changed is a new entrant: give it a name of its own")
    names = sorted(entrants)
    random = Random(seed)  # noqa: S311 - for pairing, not for secrets
    if schedule is Schedule.ROUND_ROBIN:
        played = [judge_pair(judge, left, right) for left, right in pair_all(names, random)]
    elif schedule is Schedule.SWISS:
        played = _play_swiss(names, judge, check_budget("rounds", rounds), random)
    else:
        played = _play_active(names, judge, check_budget("games", games), random, prior)
    elo = EloRatings(names)
    for game in played:
        elo.record(game.left, game.right, game.points)
    return Result(_rank(names, played, prior), tuple(played), dict(elo.values))


def _play_swiss(names: list[str], judge: Judge, rounds: int, random: Random) -> list[Game]:
    points = dict.fromkeys(names, 0.0)
    played: list[Game] = []
    for _ in range(rounds):
        for left, right in pair_swiss(points, [(game.left, game.right) for game in played], random):
            game = judge_pair(judge, left, right)
            played.append(game)
            if game.points is not None:
                points[left] += game.points
                points[right] += 1 - game.points
    return played


def _play_active(names: list[str], judge: Judge, games: int, random: Random, prior: float) -> list[Game]:
    played: list[Game] = []
    for _ in range(games):
        strengths = _fit(names, played, prior)
        pair = choose_informative(strengths, [(game.left, game.right) for game in played], random)
        if pair is None:
            break
        played.append(judge_pair(judge, *pair))
    return played


def _fit(names: Sequence[str], played: Iterable[Game], prior: float) -> Strengths:
    results = [(game.left, game.right, game.points) for game in played if game.points is not None]
    return fit_strengths(names, results, prior=prior)


def _rank(names: list[str], played: list[Game], prior: float) -> tuple[Standing, ...] | None:
    counted = [game for game in played if game.points is not None]
    if not counted:
        return None
    strengths = _fit(names, counted, prior)
    order = strengths.order
    standings: list[Standing] = []
    for place, name in enumerate(order):
        after = order[place + 1] if place + 1 < len(order) else None
        confidence = None if after is None else strengths.measure_confidence(name, after)
        count = sum(name in (game.left, game.right) for game in counted)
        standings.append(Standing(name, place + 1, strengths.values[name], confidence, count))
    return tuple(standings)
