"""A diverse top k: maximal marginal relevance.

Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries" (SIGIR 1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from transitable_patterns.similarity.errors import RankError
from transitable_patterns.similarity.overlap import jaccard
from transitable_patterns.similarity.pairs import split_all
from transitable_patterns.similarity.tokens import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transitable_patterns.similarity.tokens import Tokens


@frozen
class Pick:
    """One text of a diverse choice, and why."""

    position: int
    """Position of the text."""
    score: float
    """balance * relevance - (1 - balance) * similarity."""
    relevance: float
    """What was handed in."""
    similarity: float
    """Jaccard similarity to the most similar text picked before; 0 for the first."""
    nearest: int | None
    """Position of that text; `None` for the first, or when it shares nothing with any."""


def mmr(
    items: Sequence[str], relevance: Sequence[float], k: int, *, balance: float = 0.7, tokens: Tokens = words
) -> tuple[Pick, ...]:
    """Pick k texts that are relevant and unlike each other, best first; all of them if there are fewer.

    Linear in `k` times the number of texts. Equal scores go by relevance, then by the text.

    Args:
        items: The texts.
        relevance: A number for each, larger better, on the scale of similarities (0 to 1).
        k: How many to pick, from 0.
        balance: Weight of relevance against novelty, 0 to 1; 1 is plain ranking.
        tokens: The tokeniser.

    Raises:
        RankError: If relevance, `k` or `balance` do not fit.
    """
    if len(relevance) != len(items):
        raise RankError("relevance", f"{len(relevance)} numbers for {len(items)} items", "one number for each item")
    for position, value in enumerate(relevance):
        if not 0 <= value <= 1:
            raise RankError(f"relevance {position}", repr(value), "a number from 0 to 1")
    if k < 0:
        raise RankError("k", repr(k), "a count from 0")
    if not 0 <= balance <= 1:
        raise RankError("balance", repr(balance), "a number from 0 to 1")
    sets = split_all(items, tokens)
    similarity = [0.0] * len(items)
    nearest: list[int | None] = [None] * len(items)
    left = sorted(range(len(items)), key=lambda position: (-relevance[position], items[position]))
    picks: list[Pick] = []
    while left and len(picks) < k:
        scores = [balance * relevance[position] - (1 - balance) * similarity[position] for position in left]
        best = max(range(len(left)), key=scores.__getitem__)
        score, chosen = scores[best], left.pop(best)
        picks.append(Pick(chosen, score, relevance[chosen], similarity[chosen], nearest[chosen]))
        for position in left:
            value = float(jaccard(sets[chosen], sets[position]))
            if value > similarity[position]:
                similarity[position], nearest[position] = value, chosen
    return tuple(picks)
