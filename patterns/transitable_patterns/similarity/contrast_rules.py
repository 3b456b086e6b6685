"""The rules of `contrast` as data, English and Korean: negations, opposed directions, number words.

Patterns are matched in the folded text (NFKC, case-folded). Extend them with `attrs.evolve`.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen


@frozen
class Axis:
    """Two opposed directions; a text that goes one way must not be merged with one that goes the other way."""

    name: str
    """The name that findings carry."""
    one: str
    """Regular expression of the words of one direction."""
    other: str
    """Regular expression of the words of the other direction."""


@frozen(eq=False)
class ContrastRules:
    """What keeps two similar texts apart. Compared by identity, because what they find in a text is remembered."""

    negations: tuple[str, ...]
    """Regular expressions, each match one negation."""
    axes: tuple[Axis, ...]
    """Opposed directions."""
    number_words: tuple[tuple[str, str], ...]
    """Words (as regular expressions) that are numbers, and the digits they stand for."""
    names: tuple[str, ...] = ()
    """Names to be told apart although no capital shows them, for example Korean product names; folded."""


def _any_of(english: str, korean: str) -> str:
    """Build one expression of English words (whole words, `_` is a space) and Korean stems (anywhere in a word)."""
    return rf"\b(?:{'|'.join(english.replace('_', ' ').split())})\b|{'|'.join(korean.split())}"


NEGATIONS: Final = (
    r"\b(?:not|no|never|none|neither|nor|without|cannot|non)\b|n['’]t\b",
    r"않|없|아니|못하|못했|불가|금지|(?<!\w)(?:안|못)(?=\s)|지\s?(?:마|말)|(?<!\w)비(?=활성|공개|정상)|(?<!\w)미(?=사용|적용|지원|완료)",
)
AXES: Final = (
    Axis(
        "more/less",
        _any_of(
            "rais(?:e|es|ed|ing) increas(?:e|es|ed|ing) higher high more gr[eo]ws? gains? faster longer larger max(?:imum|imi[sz]e)?",
            "높 올리 올려 올린 오르 올라 증가 늘리 늘려 늘어 상승 빠르 빨라 최대 많",
        ),
        _any_of(
            "lower(?:s|ed|ing)? low decreas(?:e|es|ed|ing) reduc(?:e|es|ed|ing) less fewer drop(?:s|ped)? slower shorter "
            "smaller min(?:imum|imi[sz]e)?",
            "낮 내리 내려 내린 감소 줄이 줄여 줄어 하락 느리 느려 최소 적은 적다",
        ),
    ),
    Axis(
        "on/off",
        _any_of(
            "(?:turn|switch)(?:s|es|ed)?_on enabl(?:e|es|ed|ing) activat(?:e|es|ed|ing) start(?:s|ed)? open(?:s|ed)? allow(?:s|ed)? "
            "add(?:s|ed)? lock(?:s|ed)? accept(?:s|ed)?",
            "켜 켠 (?<!비)활성 시작 열(?:기|어|린|다) 허용 추가 잠그 잠가 승인",
        ),
        _any_of(
            "(?:turn|switch)(?:s|es|ed)?_off disabl(?:e|es|ed|ing) deactivat(?:e|es|ed|ing) stop(?:s|ped)? clos(?:e|es|ed) "
            "den(?:y|ies|ied) remov(?:e|es|ed) unlock(?:s|ed)? reject(?:s|ed)?",
            "끄 꺼 끈 비활성 중지 중단 닫 거부 삭제 제거 풀어 거절",
        ),
    ),
    Axis("before/after", _any_of("before earlier", "이전 전에"), _any_of("after later", "이후 후에")),
    Axis(
        "in/out",
        _any_of("deposit send upload buy import", "입금 보내 업로드 구매 입고"),
        _any_of("withdraw receive download sell export", "출금 받 다운로드 판매 출고"),
    ),
    Axis(
        "good/bad",
        _any_of("improves? success(?:ful)? works? better", "개선 성공 좋"),
        _any_of("worsens? fail(?:s|ed|ure)? breaks? worse", "악화 실패 나쁘 나빠"),
    ),
)
NUMBER_WORDS: Final = (
    ("two|twice", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"),
    ("nine", "9"), ("ten", "10"), ("둘|두(?= )", "2"), ("셋|세(?= )", "3"), ("넷|네(?= )", "4"), ("다섯", "5"),
    ("여섯", "6"), ("일곱", "7"), ("여덟", "8"), ("아홉", "9"), ("열(?= )", "10"),
)  # fmt: skip

DEFAULT_RULES: Final = ContrastRules(NEGATIONS, AXES, NUMBER_WORDS)
"""The rules of both languages."""
