"""Clusters: their guarantees hold for all texts and ranks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.similarity import (
    KeyConflictError,
    RankError,
    complete_link,
    contrast,
    families,
    jaccard,
    mmr,
    representatives,
    similar,
    similar_pairs,
)

WORDS = st.sampled_from(["w1", "w2", "w3", "w4", "w5", "w6", "w7"])
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=14)
RATIOS = st.sampled_from([0.3, 0.5, 0.6, 0.8, 1])


@st.composite
def ranked_texts(draw):
    """Texts with a rank each; ranks repeat."""
    texts = draw(TEXTS)
    return texts, draw(st.lists(st.integers(1, 5), min_size=len(texts), max_size=len(texts)))


@given(ranked_texts(), RATIOS)
def test_members_are_similar_and_representatives_are_not(ranked, at_least):
    """Every member is similar to its representative; no two representatives are similar; nobody joins a worse-ranked one."""
    texts, rank = ranked
    found = representatives(texts, rank, at_least)
    for position, head in enumerate(found.representative):
        assert found.representative[head] == head
        if head != position:
            assert similar(texts[position], texts[head], at_least)
            assert (rank[head], texts[head]) <= (rank[position], texts[position])
            assert all(
                jaccard(texts[position], texts[head]) >= jaccard(texts[position], texts[other])
                for other in found.standing
                if found.order.index(other) < found.order.index(position)
            )
    assert not any(similar(texts[a], texts[b], at_least) for a in found.standing for b in found.standing if a < b)


@given(ranked_texts(), RATIOS, st.randoms(use_true_random=False))
def test_order_of_input_changes_nothing(ranked, at_least, shuffle):
    """The groups, as texts with ranks, are the same for every order of the same items."""
    texts, rank = ranked
    order = list(range(len(texts)))
    shuffle.shuffle(order)
    permuted, moved = [texts[place] for place in order], [rank[place] for place in order]

    def name(items, ranks, groups):
        return sorted(sorted((ranks[place], items[place]) for place in group) for group in groups)

    for method in (representatives, complete_link):
        one, other = method(texts, rank, at_least), method(permuted, moved, at_least)
        assert name(texts, rank, one.groups.values()) == name(permuted, moved, other.groups.values())
    chains = families(texts, at_least), families(permuted, at_least)
    assert name(texts, rank, chains[0]) == name(permuted, moved, chains[1])


@given(ranked_texts(), RATIOS)
def test_complete_link_groups_are_similar_throughout(ranked, at_least):
    """Any two members of a group are similar."""
    texts, rank = ranked
    for members in complete_link(texts, rank, at_least).groups.values():
        assert all(similar(texts[a], texts[b], at_least) for a in members for b in members if a < b)


@given(TEXTS, RATIOS)
def test_families_are_the_components(texts, at_least):
    """Every text is in one family, similar texts are in the same one."""
    found = families(texts, at_least)
    assert sorted(place for family in found for place in family) == list(range(len(texts)))
    where = {place: number for number, family in enumerate(found) for place in family}
    assert all(where[a] == where[b] for a, b in similar_pairs(texts, at_least))


def test_families_chain_and_representatives_do_not():
    """A chain of similar texts is one family although its ends share nothing; representatives cut it."""
    texts = ["a b c d", "b c d e", "c d e f", "d e f g", "e f g h"]
    assert families(texts, 0.6) == ((0, 1, 2, 3, 4),)
    assert representatives(texts, [1, 2, 3, 4, 5], 0.6).groups == {0: (0, 1), 2: (2, 3), 4: (4,)}


def test_contrasts_are_linked_and_never_merged():
    """With `apart`, opposites both stand, and the link says why; without, the better-ranked one stands for both."""
    texts = ["raise the card limit now", "lower the card limit now", "please raise the card limit now"]
    assert representatives(texts, [1, 2, 3]).standing == (0,)
    found = representatives(texts, [1, 2, 3], apart=contrast)
    assert found.groups == {0: (0, 2), 1: (1,)}
    assert [(link.left, link.right) for link in found.links] == [(0, 1)]
    assert "raise / lower" in str(found.links[0].contrast)


def test_clusters_explain_and_use_known_pairs():
    """A member's explanation has its representative on the right; known pairs give the same answer."""
    texts = ["a b c d", "a b c", "z"]
    pairs = similar_pairs(texts)
    found = representatives(texts, [2, 1, 3], pairs=pairs)
    assert found == representatives(texts, [2, 1, 3])
    assert (found.representative, found.explain(0).only_left) == ((1, 1, 2), ("d",))
    with pytest.raises(KeyConflictError):
        found.explain(9)


@pytest.mark.parametrize("rank", [[1], [1, float("nan")], [1, float("inf")]])
def test_ranks_must_fit(rank):
    """One finite rank for each item."""
    with pytest.raises(RankError, match=r"expected (one|a finite) number"):
        representatives(["a", "b"], rank)


def test_pairs_must_be_of_the_items():
    """Pairs of other texts are refused."""
    with pytest.raises(RankError, match="the pairs of these items"):
        families(["a"], pairs=similar_pairs(["a", "b"]))


def test_mmr_trades_relevance_for_novelty():
    """A copy of the first pick comes last, and each pick says what it resembles."""
    picks = mmr(["a b c", "a b c d", "x y"], [1.0, 0.9, 0.6], 3)
    assert [pick.position for pick in picks] == [0, 2, 1]
    assert (picks[0].nearest, picks[1].nearest, picks[2].nearest, picks[2].similarity) == (None, None, 0, 0.75)
    assert [pick.position for pick in mmr(["a b c", "a b c d", "x y"], [1.0, 0.9, 0.6], 2, balance=1)] == [0, 1]
    assert mmr([], [], 3) == ()


@given(TEXTS, st.integers(0, 6))
def test_mmr_picks_each_text_at_most_once(texts, k):
    """k picks, or all of them, each different."""
    picks = mmr(texts, [0.5] * len(texts), k)
    assert len({pick.position for pick in picks}) == len(picks) == min(k, len(texts))


@pytest.mark.parametrize(
    ("relevance", "k", "balance", "what"),
    [([1], 1, 0.7, "relevance"), ([1, 2], 1, 0.7, "relevance 1"), ([1, 1], -1, 0.7, "k"), ([1, 1], 1, 1.5, "balance")],
)
def test_mmr_options_are_checked(relevance, k, balance, what):
    """Each option says what it expects."""
    with pytest.raises(RankError, match="expected") as caught:
        mmr(["a", "b"], relevance, k, balance=balance)
    assert caught.value.what == what
