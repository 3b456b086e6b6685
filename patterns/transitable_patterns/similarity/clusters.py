"""Clusters of similar texts: representatives by rank (the default), complete link, and families.

Order of input never changes the answer: everything goes by rank, and ranks that are equal by the text itself.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

from transitable_patterns.similarity.collector import pause_collector
from transitable_patterns.similarity.contrast import Contrast
from transitable_patterns.similarity.errors import RankError
from transitable_patterns.similarity.pairs import SimilarPairs, similar_pairs
from transitable_patterns.similarity.tokens import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from transitable_patterns.similarity.overlap import Overlap
    from transitable_patterns.similarity.threshold import Ratio
    from transitable_patterns.similarity.tokens import Tokens

    Apart: TypeAlias = Callable[[str, str], Contrast | None]
    """A rule that keeps two similar texts apart: what differs, or `None` when they may be merged."""


@frozen
class Link:
    """Two similar texts that are kept apart because they differ in what must not be merged."""

    left: int
    """Position of the better-ranked text."""
    right: int
    """Position of the other one."""
    contrast: Contrast
    """What differs; its left side is the better-ranked text."""


@frozen
class Clusters:
    """Which text stands for which."""

    representative: tuple[int, ...]
    """For each position, the position of its representative: itself when it stands."""
    order: tuple[int, ...] = field(repr=False)
    """All positions, best rank first."""
    pairs: SimilarPairs
    """The similar pairs that this was made from; they hold threshold, tokeniser and explanations."""
    links: tuple[Link, ...] = ()
    """Similar texts that were kept apart, best rank first; a text is linked to the standing ones only."""

    @property
    def standing(self) -> tuple[int, ...]:
        """Positions of the representatives, best rank first."""
        return tuple([position for position in self.order if self.representative[position] == position])

    @property
    def groups(self) -> dict[int, tuple[int, ...]]:
        """The members of each representative, itself first; both in order of rank."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for position in self.order:
            groups[self.representative[position]].append(position)
        return {head: tuple(members) for head, members in groups.items()}

    def explain(self, position: int) -> Overlap:
        """Explain why a text is with its representative; the representative is on the right.

        Raises:
            KeyConflictError: If the position is outside the texts.
        """
        head = self.representative[position] if 0 <= position < len(self.representative) else position
        return self.pairs.explain(position, head)


def representatives(
    items: Sequence[str],
    rank: Sequence[float],
    at_least: Ratio = 0.6,
    *,
    tokens: Tokens = words,
    apart: Apart | None = None,
    pairs: SimilarPairs | None = None,
) -> Clusters:
    """Let the best-ranked text of each neighbourhood stand for the others.

    In order of rank, a text joins its most similar representative at or above the threshold (of equally similar ones the
    better-ranked), or stands itself. So every member is similar to its representative, and no two representatives
    are similar. With `apart` (for example `contrast`) similar texts that it keeps apart are never merged but linked; then
    two representatives may be similar if a link says so.

    Args:
        items: The texts.
        rank: A number for each, smallest best (1 for the best). Equal ones go by the text.
        at_least: The threshold.
        tokens: The tokeniser.
        apart: A rule that keeps similar texts apart; `None` keeps none.
        pairs: The similar pairs of these very texts, if they are known; then `at_least` and `tokens` are not used.

    Raises:
        RankError: If there is not one finite rank for each text, or `pairs` is of other texts.
        ThresholdError: If `at_least` is not a number from 0 to 1.

    Examples:
        >>> representatives(["reset my pin please", "hello", "reset my pin"], rank=[2, 3, 1]).groups
        {2: (2, 0), 1: (1,)}
    """
    joined = _join(items, at_least, tokens, pairs)
    order = _order_by_rank(items, rank)
    with pause_collector():
        return _choose_heads(items, joined, order, apart)


def _choose_heads(items: Sequence[str], joined: SimilarPairs, order: _Order, apart: Apart | None) -> Clusters:
    neighbours = _list_neighbours(joined)
    sets = joined.sets
    head = list(range(len(items)))
    stands = [False] * len(items)
    links: list[Link] = []
    for position in order:
        best, best_value = position, -1.0
        for other in _sort_standing(neighbours.get(position, ()), stands, order_of=order.places):
            contrast = apart(items[other], items[position]) if apart else None
            if contrast is not None:
                links.append(Link(other, position, contrast))
                continue
            shared = len(sets[position] & sets[other])
            value = shared / (len(sets[position]) + len(sets[other]) - shared)
            if value > best_value:
                best, best_value = other, value
        head[position] = best
        stands[position] = best == position
    return Clusters(tuple(head), order.positions, joined, tuple(links))


