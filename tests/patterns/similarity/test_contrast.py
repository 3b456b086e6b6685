"""Contrast: what keeps similar texts apart, in both languages."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.similarity import DEFAULT_RULES, Kind, contrast

APART = [
    ("the card works", "the card does not work", Kind.NEGATION),
    ("I can log in to the app", "I can't log in to the app", Kind.NEGATION),
    ("환불이 되었습니다", "환불이 안 되었습니다", Kind.NEGATION),
    ("로그인이 가능하다", "로그인이 가능하지 않다", Kind.NEGATION),
    ("raise the limit", "lower the limit", Kind.DIRECTION),
    ("수온이 높아진 원인", "수온이 낮아진 원인", Kind.DIRECTION),
    ("enable two factor login", "disable two factor login", Kind.DIRECTION),
    ("raise cost and lower risk", "lower cost and raise risk", Kind.DIRECTION),
    ("error 500 on checkout", "error 502 on checkout", Kind.NUMBER),
    ("wait two days", "wait three days", Kind.NUMBER),
    ("주문이 3일 늦다", "주문이 5일 늦다", Kind.NUMBER),
    ("delivery to Seoul is late", "delivery to Busan is late", Kind.ENTITY),
    ("the iPhone is broken", "the iPad is broken", Kind.ENTITY),
]
MERGED = [
    ("reset my pin", "please reset my pin"),
    ("Reset my pin", "reset my pin"),
    ("raise the limit", "increase the limit"),
    ("raise the limit", "change the limit"),
    ("pay 1,000 won", "pay 1000 won"),
    ("wait 2 days", "wait two days"),
    ("pay 2.50 now", "pay 2.5 now"),
    ("delivery to Seoul is late", "delivery to seoul is late"),
    ("the Galaxy is broken", "it is broken"),
    ("한도를 높여 주세요", "한도를 올려 주세요"),
]


@pytest.mark.parametrize(("a", "b", "kind"), APART)
def test_differences_that_keep_apart(a, b, kind):
    """Each kind is found, both ways round, with the words of both sides."""
    found, back = contrast(a, b), contrast(b, a)
    assert kind in [difference.kind for difference in found.differences]
    assert [(part.left, part.right) for part in found.differences] == [
        (part.right, part.left) for part in back.differences
    ]


@pytest.mark.parametrize(("a", "b"), MERGED)
def test_differences_that_do_not(a, b):
    """Politeness, case, synonyms and ways to write a number are no contrast."""
    assert contrast(a, b) is None


@given(st.text(max_size=40))
def test_no_text_contrasts_with_itself(text):
    """Whatever it holds."""
    assert contrast(text, text) is None


def test_contrast_words_its_findings():
    """A finding names its kind, the axis, and both sides."""
    assert str(contrast("raise it by 5", "lower it by 6")) == "direction (more/less): raise / lower; number: 5 / 6"
    assert str(contrast("it works", "it never works")) == "negation: none / never"


def test_rules_are_data_that_can_be_extended():
    """Names that no capital shows are told apart once they are listed."""
    texts = "갤럭시 배송 문의", "픽셀폰 배송 문의"
    assert contrast(*texts) is None
    found = contrast(*texts, rules=evolve(DEFAULT_RULES, names=("갤럭시", "픽셀폰")))
    assert [difference.kind for difference in found.differences] == [Kind.ENTITY]
