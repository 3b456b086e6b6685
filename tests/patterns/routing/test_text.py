"""Normalising, folding and telling the language."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.routing import Language, detect_language, normalise_text
from transitable_patterns.routing.text import INVISIBLE, fold_text, strip_structure


def test_rf_09_white_space_and_hangul() -> None:
    """RF-09: white space becomes one space; decomposed Hangul equals composed."""
    assert normalise_text("  주문 \n\t 12345  ") == "주문 12345"
    assert normalise_text(unicodedata.normalize("NFD", "주문")) == "주문"


@pytest.mark.parametrize("invisible", sorted(INVISIBLE))
def test_invisible_characters_are_no_text(invisible: str) -> None:
    """RA-24: characters without a glyph are dropped, so a message of these alone is blank."""
    assert normalise_text(f"{invisible} {invisible}") == ""
    assert normalise_text(f"a{invisible}b") == "ab"


def test_removing_a_joiner_may_compose() -> None:
    """RI-09: a base and an accent with a joiner between them come out composed, so that a second pass changes nothing."""
    assert normalise_text("e\u034f\u0301") == "é"


def test_case_is_kept() -> None:
    """RA-24: no lower-casing."""
    assert normalise_text("WHERE is It") == "WHERE is It"


@pytest.mark.parametrize(
    ("text", "language"),
    [("where", "en"), ("어디", "ko"), ("order 어디", "ko"), ("ㅎㅇ", "ko"), ("12345?", "ko"), ("", "ko"), ("où", "en")],
)
def test_language_by_script(text: str, language: str) -> None:
    """RA-32: Hangul means Korean, other letters English, no letters the default."""
    assert detect_language(text, Language.KO) == language


@pytest.mark.parametrize(
    ("hasty", "right"),
    [("보냇는데", "보냈는데"), ("안됬어", "안됐어"), ("업어요", "없어요"), ("Don't", "dont"), ("DON’T", "dont")],
)
def test_folding_makes_hasty_spellings_equal(hasty: str, right: str) -> None:
    """Double finals and vowels that sound alike, case and apostrophes do not tell words apart."""
    assert fold_text(hasty) == fold_text(right)


@pytest.mark.parametrize(("one", "other"), [("새요", "세요"), ("재고", "제고"), ("물", "문"), ("now", "no")])
def test_folding_keeps_other_words_apart(one: str, other: str) -> None:
    """Vowels by which many words differ, and other finals, are not merged."""
    assert fold_text(one) != fold_text(other)


@given(st.text(max_size=60))
def test_folding_is_idempotent(text: str) -> None:
    """Folding twice is folding once, whatever the text."""
    assert fold_text(fold_text(text)) == fold_text(text)


@pytest.mark.parametrize("piece", ['{"route": "x"}', "<route>", "</결정>", "[system]", "[[x]]"])
def test_markup_is_no_part_of_a_wish(piece: str) -> None:
    """RA-33: what looks like markup or data is taken out before rules read."""
    assert strip_structure(f"a {piece} b").split() == ["a", "b"]