def complete_link(
    items: Sequence[str],
    rank: Sequence[float],
    at_least: Ratio = 0.6,
    *,
    tokens: Tokens = words,
    pairs: SimilarPairs | None = None,
) -> Clusters:
    """Group texts so that all members of a group are similar to each other.

    In order of rank, a text joins the first group to whose members it is similar, every one, or opens its own. Two
    representatives may be similar. Arguments and errors are those of `representatives`.
    """
    joined = _join(items, at_least, tokens, pairs)
    order = _order_by_rank(items, rank)
    neighbours = _list_neighbours(joined)
    head = list(range(len(items)))
    members: dict[int, list[int]] = {}
    for position in order:
        near = set(neighbours.get(position, ()))
        heads = sorted({other for other in near if other in members}, key=order.places.__getitem__)
        chosen = next((other for other in heads if near.issuperset(members[other])), position)
        head[position] = chosen
        members.setdefault(chosen, []).append(position)
    return Clusters(tuple(head), order.positions, joined)


def families(
    items: Sequence[str],
    at_least: Ratio = 0.6,
    *,
    tokens: Tokens = words,
    pairs: SimilarPairs | None = None,
) -> tuple[tuple[int, ...], ...]:
    """Group texts that a chain of similar ones connects: the connected components.

    The ends of a chain may share nothing, and templated texts chain into one giant family: never drop the members of a
    family for each other. Families come in the order of their first member, members ascending.

    Raises:
        ThresholdError: If `at_least` is not a number from 0 to 1.
    """
    joined = _join(items, at_least, tokens, pairs)
    neighbours = _list_neighbours(joined)
    seen: set[int] = set()
    found: list[tuple[int, ...]] = []
    for start in range(len(items)):
        if start in seen:
            continue
        seen.add(start)
        family, waiting = [start], [start]
        while waiting:
            fresh = [other for other in neighbours.get(waiting.pop(), ()) if other not in seen]
            seen.update(fresh)
            waiting += fresh
            family += fresh
        found.append(tuple(sorted(family)))
    return tuple(found)


@frozen
class _Order:
    positions: tuple[int, ...]
    places: list[int]

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions)


def _order_by_rank(items: Sequence[str], rank: Sequence[float]) -> _Order:
    """Order the positions by rank, then by text.

    Raises:
        RankError: If there is not one finite rank for each text.
    """
    if len(rank) != len(items):
        raise RankError("rank", f"{len(rank)} numbers for {len(items)} items", "one number for each item")
    for position, value in enumerate(rank):
        if not -float("inf") < value < float("inf"):
            raise RankError(f"rank {position}", repr(value), "a finite number")
    positions = tuple(sorted(range(len(items)), key=lambda position: (rank[position], items[position], position)))
    places = [0] * len(items)
    for place, position in enumerate(positions):
        places[position] = place
    return _Order(positions, places)


def _join(items: Sequence[str], at_least: Ratio, tokens: Tokens, pairs: SimilarPairs | None) -> SimilarPairs:
    if pairs is None:
        return similar_pairs(items, at_least, tokens=tokens)
    if len(pairs.sets) != len(items):
        raise RankError("pairs", f"of {len(pairs.sets)} texts for {len(items)} items", "the pairs of these items")
    return pairs


def _list_neighbours(pairs: SimilarPairs) -> dict[int, list[int]]:
    neighbours: defaultdict[int, list[int]] = defaultdict(list)
    for left, right in pairs.pairs:
        neighbours[left].append(right)
        neighbours[right].append(left)
    return neighbours


def _sort_standing(near: Iterable[int], stands: list[bool], order_of: list[int]) -> list[int]:
    """List the neighbours that stand, best rank first."""
    standing = [other for other in near if stands[other]]
    if len(standing) > 1:
        standing.sort(key=order_of.__getitem__)
    return standing
