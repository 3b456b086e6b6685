"""The join and the index: the same answers as comparing each with each, whatever the sets, thresholds and settings."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.similarity import KeyConflictError, SimilarityIndex, TextError, similar, similar_pairs, words
from transitable_patterns.similarity import index as index_module
from transitable_patterns.similarity import search as search_module
from transitable_patterns.similarity.collector import pause_collector
from transitable_patterns.similarity.threshold import read_threshold

TOKENS = [f"t{number}" for number in range(24)]
SKEWED = st.one_of(st.sampled_from(TOKENS[:3]), st.sampled_from(TOKENS[:8]), st.sampled_from(TOKENS))
SETS = st.lists(st.frozensets(SKEWED, max_size=14), max_size=24)
RATIOS = st.one_of(st.sampled_from([0, 1, 0.6, 0.5, 0.01]), st.fractions(0, 1, max_denominator=12))
SETTINGS = st.tuples(st.sampled_from([1, 4, 90]), st.sampled_from([0.3, 1, 32]), st.sampled_from([0, 8, 100]))


def find_naively(sets, at_least):
    """The definition."""
    count = range(len(sets))
    return [(a, b) for a in count for b in count if a < b and similar(sets[a], sets[b], at_least)]


@pytest.fixture
def settings():
    """Set the sizes that only cost time, so that small inputs reach all paths, and set them back."""
    names = ("LEAST_WIDTH", "FREQUENT_PER_TOKEN", "LONGEST_PAIRED")
    before = [getattr(search_module, name) for name in names]
    kept = index_module.FREQUENT_PER_TOKEN, index_module.FIRST_SETTLED

    def change(values):
        for name, value in zip(names, values, strict=True):
            setattr(search_module, name, value)
        index_module.FREQUENT_PER_TOKEN = values[1]
        index_module.FIRST_SETTLED = 4

    yield change
    for name, value in zip(names, before, strict=True):
        setattr(search_module, name, value)
    index_module.FREQUENT_PER_TOKEN, index_module.FIRST_SETTLED = kept


@given(sets=SETS, at_least=RATIOS, values=SETTINGS)
def test_pairs_are_those_of_the_definition(sets, at_least, values):
    """All similar pairs and no other, ascending, for all thresholds and all settings."""
    names = ("LEAST_WIDTH", "FREQUENT_PER_TOKEN", "LONGEST_PAIRED")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(names, values, strict=True):
            patch.setattr(search_module, name, value)
        assert list(similar_pairs(sets, at_least)) == find_naively(sets, at_least)


@given(sets=SETS, at_least=RATIOS, shuffle=st.randoms(use_true_random=False))
def test_order_of_input_changes_nothing(sets, at_least, shuffle):
    """A permuted list has the permuted pairs."""
    order = list(range(len(sets)))
    shuffle.shuffle(order)
    permuted = similar_pairs([sets[place] for place in order], at_least)
    found = sorted(tuple(sorted((order[a], order[b]))) for a, b in permuted)
    assert found == list(similar_pairs(sets, at_least))


@pytest.mark.parametrize("at_least", [0, 0.3, 0.6, 1])
def test_thousands_of_equal_sets(at_least):
    """Equal sets are pairs at every threshold, and never compared with each other."""
    sets = [frozenset("ab")] * 1500 + [frozenset()] * 500
    assert len(similar_pairs(sets, at_least)) == 1500 * 1499 // 2


def test_thousands_of_sets_that_share_one_token():
    """A token that is everywhere makes no candidates of sets that share nothing else, and no pair is lost."""
    sets = [frozenset(("common", f"own{number}", f"own{number + 1}")) for number in range(3000)]
    assert list(similar_pairs(sets, 0.5)) == [(number, number + 1) for number in range(2999)]
    assert list(similar_pairs(sets, 0.6)) == []
    assert list(similar_pairs(["same " * 5000, "same"])) == [(0, 1)]


def test_small_inputs():
    """Nothing, one text, empty texts, one token."""
    assert len(similar_pairs([])) == 0
    assert len(similar_pairs(["a"])) == 0
    assert len(similar_pairs(["", "?", ""], 0)) == 0
    assert list(similar_pairs(["a", "b", "A"])) == [(0, 2)]


def test_long_sets_are_not_filed_as_pairs():
    """Sets above the longest paired prefix are found by single tokens, with repeats dropped first."""
    base = [f"w{number}" for number in range(80)]
    sets = [frozenset(base[start : start + 60]) for start in range(20)]
    assert search_module.number_tokens(sets, read_threshold(0.6), 32).many_repeats
    assert list(similar_pairs(sets, 0.6)) == find_naively(sets, 0.6)


def test_result_records_how_it_was_made_and_explains():
    """Threshold, tokeniser, and an explanation of any two texts."""
    found = similar_pairs(["reset my card pin", "hello", "reset my card pin please"], "3/4")
    assert (found.tokens, str(found.at_least), found.pairs) == ("words", "3/4", ((0, 2),))
    assert found.explain(0, 2).shared == ("card", "my", "pin", "reset")
    assert found.explain(0, 1).value == 0
    with pytest.raises(KeyConflictError, match="expected 0 to 2"):
        found.explain(0, 3)


def test_bad_text_is_named_by_its_place():
    """The message says which text is of a wrong type."""
    with pytest.raises(TextError, match="text 1 is of type NoneType"):
        similar_pairs(["a", None])


def test_collector_is_left_as_it_was():
    """A collector that was on comes back, also after an error; one that was off stays off."""
    assert gc.isenabled()
    with pytest.raises(TextError):
        similar_pairs([1])
    assert gc.isenabled()
    gc.disable()
    try:
        with pause_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "remove", "ask"]), st.frozensets(SKEWED, max_size=9)), max_size=40
)


@given(steps=STEPS, at_least=RATIOS, values=SETTINGS)
def test_index_answers_like_the_definition(steps, at_least, values):
    """After any additions and removals, a question finds exactly the similar texts, most similar first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "LEAST_WIDTH", values[0])
        patch.setattr(index_module, "FREQUENT_PER_TOKEN", values[1])
        patch.setattr(search_module, "LONGEST_PAIRED", values[2])
        patch.setattr(index_module, "FIRST_SETTLED", 4)
        index = SimilarityIndex(at_least)
        model = {}
        for key, (what, tokens) in enumerate(steps):
            if what == "add":
                index.add(key, tokens)
                model[key] = tokens
            elif what == "remove" and model:
                index.remove(min(model))
                del model[min(model)]
            expected = [other for other in model if similar(tokens, model[other], at_least)]
            expected.sort(key=lambda other: (-len(tokens & model[other]) / len(tokens | model[other]), other))
            assert [match.key for match in index.query(tokens)] == expected
            assert len(index) == len(model)


