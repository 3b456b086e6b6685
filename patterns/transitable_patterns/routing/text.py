"""Text as the patterns see it: normalised for the state, folded for the rules, and its language.

Three steps that must not be mixed up:

* `normalise_text` makes `normalized_input`. It changes nothing that a reader would notice, and is idempotent.
* `fold_text` makes the form in which rules and guide are matched. It is lossy and never leaves this package.
* `detect_language` picks the language of the reply by script alone.

Matching itself is in `lexicon`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .state import Language

INVISIBLE: Final = frozenset(
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
)
"""Characters without a glyph that `str.strip` leaves in place; a message of these alone is blank."""

_INVISIBLE_TABLE: Final = dict.fromkeys(map(ord, INVISIBLE))
_HANGUL: Final = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_STRUCTURE: Final = re.compile(r"\{[^{}]*\}|<[^<>]{0,80}>|\[\[?[^\[\]]{0,80}\]?\]")

# Hangul syllables are 0xAC00 + (initial * 21 + vowel) * 28 + final: the Unicode Standard, section 3.12.
_SYLLABLES: Final = range(0xAC00, 0xD7A4)
_VOWELS: Final = {10: 11, 15: 11}
"""Vowels that sound alike and are confused in haste: wae and we are read as oe. (e and ae are kept apart: too many words differ by them.)"""
_FINALS: Final = {2: 1, 20: 19, 18: 17, 6: 4}
"""Double and cluster finals, written by their first sound in haste: kk -> k, ss -> s, ps -> p, nh -> n."""


def _fold_syllable(code: int) -> int:
    lead, rest = divmod(code - 0xAC00, 21 * 28)
    vowel, final = divmod(rest, 28)
    return 0xAC00 + (lead * 21 + _VOWELS.get(vowel, vowel)) * 28 + _FINALS.get(final, final)


_FOLD: Final[dict[int, int | None]] = {code: folded for code in _SYLLABLES if (folded := _fold_syllable(code)) != code}
_FOLD.update(dict.fromkeys(map(ord, "'\u2018\u2019`\u00b4")))


def normalise_text(text: str) -> str:
    """Compose, remove invisible characters, and collapse white space; no change of case.

    Composing comes last as well as first: removing a joiner can bring two characters together that compose.

    Returns:
        NFC text without leading, trailing or repeated white space; `""` for a text of white space and invisible characters.
    """
    visible = unicodedata.normalize("NFC", text).translate(_INVISIBLE_TABLE)
    return " ".join(unicodedata.normalize("NFC", visible).split())


def fold_text(text: str) -> str:
    """Bring spellings that people mix up to one form: case, apostrophes, and Hangul vowels and finals that sound alike."""
    return text.casefold().translate(_FOLD)


def strip_structure(text: str) -> str:
    """Take out pieces that look like markup or data, `{...}`, `<...>`, `[...]`: they are never words of a wish."""
    return _STRUCTURE.sub(" ", text) if "{" in text or "<" in text or "[" in text else text


def detect_language(text: str, default: Language) -> Language:
    """Tell the language of a reply by script: any Hangul letter means Korean, other letters mean English.

    Returns:
        `default` for a text without a letter.
    """
    if _HANGUL.search(text):
        return Language.KO
    return Language.EN if any(character.isalpha() for character in text) else default
