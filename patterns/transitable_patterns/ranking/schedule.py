"""Schedules: who meets whom next. Each is a pure function of entrants, points so far and an own random source."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from transitable_patterns.ranking.errors import ScheduleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from transitable_patterns.ranking.bradley_terry import Strengths


def pair_all(entrants: Sequence[str], random: Random) -> tuple[tuple[str, str], ...]:
    """Round robin: every pair once, in random order; who has the first seat first is random too."""
    pairs = list(combinations(entrants, 2))
    random.shuffle(pairs)
    return tuple([pair if random.random() < 0.5 else (pair[1], pair[0]) for pair in pairs])


def pair_swiss(
    points: Mapping[str, float], met: Iterable[tuple[str, str]], random: Random
) -> tuple[tuple[str, str], ...]:
    """One Swiss round: neighbours by points who have not met; equal points in random order; an odd one sits out.

    Who has met everybody in reach sits out as well, so a round may be shorter, and is empty when nothing is left to play.
    """
    names = sorted(points)
    random.shuffle(names)
    names.sort(key=lambda name: -points[name])
    done = {frozenset(pair) for pair in met}
    pairs: list[tuple[str, str]] = []
    while names:
        name = names.pop(0)
        rival = next((other for other in names if frozenset((name, other)) not in done), None)
        if rival is not None:
            names.remove(rival)
            pairs.append((name, rival))
    return tuple(pairs)


def choose_informative(
    strengths: Strengths, games: Iterable[tuple[str, str]], random: Random
) -> tuple[str, str] | None:
    """Choose the pair whose game is expected to tell most; `None` when there are fewer than two entrants.

    The gain is p (1 - p) times the sum of both variances, divided by one more than the games they had: near equals that are
    little known. Equal gains are settled at random. Quadratic in entrants.
    """
    names = sorted(strengths.values)
    had = Counter(frozenset(pair) for pair in games)
    best: list[tuple[str, str]] = []
    best_gain = -1.0
    for one, other in combinations(names, 2):
        x, y = strengths.values[one], strengths.values[other]
        variance = strengths.errors[one] ** 2 + strengths.errors[other] ** 2
        gain = x * y / (x + y) ** 2 * variance / (1 + had[frozenset((one, other))])
        if gain > best_gain:
            best, best_gain = [(one, other)], gain
        elif gain == best_gain:
            best.append((one, other))
    return random.choice(best) if best else None


def check_budget(option: str, value: int) -> int:
    """Check a number of rounds or games.

    Raises:
        ScheduleError: If it is below 1.
    """
    if value < 1:
        raise ScheduleError(option, repr(value), "1 or more")
    return value
