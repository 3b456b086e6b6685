"""Disagreement between raters: kept beside every aggregate, so that a mean never hides a dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from transitable_patterns.ranking.criteria import check_criteria
from transitable_patterns.ranking.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transitable_patterns.ranking.criteria import Criterion


@frozen
class Spread:
    """How raters scored one item on one criterion."""

    criterion: str
    """Name of the criterion."""
    mean: float
    """Mean of the scores."""
    lowest: float
    """Least score."""
    highest: float
    """Largest score."""
    scores: dict[str, float]
    """The score of each rater, in order of name."""

    @property
    def width(self) -> float:
        """Highest - lowest, rounded to millionths; 0 with one rater."""
        return round(self.highest - self.lowest, 6)


def disagreement(ratings: Mapping[str, Mapping[str, float]], criteria: Iterable[Criterion]) -> tuple[Spread, ...]:
    """Measure how far raters are apart on one item, by criterion, in the order in which criteria were declared.

    Args:
        ratings: For each rater, the score for each criterion. A rater may leave criteria out; a criterion that nobody rated
            is left out of the answer.
        criteria: What is scored.

    Raises:
        ScoreError: If a score is not a number, not finite, or out of range; all such scores are listed.
        CriterionError: If the criteria cannot be used.

    Examples:
        >>> from transitable_patterns.ranking import Criterion
        >>> spread, = disagreement({"r1": {"risk": 0.2}, "r2": {"risk": 0.7}}, [Criterion("risk", better="lower")])
        >>> spread.lowest, spread.highest, spread.width
        (0.2, 0.7, 0.5)
    """
    checked = check_criteria(criteria)
    problems = [
        f"rater {rater!r}, criterion {criterion.name!r}: {problem}"
        for rater, scores in sorted(ratings.items())
        for criterion in checked
        if criterion.name in scores and (problem := criterion.find_problem(scores[criterion.name])) is not None
    ]
    if problems:
        raise ScoreError(tuple(problems))
    spreads: list[Spread] = []
    for criterion in checked:
        scores = {rater: given[criterion.name] for rater, given in sorted(ratings.items()) if criterion.name in given}
        if scores:
            mean = sum(scores.values()) / len(scores)
            spreads.append(Spread(criterion.name, mean, min(scores.values()), max(scores.values()), scores))
    return tuple(spreads)
