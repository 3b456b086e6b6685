"""The search for similar pairs among distinct token sets: what makes the join fast.

It works on sets that differ from each other; `pairs` collapses equal ones and gives the public door. How and why it works
is told in docs/explanation/similarity-join.md.

Prefix filter: Chaudhuri, Ganti and Kaushik, "A Primitive Operator for Similarity Joins in Data Cleaning" (ICDE 2006); Bayardo,
Ma and Srikant, "Scaling Up All Pairs Similarity Search" (WWW 2007). Longer prefixes that must share more: Wang, Li and
Feng, "Can We Beat the Prefix Filtering?" (SIGMOD 2012). Bitmaps: Sandes, Teodoro and Melo, "Bitmap Filter" (2020).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from functools import reduce
from itertools import chain, combinations
from operator import xor  # pyright: ignore[reportUnknownVariableType] - typed as operands of any type
from typing import TYPE_CHECKING, Final

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transitable_patterns.similarity.threshold import Threshold
    from transitable_patterns.similarity.tokens import TokenSet

LEAST_WIDTH: Final = 90
"""Bits of a bitmap, at least; three digits of a Python integer. Below it, more pairs pass that are not similar."""
BITS_PER_TOKEN: Final = 8
"""Bits of a bitmap for each token of a mean set; measured on short and long texts, flat from 6 to 16."""
FREQUENT_PER_TOKEN: Final = 32
"""A token is frequent when it is in more than this many sets for each token of a mean prefix; flat from 10 to 60."""
LONGEST_PAIRED: Final = 8
"""Mean prefix above which tokens are not indexed as pairs: pairs grow with its square."""


@frozen
class Reach:
    """What a threshold means for sets up to a size; each tuple is indexed by the size of a set, from 0."""

    probe: tuple[int, ...]
    """Rarest tokens of which a set must share one with any similar set that is not larger."""
    insert: tuple[int, ...]
    """Rarest tokens of which a set must share one with any similar set that is not smaller."""
    apart: tuple[int, ...]
    """Most tokens that such a set and a similar, not larger one can have alone, both together."""
    shared: tuple[int, ...]
    """Fewest tokens that such a set shares with any similar, not smaller one."""


@frozen
class Vocabulary:
    """Tokens numbered from the rarest to the most frequent; those of equal frequency in order of appearance."""

    rank: dict[str, int]
    """Number of each token, from 0."""
    bits: tuple[int, ...]
    """The bits of a bitmap; token `number` has `bits[number % len(bits)]`, so frequent ones have bits of their own."""
    repeated: int
    """First number of a token that is in two sets or more."""
    frequent: int
    """First number of a token that is indexed as a pair."""
    many_repeats: bool
    """Whether a candidate is expected to be met many times, so that it pays to drop repeats first."""


def measure_reach(threshold: Threshold, longest: int) -> Reach:
    """Work out the prefix lengths and distances for all sizes up to `longest`."""
    probe, insert, apart, shared = [0], [0], [0], [0]
    for size in range(1, longest + 1):
        least = threshold.find_least_size(size)
        equal = threshold.count_needed(size, size)
        probe.append(size - threshold.count_needed(size, least) + 1)
        insert.append(size - equal + 1)
        apart.append(max(size + other - 2 * threshold.count_needed(size, other) for other in range(least, size + 1)))
        shared.append(equal)
    return Reach(tuple(probe), tuple(insert), tuple(apart), tuple(shared))


def number_tokens(sets: Sequence[TokenSet], threshold: Threshold, frequent_per_token: int) -> Vocabulary:
    """Number the tokens of all sets and choose which of them are frequent: in more sets than that for a token of a prefix."""
    counts = Counter(chain.from_iterable(sets))
    order = sorted(counts, key=counts.__getitem__)
    frequencies = [counts[token] for token in order]
    mean = max(1, round(len(frequencies) and sum(frequencies) / max(1, len(sets))))
    prefix = mean - threshold.count_needed(mean, mean) + 1
    many_repeats = prefix > LONGEST_PAIRED
    width = max(LEAST_WIDTH, BITS_PER_TOKEN * mean)
    return Vocabulary(
        rank=dict(zip(order, range(len(order)), strict=True)),
        bits=tuple([1 << place for place in range(width)]),
        repeated=bisect_left(frequencies, 2),
        frequent=len(order) if many_repeats else bisect_left(frequencies, frequent_per_token * prefix),
        many_repeats=many_repeats,
    )


def find_similar(sets: Sequence[TokenSet], threshold: Threshold) -> list[tuple[int, int]]:
    """Find all similar pairs `(later, earlier)` among distinct, non-empty sets that are sorted by size.

    Exact for every threshold above 0. Time is near linear in the number of sets as long as pairs of tokens stay rare.

    A set is looked up under its rarest tokens (and under pairs of frequent ones), then filed under some of them, so only
    sets that are not larger are met. Two similar sets whose first shared token is rare meet under that token; otherwise
    their first two shared tokens are both frequent and they meet under that pair, which needs one token more of prefix.
    Sets so small that similar ones may share a single token are filed under single tokens only.
    """
    vocabulary = number_tokens(sets, threshold, FREQUENT_PER_TOKEN)
    reach = measure_reach(threshold, len(sets[-1]) if sets else 0)
    rank, bits = vocabulary.rank.__getitem__, vocabulary.bits
    mask = (bits * (len(vocabulary.rank) // len(bits) + 1)).__getitem__
    repeated, frequent = vocabulary.repeated, vocabulary.frequent
    singles: defaultdict[int, list[int]] = defaultdict(list)
    doubles: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    bitmaps: list[int] = []
    found: list[tuple[int, int]] = []
    for number, tokens in enumerate(sets):
        row = sorted(map(rank, tokens))
        size = len(row)
        probe = reach.probe[size]
        first = bisect_left(row, repeated)
        if first >= probe:  # similar to nothing: neither looked up nor filed
            bitmaps.append(0)
            continue
        bitmap = reduce(xor, map(mask, row))  # pyright: ignore[reportUnknownArgumentType] - see the import
        bitmaps.append(bitmap)
        middle = bisect_left(row, frequent, first)
        met: Iterable[int] = chain.from_iterable(filter(None, map(singles.get, row[first:probe])))
        if middle < probe:
            met = chain(
                met, chain.from_iterable(filter(None, map(doubles.get, combinations(row[middle : probe + 1], 2))))
            )
        if vocabulary.many_repeats:
            met = set(met)
        most = reach.apart[size]
        near = [other for other in met if (bitmap ^ bitmaps[other]).bit_count() <= most]
        if near:
            found += verify(number, set(near), sets, threshold)
        insert = reach.insert[size]
        single = insert if reach.shared[size] < 2 else min(insert, middle)
        for token in row[first:single]:
            singles[token].append(number)
        if single < insert:
            for pair in combinations(row[middle : insert + 1], 2):
                doubles[pair].append(number)
    return found


def verify(number: int, others: Iterable[int], sets: Sequence[TokenSet], threshold: Threshold) -> list[tuple[int, int]]:
    """Keep the candidates that are similar: whole * shared >= part * union, on integers."""
    tokens = sets[number]
    size = len(tokens)
    part, both = threshold.part, threshold.part + threshold.whole
    kept: list[tuple[int, int]] = []
    for other in others:
        candidate = sets[other]
        if both * len(tokens & candidate) >= part * (size + len(candidate)):
            kept.append((number, other))
    return kept
