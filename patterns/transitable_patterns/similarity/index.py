"""An index that is added to, asked and taken from one text at a time.

A rare token keeps the list of its items; a frequent one keeps bitmaps, in blocks, so that an addition touches a small integer.
A question meets every similar item: those that share a rare token are in its lists, and all others share enough frequent
tokens, which `bitplanes` counts for all items at once. What is met is verified exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from attrs import field, frozen

from transitable_patterns.similarity.bitplanes import list_places, select_at_least
from transitable_patterns.similarity.errors import KeyConflict
from transitable_patterns.similarity.overlap import compare_sets
from transitable_patterns.similarity.threshold import read_threshold
from transitable_patterns.similarity.tokens import split_text, words

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Set as AbstractSet
    from fractions import Fraction

    from transitable_patterns.similarity.overlap import Overlap
    from transitable_patterns.similarity.threshold import Ratio
    from transitable_patterns.similarity.tokens import Tokens, TokenSet

Key = TypeVar("Key", bound="Hashable")

BLOCK: Final = 8192
"""Items of a block: 1 KB of bits, so that setting one costs about 0.1 µs and an operation on a block about 0.2 µs."""
RARE: Final = 24
"""A token in more items than this is kept as bitmaps; flat from 12 to 48."""


@frozen
class Match(Generic[Key]):
    """An item of an index that is similar to what was asked."""

    key: Key
    """Its key."""
    overlap: Overlap
    """Why; the text that was asked is on the left."""

    @property
    def value(self) -> Fraction:
        """The Jaccard similarity."""
        return self.overlap.value


@frozen
class _Item(Generic[Key]):
    key: Key
    tokens: TokenSet
    added: int


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
        self._threshold = read_threshold(at_least)
        self.tokens = tokens
        self._items: list[_Item[Key] | None] = []
        self._places: dict[Key, int] = {}
        self._free: list[int] = []
        self._added = 0
        self._rare: dict[str, list[int]] = {}
        self._frequent: dict[str, list[int]] = {}

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
            KeyConflict: If the key is in the index; remove it first.
            TextError: If the text is neither a string nor a set.
        """
        if key in self._places:
            raise KeyConflict(repr(key), "already in the index", "remove it before it is added again")
        tokens = split_text(text, self.tokens)
        item = _Item(key, tokens, self._added)
        self._added += 1
        if self._free:
            place = self._free.pop()
            self._items[place] = item
        else:
            place = len(self._items)
            self._items.append(item)
        self._places[key] = place
        block, bit = place // BLOCK, 1 << place % BLOCK
        rare, frequent = self._rare, self._frequent
        for token in tokens:
            blocks = frequent.get(token)
            if blocks is None:
                places = rare.setdefault(token, [])
                places.append(place)
                if len(places) > RARE:
                    self._promote(token)
            else:
                if block >= len(blocks):
                    blocks.extend([0] * (block + 1 - len(blocks)))
                blocks[block] |= bit

    def _promote(self, token: str) -> None:
        """Turn the list of a token that is no longer rare into bitmaps. It stays so when items are removed."""
        places = self._rare.pop(token)
        blocks = [0] * (max(places) // BLOCK + 1)
        for place in places:
            blocks[place // BLOCK] |= 1 << place % BLOCK
        self._frequent[token] = blocks

    def remove(self, key: Key) -> None:
        """Remove a text.

        Raises:
            KeyConflict: If the key is not in the index.
        """
        place = self._places.pop(key, None)
        item = None if place is None else self._items[place]
        if place is None or item is None:
            raise KeyConflict(repr(key), "not in the index", "add it first")
        self._items[place] = None
        self._free.append(place)
        for token in item.tokens:
            if token in self._frequent:
                self._frequent[token][place // BLOCK] ^= 1 << place % BLOCK
            else:
                self._rare[token].remove(place)
                if not self._rare[token]:
                    del self._rare[token]

    def query(self, text: str | AbstractSet[str]) -> tuple[Match[Key], ...]:
        """Find all items that are similar to a text: most similar first, then the earlier added.

        Raises:
            TextError: If the text is neither a string nor a set.
        """
        asked = split_text(text, self.tokens)
        hits = [(_rate(asked, item.tokens), item.added, item) for item in self._meet(asked)]
        hits.sort(key=_order)
        return tuple([Match(item.key, compare_sets(asked, item.tokens, self.tokens.name)) for _, _, item in hits])

    def is_known(self, text: str | AbstractSet[str]) -> bool:
        """Tell whether any item is similar to a text.

        Raises:
            TextError: If the text is neither a string nor a set.
        """
        return bool(self._meet(split_text(text, self.tokens)))

    def _meet(self, asked: TokenSet) -> list[_Item[Key]]:
        """List the items that are similar, in no order."""
        size = len(asked)
        if not size:
            return []
        threshold = self._threshold
        if threshold.part == 0:
            return [item for item in self._items if item is not None and item.tokens]
        found: list[_Item[Key]] = []
        part, both = threshold.part, threshold.part + threshold.whole
        for place in self._list_candidates(asked, threshold.find_least_size(size)):
            item = self._items[place]
            if item is not None:
                tokens = item.tokens
                if both * len(asked & tokens) >= part * (size + len(tokens)):
                    found.append(item)
        return found

    def _list_candidates(self, asked: TokenSet, needed: int) -> Iterable[int]:
        """List the places that may share `needed` tokens (from 1), each once.

        A similar set shares at least `needed` of the tokens, so it shares one of any `len(asked) - needed + 1` of them: that
        many rare tokens are enough, and if there are fewer, whoever shares none of them shares `needed` frequent ones.
        """
        spare = len(asked) - needed + 1
        columns: list[list[int]] = []
        lists: list[list[int]] = []
        for token in asked:
            blocks = self._frequent.get(token)
            if blocks is not None:
                columns.append(blocks)
                continue
            spare -= 1
            places = self._rare.get(token)
            if places is not None:
                lists.append(places)
        met = set[int]().union(*lists)
        if spare > 0:
            for block in range(-(-len(self._items) // BLOCK)):
                present = [blocks[block] for blocks in columns if block < len(blocks)]
                if len(present) >= needed:
                    selected = select_at_least(present, needed)
                    if selected:
                        start = block * BLOCK
                        met.update([start + place for place in list_places(selected)])
        return met


def _rate(left: TokenSet, right: TokenSet) -> float:
    """Rate two sets by similarity; distinct fractions of sets below 2**26 tokens are distinct floats in the same order."""
    shared = len(left & right)
    return shared / max(1, len(left) + len(right) - shared)


def _order(hit: tuple[float, int, object]) -> tuple[float, int]:
    return (-hit[0], hit[1])
