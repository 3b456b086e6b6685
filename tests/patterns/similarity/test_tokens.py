"""Tokenisers: what each makes of a text, and the Korean cases as a table."""

import pytest

from transitable_patterns.similarity import (
    TextError,
    TokensError,
    characters,
    find_tokens,
    jaccard,
    ko_light,
    mixed,
    words,
)

TABLE = [
    # left, right, words, characters(2), ko_light above words
    ("새 코드에 CPU 집약적 루프 도입", "새로운 코드에서 CPU 집약적인 루프를 도입", 0.200, 0.409, True),
    ("DB 커넥션 풀 고갈", "DB 커넥션 풀이 고갈됨", 0.333, 0.600, True),
    ("Healthcare 앱 커넥션 누수", "Healthcare 앱 커넥션 누수 세부", 0.800, 0.882, False),
    ("memory leak in checkout service", "checkout service memory leak after deploy", 0.571, 0.639, False),
    ("connection pool exhausted", "connection pools exhausted", 0.500, 0.870, False),
    ("a b c d e", "a b c f g", 0.429, 0.333, False),
    ("w1 w2 w3", "w1 w2 w3 w4 w5", 0.600, 0.556, False),
]


@pytest.mark.parametrize(("left", "right", "by_words", "by_pairs", "inflected"), TABLE)
def test_table_of_measured_similarities(left, right, by_words, by_pairs, inflected):
    """Each tokeniser gives the similarity that the table of decisions states."""
    assert round(float(jaccard(left, right, tokens=words)), 3) == by_words
    assert round(float(jaccard(left, right, tokens=characters(2))), 3) == by_pairs
    assert (jaccard(left, right, tokens=ko_light) > jaccard(left, right)) is inflected


def test_words_are_folded_runs_of_word_characters():
    """NFKC and case-fold come first; punctuation separates; an inflected word is another token."""
    assert words("ＤＢ-Pool, db pool! 풀이") == {"db", "pool", "풀이"}
    assert words("Straße") == {"strasse"}
    assert words("  ?! ") == frozenset()


def test_mixed_splits_only_scripts_without_word_boundaries():
    """Hangul, kana and ideographs become character pairs; a run of one stays; other scripts stay words."""
    assert mixed("CPU를 쓰는 Pool2") == {"cpu", "를", "쓰는", "pool2"}
    assert mixed("커넥션") == {"커넥", "넥션"}
    assert mixed("東京都でテスト") == {"東京", "京都", "都で", "でテ", "テス", "スト"}
    assert mixed("naïve café") == {"naïve", "café"}
    assert mixed("plain ascii") == words("plain ascii")


def test_half_width_forms_are_the_same_text():
    """Half-width kana and full-width letters equal their usual forms."""
    assert mixed("ﾃｽﾄ ＡＢ") == mixed("テスト ab")


def test_ko_light_keeps_short_stems():
    """A suffix goes only if two syllables stay, so different short nouns never become equal."""
    assert ko_light("루프를 도입했습니다") == {"루프", "도입"}
    assert ko_light("나이 나는 pools") == {"나이", "나는", "pools"}


def test_characters_are_n_grams_without_spaces():
    """Spaces do not count; a text shorter than n is one token; blank has none."""
    assert characters(3)("ab cd") == {"abc", "bcd"}
    assert characters(3)("ab") == {"ab"}
    assert characters(1)("aba") == {"a", "b"}
    assert characters(2)(" ") == frozenset()


def test_names_find_their_tokenisers():
    """A name that is recorded with a result finds the same rule again."""
    for tokens in (words, mixed, ko_light, characters(3)):
        assert find_tokens(tokens.name) == tokens
    assert find_tokens("characters(3)")("abcd") == {"abc", "bcd"}


@pytest.mark.parametrize("name", ["", "word", "characters(0)", "characters(x)", "characters(1234)"])
def test_unknown_names_are_refused(name):
    """A name that no tokeniser has is an error that lists those there are."""
    with pytest.raises(TokensError, match=r"characters") as caught:
        find_tokens(name)
    assert isinstance(caught.value, ValueError)


def test_only_strings_and_sets_are_texts():
    """Anything else is refused with its place and type."""
    assert jaccard({"a"}, frozenset("a")) == 1
    with pytest.raises(TextError, match="b is of type int") as caught:
        jaccard("a", 5)
    assert (caught.value.where, caught.value.found) == ("b", "int")
