"""The one way in which scores are compared.

Scores are finite numbers from 0 to 1. They are compared as whole millionths, because binary fractions are wrong at the
very boundaries that a policy names: `0.1 * 3 <= 0.3` and `0.7 + 0.1 >= 0.8` are both False in floating point.
"""

from __future__ import annotations

import math
from typing import Final

from .errors import ScoreError

SCALE: Final = 1_000_000
"""Steps between 0 and 1."""


def fix_score(score: object) -> int:
    """Turn a score into whole millionths.

    Raises:
        ScoreError: If it is not an int or float, is a bool, NaN, infinite, below 0 or above 1.
    """
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score) or not 0 <= score <= 1:
        raise ScoreError(f"{type(score).__name__} {score!r:.60}")
    return round(score * SCALE)


def compare_scores(left: object, right: object) -> int:
    """Compare two scores.

    Returns:
        -1 if `left` is below `right`, 0 if they are the same to the millionth, 1 if it is above.

    Raises:
        ScoreError: If one of them is not a score.

    >>> compare_scores(0.1 * 3, 0.3), compare_scores(0.7 + 0.1, 0.8), compare_scores(0.5999, 0.6)
    (0, 0, -1)
    """
    a, b = fix_score(left), fix_score(right)
    return (a > b) - (a < b)
