"""The threshold of a comparison, as an exact fraction, and the counts that follow from it.

All arithmetic is on integers: 3 of 5 tokens is at least 0.6, whatever 0.6 is as a binary float.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from attrs import frozen

from transitable_patterns.similarity.errors import ThresholdError

Ratio: TypeAlias = float | str | Decimal | Fraction
"""A number from 0 to 1. A float is read as the decimal that it prints as: 0.6 is 3/5."""


@frozen
class Threshold:
    """A least Jaccard similarity `part / whole`, in lowest terms."""

    part: int
    """Numerator, from 0."""
    whole: int
    """Denominator, from 1, at least `part`."""

    def count_needed(self, left: int, right: int) -> int:
        """Count the tokens that two sets of these sizes must share to be similar: ceil(part (left + right) / (part + whole)).

        From shared / (left + right - shared) >= part / whole, solved for shared.
        """
        return -(-self.part * (left + right) // (self.part + self.whole))

    def find_least_size(self, size: int) -> int:
        """Give the smallest set that can be similar to one of `size` tokens; never below 1."""
        return max(1, -(-self.part * size // self.whole))

    def admits(self, shared: int, left: int, right: int) -> bool:
        """Tell whether two sets that share `shared` tokens are similar; empty sets are similar to nothing."""
        return bool(left and right) and self.whole * shared >= self.part * (left + right - shared)

    @property
    def fraction(self) -> Fraction:
        """The threshold as a number."""
        return Fraction(self.part, self.whole)


def read_threshold(at_least: Ratio) -> Threshold:
    """Read a threshold exactly.

    Raises:
        ThresholdError: If it is not a finite number from 0 to 1, or a `bool`.

    Examples:
        >>> read_threshold(0.6)
        Threshold(part=3, whole=5)
    """
    if isinstance(at_least, bool):
        raise ThresholdError(repr(at_least))
    try:
        value = at_least if isinstance(at_least, Fraction) else Fraction(str(at_least))
    except (ValueError, ZeroDivisionError):
        raise ThresholdError(repr(at_least)) from None
    if not 0 <= value <= 1:
        raise ThresholdError(repr(at_least))
    return Threshold(value.numerator, value.denominator)
