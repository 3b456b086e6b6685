"""Phrases found in text: borders, glued Korean, numbers, slips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.routing import lexicon as module
from transitable_patterns.routing.lexicon import Lexicon, phrase_forms, split_words


def found(lexicon: Lexicon, text: str) -> list[str]:
    return [
        name
        for sentence in lexicon.sentences(text)
        for _, _, bits in lexicon.find(sentence)
        for name in lexicon.names(bits)
    ]


def one(*phrases: str, text: str, **options: object) -> bool:
    return bool(found(Lexicon({"it": phrases}, **options), text))  # type: ignore[arg-type] # options are passed on


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("order", "my order?", True),
        ("order", "my orders", False),
        ("order", "border", False),
        ("deliver*", "it was DELIVERED", True),
        ("deliver*", "redelivered", False),
        ("smell burn*", "smell burning", True),
        ("how do i", "How do I, sir", True),
        ("how do i", "how do, i", False),
        ("주문", "내주문은", True),
        ("언제 와", "언제와요", True),
        ("언제 와", "언제 와요", True),
        ("언제와", "언제 와요", False),
        ("_못_", "소리가 못 나", True),
        ("_못_", "잘못 나", False),
        ("order #", "order 12345", True),
        ("order #", "order 12", False),
        ("되나 ?", "되나?", True),
        ("wi fi", "Wi-Fi", True),
        ("4k", "4K", True),
        ("^ the", "The end. Why", True),
        ("^ the", "at the end", False),
        ("^ the", "So. The end", True),
        ("hasnt come", "hasn't come", True),
    ],
)
def test_phrases(phrase: str, text: str, there: bool) -> None:
    """What the marks of a phrase mean."""
    assert one(phrase, text=text) is there


def test_every_phrase_that_ends_at_a_place_is_found() -> None:
    """Overlapping and contained phrases are all found, by start."""
    lexicon = Lexicon({"a": ["in stock"], "b": ["stock"], "c": ["stock*"], "d": ["stock exchange"]})
    (sentence,) = lexicon.sentences("in stock exchange")
    assert [lexicon.names(bits) for _, _, bits in lexicon.find(sentence)] == [("a",), ("c",), ("b",), ("d",)]


@given(
    st.lists(st.text(alphabet="ab가나 ", min_size=1, max_size=5), min_size=1, max_size=6),
    st.text(alphabet="ab가나 .,?", max_size=30),
)
def test_the_automaton_agrees_with_searching(phrases: list[str], text: str) -> None:
    """Every form of every phrase is found exactly where plain searching finds it."""
    concepts = {f"c{place}": [phrase] for place, phrase in enumerate(phrases) if phrase_forms(phrase, {})}
    lexicon = Lexicon(concepts)
    for sentence in lexicon.sentences(text):
        got = {(start, end, name) for start, end, bits in lexicon.find(sentence) for name in lexicon.names(bits)}
        expected = {
            (start, start + len(form), name)
            for name, (phrase,) in concepts.items()
            for form in phrase_forms(phrase, {})
            for start in range(len(sentence))
            if sentence.startswith(form, start)
        }
        assert got == expected


@pytest.mark.parametrize(
    ("typed", "there"),
    [
        ("delivry", True),
        ("deilvery", True),
        ("deliveryy", True),
        ("delivary", True),
        ("deliveries", False),
        ("elivery", False),
        ("dlivry", False),
        ("delivry2", True),
    ],
)
def test_slips(typed: str, there: bool) -> None:
    """One letter missing, swapped, added or wrong is undone; two, or a wrong first letter, are not."""
    assert one("delivery", text=typed) is there


def test_a_known_word_is_no_slip() -> None:
    """Words that are spelt right, in themselves or with an ending, are left alone."""
    assert one("melting", text="meeting")
    assert not one("melting", text="meeting", known=["meeting"])
    assert not one("order", text="orders")
    assert not one("smell", text="spells", known=["spell"])
    assert one("deals", text="dealz")


def test_an_ambiguous_slip_is_left_alone() -> None:
    """With two words one slip away, the longer one is taken if it is the only one; else none."""
    assert one("ordered", text="orderd")
    assert found(Lexicon({"x": ["ordered"], "y": ["orders"]}), "orderd") == ["x"]
    assert found(Lexicon({"x": ["stone"], "y": ["stove"]}), "stoze") == []


def test_chat_spelling_stands_for_words() -> None:
    """A spelling may stand for several words, in text and phrases alike."""
    assert one("do not work", text="dont work", spelling={"dont": "do not"})
    assert one("dont work", text="do not work", spelling={"dont": "do not"})


def test_the_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sender can grow the memory of read words without bound."""
    monkeypatch.setattr(module, "_MEMO_LIMIT", 3)
    lexicon = Lexicon({"it": ["order"]})
    lexicon.sentences(" ".join(f"word{letter}" for letter in "abcdefghij"))
    assert len(lexicon._memo) <= 3


def test_sentences_end_at_stops() -> None:
    """A stop before a space ends a sentence; one inside a number or a name does not."""
    lexicon = Lexicon({"it": ["x"]})
    assert lexicon.sentences("v3.5 here. Why? yes;no; ok: end") == [
        "^ v 3 5 here ",
        "^ why ? ",
        "^ yes no ",
        "^ ok ",
        "^ end ",
    ]
    assert lexicon.sentences(" .. ! ?") == []


@pytest.mark.parametrize("phrase", ["", "-", "_", "*", "!!", "^", "smell* burn*"])
def test_a_phrase_without_a_word_has_no_form(phrase: str) -> None:
    """A phrase needs a letter, a number or a question mark, and has a star at its end only."""
    assert phrase_forms(phrase, {}) == []


def test_split_words() -> None:
    """Words for looking up: folded, in order, without marks."""
    assert split_words("The 14-inch, USB-C 독은?") == ["the", "14", "inch", "usb", "c", "독은"]
