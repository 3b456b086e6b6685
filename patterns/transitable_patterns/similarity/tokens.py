"""Tokenisers: small callables from a text to its set of tokens, each with a name that is kept beside every result.

A threshold belongs to a tokeniser: 0.6 on words and 0.6 on character pairs are different rules.
The Korean suffixes that `ko_light` strips are data in `korean`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import add
from typing import TYPE_CHECKING, Final, TypeAlias
from unicodedata import normalize

from attrs import field, frozen

from transitable_patterns.similarity.errors import TextError, TokensError
from transitable_patterns.similarity.korean import strip_suffix

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

TokenSet: TypeAlias = frozenset[str]
"""The tokens of one text; order and repeats do not count."""

# Kana, ideographs (with extension A and the supplementary planes) and Hangul: scripts whose words carry their endings, or
# that are written without spaces. Half-width forms are gone after NFKC.
_CJK: Final = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003134f"
_find_words: Final = re.compile(r"\w+").findall
_find_cjk: Final = re.compile(f"[{_CJK}]+").findall
_find_other: Final = re.compile(f"[^\\W{_CJK}]+").findall


@frozen
class Tokens:
    """A tokeniser: call it with a text to get its tokens.

    Two tokenisers are equal when their names are, so a name must stand for one rule.
    """

    name: str
    """The name that is recorded with each result, for example `words`."""
    split: Callable[[str], TokenSet] = field(eq=False, repr=False)
    """The rule itself; pure."""

    def __call__(self, text: str) -> TokenSet:
        """Split a text; the empty set when it holds no token."""
        return self.split(text)


def fold(text: str) -> str:
    """Normalise a text for comparison: NFKC, then case-fold.

    Examples:
        >>> fold("ＤＢ Pool")
        'db pool'
    """
    return text.lower() if text.isascii() else normalize("NFKC", text).casefold()


def _split_words(text: str) -> TokenSet:
    return frozenset(_find_words(fold(text)))


def _split_mixed(text: str) -> TokenSet:
    folded = fold(text)
    if folded.isascii():
        return frozenset(_find_words(folded))
    found = set(_find_other(folded))
    for run in _find_cjk(folded):
        if len(run) > 1:
            found.update(map(add, run, run[1:]))
        else:
            found.add(run)
    return frozenset(found)


def _split_ko_light(text: str) -> TokenSet:
    return frozenset(map(strip_suffix, _find_words(fold(text))))


words: Final = Tokens("words", _split_words)
"""NFKC, case-fold, runs of Unicode word characters. The conservative one: an inflected Korean word is another token."""

mixed: Final = Tokens("mixed", _split_mixed)
"""As `words`, but a run of Hangul, kana or ideographs becomes its character pairs (a run of one stays as it is)."""

ko_light: Final = Tokens("ko_light", _split_ko_light)
"""As `words`, with the commonest Korean particles and endings stripped; not a morphological analysis."""


def characters(n: int) -> Tokens:
    """Make a tokeniser of character n-grams over the folded text, its spaces left out.

    A text shorter than `n` is one token. The name is `characters(n)`.

    Raises:
        TokensError: If `n` is below 1.

    Examples:
        >>> sorted(characters(2)("DB 풀"))
        ['b풀', 'db']
    """
    if n < 1:
        raise TokensError(f"characters({n})", ("characters(n) with n from 1",))

    def split(text: str) -> TokenSet:
        folded = "".join(fold(text).split())
        if len(folded) <= n:
            return frozenset((folded,)) if folded else frozenset()
        return frozenset(map("".join, zip(*(folded[start:] for start in range(n)), strict=False)))

    return Tokens(f"characters({n})", split)


_NAMED: Final = {tokens.name: tokens for tokens in (words, mixed, ko_light)}
_find_size: Final = re.compile(r"characters\((\d{1,3})\)").fullmatch


def find_tokens(name: str) -> Tokens:
    """Find a tokeniser by the name that is recorded with results.

    Raises:
        TokensError: If no tokeniser has that name.
    """
    if name in _NAMED:
        return _NAMED[name]
    size = _find_size(name)
    if size is None:
        raise TokensError(name, (*_NAMED, "characters(n)"))
    return characters(int(size[1]))


def split_text(text: str | AbstractSet[str], tokens: Tokens, where: str = "the text") -> TokenSet:
    """Give the tokens of a text; a set is taken as already split.

    Raises:
        TextError: If it is neither a string nor a set; `where` names it in the message.
    """
    if isinstance(text, str):
        return tokens.split(text)
    if isinstance(text, frozenset):
        return text
    if isinstance(text, set):
        return frozenset(text)
    raise TextError(where, type(text).__name__)
