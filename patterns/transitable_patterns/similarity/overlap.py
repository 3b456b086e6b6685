"""The comparison of two texts, and its explanation: shared tokens, both sizes, value."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from transitable_patterns.similarity.threshold import read_threshold
from transitable_patterns.similarity.tokens import split_text, words

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from transitable_patterns.similarity.threshold import Ratio
    from transitable_patterns.similarity.tokens import Tokens, TokenSet


@frozen
class Overlap:
    """Why two texts are as similar as they are. Tokens are sorted."""

    shared: tuple[str, ...]
    """Tokens of both."""
    only_left: tuple[str, ...]
    """Tokens of the left text alone."""
    only_right: tuple[str, ...]
    """Tokens of the right text alone."""
    tokens: str
    """Name of the tokeniser."""

    @property
    def left_size(self) -> int:
        """Number of tokens of the left text."""
        return len(self.shared) + len(self.only_left)

    @property
    def right_size(self) -> int:
        """Number of tokens of the right text."""
        return len(self.shared) + len(self.only_right)

    @property
    def value(self) -> Fraction:
        """The Jaccard similarity; 0 when either set is empty."""
        union = len(self.shared) + len(self.only_left) + len(self.only_right)
        return Fraction(len(self.shared), union) if self.shared else Fraction(0)

    def __str__(self) -> str:
        union = self.left_size + self.right_size - len(self.shared)
        return f"{len(self.shared)} of {union} tokens ({self.tokens}): {' '.join(self.shared)}"


def compare_sets(left: TokenSet, right: TokenSet, tokens: str) -> Overlap:
    """Explain the similarity of two token sets."""
    return Overlap(
        shared=tuple(sorted(left & right)),
        only_left=tuple(sorted(left - right)),
        only_right=tuple(sorted(right - left)),
        tokens=tokens,
    )


def explain(a: str | AbstractSet[str], b: str | AbstractSet[str], *, tokens: Tokens = words) -> Overlap:
    """Explain the similarity of two texts (a set is taken as already split).

    Raises:
        TextError: If one is neither a string nor a set.

    Examples:
        >>> print(explain("connection pool exhausted", "connection pools exhausted"))
        2 of 4 tokens (words): connection exhausted
    """
    return compare_sets(split_text(a, tokens, "a"), split_text(b, tokens, "b"), tokens.name)


def jaccard(a: str | AbstractSet[str], b: str | AbstractSet[str], *, tokens: Tokens = words) -> Fraction:
    """Measure the Jaccard similarity of two texts, exactly; 0 when either has no token.

    Raises:
        TextError: If one is neither a string nor a set.

    Examples:
        >>> jaccard("w1 w2 w3", "w1 w2 w3 w4 w5")
        Fraction(3, 5)
    """
    left, right = split_text(a, tokens, "a"), split_text(b, tokens, "b")
    shared = len(left & right)
    return Fraction(shared, len(left) + len(right) - shared) if shared else Fraction(0)


def similar(
    a: str | AbstractSet[str], b: str | AbstractSet[str], at_least: Ratio = 0.6, *, tokens: Tokens = words
) -> bool:
    """Tell whether two texts are similar: exact at the boundary; empty sets are similar to nothing.

    Raises:
        ThresholdError: If `at_least` is not a number from 0 to 1.
        TextError: If a text is neither a string nor a set.

    Examples:
        >>> similar("w1 w2 w3", "w1 w2 w3 w4 w5", 0.6)
        True
    """
    left, right = split_text(a, tokens, "a"), split_text(b, tokens, "b")
    return read_threshold(at_least).admits(len(left & right), len(left), len(right))
