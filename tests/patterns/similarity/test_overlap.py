"""The comparison of two texts: exact at the boundary, and explained."""

import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.similarity import ThresholdError, explain, jaccard, similar
from transitable_patterns.similarity.threshold import read_threshold

SETS = st.frozensets(st.sampled_from("abcdefghij"), max_size=10)
RATIOS = st.fractions(0, 1, max_denominator=20)


def test_boundary_is_exact():
    """3 of 5 is at least 0.6, 1 of 10 is at least 0.1, 7 of 10 is at least 0.7: read as the decimals they print as."""
    assert similar("w1 w2 w3", "w1 w2 w3 w4 w5", 0.6)
    assert similar({"a"}, set("abcdefghij"), 0.1)
    assert similar(set("abcdefg"), set("abcdefghij"), 0.7)
    assert not similar(set("abcdefg"), set("abcdefghij"), 0.7000001)


def test_empty_sets_are_similar_to_nothing():
    """Not even to each other, not even at 0."""
    assert not similar("", "", 0)
    assert not similar("?", "a", 0)
    assert jaccard("", "") == 0
    assert similar("a", "b", 0)


@pytest.mark.parametrize("ratio", [0.6, "0.6", "3/5", Decimal("0.6"), Fraction(3, 5)])
def test_threshold_is_read_exactly(ratio):
    """All ways to write 3/5 are 3/5."""
    assert read_threshold(ratio).fraction == Fraction(3, 5)


@pytest.mark.parametrize("ratio", [-0.1, 1.01, float("nan"), float("inf"), True, "much", "1/0", None])
def test_bad_threshold_is_refused(ratio):
    """What is no number from 0 to 1 is an error that says what to pass."""
    with pytest.raises(ThresholdError, match="from 0 to 1") as caught:
        similar("a", "a", ratio)
    assert caught.value.found == repr(ratio)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert str(again) == str(caught.value)


def test_explanation_names_tokens_sizes_and_value():
    """Shared tokens, what each has alone, both sizes, the value, the tokeniser."""
    overlap = explain("reset my pin", "my card pin please")
    assert overlap.shared == ("my", "pin")
    assert (overlap.only_left, overlap.only_right) == (("reset",), ("card", "please"))
    assert (overlap.left_size, overlap.right_size, overlap.value) == (3, 4, Fraction(2, 5))
    assert str(overlap) == "2 of 5 tokens (words): my pin"
    assert explain("a", "b").value == 0


@given(SETS, SETS, RATIOS)
def test_counts_agree_with_the_definition(a, b, ratio):
    """The needed overlap and least size are exactly where the definition turns true."""
    threshold = read_threshold(ratio)
    shared, union = len(a & b), len(a | b)
    expected = bool(a) and bool(b) and Fraction(shared, union) >= ratio
    assert similar(a, b, ratio) is expected
    if a and b:
        assert (shared >= threshold.count_needed(len(a), len(b))) is expected
        if expected:
            assert min(len(a), len(b)) >= threshold.find_least_size(max(len(a), len(b)))
    assert explain(a, b).value == jaccard(a, b) == jaccard(b, a)
