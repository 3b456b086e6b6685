"""Korean particles and endings that are stripped by `tokens.ko_light`, as data, and the rule that strips them.

Written from the particles and endings that any Korean grammar lists first; not a morphological analysis: it knows no stems.
What it changes is measured in `docs/explanation/similarity-join.md`.
"""

from __future__ import annotations

import re
from typing import Final

PARTICLES: Final = (
    "으로부터", "에서부터", "이라는", "에게서", "으로서", "으로써", "까지는", "에서는", "에서도", "으로는", "으로도", "이라고",
    "한테서", "라는", "라고", "에게", "에서", "부터", "까지", "으로", "처럼", "보다", "마다", "조차", "마저", "밖에", "한테", "에는",
    "에도", "이나", "이란", "은", "는", "이", "가", "을", "를", "에", "의", "와", "과", "도", "만", "로", "나", "야",
)  # fmt: skip
"""Particles after nouns."""

ENDINGS: Final = (
    "했습니다", "합니다", "됩니다", "입니다", "습니다", "하였다", "되었다", "적인", "하는", "되는", "하고", "되고", "하며", "되며", "했다", "됐다",
    "한다", "된다", "이다", "있다", "하기", "되기", "해서", "돼서", "하면", "되면", "하지", "되지", "해요", "돼요", "세요", "네요", "어요",
    "아요", "지요", "는다", "았다", "었다", "였다", "하다", "되다", "한", "된", "할", "될", "함", "됨", "해", "돼", "다", "요",
)  # fmt: skip
"""Endings of verbs and adjectives, most of them those of 하다 and 되다."""

LEAST_STEM: Final = 2
"""Syllables that must stay: below two, stripping makes different nouns equal (나이, 나는 -> 나)."""

_suffix: Final = re.compile(
    f"(?<=[\uac00-\ud7a3]{{{LEAST_STEM}}})(?:{'|'.join(sorted((*PARTICLES, *ENDINGS), key=len, reverse=True))})$"
)


def strip_suffix(word: str) -> str:
    """Strip the longest known particle or ending from a word, if at least two syllables stay.

    Examples:
        >>> strip_suffix("루프를"), strip_suffix("집약적인"), strip_suffix("나이"), strip_suffix("pools")
        ('루프', '집약', '나이', 'pools')
    """
    return _suffix.sub("", word)
