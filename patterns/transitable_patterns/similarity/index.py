"""An index that is added to, asked and taken from one text at a time.

It files texts as the join does (see `search`), under their rarest tokens and under pairs of frequent ones, but so that smaller
and larger texts are met. Which token is rare is settled anew when the index has grown fourfold; a token that came since
counts as rarest of all. That only costs time: answers are exact whatever the order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from attrs import field, frozen

from transitable_patterns.similarity.collector import pause_collector
from transitable_patterns.similarity.errors import KeyConflictError
from transitable_patterns.similarity.overlap import compare_sets
from transitable_patterns.similarity.search import number_tokens
from transitable_patterns.similarity.threshold import read_threshold
from transitable_patterns.similarity.tokens import TokenSet, split_text, words

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from collections.abc import Set as AbstractSet

    from transitable_patterns.similarity.overlap import Overlap
    from transitable_patterns.similarity.threshold import Ratio
    from transitable_patterns.similarity.tokens import Tokens

Key = TypeVar("Key", bound="Hashable")

FIRST_SETTLED: Final = 512
"""Texts at which the order of the tokens is settled for the first time."""
GROWTH: Final = 4
"""It is settled anew when the index has grown by this factor: filing everything again then costs a third of an addition."""
FREQUENT_PER_TOKEN: Final = 32
"""As in `search`."""


@frozen
class Match(Generic[Key]):
    """A text of an index that is similar to what was asked."""

    key: Key
    """Its key."""
    shared: int
    """Number of shared tokens."""
    asked: TokenSet = field(repr=False)
    """The tokens that were asked."""
    found: TokenSet = field(repr=False)
    """The tokens of the text that was found."""
    tokens: str
    """Name of the tokeniser."""

    @property
    def value(self) -> Fraction:
        """The Jaccard similarity."""
        return Fraction(self.shared, len(self.asked) + len(self.found) - self.shared) if self.shared else Fraction(0)

    @property
    def overlap(self) -> Overlap:
        """Why they are similar; what was asked is on the left."""
        return compare_sets(self.asked, self.found, self.tokens)


@frozen
class _Span:
    """What the threshold means for a set of one size."""

    prefix: int
    """Rarest tokens of which it shares one with any similar set."""
    apart: tuple[int, ...]
    """By size of another set: most tokens that the two can have alone, both together; -1 where no such set is similar."""
    shared: int
    """Fewest tokens that it shares with any similar set."""


class SimilarityIndex(Generic[Key]):
    """Texts by key, asked for those that are similar. Exact. Not safe to change from two threads at once.

    Examples:
        >>> index = SimilarityIndex[str](at_least=0.6)
        >>> index.add("T-1", "reset my card pin")
        >>> [(match.key, str(match.value)) for match in index.query("reset my card pin please")]
        [('T-1', '4/5')]
    """

    def __init__(self, at_least: Ratio = 0.6, *, tokens: Tokens = words) -> None:
        """Make an empty index.

        Raises:
            ThresholdError: If `at_least` is not a number from 0 to 1.
        """
        self.tokens = tokens
        self._threshold = read_threshold(at_least)
        self._spans: dict[int, _Span] = {}
        self._largest = 0
        self._places: dict[Key, int] = {}  # where a key's text is in the four lists; later added ones further back
        self._keys: list[Key | None] = []
        self._sets: list[TokenSet] = []  # a removed text leaves an empty set
        self._sizes: list[int] = []
        self._bitmaps: list[int] = []
        self._settle_at = FIRST_SETTLED
        self._settle()

    @property
    def at_least(self) -> Fraction:
        """The threshold."""
        return self._threshold.fraction

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: Key) -> bool:
        return key in self._places

    def add(self, key: Key, text: str | AbstractSet[str]) -> None:
        """Add a text; one without tokens is kept and never found.

        Raises:
            KeyConflictError: If the key is in the index; remove it first.
            TextError: If the text is neither a string nor a set.
        """
        if key in self._places:
            raise KeyConflictError(repr(key), "already in the index", "remove it before it is added again")
        tokens = split_text(text, self.tokens)
        if len(self._sets) >= self._settle_at:
            self._settle()
        self._place(key, tokens)

    def remove(self, key: Key) -> None:
        """Remove a text.

        Raises:
            KeyConflictError: If the key is not in the index.
        """
        place = self._places.pop(key, None)
        if place is None:
            raise KeyConflictError(repr(key), "not in the index", "add it first")
        tokens = self._sets[place]
        self._keys[place] = None
        self._sets[place] = frozenset()
        if tokens and self._threshold.part:
            singles, doubles = self._choose_places([self._rank[token] for token in tokens])
            for token in singles:
                self._singles[token].remove(place)
            for pair in doubles:
                self._doubles[pair].remove(place)

    def query(self, text: str | AbstractSet[str]) -> tuple[Match[Key], ...]:
        """Find all texts that are similar to this one: most similar first, then the earlier added.

        Raises:
            TextError: If the text is neither a string nor a set.
        """
        asked = split_text(text, self.tokens)
        if not asked:
            return ()
        size, sets, admits = len(asked), self._sets, self._threshold.admits
        found: list[tuple[float, int, int]] = []
        for place in set(self._list_candidates(asked)):
            other = len(sets[place])
            shared = len(asked & sets[place])
            if admits(shared, size, other):
                # Distinct fractions of sets below 2**26 tokens are distinct floats, in the same order.
                found.append((-shared / (size + other - shared), place, shared))
        found.sort()
        return tuple([self._match(place, shared, asked) for _, place, shared in found])

    def _match(self, place: int, shared: int, asked: TokenSet) -> Match[Key]:
        key = cast("Key", self._keys[place])  # None only where the set is empty, and those are not found
        return Match(key, shared, asked, self._sets[place], self.tokens.name)

    def _list_candidates(self, asked: TokenSet) -> Iterable[int]:
        """List the places of all texts that may be similar; one may be listed several times."""
        if not self._threshold.part:
            return range(len(self._sets))
        size = len(asked)
        row = [number for number in map(self._rank.get, asked) if number is not None]
        unknown = size - len(row)  # tokens of no text: rarest of all, and surely not shared
        span = self._spans.get(size) or self._measure_span(size)
        prefix = span.prefix - unknown
        if prefix <= 0:
            return ()
        row.sort()
        start = bisect_left(row, self._frequent)
        met = [*chain.from_iterable(filter(None, map(self._singles.get, row[:prefix])))]
        if start < prefix:
            pairs = combinations(row[start : prefix + 1], 2)
            met += chain.from_iterable(filter(None, map(self._doubles.get, pairs)))
        if not met:
            return ()
        bits, width, bitmaps = self._bits, len(self._bits), self._bitmaps
        bitmap = ((1 << unknown) - 1) << width  # what is surely not shared differs from every bitmap
        for token in row:
            bitmap ^= bits[token % width]
        most, sizes = span.apart, self._sizes
        return [place for place in met if (bitmap ^ bitmaps[place]).bit_count() <= most[sizes[place]]]

    def _measure_span(self, size: int) -> _Span:
        threshold = self._threshold
        least = threshold.find_least_size(size)
        most = min(self._largest, size * threshold.whole // threshold.part)
        needed = threshold.count_needed(size, least)
        apart = [-1] * (self._largest + 1)
        for other in range(least, most + 1):
            apart[other] = size + other - 2 * threshold.count_needed(size, other)
        span = self._spans[size] = _Span(size - needed + 1, tuple(apart), needed)
        return span

    def _settle(self) -> None:
        """Number the tokens by how many texts have each, close the gaps of removed texts, and file all texts anew."""
        kept = [(key, self._sets[place]) for key, place in self._places.items()]
        vocabulary = number_tokens([tokens for _, tokens in kept], self._threshold, FREQUENT_PER_TOKEN)
        self._rank, self._frequent, self._bits = vocabulary.rank, vocabulary.frequent, vocabulary.bits
        self._rarest = 0
        self._singles: defaultdict[int, list[int]] = defaultdict(list)
        self._doubles: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        self._keys, self._sets, self._sizes, self._bitmaps = [], [], [], []
        self._settle_at = max(FIRST_SETTLED, GROWTH * len(kept))
        with pause_collector():
            for key, tokens in kept:
                self._place(key, tokens)

    def _place(self, key: Key, tokens: TokenSet) -> None:
        """File a text under the current order of tokens; a token that is new becomes the rarest."""
        place = self._places[key] = len(self._sets)
        self._keys.append(key)
        self._sets.append(tokens)
        self._sizes.append(len(tokens))
        if len(tokens) > self._largest:
            self._largest = len(tokens)
            self._spans.clear()
        rank, bits, width, bitmap = self._rank, self._bits, len(self._bits), 0
        row: list[int] = []
        for token in tokens:
            number = rank.get(token)
            if number is None:
                self._rarest -= 1
                number = rank[token] = self._rarest
            row.append(number)
            bitmap ^= bits[number % width]
        self._bitmaps.append(bitmap)
        if row and self._threshold.part:
            singles, doubles = self._choose_places(row)
            for number in singles:
                self._singles[number].append(place)
            for pair in doubles:
                self._doubles[pair].append(place)

    def _choose_places(self, row: list[int]) -> tuple[list[int], Iterable[tuple[int, ...]]]:
        """Choose the tokens and the pairs of tokens under which a text is filed."""
        row.sort()
        span = self._spans.get(len(row)) or self._measure_span(len(row))
        start = bisect_left(row, self._frequent)
        if span.shared < 2 or start >= span.prefix:
            return row[: span.prefix], ()
        return row[:start], combinations(row[start : span.prefix + 1], 2)
