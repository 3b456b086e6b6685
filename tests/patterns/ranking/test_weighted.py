"""Ranking by weighted sum: declared scales, stable order, refused scores, stated reasons."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.ranking import (
    Criterion,
    CriterionError,
    Direction,
    ScoreError,
    disagreement,
    rank_items,
    read_criteria,
)

CRITERIA = [
    Criterion("novelty", weight=2, threshold=0.4),
    Criterion("risk", better="lower", threshold=0.7),
    Criterion("effort", better="lower", low=1, high=5, weight=0.5),
]
SCORES = st.fixed_dictionaries({
    "novelty": st.floats(0, 1),
    "risk": st.floats(0, 1),
    "effort": st.floats(1, 5),
})  # fmt: skip
ITEMS = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), SCORES, min_size=1, max_size=8)


@given(ITEMS, st.data())
def test_removing_an_item_never_reverses_two_others(items, data):
    """The order of the rest is the old order without it."""
    gone = data.draw(st.sampled_from(sorted(items)))
    before = [ranked.item for ranked in rank_items(items, CRITERIA)]
    after = [ranked.item for ranked in rank_items({k: v for k, v in items.items() if k != gone}, CRITERIA)]
    assert after == [item for item in before if item != gone]


@given(ITEMS)
def test_every_rank_has_its_reason(items):
    """Points add up to the total, shares to 1, totals fall within each side of the thresholds, ranks are 1 to n."""
    ranked = rank_items(items, CRITERIA, tie_break=["novelty"])
    assert [item.rank for item in ranked] == list(range(1, len(items) + 1))
    for item in ranked:
        assert math.isclose(sum(part.points for part in item.contributions), item.total, abs_tol=1e-9)
        assert math.isclose(sum(part.share for part in item.contributions), 1)
    keys = [(bool(item.failed), -round(item.total, 9)) for item in ranked]
    assert keys == sorted(keys)


@given(ITEMS, st.randoms(use_true_random=False))
def test_order_of_input_changes_nothing(items, shuffle):
    """Items and criteria in any order give the same ranking."""
    names, criteria = list(items), list(CRITERIA)
    shuffle.shuffle(names)
    shuffle.shuffle(criteria)
    again = rank_items({name: items[name] for name in names}, criteria)
    assert [item.item for item in again] == [item.item for item in rank_items(items, CRITERIA)]


def test_direction_range_weight_and_threshold():
    """A scale is turned round where lower is better, and stretched to its range; a missed threshold goes last."""
    ranked = rank_items(
        {
            "a": {"novelty": 0.9, "risk": 0.71, "effort": 1},
            "b": {"novelty": 0.4, "risk": 0.7, "effort": 3},
        },
        CRITERIA,
    )
    assert [(item.item, item.failed) for item in ranked] == [("b", ()), ("a", ("risk",))]
    assert [part.place for part in ranked[0].contributions] == [0.4, 0.3, 0.5]
    assert str(ranked[1]) == "2. a 0.740 = novelty 0.514, risk 0.083, effort 0.143; below threshold: risk"


def test_arithmetic_at_the_threshold_is_exact():
    """0.1 * 3 is at most 0.3, and 0.7 + 0.1 at least 0.8."""
    limit = Criterion("risk", better=Direction.LOWER, threshold=0.3), Criterion("novelty", threshold=0.8)
    (item,) = rank_items({"a": {"risk": 0.1 * 3, "novelty": 0.7 + 0.1}}, limit)
    assert item.failed == ()


def test_ties_are_broken_in_the_stated_order():
    """Equal totals go by the tie-break criteria, then by name, and the reason is kept."""
    criteria = [Criterion("x"), Criterion("y")]
    scores = {"c": {"x": 0.2, "y": 0.8}, "b": {"x": 0.8, "y": 0.2}, "a": {"x": 0.2, "y": 0.8}}
    ranked = rank_items(scores, criteria, tie_break=["x"])
    assert [(item.item, item.tie_break) for item in ranked] == [("b", None), ("a", "x"), ("c", "name")]
    assert str(ranked[2]).endswith("tie broken by name")


def test_bad_scores_are_refused_all_at_once():
    """Missing, not a number, not finite, out of range: never filled in or clamped."""
    scores = {
        "a": {"x": float("nan")},
        "b": {"x": 1.01},
        "c": {},
        "d": {"x": True},
        "e": {"x": "0.5"},
        "f": {"x": 0.5},
    }
    with pytest.raises(ScoreError, match="5 score") as caught:
        rank_items(scores, [Criterion("x")])
    assert [problem.split(": ")[1] for problem in caught.value.problems] == [
        "nan is not finite",
        "1.01 is outside 0.0 to 1.0",
        "is missing",
        "True is not a number",
        "'0.5' is not a number",
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Criterion("x", low=1, high=1), "low below high"),
        (lambda: Criterion("x", high=float("inf")), "a finite number"),
        (lambda: Criterion("x", weight=-1), "better='lower'"),
        (lambda: Criterion("x", threshold=2), "the threshold is 2"),
        (lambda: rank_items({}, []), "at least one"),
        (lambda: rank_items({}, [Criterion("x"), Criterion("x")]), "used twice"),
        (lambda: rank_items({}, [Criterion("x", weight=0)]), "no criterion has a weight"),
        (lambda: rank_items({}, [Criterion("x")], tie_break=["y"]), "one of x"),
        (lambda: read_criteria({"x": 5}), "not an object"),
        (lambda: read_criteria({"x": {"wieght": 1}}), "'wieght' is unknown"),
        (lambda: read_criteria({"x": {"weight": True}}), "a number"),
        (lambda: read_criteria({"x": {"better": 1}}), "a word"),
        (lambda: read_criteria({"x": {"better": "more"}}), "'higher' or 'lower'"),
    ],
)
def test_bad_criteria_are_refused(make, message):
    """Each says what it found and what it expected."""
    with pytest.raises(CriterionError, match="expected") as caught:
        make()
    assert message in str(caught.value)


def test_criteria_are_read_from_json():
    """Every key is optional."""
    assert read_criteria({"a": {}, "b": {"better": "lower", "low": 1, "high": 5, "weight": 2, "threshold": 3}}) == (
        Criterion("a"),
        Criterion("b", better="lower", low=1, high=5, weight=2, threshold=3),
    )


def test_no_items_is_an_empty_ranking():
    """Nothing to rank is not an error."""
    assert rank_items({}, CRITERIA) == ()


def test_disagreement_is_the_spread_by_criterion():
    """Mean, range and the scores of each rater; a criterion that nobody rated is left out."""
    criteria = [Criterion("x"), Criterion("y"), Criterion("z")]
    found = disagreement({"r2": {"x": 0.9, "y": 0.5}, "r1": {"x": 0.3}}, criteria)
    assert [(spread.criterion, spread.width) for spread in found] == [("x", 0.6), ("y", 0.0)]
    assert (list(found[0].scores), found[0].mean) == (["r1", "r2"], 0.6)
    with pytest.raises(ScoreError, match="rater 'r1', criterion 'x': 2 is outside"):
        disagreement({"r1": {"x": 2}}, criteria)
