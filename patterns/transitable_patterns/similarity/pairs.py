"""The self-join: all similar pairs of a list of texts, exact, with an explanation for each."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from attrs import field, frozen

from transitable_patterns.similarity.collector import pause_collector
from transitable_patterns.similarity.errors import KeyConflictError
from transitable_patterns.similarity.overlap import compare_sets
from transitable_patterns.similarity.search import find_similar
from transitable_patterns.similarity.threshold import read_threshold
from transitable_patterns.similarity.tokens import TokenSet, split_text, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from transitable_patterns.similarity.overlap import Overlap
    from transitable_patterns.similarity.threshold import Ratio, Threshold
    from transitable_patterns.similarity.tokens import Tokens


@frozen
class SimilarPairs:
    """All similar pairs of a list of texts. Iterating gives the pairs; `len` counts them."""

    pairs: tuple[tuple[int, int], ...] = field(repr=False)
    """Positions `(left, right)` with left < right, ascending."""
    at_least: Fraction
    """The threshold."""
    tokens: str
    """Name of the tokeniser."""
    sets: tuple[TokenSet, ...] = field(repr=False)
    """The tokens of each text, by position."""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def explain(self, left: int, right: int) -> Overlap:
        """Explain how similar two of the texts are, whether they are a pair or not.

        Raises:
            KeyConflictError: If a position is outside the texts.
        """
        for position in (left, right):
            if not 0 <= position < len(self.sets):
                raise KeyConflictError(repr(position), "not in the list", f"expected 0 to {len(self.sets) - 1}")
        return compare_sets(self.sets[left], self.sets[right], self.tokens)


def similar_pairs(
    texts: Iterable[str | AbstractSet[str]], at_least: Ratio = 0.6, *, tokens: Tokens = words
) -> SimilarPairs:
    """Find all pairs of similar texts; exactly those that comparing each with each would find.

    A set among the texts is taken as already split. At 0 all texts that hold a token are similar to each other. The cyclic
    garbage collector is paused meanwhile.

    Raises:
        ThresholdError: If `at_least` is not a number from 0 to 1.
        TextError: If a text is neither a string nor a set; its position is named.

    Examples:
        >>> list(similar_pairs(["reset my card pin", "hello", "reset my card pin please"]))
        [(0, 2)]
    """
    threshold = read_threshold(at_least)
    with pause_collector():
        sets = split_all(texts, tokens)
        return SimilarPairs(join_sets(sets, threshold), threshold.fraction, tokens.name, sets)


def split_all(texts: Iterable[str | AbstractSet[str]], tokens: Tokens) -> tuple[TokenSet, ...]:
    """Split all texts.

    Raises:
        TextError: If one is neither a string nor a set; its position is named.
    """
    split = tokens.split
    return tuple(
        [
            split(text) if type(text) is str else split_text(text, tokens, f"text {position}")
            for position, text in enumerate(texts)
        ]
    )


def join_sets(sets: Sequence[TokenSet], threshold: Threshold) -> tuple[tuple[int, int], ...]:
    """Find all similar pairs of sets as positions (left, right), left < right, ascending."""
    groups: dict[TokenSet, list[int]] = {}
    for position, tokens in enumerate(sets):
        if tokens:
            groups.setdefault(tokens, []).append(position)
    if threshold.part == 0:
        return tuple(combinations(sorted(position for group in groups.values() for position in group), 2))
    # A pair is kept as one integer, left * count + right, so that sorting is sorting of integers.
    count = len(sets)
    codes: list[int] = []
    for group in groups.values():
        if len(group) > 1:
            codes += [left * count + right for left, right in combinations(group, 2)]
    if threshold.part < threshold.whole:  # at 1 only equal sets are similar
        codes += _join_groups(groups, threshold, count)
    codes.sort()
    return tuple([divmod(code, count) for code in codes])


def _join_groups(groups: dict[TokenSet, list[int]], threshold: Threshold, count: int) -> list[int]:
    """Find the pairs of similar, different sets, as integers: each member of one group with each of the other."""
    distinct = sorted(groups, key=len)
    members = [groups[tokens] for tokens in distinct]
    codes: list[int] = []
    for later, earlier in find_similar(distinct, threshold):
        for a in members[later]:
            codes += [a * count + b if a < b else b * count + a for b in members[earlier]]
    return codes
