"""Criteria: what is scored, on which scale, in which direction, with what weight and threshold.

Scales are declared and never taken from the items at hand, so an item that comes or goes cannot reverse two others.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from attrs import field, frozen

from transitable_patterns.ranking.errors import CriterionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MILLION: Final = 1_000_000
"""Scores, thresholds and weights are compared as integers of millionths, so that 0.1 * 3 is 0.3."""


class Direction(StrEnum):
    """Which end of a scale is good."""

    HIGHER = "higher"
    LOWER = "lower"


def count_millionths(value: float) -> int:
    """Round a number to millionths, as an integer."""
    return round(value * MILLION)


@frozen
class Criterion:
    """One thing that items are scored on.

    Raises:
        CriterionError: If the range is empty, a number is not finite, the weight is negative, or the threshold is outside.
    """

    name: str
    """Its name, as in the scores."""
    better: Direction = field(default=Direction.HIGHER, converter=Direction)
    """Which end of the range is good."""
    low: float = 0.0
    """Least score."""
    high: float = 1.0
    """Largest score."""
    weight: float = 1.0
    """Weight in the sum, from 0; only proportions count."""
    threshold: float | None = None
    """The worst score that passes: a minimum, or a maximum where lower is better; `None` lets all pass."""

    def __attrs_post_init__(self) -> None:
        for label, value in (("low", self.low), ("high", self.high), ("weight", self.weight)):
            if not math.isfinite(value):
                raise CriterionError(self.name, f"{label} is {value}", "a finite number")
        if count_millionths(self.low) >= count_millionths(self.high):
            raise CriterionError(self.name, f"the range is {self.low} to {self.high}", "low below high")
        if self.weight < 0:
            raise CriterionError(
                self.name, f"the weight is {self.weight}", "0 or more; for a bad thing set better='lower'"
            )
        if self.threshold is not None and not self.low <= self.threshold <= self.high:
            raise CriterionError(self.name, f"the threshold is {self.threshold}", f"{self.low} to {self.high}")

    def place_score(self, score: float) -> int:
        """Place a score on the scale, in millionths: 0 is the bad end, 1,000,000 the good one."""
        span = count_millionths(self.high) - count_millionths(self.low)
        above = count_millionths(score) - count_millionths(self.low)
        return round(MILLION * (above if self.better is Direction.HIGHER else span - above) / span)

    def is_passed(self, score: float) -> bool:
        """Tell whether a score is at the threshold or better."""
        if self.threshold is None:
            return True
        found, limit = count_millionths(score), count_millionths(self.threshold)
        return found >= limit if self.better is Direction.HIGHER else found <= limit

    def find_problem(self, score: object) -> str | None:
        """Say why a score is refused; `None` when it can be used."""
        if isinstance(score, bool) or not isinstance(score, int | float):
            return f"{score!r} is not a number" if score is not None else "is missing"
        if not math.isfinite(score):
            return f"{score} is not finite"
        if not self.low <= score <= self.high:
            return f"{score} is outside {self.low} to {self.high}"
        return None


def check_criteria(criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
    """Check a set of criteria.

    Raises:
        CriterionError: If there is none, a name comes twice, or no weight is above 0.
    """
    checked = tuple(criteria)
    if not checked:
        raise CriterionError("", "there is no criterion", "at least one")
    names = [criterion.name for criterion in checked]
    for name in names:
        if names.count(name) > 1:
            raise CriterionError(name, "the name is used twice", "one criterion a name")
    if not any(count_millionths(criterion.weight) for criterion in checked):
        raise CriterionError(names[0], "no criterion has a weight", "a weight above 0 somewhere")
    return checked


def read_criteria(document: Mapping[str, object]) -> tuple[Criterion, ...]:
    """Read criteria from JSON data: `{name: {"better", "low", "high", "weight", "threshold"}}`, each key optional.

    Raises:
        CriterionError: If a key is unknown, a value has a wrong type, or a criterion cannot be used.
    """
    known = {"better", "low", "high", "weight", "threshold"}
    found: list[Criterion] = []
    for name, options in document.items():
        if not isinstance(options, dict):
            raise CriterionError(
                name, f"{options!r} is not an object", "an object with any of " + ", ".join(sorted(known))
            )
        settings: dict[str, object] = {str(key): value for key, value in options.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON
        for key, value in settings.items():
            if key not in known:
                raise CriterionError(name, f"{key!r} is unknown", "any of " + ", ".join(sorted(known)))
            wanted = str if key == "better" else (int, float)
            if isinstance(value, bool) or not isinstance(value, wanted):
                raise CriterionError(name, f"{key} is {value!r}", "a word" if key == "better" else "a number")
        if settings.get("better", "higher") not in tuple(Direction):
            raise CriterionError(name, f"better is {settings['better']!r}", "'higher' or 'lower'")
        found.append(Criterion(name, **settings))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - checked above
    return check_criteria(found)
