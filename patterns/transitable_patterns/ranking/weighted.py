"""Ranking by a weighted sum on declared scales, every rank with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from transitable_patterns.ranking.criteria import check_criteria, count_millionths
from transitable_patterns.ranking.errors import CriterionError, ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transitable_patterns.ranking.criteria import Criterion


@frozen
class Contribution:
    """What one criterion gives to an item's total."""

    criterion: str
    """Name of the criterion."""
    score: float
    """The score as it came."""
    place: float
    """Where it is on the scale: 0 the bad end, 1 the good one."""
    share: float
    """Weight of the criterion as a share of all weights."""
    points: float
    """place * share; the points of an item add up to its total."""


@frozen
class Ranked:
    """An item at its rank, and why it is there."""

    item: str
    """Name of the item."""
    rank: int
    """1 for the best; no two items have the same."""
    total: float
    """Weighted mean of the places, 0 to 1."""
    contributions: tuple[Contribution, ...]
    """By criterion, in the order in which they were declared."""
    failed: tuple[str, ...]
    """Criteria whose threshold the item misses. Items that miss none come before items that miss any."""
    tie_break: str | None
    """What put it below the item before it when the totals were equal: a criterion, or `name`; `None` if nothing had to."""
    _key: tuple[int, ...] = field(repr=False, default=(), eq=False)

    def __str__(self) -> str:
        parts = ", ".join(f"{part.criterion} {part.points:.3f}" for part in self.contributions)
        below = f"; below threshold: {', '.join(self.failed)}" if self.failed else ""
        tie = f"; tie broken by {self.tie_break}" if self.tie_break else ""
        return f"{self.rank}. {self.item} {self.total:.3f} = {parts}{below}{tie}"


def rank_items(
    scores: Mapping[str, Mapping[str, float]], criteria: Iterable[Criterion], *, tie_break: Iterable[str] = ()
) -> tuple[Ranked, ...]:
    """Rank items, best first.

    An item's place depends on its own scores and on the criteria alone, so adding or removing an item never reverses two others.
    Equal totals go by the criteria of `tie_break` in order, then by the item's name. Totals are compared exactly, as integers.

    Args:
        scores: For each item, its score for each criterion; other keys are not looked at.
        criteria: What is scored.
        tie_break: Names of criteria.

    Raises:
        ScoreError: If a score is missing, not a number, not finite, or out of range; all such scores are listed.
        CriterionError: If the criteria cannot be used, or `tie_break` names one that does not exist.

    Examples:
        >>> from transitable_patterns.ranking import Criterion
        >>> criteria = [Criterion("novelty", weight=2), Criterion("risk", better="lower")]
        >>> for ranked in rank_items({"a": {"novelty": 0.5, "risk": 0.2}, "b": {"novelty": 0.9, "risk": 0.4}}, criteria):
        ...     print(ranked)
        1. b 0.800 = novelty 0.600, risk 0.200
        2. a 0.600 = novelty 0.333, risk 0.267
    """
    checked = check_criteria(criteria)
    breakers = _find_breakers(checked, tie_break)
    _check_scores(scores, checked)
    total_weight = sum(count_millionths(criterion.weight) for criterion in checked)
    rated = sorted([_rate(item, scores[item], checked, breakers, total_weight) for item in scores], key=_order)
    ranked: list[Ranked] = []
    for place, item in enumerate(rated):
        before = rated[place - 1] if place else None
        ranked.append(
            Ranked(
                item.item,
                place + 1,
                item.total,
                item.contributions,
                item.failed,
                _find_tie_break(before, item, breakers),
            )
        )
    return tuple(ranked)


def _order(item: Ranked) -> tuple[tuple[int, ...], str]:
    return item._key, item.item  # pyright: ignore[reportPrivateUsage] - same module


def _rate(
    item: str,
    scores: Mapping[str, float],
    criteria: tuple[Criterion, ...],
    breakers: tuple[Criterion, ...],
    weights: int,
) -> Ranked:
    """Rate one item; its sort key is (misses a threshold, -total, -places of the tie breakers)."""
    parts: list[Contribution] = []
    total = 0
    for criterion in criteria:
        place, weight = criterion.place_score(scores[criterion.name]), count_millionths(criterion.weight)
        total += place * weight
        share = weight / weights
        parts.append(Contribution(criterion.name, scores[criterion.name], place / 1e6, share, place / 1e6 * share))
    failed = tuple(criterion.name for criterion in criteria if not criterion.is_passed(scores[criterion.name]))
    key = (int(bool(failed)), -total, *(-breaker.place_score(scores[breaker.name]) for breaker in breakers))
    return Ranked(item, 0, total / weights / 1e6, tuple(parts), failed, None, key)


def _find_tie_break(before: Ranked | None, item: Ranked, breakers: tuple[Criterion, ...]) -> str | None:
    if before is None:
        return None
    one, other = before._key, item._key  # pyright: ignore[reportPrivateUsage] - same module
    if one[:2] != other[:2]:
        return None
    return next((breaker.name for breaker, a, b in zip(breakers, one[2:], other[2:], strict=True) if a != b), "name")


def _find_breakers(criteria: tuple[Criterion, ...], names: Iterable[str]) -> tuple[Criterion, ...]:
    known = {criterion.name: criterion for criterion in criteria}
    found: list[Criterion] = []
    for name in names:
        if name not in known:
            raise CriterionError(name, "is a tie break and not a criterion", "one of " + ", ".join(known))
        found.append(known[name])
    return tuple(found)


def _check_scores(scores: Mapping[str, Mapping[str, float]], criteria: tuple[Criterion, ...]) -> None:
    problems = [
        f"item {item!r}, criterion {criterion.name!r}: {problem}"
        for item, given in scores.items()
        for criterion in criteria
        if (problem := criterion.find_problem(given.get(criterion.name))) is not None
    ]
    if problems:
        raise ScoreError(tuple(problems))