def test_index_settles_again_as_it_grows(settings):
    """Growing over the size at which tokens are numbered anew changes no answer."""
    settings((90, 1, 8))
    index = SimilarityIndex[int](0.6)
    for number in range(40):
        index.add(number, f"common token number {number}")
    assert index.query("common token number 7")[0].key == 7
    assert len(index.query("common token number 7")) == 40
    for number in range(39):
        index.remove(number)
    assert [match.key for match in index.query("common token number 7")] == [39]


def test_index_matches_explain_themselves():
    """A match has its key, the value and the shared tokens; the asked text is on the left."""
    index = SimilarityIndex[str](0.6, tokens=words)
    index.add("T-1", "reset my card pin")
    (match,) = index.query("reset my card pin please")
    assert (match.key, str(match.value), match.overlap.only_left) == ("T-1", "4/5", ("please",))
    assert str(index.at_least) == "3/5"
    assert "T-1" in index
    assert index.query("") == ()
    assert index.query("nothing known here") == ()


def test_index_keys_are_used_once():
    """Adding a key twice, or removing one that is not there, is refused and changes nothing."""
    index = SimilarityIndex[str]()
    index.add("T-1", "a b")
    with pytest.raises(KeyConflictError, match="already in the index") as caught:
        index.add("T-1", "c")
    assert isinstance(caught.value, LookupError)
    assert len(index.query("a b")) == 1
    index.remove("T-1")
    assert "T-1" not in index
    assert index.query("a b") == ()
    with pytest.raises(KeyConflictError, match="not in the index"):
        index.remove("T-1")


def test_index_at_zero_finds_all_that_hold_tokens():
    """At 0 every text with a token is similar; empty ones never; values are 0 or more."""
    index = SimilarityIndex[str](0)
    index.add("a", "a")
    index.add("empty", "")
    index.add("b", "b")
    assert [(match.key, match.value) for match in index.query("b")] == [("b", 1), ("a", 0)]
    index.remove("b")
    assert [match.key for match in index.query("b")] == ["a"]
